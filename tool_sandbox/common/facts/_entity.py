"""Names: people, companies, tickers, places, addresses."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge_one
from tool_sandbox.common.facts._quantities import SMALL_NUMBERS
from tool_sandbox.common.facts._reading import Reading, as_terms, require_bound
from tool_sandbox.common.facts._text import normalise
from tool_sandbox.common.facts._values import FromTrace, ValueFact

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


def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in f"{_STREETS},{_ABBREVIATED},{STATES},{_NUMBERS}".split(","):
        words = frozenset(group.split())
        table |= {word: table.get(word, frozenset()) | words for word in words}
    return table


_SAME = _synonyms()
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

    name: str | FromTrace
    aliases: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    instead_of: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    apart_from: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the name, which is unclear where it stands as one of two."""
        document = parse(text)
        return judge_one(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the name, or one of the wrong names, stands, but not where it is part of a longer one."""
        names = (
            (True, (require_bound(self, self.name), *self.aliases)),
            (False, self.instead_of),
            (None, self.apart_from),
        )
        found = [
            Mention(*match.span(), right)
            for right, same in names
            for name in same
            for match in _pattern(name).finditer(document.text)
        ]
        apart: list[Mention] = []
        for mention in sorted(found, key=lambda each: (each.start, -each.end)):
            apart += [mention] if not apart or mention.start >= apart[-1].end else []
        return [mention for mention in apart if mention.right is not None]
