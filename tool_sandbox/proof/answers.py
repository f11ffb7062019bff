"""Where the answers of a reference solution stand, and what each has to say."""

from collections.abc import Iterator
from typing import Any

import attrs

from tool_sandbox.common.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.common.facts import AnswerSimilarity, Fact
from tool_sandbox.common.facts._trace import bind
from tool_sandbox.common.scenario import Scenario
from tool_sandbox.common.script import Call, Say, Step
from tool_sandbox.proof.play import Reference


@attrs.frozen
class Answer:
    """A text of the reference solution that an answer milestone matched.

    Attributes:
        position: Which step it is.
        text: The text.
        facts: Everything that answer milestones demand of it, values from tool results filled in.
        lasts: Whether a later text can still spoil it.
    """

    position: int
    text: str
    facts: tuple[Fact, ...]
    lasts: bool


def answers(scenario: Scenario, reference: Reference) -> Iterator[Answer]:
    """The texts that earn the points of answers, in order.

    Args:
        scenario: The scenario.
        reference: Its reference solution.

    Yields:
        One entry a text; a text that several milestones matched has the facts of all of them.
    """
    demands: dict[int, list[AnswerSimilarity]] = {}
    for number, milestone in enumerate(scenario.evaluation.milestone_matcher.milestones):
        similarity = milestone.snapshot_constraints[0].snapshot_constraint
        index, score = reference.result.milestone_mapping[number]
        if isinstance(similarity, AnswerSimilarity) and score:
            demands.setdefault(index, []).append(similarity)
    positions = _positions(reference)
    for index, similarities in sorted(demands.items()):
        step = reference.steps[positions[index]]
        facts = [bind(fact, reference.context, index) for each in similarities for fact in each.facts]
        if isinstance(step, Say):
            lasts = any(each.scope == "conversation" for each in similarities)
            yield Answer(positions[index], step.text, tuple(dict.fromkeys(facts)), lasts)


def _positions(reference: Reference) -> dict[int, int]:
    """Message index of each text of the agent to its position among the steps."""
    texts = [position for position, step in enumerate(reference.steps) if isinstance(step, Say)]
    log: list[tuple[int, Any]] = [
        (index, row)
        for index, table in reference.context.get_history(DatabaseNamespace.SANDBOX)
        for row in table.dicts()
    ]
    said = [index for index, row in log if row["sender"] == RoleType.AGENT and row["recipient"] == RoleType.USER]
    return dict(zip(said, texts, strict=False))


def replaced(steps: tuple[Step, ...], position: int, *others: Step) -> tuple[Step, ...]:
    """The steps with one of them left out, and others in its place."""
    return (*steps[:position], *others, *steps[position + 1 :])


def exchanged_call(step: Step, number: int, call: Call | None) -> tuple[Step, ...]:
    """A step of one or several calls with one of them exchanged, or left out."""
    if not isinstance(step, list):
        return (call,) if call is not None else ()
    rest = [*step[:number], *([call] if call is not None else []), *step[number + 1 :]]
    return (rest,) if rest else ()
