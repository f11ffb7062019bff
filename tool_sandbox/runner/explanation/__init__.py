"""Why milestones that are not fully met are not: what is missing, and where the conversation came closest.

Never part of a score. Worked out when a conversation is played, because only then the checks themselves are at hand; a
conversation that met everything costs nothing.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.runner.explanation.shortfalls import shortfall
from tool_sandbox.scoring import CachedSimilarityCalculator, Evaluation, EvaluationResult, Milestone

Explanations = dict[str, dict[str, Any]]


def explain(evaluation: Evaluation, context: ExecutionContext, score: EvaluationResult) -> Explanations:
    """Explains the milestones that are not fully met."""
    matcher = evaluation.milestone_matcher
    found = {}
    for number, (index, similarity) in score.milestone_mapping.items():
        if similarity < 1:
            try:
                entry = _Case(evaluation, context, score, number).explain(index, similarity)
            except Exception:
                # The conversation is played and scored; a remark on it is not worth losing it.
                logging.getLogger(__name__).exception("milestone %s could not be explained", number)
                continue
            assert len(entry["checks"]) == len(matcher.milestones[number].snapshot_constraints)  # noqa: S101
            found[str(number)] = entry
    return {"milestones": found}


@attrs.define
class _Case:
    """One milestone that is not fully met."""

    evaluation: Evaluation
    context: ExecutionContext
    score: EvaluationResult
    number: int

    @property
    def milestone(self) -> Milestone:
        return self.evaluation.milestone_matcher.milestones[self.number]

    def explain(self, index: int, similarity: float) -> dict[str, Any]:
        table = self._similarities()
        closest = index if similarity else self._closest(table)
        checks = [
            self._check(constraint, row, closest)
            for constraint, row in zip(self.milestone.snapshot_constraints, table, strict=True)
        ]
        is_met = all(check["similarity"] for check in checks)
        return {"why": None if similarity else self._hindrance(table, closest, is_met=is_met), "checks": checks}

    def _similarities(self) -> list[dict[int, float]]:
        """For each check its similarity at every message."""
        first, last = self.context.first_user_sandbox_message_index, self.context.max_sandbox_message_index
        table = []
        for constraint in self.milestone.snapshot_constraints:
            lone = attrs.evolve(
                self.milestone, snapshot_constraints=[constraint], guardrail_database_exclusion_list=None
            )
            assert isinstance(lone, Milestone)  # noqa: S101
            calculator = CachedSimilarityCalculator(self.context, lone)
            table.append(
                {
                    index: calculator.calculate_similarity(index, self.score.milestone_mapping)
                    for index in range(first, last + 1)
                }
            )
        return table

    def _closest(self, table: Sequence[Mapping[int, float]]) -> int:
        """Message at which most checks hold, of equals the newest."""
        first = self.context.first_user_sandbox_message_index
        return max(
            range(first, self.context.max_sandbox_message_index + 1),
            key=lambda index: (sum(row[index] > 0 for row in table), sum(row[index] for row in table), index),
        )

    def _check(self, constraint: Any, row: Mapping[int, float], closest: int) -> dict[str, Any]:
        similarity = row[closest]
        if similarity == 1:
            return {"similarity": 1.0, "why": None, "message_index": closest}
        if similarity == 0 and max(row.values()) > 0:
            elsewhere = max(row, key=lambda index: (row[index], -abs(index - closest)))
            why = f"so at message {elsewhere}, but not at message {closest}"
            return {"similarity": 0.0, "why": why, "message_index": closest}
        reference = constraint.reference_milestone_node_index
        anchor = None
        if reference is not None:
            first = self.context.first_user_sandbox_message_index
            anchor = first if reference < 0 else self.score.milestone_mapping[reference][0]
        found = shortfall(constraint, self.context, closest, anchor)
        return {"similarity": similarity, "why": found.why, "message_index": found.message_index}

    def _hindrance(self, table: Sequence[Mapping[int, float]], closest: int, *, is_met: bool) -> str | None:
        """What the milestones before it, or guardrails, have to do with it."""
        matcher, mapping = self.evaluation.milestone_matcher, self.score.milestone_mapping
        for parent in matcher.graph.parents[self.number]:
            if matcher.milestones[parent].weight == 0 and mapping[parent][1] < 1:
                return f"counts only after milestone {parent}, which is not fully met"
        if not is_met:
            return None
        late = [parent for parent in matcher.graph.parents[self.number] if mapping[parent][0] > closest]
        if late:
            return f"met at message {closest}, before milestone {late[0]}, which has to come first"
        return f"met at message {closest}, but a guarded table changed before"
