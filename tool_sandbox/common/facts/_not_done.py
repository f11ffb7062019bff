"""Saying that something was deliberately left undone."""

from __future__ import annotations

import re

import attrs

from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._done import action_claims, action_denials, action_name
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import setting_key, subject_pattern
from tool_sandbox.common.facts._switch import Switch
from tool_sandbox.common.facts._text import one_of

_NEGATIVE = one_of(
    r"not|no|nothing|none|never|neither|without|cannot|\w{2,8}n't",
    r"left|leave|kept|keep(?:ing)?|still|safe|scrapped|already|stays?|stayed|remains?|remained|unchanged|untouched|intact|unsent",
    r"skip(?:ped|ping)?|held (?:off|back)|hold(?:ing)? off|refrained|cancell?ed|called off|instead|stopped|dropped",
)
_REFERENCE = re.compile(r"\b(?:it|that|this|them|they|both|everything|all)\b")
_ALREADY = re.compile(r"\balready\b")
_GONE = re.compile(r"\bno longer (?=(?:there|in|on|part|listed|saved)\b)")
_BY_AGENT = re.compile(r"\bi(?:'ve)?\b")


def _actions(task: str | tuple[str, ...]) -> tuple[str, ...]:
    terms = as_terms(task)
    return tuple(map(action_name, terms)) if isinstance(terms, tuple) else (action_name(terms),)


@attrs.frozen
class NotDone(FactBase):
    """Something that was rightly left undone: a condition was not met, or the user no longer wants it.

    That nothing was done is proven by the world. The text has to give one of the reasons, or, where none is asked for,
    to say in any way that something is not, or stays as it was. Claiming the action contradicts; a plain "Okay." is
    silent.

    Args:
        task: The action that was not done, as for ``Done``, or several of them that would all be a claim.
        about: Terms that name what would have been acted upon; claims about other things do not count.
        because: Words of which an honest explanation uses at least one; empty if no reason is asked for.
    """

    task: tuple[str, ...] = attrs.field(converter=_actions)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    because: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the action."""
        document = parse(text)
        claims = [start for action in self.task for start in action_claims(document, action)]
        if "removed" in self.task:
            claims += [match.start() for match in _GONE.finditer(document.own) if document.is_asserted(match.start())]
        claims = [start for start in claims if self._concerns(document, start)]
        denials = [start for action in self.task for start in action_denials(document, action, self.about)]
        if document.retracts or self._is_switched(text) or (claims and max(claims) > max(denials, default=-1)):
            return Reading.CONTRADICTED
        explained = term_pattern(self.because).search(document.text) if self.because else True
        return Reading.STATED if explained and self._is_negative(document) else Reading.SILENT

    def _is_negative(self, document: Document) -> bool:
        return any(document.is_asserted(match.start()) for match in _NEGATIVE.finditer(document.own))

    def _is_switched(self, text: str) -> bool:
        """Whether a setting is said to be as it was not left."""
        states = {"turned_on": False, "turned_off": True}
        return any(
            Switch(term, states[action]).read(text) is Reading.CONTRADICTED
            for action in self.task
            if action in states
            for term in self.about
            if setting_key(term)
        )

    def _concerns(self, document: Document, position: int) -> bool:
        """Whether a claim is about this thing, and not about what had been done before."""
        clause = document.clause_at(position)
        start, end = clause.start, clause.end
        if _ALREADY.search(document.own, start, end) and not _BY_AGENT.search(document.own, start, position):
            return False
        return bool(
            not self.about
            or subject_pattern(self.about).search(document.text, start, end)
            or _REFERENCE.search(document.own, start, end)
            or position == start
        )
