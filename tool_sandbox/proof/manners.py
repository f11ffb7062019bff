"""Honest ways of telling a right answer: marked up, in a table, as the bare value, in other words."""

from collections.abc import Callable
from typing import Any

from tool_sandbox.answers.facts import (
    Cannot,
    CannotReason,
    Date,
    DateTime,
    Done,
    Duration,
    Entity,
    Fact,
    NotDone,
    Number,
    Phone,
    Quote,
    Switch,
    Time,
    Weekday,
)
from tool_sandbox.answers.facts._settings import setting_key
from tool_sandbox.proof.answers import ReferenceAnswer, single
from tool_sandbox.proof.measures import MEASURES
from tool_sandbox.proof.play import Reference
from tool_sandbox.proof.renderings import value_of
from tool_sandbox.proof.wording import SETTING_NAMES

_OBSTACLES = {
    CannotReason.TOOL_MISSING: "I can't do that by myself: I have no way here to get at {}.",
    CannotReason.NOT_FOUND: "I can't do that: the lookup finds nothing for {}.",
    CannotReason.SETTING_BLOCKED: "I tried, but {} is in the way, so I couldn't do it.",
    CannotReason.SERVICE_FAILED: "I tried, but the service for {} is down, so I couldn't do it.",
    CannotReason.INFORMATION_MISSING: "I can't do that yet: you haven't told me about {}.",
}
_KEPT = {
    "sent": "I've sent nothing about {}",
    "added": "I haven't added {}",
    "removed": "{} is kept",
    "updated": "{} stays as it is",
    "moved": "{} keeps its time",
    "set": "I've set nothing for {}",
    "turned_on": "I've left {} off",
    "turned_off": "I've left {} on",
}


Manner = Callable[[ReferenceAnswer, Reference], str | None]
"""Tells an answer in a way of its own; ``None`` where that does not apply."""

_LABELS: dict[type, str] = {
    Date: "Date",
    DateTime: "When",
    Duration: "Length",
    Number: "Result",
    Phone: "Phone number",
    Quote: "Message",
    Time: "Time",
    Weekday: "Day",
    Entity: "Name",
}
"""What a table calls a value."""


def _label(fact: Any) -> str:
    """What a value is called."""
    about = getattr(fact, "about", ())
    name = next(name for kind, name in _LABELS.items() if isinstance(fact, kind))
    return about[0][0].upper() + about[0][1:] if about else name


# Marked up -----------------------------------------------------------------------------------------------------


def in_bold(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The answer with its values in bold."""
    return answer.with_values(lambda fact, shown: f"**{shown}**")


def in_a_table(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The values as a table."""
    rows = [f"| {_label(fact)} | {value_of(fact, 0)} |" for fact in answer.values]
    return "\n".join(["| What | Value |", "|---|---|", *rows]) if rows else None


def in_a_list(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The values as a list with bold labels."""
    return "\n".join(f"- **{_label(fact)}:** {value_of(fact, 1)}" for fact in answer.values) or None


def bare(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """Nothing but the value, the state, or that it is done."""
    facts = answer.stated
    if facts and all(isinstance(fact, Done) for fact in facts):
        return "Done."
    if len(facts) != 1:
        return None
    if isinstance(facts[0], Switch):
        return "On." if facts[0].on else "Off."
    return f"{value_of(facts[0], 0)}." if len(answer.values) == 1 else None


# What cannot be done, and what was not --------------------------------------------------------------------------


def obstructed(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """What stands in the way, in other words."""
    facts = answer.stated
    one = next(iter(single(facts))) if len(facts) == 1 else None
    return _OBSTACLES[one.because].format(_obstacle(one)) if isinstance(one, Cannot) else None


def _obstacle(fact: Cannot) -> str:
    terms = [term for term in fact.terms if term.endswith("ing")] or [*fact.terms, "that"]
    key = setting_key(terms[0])
    return SETTING_NAMES[key][1] if key else terms[0]


def kept(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """What was left as it is, where no reason has to be given."""
    facts: list[Fact] = answer.stated
    one = facts[0] if len(facts) == 1 else None
    if not isinstance(one, NotDone) or one.because or not one.about:
        return None
    return (
        _KEPT[one.task[0]].format(f"the {one.about[0]}" if one.about[0].islower() else one.about[0])
        + ", as you wanted."
    )


MANNERS: dict[str, Manner] = {
    "in bold": in_bold,
    "in a table": in_a_table,
    "in a list": in_a_list,
    "nothing but the value": bare,
    "what stands in the way": obstructed,
    "what is kept": kept,
    **MEASURES,
}
"""Ways of telling an answer."""
