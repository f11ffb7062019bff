"""Constraints, prepared for scoring: which kernel a snapshot similarity runs as."""

import functools
from collections.abc import Callable
from typing import Any

import attrs

from tool_sandbox.scoring._rows import row_keys
from tool_sandbox.scoring.milestones import SnapshotConstraint
from tool_sandbox.scoring.published import _kernels
from tool_sandbox.scoring.published._frames import FrameRows, Rows
from tool_sandbox.scoring.published._gaps import Extractor, TraceGap
from tool_sandbox.scoring.published._kernels import SnapshotKernel, TargetKernel
from tool_sandbox.scoring.published.snapshots import (
    addition_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    trace_gap,
    update_similarity,
)
from tool_sandbox.world.table import Table

_CHANGES: tuple[tuple[Any, Callable[[Rows, TargetKernel], SnapshotKernel]], ...] = (
    (addition_similarity, _kernels.addition),
    (removal_similarity, _kernels.removal),
    (update_similarity, _kernels.update),
)

_ReferenceKernel = Callable[[Table | None], SnapshotKernel | None]


@attrs.frozen(eq=False)
class Scorer:
    """One constraint, prepared.

    Attributes:
        constraint: The constraint.
        reference: Milestone that the similarity depends on, -1 for the initial state; ``None`` when it depends
            on the current snapshot alone.
        against: Given the reference snapshot (``None`` without one), the similarity as a function of the
            current snapshot; ``None`` when it is 0 for every snapshot.
        rank: How expensive it is (an ordinal).
        gap: The same for many snapshots at once, where traces of the reference fill a gap in the target.
    """

    constraint: SnapshotConstraint
    reference: int | None
    against: _ReferenceKernel
    rank: int
    gap: TraceGap | None = None

    @property
    def namespace(self) -> str:
        """Database that is looked at."""
        return self.constraint.database_namespace

    @property
    def reads_trajectory(self) -> bool:
        """Whether the constraint is called with context and message index."""
        return reads_trajectory(self.constraint.snapshot_constraint)


def reads_trajectory(function: Any) -> bool:
    """Whether a snapshot similarity wants the trajectory instead of frames."""
    inner = function.func if isinstance(function, functools.partial) else function
    return bool(getattr(inner, "reads_trajectory", False))


def prepare(constraint: SnapshotConstraint) -> Scorer:
    """Chooses how a constraint is computed."""
    function, reference = constraint.snapshot_constraint, constraint.reference_milestone_node_index
    if reads_trajectory(function):
        return Scorer(constraint, None, lambda _: None, rank=3)
    if function is guardrail_similarity:
        return Scorer(constraint, reference, _unchanged, rank=0)
    if constraint.target_dataframe is not None:
        target = TargetKernel(FrameRows(constraint.target_dataframe), constraint.column_similarity_measure or {})
        if function is snapshot_similarity:
            return Scorer(constraint, None, lambda _: target, rank=0)
        for change, kernel in _CHANGES:
            if function is change:
                return Scorer(constraint, reference, functools.partial(_change, kernel, target), rank=1)
        if (gap := _own_trace_gap(function)) is not None:
            filled = TraceGap(target, *gap)
            return Scorer(constraint, reference, functools.partial(_trace, filled), 2, filled)
    return Scorer(constraint, reference, functools.partial(_foreign, constraint), rank=3)


def _own_trace_gap(function: Any) -> tuple[str, Extractor] | None:
    """The gap of a partial of `tool_trace_dependant_similarity` that binds nothing else."""
    if not isinstance(function, functools.partial) or function.func is not tool_trace_dependant_similarity:
        return None
    if function.args or function.keywords.keys() != {"fill_to", "extractor"}:
        return None
    return trace_gap(function.keywords)


def _unchanged(reference: Table | None) -> SnapshotKernel:
    if reference is None:
        raise AssertionError("guardrail_similarity needs reference_snapshot")
    before = row_keys(reference.rows)
    return lambda snapshot: float(snapshot is reference or row_keys(snapshot.rows) == before)


def _change(
    kernel: Callable[[Rows, TargetKernel], SnapshotKernel], target: TargetKernel, reference: Table | None
) -> SnapshotKernel:
    if reference is None:
        raise AssertionError("a change needs reference_snapshot")
    return kernel(reference, target)


def _trace(gap: TraceGap, reference: Table | None) -> SnapshotKernel:
    if reference is None:
        raise AssertionError("tool_trace_dependant_similarity needs reference_snapshot")
    return gap.kernel(gap.fillings_by(reference))


def _foreign(constraint: SnapshotConstraint, reference: Table | None) -> SnapshotKernel:
    def kernel(snapshot: Rows) -> float:
        # Clones, because a foreign function may edit a frame in place.
        return float(
            constraint.snapshot_constraint(
                snapshot=snapshot.frame.clone(),
                target_dataframe=constraint.target_dataframe,
                column_similarities=constraint.column_similarity_measure,
                reference_snapshot=None if reference is None else reference.frame.clone(),
            )
        )

    return kernel
