"""From mentions of values to a reading: which of them are asserted, and whether they compete.

An answer to "what is the temperature?" may hold ten numbers. One of them is right, the others are extra context ("feels
like 66", "a high of 75"). A second value is a rival of the right one, and makes the text contradict itself, only if the
words around it introduce no subject of their own: "it is 72, or 80" has rivals, "it is 72, with a high of 80" has not.
"""

import functools
import itertools
import re
from collections.abc import Sequence

import attrs

from tool_sandbox.answers.facts._document import CORRECTION, Document, Span
from tool_sandbox.answers.facts._reading import Reading
from tool_sandbox.answers.facts._text import normalise


@attrs.frozen(order=True)
class Mention(Span):
    """A value of the kind that a fact is about.

    It is ``right``, wrong, or does not matter (``None``); ``asserted`` overrides the mood of its clause; ``figure`` is
    its amount and the value of one in its last written place, where it is a figure in the expected unit.
    """

    right: bool | None = attrs.field(order=False)
    asserted: bool | None = attrs.field(default=None, order=False)
    figure: tuple[float, float] | None = attrs.field(default=None, order=False)


_WORD = re.compile(r"[a-z][a-z']*")
_REACH = 300
_COORDINATED = re.compile(
    r"[ ,/]{0,3}(?:and|or|&)?[ ,/]{0,2}(?:rather|maybe|possibly|perhaps|even|about|around|roughly)? ?"
)
_OPENS = re.compile(r"\s?\((?:or |about |exactly |more exactly |precisely |i\.e\.,? )?")
_CLOSES = re.compile(r"[^()\d\n]{0,20}\)")
_NO_OTHER = (
    r"(?:so|more|less|fewer|later|earlier|sooner|after|before|rather|not|you|i|we|if|let|just|else|otherwise|similar"
    r"|nearby|another|any\w*|other\w*|some\w*|by|at|via|through|in|on|with|for|to|from|the|a|an|your|whatever|whoever"
    r"|would|should|do|is|add|send|call|text|set|change|delete|remove|search|look|try)\b"
)
_PERHAPS = r"(?:(?:maybe|perhaps|possibly|it could be|it's) )?[\"'(]{0,2}"
_OR_BEHIND = re.compile(rf"[\"')\]]{{0,2}},? or {_PERHAPS}(?=\w)(?:(?<=[\"'])|(?!{_NO_OTHER}))")
_OR_MAYBE = re.compile(r",? or (?:maybe|perhaps|possibly) [\"'(]?(?!(?:you|i|we|if|at|in|on|by|later|not)\b)\w")
_EITHER = re.compile(r"\beither (?:(?:your|the|an?|from|to|for|by|on|in|at|of) ){0,2}$|\beither\b[^.;:]{1,60} or ")
_OR_BEFORE = re.compile(rf"(?<=\w)[\"')\]]{{0,2}},? or {_PERHAPS}$")
# "39 full days, or 40 if you count by the calendar" says how each is meant.
_OTHERWISE = re.compile(r",? (?:\w+ )?(?:if|when|by|counting|counted|including|on the)\b")
_REMARK = re.compile(r"[^\w()]{0,3}\([^()\d\n]{1,60}\)")
# "A is warmer than B at 12 degrees" is about B.
_THAN = re.compile(r"(?:.*)\bthan (?=\w)", re.DOTALL)
_FROM = re.compile(r"\bfrom (?:the )?$")
_TO = re.compile(r"(?<!\w)to (?:the |a )?[\"']?$")
# "Ann is not your boss", "5 hours are not left", but not "Ann has not replied", which may be what was asked.
_DENIED_BEHIND = re.compile(
    r"(?:['\")\]]{0,2}(?: [a-z\u00b0%/]+){0,2}) (?:is|are|was|were)(?:n't| not)(?: (?:actually|really"
    r"|in fact))? (?:the|your|my|his|her|their|it|them|right|correct|true|left|what|who|how|away|far|long)\b"
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
    ordered = _said_once(document, sorted(mentions))
    asserted, last_denial = list[Mention](), -1
    for mention in ordered:
        is_asserted = document.is_asserted(mention.start) if mention.asserted is None else mention.asserted
        if mention.right is None or not is_asserted:
            continue
        if document.is_negated(mention.start) == bool(_DENIED_BEHIND.match(document.own, mention.end)):
            asserted.append(mention)
        elif mention.right:
            last_denial = mention.start
    near = _surroundings(document, ordered) if about or not all(each.right for each in asserted) else {}
    if about:
        attached = [each for each in asserted if term_pattern(about).search(near[each][0])]
        asserted = attached or [each for each in asserted if each.right or not near[each][1]]
    rights = [each for each in asserted if each.right]
    if not rights:
        return Reading.CONTRADICTED if asserted or last_denial >= 0 else Reading.SILENT
    last = rights[-1]
    wrong = [(each, right) for each in asserted for right in (rights[0], last) if not each.right]
    rivals = [each for each, right in wrong if near[each][1] <= near[right][1] or _are_joined(document, each, right)]
    if rivals and (rivals[-1] > last or not CORRECTION.search(document.own, rivals[-1].end, last.start)):
        return Reading.CONTRADICTED
    either = (_are_alternatives(document, one, other) for one, other in itertools.pairwise(rights))
    is_taken_back = last_denial > last.start or document.is_retracted(last.start) or any(either)
    return Reading.CONTRADICTED if is_taken_back else Reading.STATED


def _are_joined(document: Document, *mentions: Mention) -> bool:
    first, second = sorted(mentions)
    return _COORDINATED.fullmatch(document.text, first.end, second.start) is not None


def _said_once(document: Document, mentions: list[Mention]) -> list[Mention]:
    """Without figures in brackets behind one that they say again, and old values: "from X to Y" asserts Y alone."""
    text, result = document.text, list[Mention]()
    for mention in mentions:
        last = result[-1] if result else mention
        opens = last.right is mention.right and _OPENS.fullmatch(text, last.end, mention.start)
        closes = _CLOSES.match(text, mention.end) if opens else None
        if closes:
            result[-1] = attrs.evolve(last, end=closes.end())
            continue
        is_new = last.end < mention.start <= last.end + _REACH and _TO.search(text, last.end, mention.start)
        if is_new and _FROM.search(text, max(0, last.start - 12), last.start):
            result[-1] = attrs.evolve(last, right=None)
        result.append(mention)
    return result


def _are_alternatives(document: Document, first: Mention, second: Mention) -> bool:
    """Whether two figures that may both be right are two answers: "322 or 323 days"."""
    if first.figure is None or second.figure is None or not _are_joined(document, first, second):
        return False
    if _OTHERWISE.match(document.own, second.end):
        return False
    (one, step), (other, other_step) = first.figure, second.figure
    return abs(one - other) > max(step, other_step) / 2


def judge_one(document: Document, mentions: Sequence[Mention], about: tuple[str, ...] = ()) -> Reading:
    """The reading of a name or a quotation, which is unclear wherever it stands as one of two: "Ann or Bob"."""
    return unless_one_of_two(judge(document, mentions, about), document, mentions)


def unless_one_of_two(reading: Reading, document: Document, mentions: Sequence[Mention]) -> Reading:
    """The reading, but unclear instead of stated if the right value stands as one of two in all places."""
    rights = [mention for mention in mentions if mention.right and document.is_asserted(mention.start)]
    starts, ends = {each.start for each in rights}, {each.end for each in rights}
    for each in rights if reading is Reading.STATED else ():
        # "Or" joins it to something that is not another name of the same.
        behind = _OR_BEHIND.match(document.text, each.end)
        before = _OR_BEFORE.search(document.text, max(0, each.start - _REACH), each.start)
        is_either = bool((behind and behind.end() not in starts) or (before and before.start() not in ends))
        is_either |= bool(_EITHER.search(document.own, document.sentence_at(each.start)[0], each.start))
        if not is_either and not _OR_MAYBE.search(document.own, each.end, document.sentence_at(each.start)[1]):
            return reading
    return Reading.UNCLEAR if rights and reading is Reading.STATED else reading


@functools.lru_cache(maxsize=512)
def term_pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of the terms as whole words, plural or possessive, in normalised text."""
    alternatives = sorted((re.escape(folded) for term in terms if (folded := normalise(term))), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?:'s|e?s)?(?!\w)") if alternatives else re.compile(r"(?!)")


def _surroundings(document: Document, mentions: Sequence[Mention]) -> dict[Mention, tuple[str, frozenset[str]]]:
    """What stands with each mention, and which words with a meaning of their own.

    That is in its clause, from the previous mention to the next one, or if no word stands there, in its sentence, or
    under a heading in a line that holds nothing but a value. Else it is what stands with the mention before it.
    """
    text, earlier, sentence = document.text, 0, -1
    result: dict[Mention, tuple[str, frozenset[str]]] = {}
    for mention, later in zip(mentions, [*(each.start for each in mentions[1:]), len(text)], strict=False):
        clause = document.clause_at(mention.start)
        remark = _REMARK.match(text, mention.end)
        end = remark.end() if remark else mention.end
        stop = max(end, min(later, clause.end, mention.end + _REACH))
        least = max(earlier, mention.start - _REACH)
        than = _THAN.search(text, max(clause.start, least), mention.start)
        start = max(document.sentences[clause.sentence][0], least)
        starts = [than.end() if than else max(clause.start, least), start]
        above, end_above = document.sentences[max(0, clause.sentence - 1)]
        if clause.sentence and earlier <= above and start - end_above <= 2 and "\n" in text[end_above - 1 : start + 1]:
            starts.append(above)
        for begin in starts:
            around = f"{text[begin : mention.start]} | {text[mention.end : stop]}"
            if words := frozenset(_WORD.findall(around)) - _IDLE:
                break
        if words or sentence != clause.sentence:
            near = around, words
        result[mention] = near
        earlier, sentence = end, clause.sentence
    return result
