"""Whether something is on or off, true or false."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from tool_sandbox.common.facts._document import CORRECTION, Document, parse
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import SETTINGS, setting_key
from tool_sandbox.common.facts._states import Event, EventKind, events
from tool_sandbox.common.facts._text import normalise

_YES_OR_NO = re.compile(
    r"(?:(?P<yes>yes|yep|yeah|yup|correct|affirmative|indeed|it is|it does|they are|absolutely)|(?:no|nope|negative"
    r"|it isn't|it's not|it is not|it does not|it doesn't))\b"
)
_OR = re.compile(r"\bor\b")


@attrs.frozen
class Switch(FactBase):
    """A device setting being on or off.

    The last statement about the setting counts. What it was before ("it was off, so ...") is background; two plain
    statements of opposite states contradict. A failed change ("I couldn't turn it on") contradicts the state that was
    not reached and says nothing about the other one. Questions, conditions, intentions and instructions to the user are
    silent; "on or off", "Wi-Fi or cellular", and an "it" that may be either, are unclear.

    Args:
        subject: "wifi", "cellular", "location_service" or "low_battery_mode" (all their usual names are understood in
            answers), or any other name of something that can be on or off.
        on: The expected state.
        yes: The state that a bare "yes" means, for questions such as "is it on?" (``True``); ``None`` if such an answer
            says nothing.
    """

    subject: str
    on: bool
    yes: bool | None = None

    def read(self, text: str) -> Reading:
        """What a text says about the state."""
        document = parse(text)
        key = setting_key(self.subject) or self.subject
        subjects = SETTINGS if key in SETTINGS else {**SETTINGS, key: re.escape(normalise(key))}
        found = events(document, subjects)
        relevant = [event for event in found if key in event.subjects] or [each for each in found if not each.subjects]
        return _conclude(document, relevant, self.on) if relevant else _answer(document, self.on, self.yes)


def _answer(document: Document, value: bool, yes: bool | None) -> Reading:
    """The reading of a bare "yes" or "no"."""
    match = _YES_OR_NO.match(document.own)
    if yes is None or match is None or document.clauses[0].is_question:
        return Reading.SILENT
    return Reading.STATED if ((match["yes"] is not None) == yes) == value else Reading.CONTRADICTED


def _conclude(document: Document, found: Sequence[Event], value: bool) -> Reading:
    relevant = [event for event in found if event.kind is not EventKind.DENIAL or event.on == value]
    current = [event for event in relevant if event.kind is not EventKind.PAST] or relevant
    if not current:
        return Reading.SILENT
    last = current[-1]
    if last.is_unsure:
        return Reading.UNCLEAR
    if last.kind is EventKind.DENIAL or last.on != value or document.is_retracted(last.start):
        return Reading.CONTRADICTED
    opposed = [event for event in current if event.kind is EventKind.STATE and event.on != value]
    return Reading.CONTRADICTED if opposed and last.kind is EventKind.STATE else Reading.STATED


@attrs.frozen
class Boolean(FactBase):
    """Something with two outcomes, each with its own words: "saved"/"not saved", "warmer"/"colder".

    Negation turns a word round. The last statement counts; opposite statements contradict unless the last one is a
    correction, and are unclear where "or" joins them.

    Args:
        subject: Terms that name what it is about; words count only in texts that name one of them or none at all
            before. Empty: everywhere.
        true_terms: Words that say it is so.
        false_terms: Words that say it is not.
        value: Which one is expected.
        yes: The outcome that a bare "yes" means; ``None`` if such an answer says nothing.
    """

    subject: tuple[str, ...] = attrs.field(converter=as_terms)
    true_terms: tuple[str, ...] = attrs.field(converter=as_terms)
    false_terms: tuple[str, ...] = attrs.field(converter=as_terms)
    value: bool
    yes: bool | None = None

    def read(self, text: str) -> Reading:
        """What a text says about the outcome."""
        document = parse(text)
        if self.subject and not term_pattern(self.subject).search(document.own) and document.own.count(" ") > 12:
            return Reading.SILENT
        either, so = term_pattern((*self.true_terms, *self.false_terms)), term_pattern(self.true_terms)
        places = [place for place in either.finditer(document.own) if document.is_asserted(place.start())]
        said = [(p.start(), (not so.fullmatch(p.group())) is document.is_negated(p.start())) for p in places]
        if not said:
            return _answer(document, self.value, self.yes)
        last, outcome = said[-1]
        opposed = max((start for start, other in said if other != outcome), default=last)
        if _OR.search(document.own, max(opposed, document.clause_at(last).start), last):
            return Reading.UNCLEAR
        is_corrected = opposed == last or CORRECTION.search(document.own, opposed, last)
        is_so = outcome == self.value and is_corrected and not document.is_retracted(last)
        return Reading.STATED if is_so else Reading.CONTRADICTED
