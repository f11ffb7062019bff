"""What a world would be if only it had changed itself: what an agent's changes are measured against."""

import functools
import json
from typing import Any

import attrs

from tool_sandbox.world.events import EVENTS
from tool_sandbox.world.state import WorldState
from tool_sandbox.world.table import Table, TableSchema


def baseline(world: WorldState, name: str, start: int, index: int) -> Table:
    """A table as it was at a message, with what events have done to it until another one.

    Args:
        world: The world with its history.
        name: Name of the table.
        start: Message index of the beginning.
        index: Message index until which events count.

    Returns:
        The table. What events did to rows that were not there at the beginning is left out, but for rows that events
        have added.
    """
    table = world.get_table(name, start)
    key = world.key_column(name)
    if key is None or not world.has_table(EVENTS.name):
        return table
    tables = (table, world.get_table(EVENTS.name, start), world.get_table(EVENTS.name, index))
    return _since(*map(_Same, tables), name, key)


@attrs.frozen
class _Same:
    """A table as a key: the same object, not one with equal rows, which would take long to find out."""

    table: Table = attrs.field(eq=id)


@functools.lru_cache(maxsize=64)
def _since(start: _Same, before: _Same, after: _Same, name: str, key: str) -> Table:
    """The table with what happened between two states of the events; worked out once, because tables never change."""
    told = _told(before.table, after.table)
    changes = [change for each in told for change in json.loads(each).get(name, ())]
    return _with(start.table, changes, key) if changes else start.table


def _told(events: Table, later: Table) -> list[str]:
    """What each event changed that happened between two states of their table, in order."""
    before = {row["event_id"] for row in events.with_cell("state", "done")}
    done = later.with_cell("state", "done")
    return [row["changes"] for row in sorted(done, key=lambda row: row["number"]) if row["event_id"] not in before]


def _with(table: Table, changes: list[Any], key: str) -> Table:
    schema, rows = table.schema, {row[table.schema.positions[key]]: row for row in table.rows}
    for before, after in changes:
        if before is None:
            rows[after[key]] = schema.row(after)
        elif after is None:
            rows.pop(before[key], None)
        elif (row := rows.get(before[key])) is not None:
            rows[before[key]] = schema.row(_changed(schema, row, before, after))
    return Table(schema, tuple(rows.values()))


def _changed(schema: TableSchema, row: Any, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """A row with the cells that an event has changed; the others may be different by now."""
    return schema.as_dict(row) | {name: cell for name, cell in after.items() if cell != before[name]}
