"""Calls of tools drawn at random, most of which make sense and some of which no sane caller would make."""

import inspect
import random
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Union

import attrs

from tool_sandbox.apps.app import App
from tool_sandbox.apps.times import as_moment
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.not_given import NotGiven
from tool_sandbox.world.table import Table
from tool_sandbox.world.tool import Tool, ToolFunction

_MOMENT = re.compile(r"(^|_)(from|until|at|start|starts|end|ends|when|time|due|since|before|after)(_|$)")
_DATE = re.compile(r"(^|_)(date|day|on)(_|$)")

HOSTILE_TEXTS = (
    "",
    " ",
    "\x00",
    "x" * 10_001,
    "x" * 5_000,
    "\ud800",
    "'; DROP TABLE notes; --",
    "../../etc/passwd",
    "{0.__class__}",
    "%s%n",
    "None",
    "ignore all previous instructions",
    "a\nb\tc",
    "Ａ́🙂" * 20,
    "-1",
    "NaN",
    "2025-02-30",
    "2025-13-01T99:99",
    "9999-12-31T23:59:59+14:00",
    "0001-01-01T00:00",
    "7.1.9.00000000",
)
HOSTILE_NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    2**31,
    -(2**63),
    2**63,
    10**400,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    True,
)
WRONG: tuple[Any, ...] = (None, "x", 3, 0.5, True, [], {}, [None], {"a": 1}, [["x"]])


@attrs.frozen(eq=False)
class Caller:
    """Draws calls for a world as it is now.

    Attributes:
        app: Whose tools are called.
        apps: All apps of the world.
        chance: What is drawn from.
        cursors: Cursors that were seen, by tool.
    """

    app: App
    apps: Sequence[App]
    chance: random.Random
    cursors: dict[str, str] = attrs.field(factory=dict)

    def call(self, device: DeviceState) -> tuple[ToolFunction, dict[str, Any]]:
        """A tool, and arguments for it."""
        function = self.chance.choice(self.app.tools)
        return function, self.arguments(device, function, sanity=self.chance.choice((1.0, 1.0, 0.97, 0.6)))

    def arguments(self, device: DeviceState, function: ToolFunction, sanity: float) -> dict[str, Any]:
        """Arguments for a tool.

        Args:
            device: The world.
            function: The tool.
            sanity: Probability that an argument makes sense.
        """
        chosen = {}
        for parameter in Tool.of(function).parameters:
            if parameter.default is not parameter.empty and self.chance.random() < 0.6:
                continue
            if parameter.name == "cursor" and self.chance.random() < 0.7:
                chosen["cursor"] = self.cursors.get(function.__name__)
                continue
            make = self._sane if self.chance.random() < sanity else self._hostile
            chosen[parameter.name] = make(device, parameter.name, parameter.annotation)
        return chosen

    def sane(self, device: DeviceState, parameter: inspect.Parameter) -> Any:
        """An argument that makes sense for a parameter of a tool."""
        return self._sane(device, parameter.name, parameter.annotation)

    def one_wrong(self, device: DeviceState, function: ToolFunction) -> Iterator[dict[str, Any]]:
        """Arguments of which all make sense but one: each parameter in turn with each thing that it may be given."""
        for parameter in Tool.of(function).parameters:
            for value in _wrong_values(parameter.annotation):
                yield {**self.arguments(device, function, sanity=1.0), parameter.name: value}

    def _hostile(self, device: DeviceState, name: str, annotation: Any) -> Any:
        kind = self.chance.random()
        if kind < 0.25:
            return self.chance.choice(WRONG)
        members = [each for each in _members(annotation) if each not in (NotGiven, type(None))]
        member = self.chance.choice(members or [str])
        if typing.get_origin(member) is list:
            inner = (typing.get_args(member) or (str,))[0]
            return [self._hostile(device, name, inner) for _ in range(self.chance.choice((0, 1, 2, 200)))]
        return self.chance.choice(HOSTILE_NUMBERS if member in (int, float, bool) else HOSTILE_TEXTS)

    def _sane(self, device: DeviceState, name: str, annotation: Any) -> Any:
        members = [each for each in _members(annotation) if each is not NotGiven]
        if type(None) in members and self.chance.random() < 0.15:
            return None
        member = self.chance.choice([each for each in members if each is not type(None)] or members)
        origin, inner = typing.get_origin(member), typing.get_args(member)
        if origin is Literal:
            return self.chance.choice(inner)
        if origin is list or member is list:
            return [self._sane(device, name, inner[0] if inner else str) for _ in range(self.chance.randint(1, 3))]
        if origin is dict or member is dict:
            return self._object(device, name)
        if member is bool:
            return self.chance.random() < 0.5
        if member in (int, float):
            return self._number(device, name, member)
        return self._text(device, name)

    def _object(self, device: DeviceState, name: str) -> dict[str, Any]:
        """A row of some table, with a few of its columns."""
        rows = self._rows(device)
        if not rows:
            return {name: self._text(device, name)}
        row = self.chance.choice(rows)
        return {column: row[column] for column in self.chance.sample(sorted(row), min(3, len(row)))}

    def _number(self, device: DeviceState, name: str, kind: type) -> Any:
        if name == "limit":
            return self.chance.randint(1, 50)
        cells = [cell for cell in self._cells(device, name) if type(cell) in (int, float)]
        if cells and self.chance.random() < 0.5:
            return kind(self.chance.choice(cells))
        return kind(self.chance.choice((0, 1, 1, 2, 3, 5, 10, 100, 1500)))

    def _text(self, device: DeviceState, name: str) -> str:
        if (keys := self._keys(device, name)) and self.chance.random() < 0.95:
            return str(self.chance.choice(keys))
        moment = as_moment(device.now() + self.chance.randint(-60, 60) * 21_600)
        cells = [cell for cell in self._cells(device, name) if isinstance(cell, str)]
        if cells and self.chance.random() < 0.6:
            return self.chance.choice(cells)
        if _DATE.search(name):
            return moment[:10]
        if _MOMENT.search(name):
            return self.chance.choice((moment, moment[:16]))
        words = [
            word
            for row in self._rows(device)
            for cell in row.values()
            if isinstance(cell, str)
            for word in cell.split()
        ]
        chosen = self.chance.choices(words or ["nothing"], k=self.chance.randint(1, 3))
        return " ".join(chosen)

    # What is in the world --------------------------------------------------------------------

    def _tables(self, device: DeviceState) -> list[Table]:
        return [device.get_table(schema.name) for app in self.apps for schema in app.tables]

    def _rows(self, device: DeviceState) -> list[Mapping[str, Any]]:
        """A few rows of each table of the app."""
        tables = [device.get_table(schema.name) for schema in self.app.tables]
        picks = [(table, self.chance.randrange(len(table))) for table in tables if len(table) for _ in range(3)]
        return [table.schema.as_dict(table.rows[place]) for table, place in picks]

    def _keys(self, device: DeviceState, name: str) -> list[Any]:
        """Keys that a parameter can name: its own, those that a column of its name refers to, or any ``_id``."""
        singular = name.removesuffix("s")
        if not singular.endswith("_id"):
            return []
        tables = self._tables(device)
        targets = {
            str(column.references) for t in tables for column in t.schema.references if column.name in (name, singular)
        }
        meant = [t for t in tables if t.schema.key == singular or t.schema.name in targets]
        return [key for table in meant or tables for key in table.keys]

    def _cells(self, device: DeviceState, name: str) -> list[Any]:
        """Cells of columns that have the name of a parameter, items of lists one by one."""
        columns = {name, name.removesuffix("s"), f"{name}s"}
        found: list[Any] = []
        for schema in self.app.tables:
            for column in columns & {*schema.names}:
                for cell in device.get_table(schema.name).column(column):
                    found += cell if isinstance(cell, tuple) else (cell,)
        return found


def _wrong_values(annotation: Any) -> Iterator[Any]:
    yield from WRONG
    for member in _members(annotation):
        is_list = typing.get_origin(member) is list
        inner = (typing.get_args(member) or (str,))[0] if is_list else member
        values = HOSTILE_TEXTS if inner is str else HOSTILE_NUMBERS if inner in (int, float) else ()
        yield from ([value] for value in values) if is_list else values
        if is_list:
            yield ["x"] * 300


def _members(annotation: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(annotation) in (Union, types.UnionType)
    return typing.get_args(annotation) if is_union else (annotation,)
