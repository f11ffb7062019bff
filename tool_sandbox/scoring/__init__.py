"""Scoring: how well a trajectory meets the milestones of a scenario, and keeps clear of its minefields.

Read `result`, `matching`, `milestones` and `side_effects`, in this order, to know how our own suite is scored: each of
its checks is called with the trajectory and a message index and says 1 or 0. Two folders may be left closed:
`published` (targets that tables, texts and tool traces resemble more or less) and `solver` (the best mapping, exactly,
also of milestones that refer to one another).
"""

from tool_sandbox.scoring.matching import MilestoneMatcher
from tool_sandbox.scoring.milestones import (
    Milestone,
    Minefield,
    SnapshotConstraint,
    _default_dbs_column_similarities,
)
from tool_sandbox.scoring.published.columns import (
    ColumnSimilarityMeasureType,
    column_close_similarity,
    column_contains_similarity,
    column_exact_match_similarity,
    column_one_similarity,
    column_rouge_l_similarity,
    column_tool_trace_exact_match_similarity,
)
from tool_sandbox.scoring.published.snapshots import (
    SnapshotSimilarityMeasureType,
    addition_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    update_similarity,
)
from tool_sandbox.scoring.result import Evaluation, EvaluationResult, get_effective_turn_count
from tool_sandbox.scoring.side_effects import Added, AllowedChange, Removed, SideEffect, Updated
from tool_sandbox.scoring.solver._calculator import CachedSimilarityCalculator

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
