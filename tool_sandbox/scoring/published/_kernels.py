"""Snapshot similarities over rows: the arithmetic behind `snapshots` and the evaluator, in Float64."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tool_sandbox.scoring._rows import Row, by_key, row_key, row_keys
from tool_sandbox.scoring.published._assignment import minimal_assignment_cost
from tool_sandbox.scoring.published._cells import CellKernel
from tool_sandbox.scoring.published._frames import Rows, added_rows, aligned
from tool_sandbox.scoring.published.columns import SIMILARITY, cell_kernel

Measures = Mapping[str, Callable[..., Any]]
SnapshotKernel = Callable[[Rows], float]

# One comparison of a target row: its rank by cost, the column, the kernel (None for a foreign measure), the value.
_Comparison = tuple[int, str, CellKernel | None, Any]
# The same with the position of the column in the snapshot instead of the rank.
_Located = tuple[int, CellKernel | None, str, Any]


class TargetKernel:
    """Compares snapshots with the rows of one target.

    A pair of rows costs the mean of ``-ln(similarity)`` over the target's columns. The similarity of a
    snapshot is ``exp(-mean cost)`` under the best bijection of rows: the geometric mean over rows of geometric
    means over columns.
    """

    def __init__(self, target: Rows, measures: Measures) -> None:
        """Keeps the target; its values are prepared on first use."""
        self.columns = tuple(target.columns)
        self.rows = tuple(target.rows)
        self.measures = measures
        self._comparisons: list[list[_Comparison]] | None = None
        self._located: tuple[Sequence[str], list[list[_Located]] | None] = ((), None)

    def __call__(self, snapshot: Rows) -> float:
        """Similarity of a snapshot."""
        return self.similarity(snapshot, snapshot.rows)

    def similarity(self, snapshot: Rows, rows: Sequence[Row]) -> float:
        """Similarity of some rows of a snapshot; ``rows`` differ from its own only for kernels of changes."""
        if len(rows) != len(self.rows):
            return 0.0
        wanted = self._locate(snapshot.columns)
        if wanted is None:
            return 0.0
        foreign = _ForeignMeasures(self.measures, snapshot, rows)
        if len(rows) == 1:
            cost = _row_cost(wanted[0], rows[0], 0, foreign)
            return 0.0 if cost != cost else math.exp(-cost)
        costs = [[_row_cost(target, row, number, foreign) for number, row in enumerate(rows)] for target in wanted]
        if any(math.isnan(cost) for row_costs in costs for cost in row_costs):
            return 0.0
        return math.exp(-minimal_assignment_cost(costs) / len(rows)) if rows else 1.0

    def with_cells(self, column: str, cells: Sequence[Any]) -> "TargetKernel":
        """The same target with other values in one column, one a row."""
        return self._with(column, [_compare(self.measures, column, cell) for cell in cells])

    def with_known(self, column: str, similarity: float) -> "TargetKernel":
        """The same target, where the similarity of one column is known."""
        return self._with(column, [(0, column, lambda cell: similarity, None)] * len(self.rows))

    def _with(self, column: str, comparisons: Sequence[_Comparison]) -> "TargetKernel":
        twin = TargetKernel(self, self.measures)
        twin._comparisons = [
            [new if old[1] == column else old for old in row]
            for row, new in zip(self._compared(), comparisons, strict=True)
        ]
        return twin

    def without(self, column: str) -> "TargetKernel | None":
        """What a snapshot must meet whatever the value in one column; ``None`` when that is nothing.

        Foreign measures are left out as well: what they say may depend on the whole frame.
        """
        twin = TargetKernel(self, self.measures)
        twin.columns = tuple(name for name in self.columns if name != column)
        twin._comparisons = [
            [part for part in comparisons if part[1] != column and part[2] is not None]
            for comparisons in self._compared()
        ]
        return twin if all(twin._comparisons) else None

    @property
    def frame(self) -> Any:
        """Targets are compared with, never handed to foreign measures."""
        raise NotImplementedError

    def _compared(self) -> list[list[_Comparison]]:
        if self._comparisons is None:
            self._comparisons = [
                sorted(
                    (_compare(self.measures, name, value) for name, value in zip(self.columns, row, strict=True)),
                    key=lambda comparison: comparison[0],
                )
                for row in self.rows
            ]
        return self._comparisons

    def _locate(self, columns: Sequence[str]) -> list[list[_Located]] | None:
        """The comparisons with the positions of their columns; ``None`` when a column is missing."""
        if self._located[0] is not columns:
            positions = {name: position for position, name in enumerate(columns)}
            located = None
            if all(name in positions for name in self.columns):
                located = [
                    [(positions[name], kernel, name, value) for _, name, kernel, value in row]
                    for row in self._compared()
                ]
            self._located = columns, located
        return self._located[1]


def _compare(measures: Measures, column: str, value: Any) -> _Comparison:
    rank, kernel = cell_kernel(measures[column], column, value)
    return rank, column, kernel, value


class _ForeignMeasures:
    """Similarities by measures that want a whole frame; computed once a column and value."""

    __slots__ = ("_known", "_measures", "_rows", "_snapshot")

    def __init__(self, measures: Measures, snapshot: Rows, rows: Sequence[Row]) -> None:
        self._measures = measures
        self._snapshot = snapshot
        self._rows = rows
        self._known: dict[tuple[str, int], list[float | None]] | None = None

    def similarity(self, column: str, value: Any, number: int) -> float | None:
        if self._known is None:
            self._known = {}
        key = column, id(value)
        if key not in self._known:
            frame = self._snapshot.frame
            if self._rows is not self._snapshot.rows:
                frame = type(frame)(self._rows, schema=frame.schema, orient="row")
            result = self._measures[column](dataframe=frame, column_name=column, value=value)
            self._known[key] = result.get_column(SIMILARITY).to_list()
        return self._known[key][number]


def _row_cost(wanted: list[_Located], row: Row, number: int, foreign: _ForeignMeasures) -> float:
    """Mean of ``-ln(similarity)`` over the columns whose similarity is not null; NaN when all are."""
    total, count = 0.0, len(wanted)
    for position, kernel, column, value in wanted:
        similarity = kernel(row[position]) if kernel else foreign.similarity(column, value, number)
        if similarity is None:
            count -= 1
        elif similarity <= 0.0:
            return math.inf
        elif similarity != 1.0:
            total -= math.log(similarity)
    return total / count if count else math.nan


# Changes between two snapshots ---------------------------------------------------------------


def addition(reference: Rows, target: TargetKernel) -> SnapshotKernel:
    """Nothing of the reference is gone, and what came in resembles the target."""
    columns = reference.columns
    before = Counter(row_keys(reference.rows))
    size = len(reference.rows) + len(target.rows)

    def kernel(snapshot: Rows) -> float:
        if len(snapshot.rows) != size:
            return 0.0
        added = added_rows(aligned(snapshot, columns), before)
        return 0.0 if added is None else target.similarity(_Aligned(snapshot, columns), added)

    return kernel


def removal(reference: Rows, target: TargetKernel) -> SnapshotKernel:
    """Nothing came in, and what is gone from the reference resembles the target."""
    size = len(reference.rows) - len(target.rows)

    def kernel(snapshot: Rows) -> float:
        if len(snapshot.rows) != size:
            return 0.0
        gone = added_rows(aligned(reference, snapshot.columns), Counter(row_keys(snapshot.rows)))
        return 0.0 if gone is None else target.similarity(_Aligned(reference, snapshot.columns), gone)

    return kernel


def update(reference: Rows, target: TargetKernel) -> SnapshotKernel:
    """The same rows, some of them changed, and the changed ones resemble the target.

    Rows are paired by their key column; without usable keys a changed row is one that the reference lacks.
    """
    columns = reference.columns
    before = Counter(row_keys(reference.rows))
    keyed = by_key(reference.rows, columns)

    def kernel(snapshot: Rows) -> float:
        rows = aligned(snapshot, columns)
        if len(rows) != len(reference.rows):
            return 0.0
        now = by_key(rows, columns) if keyed is not None else None
        if keyed is None or now is None:
            changed = [row for row in rows if row_key(row) not in before]
        elif now.keys() != keyed.keys():
            return 0.0
        else:
            changed = [row for key, row in now.items() if row_key(row) != row_key(keyed[key])]
        return target.similarity(_Aligned(snapshot, columns), changed)

    return kernel


class _Aligned:
    """A snapshot whose columns are read in another order."""

    def __init__(self, snapshot: Rows, columns: Sequence[str]) -> None:
        self._snapshot = snapshot
        self.columns = columns

    @property
    def rows(self) -> Sequence[Row]:
        return aligned(self._snapshot, self.columns)

    @property
    def frame(self) -> Any:
        return self._snapshot.frame.select(self.columns)
