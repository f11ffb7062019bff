"""Tables of apps as JSON: the first state, and of each later one what is different from the one before.

What is written says enough of the columns to be read where the app is not installed.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tool_sandbox.world.column import Column
from tool_sandbox.world.table import History, Table, TableSchema, difference

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
        before another one in the state before; the first state stands in the place of an empty one.
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
    return {"from": start, "to": end, "rows": [list(table.schema.plain(row)) for row in table.rows[start:new_end]]}


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
        rows = [schema.row(dict(zip(schema.names, row, strict=True))) for row in state["rows"]]
        if rows or state["from"] != state["to"]:
            table = Table(schema, (*table.rows[: state["from"]], *rows, *table.rows[state["to"] :]))
        history.put(int(state["index"]), table, int(state["guards"]))
    return history


def _column(name: str, kind: str) -> Column:
    is_list = kind.startswith("list[")
    element, dtype = _ELEMENTS[kind.removeprefix("list[").removesuffix("]")]
    return Column(name, pl.List(dtype) if is_list else dtype, element, is_list=is_list)
