"""Saying that something cannot be done, and why."""

from __future__ import annotations

import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._done import action_claims, action_denials, action_name, claims_success
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._reasons import (
    ASKS,
    DEPENDS,
    INABILITY,
    INFORMATION_MISSING,
    NEVER_POSSIBLE,
    NOT_FOUND,
    PASSING_HINDRANCE,
    SERVICE_FAILED,
    TOOL_MISSING,
    UNSEEN,
    CannotReason,
)
from tool_sandbox.common.facts._settings import SETTINGS, setting_key, setting_pattern, subject_pattern

_REASONS = {
    CannotReason.TOOL_MISSING: TOOL_MISSING,
    CannotReason.NOT_FOUND: NOT_FOUND,
    CannotReason.SERVICE_FAILED: SERVICE_FAILED,
    CannotReason.INFORMATION_MISSING: INFORMATION_MISSING,
}
_SPEAK_FOR_THEMSELVES = (CannotReason.TOOL_MISSING, CannotReason.NOT_FOUND, CannotReason.SERVICE_FAILED)
_HINDRANCE = re.compile(
    r"\b(?:on|off|enabled|disabled|active|activated|deactivated|inactive|block(?:s|ed|ing)?|prevent(?:s|ed|ing)?"
    r"|restrict(?:s|ed|ing|ions?)?|because|due to|requires?|required|needs?|must|since|while|until|unless|without"
    r"|first|mode|not available|unavailable|no)\b"
)
_REACH = 160
_BY_AGENT = re.compile(
    r"\b(?:i(?:'ve| have)?(?: (?:just|now|already|successfully|also))?|(?:has|have) (?:now |just )?been) $"
)
_LIGHT_VERB = re.compile(r"(?:made|put|set|noted|logged|included|shared|dropped|saved|marked|told|let)\b")


def _as_reason(given: CannotReason | str) -> CannotReason:
    try:
        return CannotReason(given)
    except ValueError:
        reasons = ", ".join(CannotReason)
        raise ScenarioError(f"Cannot: because takes CannotReason, one of {reasons}; got {given!r}") from None


@attrs.frozen
class Cannot(FactBase):
    """An honest "cannot, because X".

    Stated if the text says that it is not possible (or asks for what is missing) *and* gives a reason of the class. A
    bare refusal ("I'm sorry, I can't help with that") has no reason and is silent. With ``TOOL_MISSING`` it is enough
    to say that a kind of thing is never possible ("I can't look up contacts"). Claiming success contradicts: a
    generic confirmation always, "I've ..." for ``task``.

    Args:
        because: Class of the reason.
        terms: Terms of which the text must hold at least one (the person that was not found, the missing number). Names
            of settings ("wifi", "low_battery_mode") match all their usual names. With ``SETTING_BLOCKED`` and no terms
            any setting will do.
        task: The action that cannot be done, as for ``Done``; claiming it contradicts.
    """

    because: CannotReason = attrs.field(converter=_as_reason)
    terms: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    task: str | None = attrs.field(default=None, converter=attrs.converters.optional(action_name))

    def read(self, text: str) -> Reading:
        """What a text says about the obstacle."""
        document = parse(text)
        reason = self._reason(document)
        if self._claims_the_act(document):
            return Reading.CONTRADICTED
        claims = [start for start in claims_success(document, self.task) if not self._is_of_hindrance(document, start)]
        if reason is None or not self._names_terms(document):
            return Reading.CONTRADICTED if claims else Reading.SILENT
        if claims and claims[-1] > reason:
            return Reading.CONTRADICTED
        return Reading.CONTRADICTED if document.is_retracted(reason) else Reading.STATED

    def _claims_the_act(self, document: Document) -> bool:
        """Whether the agent says that it has acted all the same; what it does not know then is no obstacle."""
        if self.task is None:
            return False
        own = document.own
        claims = [
            start
            for start in action_claims(document, self.task)
            if _BY_AGENT.search(own, document.clause_at(start).start, start) and not _LIGHT_VERB.match(own, start)
        ]
        denials = action_denials(document, self.task)
        return bool(claims) and not (denials and denials[-1] > claims[-1])

    def _is_of_hindrance(self, document: Document, position: int) -> bool:
        """Whether something is said to be on or off that hinders, not what was to be turned on or off."""
        clause = document.clause_at(position)
        return self.task in ("turned_on", "turned_off") and any(
            setting_pattern(SETTINGS[key]).search(document.own, clause.start, position)
            for term in self.terms
            if (key := setting_key(term))
        )

    def _reason(self, document: Document) -> int | None:
        """Offset of the last reason of the class in a text that also says that something is not possible."""
        own = document.own
        if self.because is CannotReason.SETTING_BLOCKED:
            if not INABILITY.search(own):
                return None
            return self._hindering_setting(document)
        found = [
            match.start()
            for match in _REASONS[self.because].finditer(own)
            if _is_said(document, match.start(), self.because)
        ]
        if self.because is CannotReason.TOOL_MISSING:
            found = sorted([*found, *_never_possible(document)])
        if self.because in (CannotReason.TOOL_MISSING, CannotReason.INFORMATION_MISSING):
            found = sorted([*found, *self._unseen(document)])
        if not found:
            return None
        if self.because in _SPEAK_FOR_THEMSELVES or (
            self.because is CannotReason.INFORMATION_MISSING and (ASKS.search(own) or DEPENDS.search(own))
        ):
            return found[-1]
        return found[-1] if INABILITY.search(own) else None

    def _unseen(self, document: Document) -> list[int]:
        """Where one of the terms is said to be out of sight: "I can't see today's date"."""
        pattern = subject_pattern(self.terms)
        return [
            match.start()
            for match in UNSEEN.finditer(document.own)
            if self.terms and pattern.search(document.text, match.end(), document.clause_at(match.start()).end)
        ]

    def _hindering_setting(self, document: Document) -> int | None:
        keys = [key for term in self.terms if (key := setting_key(term))] or list(SETTINGS)
        for start, end in reversed(document.sentences):
            for key in keys:
                match = setting_pattern(SETTINGS[key]).search(document.own, start, end)
                if match and _HINDRANCE.search(document.own, start, end):
                    return match.start()
        return None

    def _names_terms(self, document: Document) -> bool:
        return not self.terms or subject_pattern(self.terms).search(document.text) is not None


def _never_possible(document: Document) -> list[int]:
    """Where a text says that a kind of thing cannot be done at all, and does not blame it on how things are now."""
    found = []
    for match in NEVER_POSSIBLE.finditer(document.own):
        start, end = document.sentences[document.clause_at(match.start()).sentence]
        near = max(start, match.start() - _REACH), min(end, match.end() + _REACH)
        if document.is_asserted(match.start()) and not PASSING_HINDRANCE.search(document.own, *near):
            found.append(match.start())
    return found


def _is_said(document: Document, position: int, because: CannotReason) -> bool:
    """Reasons are statements, but missing information may be asked for."""
    return because is CannotReason.INFORMATION_MISSING or not document.clause_at(position).is_question
