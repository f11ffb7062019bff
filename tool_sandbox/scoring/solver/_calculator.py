"""The similarity of one milestone, where it is asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.scoring.milestones import INITIAL_STATE, Milestone
from tool_sandbox.scoring.solver._scorers import Scorer, prepare


class CachedSimilarityCalculator:
    """Similarity of one milestone at any message index, given where its references are.

    Attributes:
        execution_context: The conversation.
        milestone: The milestone, scored with exactly the constraints it has.
    """

    def __init__(self, execution_context: ExecutionContext, milestone: Milestone) -> None:
        """Prepares the constraints."""
        self.execution_context = execution_context
        self.milestone = milestone
        self._trajectory = Trajectory(execution_context)
        self._scorers = [prepare(constraint) for constraint in milestone.snapshot_constraints]
        self._known: dict[tuple[int, int, int | None], float] = {}

    def calculate_similarity(self, current_snapshot_index: int, milestone_snapshot_mapping: Mapping[int, Any]) -> float:
        """Geometric mean of the scoring constraints, 0 if a guardrail fails."""
        product, scoring = 1.0, 0
        for number, scorer in enumerate(self._scorers):
            reference_index = self._reference_index(scorer, milestone_snapshot_mapping)
            key = number, current_snapshot_index, reference_index
            if key not in self._known:
                self._known[key] = self._score(scorer, current_snapshot_index, reference_index)
            product *= self._known[key]
            scoring += not scorer.constraint.is_guardrail
        return product ** (1 / scoring) if scoring else product

    def _reference_index(self, scorer: Scorer, mapping: Mapping[int, Any]) -> int | None:
        reference = scorer.constraint.reference_milestone_node_index
        if reference is None:
            return None
        if reference == INITIAL_STATE:
            return self._trajectory.first
        found = mapping[reference]
        return int(found[0] if isinstance(found, Sequence) else found)

    def _score(self, scorer: Scorer, index: int, reference_index: int | None) -> float:
        if scorer.reads_trajectory:
            function = scorer.constraint.snapshot_constraint
            return float(function(context=self.execution_context, index=index))
        table = self._trajectory.table
        reference = None if reference_index is None else table(scorer.namespace, reference_index)
        kernel = scorer.against(reference)
        return 0.0 if kernel is None else kernel(table(scorer.namespace, index))
