"""From mentions of values to a reading: which of them are asserted, and whether they compete.

An answer to "what is the temperature?" may hold ten numbers. One of them is right, the others are extra context ("feels
like 66", "a high of 75"). A second value is a rival of the right one, and makes the text contradict itself, only if the
words around it introduce no subject of their own: "it is 72, or 80" has rivals, "it is 72, with a high of 80" has not.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence

import attrs

from tool_sandbox.common.facts._document import CORRECTION, Document
from tool_sandbox.common.facts._reading import Reading
from tool_sandbox.common.facts._text import normalise, one_of


@attrs.frozen(order=True)
class Mention:
    """A value of the kind that a fact is about.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        right: Whether it is the expected value; ``None`` for values that are known not to matter.
        asserted: Overrides the mood of its clause; ``None`` to go by the clause.
        figure: Its amount and the value of one in its last written place, where it is a figure in the expected unit.
    """

    start: int
    end: int
    right: bool | None = attrs.field(order=False)
    asserted: bool | None = attrs.field(default=None, order=False)
    figure: tuple[float, float] | None = attrs.field(default=None, order=False)


_WORD = re.compile(r"[a-z][a-z']*")
_REACH = 300
_COORDINATED = re.compile(r"[\s,/]{0,3}(?:and|or|&)?[\s,/]{0,2}(?:rather|maybe|possibly|perhaps|even)?\s?")
_OPENS = re.compile(r"\s?\((?:or |about |exactly |more exactly |precisely |i\.e\.,? )?")
_CLOSES = re.compile(r"[^()\d\n]{0,20}\)")
_OR = re.compile(r"[\s,]{0,2}or (?:maybe |perhaps |possibly |rather )?")
_PERHAPS = r"(?:(?:maybe|perhaps|possibly|it could be|it's) )?[\"'(]{0,2}"
_NO_OTHER = one_of(
    "so|more|less|fewer|later|earlier|sooner|after|before|rather|not|you|i|we|if|let|just|else|otherwise|similar|nearby",
    r"another|any\w*|other\w*|some\w*|by|at|via|through|in|on|with|for|to|from|the|a|an|your|whatever|whoever|would|should",
    "do|is|add|send|call|text|set|change|delete|remove|search|look|try",
)
_OR_BEHIND = re.compile(rf"[\"')\]]{{0,2}},? or {_PERHAPS}(?=\w)(?:(?<=[\"'])|(?!{_NO_OTHER.pattern}))")
_OR_MAYBE = re.compile(r",? or (?:maybe|perhaps|possibly) [\"'(]?(?!(?:you|i|we|if|at|in|on|by|later|not)\b)\w")
_OR_BEFORE = re.compile(rf"(?<=\w)[\"')\]]{{0,2}},? or {_PERHAPS}$")
_REMARK = re.compile(r"[^\w()]{0,3}\([^()\d\n]{1,60}\)")
# "A is warmer than B at 12 degrees" is about B; "at 20 degrees, A is warmer than" about A.
_THAN = re.compile(r"(?:.*)\bthan (?=\w)", re.DOTALL)
_FRONTED = re.compile(r"(?:and |but )?(?:at|with) (?:about |around )?")
_UP_TO_THAN = re.compile(r", (?:(?!\bthan\b)[^.;:!?\d]){1,60}")
_FROM = re.compile(r"\bfrom (?:the )?$")
_TO = re.compile(r"(?<!\w)to (?:the |a )?[\"']?$")
# "Ann is not your boss", "5 hours are not left", but not "Ann has not replied", which may be what was asked.
_DENIED_BEHIND = re.compile(
    r"(?:['\")\]]{0,2}(?: [a-z\u00b0%/]+){0,2}) (?:is|are|was|were)(?:n't| not)(?: (?:actually|really|in fact))?"
    r" (?:the|your|my|his|her|their|it|them|right|correct|true|left|what|who|how|away|far|long)\b"
)
_IDLE_WORDS = """
a an the is are was be been it it's its he's she's that that's this these those there there's here you your you're i
i'm my me we our has have had will would in on at of to for from by with as and or rather about around approximately
exactly roughly just now right currently today also well actually no not isn't correction sorry mean meant i've value
values answer result results equals equal total totals degrees degree outside maybe perhaps say says said made so then
instead one more again be being comes out shows reads which either between than oh wait mistake apologies misspoke let
correct corrected true real new found according based current both her his their number phone date time
"""
_IDLE = frozenset(_IDLE_WORDS.split())


def judge(document: Document, mentions: Sequence[Mention], about: tuple[str, ...] = ()) -> Reading:
    """Turn the mentions of one fact into a reading.

    Rules, in this order:

    1. Mentions in questions, conditions and guesses do not count; a negated wrong value does not either.
    2. With ``about``, if any mention stands with one of these terms, only such mentions count; a wrong value that
       stands with another subject never counts.
    3. No right mention: contradicted if a wrong one is asserted or the right one is denied, else silent.
    4. A rival of a right mention contradicts, unless the right one comes last and is introduced as a correction.
    5. A denial or a general retraction after the last right mention contradicts.
    """
    ordered = _without_old_values(document, _said_once(document, sorted(mentions)))
    words = _Surroundings(document, ordered)
    asserted: list[int] = []
    denials: list[int] = []
    for number, mention in enumerate(ordered):
        if mention.right is None or not (
            document.is_asserted(mention.start) if mention.asserted is None else mention.asserted
        ):
            continue
        if document.is_negated(mention.start) != bool(_DENIED_BEHIND.match(document.own, mention.end)):
            denials += [mention.start] if mention.right else []
        else:
            asserted.append(number)
    if about:
        asserted = _on_subject(asserted, words, ordered, about)
    rights = [number for number in asserted if ordered[number].right]
    if not rights:
        return Reading.CONTRADICTED if asserted or denials else Reading.SILENT
    last = ordered[rights[-1]]
    rivals = [
        n
        for n in asserted
        if not ordered[n].right and any(words.compete(n, right) for right in (rights[0], rights[-1]))
    ]
    if rivals and not (rivals[-1] < rights[-1] and _corrects(document, ordered[rivals[-1]].end, last.start)):
        return Reading.CONTRADICTED
    if (denials and denials[-1] > last.start) or document.is_retracted(last.start):
        return Reading.CONTRADICTED
    either = (_are_alternatives(document, *pair) for pair in itertools.pairwise([ordered[n] for n in rights]))
    return Reading.CONTRADICTED if any(either) else Reading.STATED


def _said_once(document: Document, ordered: list[Mention]) -> list[Mention]:
    """Without a figure in brackets behind one that it says again: "about 65.5 °F (65.48 °F) at the beach"."""
    result: list[Mention] = []
    for mention in ordered:
        last = result[-1] if result else None
        if (
            last is not None
            and last.right is mention.right
            and _OPENS.fullmatch(document.text, last.end, mention.start)
            and (closes := _CLOSES.match(document.text, mention.end))
        ):
            result[-1] = attrs.evolve(last, end=closes.end())
        else:
            result.append(mention)
    return result


def _are_alternatives(document: Document, first: Mention, second: Mention) -> bool:
    """Whether two figures that may both be right are two answers: "322 or 323 days"."""
    if first.figure is None or second.figure is None or not _OR.fullmatch(document.text, first.end, second.start):
        return False
    (one, step), (other, other_step) = first.figure, second.figure
    return abs(one - other) > max(step, other_step) / 2


def judge_one(document: Document, mentions: Sequence[Mention], about: tuple[str, ...] = ()) -> Reading:
    """The reading of a name or a quotation, which is unclear wherever it stands as one of two: "Ann or Bob"."""
    return unless_one_of_two(judge(document, mentions, about), document, mentions)


def unless_one_of_two(reading: Reading, document: Document, mentions: Sequence[Mention]) -> Reading:
    """The reading, but unclear instead of stated if the right value stands as one of two in all places."""
    rights = [mention for mention in mentions if mention.right and document.is_asserted(mention.start)]
    if reading is Reading.STATED and rights and all(_is_one_of_two(document, each, rights) for each in rights):
        return Reading.UNCLEAR
    return reading


def _is_one_of_two(document: Document, mention: Mention, rights: Sequence[Mention]) -> bool:
    """Whether "or" joins a mention to something that is not another name of the same."""
    _, end = document.sentences[document.clause_at(mention.start).sentence]
    if _OR_MAYBE.search(document.own, mention.end, end):
        return True
    behind = _OR_BEHIND.match(document.text, mention.end)
    if behind and all(behind.end() != right.start for right in rights):
        return True
    before = _OR_BEFORE.search(document.text, max(0, mention.start - _REACH), mention.start)
    return before is not None and all(before.start() != right.end for right in rights)


def _without_old_values(document: Document, ordered: list[Mention]) -> list[Mention]:
    """In "from X to Y" only Y is asserted."""
    text = document.text
    result = list(ordered)
    for number, (old, new) in enumerate(itertools.pairwise(ordered)):
        if (
            new.start - old.end <= _REACH
            and _TO.search(text, old.end, new.start)
            and _FROM.search(text, max(0, old.start - 12), old.start)
        ):
            result[number] = attrs.evolve(old, right=None)
    return result


def _on_subject(
    asserted: list[int], words: _Surroundings, ordered: Sequence[Mention], about: tuple[str, ...]
) -> list[int]:
    attached = [number for number in asserted if words.mention_subject(number, about)]
    if attached:
        return attached
    return [number for number in asserted if ordered[number].right or not words.of(number)]


def _corrects(document: Document, start: int, end: int) -> bool:
    return CORRECTION.search(document.own, start, end) is not None


@functools.lru_cache(maxsize=512)
def term_pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of the terms as whole words, plural or possessive, in normalised text."""
    alternatives = sorted((re.escape(folded) for term in terms if (folded := normalise(term))), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?:'s|e?s)?(?!\w)") if alternatives else re.compile(r"(?!)")


class _Surroundings:
    """The words that stand with each mention: from the previous mention to the next one, inside its clause."""

    def __init__(self, document: Document, mentions: Sequence[Mention]) -> None:
        self._document = document
        self._mentions = mentions
        self._known: dict[int, frozenset[str]] = {}
        self._leaders: dict[int, int] = {}

    def _region(self, number: int) -> tuple[int, int]:
        """From the previous mention to the next, in the clause, or the sentence if that holds no other words."""
        mention = self._mentions[number]
        clause = self._document.clause_at(mention.start)
        earlier = self._end(number - 1) if number else 0
        later = self._mentions[number + 1].start if number + 1 < len(self._mentions) else len(self._document.text)
        stop = max(self._end(number), min(later, max(clause.end, mention.end), mention.end + _REACH))
        start = max(clause.start, earlier, mention.start - _REACH)
        than = _THAN.search(self._document.text, start, mention.start)
        start = than.end() if than else start
        if not self._words(number, start, stop):
            sentence_start, sentence_end = self._document.sentences[clause.sentence]
            start = max(sentence_start, earlier, mention.start - _REACH)
            if _FRONTED.fullmatch(self._document.text, start, mention.start):
                fronted = _UP_TO_THAN.match(self._document.text, mention.end, min(later, sentence_end))
                stop = fronted.end() if fronted else stop
            elif not self._words(number, start, stop) and clause.sentence:
                start = self._heading(clause.sentence - 1, earlier, start)
        return start, stop

    def _heading(self, sentence: int, earlier: int, start: int) -> int:
        """Start of the line above a line that holds nothing but a value, if that has no value of its own."""
        above, end = self._document.sentences[sentence]
        return (
            above
            if earlier <= above and start - end <= 2 and "\n" in self._document.text[end - 1 : start + 1]
            else start
        )

    def _end(self, number: int) -> int:
        """End of a mention and of a remark in brackets that belongs to it: "55 (low)"."""
        end = self._mentions[number].end
        remark = _REMARK.match(self._document.text, end)
        return remark.end() if remark else end

    def _words(self, number: int, start: int, stop: int) -> frozenset[str]:
        mention, text = self._mentions[number], self._document.text
        return frozenset(_WORD.findall(f"{text[start : mention.start]} {text[mention.end : stop]}")) - _IDLE

    def _leader(self, number: int) -> int:
        """The mention whose words stand for this one's too: if it has none, the one before it in the sentence."""
        chain = []
        while number not in self._leaders:
            chain.append(number)
            clause = self._document.clause_at(self._mentions[number].start)
            leads = not number or clause.sentence != self._document.clause_at(self._mentions[number - 1].start).sentence
            if leads or self._words(number, *self._region(number)):
                self._leaders[number] = number
            else:
                number -= 1
        for member in chain:
            self._leaders[member] = self._leaders[number]
        return self._leaders[number]

    def of(self, number: int) -> frozenset[str]:
        """Words with a meaning of their own."""
        if number not in self._known:
            leader = self._leader(number)
            self._known[number] = self._words(leader, *self._region(leader))
        return self._known[number]

    def compete(self, number: int, right: int) -> bool:
        """Whether a mention introduces nothing that the right mention is not about as well."""
        first, second = sorted((number, right))
        if second - first == 1 and _COORDINATED.fullmatch(
            self._document.text, self._mentions[first].end, self._mentions[second].start
        ):
            return True
        return self.of(number) <= self.of(right)

    def mention_subject(self, number: int, about: tuple[str, ...]) -> bool:
        """Whether one of the terms stands with a mention."""
        leader = self._leader(number)
        start, stop = self._region(leader)
        mention = self._mentions[leader]
        pattern, text = term_pattern(about), self._document.text
        return bool(pattern.search(text, start, mention.start) or pattern.search(text, mention.end, stop))
