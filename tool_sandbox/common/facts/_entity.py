"""Names: people, companies, tickers, places, addresses."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge_one
from tool_sandbox.common.facts._numerals import SMALL_NUMBERS
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms, require_bound
from tool_sandbox.common.facts._text import normalise
from tool_sandbox.common.facts._trace import FromTrace

_WORD = re.compile(r"\w+(?:'\w+)*")
_LEGAL_FORMS_WORDS = """
inc incorporated corp corporation co company ltd limited llc plc ag sa nv gmbh holdings
"""
_LEGAL_FORMS = frozenset(_LEGAL_FORMS_WORDS.split())
_SYNONYMS = """
street st, avenue ave av, boulevard blvd, road rd, drive dr, lane ln, court ct, place pl, parkway pkwy, highway hwy,
square sq, terrace ter, circle cir, plaza plz, way wy, suite ste, apartment apt, north n, south s, east e, west w,
northeast ne, northwest nw, southeast se, southwest sw, saint st, mount mt, fort ft, and &, usa us
"""
STATES = """
alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co, connecticut ct, delaware de, florida fl,
georgia ga, hawaii hi, idaho id, illinois il, indiana in, iowa ia, kansas ks, kentucky ky, louisiana la, maine me,
maryland md, massachusetts ma, michigan mi, minnesota mn, mississippi ms, missouri mo, montana mt, nebraska ne, nevada
nv, ohio oh, oklahoma ok, oregon or, pennsylvania pa, tennessee tn, texas tx, utah ut, vermont vt, virginia va,
washington wa, wisconsin wi, wyoming wy
"""


_STREET_WORDS = """
street st avenue ave av boulevard blvd road rd drive dr lane ln court ct place pl parkway pkwy highway hwy square sq
terrace circle plaza plz way loop
"""
_STREETS = frozenset(_STREET_WORDS.split())


def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    numbers = [f"{word} {value}" for word, value in SMALL_NUMBERS.items()]
    for group in [*f"{_SYNONYMS},{STATES}".split(","), *numbers]:
        words = group.split()
        for word in words:
            table[word] = table.get(word, frozenset()) | frozenset(words)
    return table


_SAME = _synonyms()
# A street alone is the address, unless another town follows.
_NO_TOWN = (
    r"(?!,? in (?!the\b))(?!, (?!(?:which|where|and|so|as|at|it|that|also|the|not)\b)[a-z])"
    r"(?!\n[a-z. ]{2,30}, [a-z]{2}\b)"
)


@functools.lru_cache(maxsize=1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name: its words in order, joined by blanks or punctuation; usual abbreviations count as the word."""
    words = _WORD.findall(normalise(name))
    if not words:
        raise ScenarioError(f"a name without letters or digits: {name!r}")
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words = words[:-1]
    is_address = _is_address(words)
    parts = [_word(word, is_address=is_address) for word in words]
    joint = r"[^\w]{1,3}(?:in )?" if is_address else r"[^\w\n]{1,3}"
    return re.compile(rf"(?<!\w){joint.join(parts)}(?!\w)")


@functools.lru_cache(maxsize=1024)
def _street_pattern(address: str) -> re.Pattern[str] | None:
    """Matches the first line of an address where no town follows; ``None`` for all other names."""
    street, _, town = address.partition(",")
    if not town.strip() or not _is_address(_WORD.findall(normalise(street))):
        return None
    return re.compile(_name_pattern(street).pattern + _NO_TOWN)


def _is_address(words: list[str]) -> bool:
    """Whether a name is an address: it starts with a house number, which may be a word if it names a street."""
    if len(words) < 3:
        return False
    return words[0][0].isdigit() or (words[0] in SMALL_NUMBERS and not _STREETS.isdisjoint(words[2:]))


def _word(word: str, *, is_address: bool) -> str:
    options = (
        _SAME.get(word, frozenset((word,)))
        if is_address or word in ("saint", "st", "and", "mount", "mt")
        else frozenset((word,))
    )
    return f"(?:{'|'.join(re.escape(option) for option in sorted(options))})"


def _short_forms(name: str) -> list[str]:
    """An address also without what stands behind its city: state, post code and country are often left out."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) < 3 or not _is_address(_WORD.findall(normalise(name))):
        return [name]
    return [", ".join(parts[:count]) for count in range(len(parts), 1, -1)]


def _as_name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ScenarioError(f"not a name: {value!r}")
    return value


@attrs.frozen
class Entity(FactBase):
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
        """What a text says about the name."""
        document = parse(text)
        return judge_one(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every place where the name, or one of the wrong names, stands."""
        names = [
            form for name in (_as_name(require_bound(self, self.name)), *self.aliases) for form in _short_forms(name)
        ]
        patterns = [_name_pattern(name) for name in names]
        patterns += [pattern for name in names if (pattern := _street_pattern(name))]
        right = sorted({match.span() for pattern in patterns for match in pattern.finditer(document.text)})
        others = {match.span() for name in self.instead_of for match in _name_pattern(name).finditer(document.text)}
        wrong = sorted(others.difference(right))
        longer = sorted(
            {match.span() for name in self.apart_from for match in _name_pattern(name).finditer(document.text)}
        )
        return [Mention(*span, True) for span in _outermost(right, [*wrong, *longer])] + [
            Mention(*span, False) for span in _outermost(wrong, [*right, *longer])
        ]

    def mentions_of_name(self, document: Document) -> list[Mention]:
        """Only the places where the name itself stands."""
        return [mention for mention in self.mentions(document) if mention.right]


def _outermost(spans: list[tuple[int, int]], others: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that are not part of a longer one: "Tom" in "Tom Haake" is no other person."""
    every = sorted({*spans, *others}, key=lambda span: (span[0], -span[1]))
    kept: set[tuple[int, int]] = set()
    reach = -1
    for span in every:
        if span[1] > reach:
            kept.add(span)
            reach = span[1]
    return [span for span in spans if span in kept]
