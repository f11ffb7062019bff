"""An answer cut into clauses, and the mood of each: asserted, denied, asked, supposed, intended, guessed.

Negation, questions and the like work clause by clause. A clause ends at punctuation and at conjunctions that start a
new statement. All positions are offsets into ``Document.text``. Text between quotation marks belongs to somebody else:
it is blanked in ``Document.own``, on which clauses and moods are computed, and stays in ``Document.text``, in which
values are found.
"""

from __future__ import annotations

import bisect
import functools
import re

import attrs

from tool_sandbox.common.facts._arithmetic import without_arithmetic
from tool_sandbox.common.facts._text import normalise, one_of

_QUOTED = re.compile(r"\"[^\"\n]{1,1200}\"|(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){1,1200}'(?!\w)")
_COURTESY = (
    r"(?:(?:is|was) there (?:anything|something|more)|(?:would|do|did|will) you|should we|shall we|(?:can|may|shall"
    r"|should) i|let me know|please let|feel free|anything else|what else|want me)\b"
)
# A quotation at the end of a sentence may hide the full stop: "It says "Come at 5." Is there anything else?"
_SENTENCE_END = re.compile(rf"[.!?]+(?=[\"')\]]{{0,3}}(?:\s|$))|\n+|;|(?<=[\"']) (?={_COURTESY})")
_ABBREVIATION = re.compile(
    r"\b(?:(?<![°'])(?<![\d°] )[a-z]|st|mr|mrs|ms|dr|jr|sr|prof|ave|blvd|rd|inc|corp|ltd|co|vs|approx|dept|mt|ft|e\.g"
    r"|i\.e|u\.s)$"
)
_CLAUSE_START = re.compile(
    r"(?:,(?!\d)(?! ?(?:19|20)\d\d\b)|[()\[\]]| --? |:(?=\s))|(?<=\s)(?:but|and|so|because|since|although|though"
    r"|however|while|whereas|which|yet|then|instead|nor|except)(?=\s)"
)
# "65.5 (65.48) degrees at the beach" is one statement.
_FIGURE_IN_BRACKETS = re.compile(r"\((?:about |exactly |or )?[-+$€£~]{0,2}\d[\d.,]*[^()\n]{0,12}\)")
_SHORT_LABEL = 5
# "That day isn't free: you have to ..." and "Not sent: 11 days left" are complete; "it doesn't say: ..." goes on.
_OPEN_DENIAL = re.compile(
    r"(?:n't|\b(?:not|never|no longer|say|says|said|find|found|see|have|include|includes|show|mention|read|be|a|an"
    r"|the|this|following|for|to|in|on|at|of|from|called|named|with|true|right|correct|accurate|the case))\s?$"
)

_HARMLESS = re.compile(
    r"\b(?:no (?:problem|worries|doubt|need|trouble|(?:later|more|less|fewer) than|further)|nothing else"
    r"|not (?:a problem|only|just|to worry|to mention|sure if you)|never ?mind|can'?t wait|(?:don'?t|do not) (?:worry"
    r"|hesitate|forget|miss|need))\b|(?:^|(?<=[.!?\n] ))no(?=[,.!:]| --)"
)
_NEGATOR = one_of(
    r"not|no|never|none|nothing|nobody|neither|nor|cannot|without|hardly|\w{2,8}n't",
    r"isnt|wasnt|didnt|doesnt|dont|cant|couldnt|wont|arent|hasnt|havent",
    r"unable|impossible|refused|failed|fail(?:s|ing)?(?= to\b)",
    r"instead of|rather than|other than|wrong(?:ly)? (?:said|stated)",
)
_IS_NOT = r"(?:is not|isn't|it's not|that's not|was not|wasn't)"
_DENIED = one_of(
    rf"{_IS_NOT} (?:actually |really |quite |entirely )?(?:true|correct|right|accurate|so|the case)(?: to say)? that",
    r"(?:false|untrue|incorrect|inaccurate|wrong|a lie|no longer (?:true|the case))(?: to say)? that",
)
# "The only one who has not replied is Ann" denies nothing of Ann.
_RELATIVE = re.compile(
    r"\b(?:who|whom|which) (?:\w+ ){0,2}?(?:\w{2,8}n't|not|never)\b(?=[^.;:,!?\n]{1,60}? (?:is|are|was"
    r"|were)\b(?! not\b))"
)
_CONDITION = one_of(
    "if|unless|whether|in case|assuming|suppose|supposing|provided that|as long as|were it|had it",
)
_HEDGE = one_of(
    (
        r"i(?:'d| would) (?:guess|say)|i (?:think|guess|suppose|assume|believe|suspect|imagine|doubt)|my guess"
        r"|no idea|if (?:i recall|i remember|memory serves)"
    ),
    r"maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|likely|unlikely|hypothetically|in theory",
    r"might|may (?:be|have|not)|could (?:be|have been)|(?<!that )would (?:be|have been)",
    r"not (?:entirely |completely |really )?(?:sure|certain)|unsure|uncertain",
)
_QUESTION_START = one_of(
    (
        r"(?:would|did|could|can|will|have|are|do) you|(?:should|shall|can|may) (?:i|we)|(?:is|are|was) (?:there|that"
        r"|it|this)"
    ),
    r"want me|need me|what|which|who|whom|whose|when|where|why|how|anything|something else|any other",
    r"does|did|is|are|was|were|has|have|shall|should|could",
)
_TAG = re.compile(r"(?:right|correct|yes|no|ok|okay|true|(?:is|was|does|did|are|has)n't (?:it|he|she|that|they))\W*$")
CORRECTION = one_of(
    r"correction|corrected|i (?:meant?|misspoke|misread|stand corrected)|sorry|apologies|my (?:mistake|bad|apologies)",
    r"scratch that|strike that|let me (?:correct|fix)|to correct|actually|wait",
)
_FALSE = (
    r"(?:wrong|incorrect|inaccurate|false|untrue|not (?:right|correct|true|accurate)|a lie|made up|a mistake|an error)"
)
_ANSWER = r"(?:answer|message|statement|reply|response|information)"
_RETRACTION = one_of(
    rf"(?:that|this|it|which|what i (?:(?:have )?(?:just|earlier|previously) )?(?:said|told you|wrote|stated"
    rf"|reported)|the above|(?:the|my) (?:previous |last |earlier )?{_ANSWER})(?: (?:above|earlier|before"
    rf"|i gave(?: you)?))? (?:was|were|is|are)(?: \w+){{0,2}} {_FALSE}",
    rf"that's (?:\w+ )?{_FALSE}|that (?:wasn't|isn't) (?:\w+ )?(?:right|correct|true|accurate)",
    r"i(?:'m| was| am) (?:wrong|mistaken|lying)|i (?:lied|misspoke|misread|fabricated)",
    (
        r"i take (?:that|it|this) back|i made (?:that|it|this|all of (?:that|this|it)) up"
        r"|i (?:have )?made an? (?:mistake|error)"
    ),
    r"(?:ignore|disregard|forget) (?:that|this|it|what i|my|the (?:above|previous|last)|everything|all)",
    r"scratch that|strike that|none of (?:that|this|it|the above) (?:is|was|has)",
    r"i (?:did not|didn't|have not|haven't|never) (?:actually |really |in fact )?(?:check(?:ed)?|verif(?:y|ied)"
    r"|perform(?:ed)?|completed?)",
    r"i (?:did not|didn't|have not|haven't|never) (?:actually |really |in fact )(?:do|done|did|make|made)",
)


@attrs.frozen
class Clause:
    """A stretch of text that makes one statement.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        sentence: Index of its sentence.
        is_question: Whether it asks.
        denied_from: Where what "it is not true that" denies begins, if it is in this clause.
    """

    start: int
    end: int
    sentence: int
    is_question: bool
    denied_from: int | None


@attrs.frozen
class Document:
    """A normalised answer with its clauses."""

    text: str
    own: str
    sentences: tuple[tuple[int, int], ...]
    clauses: tuple[Clause, ...]
    _starts: tuple[int, ...]
    _negators: tuple[int, ...]
    _conditions: tuple[int, ...]
    _hedges: tuple[int, ...]
    _retractions: tuple[int, ...]

    def clause_at(self, position: int) -> Clause:
        """The clause that holds a position."""
        return self.clauses[max(0, bisect.bisect_right(self._starts, position) - 1)]

    def is_negated(self, position: int) -> bool:
        """Whether a negation stands before this position in its clause; "it is not true that" turns the rest round."""
        start = self.statement_start(position)
        return _any_between(self._negators, start, position) != self.is_denied(position)

    def statement_start(self, position: int) -> int:
        """Where the clause of a position starts, or in it the statement that "it is not true that" denies."""
        clause = self.clause_at(position)
        return clause.denied_from if clause.denied_from and self.is_denied(position) else clause.start

    def is_denied(self, position: int) -> bool:
        """Whether "it is not true that" stands before what is said here."""
        denied_from = self.clause_at(position).denied_from
        return denied_from is not None and denied_from <= position

    def is_asserted(self, position: int) -> bool:
        """Whether what stands here is said as a fact: not asked, supposed or guessed (it may still be negated)."""
        clause = self.clause_at(position)
        return not (
            clause.is_question
            or _any_between(self._conditions, clause.start, position)
            or _any_between(self._hedges, clause.start, position)
        )

    def is_retracted(self, position: int) -> bool:
        """Whether a later sentence takes back what was said here."""
        return bool(self._retractions) and self._retractions[-1] >= position

    @property
    def retracts(self) -> bool:
        """Whether the text takes back something said before."""
        return bool(self._retractions)


def _any_between(positions: tuple[int, ...], start: int, end: int) -> bool:
    index = bisect.bisect_left(positions, start)
    return index < len(positions) and positions[index] < end


def _underscores(match: re.Match[str]) -> str:
    return "_" * len(match.group())


def _blank(match: re.Match[str]) -> str:
    content = match.group()[1:-1]
    if content.count(" ") < 2 and "?" not in content:
        return match.group()
    return f'"{"_" * len(content)}"'


def _sentence_bounds(own: str) -> list[tuple[int, int]]:
    bounds = []
    start = 0
    for match in _SENTENCE_END.finditer(own):
        if match.group() == "." and _ABBREVIATION.search(own, max(start, match.start() - 8), match.start()):
            continue
        if own[start : match.end()].strip():
            bounds.append((start, match.end()))
        start = match.end()
    if own[start:].strip() or not bounds:
        bounds.append((start, len(own)))
    return bounds


def _clause_bounds(own: str, start: int, end: int) -> list[tuple[int, int]]:
    bounds = []
    begin = start
    figures = {
        edge for match in _FIGURE_IN_BRACKETS.finditer(own, start, end) for edge in (match.start(), match.end() - 1)
    }
    for match in _CLAUSE_START.finditer(own, start, end):
        if match.start() in figures:
            continue
        if match.group() == ":" and own.count(" ", begin, match.start()) < _SHORT_LABEL:
            label = own[begin : match.start()]
            if not _NEGATOR.search(label) or _OPEN_DENIAL.search(label):
                continue
        if match.start() > begin:
            bounds.append((begin, match.start()))
            begin = match.start()
    bounds.append((begin, end))
    return bounds


def _questions(own: str, bounds: list[tuple[int, int]], end: int) -> list[bool]:
    """Which clauses of a sentence ask: in a mixed one, those from the first that opens like a question."""
    if not own[max(bounds[0][0], end - 8) : end].rstrip("\"')] \n").endswith("?"):
        return [False] * len(bounds)
    if len(bounds) == 1 or _TAG.search(own[bounds[-1][0] : end]):
        return [True] * len(bounds)
    for index, (start, stop) in enumerate(bounds):
        head = own[start:stop].lstrip(" ,()[]:-")
        if _QUESTION_START.match(head) or (_QUESTION_START.search(head[:40]) and index):
            return [position >= index for position in range(len(bounds))]
    return [True] * len(bounds)


def _positions(pattern: re.Pattern[str], own: str) -> tuple[int, ...]:
    return tuple(match.start() for match in pattern.finditer(own))


def _parse(text: str) -> Document:
    text = without_arithmetic(normalise(text))
    own = _QUOTED.sub(_blank, text) if '"' in text or "'" in text else text
    calm = _RELATIVE.sub(_underscores, _HARMLESS.sub(_underscores, own))
    denials = [match.end() for match in _DENIED.finditer(calm)]
    sentences = _sentence_bounds(own)
    clauses: list[Clause] = []
    goes_on = False
    for number, (start, end) in enumerate(sentences):
        bounds = _clause_bounds(own, start, end)
        for (begin, stop), asked in zip(bounds, _questions(own, bounds, end), strict=True):
            # "It is not true that it says: a, b" denies also what stands behind its colon.
            is_listed = own.startswith(":", begin) and begin > start and clauses[-1].denied_from is not None
            goes_on = is_listed or (goes_on and own.startswith((",", "and"), begin))
            index = bisect.bisect_left(denials, stop) - 1
            denied = denials[index] if index >= 0 and denials[index] > begin else begin if goes_on else None
            clauses.append(Clause(begin, stop, number, asked, denied))
    document = Document(
        text=text,
        own=own,
        sentences=tuple(sentences),
        clauses=tuple(clauses),
        starts=tuple(clause.start for clause in clauses),
        negators=_positions(_NEGATOR, calm),
        conditions=_positions(_CONDITION, calm),
        hedges=_positions(_HEDGE, calm),
        retractions=(),
    )
    retractions = tuple(position for position in _positions(_RETRACTION, own) if document.is_asserted(position))
    return attrs.evolve(document, retractions=retractions)


_cached_parse = functools.lru_cache(maxsize=256)(_parse)


def parse(text: str) -> Document:
    """Normalise a text and cut it into clauses. Several facts read the same message, so short texts are remembered."""
    return _cached_parse(text) if len(text) <= 20_000 else _parse(text)
