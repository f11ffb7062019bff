"""Statements about a device setting being on or off, found in a text.

An *event* is a place that says that something is, was, has been put or could not be put in a state: "Wi-Fi is on", "I
turned it off", "cellular: disabled", "couldn't enable GPS". "I turned low power mode off and then enabled Wi-Fi" holds
two. Each gets a polarity, the settings that it is about (named beside it, else those last spoken of), and a kind.
"""

from __future__ import annotations

import bisect
import enum
import re
from enum import auto

import attrs

from tool_sandbox.common.facts._document import Document
from tool_sandbox.common.facts._settings import SETTINGS, setting_pattern


class EventKind(enum.Enum):
    """How something is said about a state.

    Attributes:
        STATE: It is in the state.
        CHANGE: It has been put in the state.
        PAST: It was in the state; background if anything else is said.
        DENIAL: It has not, or could not be, put in the state.
    """

    STATE = auto()
    CHANGE = auto()
    PAST = auto()
    DENIAL = auto()


@attrs.frozen
class Event:
    """One statement about a state.

    Attributes:
        start: Offset of its first character.
        on: The state; for a denial the state that was not reached.
        kind: How it is said.
        subjects: Settings that it is about; empty if the text names none.
    """

    start: int
    on: bool
    kind: EventKind
    subjects: frozenset[str]


_ON = r"enabled|re-?enabled|activated|re-?activated|restored"
_OFF = r"disabled|deactivated"
_SOFT_ON = (
    r"active|online|connected|reconnected|working|running|functional|operational|available|back|up(?: and " r"running)?"
)
_SOFT_OFF = r"inactive|offline|disconnected|unavailable|down|gone"
_PARTICLE = r"(?:back )?(?P<particle>on|off|online|offline|down)\b"
_PLACE = (
    r"(?! (?:(?:your|my|the|a|an|this|that|these|those|his|her|its|it|behalf|top|of|january|february|march|april|may"
    r"|june|july|august|september"
    r"|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\d))"
)
_OBJECT = (
    r"(?: (?!(?:turned|switched|turn|switch|but|because|since|so|while|then|enabled|disabled|on"
    r"|off)\b)[^\s.;!?,()]{1,30}){0,7}"
)
_EVENT = re.compile(
    rf"(?<![\w-])(?:(?:(?P<turned>turned|switched|toggled|flipped|powered|shut|brought|went)|(?P<turn>turn"
    rf"|switch|toggle"
    rf"|flip|shut|bring)){_OBJECT} {_PARTICLE}"
    rf"|(?P<on>{_ON})|(?P<off>{_OFF})|(?P<enable>enable|re-?enable|activate|re-?activate|restore)"
    rf"|(?P<disable>disable|deactivate)"
    rf"|(?P<soft_on>{_SOFT_ON})|(?P<soft_off>{_SOFT_OFF})|(?P<bare>on|off){_PLACE}"
    r"|(?P<inside>in|into|entered)(?= (?:the )?(?:low|power|battery))|(?P<outside>out of|exited|left)(?= (?:the"
    r" )?(?:low|power|battery)))(?![\w-])"
)
_EITHER = re.compile(r"\b(?:on ?(?:/|or|and|-) ?off|off ?(?:/|or|and|-) ?on)\b")
_REACH = 160
_EITHER_LENGTH = len("off or on")
_ADVERB = (
    r"(?:now|currently|already|still|all|both|also|just|successfully|fully|completely|indeed|again|back|set to|in"
    r" fact|automatically|actually|finally"
    r"|temporarily|properly|presently|once again|toggled|switched|turned|in the|not|no longer|never|been|listed as"
    r"|showing as|marked as)"
)
_COPULA = re.compile(
    rf"(?:\b(?:is|are|was|were|am|be|been|stays?|stayed|remains?|remained|gets?|got|left|kept|shows?|reads|has|have"
    rf"|appears to be|seems to be|appears|seems|came|come|not|now|no longer)"
    rf"|'s|'re|n't)(?: {_ADVERB})* $"
)
_SET_TO = re.compile(r"\b(?:set|changed|switched|turned|toggled|put|moved)\b[^.;!?\n]{0,60}? to (?:the )?[\"']?$")
_LABEL = re.compile(r"(?:[:=(]|--) ?(?:now |currently |still |already )?[\"']?$")
_PAST = re.compile(
    r"\b(?:was|were|wasn't|weren't|had(?: been)?|used to be)(?: (?!successfully|just|now|already)\w+){0,3} $"
    r"|\b(?:previously|originally|initially|earlier|at first|before)\b[^.]{0,40}$"
)
_UNREAL = re.compile(
    r"\b(?:will|'ll|shall|would|'d|could|can|can't|cannot|could|couldn't|may|might|must|should|(?<!set )(?<!changed"
    r" )to|needs?|wants?|wanted|asked|requested|like|prefer|have it|get it|keep|being|wish|if|once"
    r"|when|whenever|until|unless|before|after|while|with|without|requires?|required)(?: (?!(?:is|are|was|were|isn't"
    r"|i|i've|it|it's|you|you're|has|have|had)\b)[\w-]+'?s?){0,4} (?:be |been |have |get )?(?:\w+ )?$"
)
_TEMPORAL = re.compile(r"\b(?:once|when|whenever|until|unless|before|after|while)\b")
_MODAL = re.compile(r"\b(?:could|can|would|might|may|should|shall|want|like) (?!not\b|n't)")
_LASTING = re.compile(r"\b(?:will|'ll|to) (?:now |still )?(?:stay|remain|keep|continue)\b")
_ACHIEVED = re.compile(
    r"\b(?:was|were|been|am|i'm) (?:also |now |then |finally )?able to\b|\bmanaged to\b|\bsucceeded\b"
)
_DENIAL = re.compile(
    r"\b(?:unable|couldn't|could not|can't|cannot|can not|fail(?:ed|s)?|not able|wasn't able|won't|will not"
    r"|impossible|didn't|did not|haven't|have not|hasn't|has not|never|isn't possible|wouldn't|refused|not"
    r" possible)\b"
)
_COPULA_NEGATION = re.compile(
    r"(?:\b(?:is|are|was|were|stays?|remains?|am|'s|'re)(?:n't| not| no longer| never)|\bno longer|\bneither"
    r"|\bnor|^\W*(?:and |but |so )?(?:no|not)\b|'s not|'re not|'s no longer|\bnot) ?(?:\w+ ){0,3}$"
)
_CHANGING = re.compile(r"\b(?:now|actually|currently|correction|again|back|sorry|wait|finally|i mean|been)\b")
_GROUP_GAP = re.compile(r"(?:\W|\b(?:and|or|nor|your|the|both|plus|as well as|my|also|service|mode|network)\b)*")
_AFTER_END = re.compile(
    r"[.;!?()]|--|\b(?:because|since|so|but|while|which|except|apart|other than|as|before|after|until|by|in order"
    r"|to|for|that|where"
    r"|when|was|were|is|are)\b"
)
_IS = re.compile(r"(?:\b(?:is|are)|'s|'re)(?: \w+)? $")
_AND_BACK = re.compile(
    r"[^.;!?()\n]{0,40}?(?:,|\band\b|\bthen\b)(?: and| then| right| straight| immediately)*(?: back)? "
)
_FILLER = re.compile(r" (?:mode|status|service|state) $")
_PLURAL = re.compile(r"\b(?:both|all|they|they're|them|everything|each|these)\b")


def spoken_events(document: Document, subjects: dict[str, str]) -> list[Event]:
    """All events of a text in order that name the state themselves, in a sentence.

    Args:
        document: The text.
        subjects: Key to alternatives of a pattern, for every setting that may be spoken of.
    """
    spans = sorted(
        (match.start(), match.end(), key)
        for key, words in subjects.items()
        for match in setting_pattern(words).finditer(document.own)
    )
    finder = _SubjectFinder(document, spans)
    either = [match.start() for match in _EITHER.finditer(document.own)]
    found: list[Event] = []
    reach = 0
    for match in _EVENT.finditer(document.own):
        if found and _is_undone(document, match, found[-1], reach):
            found.append(Event(match.start(), not found[-1].on, EventKind.CHANGE, found[-1].subjects))
            reach = match.end()
            continue
        nearest = bisect.bisect_right(either, match.start()) - 1
        if nearest >= 0 and match.start() < either[nearest] + _EITHER_LENGTH:
            continue
        kind_and_state = _interpret(document, match, finder)
        if kind_and_state is not None:
            kind, on = kind_and_state
            found.append(Event(match.start(), on, kind, finder.subjects(match, reach, found, on)))
            reach = match.end()
    return found


def _is_undone(document: Document, match: re.Match[str], change: Event, reach: int) -> bool:
    """Whether a bare "on" goes on with the change before it that ended at ``reach``: "turned off and on again"."""
    return bool(
        change.kind is EventKind.CHANGE
        and match["bare"]
        and _polarity(match) != change.on
        and match.start() - reach <= _REACH
        and _AND_BACK.fullmatch(document.own, reach, match.start())
        and _ends_clause(document.own, match.end(), bare=True)
    )


def _interpret(document: Document, match: re.Match[str], finder: _SubjectFinder) -> tuple[EventKind, bool] | None:
    """Kind and state of an event; ``None`` if nothing is stated."""
    start = match.start()
    if not document.is_asserted(start):
        return None
    statement = document.statement_start(start)
    is_denied = document.is_denied(start)
    before = document.own[max(statement, start - _REACH) : start]
    if document.own.endswith(", ", 0, statement):
        before = before.removeprefix("while ")  # a contrast, not a condition
    said = _interpret_statement(document, match, finder, before, negated=document.is_negated(start) != is_denied)
    if said is None or not is_denied:
        return said
    kind, on = said
    if kind is EventKind.DENIAL:
        return None
    return (EventKind.DENIAL, on) if kind is EventKind.CHANGE and not _IS.search(before) else (kind, not on)


def _interpret_statement(
    document: Document, match: re.Match[str], finder: _SubjectFinder, before: str, *, negated: bool
) -> tuple[EventKind, bool] | None:
    start = match.start()
    clause = document.clause_at(start)
    on = _polarity(match)
    if match["turn"] or match["enable"] or match["disable"]:
        if _DENIAL.search(before):
            return EventKind.DENIAL, on
        return (EventKind.CHANGE, on) if _ACHIEVED.search(before) else None
    set_to = _SET_TO.search(before)
    before = before[: set_to.start()] if set_to else before
    copula = set_to or _COPULA.search(before)
    if match["bare"] or match["soft_on"] or match["soft_off"]:
        labelled = _LABEL.search(before) or finder.ends_at(start)
        if not copula and not (labelled and _ends_clause(document.own, match.end(), bare=bool(match["bare"]))):
            return None
        # "I could turn power saving off and location on": cut short, and no statement.
        if not copula and _MODAL.search(document.own, document.sentences[clause.sentence][0], start):
            return None
    if negated and _DENIAL.search(before):
        return (
            None if copula and not match["turned"] and not match["on"] and not match["off"] else (EventKind.DENIAL, on)
        )
    if (_TEMPORAL.search(before) or _UNREAL.search(before)) and not _LASTING.search(before):
        return None
    if negated:
        if not _COPULA_NEGATION.search(before):
            return None if copula else (EventKind.DENIAL, on)
        on = not on
    if _PAST.search(before):
        return EventKind.PAST, on
    changed = (
        set_to
        or match["turned"]
        or match["on"]
        or match["off"]
        or match["outside"]
        or _CHANGING.search(document.own, max(clause.start, start - _REACH), min(clause.end, start + _REACH))
    )
    return (EventKind.CHANGE if changed else EventKind.STATE), on


def state_named_at(document: Document, position: int) -> bool | None:
    """The state that the word at this position names, whatever is said of it; ``None`` if it names none."""
    match = _EVENT.match(document.own, position)
    return _polarity(match) if match else None


def _polarity(match: re.Match[str]) -> bool:
    if match["particle"]:
        return match["particle"] in ("on", "online")
    if match["bare"]:
        return match["bare"] == "on"
    return bool(match["on"] or match["enable"] or match["soft_on"] or match["inside"])


_CLAUSE_REST = re.compile(
    r"[\"')]{0,2}(?:$|[\s]*[.,;!?()\n]|\n| --| (?:and|but|now|so|right now|again|currently|at the moment"
    r"|already|as|because|since|while|for now)\b)"
)


def _ends_clause(text: str, position: int, *, bare: bool) -> bool:
    return bool(_CLAUSE_REST.match(text, position)) or not bare


class _SubjectFinder:
    """Which settings an event is about."""

    def __init__(self, document: Document, spans: list[tuple[int, int, str]]) -> None:
        self._document = document
        self._spans = spans
        self._starts = [span[0] for span in spans]
        self._ends = frozenset(end for _, end, _ in spans)
        self._first = {key: start for start, _, key in reversed(spans)}

    def ends_at(self, position: int) -> bool:
        """Whether a setting is named right before a position ("Wi-Fi off")."""
        filler = _FILLER.search(self._document.own, max(0, position - 12), position)
        return position - 1 in self._ends or (filler is not None and filler.start() in self._ends)

    def subjects(self, match: re.Match[str], reach: int, earlier: list[Event], on: bool) -> frozenset[str]:
        """Settings named inside, behind (active voice) or before an event, else those last spoken of."""
        start, end = match.span()
        sentence_start, sentence_end = self._document.sentences[self._document.clause_at(start).sentence]
        if inside := self._between(start, end):
            return frozenset(key for _, _, key in inside)
        before = self._between(max(sentence_start, reach), start)
        is_active = not before or not self._is_passive(start)
        if is_active and (behind := self._object(end, min(sentence_end, end + _REACH))):
            return behind
        if before:
            return self._group(before)
        return self._last_spoken_of(start, earlier, on)

    def _between(self, start: int, end: int) -> list[tuple[int, int, str]]:
        return self._spans[bisect.bisect_left(self._starts, start) : bisect.bisect_left(self._starts, end)]

    def _is_passive(self, start: int) -> bool:
        before = self._document.own[max(0, start - 60) : start]
        return (
            bool(_COPULA.search(before) and not re.search(r"\b(?:i|we)(?:'ve| have)?(?: \w+){0,2} $", before))
            or bool(_LABEL.search(before))
            or self.ends_at(start)
        )

    def _object(self, start: int, end: int) -> frozenset[str]:
        stop = _AFTER_END.search(self._document.own, start, end)
        following = _EVENT.search(self._document.own, start, end)
        limit = min(stop.start() if stop else end, following.start() if following else end)
        return frozenset(key for _, _, key in self._between(start, limit))

    def _group(self, spans: list[tuple[int, int, str]]) -> frozenset[str]:
        """The last setting named, and those coordinated with it."""
        group = {spans[-1][2]}
        for left, right in zip(reversed(spans[:-1]), reversed(spans), strict=False):
            if not _GROUP_GAP.fullmatch(self._document.own[left[1] : right[0]][:60]):
                break
            group.add(left[2])
        return frozenset(group)

    def _last_spoken_of(self, start: int, earlier: list[Event], on: bool) -> frozenset[str]:
        count = bisect.bisect_left(self._starts, start)
        if not count:
            return frozenset()
        clause = self._document.clause_at(start)
        if _PLURAL.search(self._document.own, max(clause.start, start - 80), min(clause.end, start + 80)):
            return frozenset(key for key, first in self._first.items() if first < start)
        latest = self._group(self._spans[max(0, count - len(SETTINGS)) : count])
        previous = earlier[-1] if earlier else None
        return previous.subjects if previous and previous.subjects and previous.on == on else latest
