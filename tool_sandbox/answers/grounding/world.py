"""What the tables of the world held, row by row, and how they changed."""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.answers.facts._text import normalise
from tool_sandbox.answers.grounding.reading import read
from tool_sandbox.apps.registry import tools_of
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.world.schema import KEY_COLUMN, RoleType
from tool_sandbox.world.table import Table, TableSchema, difference

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext

Cells = Mapping[str, Any]

LABELS = {
    DatabaseNamespace.CONTACT: "name",
    DatabaseNamespace.REMINDER: "content",
    DatabaseNamespace.MESSAGING: "content",
}
"""Tables of rows that people speak of, and the column that a row is called by."""


@functools.lru_cache(maxsize=8192)
def plain(cell: str | None) -> str:
    """The text of a cell in the normal form of the readers, empty without one."""
    return normalise(cell or "")


class Stored:
    """A table by the identity of its rows, which never change: what is read of them is worked out once."""

    __slots__ = ("table",)

    def __init__(self, table: Table) -> None:
        self.table = table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and self.table.rows is other.table.rows

    def __hash__(self) -> int:
        return id(self.table.rows)


@functools.lru_cache(maxsize=64)
def cells(stored: Stored) -> list[Cells]:
    """The rows of a table; not to be modified."""
    return list(stored.table.dicts())


@attrs.frozen
class Change:
    """What happened to one row.

    Attributes:
        index: Message with which it happened.
        namespace: The table.
        before: The row before, ``None`` where it is new.
        after: The row after, ``None`` where it is gone.
    """

    index: int
    namespace: str
    before: Cells | None
    after: Cells | None

    @property
    def kind(self) -> str:
        """What a change may be called."""
        if self.namespace == DatabaseNamespace.MESSAGING:
            return "sent"
        if self.namespace == DatabaseNamespace.SETTING:
            return "switched"
        return "added" if self.before is None else "removed" if self.after is None else "updated"

    @property
    def columns(self) -> set[str]:
        """Columns that have another value, or one at all."""
        before, after = self.before or {}, self.after or {}
        return {name for name in {*before, *after} if before.get(name) != after.get(name)}

    @property
    def rows(self) -> list[Cells]:
        """The row, before and after."""
        return [row for row in (self.before, self.after) if row is not None]


@attrs.define(eq=False, slots=False)
class World:
    """The tables up to a message.

    Attributes:
        context: The world with its history.
        index: Index of the message.
        since: Index of the last message of the user before it.
    """

    context: "ExecutionContext"
    index: int
    since: int
    _called: dict[DatabaseNamespace, dict[str, list[Cells]]] = attrs.field(factory=dict, init=False)

    @functools.cached_property
    def start(self) -> int:
        """Index of the first message of the user."""
        return self.context.first_user_sandbox_message_index

    @functools.cached_property
    def changes(self) -> list[Change]:
        """All changes of rows since the first message of the user, in order."""
        found = [change for namespace in KEY_COLUMN for change in self._changes(namespace)]
        found += [change for schema in self.context.app_schemas for change in self._changes_of_app(schema)]
        return sorted(found, key=lambda change: change.index)

    def _changes(self, namespace: DatabaseNamespace) -> Iterator[Change]:
        key = KEY_COLUMN[namespace]
        before = {row[key]: row for row in cells(self.table(namespace, self.start))}
        for position, table in self.context.get_history(namespace):
            if self.start < position <= self.index:
                after = {row[key]: row for row in cells(Stored(table))}
                for each in dict.fromkeys((*before, *after)):
                    if before.get(each) != after.get(each):
                        yield Change(position, namespace, before.get(each), after.get(each))
                before = after

    def _changes_of_app(self, schema: TableSchema) -> Iterator[Change]:
        before = self.context.get_table(schema.name, self.start)
        for position, table in self.context.get_history(schema.name):
            if self.start < position <= self.index:
                start, end, new_end = difference(before, table)
                sides = before.rows[start:end], table.rows[start:new_end]
                old, new = ({row[schema.key_position]: schema.as_dict(row) for row in rows} for rows in sides)
                for key in dict.fromkeys((*old, *new)):
                    if old.get(key) != new.get(key):
                        yield Change(position, schema.name, old.get(key), new.get(key))
                before = table

    @functools.cached_property
    def calls_of_apps(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Tools of apps that were called with success since the first message of the user, and their arguments."""
        known = tools_of(self.context.apps)
        log = self.context.get_history(DatabaseNamespace.SANDBOX) if known else []
        traces = (
            json.loads(trace)
            for index, table in log
            if self.start < index <= self.index
            for traces in table.column("tool_trace")
            for trace in traces or ()
        )
        return [(trace["tool_name"], trace["arguments"]) for trace in traces if trace["tool_name"] in known]

    @functools.cached_property
    def described_clocks(self) -> frozenset[int]:
        """Times of day in the descriptions of tools that the agent may call: by then, something has to be sent."""
        tools = self.context.get_tools_of(RoleType.AGENT).values()
        return frozenset().union(*(read(tool.__doc__ or "").clocks for tool in tools))

    @functools.cached_property
    def net(self) -> list[Change]:
        """What is otherwise now than when the conversation began."""
        first: dict[tuple[str, Any], Change] = {}
        for change in self.changes:
            key = change.rows[0][str(self.context.key_column(change.namespace))]
            begun = first.get((change.namespace, key), change)
            first[change.namespace, key] = attrs.evolve(change, before=begun.before)
        return [change for change in first.values() if change.before != change.after]

    def rows(self, namespace: DatabaseNamespace) -> list[Cells]:
        """The rows of a table now."""
        return cells(self.table(namespace, self.index))

    def table(self, namespace: DatabaseNamespace, index: int) -> Stored:
        """A table after a message."""
        return Stored(self.context.get_table(namespace, index))

    def called(self, namespace: DatabaseNamespace) -> dict[str, list[Cells]]:
        """How rows of a table are and were called, and all that these rows are and were."""
        if namespace not in self._called:
            begun, now = self.table(namespace, self.start), self.table(namespace, self.index)
            changed = [row for change in self.changes if change.namespace == namespace for row in change.rows]
            is_unchanged = begun == now and not changed
            self._called[namespace] = (
                _unchanged(begun, namespace)
                if is_unchanged
                else _by_label([*cells(begun), *cells(now), *changed], namespace)
            )
        return self._called[namespace]


@functools.lru_cache(maxsize=64)
def _unchanged(stored: Stored, namespace: DatabaseNamespace) -> dict[str, list[Cells]]:
    return _by_label(cells(stored), namespace)


def _by_label(rows: list[Cells], namespace: DatabaseNamespace) -> dict[str, list[Cells]]:
    """How rows are and were called, and all that these rows are and were."""
    key, column = KEY_COLUMN[namespace], LABELS[namespace]
    versions: dict[Any, list[Cells]] = {}
    for row in rows:
        versions.setdefault(row[key], []).append(row)
    result: dict[str, list[Cells]] = {}
    for versions_of_row in versions.values():
        for label in {plain(row[column]) for row in versions_of_row} - {""}:
            result.setdefault(label, []).extend(versions_of_row)
    return result
