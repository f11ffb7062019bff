"""Tables of apps as JSON: the first state, and of each later one what is different from the one before.

What is written says enough of the columns to be read where the app is not installed. Many rows at once are packed:
compressed, since a world with thousands would otherwise fill the file of every conversation.
"""

import base64
import functools
import json
import zlib
from collections.abc import Mapping
from typing import Any

import attrs
import polars as pl

from tool_sandbox.world.column import Column
from tool_sandbox.world.table import History, Table, TableSchema, difference

FEW = 50
"""So many rows are written as they are, more of them packed."""

LARGEST = 64 * 2**20
"""Bytes that packed rows may have."""

_ELEMENTS: dict[str, tuple[type, Any]] = {
    "str": (str, pl.String),
    "int": (int, pl.Int64),
    "float": (float, pl.Float64),
    "bool": (bool, pl.Boolean),
}


def stored_table(history: History) -> dict[str, Any]:
    """All snapshots of a table.

    Args:
        history: Its snapshots.

    Returns:
        ``key``, ``columns`` (name to the type of a cell) and ``states``; of each state the message index (``index``),
        its headguards (``guards``), and the ``rows`` that stand in it instead of those ``from`` a position ``to``
        before another one in the state before; the first state stands in the place of an empty one. Instead of many
        ``rows`` there is ``packed``: their JSON as UTF-8, compressed by zlib, in base64.
    """
    schema = history.schema
    columns = {each.name: f"list[{_type(each)}]" if each.is_list else _type(each) for each in schema.columns}
    states, before = [], schema.empty
    for index, guards, table in zip(history.indices, history.guards, history.tables, strict=True):
        states.append({"index": index, "guards": guards, **stored_state(before, table)})
        before = table
    return {"key": schema.key, "columns": columns, "states": states}


def stored_state(before: Table, table: Table) -> dict[str, Any]:
    """What is different in a table, as `stored_table` has it: ``from``, ``to`` and ``rows``."""
    start, end, new_end = (0, 0, 0) if table is before else difference(before, table)
    rows = table.rows[start:new_end]
    if len(rows) > FEW:
        # As a rule all rows of the table that a world begins with, and so the same in many conversations.
        return {"from": start, "to": end, "packed": _packed(_Rows(table, start, new_end))}
    return {"from": start, "to": end, "rows": [list(table.schema.plain(row)) for row in rows]}


@attrs.frozen(eq=False)
class _Rows:
    """Some rows of a table, by the identity of what holds them."""

    table: Table
    start: int
    end: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rows) and self.table is other.table and self._range == other._range

    def __hash__(self) -> int:
        return hash((id(self.table), self._range))

    @property
    def _range(self) -> tuple[int, int]:
        return self.start, self.end


@functools.lru_cache(maxsize=64)
def _packed(rows: _Rows) -> str:
    plain = list(map(rows.table.schema.plain, rows.table.rows[rows.start : rows.end]))
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode()


def rows_of_state(state: Mapping[str, Any]) -> list[list[Any]]:
    """The rows that a stored state has, packed or not.

    Raises:
        ValueError: They cannot be unpacked.
    """
    if "packed" not in state:
        rows: list[list[Any]] = state["rows"]
        return rows
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.b64decode(state["packed"], validate=True), LARGEST)
    except zlib.error as error:
        raise ValueError(f"packed rows are damaged: {error}") from None
    if unpacker.unconsumed_tail:
        raise ValueError(f"packed rows have more than {LARGEST:,} bytes")
    unpacked: list[list[Any]] = json.loads(text)
    return unpacked


def _type(column: Column) -> str:
    return column.element.__name__


def read_table(name: str, stored: Mapping[str, Any], known: TableSchema | None) -> History:
    """Inverse of `stored_table`.

    Args:
        name: Name of the table.
        stored: What was written.
        known: Its declaration, where the app is there.

    Raises:
        KeyError: A part is missing.
        TypeError: A cell of the wrong type.
        ValueError: An impossible value.
    """
    columns = stored["columns"]
    schema = known
    if schema is None or list(schema.names) != list(columns):
        schema = TableSchema([_column(*each) for each in columns.items()], name, stored["key"])
    history, table = History(schema), schema.empty
    for state in stored["states"]:
        rows = [schema.row(dict(zip(schema.names, row, strict=True))) for row in rows_of_state(state)]
        if rows or state["from"] != state["to"]:
            table = Table(schema, (*table.rows[: state["from"]], *rows, *table.rows[state["to"] :]))
        history.put(int(state["index"]), table, int(state["guards"]))
    return history


def _column(name: str, kind: str) -> Column:
    is_list = kind.startswith("list[")
    element, dtype = _ELEMENTS[kind.removeprefix("list[").removesuffix("]")]
    return Column(name, pl.List(dtype) if is_list else dtype, element, is_list=is_list)
