"""Snapshot similarities: how much one snapshot of a database meets a constraint.

Each function takes frames and returns a number from 0 to 1. The evaluator runs the same kernels on rows,
without frames, for these functions and for partials of `tool_trace_dependant_similarity`; any other function
of this shape is called with frames.

Corrections of the published behaviour that cannot move a published score, and therefore always apply: a null
cell is not similar to a value; null differs from ``""``, 0 and False; duplicate rows count as often as they
occur; an update pairs rows by their key column; an empty snapshot meets an empty target; one value that does
not fit a gap does not discard the others.
"""

from collections.abc import Callable
from typing import Any, Protocol

import polars as pl

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.scoring._rows import row_keys
from tool_sandbox.scoring.published import _kernels
from tool_sandbox.scoring.published._frames import FrameRows
from tool_sandbox.scoring.published._gaps import Extractor, TraceGap
from tool_sandbox.scoring.published._kernels import TargetKernel
from tool_sandbox.world.table import INDEX_COLUMN

ColumnSimilarities = dict[str, Callable[..., Any]]

FILLABLE_COLUMNS = ("tool_trace", "content")
"""Columns of a target that values from another message can be written into."""


class SnapshotSimilarityMeasureType(Protocol):
    """Shape of a snapshot similarity."""

    def __call__(
        self,
        snapshot: pl.DataFrame,
        target_dataframe: pl.DataFrame | None = None,
        column_similarities: ColumnSimilarities | None = None,
        reference_snapshot: pl.DataFrame | None = None,
        **kwargs: Any,
    ) -> float:
        """Compares a snapshot with a target, a reference, or both."""
        ...


# Assertions by contract: outside code expects this class of error.
def _need(function: str, **arguments: Any) -> None:
    if missing := [name for name, value in arguments.items() if value is None]:
        raise AssertionError(f"{function} needs {', '.join(missing)}")


def _target(target_dataframe: pl.DataFrame | None, column_similarities: ColumnSimilarities | None) -> TargetKernel:
    if target_dataframe is None or column_similarities is None:
        raise AssertionError("target_dataframe and column_similarities are needed")
    return TargetKernel(FrameRows(target_dataframe), column_similarities)


def snapshot_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """Geometric mean of cell similarities under the best pairing of rows."""
    return _target(target_dataframe, column_similarities)(FrameRows(snapshot))


def _change_similarity(
    kernel: Callable[..., _kernels.SnapshotKernel],
    name: str,
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None,
    column_similarities: ColumnSimilarities | None,
    reference_snapshot: pl.DataFrame | None,
) -> float:
    _need(
        name,
        target_dataframe=target_dataframe,
        column_similarities=column_similarities,
        reference_snapshot=reference_snapshot,
    )
    if reference_snapshot is None:
        return 0.0
    target = _target(target_dataframe, column_similarities)
    return kernel(FrameRows.without_index(reference_snapshot), target)(FrameRows.without_index(snapshot))


def addition_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """Similarity of the rows that came in with the target, 0 if a row of the reference is gone."""
    return _change_similarity(
        _kernels.addition,
        "addition_similarity",
        snapshot,
        target_dataframe,
        column_similarities,
        reference_snapshot,
    )


def removal_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """Similarity of the rows that are gone with the target, 0 if a row came in."""
    return _change_similarity(
        _kernels.removal,
        "removal_similarity",
        snapshot,
        target_dataframe,
        column_similarities,
        reference_snapshot,
    )


def update_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """Similarity of the changed rows, as they are now, with the target; 0 if a row came or went."""
    return _change_similarity(
        _kernels.update,
        "update_similarity",
        snapshot,
        target_dataframe,
        column_similarities,
        reference_snapshot,
    )


def guardrail_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """1 if nothing changed, row order included, else 0."""
    _need("guardrail_similarity", reference_snapshot=reference_snapshot)
    if reference_snapshot is None or snapshot.columns != reference_snapshot.columns:
        return 0.0
    return float(row_keys(FrameRows(snapshot).rows) == row_keys(FrameRows(reference_snapshot).rows))


def tool_trace_dependant_similarity(
    snapshot: pl.DataFrame,
    target_dataframe: pl.DataFrame | None = None,
    column_similarities: ColumnSimilarities | None = None,
    reference_snapshot: pl.DataFrame | None = None,
    **kwargs: Any,
) -> float:
    """Similarity of a message with a target that is completed from the tool traces of another message."""
    _need(
        "tool_trace_dependant_similarity",
        target_dataframe=target_dataframe,
        column_similarities=column_similarities,
        reference_snapshot=reference_snapshot,
    )
    if reference_snapshot is None:
        return 0.0
    _check_is_message("snapshot", snapshot)
    _check_is_message("reference_snapshot", reference_snapshot)
    fill_to, extractor = trace_gap(kwargs)
    target = _target(target_dataframe, column_similarities)
    traces = FrameRows(reference_snapshot.select("tool_trace")).rows[0][0]
    gap = TraceGap(target, fill_to, extractor)
    return gap.kernel(gap.fillings(traces))(FrameRows(snapshot))


def _check_is_message(name: str, frame: pl.DataFrame) -> None:
    wanted = {**ExecutionContext.dbs_schemas[DatabaseNamespace.SANDBOX]}
    if INDEX_COLUMN not in frame.columns:
        del wanted[INDEX_COLUMN]
    if dict(frame.schema) != wanted or len(frame) != 1:
        raise pl.exceptions.SchemaError(f"{name} must be exactly one row of {DatabaseNamespace.SANDBOX}")


def trace_gap(keywords: dict[str, Any]) -> tuple[str, Extractor]:
    """Reads and checks the keywords of `tool_trace_dependant_similarity`."""
    fill_to = keywords["fill_to"]
    if fill_to not in FILLABLE_COLUMNS:
        raise ValueError(f"fill_to must be one of {FILLABLE_COLUMNS}, got {fill_to!r}")
    return fill_to, keywords["extractor"]
