"""Rows of a table, and which of them are the same."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from tool_sandbox.world.schema import KEY_COLUMN

Row = tuple[Any, ...]

_NAN = "nan", object()


def row_key(row: Row) -> Hashable:
    """A key that is equal for equal rows: null equals null, NaN equals NaN, -0.0 equals 0.0."""
    if all(cell == cell for cell in row):
        return row
    return tuple(cell if cell == cell else _NAN for cell in row)


def row_keys(rows: Iterable[Row]) -> tuple[Hashable, ...]:
    """Keys of all rows, in order."""
    return tuple(map(row_key, rows))


def by_key(rows: Sequence[Row], columns: Sequence[str], key: str = "") -> dict[Any, Row] | None:
    """Indexes rows by their key column: a given one, or that of the published table with these columns."""
    column = key or next((name for name in KEY_COLUMN.values() if name in columns), None)
    if column is None:
        return None
    position = list(columns).index(column)
    indexed = {row[position]: row for row in rows}
    return indexed if len(indexed) == len(rows) and None not in indexed else None
