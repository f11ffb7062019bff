"""What changed in a world, read off its stored snapshots."""

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from tool_sandbox.world.schema import KEY_COLUMN
from tool_sandbox.world.stored import rows_of_state
from tool_sandbox.world.table import INDEX_COLUMN

Row = dict[str, Any]
Kind = Literal["added", "removed", "updated"]

_KEYS = {str(namespace): column for namespace, column in KEY_COLUMN.items()}


@attrs.frozen
class WorldChange:
    """One row that is another one after a message than before it.

    Attributes:
        database: Name of the database.
        kind: What happened to the row.
        key: Cell of its key column, ``None`` where keys are of no use.
        before: The row before, ``None`` for an added one.
        after: The row after, ``None`` for a removed one.
        columns: Columns that changed, of an updated row.
    """

    database: str
    kind: Kind
    key: str | None
    before: Row | None
    after: Row | None
    columns: tuple[str, ...] = ()


def snapshots(stored_rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, list[Row]]]:
    """Groups the stored rows of a database by snapshot."""
    index: int | None = None
    rows: list[Row] = []
    for stored in stored_rows:
        row = dict(stored)
        number = row.pop(INDEX_COLUMN)
        if number != index:
            if index is not None:
                yield index, rows
            index, rows = number, []
        if any(cell is not None for cell in row.values()):
            rows.append(row)
    if index is not None:
        yield index, rows


def world_changes(
    databases: Mapping[str, Sequence[Mapping[str, Any]]],
    batches: Mapping[str, Mapping[str, Any]],
    app_tables: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[int, list[WorldChange]]:
    """Compares each snapshot of each world database with the one before it, and within a batch each state.

    Rows are paired as for side effects: by key column, and as multisets where keys are null or not unique.

    Args:
        databases: Published databases to their stored rows.
        batches: States within batches of parallel calls.
        app_tables: Tables of apps as they are stored.
    """
    changes: dict[int, list[WorldChange]] = {}
    for database, stored in databases.items():
        before: list[Row] | None = None
        for index, rows in snapshots(stored):
            states: Sequence[Mapping[str, Any]] = batches.get(str(index), {}).get(database) or ({"answer": index},)
            for state in states:
                now: list[Row] = rows if state.get("rows") is None else state["rows"]
                if before is not None and now != before and (found := compare(database, before, now)):
                    changes.setdefault(state["answer"], []).extend(found)
                before = now
    for name, stored_table in (app_tables or {}).items():
        for answer, found in _table_changes(name, stored_table, batches):
            changes.setdefault(answer, []).extend(found)
    return dict(sorted(changes.items()))


def _table_changes(
    name: str, stored: Mapping[str, Any], batches: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[int, list[WorldChange]]]:
    """What changed in a table of an app: what is stored of it says where its states differ."""
    columns, rows = list(stored["columns"]), list[Row]()
    for number, state in enumerate(stored["states"]):
        index = state["index"]
        for part in batches.get(str(index), {}).get(name) or ({"answer": index, **state},):
            start, end = part["from"], part["to"]
            before, after = rows[start:end], [dict(zip(columns, row, strict=True)) for row in rows_of_state(part)]
            rows[start:end] = after
            # The first state is what the world began with.
            if number and (found := compare(name, before, after, stored["key"])):
                yield part["answer"], found


def compare(database: str, before: Sequence[Row], after: Sequence[Row], key: str | None = None) -> list[WorldChange]:
    """What is different between two states of a database, whose key column is given for a table of an app."""
    column = key or _KEYS.get(database)
    old, new = _by_key(before, column), _by_key(after, column)
    if old is None or new is None:
        gone = [WorldChange(database, "removed", None, row, None) for row in _surplus(before, after)]
        return gone + [WorldChange(database, "added", None, None, row) for row in _surplus(after, before)]
    found = []
    for key, row in old.items():
        now = new.get(key)
        if now is None:
            found.append(WorldChange(database, "removed", str(key), row, None))
        elif changed := tuple(name for name in now if not _same(row.get(name), now[name])):
            found.append(WorldChange(database, "updated", str(key), row, now, changed))
    return found + [WorldChange(database, "added", str(key), None, row) for key, row in new.items() if key not in old]


def _by_key(rows: Sequence[Row], column: str | None) -> dict[Any, Row] | None:
    if column is None:
        return None
    indexed = {row.get(column): row for row in rows}
    return indexed if len(indexed) == len(rows) and None not in indexed else None


def _same(before: Any, after: Any) -> bool:
    # NaN is what it was; a flag is not a number.
    return type(before) is type(after) and (before == after or (before != before and after != after))


def _surplus(rows: Sequence[Row], others: Sequence[Row]) -> Iterator[Row]:
    left = Counter(map(_identity, others))
    for row in rows:
        key = _identity(row)
        if left[key] > 0:
            left[key] -= 1
        else:
            yield row


def _identity(row: Row) -> Hashable:
    return json.dumps(row, sort_keys=True)
