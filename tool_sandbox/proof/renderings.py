"""Answers told from the facts alone, in three styles: terse, polite and wordy, marked up."""

from collections.abc import Callable, Sequence
from typing import Any

from tool_sandbox.answers.facts import (
    Absent,
    AnyOf,
    Boolean,
    Cannot,
    CannotReason,
    Date,
    DateTime,
    Done,
    Duration,
    Entity,
    Fact,
    Listing,
    NotDone,
    Number,
    Paired,
    Phone,
    Quote,
    Switch,
    Time,
    Weekday,
)
from tool_sandbox.answers.facts._settings import setting_key
from tool_sandbox.answers.facts._temporal import moment_of
from tool_sandbox.proof.wording import (
    SETTING_NAMES,
    VERBS,
    Style,
    clock,
    day,
    enumeration,
    figure,
    length,
    phone,
)

STYLES = ("terse", "polite and wordy", "marked up, last things first")

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def rendered(facts: Sequence[Fact], style: Style) -> str:
    """A text that tells facts, in one of the `STYLES`."""
    told = [sentence for fact in facts if (sentence := _sentence(fact, style))]
    if style == 2:
        return "\n".join(f"- {sentence}" for sentence in reversed(told)) if len(told) > 1 else "".join(told)
    opening = "Of course! " if style == 1 and told else ""
    return opening + " ".join(told)


def _sentence(fact: Any, style: Style) -> str:
    if isinstance(fact, Absent):
        return ""
    if isinstance(fact, AnyOf):
        return next((text for each in fact.facts if (text := _sentence(each, style))), "")
    for kind, tell in _TELLERS.items():
        if isinstance(fact, kind):
            return tell(fact, style)
    value = value_of(fact, style)
    about = fact.about[0] if getattr(fact, "about", ()) else ""
    if about:
        label = about[0].upper() + about[1:]
        return (f"{label}: {value}.", f"As for {about}: that is {value}.", f"**{label}**: {value}")[style]
    return (f"{value}.", f"What you are looking for is {value}.", f"**{value}**")[style]


def value_of(fact: Any, style: Style) -> str:
    """A value as a phrase."""
    for kind, tell in _VALUES.items():
        if isinstance(fact, kind):
            return tell(fact, style)
    raise TypeError(f"nothing is known about how to tell {type(fact).__name__}")


def _named(fact: Any, style: Style) -> str:
    """A value with the thing that it belongs to."""
    about = getattr(fact, "about", ())
    return f"{about[0]}: {value_of(fact, style)}" if about else value_of(fact, style)


# Values --------------------------------------------------------------------------------------------------------


def _date_and_time(fact: Any, style: Style) -> str:
    moment = moment_of(fact.value, fact.zone)
    joint = (" ", " at ", ", ")[style]
    return f"{day(moment.date(), style)}{joint}{clock(moment.time(), style)}"


def _weekday(fact: Any, style: Style) -> str:
    if isinstance(fact.value, str):
        return fact.value.capitalize()
    is_number = isinstance(fact.value, int) and 1 <= fact.value <= 7
    return _DAYS[fact.value - 1] if is_number else f"{moment_of(fact.value, fact.zone):%A}"


def _time(fact: Any, style: Style) -> str:
    plain = hasattr(fact.value, "minute") and not hasattr(fact.value, "year")
    return clock(fact.value if plain else moment_of(fact.value, fact.zone).time(), style)


_VALUES: dict[type, Callable[[Any, Style], str]] = {
    Number: figure,
    Duration: length,
    Date: lambda fact, style: day(moment_of(fact.value, fact.zone).date(), style),
    DateTime: _date_and_time,
    Time: _time,
    Weekday: _weekday,
    Phone: lambda fact, style: phone(fact.number, style),
    Entity: lambda fact, style: fact.name,
    Quote: lambda fact, style: (f'"{fact.text}"', f"\u201c{fact.text}\u201d", f'"{fact.text}"')[style],
}


# Statements ----------------------------------------------------------------------------------------------------


def _switch(fact: Switch, style: Style) -> str:
    key = setting_key(fact.subject)
    name = SETTING_NAMES[key][style] if key else fact.subject
    state = "on" if fact.on else "off"
    return (f"{name}: {state}.", f"Your {name} is now switched {state}.", f"**{name}**: {state}")[style]


def _boolean(fact: Boolean, style: Style) -> str:
    terms, opposite = (fact.true_terms, fact.false_terms) if fact.value else (fact.false_terms, fact.true_terms)
    outcome = terms[0] if terms else f"not {opposite[0]}"
    subject = fact.subject[0] if fact.subject else "it"
    return (f"{subject}: {outcome}.", f"As for {subject}, the outcome is: {outcome}.", f"**{subject}**: {outcome}")[
        style
    ]


def _listing(fact: Listing, style: Style) -> str:
    items = [_named(item, style) for item in fact.items]
    if style == 2:
        return "These:\n" + "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
    listed = "; ".join(items) if any(":" in item for item in items) else enumeration(items)
    return f"{listed}." if style == 0 else f"Here is everything that I found: {listed}."


def _paired(fact: Paired, style: Style) -> str:
    values = [(item.about[0], value_of(item, style)) for item in fact.pairs]
    if style == 2:
        return "\n".join(["| what | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in values)])
    if style == 0:
        return ", ".join(f"{name} {value}" for name, value in values) + "."
    return (
        f"For {enumeration([name for name, _ in values])} I found {enumeration([v for _, v in values])} respectively."
    )


def _thing(terms: Sequence[str]) -> str:
    if not terms:
        return "it"
    return terms[0] if terms[0][0].isupper() or terms[0][0].isdigit() else f"the {terms[0]}"


def _done(fact: Done, style: Style) -> str:
    verb, thing = VERBS[fact.action][style], _thing(fact.about)
    subject = thing[0].upper() + thing[1:]
    return (f"{subject}: {verb}.", f"I've gone ahead and {verb} {thing} for you.", f"\u2705 {subject} **{verb}**")[
        style
    ]


def _not_done(fact: NotDone, style: Style) -> str:
    *_, base = verbs = VERBS[fact.task[0]]
    thing, reason = _thing(fact.about), fact.because[0] if fact.because else ""
    subject = thing[0].upper() + thing[1:]
    if style == 0:
        return f"{subject}: not {verbs[0]}{f' ({reason})' if reason else ''}."
    if style == 1:
        return f"There was no need to {base} {thing}, so I didn't{f'; the reason: {reason}' if reason else ''}."
    return f"I have **not** {verbs[2]} {thing}{f', because: {reason}' if reason else ''}."


_OBSTACLES: dict[CannotReason, tuple[str, str, str]] = {
    CannotReason.TOOL_MISSING: (
        "No tool for {term}.",
        "I'm sorry, but I can't do that: none of the tools that I have been given is any help with {term}.",
        "**Not possible**: I don't have access to anything for {term}",
    ),
    CannotReason.NOT_FOUND: (
        "{term}: nothing found.",
        "I'm sorry, but I couldn't find {term}.",
        "**Not possible**: there's no match for {term}",
    ),
    CannotReason.SETTING_BLOCKED: (
        "Blocked by {term}.",
        "I'm sorry, I wasn't able to do that because {term} prevents it.",
        "**Not possible** while {term} is on",
    ),
    CannotReason.SERVICE_FAILED: (
        "Service error ({term}), so not possible.",
        "I'm sorry, I was unable to finish this: the service for {term} keeps failing.",
        "**Failed**: the {term} service isn't available right now",
    ),
    CannotReason.INFORMATION_MISSING: (
        "Can't do it, I don't know this: {term}.",
        "I'm sorry, I can't do that without knowing more; you haven't told me about {term}.",
        "**Not possible**: missing information ({term})",
    ),
}  # fmt: skip


def _cannot(fact: Cannot, style: Style) -> str:
    acts = [term for term in fact.terms if term.endswith("ing")]
    term = (acts or list(fact.terms) or ["that"])[0]
    key = setting_key(term)
    return _OBSTACLES[fact.because][style].format(term=SETTING_NAMES[key][style] if key else term)


_TELLERS: dict[type, Callable[[Any, Style], str]] = {
    Switch: _switch,
    Boolean: _boolean,
    Listing: _listing,
    Paired: _paired,
    Done: _done,
    NotDone: _not_done,
    Cannot: _cannot,
}
