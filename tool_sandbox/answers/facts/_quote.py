"""Stored texts (messages, reminders) that an answer reports."""

import functools
import itertools
import re
from collections.abc import Sequence
from typing import ClassVar

import attrs

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._judge import Mention, term_pattern
from tool_sandbox.answers.facts._reading import as_terms, require_bound
from tool_sandbox.answers.facts._text import normalise
from tool_sandbox.answers.facts._values import FromTrace, ValueFact
from tool_sandbox.world.errors import ScenarioError

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[a-z]+n't|[^\W_]+(?:'[a-z]+)?")
_FUNCTION_WORD_LIST = """
a an the i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself
yourself himself herself am is are was were be been being do does did have has had having will would shall should can
could may might must to of in on at for from by with about and or so that this these those there here as if then than
too just please hey hi hello oh ok well also i'm you're he's she's it's we're they're i've you've we've they've i'll
you'll he'll she'll we'll they'll i'd you'd who's what's that's there's let's how's up
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_ASKS = re.compile(r"(?:do|did|does|is|are|was|should|shall|can|could|would|what|which|who)\b")
_NEGATIONS = frozenset(("not", "no", "never", "cannot", "nothing", "none"))
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)$")
_WINDOW = 10


@functools.lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its ending, so that "wrapping" and "wrap", "calling" and "call" are one."""
    if word.endswith("n't") or word in _NEGATIONS:
        return "not"
    word = _ENDING.sub("", word.removesuffix("'s"))
    word = word.removesuffix("e") if len(word) > 3 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@attrs.frozen
class Quote(ValueFact):
    """A stored text, reported verbatim or in indirect speech.

    Case, punctuation and quotation marks do not matter. Indirect speech counts if all content words of the text appear
    in its order, close together (at most ten other words in all beyond twice the length of the text), negations kept:
    function words (articles, pronouns, auxiliaries, prepositions) may change, inflections may too. "Buy tickets for
    tonight" is stated by "You need to buy tickets for tonight".

    Args:
        text: The stored text, or where to take it from.
        instead_of: Other stored texts; one of them contradicts as a wrong name does.
        about: Terms that name the sender or the thing it belongs to.
        elsewhere: Terms with which one of the others is told as what it is: "..., but that one is due today".
    """

    is_name: ClassVar[bool] = True
    text: str | FromTrace
    instead_of: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    elsewhere: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the text, or one of the wrong texts, is reported."""
        words = list(_TOKEN.finditer(document.text))
        every = (require_bound(self, self.text), *self.instead_of)
        found = [each for n, stored in enumerate(every) for each in _reports(document, words, stored, right=not n)]
        return [attrs.evolve(one, right=None) if self._is_apart(document, one, found) else one for one in found]

    def _is_apart(self, document: Document, mention: Mention, found: Sequence[Mention]) -> bool:
        """Whether a wrong text stands with a term of ``elsewhere``: in its sentence, no other text between them."""
        if mention.right or not self.elsewhere:
            return False
        begin, end = document.sentence_at(mention.start)
        begin = max([begin, *(other.end for other in found if other.end <= mention.start)])
        end = min([end, *(other.start for other in found if other.start >= mention.end)])
        around = f"{document.text[begin : mention.start]} | {document.text[mention.end : end]}"
        told = term_pattern(self.elsewhere)
        # "You thanked them an hour later and said you'd come": between its words, where none of the texts has it.
        stored = set(told.findall(normalise(" ".join(self.instead_of))))
        between = set(told.findall(document.text[mention.start : mention.end])) - stored
        return bool(between) or told.search(around) is not None


def _reports(document: Document, words: list[re.Match[str]], text: object, *, right: bool) -> list[Mention]:
    if not isinstance(text, str) or not (tokens := _TOKEN.findall(normalise(text))):
        raise ScenarioError(f"not a text with words: {text!r}")
    skipped = frozenset[str]() if FUNCTION_WORDS.issuperset(tokens) else FUNCTION_WORDS
    lead = list(itertools.takewhile(skipped.__contains__, tokens))
    wanted = [stem(word) for word in tokens if word not in skipped]
    present = [(stem(word.group()), place) for place, word in enumerate(words) if word.group() not in skipped]
    found, done = list[Mention](), -1
    for number, (word, first) in enumerate(present):
        if number <= done or word != wanted[0] or (last := _follow(present, number, wanted)) is None:
            continue
        # It starts with the stored text's own opening words ("if you ...", "can you ...").
        opening, done = first, last
        while opening and first - opening < len(lead) and words[opening - 1].group() in lead:
            opening -= 1
        start = words[opening].start()
        # A question is reported and not asked where what leads up to it in its sentence is no question itself.
        led_up = document.own[document.sentence_at(start)[0] : start].strip(" \"'-*(")
        asserted = True if "?" in text and not _ASKS.match(led_up) else None
        found.append(Mention(start, words[present[last][1]].end(), right, asserted))
    return found


def _follow(present: list[tuple[str, int]], first: int, wanted: list[str]) -> int | None:
    """Number of the last wanted word, if all follow in order, close together and without an added negation."""
    span = 2 * len(wanted) + _WINDOW
    number: int | None = first
    for word in wanted[1:]:
        rest = range((number or 0) + 1, min(len(present), first + span + 1))
        number = next((each for each in rest if present[each][0] in (word, "not")), None)
        if number is None or present[number][0] != word:
            return None
    return number if number is not None and present[number][1] <= present[first][1] + span else None
