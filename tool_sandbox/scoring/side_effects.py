"""Side effects: changes of the world that a scenario does not allow, at any moment of the conversation.

Every distinct state of every world database is compared with the one at the first message of the user. Rows are
paired by their key column (``device_id``, ``person_id``, ``message_id``, ``reminder_id``), and as multisets
where keys are null or not unique. A change that is taken back later still counts, and a row that is added,
deleted and added again was added twice.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scoring._rows import Row, by_key, row_key
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.schema import SCHEMAS
from tool_sandbox.world.table import TableSchema, difference

Expected = Any
"""A plain value, or a predicate of the cell."""


def _check(namespace: str, columns: Mapping[str, Any], at_most: int = 1) -> None:
    if namespace == DatabaseNamespace.SANDBOX:
        raise ScenarioError("messages are not a side effect; allow changes of world databases only")
    # Columns of an app's table are known once there is a world with it.
    known = next((schema.positions for name, schema in SCHEMAS.items() if name == namespace), columns)
    if unknown := [name for name in columns if name not in known]:
        raise ScenarioError(f"{namespace} has no columns {unknown}")
    if at_most < 1:
        raise ScenarioError(f"at_most must be at least 1, got {at_most}")


def has_cells(expected: Mapping[str, Expected], schema: TableSchema, row: Row) -> bool:
    """Whether a row has all cells that are expected; one that the table has no column for is missing."""
    positions = schema.positions
    return all(name in positions and matches(wanted, row[positions[name]]) for name, wanted in expected.items())


def matches(expected: Expected, actual: Any) -> bool:
    """Whether a value meets an expectation."""
    if isinstance(actual, tuple):
        # Lists in tables.
        actual = list(actual)
    if callable(expected):
        return bool(expected(actual))
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return bool(expected == actual)


def fits(expected: Mapping[str, Expected], found: Mapping[str, Any]) -> bool:
    """Whether all cells that are expected are there, and meet what is expected of them."""
    return all(name in found and matches(wanted, found[name]) for name, wanted in expected.items())


@attrs.frozen
class Added:
    """New rows with these cells may appear.

    Attributes:
        namespace: Database.
        values: Column to value or predicate; other columns are free.
        at_most: Number of rows over the whole conversation.
    """

    kind: ClassVar[str] = "added"

    namespace: str
    values: Mapping[str, Expected] = attrs.field(factory=dict)
    at_most: int = 1

    def __attrs_post_init__(self) -> None:
        """Checks columns and number."""
        _check(self.namespace, self.values, self.at_most)

    def covers(self, schema: TableSchema, row: Row) -> bool:
        """Whether a new row is allowed by this."""
        return has_cells(self.values, schema, row)


@attrs.frozen
class Removed:
    """Rows of the start with these cells may disappear.

    Attributes:
        namespace: Database.
        where: Column to value or predicate, of the row as it was at the start.
        at_most: Number of rows over the whole conversation.
    """

    kind: ClassVar[str] = "removed"

    namespace: str
    where: Mapping[str, Expected] = attrs.field(factory=dict)
    at_most: int = 1

    def __attrs_post_init__(self) -> None:
        """Checks columns and number."""
        _check(self.namespace, self.where, self.at_most)

    def covers(self, schema: TableSchema, row: Row) -> bool:
        """Whether the disappearance of a row is allowed by this."""
        return has_cells(self.where, schema, row)


@attrs.frozen
class Updated:
    """Rows of the start with these cells may change in these columns.

    Attributes:
        namespace: Database.
        where: Column to value or predicate, of the row as it was at the start.
        values: Column that may change to the value, or predicate, that it may change to.
    """

    kind: ClassVar[str] = "updated"

    namespace: str
    where: Mapping[str, Expected] = attrs.field(factory=dict)
    values: Mapping[str, Expected] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Checks columns."""
        _check(self.namespace, {**self.where, **self.values})

    def covers(self, schema: TableSchema, before: Row, column: str, cell: Any) -> bool:
        """Whether one cell of a row may become ``cell``."""
        return column in self.values and has_cells(self.where, schema, before) and matches(self.values[column], cell)


AllowedChange = Added | Removed | Updated
"""A change of the world that a scenario permits."""


@attrs.frozen
class SideEffect:
    """A change of the world that nothing allows.

    Attributes:
        namespace: Database.
        kind: ``"added"``, ``"removed"`` or ``"updated"``.
        key: Key of the row, ``None`` where keys are of no use.
        columns: Columns that changed, for an updated row.
        message_index: Message after which it showed first.
    """

    namespace: str
    kind: str
    key: str | None
    columns: tuple[str, ...]
    message_index: int

    def __str__(self) -> str:
        columns = f" in {', '.join(self.columns)}" if self.columns else ""
        return f"{self.namespace}: row {self.key} {self.kind}{columns} (message {self.message_index})"


def find_side_effects(trajectory: Trajectory, allowed_changes: Sequence[AllowedChange]) -> list[SideEffect]:
    """Compares all states of the world with the first."""
    found: list[SideEffect] = []
    for namespace in trajectory.context.table_names():
        if len(trajectory.versions(namespace).tables) > 1:
            relevant = [change for change in allowed_changes if change.namespace == namespace]
            found.extend(_Comparison(trajectory, namespace, relevant).side_effects())
    return found


@attrs.define
class _Event:
    """A row that came or went: the rows it held meanwhile, and what covers all of them."""

    key: Any
    message_index: int
    covering: list[Added | Removed]


class _Comparison:
    """Side effects in one database."""

    def __init__(self, trajectory: Trajectory, namespace: str, allowed: Sequence[AllowedChange]) -> None:
        self._trajectory = trajectory
        self._namespace = namespace
        tables = trajectory.versions(namespace).tables
        self._schema = tables[0].schema
        self._updates = [change for change in allowed if isinstance(change, Updated)]
        self._additions: list[Added | Removed] = [change for change in allowed if isinstance(change, Added)]
        self._removals: list[Added | Removed] = [change for change in allowed if isinstance(change, Removed)]
        # Keys of apps' tables are what they are declared to be.
        self._has_keys = bool(self._schema.name) or all(
            by_key(table.rows, self._schema.names) is not None for table in tables
        )
        self._events: dict[str, list[_Event]] = {"added": [], "removed": []}
        self._open: dict[str, dict[Any, _Event]] = {"added": {}, "removed": {}}
        self._updated: dict[tuple[Any, tuple[str, ...]], int] = {}

    def side_effects(self) -> list[SideEffect]:
        for message_index, start, now in self._states():
            came = {key: row for key, row in now.items() if key not in start}
            gone = {key: row for key, row in start.items() if key not in now}
            self._follow("added", came, self._additions, message_index)
            self._follow("removed", gone, self._removals, message_index)
            for key, row in now.items():
                if key in start and row is not start[key]:
                    self._compare_row(key, start[key], row, message_index)
        found = [
            *(self._effect("updated", key, columns, index) for (key, columns), index in self._updated.items()),
            *(
                self._effect(kind, event.key, (), event.message_index)
                for kind, events in self._events.items()
                for event in _uncovered(events)
            ),
        ]
        return sorted(found, key=lambda effect: effect.message_index)

    def _states(self) -> Iterator[tuple[int, dict[Any, Row], dict[Any, Row]]]:
        """Message index, and rows by key at the start and then, whenever the database changed."""
        versions = self._trajectory.versions(self._namespace)
        first, previous = versions.tables[versions.at[0]], versions.at[0]
        begun = {} if self._schema.name else self._keyed(first.rows)
        for position, version in enumerate(versions.at):
            if version == previous:
                continue
            previous, table = version, versions.tables[version]
            if self._schema.name:
                # Large tables: rows before and behind all that changed are the same in both.
                start, end, new_end = difference(first, table)
                before, after = (self._keyed(rows) for rows in (first.rows[start:end], table.rows[start:new_end]))
                yield self._trajectory.first + position, before, after
            else:
                yield self._trajectory.first + position, begun, self._keyed(table.rows)

    def _keyed(self, rows: Sequence[Row]) -> dict[Any, Row]:
        if self._has_keys and (keyed := by_key(rows, self._schema.names, self._schema.key)) is not None:
            return keyed
        # Equal rows are told apart by counting them.
        seen: Counter[Any] = Counter()
        numbered = {}
        for row in rows:
            key = row_key(row)
            numbered[key, seen[key]] = row
            seen[key] += 1
        return numbered

    def _follow(self, kind: str, rows: dict[Any, Row], allowed: list[Added | Removed], message_index: int) -> None:
        """Opens an event for each row that newly came or went, and closes those that are taken back."""
        is_open = self._open[kind]
        for key in [key for key in is_open if key not in rows]:
            del is_open[key]
        for key, row in rows.items():
            event = is_open.get(key)
            if event is None:
                event = is_open[key] = _Event(key, message_index, list(allowed))
                self._events[kind].append(event)
            still = [change for change in event.covering if change.covers(self._schema, row)]
            if event.covering and not still:
                event.message_index = message_index
            event.covering = still

    def _compare_row(self, key: Any, before: Row, now: Row, message_index: int) -> None:
        changed = [
            name
            for name, old, new in zip(self._schema.names, before, now, strict=True)
            if row_key((old,)) != row_key((new,))
            and not any(update.covers(self._schema, before, name, new) for update in self._updates)
        ]
        if changed:
            self._updated.setdefault((key, tuple(changed)), message_index)

    def _effect(self, kind: str, key: Any, columns: tuple[str, ...], message_index: int) -> SideEffect:
        return SideEffect(self._namespace, kind, key if self._has_keys else None, columns, message_index)


def _uncovered(events: list[_Event]) -> list[_Event]:
    """Events that exceed what is allowed: assigns each to a change that covers it, earlier ones first.

    Augmenting paths find the largest assignment, so that a change is not used up by a row that another covers.
    """
    changes = {id(change): change for event in events for change in event.covering}
    held: dict[int, list[_Event]] = {number: [] for number in changes}

    def place(event: _Event, tried: set[int]) -> bool:
        for number in map(id, event.covering):
            if number in tried:
                continue
            tried.add(number)
            if len(held[number]) < changes[number].at_most:
                held[number].append(event)
                return True
            for slot, other in enumerate(held[number]):
                if place(other, tried):
                    held[number][slot] = event
                    return True
        return False

    return [event for event in events if not place(event, set())]
