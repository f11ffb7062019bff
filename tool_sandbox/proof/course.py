"""Plays variations of a reference solution from where they leave it, instead of from the beginning."""

from collections.abc import Sequence

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Playback, Reference, play
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.scoring import EvaluationResult
from tool_sandbox.world.errors import ConversationStoppedError
from tool_sandbox.world.script import Step


class _Halting(Playback):
    """Plays its steps and then leaves the conversation where it is."""

    def finish(self) -> None:
        """Leaves."""
        raise ConversationStoppedError("this is how far the course is wanted")


@attrs.define
class Course:
    """What a scenario scores for variations of its reference solution, the common beginning played once.

    Attributes:
        scenario: The scenario.
        reference: Its reference solution.
    """

    scenario: Scenario
    reference: Reference
    _begun: dict[int, Scenario] = attrs.field(factory=dict)

    def play(self, agent: BaseRole) -> tuple[ExecutionContext, EvaluationResult]:
        """Plays an agent to the end."""
        shared = self._shared(agent.steps) if isinstance(agent, Playback) else 0
        return play(self._after(shared) if shared else self.scenario, agent)

    def _shared(self, steps: Sequence[Step]) -> int:
        """How many steps are those of the reference."""
        pairs = zip(steps, self.reference.steps, strict=False)
        return next((number for number, (one, other) in enumerate(pairs) if one != other), 0)

    def _after(self, shared: int) -> Scenario:
        """The scenario with the first steps of the reference behind it."""
        if shared not in self._begun:
            context, _ = play(self.scenario, _Halting(self.reference.steps[:shared]))
            self._begun[shared] = attrs.evolve(self.scenario, starting_context=context)
        return self._begun[shared]
