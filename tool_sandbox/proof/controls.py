"""Agents that should earn nothing, or next to nothing, and what each may earn at most."""

from collections.abc import Callable, Iterator

import attrs

from tool_sandbox.answers.facts import AnswerSimilarity, Done
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import (
    FirstMatchAgent,
    FirstPageAgent,
    MumblingAgent,
    NeverLookingAgent,
    QuittingAgent,
    ReadOnlyAgent,
    RecitingAgent,
    RequestBlindAgent,
    WordlessAgent,
)
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.world.script import Say

SILENT = "silent"
REFUSING = "refusing"
REQUEST_BLIND = "request-blind"
READ_ONLY = "read-only"
CLAIMS_ONLY = "claims-only"
EMPTY_ANSWER = "empty-answer"
WORDLESS = "wordless"

CONTROLS = {
    SILENT: "says nothing",
    REFUSING: "refuses, agrees or claims success in one of several wordings, without a call",
    REQUEST_BLIND: "switches everything on and calls every reading tool once, whatever the request, then refuses",
    READ_ONLY: "makes the right calls except those that change something, and gives the right answer",
    CLAIMS_ONLY: "gives the right answer without a single call",
    EMPTY_ANSWER: 'makes the right calls and answers "Okay." where something has to be told',
    WORDLESS: "makes the right calls and says nothing",
}
"""Name of each control to what it does."""

FIRST_MATCH = "first match"
FIRST_PAGE = "first page"
QUITTING = "gives up"
NEVER_LOOKS = "never looks"

WEAK = {
    FIRST_MATCH: "takes the first row of every list",
    FIRST_PAGE: "stops at the first page of every list",
    QUITTING: "gives up at the first error",
    NEVER_LOOKS: "makes the writing calls of the solution without having looked",
}
"""Name of each agent that a weak model may resemble to what it does; else all of them play the reference solution."""

WORDINGS = (
    "Okay.",
    "Done! Everything is all set.",
    "Yes, it is on. No problem at all.",
    "I am very sorry, but unfortunately I cannot help you with that request, because I do not have the tools or the "
    "information that are needed for it.",
)
"""Texts that fit any request and say nothing about it."""


@attrs.frozen
class Control:
    """One agent that should fail.

    Attributes:
        name: Key of `CONTROLS`.
        label: The name, with what tells two agents of that name apart.
        agent: Makes the agent.
    """

    name: str
    label: str
    agent: Callable[[], BaseRole]


def controls(scenario: Scenario, reference: Reference) -> Iterator[Control]:
    """The controls that can be told from the reference solution of a scenario."""
    yield Control(SILENT, SILENT, lambda: RecitingAgent(""))
    yield Control(REFUSING, "refusing in one sentence", UnhelpfulAgent)
    for text in WORDINGS:
        yield Control(REFUSING, f"saying {text!r}", lambda text=text: RecitingAgent(text))  # type: ignore[misc]
    yield Control(REQUEST_BLIND, REQUEST_BLIND, RequestBlindAgent)
    texts = [step.text for step in reference.steps if isinstance(step, Say)]
    if any(access.writes for access in reference.access):
        yield Control(READ_ONLY, READ_ONLY, lambda: ReadOnlyAgent(reference.writing_tools))
    if texts and reference.calls:
        yield Control(CLAIMS_ONLY, CLAIMS_ONLY, lambda: RecitingAgent(*texts))
    if must_tell(scenario):
        yield Control(EMPTY_ANSWER, EMPTY_ANSWER, MumblingAgent)
    if any(weight_of_answers(scenario)):
        yield Control(WORDLESS, WORDLESS, WordlessAgent)


def weak_agents(reference: Reference) -> dict[str, BaseRole]:
    """Agents that a weak model may resemble, by name."""
    return {
        FIRST_MATCH: FirstMatchAgent(),
        FIRST_PAGE: FirstPageAgent(),
        QUITTING: QuittingAgent(),
        NEVER_LOOKS: NeverLookingAgent(reference.writing_tools),
    }


def must_tell(scenario: Scenario) -> bool:
    """Whether an answer has to tell something, and not only that what the world proves was done."""
    return any(weight_of_answers(scenario, of_deeds=False))


def weight_of_answers(scenario: Scenario, *, of_deeds: bool = True) -> list[float]:
    """Share of the points of each milestone that is an answer, 0 for every other milestone."""
    weights = []
    for milestone in scenario.evaluation.milestone_matcher.milestones:
        check = milestone.snapshot_constraints[0].snapshot_constraint
        counts = isinstance(check, AnswerSimilarity) and (
            of_deeds or any(not isinstance(fact, Done) for fact in check.facts)
        )
        weights.append(milestone.weight if counts else 0.0)
    return weights
