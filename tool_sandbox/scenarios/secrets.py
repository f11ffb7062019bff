"""What a simulated user must not say: the answers that the agent has to find out."""

import datetime
import enum
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from tool_sandbox.answers.facts import AnswerSimilarity, AnyOf, Date, DateTime, Entity, Fact, Number, Phone, Quote, Time
from tool_sandbox.scenarios.matchers import without_separators
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.world.script import UserScript

_VALUES: tuple[tuple[type, str], ...] = (
    (Phone, "number"),
    (Entity, "name"),
    (Quote, "text"),
    (Number, "value"),
    (Date, "value"),
    (DateTime, "value"),
    (Time, "value"),
)
"""Facts whose value is what the agent has to find out, and the field that holds it."""

SHORTEST = 3
"""Texts of fewer characters, such as small numbers, are said by chance and are no secrets."""


def answers(task: Task) -> tuple[str, ...]:
    """The literal values that the answers of a task have to state, as texts; values from tool results have none."""
    return tuple(dict.fromkeys(text for text in _texts(facts_of(task)) if len(text) >= SHORTEST))


def facts_of(task: Task) -> Iterator[Fact]:
    """The facts that the answers of a task have to state; of alternatives all."""
    for node in task.milestones:
        if isinstance(node.check, AnswerSimilarity):
            for fact in node.check.facts:
                yield from fact.facts if isinstance(fact, AnyOf) else (fact,)


def _texts(facts: Iterable[Any]) -> Iterator[str]:
    for fact in facts:
        for kind, field in _VALUES:
            if isinstance(fact, kind):
                value = getattr(fact, field)
                if isinstance(value, (str, int, float, datetime.date, datetime.time)):
                    yield _text(value)
        if attrs.has(type(fact)) and not isinstance(fact, enum.Enum):
            for inner in attrs.fields(type(fact)):
                items = getattr(fact, inner.name)
                if isinstance(items, tuple):
                    yield from _texts(item for item in items if isinstance(item, Fact))


def _text(value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"{value:g}"
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def says(script: UserScript, text: str) -> bool:
    """Whether the user of a script may say a text, in any capitals and with digits spaced in any way."""
    wanted = without_separators(text).casefold()
    return any(wanted in without_separators(line).casefold() for line in script.lines)


def with_secrets(script: UserScript, task: Task) -> UserScript:
    """A script with its secrets (what the task names, and answers that it does not give away) and what it means."""
    told = answers(task)
    hidden = [text for text in told if not says(script, text)]
    return attrs.evolve(script, secrets=tuple(dict.fromkeys([*task.secrets, *hidden])), means=(*script.means, *told))
