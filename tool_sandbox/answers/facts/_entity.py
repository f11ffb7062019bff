"""Names: people, companies, tickers, places, addresses; and which of several comes first."""

import bisect
import functools
import itertools
import operator
import re
from typing import ClassVar

import attrs

from tool_sandbox.answers.facts._document import CORRECTION, Document, leftmost_longest, parse
from tool_sandbox.answers.facts._judge import Mention, judge, term_pattern, unless_one_of_two
from tool_sandbox.answers.facts._moments import DAYS, MONTHS
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS
from tool_sandbox.answers.facts._reading import Reading, as_terms, require_bound
from tool_sandbox.answers.facts._text import normalise
from tool_sandbox.answers.facts._values import FromTrace, ValueFact
from tool_sandbox.world.errors import ScenarioError

_WORD = re.compile(r"\w+(?:'\w+)*")
_LEGAL_WORDS = "inc incorporated corp corporation co company ltd limited llc plc ag sa nv gmbh holdings"
_LEGAL_FORMS = frozenset(_LEGAL_WORDS.split())
_STREETS = """
street st, avenue ave av, boulevard blvd, road rd, drive dr, lane ln, court ct, place pl, parkway pkwy, highway hwy,
square sq, terrace ter, circle cir, plaza plz, way wy, loop
"""
_ABBREVIATED = """
suite ste, apartment apt, north n, south s, east e, west w, northeast ne, northwest nw, southeast se, southwest sw,
saint st, mount mt, fort ft, and &, usa us
"""
STATES = """
alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co, connecticut ct, delaware de, florida fl,
georgia ga, hawaii hi, idaho id, illinois il, indiana in, iowa ia, kansas ks, kentucky ky, louisiana la, maine me,
maryland md, massachusetts ma, michigan mi, minnesota mn, mississippi ms, missouri mo, montana mt, nebraska ne, nevada
nv, ohio oh, oklahoma ok, oregon or, pennsylvania pa, tennessee tn, texas tx, utah ut, vermont vt, virginia va,
washington wa, wisconsin wi, wyoming wy
"""
_NUMBERS = ",".join(f"{word} {value}" for word, value in SMALL_NUMBERS.items())
_STREET_WORDS = frozenset(_STREETS.replace(",", " ").split())
_GROUPS = [frozenset(group.split()) for group in f"{_STREETS},{_ABBREVIATED},{STATES},{_NUMBERS}".split(",")]
_SAME = {
    word: frozenset[str]().union(*(same for same in _GROUPS if word in same)) for group in _GROUPS for word in group
}
_SAME_IN_NAMES = frozenset(("saint", "st", "and", "mount", "mt"))
# A street alone is the address, unless another town follows.
_NO_TOWN = (
    r"(?!,? in (?!the\b))(?!, (?!(?:which|where|and|so|as|at|it|that|also|the|not)\b)[a-z])"
    r"(?!\n[a-z. ]{2,30}, [a-z]{2}\b)"
)


@functools.lru_cache(maxsize=1024)
def _pattern(name: object) -> re.Pattern[str]:
    """Matches a name: its words in order, joined by blanks or punctuation; an address may end after town or street."""
    if not isinstance(name, str) or not (words := _WORD.findall(normalise(name))):
        raise ScenarioError(f"not a name: {name!r}")
    if not _is_address(words):
        return re.compile(rf"(?<!\w){_in_order(words, is_address=False)}(?!\w)")
    parts = name.split(",")
    *longer, street = [_WORD.findall(normalise(",".join(parts[:count]))) for count in range(len(parts), 0, -1)]
    forms = [_in_order(each, is_address=True) for each in longer]
    if not longer or _is_address(street):
        forms.append(_in_order(street, is_address=True) + rf"(?!\w){_NO_TOWN}" * bool(longer))
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")


def _in_order(words: list[str], *, is_address: bool) -> str:
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words = words[:-1]
    joint = r"[^\w]{1,3}(?:in )?" if is_address else r"[^\w\n]{1,3}"
    forms = [_SAME.get(word, {word}) if is_address or word in _SAME_IN_NAMES else {word} for word in words]
    return joint.join(f"(?:{'|'.join(map(re.escape, sorted(same)))})" for same in forms)


def _is_address(words: list[str]) -> bool:
    """Whether a name is an address: it starts with a house number, which may be a word if it names a street."""
    is_number_word = words[0] in SMALL_NUMBERS and not _STREET_WORDS.isdisjoint(words[2:])
    return len(words) > 2 and (words[0][0].isdigit() or is_number_word)


@attrs.frozen
class Entity(ValueFact):
    """A name, as whole words, whatever its case, accents and punctuation.

    Legal forms ("Inc.") may be left out. An address that starts with a number, in digits or as a word, may use the
    usual abbreviations and may end after its city, or after its street if no other town follows.

    Args:
        name: The name, or where to take it from.
        aliases: Other names that are as good: a first name alone, a short form.
        instead_of: Names that would be the wrong answer. One of them contradicts if it is asserted and the right one is
            not, or if it stands beside the right one as an alternative ("Tom or Ann").
        about: Terms that name the part the entity plays.
        apart_from: Longer names that hold this one and are something else ("Monterey Bay Aquarium" for "Monterey").
    """

    is_name: ClassVar[bool] = True
    name: str | FromTrace
    aliases: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    instead_of: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    apart_from: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the name, or one of the wrong names, stands, but not where it is part of a longer one."""
        own = (require_bound(self, self.name), *self.aliases)
        names = ((True, own), (False, self.instead_of), (None, self.apart_from))
        found = [
            Mention(*match.span(), right)
            for right, same in names
            for name in same
            for match in _pattern(name).finditer(document.text)
        ]
        return [mention for mention in leftmost_longest(found) if mention.right is not None]


# Names behind these words are the other side of a comparison.
_OTHER_SIDE = re.compile(
    r"\b(?:than|then|versus|vs\.?|against|unlike|compared (?:to|with)|relative to|ahead of|followed by|beats|before"
    r"|over) (?:[\w'.\u00b0-]+ ){0,4}$"
)
# "the warmest is X", "warmer in X", "cheapest of the three: X"; the name stands behind the word.
_LEADS_TO = re.compile(
    r"(?!\W*(?:than|of all)\b)(?: (?!than\b|and\b|but\b)[\w'-]+){0,6}?"
    r"(?:(?: is| was|'s| would be| will be| goes to| being| turns out to be| in| at| for| there in|, that's|, namely)"
    r"(?: (?:still|clearly|actually|currently|in|at|the|your|therefore|in fact))*"
    r"|(?:\s?[:=(]| --)(?: (?:that|it|this)(?:'s| is| would be))?)[ \"']{0,2}"
    r"(?:(?:in|at|on|the|one|\d+) |[\w']+ (?=(?:at|on|in)\b))*$"
)
_ANSWERS = re.compile(r"\b(?:it's|that's|(?:it|that|the answer) (?:is|would be)|answer:) (?:the |in |at )?$")
_REACH = 80
_CHOSEN = ("winner", "the pick", "my pick")
"""What is said of the first in any comparison."""
_NEAR = 8
_FIGURE = re.compile(r"\d")
# "Next November" says when, not who comes next.
_CALENDAR = re.compile(
    rf" (?:week|weekend|month|year|spring|summer|autumn|fall|winter|{'|'.join((*DAYS, *MONTHS[1:]))})\b"
)
_RANKING = re.compile(r"\bto (?:the )?$")
_CUT_SHORT = re.compile(r" (?:is|was|does)(?= the one\b|\s*(?:[.,;!)\n]|$))")


@attrs.frozen
class Leader(Entity):
    """The name that comes first in a comparison: "A is warmer than B", "the warmest is A", "warmer in A than in B".

    The words of ``about`` say what it is to come first ("warmer", "warmest", "highest"); whichever name is said to be
    it counts, not those of ``instead_of`` that it is compared with. "A is not warmer" denies. A text that uses none of
    the words states the name as ``Entity`` does, but where other names are mentioned too, something must single it out:
    "it's A", the name in a sentence of its own without figures, or a ranking ("from coldest to warmest: B, A").
    """

    def read(self, text: str) -> Reading:
        """What a text says about which comes first."""
        document = parse(text)
        names = super().mentions(document)
        claims = self._claims(document, names)
        if not claims:
            own_side = [each for each in self.mentions(document) if document.is_asserted(each.start)]
            is_right = any(each.right and not document.is_negated(each.start) for each in own_side)
            if is_right and not document.is_retracted():
                reading = Reading.STATED if _singled_out(document, own_side) else Reading.SILENT
                return unless_one_of_two(reading, document, names)
            return judge(document, own_side, self.about)
        rights = [start for start, is_right, is_denied in claims if is_right and not is_denied]
        against = [start for start, is_right, is_denied in claims if is_right == is_denied]
        if not rights:
            return Reading.CONTRADICTED if against else Reading.SILENT
        opposed = (start > rights[-1] or not CORRECTION.search(document.own, start, rights[-1]) for start in against)
        if any(opposed) or document.is_retracted(rights[-1]):
            return Reading.CONTRADICTED
        return unless_one_of_two(Reading.STATED, document, names)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the name, or one of the wrong names, stands on its own side of a comparison."""
        return [mention for mention in super().mentions(document) if not _is_other_side(document, mention)]

    def _claims(self, document: Document, names: list[Mention]) -> list[tuple[int, bool, bool]]:
        """Where a text says which name comes first, whether that is the right one, and whether this is denied of it."""
        claims = []
        for word in term_pattern((*self.about, *_CHOSEN)).finditer(document.own):
            is_said = document.is_asserted(word.start()) and not _CALENDAR.match(document.own, word.end())
            if is_said and (found := _subject(document, names, word)):
                is_denied = document.is_negated(max(word.start(), found.start))
                claims.append((word.start(), found.right is True, is_denied))
        first = min((start for start, _, is_denied in claims if is_denied), default=len(document.own))
        for mention in names:
            # "It isn't B that is warmer, it's A": what answers a denial needs no word of its own.
            if mention.start > first and (_CUT_SHORT.match(document.own, mention.end) or _answers(document, mention)):
                claims.append((mention.start, mention.right is True, False))
        return sorted(claims)


def _subject(document: Document, names: list[Mention], word: re.Match[str]) -> Mention | None:
    """The name that is said to be what the word says; none if that is said of a wrong one beside another wrong one."""
    start, end = document.sentence_at(word.start())
    number = bisect.bisect_left(names, word.end(), key=operator.attrgetter("start"))
    behind = list(itertools.takewhile(lambda mention: mention.start < end, names[number:]))
    if number < len(names) and _LEADS_TO.fullmatch(document.own, word.end(), min(names[number].start, end)):
        is_ranked = _RANKING.search(document.own, max(start, word.start() - _REACH), word.start())
        found: Mention | None = behind[-1] if is_ranked and behind else names[number]
    else:
        own_side = (each for each in reversed(names[max(0, number - _NEAR) : number]) if each.end <= word.start())
        found = next((each for each in own_side if not _is_other_side(document, each)), None)
    compared = [mention for mention in behind[:_NEAR] if _is_other_side(document, mention)]
    is_among_others = compared and not any(mention.right for mention in compared)
    return found if found and (found.right or not is_among_others) else None


def _singled_out(document: Document, names: list[Mention]) -> bool:
    """Whether a text names nothing else, or says which of its names is the answer."""
    if all(mention.right for mention in names) or any(each.right and _answers(document, each) for each in names):
        return True
    plain = [span for span in document.sentences if not _FIGURE.search(document.own, *span)]
    return any({each.right for each in names if start <= each.start < end} == {True} for start, end in plain)


def _answers(document: Document, mention: Mention) -> bool:
    return _ANSWERS.search(document.own, max(0, mention.start - _REACH), mention.start) is not None


def _is_other_side(document: Document, mention: Mention) -> bool:
    start = max(document.sentence_at(mention.start)[0], mention.start - _REACH)
    return _OTHER_SIDE.search(document.own, start, mention.start) is not None
