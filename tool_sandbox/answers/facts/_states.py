"""Whether something is on or off, true or false: all that a text says of it, in one pass over the words for states.

Each word gets a kind by what stands before it in its clause, and the settings that it is about: named inside it or
behind it ("turned off Wi-Fi"), else before it, else those last spoken of. A word may be left out ("Wi-Fi is not").
"""

import bisect
import enum
import re
from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.answers.facts._document import CORRECTION, REACH, Document, parse
from tool_sandbox.answers.facts._judge import term_pattern
from tool_sandbox.answers.facts._reading import FactBase, Reading, as_terms
from tool_sandbox.answers.facts._settings import SETTINGS, setting_key, setting_pattern
from tool_sandbox.answers.facts._text import normalise, one_of

EventKind = enum.Enum("EventKind", "STATE CHANGE PAST DENIAL")
"""How something is said about a state: it is, was put, or was in it, or has not been put in it."""


@attrs.frozen
class Event:
    """One statement about a state; for a denial the state that was not reached.

    It is about the ``subjects``, none if the text names none, and unsure if about one of several things or states.
    """

    start: int
    on: bool
    kind: EventKind
    subjects: frozenset[str]
    is_unsure: bool = False


_OBJECT = (
    r"(?: (?!(?:(?:turn|switch|enabl|disabl)(?:ed)?|but|because|since|so|while|then|before|until|on|off|anything)"
    r"\b)"
    r"[^\s.;!?,()]{1,30}(?:,(?= (?:wi-?fi|cellular|location|and)\b))?){0,7}"
)
_MODE = r"(?= (?:the )?(?:low|power|battery))"
_WORD = re.compile(
    rf"(?<![\w-])(?:(?:(?P<done>(?:turned|switched|toggled|flipped|powered|shut|brought|went){_OBJECT} (?:back |to )?"
    rf"|(?:set|changed|put|moved){_OBJECT} to [\"']?)|(?:turn|switch|toggle|flip|shut|bring){_OBJECT} (?:back )?)"
    r"(?P<particle>on(?! the (?:way|fly|spot|go)\b)|off|online|offline|enabled|disabled|down)"
    r"|(?P<did>(?:re-?)?(?:en|dis)abled|(?:re-?|de)?activated"
    r"|(?:cut|killed)(?= (?:the|your) (?:wi-?fi|cellular|location)\b)"
    rf"|restored|(?:entered|exited|left){_MODE})|(?:re-?)?(?:en|dis)able|(?:re-?|de)?activate|restore"
    r"|(?P<soft>(?:in)?active|(?<!you're )(?<!you are )(?:on|off)line"
    r"|(?:re|dis)?connected|working|(?<!phone's )(?<!phone is )running|functional|operational|(?:un)?available"
    rf"|back(?! (?:on|off)\b)|up(?: and running)?|down|gone|(?:into|in|out of){_MODE})|(?P<bare>on|off)"
    r"(?! (?:your|my|the|an?|this|that|these|those|his|her|its|it|behalf|top|of|\w+day)\b| (?:\w+ )?\d)"
    r"|(?<!as it )(?<!how it )(?<!way it )"
    r"(?P<echo>(?:is|are|does|do)(?:n't| not)?)(?= (?:either|too|as well|also)\b|\s*(?:[.,;!)\n]|--|$))"
    r"|(?P<same>(?:so|neither|nor) (?:is|are|does|do))(?= ))(?![\w-])"
)
_OFF = re.compile(r"off|cut|killed|down|dis|deact|inact|unav|gone|out|exit|left")
_OR_OTHER = re.compile(
    r"(?: right| just)?(?: now)?,? or (?:(?:maybe|perhaps|possibly|it|is|was|it's|has|been|just|turned|switched) ){0,5}"
    r"(?:on|off|enabled|disabled|not)\b"
)
_HEADING = re.compile(r"\)?(?: is| are)? ?:")
_LINE = re.compile(r"[^\n]+?(?=[ .,;]*(?:\n|$))")
_FRAGMENT = re.compile(r"\W*(?:(?:already|now|still|back|again|okay|ok|sure|yes|all|both)\W+)*")
_LINK = re.compile(
    r"(?:(?:\b(?:is|are|was|were|am|be|been|stay(?:s|ed)?|remain(?:s|ed)?|gets?|got|left|kept|shows?|reads|has|have"
    r"|appears|seems|came|come|not|now|no longer)|'s|'re|n't)(?: (?:\w+ly|now|either|already|still|all|both|also|just"
    r"|indeed|again|back|set to|in fact|toggled|in the|to be|not|no longer|never|been|listed as|shown as))* |(?:[:=(]"
    r"|--|->) ?(?:now |currently |still |already )?[\"']?)$"
)
_PAST = re.compile(
    r"\b(?:was|were|wasn't|weren't|had(?: been)?|used to be)(?: (?!successfully|just|now|already)\w+){0,3} $"
    r"|\b(?:previously|originally|initially|earlier|at first|before)\b[^.]{0,40}$"
    r"|\b(?:keep(?:s|ing)|hold(?:s|ing)|forc(?:es|ing))(?: [\w-]+){1,4} $"
)
# "on -> off"
_BECAME = re.compile(r" ?(?::|->|=>) ?(?:on|off|enabled|disabled)\b")
_LET = re.compile(r"\b(?:let|allow)(?: [\w-]+){1,6} $")
_UNREAL = re.compile(
    r"\b(?:once|when|whenever|as soon as|the moment|until|unless|before|after|while)\b"
    r"|(?:(?:\b(?:will|to)|'ll)(?! (?:now |still )?(?:stay"
    r"|remain|keep|continue)\b)|'d\b|\b(?:shall|would|could|couldn't|can|can't|cannot|may|might|must|should|needs?"
    r"|wants?|wanted|asked|requested|like|prefer|have it|get it|keep|being|wish|if|with|without|requires?"
    r"|required)\b)(?: (?!(?:is|are|was|were|isn't|i|i've|it|it's|you|you're|has|have|had)\b)[\w'-]+){0,6} $"
)
_MODAL = re.compile(r"\b(?:could|can|would|might|may|should|shall|want|like|i'd|we'd|you'd|i'll) (?!not\b|n't)")
_ACHIEVED = re.compile(r"\b(?:was|were|been|am|i'm) (?:also |now |then |finally )?able to\b|\bmanaged to\b")
_IS_NOT = re.compile(
    r"(?:\b(?:is|are|was|were|am)n't|(?<!have )(?<!has )(?<!did )\bnot?|no longer|\bneither|\bnor"
    r"|is never)(?: [\w-]+){0,3} $"
)
# "... because it can't be turned on while low battery mode is active": so it is in general.
_IN_GENERAL = re.compile(
    r"[^.;!?\n]*\b(?:can't|cannot|can not|won't|isn't|doesn't)\b[^.;!?\n]*"
    r"\b(?:while|as long as|when|whenever|in|with|during|under|until|unless|if)\b"
)
_CHANGING = one_of("now|currently|again|back|finally|been")
_GAP = re.compile(r"(?:\W|\b(?:and|or|nor|your|the|both|plus|as well as|my|also|service|mode|network)\b)*")
_BEHIND_ENDS = re.compile(
    r"[.;!?()]|--|\b(?:because|since|so|but|while|which|except|apart|other than|as|before|after|until|by|to|for|that"
    r"|where|when|was|were|is|are)\b"
)
_AND_BACK = re.compile(
    r"[^.;!?()\n]{0,40}?(?:,|\band\b|\bthen\b)(?: and| then| right| straight| immediately)*(?: back)? "
)
_CLAUSE_ENDS = re.compile(
    r"[\"')]{0,2}(?:$|\s*[.,;!?()\n]| --| (?:and|but|now|so|right now|again|currently|at the moment|already|as"
    r"|because|since|while|for now)\b)"
)
_PLURAL = one_of("both|all|they|they're|them|everything|each|these|those")

_RELATIVE = one_of("how|what|whether|where|who|which")
_BOTH, _THESE = one_of("both|the two|these two|those two"), one_of("these|the following")
_PRONOUN = re.compile(r"\b(?:it|that|they)(?:'s|'re| is| are| was| were) (?:(?:now|also|still|already) )?$")

_Span = tuple[int, int, str]
"""Start and end of the name of a setting, and which it is."""


def events(document: Document, subjects: dict[str, str]) -> list[Event]:
    """All statements about states in order, of settings given as key to alternatives of a pattern."""
    return _Reader(document, subjects).found


def _keys(spans: Iterable[_Span]) -> frozenset[str]:
    return frozenset(key for _, _, key in spans)


class _Reader:
    """Reads the words of a text in order, as each may rest on those before it."""

    def __init__(self, document: Document, subjects: dict[str, str]) -> None:
        self._document, self._own = document, document.own
        names = {key: setting_pattern(words).finditer(document.own) for key, words in subjects.items()}
        self._spans = sorted((*match.span(), key) for key, matches in names.items() for match in matches)
        self._starts = [span[0] for span in self._spans]
        self._ends = frozenset(end for _, end, _ in self._spans)
        self._reach, self._named = 0, True
        self._last: dict[str, Event] = {}
        self.found: list[Event] = []
        for match in _WORD.finditer(self._own):
            if document.is_asserted(match.start()) and (said := self._read(match)):
                kind, on, about, is_unsure = said
                self._reach = match.end()
                is_open = is_unsure or _OR_OTHER.match(self._own, self._reach) is not None
                self.found.append(Event(match.start(), on, kind, about, is_open))
                self._last |= dict.fromkeys(() if kind is EventKind.DENIAL else about, self.found[-1])

    def _read(self, match: re.Match[str]) -> tuple[EventKind, bool, frozenset[str], bool] | None:
        """Kind, state and settings of what a word says, and any doubt about them; ``None`` if it states nothing."""
        own, (start, end) = self._own, match.span()
        last = self.found[-1] if self.found else None
        before = self._between(max(self._document.sentence_at(start)[0], self._reach, start - 2 * REACH), start)
        if match["echo"] or match["same"]:
            keys = self._behind(end) if match["same"] else _keys(before)
            is_relative = _RELATIVE.search(own, self._document.clause_at(start).start, start)
            if is_relative or not last or not keys or start - last.start >= REACH or last.kind is EventKind.DENIAL:
                return None
            on = last.on if match["same"] else self._named is not match["echo"].endswith(("not", "n't"))
            return EventKind.STATE, on, keys, False
        on = not _OFF.match(match["particle"] or match.group())
        is_turned = match["bare"] and last is not None and last.kind is EventKind.CHANGE and on != last.on
        # "turned off and on again"
        if last and is_turned and _AND_BACK.fullmatch(own, self._reach, start) and _CLAUSE_ENDS.match(own, end):
            return EventKind.CHANGE, on, last.subjects, False
        heads = (match["bare"] or match["did"]) and not before and _HEADING.match(own, end)
        listed = self._below(heads.end()) if heads else None
        said = (EventKind.STATE, on is not own.endswith("not ", 0, start)) if listed else self._interpret(match, on)
        self._named = on if said else self._named
        return said and (*said, *((listed, False) if listed else self._subjects(match, before, said[1])))

    def _interpret(self, match: re.Match[str], on: bool) -> tuple[EventKind, bool] | None:
        """Kind and state of an event; ``None`` if nothing is stated."""
        document, start = self._document, match.start()
        statement, is_denied = document.statement_start(start), document.is_denied(start)
        before = self._own[max(statement, start - REACH) : start]
        if self._own.endswith(", ", 0, statement):
            before = before.removeprefix("while ")  # a contrast, not a condition
        kind = self._kind(match, before, negated=document.is_negated(start) is not is_denied)
        if kind in (None, EventKind.DENIAL):
            return None if kind is None or is_denied else (kind, on)
        on = on is not bool(_IS_NOT.search(before))
        is_act = is_denied and kind is EventKind.CHANGE and not _LINK.search(before)
        return (EventKind.DENIAL, on) if is_act else (kind, on is not is_denied)

    def _kind(self, match: re.Match[str], before: str, *, negated: bool) -> EventKind | None:
        (start, end), changes = match.span(), match["done"] or match["did"]
        if not (changes or match["soft"] or match["bare"]):
            return EventKind.DENIAL if negated else EventKind.CHANGE if _ACHIEVED.search(before) else None
        ends = _CLAUSE_ENDS.match(self._own, end)
        linked = _LINK.search(before) or (ends and _FRAGMENT.fullmatch(before))
        cut_short = start - 1 in self._ends and (match["soft"] or ends)
        # "I could turn power saving off and location on": cut short, and no statement.
        is_wish = cut_short and _MODAL.search(self._own, self._document.sentence_at(start)[0], start)
        is_way = cut_short and not linked and self._is_on_the_way(start)
        if not changes and not linked and (is_wish or is_way or not cut_short):
            return None
        unreal = _UNREAL.search(before)
        if negated and _LET.search(before):
            return None  # what an obstacle does not let happen may have happened once it was gone
        if negated and (unreal or not _IS_NOT.search(before)):
            return EventKind.DENIAL if changes or not linked else None
        if unreal or _PAST.search(before) or _BECAME.match(self._own, end):
            return None if unreal else EventKind.PAST
        is_change = changes or _CHANGING.search(self._own, *self._document.near(start, start))
        return EventKind.CHANGE if is_change else EventKind.STATE

    def _is_on_the_way(self, start: int) -> bool:
        """Whether an arrow leads from one setting to another: "low battery mode off -> wifi on"."""
        begin, end = self._document.sentence_at(start)
        arrow = self._own.find(" -> ", begin, end)
        return arrow >= 0 and bool(self._between(begin, arrow)) and bool(self._between(arrow, end))

    def _subjects(self, match: re.Match[str], before: list[_Span], on: bool) -> tuple[frozenset[str], bool]:
        """Settings named inside, behind (active voice) or before an event, else those last spoken of; and any doubt."""
        start, end = match.span()
        is_named = before and (start - 1 in self._ends or _LINK.search(self._own, max(0, start - 60), start))
        is_passive = is_named or _PRONOUN.search(self._own, max(0, start - 24), start)
        if named := _keys(self._between(start, end)) or (frozenset() if is_passive else self._behind(end)):
            return named, False
        if not before:
            return self._last_spoken_of(start, on)
        group = {before[-1][2]}
        for left, right in zip(reversed(before[:-1]), reversed(before), strict=False):
            if not _GAP.fullmatch(self._own[left[1] : right[0]][:60]):
                break
            group.add(left[2])
        return frozenset(group), on and len(group) > 1 and " or " in self._own[before[0][0] : start]

    def _between(self, start: int, end: int) -> list[_Span]:
        return self._spans[bisect.bisect_left(self._starts, start) : bisect.bisect_left(self._starts, end)]

    def _behind(self, start: int) -> frozenset[str]:
        end = min(self._document.sentence_at(start - 1)[1], start + REACH)
        stops = (pattern.search(self._own, start, end) for pattern in (_BEHIND_ENDS, _WORD))
        return _keys(self._between(start, min((stop.start() for stop in stops if stop), default=end)))

    def _below(self, start: int) -> frozenset[str]:
        """Settings behind a heading, and in the lines below it that hold nothing but names of settings."""
        keys = self._behind(start)
        for line in list(_LINE.finditer(self._own, start))[1:]:
            spans = self._between(line.start(), line.end())
            if [span[:2] for span in spans] != [line.span()]:
                break
            keys |= _keys(spans)
        return keys

    def _last_spoken_of(self, start: int, on: bool) -> tuple[frozenset[str], bool]:
        spoken = self._between(0, start)[-REACH:]
        clause = self._document.clause_at(start)
        near = max(clause.start, start - 80), min(clause.end, start + 80)
        done = self.found[-1].subjects if self.found else frozenset[str]()
        if _THESE.search(self._own, *near) and (listed := _keys(self._between(near[1], len(self._own))) - done):
            return listed, False
        if not spoken or _PLURAL.search(self._own, *near):
            named = list(dict.fromkeys(key for _, _, key in reversed(spoken)))
            return frozenset(named[: 2 if _BOTH.search(self._own, *near) else None]), False
        # "Low battery mode was on, which kept Wi-Fi off. I turned it off": not what is off already.
        latest = _keys(self._between(self._document.sentence_at(spoken[-1][0])[0], start)[-REACH:])
        told = {key: self._last[key] for key in latest & self._last.keys()}
        settled = {key for key, event in told.items() if event.kind is EventKind.CHANGE or event.on is on}
        fitting = latest - settled or latest
        return fitting, len(fitting) > 1


def _is_general(document: Document, event: Event) -> bool:
    """Whether a denial says when something cannot be, and not that it is not."""
    return event.kind is EventKind.DENIAL and bool(
        _IN_GENERAL.match(document.own, document.sentence_at(event.start)[0])
    )


_YES_OR_NO = re.compile(
    r"(?:(?P<yes>yes|(?:it )?sure (?:is|does|thing)|yep|yeah|yup|correct|affirmative|indeed|it is|it does"
    r"|they are|absolutely)|(?:no|nope|negative|it isn't|it's not|it is not|it does not|it doesn't))\b"
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
        return _conclude(document, relevant, self.on, self.yes)


def _conclude(document: Document, found: Sequence[Event], value: bool, yes: bool | None) -> Reading:
    """The reading of the last of several statements, or of a bare "yes" or "no" where there is none."""
    answer = _YES_OR_NO.match(document.own)
    if not found and yes is not None and answer and not document.clauses[0].is_question:
        found = [Event(0, (answer["yes"] is not None) == yes, EventKind.STATE, frozenset())]
    is_reached = any(event.kind in (EventKind.STATE, EventKind.CHANGE) and event.on == value for event in found)
    relevant = [event for event in found if event.kind is not EventKind.DENIAL or event.on == value]
    relevant = [event for event in relevant if not (is_reached and _is_general(document, event))]
    current = [event for event in relevant if event.kind is not EventKind.PAST] or relevant
    if not current:
        return Reading.SILENT
    # "All of them are off ...; somebody switched those two off": what may be of several adds nothing.
    sure = [event for event in current if not event.is_unsure]
    last = sure[-1] if sure and sure[-1].on == current[-1].on else current[-1]
    opposed = [each.start for each in current if each.kind is EventKind.STATE and each.on != last.on]
    since = opposed[-1] if opposed else last.start
    if last.is_unsure or _OR.search(document.own, max(since, document.clause_at(last.start).start), last.start):
        return Reading.UNCLEAR
    if last.kind is EventKind.DENIAL or last.on != value or document.is_retracted(last.start):
        return Reading.CONTRADICTED
    is_open = opposed and last.kind is EventKind.STATE and not CORRECTION.search(document.own, since, last.start)
    return Reading.CONTRADICTED if is_open else Reading.STATED


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
        pattern, so = term_pattern((*self.true_terms, *self.false_terms)), term_pattern(self.true_terms)
        places = [place for place in pattern.finditer(document.own) if document.is_asserted(place.start())]
        said = [(p.start(), (not so.fullmatch(p.group())) is document.is_negated(p.start())) for p in places]
        found = [Event(start, on, EventKind.STATE, frozenset()) for start, on in said]
        return _conclude(document, found, self.value, self.yes)
