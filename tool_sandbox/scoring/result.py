"""The score of a trajectory.

The published profile follows the published rules of scoring. The strict profile differs in these rules:

- Weights count, and a milestone of weight 0 gates: its direct successors score only once it is fully met.
- A milestone about world state is placed at the first message that meets it best after its predecessors, an
  unmet one where its predecessors are, so that guardrails between milestones see what happens there.
- Without `allowed_changes`, guardrails also hold from the initial state to the first milestones and from the
  last ones to the end, and rows may change their order. With `allowed_changes`, every state of the world is
  compared with the first instead, and any other change costs all points.
- A minefield takes the points only when all of it is met: a graded resemblance is not enough.
- With `check_statements`, a statement to the user that the world contradicts is no success, whatever else is right, and
  leaves at most `CONTRADICTION_CAP` of the points.
- What is unclear in an answer is neither stated nor held against the agent, unless somebody decided it. Where the score
  depends on that, it has an interval.

In either profile a minefield of several connected nodes is a sequence, and met when all of them are.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import polars as pl

from tool_sandbox.answers.facts._reading import Decisions, Doubt, Doubts
from tool_sandbox.answers.grounding import Finding, check_statements
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring._rules import MatchingRules
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.scoring.matching import Mapped, MilestoneMatcher
from tool_sandbox.scoring.side_effects import AllowedChange, SideEffect, find_side_effects
from tool_sandbox.scoring.solver._guardrails import check_scorable
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import SCHEMAS

_POSITIONS = SCHEMAS[DatabaseNamespace.SANDBOX].positions
_SENDER, _RECIPIENT, _VISIBLE_TO = _POSITIONS["sender"], _POSITIONS["recipient"], _POSITIONS["visible_to"]


CONTRADICTION_CAP = 0.5
"""Highest score of a conversation in which the user was told something that the world contradicts."""


@attrs.define
class EvaluationResult:
    """How well a trajectory did.

    Attributes:
        milestone_mapping: Milestone index to (message index, similarity), by milestone index.
        minefield_mapping: The same for minefield nodes, in the order of assignment.
        milestone_similarity: Mean similarity of the milestones, 1 if there are none.
        minefield_similarity: Mean similarity of the minefield nodes, 0 if there are none.
        similarity: The score: the milestone similarity, or 0 after a minefield or a side effect.
        turn_count: Turns as the published benchmark counts them, see `get_effective_turn_count`.
        profile: Rules that applied.
        side_effects: Changes of the world that the scenario does not allow.
        minefield_hit: Whether a whole minefield was met; ``None`` where any similarity above 0 counts.
        total_turn_count: Turns with the messages of no declared visibility, the opening of a scenario among them.
        unsupported: Parts of statements to the user that nothing shown supports, those that the world contradicts among
            them; ``None`` where statements are not checked.
        unclear: Unclear readings that the score hangs on, and those that were decided; ``None`` under the published
            rules.
        score_interval: Lowest and highest score by what is unclear and not decided, ``None`` where nothing hangs on it.
        success: Whether the similarity is exactly 1.
    """

    milestone_mapping: Mapped = attrs.field(factory=OrderedDict)
    minefield_mapping: Mapped = attrs.field(factory=OrderedDict)
    milestone_similarity: float = 0
    minefield_similarity: float = 0
    similarity: float = attrs.field(init=False)
    turn_count: int = 0
    profile: Profile = Profile.PUBLISHED
    side_effects: list[SideEffect] = attrs.field(factory=list)
    minefield_hit: bool | None = None
    total_turn_count: int = 0
    unsupported: list[Finding] | None = None
    unclear: list[Doubt] | None = None
    score_interval: tuple[float, float] | None = None
    success: bool = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Combines the parts."""
        hit = self.minefield_similarity != 0 if self.minefield_hit is None else self.minefield_hit
        self.similarity = 0 if hit or self.side_effects else self.milestone_similarity
        if any(finding.is_contradicted for finding in self.unsupported or ()):
            self.similarity = min(self.similarity, CONTRADICTION_CAP)
        self.success = self.similarity == 1


@attrs.define(eq=False)
class Evaluation:
    """How trajectories of a scenario are scored.

    Attributes:
        milestone_matcher: What should happen.
        minefield_matcher: What must not happen.
        profile: Rules, see the module.
        allowed_changes: Changes of the world that the strict profile permits, ``None`` to rely on guardrails.
        minefield_threshold: Similarity from which a node of a minefield is met, where all of it has to be.
        check_statements: Whether the strict profile holds what the agent tells its user against the world.
    """

    milestone_matcher: MilestoneMatcher = attrs.field(factory=MilestoneMatcher)
    minefield_matcher: MilestoneMatcher = attrs.field(factory=MilestoneMatcher)
    profile: Profile = Profile.PUBLISHED
    allowed_changes: Sequence[AllowedChange] | None = None
    minefield_threshold: float = 1.0
    check_statements: bool = False

    def check(self) -> None:
        """Checks that every milestone and minefield can be scored; a scenario does so when it is built."""
        check_scorable(self.milestone_matcher.milestones)
        check_scorable(self.minefield_matcher.milestones)

    def evaluate(
        self, execution_context: ExecutionContext, max_turn_count: int, decisions: Decisions | None = None
    ) -> EvaluationResult:
        """Scores a trajectory; a function of the trajectory and of what was decided alone."""
        if self.profile is not Profile.STRICT:
            return self._scored(execution_context)
        doubts = Doubts(decisions or {})
        findings = self._findings(execution_context, doubts) if self.check_statements else None
        with doubts.taken_for(stated=False):
            result = self._scored(execution_context, findings)
        result.unclear = []
        if not doubts.found:
            return result
        with doubts.taken_for(stated=True):
            ends = {result.similarity, self._scored(execution_context, findings).similarity}
        if any(finding.is_open for finding in findings or ()):
            ends |= {min(end, CONTRADICTION_CAP) for end in ends}
        if len(ends) > 1:
            result.score_interval = min(ends), max(ends)
        result.unclear = [
            doubts.found[place]
            for place in sorted(doubts.found)
            if result.score_interval or doubts.found[place].is_stated is not None
        ]
        return result

    def _scored(self, execution_context: ExecutionContext, findings: list[Finding] | None = None) -> EvaluationResult:
        strict = self.profile is Profile.STRICT
        guarded = self.allowed_changes is None
        rules = MatchingRules(guarded, guarded, any_row_order=True, anchored=True, weighted=True)
        milestone_mapping, milestone_similarity = self.milestone_matcher.compute_mapping_and_similarity(
            execution_context, rules if strict else MatchingRules()
        )
        minefield_mapping, minefield_similarity = self.minefield_matcher.compute_mapping_and_similarity(
            execution_context, MatchingRules(any_row_order=strict)
        )
        side_effects = []
        if strict and self.allowed_changes is not None:
            side_effects = find_side_effects(Trajectory(execution_context), self.allowed_changes)
        turns, silent_turns = _count_turns(
            (row[_SENDER], row[_RECIPIENT], row[_VISIBLE_TO])
            for _, table in execution_context.get_history(DatabaseNamespace.SANDBOX)
            for row in table.rows
        )
        return EvaluationResult(
            milestone_mapping=OrderedDict(sorted(milestone_mapping.items())),
            minefield_mapping=minefield_mapping,
            milestone_similarity=1 if milestone_similarity is None else milestone_similarity,
            minefield_similarity=0 if minefield_similarity is None else minefield_similarity,
            turn_count=turns,
            profile=self.profile,
            side_effects=side_effects,
            minefield_hit=self._is_hit(minefield_mapping) if strict or len(minefield_mapping) > 1 else None,
            total_turn_count=turns + silent_turns,
            unsupported=findings,
        )

    def _findings(self, context: ExecutionContext, doubts: Doubts) -> list[Finding]:
        """What nothing supports; a value that a milestone wants to be told needs no other support."""
        wanted = (
            fact
            for milestone in self.milestone_matcher.milestones
            for constraint in milestone.snapshot_constraints
            for fact in getattr(constraint.snapshot_constraint, "facts", ())
        )
        return [
            _decided(finding, doubts) if finding.is_open else finding for finding in check_statements(context, wanted)
        ]

    def _is_hit(self, mapping: Mapped) -> bool:
        """Whether all nodes of any connected part of the minefields are met."""
        if not mapping:
            return False
        return any(
            all(mapping[node][1] >= self.minefield_threshold for node in nodes)
            for nodes in self.minefield_matcher.graph.components()
        )


def _decided(finding: Finding, doubts: Doubts) -> Finding:
    """An open finding as somebody decided it: consistent with the world after all, or contradicted by it."""
    is_consistent = doubts.note(finding.message, finding.fact, finding.sentence).is_stated
    if is_consistent is None:
        return finding
    return attrs.evolve(finding, is_open=False, world=None if is_consistent else finding.world)


def get_effective_turn_count(sandbox_database: pl.DataFrame) -> int:
    """Counts the turns of the conversation."""
    return _count_turns(sandbox_database.select("sender", "recipient", "visible_to").iter_rows())[0]


def _count_turns(messages: Iterable[tuple[Any, Any, Any]]) -> tuple[int, int]:
    """Counts turns with and without declared visibility, given (sender, recipient, visible to)."""
    declared = undeclared = 0
    between_user_and_environment = {RoleType.USER, RoleType.EXECUTION_ENVIRONMENT}
    for sender, recipient, visible_to in messages:
        if sender == RoleType.SYSTEM or {sender, recipient} == between_user_and_environment:
            continue
        if visible_to is None:
            undeclared += 1
        elif list(visible_to) != [RoleType.USER]:
            declared += 1
    return declared, undeclared
