"""Scoring: how well a trajectory meets the milestones of a scenario, and keeps clear of its minefields."""

from tool_sandbox.scoring.columns import (
    ColumnSimilarityMeasureType,
    column_close_similarity,
    column_contains_similarity,
    column_exact_match_similarity,
    column_one_similarity,
    column_rouge_l_similarity,
    column_tool_trace_exact_match_similarity,
)
from tool_sandbox.scoring.matching import CachedSimilarityCalculator, MilestoneMatcher
from tool_sandbox.scoring.milestones import (
    Milestone,
    Minefield,
    SnapshotConstraint,
    _default_dbs_column_similarities,
)
from tool_sandbox.scoring.result import Evaluation, EvaluationResult, get_effective_turn_count
from tool_sandbox.scoring.side_effects import Added, AllowedChange, Removed, SideEffect, Updated
from tool_sandbox.scoring.snapshots import (
    SnapshotSimilarityMeasureType,
    addition_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    update_similarity,
)

__all__ = [
    "Added",
    "AllowedChange",
    "CachedSimilarityCalculator",
    "ColumnSimilarityMeasureType",
    "Evaluation",
    "EvaluationResult",
    "Milestone",
    "MilestoneMatcher",
    "Minefield",
    "Removed",
    "SideEffect",
    "SnapshotConstraint",
    "SnapshotSimilarityMeasureType",
    "Updated",
    "_default_dbs_column_similarities",
    "addition_similarity",
    "column_close_similarity",
    "column_contains_similarity",
    "column_exact_match_similarity",
    "column_one_similarity",
    "column_rouge_l_similarity",
    "column_tool_trace_exact_match_similarity",
    "get_effective_turn_count",
    "guardrail_similarity",
    "removal_similarity",
    "snapshot_similarity",
    "tool_trace_dependant_similarity",
    "update_similarity",
]
