"""Targets with a gap, which values from the tool traces of another message fill.

A gap can be filled in several ways, and the best one counts. The evaluator needs the scores of every message
against every other one as reference, so these are computed together: references that yield the same values are
one, and what a message has in common with most filled texts is found once for all of them.
"""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from tool_sandbox.scoring.published._cells import CellKernel, bound_tolerances
from tool_sandbox.scoring.published._frames import Rows
from tool_sandbox.scoring.published._kernels import SnapshotKernel, TargetKernel
from tool_sandbox.scoring.published._text_sets import TextSets
from tool_sandbox.scoring.published._traces import parse_golden
from tool_sandbox.scoring.published.columns import cell_kernel, column_rouge_l_similarity

Extractor = Callable[[dict[str, Any]], list[dict[str, Any]]]

Fillings = tuple[tuple[str, ...], ...]
"""Ways to fill a gap: for each the cells of the filled column, one a row of the target. Empty: it scores 0."""


class TraceGap:
    """A target with a gap in one column."""

    def __init__(self, target: TargetKernel, fill_to: str, extractor: Extractor) -> None:
        """Keeps the target."""
        self._target = target
        self._column = fill_to
        self._extractor = extractor

    def fillings(self, trace_texts: Sequence[str] | None) -> Fillings:
        """The distinct ways to fill the gap."""
        values = [self._fill(found) for found in self._extracted(trace_texts)]
        return tuple(dict.fromkeys(cells for cells in values if cells is not None))

    def fillings_by(self, reference: Rows) -> Fillings:
        """The distinct ways to fill the gap from a snapshot; none unless it is exactly one message."""
        if len(reference.rows) != 1:
            return ()
        return self.fillings(reference.rows[0][reference.columns.index("tool_trace")])

    def kernel(self, fillings: Fillings) -> SnapshotKernel:
        """The best similarity over some ways to fill the gap."""
        filled = [self._target.with_cells(self._column, cells) for cells in fillings]
        return lambda snapshot: max((kernel(snapshot) for kernel in filled), default=0.0)

    def scores(self, fillings: Sequence[Fillings], snapshots: Sequence[Rows]) -> list[list[float]]:
        """Scores of some messages against some references."""
        given = [ways for ways in fillings if ways]
        best = self._best_cells(given) if given else None
        if best is None:
            kernels = [self.kernel(ways) for ways in fillings]
            return [[kernel(snapshot) for snapshot in snapshots] for kernel in kernels]
        necessary = self._target.without(self._column)
        known_cell: dict[float, TargetKernel] = {0.0: self._target.with_known(self._column, 0.0)}
        columns = []
        for snapshot in snapshots:
            cells = [0.0] * len(given)
            if self._column in snapshot.columns and (necessary is None or necessary(snapshot) > 0):
                cells = best(snapshot.rows[0][snapshot.columns.index(self._column)])
            for similarity in set(cells) - known_cell.keys():
                known_cell[similarity] = self._target.with_known(self._column, similarity)
            score_of = {similarity: known_cell[similarity](snapshot) for similarity in set(cells)}
            columns.append([score_of[similarity] for similarity in cells])
        row_of = {ways: [column[number] for column in columns] for number, ways in enumerate(given)}
        return [row_of.get(ways) or [0.0] * len(snapshots) for ways in fillings]

    def _best_cells(self, fillings: Sequence[Fillings]) -> Callable[[Any], list[float]] | None:
        """How a cell resembles the best filling of each reference."""
        measure = self._target.measures[self._column]
        if len(self._target.rows) != 1 or cell_kernel(measure, self._column, fillings[0][0][0])[1] is None:
            return None
        cells = [[cell for (cell,) in ways] for ways in fillings]
        if (bound := bound_tolerances(measure)) is not None and bound[0] is column_rouge_l_similarity:
            return TextSets(cells)
        kernels = [[cell_kernel(measure, self._column, cell)[1] for cell in alternatives] for alternatives in cells]
        return functools.cache(lambda cell: [_highest(cell, alternatives) for alternatives in kernels])

    def _extracted(self, trace_texts: Sequence[str] | None) -> list[dict[str, Any]]:
        values: list[dict[str, Any]] = []
        for text in trace_texts or ():
            try:
                values.extend(self._extractor(json.loads(text)))
            except (KeyError, IndexError, TypeError, ValueError):
                continue
        return values

    def _fill(self, values: dict[str, Any]) -> tuple[str, ...] | None:
        """The cells of the filled column, one a row of the target; ``None`` when the values do not fit the gap."""
        target = self._target
        if self._column not in target.columns:
            return None
        position = target.columns.index(self._column)
        fill = _filled_text if self._column == "content" else _filled_traces
        try:
            return tuple(fill(row[position], values) for row in target.rows)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            return None


def _highest(cell: Any, kernels: Sequence[CellKernel | None]) -> float:
    highest = 0.0
    for kernel in kernels:
        highest = max(highest, kernel(cell) if kernel else 0.0)
        if highest == 1.0:
            break
    return highest


def _filled_text(template: str, values: dict[str, Any]) -> str:
    return template.format(**values)


def _filled_traces(golden_text: str, values: dict[str, Any]) -> str:
    """Golden alternatives with the values as arguments: once overriding the golden ones, once overridden."""
    alternatives = []
    for golden in parse_golden(golden_text):
        alternatives.append(golden | {"arguments": golden["arguments"] | values})
        alternatives.append(golden | {"arguments": values | golden["arguments"]})
    return json.dumps(alternatives)
