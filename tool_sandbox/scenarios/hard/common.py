"""What families of several axes share: reading to the last page, what holds in the end, the tools that tell the day."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.scenarios.checks import FieldCheck
from tool_sandbox.scenarios.vocabulary import Node, call
from tool_sandbox.scoring.side_effects import has_cells
from tool_sandbox.world.table import TableSchema

Row = dict[str, Any]

NOW = ("get_current_timestamp", "timestamp_to_datetime_info")
"""Tools with which an agent finds out what day it is."""


def read_all(tool: str, *, limit: int | None = 50, **arguments: Any) -> Generator[Any, Any, list[Row]]:
    """Reads what a search finds, to its last page; without a limit, in pages as the tool makes them."""
    given = arguments if limit is None else {**arguments, "limit": limit}
    page = yield call(tool, **given)
    rows = [*page["results"]]
    while page["next_cursor"]:
        page = yield call(tool, **given, cursor=page["next_cursor"])
        rows += page["results"]
    return rows


@attrs.frozen
class InTheEnd(FieldCheck):
    """Whether a table has rows in the end, whatever they held on the way.

    Attributes:
        namespace: Table.
        rows: Cells of each.
        there: Whether it has all of them, or none.
    """

    namespace: str
    rows: Sequence[Mapping[str, Any]]
    there: bool = True

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so, at whatever message."""
        table = context.get_table(self.namespace, context.max_sandbox_message_index)
        found = (any(has_cells(cells, table.schema, row) for row in table.rows) for cells in self.rows)
        return float(all(each == self.there for each in found))


def in_the_end(table: TableSchema, rows: Sequence[Mapping[str, Any]], *, there: bool = True) -> Node:
    """A gate that only the end of the conversation opens: a table has all of these rows, or none."""
    return Node(InTheEnd(table.name, rows, there), "gate")
