"""An answer cut into clauses, and the mood of each: asserted, denied, asked, supposed, intended, guessed.

Negation, questions and the like work clause by clause. A clause ends at punctuation and at conjunctions that start a
new statement. All positions are offsets into ``Document.text``. Text between quotation marks belongs to somebody else:
it is blanked in ``Document.own``, on which clauses and moods are computed, and stays in ``Document.text``, in which
values are found.
"""

import bisect
import functools
import itertools
import operator
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

import attrs

from tool_sandbox.answers.facts._text import normalise, one_of, underscores, without_arithmetic

_QUOTED = re.compile(r"\"[^\"\n]{1,1200}\"|(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){1,1200}'(?!\w)")
_SENTENCE_END = re.compile(r"[.!?]+(?=[\"')\]]{0,3}(?:\s|$))|\n+|;")
_ABBREVIATION = re.compile(
    r"\b(?:(?<![°'])(?<![\d°] )[a-z]|st|mr|mrs|ms|dr|jr|sr|prof|ave|blvd|rd|inc|corp|ltd|co|vs|approx|dept|mt|ft)$"
)
_CLAUSE_START = re.compile(
    r"(?:,(?!\d)(?! ?(?:19|20)\d\d\b)|[()\[\]]| --? | ->|:(?=\s))|(?<=\s)(?:but|and|so|because|since|although|though"
    r"|however|while|whereas|which|yet|then|instead|nor|except)(?=\s)"
)
# "65.5 (65.48) degrees at the beach" is one statement.
_FIGURE_IN_BRACKETS = re.compile(r"\((?:about |exactly |or )?[-+$€£~]{0,2}\d[\d.,]*[^()\n]{0,12}\)")
_SHORT_LABEL = 5
REACH = 160
# "That day isn't free: you have to ..." and "Not sent: 11 days left" are complete; "it doesn't say: ..." goes on.
_OPEN_DENIAL = re.compile(
    r"(?:n't|\b(?:not|never|no longer|(?:say|include|show|mention|read)s?|said|find|found|see|have|be|an?|the|this"
    r"|following|for|to|in|on|at|of|from|called|named|with|true|right|correct|accurate|the case))\s?$"
)

# "No problem" denies nothing, and "the only one who has not replied is Ann" nothing of Ann.
_HARMLESS = re.compile(
    r"\bnothing is (?:set|saved|planned) (?:for|at) (?=\d|noon|midnight)"
    r"|\b(?:no (?:problem|worries|doubt|need|trouble|(?:later|more|less|fewer) than|further)|nothing else"
    r"|not (?:a problem|only|just|to worry|to mention|sure if you)|never ?mind|can'?t wait|(?:don'?t|do not) (?:worry"
    r"|hesitate|forget|miss|need))\b|(?:^|(?<=[.!?\n] ))no(?=[,.!:]| --)|\b(?:who|whom|which) (?:\w+ ){0,2}?"
    r"(?:\w{2,8}n't|not|never)\b(?=[^.;:,!?\n]{1,60}? (?:is|are|was|were)\b(?! not\b))"
)
_NEGATOR = one_of(
    r"not|no|never|none|nothing|nobody|neither|nor|cannot|without|hardly|\w{2,8}n't|unable|impossible|refused|failed",
    r"(?:is|was|did|does|do|ca|could|wo|are|has|have)nt|fail(?:s|ing)?(?= to\b)|(?:instead|rather|other) (?:of|than)",
    r"wrong(?:ly)? (?:said|stated)",
)
_UNTRUE = (
    r"(?:(?:\w+n't|not) (?:\w+ly |quite )?(?:true|correct|right|accurate|the case)|wrong|incorrect|inaccurate"
    r"|false|untrue|a lie)"
)
_DENIED = one_of(
    rf"(?:{_UNTRUE}|no longer (?:true|the case)|(?:is not|isn't|'s not|was not|wasn't) so)(?: to say)? that"
)
_SUPPOSED = one_of(
    r"if|unless|whether|once (?:it|that|they|you)(?:'s|'re| is| are)?|in case",
    r"assuming|suppose|supposing|provided that|as long as|were it|had it|i(?:'d| would) say",
    r"i(?:'d| would)? (?:think|guess|suppose|assume|believe|suspect|imagine|doubt)|my guess|no idea|maybe|perhaps",
    r"possibly|probably|presumably|(?:un)?likely|hypothetically|in theory|might",
    r"may (?:be|have|not)|could (?:be|have been)|(?<!that )would (?:be|have been)",
    r"not (?:entirely |completely |really )?(?:sure|certain)|unsure|uncertain",
)
# What depends on it is no statement of its own, but "if you need it, the number is ..." is one.
_CONDITION = re.compile(
    r"\W{0,40}+(?:[\w', ]{1,40}: )?(?:but |and |so |then )?(?:if|assuming|suppose|supposing|provided)\b"
    r"(?! (?:you(?! are|'re)|i|we|need|this|that|it's|so|any\w*)\b)"
)
_QUESTION_START = one_of(
    r"(?:would|can|will|do) you|(?:can|may) (?:i|we)|(?:want|need) me|what|which|who|whom|whose|when|where|why|how",
    r"any(?:thing| other)|something else|does|did|is|are|was|were|has|have|shall|should|could",
)
_TAG = re.compile(r"(?:right|correct|yes|no|ok|okay|true|(?:is|was|does|did|are|has)n't (?:it|he|she|that|they))\W*$")
CORRECTION = one_of(
    r"correction|corrected|i (?:meant?|misspoke|misread|stand corrected)|sorry|apologies|my (?:mistake|bad|apologies)",
    r"scratch that|strike that|let me (?:correct|fix)|to correct|actually|wait",
)
_RETRACTION = one_of(
    r"(?:(?:that|this|it|which|what i (?:(?:have )?(?:just|earlier|previously) )?(?:said|told you|wrote|stated"
    r"|reported)|the above|(?:the|my) (?:previous |last |earlier )?(?:answer|message|statement|reply|response"
    r"|information))(?: (?:above|earlier|before|i gave(?: you)?))? (?:was|were|is|are)|that's|that(?= \w+n't))"
    rf"(?: \w+){{0,2}} (?:{_UNTRUE}|made up|a mistake|an error)",
    r"i(?:'m| was| am) (?:wrong|mistaken|lying)|i (?:lied|misspoke|misread|fabricated)|i take (?:that|it|this) back",
    r"i made (?:(?:all of )?(?:that|this|it)) up|i (?:have )?made an? (?:mistake|error)|(?:scratch|strike) that",
    r"(?:ignore|disregard|forget) (?:that|this|it|what i|my|the (?:above|previous|last)|everything|all)",
    r"none of (?:that|this|it|the above) (?:is|was|has)|i (?:never|(?:did|have)(?: not|n't)) (?:(?:actually |really "
    r"|in fact )?(?:check|verif[iy]|perform|complete)(?:e?d)? (?:any of )?(?:it|that|this|them)"
    r"|(?:actually |really |in fact )(?:do|done|did|make|made|check(?:ed)?))",
)


@attrs.frozen
class Span:
    """A stretch of text from the offset ``start`` to before the offset ``end``."""

    start: int
    end: int


S = TypeVar("S", bound=Span)
_START = operator.attrgetter("start")


def joined(found: Iterable[S], join: Callable[[S, S], S | None]) -> list[S]:
    """What was found in order, each joined with the one before it where ``join`` makes one of the two."""
    result: list[S] = []
    for each in found:
        both = join(result[-1], each) if result else None
        result[len(result) - (both is not None) :] = [both or each]
    return result


def leftmost_longest(found: Iterable[S | None]) -> list[S]:
    """What was found in order, without what begins inside something else."""
    ordered = sorted(filter(None, found), key=lambda each: (each.start, -each.end))
    return joined(ordered, lambda last, each: last if each.start < last.end else None)


@attrs.frozen
class Clause(Span):
    """A stretch of text that makes one statement; what "it is not true that" denies begins at ``denied_from``."""

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
    _negators: tuple[int, ...]
    _suppositions: tuple[int, ...]

    def clause_at(self, position: int) -> Clause:
        """The clause that holds a position."""
        return self.clauses[max(0, bisect.bisect_right(self.clauses, position, key=_START) - 1)]

    def sentence_at(self, position: int) -> tuple[int, int]:
        """Start and end of the sentence that holds a position."""
        return self.sentences[self.clause_at(position).sentence]

    def near(self, start: int, end: int) -> tuple[int, int]:
        """Where the words stand that belong to a place: in its clause, and not too far away in an endless one."""
        clause = self.clause_at(start)
        return max(clause.start, start - REACH), min(clause.end, end + REACH)

    def said(self, pattern: re.Pattern[str]) -> list[int]:
        """Where a pattern stands in what is said as a fact."""
        return [match.start() for match in pattern.finditer(self.own) if self.is_asserted(match.start())]

    def is_negated(self, position: int) -> bool:
        """Whether a negation stands before this position in its clause; "it is not true that" turns the rest round."""
        return _any_between(self._negators, self.statement_start(position), position) != self.is_denied(position)

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
        return not (clause.is_question or _any_between(self._suppositions, clause.start, position))

    def is_retracted(self, position: int = 0) -> bool:
        """Whether a later sentence takes back what was said here, or anywhere before."""
        return self._last_retraction >= position

    @functools.cached_property
    def _last_retraction(self) -> int:
        return max(self.said(_RETRACTION), default=-1)


def _any_between(positions: tuple[int, ...], start: int, end: int) -> bool:
    index = bisect.bisect_left(positions, start)
    return index < len(positions) and positions[index] < end


def _blank(match: re.Match[str]) -> str:
    content = match.group()[1:-1]
    is_name = content.count(" ") < 2 and "?" not in content
    return match.group() if is_name else f'"{"_" * len(content)}"'


def _sentence_bounds(own: str) -> list[tuple[int, int]]:
    bounds, start = [], 0
    for match in _SENTENCE_END.finditer(own):
        if match.group() == "." and _ABBREVIATION.search(own, max(start, match.start() - 8), match.start()):
            continue
        if own[start : match.end()].strip():
            bounds.append((start, match.end()))
        start = match.end()
    return [*bounds, (start, len(own))] if own[start:].strip() or not bounds else bounds


def _clause_bounds(own: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start]
    figures = {edge for match in _FIGURE_IN_BRACKETS.finditer(own, start, end) for edge in match.span()}
    for match in _CLAUSE_START.finditer(own, start, end):
        label = own[cuts[-1] : match.start()]
        is_short = match.group() in (":", " ->") and label.count(" ") < _SHORT_LABEL
        goes_on = is_short and (not _NEGATOR.search(label) or _OPEN_DENIAL.search(label))
        is_figure = match.group() in "()" and (match.start() in figures or match.end() in figures)
        if label and not goes_on and not is_figure:
            cuts.append(match.start())
    return list(itertools.pairwise([*cuts, end]))


def _questions(own: str, bounds: list[tuple[int, int]]) -> list[bool]:
    """Which clauses of a sentence ask: in a mixed one, those from the first that opens like a question."""
    start, end = bounds[-1]
    if not own[max(bounds[0][0], end - 8) : end].rstrip("\"')] \n").endswith("?"):
        return [False] * len(bounds)
    heads = [own[begin:stop].lstrip(" ,()[]:-")[:40] for begin, stop in bounds]
    opens = (i for i, head in enumerate(heads) if _QUESTION_START.match(head) or (i and _QUESTION_START.search(head)))
    # "Felix, 7:35 pm: dinner on Sunday?": who says so is no question.
    said = own.rfind(": ", bounds[0][0], end)
    first = 0 if _TAG.search(own[start:end]) else next(opens, sum(stop <= said for _, stop in bounds))
    return [index >= first for index in range(len(bounds))]


def _parse(text: str) -> Document:
    text = without_arithmetic(normalise(text))
    own = _QUOTED.sub(_blank, text) if '"' in text or "'" in text else text
    calm = _HARMLESS.sub(underscores, own)
    denials = [match.end() for match in _DENIED.finditer(calm)]
    sentences = tuple(_sentence_bounds(own))
    clauses: list[Clause] = []
    goes_on = False
    for number, (start, end) in enumerate(sentences):
        bounds = _clause_bounds(own, start, end)
        for (begin, stop), asked in zip(bounds, _questions(own, bounds), strict=True):
            # "It is not true that it says: a, b" denies also what stands behind its colon.
            is_listed = own.startswith(":", begin) and begin > start and clauses[-1].denied_from is not None
            goes_on = is_listed or (goes_on and own.startswith((",", "and"), begin))
            index = bisect.bisect_left(denials, stop) - 1
            denied = denials[index] if index >= 0 and denials[index] > begin else begin if goes_on else None
            clauses.append(Clause(begin, stop, number, asked, denied))
    negators, supposed = (tuple(map(re.Match.start, each.finditer(calm))) for each in (_NEGATOR, _SUPPOSED))
    # What stands behind a condition, to the end of its sentence, depends on it.
    begins = {each.sentence: each.start for each in reversed(clauses) if _CONDITION.match(own, each.start)}
    depend = (each.start for each in clauses if begins.get(each.sentence, len(own)) <= each.start)
    supposed = tuple(sorted({*supposed, *depend}))
    return Document(text, own, sentences, tuple(clauses), negators, supposed)


_cached_parse = functools.lru_cache(maxsize=256)(_parse)


def parse(text: str) -> Document:
    """Normalise a text and cut it into clauses. Several facts read the same message, so short texts are remembered."""
    return _cached_parse(text) if len(text) <= 20_000 else _parse(text)
