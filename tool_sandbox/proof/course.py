"""Plays variations of a reference solution from where they leave it, instead of from the beginning."""

import itertools

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.lapses import MistakenAgent
from tool_sandbox.proof.play import Playback, Reference, calls_of, converse, play, record
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import ForgetfulAgent, MeddlingAgent
from tool_sandbox.scoring import EvaluationResult
from tool_sandbox.world.errors import ConversationStoppedError


class _Halting(Playback):
    """Plays its steps and then leaves the conversation where it is."""

    def finish(self) -> None:
        """Leaves."""
        raise ConversationStoppedError("this is how far the course is wanted")


@attrs.define
class Course:
    """Plays variations of the reference solution of a scenario, what they have in common once.

    Attributes:
        scenario: The scenario.
        reference: Its reference solution.
    """

    scenario: Scenario
    reference: Reference
    _begun: dict[int, Scenario] = attrs.field(factory=dict)

    @classmethod
    def of(cls, scenario: Scenario) -> "Course":
        """The course of a scenario, whose reference solution is played for it."""
        return cls(scenario, record(scenario))

    @property
    def sent(self) -> list[int]:
        """How many messages the agent has sent before each step of the reference."""
        return [0, *itertools.accumulate(len(calls_of(step)) or 1 for step in self.reference.steps)][:-1]

    def play(self, agent: BaseRole) -> tuple[ExecutionContext, EvaluationResult]:
        """Plays an agent to the end and scores it."""
        return play(self._after(self._shared(agent)), agent)

    def converse(self, agent: BaseRole) -> ExecutionContext:
        """Plays an agent to the end."""
        return converse(self._after(self._shared(agent)), agent)

    def _shared(self, agent: BaseRole) -> int:
        """How many steps are those of the reference."""
        if isinstance(agent, Playback):
            pairs = zip(agent.steps, self.reference.steps, strict=False)
            return next((number for number, (one, other) in enumerate(pairs) if one != other), 0)
        if self.reference.plan != self.reference.steps:
            return 0  # A call was made again: steps of the solution are counted otherwise.
        if isinstance(agent, MeddlingAgent):
            return self.sent.index(agent.position)
        return agent.position if isinstance(agent, (ForgetfulAgent, MistakenAgent)) else 0

    def _after(self, shared: int) -> Scenario:
        """The scenario with the first steps of the reference behind it."""
        if not shared:
            return self.scenario
        if shared not in self._begun:
            nearest = self._after(max((each for each in self._begun if each < shared), default=0))
            context = converse(nearest, _Halting(self.reference.steps[:shared]))
            self._begun[shared] = attrs.evolve(self.scenario, starting_context=context)
        return self._begun[shared]
