"""The agent that plays a reference solution and lapses once."""

from collections.abc import Sequence
from typing import Any

from tool_sandbox.answers.facts import AnswerSimilarity
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference, calls_of
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios.checks import Asked, Told
from tool_sandbox.world.script import Say, Step


def checks(scenario: Scenario) -> list[Any]:
    """What each milestone measures."""
    milestones = scenario.evaluation.milestone_matcher.milestones
    return [milestone.snapshot_constraints[0].snapshot_constraint for milestone in milestones]


class MistakenAgent(OracleAgent):
    """Makes one other call than the solution asks for, or none, and goes on with what comes back."""

    is_fallible = True

    def __init__(self, position: int, other: Step | None) -> None:
        """An agent that does ``other`` at ``position``, counted from 0; ``None`` leaves the step out."""
        super().__init__()
        self.position = position
        self.other = other
        self.taken: dict[int, Step] = {}

    def alter(self, step: Step, number: int) -> Step | None:
        """Exchanges the one step, and notes all."""
        self.taken[number] = step
        return self.other if number == self.position else step

    def leads_elsewhere(self, scenario: Scenario, reference: Reference) -> bool:
        """Whether, once played, it wrote something else than the reference solution, or said so where words count."""
        talks = any(isinstance(check, (AnswerSimilarity, Asked, Told)) for check in checks(scenario))
        taken = [self.taken[number] for number in sorted(self.taken)]
        writing = reference.writing_tools
        return _outcomes(taken, writing, talks=talks) != _outcomes(reference.steps, writing, talks=talks)


def _outcomes(steps: Sequence[Step], writing: tuple[str, ...], *, talks: bool) -> list[Step]:
    return [
        step
        for step in steps
        if (isinstance(step, Say) and talks) or any(call.tool.startswith(writing) for call in calls_of(step))
    ]
