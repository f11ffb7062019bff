"""What a world would be if only it had changed itself: what an agent's changes are measured against."""

import json
from typing import Any

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
    if not world.has_table(EVENTS.name):
        return table
    changes = [change for told in _told(world, start, index) for change in json.loads(told).get(name, ())]
    key = world.key_column(name)
    return _with(table, changes, key) if changes and key is not None else table


def _told(world: WorldState, start: int, index: int) -> list[str]:
    """What each event changed that happened between two messages, in order."""
    before = {row["event_id"] for row in world.get_table(EVENTS.name, start).with_cell("state", "done")}
    done = world.get_table(EVENTS.name, index).with_cell("state", "done")
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
