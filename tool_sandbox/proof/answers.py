"""Where the answers of a reference solution stand, and what each has to say."""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import (
    Absent,
    AnswerSimilarity,
    AnyOf,
    Date,
    DateTime,
    Duration,
    Entity,
    Fact,
    Leader,
    Listing,
    Number,
    Paired,
    Phone,
    Quote,
    Time,
    Weekday,
)
from tool_sandbox.answers.facts._document import parse
from tool_sandbox.answers.facts._values import bind
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference
from tool_sandbox.world.script import Call, Say, Step

VALUE_KINDS = (Date, DateTime, Duration, Entity, Number, Phone, Quote, Time, Weekday)
"""Facts that are a value."""


@attrs.frozen
class ReferenceAnswer:
    """A text of the reference solution that an answer milestone matched.

    Attributes:
        position: Which step it is.
        text: The text.
        facts: Everything that answer milestones demand of it, values from tool results filled in.
        lasts: Whether a later text can still invalidate it.
    """

    position: int
    text: str
    facts: tuple[Fact, ...]
    lasts: bool

    @property
    def stated(self) -> list[Any]:
        """What it has to state, the first of alternatives."""
        facts = [fact for fact in self.facts if not isinstance(fact, Absent)]
        return [fact.facts[0] if isinstance(fact, AnyOf) else fact for fact in facts]

    @property
    def values(self) -> list[Any]:
        """Its values, if it consists of nothing else."""
        facts = list(single(self.stated))
        plain = all(isinstance(fact, VALUE_KINDS) and not isinstance(fact, Leader) for fact in facts)
        return facts if plain else []

    def with_values(self, form: Callable[[Any, str], str]) -> str | None:
        """The text with every value in it written in another form; ``None`` if nothing changes."""
        text = self.text
        for fact in single(self.stated):
            if isinstance(fact, VALUE_KINDS):
                text = mentions_changed(text, fact, functools.partial(form, fact)) or text
        return text if text != self.text else None


def answers(scenario: Scenario, reference: Reference) -> Iterator[ReferenceAnswer]:
    """The texts that earn the points of answers, in order."""
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
            yield ReferenceAnswer(positions[index], step.text, tuple(dict.fromkeys(facts)), lasts)


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


def single(facts: Sequence[Any]) -> Iterator[Any]:
    """The facts of a text one by one, those inside lists too; of alternatives the one that comes first."""
    for fact in facts:
        if isinstance(fact, Listing):
            yield from single(fact.items)
        elif isinstance(fact, Paired):
            yield from single(fact.pairs)
        elif isinstance(fact, AnyOf):
            yield from single(fact.facts[:1])
        else:
            yield fact


def mentions_changed(text: str, fact: Any, change: Callable[[str], str]) -> str | None:
    """Applies a change to every place where a text states a fact."""
    document = parse(text)
    shown = {document.text[mention.start : mention.end] for mention in fact.mentions(document) if mention.right}
    result = text
    for part in sorted(shown, key=len, reverse=True):
        result = re.sub(re.escape(part), lambda match: change(match.group()), result, flags=re.IGNORECASE)
    return result if result != text else None


def replaced(steps: tuple[Step, ...], position: int, *others: Step) -> tuple[Step, ...]:
    """The steps with one of them left out, and others in its place."""
    return (*steps[:position], *others, *steps[position + 1 :])


def exchanged_call(step: Step, number: int, call: Call | None) -> tuple[Step, ...]:
    """A step of one or several calls with one of them exchanged, or left out."""
    if not isinstance(step, list):
        return (call,) if call is not None else ()
    rest = [*step[:number], *([call] if call is not None else []), *step[number + 1 :]]
    return (rest,) if rest else ()
