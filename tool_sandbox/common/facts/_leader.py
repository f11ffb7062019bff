"""Which of several things comes first: the warmest, the cheapest, the nearest."""

from __future__ import annotations

import bisect
import operator
import re

import attrs

from tool_sandbox.common.facts._document import CORRECTION, Document, parse
from tool_sandbox.common.facts._entity import Entity
from tool_sandbox.common.facts._judge import Mention, judge, term_pattern, unless_one_of_two
from tool_sandbox.common.facts._reading import Reading

# Names behind these words are the other side of a comparison.
_OTHER_SIDE = re.compile(
    r"\b(?:than|versus|vs\.?|against|unlike|compared (?:to|with)|relative to|ahead of|followed by|beats|before|over"
    r"|then)"
    r" (?:[\w'-]+ ){0,3}$"
)
# "the warmest is X", "warmer in X", "cheapest of the three: X"; the name stands behind the word.
_LEADS_TO = re.compile(
    r"(?!\W*(?:than|of all)\b)(?: (?!than\b|and\b|but\b)[\w'-]+){0,6}?"
    r"(?:(?: is| was|'s| would be| will be| goes to| being| turns out to be| in| at| for| there in|, that's|, namely)"
    r"(?: (?:still|clearly|actually|currently|in|at|the|your|therefore|in fact))*"
    r"|(?:\s?[:=(]| --)(?: (?:that|it|this)(?:'s| is| would be))?)[ \"']{0,2}(?:in |at |the )?$"
)
_ANSWERS = re.compile(r"\b(?:it's|that's|(?:it|that|the answer) (?:is|would be)|answer:) (?:the |in |at )?$")
_REACH = 80
_NEAR = 8
_FIGURE = re.compile(r"\d")
# "Next November" says when, not who comes next.
_CALENDAR = re.compile(
    r" (?:week|weekend|month|year|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january"
    r"|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_RANKING = re.compile(r"\bto (?:the )?$")
_CUT_SHORT = re.compile(r" (?:is|was|does)(?= the one\b|\s*(?:[.,;!)\n]|$))")


@attrs.frozen
class _Claim:
    """A place where a text says which name comes first; ``denied`` if it says that this one does not."""

    start: int
    right: bool
    denied: bool


@attrs.frozen
class Leader(Entity):
    """The name that comes first in a comparison: "A is warmer than B", "the warmest is A", "warmer in A than in B".

    The words of ``about`` say what it is to come first ("warmer", "warmest", "highest"); whichever name is said to be
    it counts, not the names that it is compared with. "A is not warmer" denies. A text that uses none of the words
    states the name as ``Entity`` does, but where other names are mentioned too, something must single it out: "it's A",
    the name in a sentence of its own without figures, or a ranking ("from coldest to warmest: B, A").

    Args:
        name: The name that comes first, or where to take it from.
        aliases: Other names that are as good.
        instead_of: The names that it is compared with.
        about: Words that say that something comes first.
        apart_from: Longer names that hold this one and are something else.
    """

    def read(self, text: str) -> Reading:
        """What a text says about which comes first."""
        document = parse(text)
        names = sorted(mention for mention in super().mentions(document) if mention.right is not None)
        claims = self._claims(document, names)
        if not claims:
            reading = judge(document, self.mentions(document), self.about)
            return Reading.SILENT if reading is Reading.STATED and not _singled_out(document, names) else reading
        rights = [claim for claim in claims if claim.right and not claim.denied]
        against = [claim for claim in claims if claim.right == claim.denied]
        if not rights:
            return Reading.CONTRADICTED if against else Reading.SILENT
        last = rights[-1].start
        opposed = [claim for claim in against if claim.start > last or not _is_corrected(document, claim.start, last)]
        if opposed or document.is_retracted(last):
            return Reading.CONTRADICTED
        return unless_one_of_two(Reading.STATED, document, names)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the name, or one of the wrong names, stands on its own side of a comparison."""
        return [mention for mention in super().mentions(document) if not _is_other_side(document, mention)]

    def _claims(self, document: Document, names: list[Mention]) -> list[_Claim]:
        claims: list[_Claim] = []
        for word in term_pattern(self.about).finditer(document.own):
            if not document.is_asserted(word.start()) or _CALENDAR.match(document.own, word.end()):
                continue
            found = _subject(document, names, word)
            if found and not _is_among_others(document, found, names, word):
                negated = document.is_negated(max(word.start(), found.start))
                claims.append(_Claim(word.start(), found.right is True, negated))
        denied = [claim.start for claim in claims if claim.denied]
        for mention in names:
            if (
                denied
                and mention.start > denied[0]
                and (
                    _CUT_SHORT.match(document.own, mention.end)
                    or _ANSWERS.search(document.own, max(0, mention.start - _REACH), mention.start)
                )
            ):
                claims.append(_Claim(mention.start, mention.right is True, False))
        return sorted(claims, key=lambda claim: claim.start)


def _subject(document: Document, names: list[Mention], word: re.Match[str]) -> Mention | None:
    """The name that is said to be what the word says."""
    clause = document.clause_at(word.start())
    start, end = document.sentences[clause.sentence]
    number = bisect.bisect_left(names, word.end(), key=operator.attrgetter("start"))
    if number < len(names) and _LEADS_TO.fullmatch(document.own, word.end(), min(names[number].start, end)):
        ranked = _RANKING.search(document.own, max(start, word.start() - _REACH), word.start())
        return names[_last_of(names, number, end)] if ranked else names[number]
    before = (mention for mention in reversed(names[max(0, number - _NEAR) : number]) if mention.end <= word.start())
    own_side = [mention for mention in before if not _is_other_side(document, mention)]
    return own_side[0] if own_side else None


def _last_of(names: list[Mention], number: int, end: int) -> int:
    """Position of the last name before an offset."""
    return max(number, bisect.bisect_left(names, end, key=operator.attrgetter("start")) - 1)


def _singled_out(document: Document, names: list[Mention]) -> bool:
    """Whether a text names nothing else, or says which of its names is the answer."""
    if all(mention.right for mention in names):
        return True
    if any(
        mention.right and _ANSWERS.search(document.own, max(0, mention.start - _REACH), mention.start)
        for mention in names
    ):
        return True
    alone = (
        document.own[start:end]
        for start, end in document.sentences
        if {mention.right for mention in names if start <= mention.start < end} == {True}
    )
    return any(not _FIGURE.search(sentence) for sentence in alone)


def _is_other_side(document: Document, mention: Mention) -> bool:
    start, _ = document.sentences[document.clause_at(mention.start).sentence]
    return _OTHER_SIDE.search(document.own, max(start, mention.start - _REACH), mention.start) is not None


def _is_among_others(document: Document, found: Mention, names: list[Mention], word: re.Match[str]) -> bool:
    """Whether a wrong name is only said to come before another wrong one: "B is cheaper than C"."""
    if found.right:
        return False
    _, end = document.sentences[document.clause_at(word.start()).sentence]
    number = bisect.bisect_left(names, word.end(), key=operator.attrgetter("start"))
    behind = [mention for mention in names[number : number + _NEAR] if mention.start < end]
    compared = [mention for mention in behind if _is_other_side(document, mention)]
    return bool(compared) and not any(mention.right for mention in compared)


def _is_corrected(document: Document, start: int, end: int) -> bool:
    return CORRECTION.search(document.own, start, end) is not None
