"""Rows of the world for the tools of apps: add, read, change, remove, and what they refuse."""

import functools
import inspect
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, cast

from polars.exceptions import NoDataError

from tool_sandbox.apps.times import OptionalText
from tool_sandbox.helpers.typed import checked
from tool_sandbox.world.device import DeviceState, current_device
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.not_given import NOT_GIVEN
from tool_sandbox.world.schema import DatabaseNamespace, RoleType
from tool_sandbox.world.table import Table, TableSchema
from tool_sandbox.world.tool import ToolFunction, register_as_tool
from tool_sandbox.world.validators import bounded, typechecked

Row = dict[str, Any]

_Function = TypeVar("_Function", bound=ToolFunction)
_Parameters = ParamSpec("_Parameters")


def tool(function: _Function) -> _Function:
    """Makes a function a tool of an app: atomic, with its arguments checked against their types and limits."""
    return register_as_tool()(cast(_Function, typechecked(bounded(function))))


def user_tool(function: _Function) -> _Function:
    """Makes a function a tool that only the user of the conversation has, not the agent."""
    made = register_as_tool(visible_to=(RoleType.USER,))
    return made(cast(_Function, typechecked(bounded(function))))


def effect(function: Callable[_Parameters, str]) -> Callable[_Parameters, Callable[[], str]]:
    """Makes of a function that changes the current world one that scenarios say what happens with.

    Called with arguments, which are checked, it gives what ``happens(effect, at=...)`` takes.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def made(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Callable[[], str]:
        signature.bind(*args, **kwargs)
        return functools.partial(function, *args, **kwargs)

    return checked(made)


# Rows ----------------------------------------------------------------------------------------


def _device(schema: TableSchema) -> DeviceState:
    device = current_device()
    if not device.has_table(schema.name):
        app = schema.name.partition(".")[0]
        raise ScenarioError(
            f"the world has no table {schema.name}: the scenario offers a tool of the app {app} without it"
        )
    return device


def rows_of(schema: TableSchema) -> Table:
    """A table as it is now."""
    return _device(schema).get_table(schema.name)


def noun(schema: TableSchema) -> str:
    """What one row is called, after its key column."""
    return schema.key.removesuffix("_id").replace("_", " ")


def unknown(schema: TableSchema, key: str) -> NoDataError:
    """The error about a row that is not there."""
    return NoDataError(f"no {noun(schema)} has the {schema.key} {key[:100]!r}")


def get(schema: TableSchema, key: str) -> Row:
    """The row with a key.

    Raises:
        NoDataError: There is none.
    """
    row = rows_of(schema).get(key)
    if row is None:
        raise unknown(schema, key)
    return row


def rows_with(schema: TableSchema, column: str, value: Any) -> list[Row]:
    """Rows that have a cell, or an item in a list, in the order of the table."""
    return rows_of(schema).with_cell(column, value)


def new_key(schema: TableSchema) -> str:
    """A fresh key: the noun and eight digits that tell nothing."""
    device, keys = _device(schema), rows_of(schema).keys
    while True:
        fresh = f"{schema.key.removesuffix('_id')}_{device.new_id()[:8]}"
        if fresh not in keys:
            return fresh


def add(schema: TableSchema, **values: Any) -> str:
    """Adds a row at the end, with a fresh key unless one is given, and returns the key."""
    return add_all(schema, [values])[0]


def add_all(schema: TableSchema, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Adds rows at the end, as `add` does."""
    made = [{schema.key: new_key(schema), **row} for row in rows]
    _device(schema).add_to_database(schema.name, made)
    return [row[schema.key] for row in made]


def change(schema: TableSchema, key: str, **values: Any) -> Row:
    """Changes cells of a row, where they are given, and returns it as it is then.

    Raises:
        ValueError: Nothing to change is given.
        NoDataError: No row has this key.
    """
    given = {name: value for name, value in values.items() if value is not NOT_GIVEN}
    if not given:
        raise ValueError(f"nothing to change, give at least one of {', '.join(values)}")
    get(schema, key)
    _device(schema).change_row(schema.name, key, given)
    return get(schema, given.get(schema.key, key))


def remove(schema: TableSchema, key: str) -> Row:
    """Removes a row, and returns it.

    Raises:
        NoDataError: No row has this key.
    """
    row = get(schema, key)
    _device(schema).remove_rows(schema.name, [key])
    return row


def remove_with(schema: TableSchema, column: str, value: Any) -> int:
    """Removes all rows that have a cell, or an item in a list, and returns their number."""
    keys = [row[schema.key] for row in rows_with(schema, column, value)]
    _device(schema).remove_rows(schema.name, keys)
    return len(keys)


# What tools refuse ---------------------------------------------------------------------------


def checked_text(value: OptionalText, name: str, longest: int) -> OptionalText:
    """A text that a person would keep; ``None`` and `NOT_GIVEN` pass.

    Args:
        value: The text.
        name: Name of the parameter, for the message.
        longest: Largest number of characters.

    Raises:
        ValueError: It is blank, too long, not valid Unicode, or has control characters.
    """
    if not isinstance(value, str):
        return value
    if not value.strip():
        raise ValueError(f"{name} must not be blank")
    if len(value) > longest:
        raise ValueError(f"{name} is too long: {len(value)} characters, at most {longest} are accepted")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name} is not valid Unicode text (it contains a lone surrogate)")
    if any(unicodedata.category(character) == "Cc" and character not in "\t\n" for character in value):
        raise ValueError(f"{name} must not contain control characters other than tab and newline")
    return value


def checked_texts(values: Any, name: str, *, longest: int, most: int) -> Any:
    """A list of different texts, each as `checked_text` takes it; ``None`` and `NOT_GIVEN` pass.

    Raises:
        ValueError: There are too many, or one is refused.
    """
    if not isinstance(values, list):
        return values
    if len(values) > most:
        raise ValueError(f"{name} has too many entries: {len(values)}, at most {most} are accepted")
    return list(dict.fromkeys(checked_text(value, f"each of {name}", longest) for value in values))


def need_setting(name: str, purpose: str) -> None:
    """Fails unless a setting of the device is on.

    Args:
        name: Column of the settings: ``wifi``, ``cellular``, ``location_service``.
        purpose: What it is needed for: ``"sending mail"``.

    Raises:
        ConnectionError: It is off.
    """
    settings = current_device().get_table(DatabaseNamespace.SETTING)
    if not any(settings.column(name)):
        raise ConnectionError(f"{name.replace('_', ' ')} is off, {purpose} needs it")


def set_setting(name: str, *, on: bool) -> None:
    """Turns a setting of the device on or off, for probes and tests."""
    device = current_device()
    rows = [row | {name: on} for row in device.get_table(DatabaseNamespace.SETTING)]
    device.set_rows(DatabaseNamespace.SETTING, rows)
