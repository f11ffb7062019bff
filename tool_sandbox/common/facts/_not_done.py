"""Saying that something was deliberately left undone."""

from __future__ import annotations

import re

import attrs

from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._done import action_claims, action_denials, action_name
from tool_sandbox.common.facts._judge import term_pattern
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.common.facts._settings import SETTINGS, setting_key, subject_pattern
from tool_sandbox.common.facts._state_events import EventKind
from tool_sandbox.common.facts._states import events
from tool_sandbox.common.facts._switch import Switch
from tool_sandbox.common.facts._text import one_of

_HAVE = r"(?:(?:has|have|had)(?: been)? |(?:is|are|was|were|be) )?"
_ADVERB = r"(?:just |simply |also |therefore |so |deliberately |completely |exactly |therefore )*"
# "I left it alone", "it stays where it is", "no need to", "I held off": all say that nothing was done.
_LEFT_ALONE = one_of(
    rf"{_HAVE}{_ADVERB}(?:left|leave|leaving|kept|keep|keeping)\b[^.;!?\n]{{0,60}}?\b(?:as (?:it|they|he|she)"
    r" (?:is|are|was|were)|as[- ]is|alone|unchanged|untouched|in place|where (?:it|they) (?:is|are|was|were)|the same"
    r"|intact|unsent|unread|undisturbed|the way (?:it|they) (?:is|are|was|were))",
    r"(?:stays?|stayed|remains?|remained)\b[^.;!?\n]{0,40}?\b(?:as (?:it|they) (?:is|are|was|were)|in place"
    r"|unchanged|untouched|where (?:it|they) (?:is|are|was|were)|the same|intact|unsent|put)",
    r"unchanged|untouched|unsent",
    r"(?:left|leave|leaving|kept) (?:it|them|that|this|everything|things|(?:the|your) (?:\w+ ){0,3}\w+)"
    r"(?=[.,;!?\n]| (?:as|because|since|so|for now|out)\b|$)",
    r"(?:there (?:is|was|'s)|had|saw|see|found) (?:therefore |really )?(?:no need|no reason|nothing) (?:to|for)\b",
    r"no (?:need|reason|\w+(?: \w+)?)(?: (?:is|was|were|are))?(?: therefore)? (?:needed|necessary|required|called for)",
    r"no (?:action|change|text|message|reminder|step|deletion|removal|update|edit|entry)s?(?: \w+){0,2} (?:needed"
    r"|necessary|required|made|taken)",
    r"(?:is|was|are|were)(?:n't| not)(?: therefore| actually)? (?:needed|necessary|required|called for|warranted)",
    r"(?:did|do|does)(?:n't| not)(?: therefore| actually)? (?:need|have) to",
    r"needn't|i (?:haven't|have not|didn't|did not)(?: yet)?(?=\s*(?:[.,;!]|$))",
    r"(?:skip(?:ped|ping)|held (?:off|back)|stopped (?:before|short)|holding off|hold off|refrained from"
    r"|decided (?:against|not to)|abstained from"
    r"|chose not to|opted not to|called (?:it|that|this) off|stopped short of|dropped the (?:plan|idea)"
    r"|(?:nothing|none) (?:was|were|has been|have been|is|needed)|did nothing|done nothing|changed nothing)",
    r"(?:took|taken|take|taking) no action|(?:made|making|make) no changes?|nothing to (?:remind|send|do|remove"
    r"|change|tell|add|move|text)\b",
    r"(?:did|do|have|has|was|were)(?:n't| not) (?:been )?touch(?:ed)?",
    r"(?:deletion|removal|removing|deleting|sending|moving|changing|update|change)\b[^.;!?\n]{0,40}?"
    r" (?:cancell?ed|called off|stopped|aborted)",
    r"(?:without|instead of|rather than) \w+ing",
    r"still (?:there|saved|in place|on your list|in your (?:\w+ ){0,2}\w+)",
)
_SUBJECT = re.compile(r"\b(?:it|they|that|this)(?:'s|'ve)?\b")
_IF = re.compile(r"\b(?:if|unless)\b")
_ALL = re.compile(r"\b(?:nothing|no (?:action|change|changes))\b")
# "Price too high: no reminder."
_NONE_OF_IT = re.compile(r"(?:(?<=: )|(?<=\n)|^)no \w+(?: \w+)?(?=\s*(?:[.!,\n]|$))")
_STAYS = r"(?:remains?|remained|stays?|stayed)"
_AS_BEFORE = {
    "removed": one_of(
        rf"kept|keep|keeping|(?:{_STAYS}|still) (?:in|on|at|among|with|saved|listed|there|here|active|scheduled|around)"
        rf"|still exists?|(?:is|are) (?:still )?safe|{_STAYS}(?=\s*(?:[.,;:!)]|$|--)| (?:as|because|since|so|for"
        rf"|until|unless|put)\b)"
    ),
    "moved": one_of(r"kept|keep|keeping|(?:remains?|remained|stays?|stayed|still) (?:at|on|for|due|set|scheduled)"),
    "updated": one_of(r"kept|keep|keeping|(?:remains?|remained|stays?|stayed|still) (?:\w+)"),
}
"""Action to what things do that it has not happened to."""

_MARKS = " .,;:!-()\n"
_CALLED_OFF = one_of(r"cancell?ed|withdrawn|scrapped|abandoned|called off")
_ALREADY = re.compile(r"\balready\b")
_BY_AGENT = re.compile(r"\bi(?:'ve)?\b")
_BY_USER = re.compile(r"\byou(?:'ve|'d| have| had)?(?: \w+){0,2} $")
_MESSAGING = re.compile(r"\b(?:send|sending|sent|text|texting|texted|message|messaging|writing)\b")
_LOCAL_PRONOUN = re.compile(r" (?:it|that|this|them|both|(?:everything|all)(?! else))\b")


def _actions(task: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(action_name(action) for action in as_terms(task))


@attrs.frozen
class NotDone(FactBase):
    """Something that was rightly left undone: a condition was not met, or the user no longer wants it.

    Stated if the text denies the action ("I did not send it", "no message was sent"), or says that things were left as
    they are ("I kept the reminder", "there was no need to", "nothing was changed"), and gives one of the reasons.
    Claiming the action afterwards contradicts; claims about other things do not. A plain "Okay." is silent.

    Args:
        task: The action that was not done, as for ``Done``, or several of them that would all be a claim.
        about: Terms that name what would have been acted upon. If given, the denial must name one of them in its
            sentence, refer to it by a pronoun, or name nothing; claims that name none of them do not count.
        because: Words of which an honest explanation uses at least one; empty if no reason is asked for.
    """

    task: tuple[str, ...] = attrs.field(converter=_actions)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    because: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the action."""
        document = parse(text)
        if (state := self._state(text)) is not None:
            explained = state is not Reading.STATED or self._is_explained(document)
            return state if explained else Reading.SILENT
        claims = sorted(start for action in self.task for start in self._claims(document, action))
        denials = sorted(self._denials(document))
        if not denials:
            return Reading.CONTRADICTED if claims else Reading.SILENT
        claims = [start for start in claims if not _was_so_already(document, start)]
        if (claims and claims[-1] > denials[-1]) or document.is_retracted(denials[-1]):
            return Reading.CONTRADICTED
        return Reading.STATED if self._is_explained(document) else Reading.SILENT

    def _is_explained(self, document: Document) -> bool:
        return not self.because or term_pattern(self.because).search(document.text) is not None

    def _state(self, text: str) -> Reading | None:
        """What a text says about a setting that was left as it is; ``None`` if it is about no setting, or silent."""
        for action in self.task:
            if action in ("turned_on", "turned_off"):
                settings = [term for term in self.about if setting_key(term)]
                readings = [_as_it_was(term, text, on=action == "turned_off") for term in settings]
                return next((reading for reading in readings if reading is not Reading.SILENT), None)
        return None

    def _denials(self, document: Document) -> list[int]:
        found = [start for action in self.task for start in action_denials(document, action, self.about)]
        patterns = [_LEFT_ALONE, _NONE_OF_IT, *(_AS_BEFORE[action] for action in self.task if action in _AS_BEFORE)]
        patterns += [] if "removed" in self.task else [_CALLED_OFF]
        return found + [
            match.end() - 1
            for pattern in patterns
            for match in pattern.finditer(document.own)
            if self._is_left(document, match) and not document.is_negated(match.start())
        ]

    def _is_left(self, document: Document, match: re.Match[str]) -> bool:
        """Whether it was this thing that was left alone, and not only under a condition."""
        clause = document.clause_at(match.start())
        start, end = document.sentences[clause.sentence]
        if not document.is_asserted(match.start()) or _IF.search(document.own, start, match.start()):
            return False
        if not self.about:
            return True
        if _is_alone(document, match.start(), match.end()):
            return True
        named = subject_pattern(self.about).search(document.text, start, end) or (
            "sent" in self.task and _MESSAGING.search(document.own, start, end)
        )
        return bool(named or _LOCAL_PRONOUN.search(document.own, start, end) or _ALL.search(match.group()))

    def _claims(self, document: Document, action: str) -> list[int]:
        """Claims of an action that are about this thing."""
        return [
            start
            for start in action_claims(document, action)
            if (not self.about or self._concerns(document, start))
            and not _BY_USER.search(document.own, document.clause_at(start).start, start)
        ]

    def _concerns(self, document: Document, position: int) -> bool:
        """Whether this thing is named in the clause of a claim, or referred to beside the verb."""
        clause = document.clause_at(position)
        if _is_alone(document, position, position):
            return True
        return bool(
            subject_pattern(self.about).search(document.text, clause.start, clause.end)
            or _LOCAL_PRONOUN.search(document.own, position, min(clause.end, position + 24))
            or _SUBJECT.search(document.own, max(clause.start, position - 24), position)
        )


def _is_alone(document: Document, start: int, end: int) -> bool:
    """Whether a clause holds these words, or one word that starts here, and no others ("-- left as is")."""
    clause = document.clause_at(start)
    before, behind = document.own[clause.start : start], document.own[end : clause.end]
    return not before.strip(_MARKS) and (" " not in behind.strip(_MARKS) if start == end else not behind.strip(_MARKS))


def _was_so_already(document: Document, position: int) -> bool:
    """Whether a claim tells what had been done before: "it was already sent", not "I have already sent it"."""
    clause = document.clause_at(position)
    return bool(
        _ALREADY.search(document.own, clause.start, clause.end)
        and not _BY_AGENT.search(document.own, clause.start, position)
    )


def _as_it_was(setting: str, text: str, *, on: bool) -> Reading:
    """Whether a setting is said to be as it was, or the change to the other state is denied."""
    reading = Switch(setting, on).read(text)
    if reading is not Reading.SILENT:
        return reading
    key = setting_key(setting)
    denied = [
        event
        for event in events(parse(text), SETTINGS)
        if key in event.subjects and event.kind is EventKind.DENIAL and event.on != on
    ]
    return Reading.STATED if denied else Reading.SILENT
