"""Typed values in a statement that nothing shown supports."""

import functools
import itertools
import re
from collections.abc import Callable, Iterator

import attrs
from rapidfuzz.distance import Levenshtein

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._entity import STATES
from tool_sandbox.answers.facts._quantities import Quantity, quantities
from tool_sandbox.answers.facts._units import UNITS
from tool_sandbox.answers.grounding.evidence import Evidence, plain_digits
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.moments import HEDGED, MOMENT_READERS, NOTATION, SMALL
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.conversation.execution_context import DatabaseNamespace

_POSTCODE = re.compile(r"\b[A-Z]{2} (\d{5})\b(?![.,-]\d)")
_TOWN = re.compile(r"(?<![a-z])([a-z][a-z .'-]{0,60}), ([a-z]{2}) (\d{5})\b")
_STREET = re.compile(
    r"\b\d{1,5} (?:[NSEW] )?(?:(?:[A-Z][a-z]+|\d+(?:st|nd|rd|th)) ){1,3}(?:St|Ave|Blvd|Dr|Rd|Pl|Ln|Ct|Hwy)\b"
)
_TWO_WORDS = (
    "new hampshire nh, new jersey nj, new mexico nm, new york ny, north carolina nc, north dakota nd, rhode island ri"
)
_TWO_WORDS += ", south carolina sc, south dakota sd, west virginia wv"
_CODES = {" ".join(words[:-1]): words[-1] for words in map(str.split, f"{STATES},{_TWO_WORDS}".split(","))}
_STATE_NAMES = "|".join(_CODES)
_QUOTED = re.compile(r"\"([^\"\n]{3,1200})\"")
_SENT = re.compile(r"\b(?:sent|texted|messaged|replied)\b")
_EXAMPLE = re.compile(r"(?:\be\.g\.,?|\bsuch as|\blike|\bfor (?:example|instance),?|\bsay,?) \"?$")
_TITLED = re.compile(
    r"(?:\b(?:was|is|are|were|called|titled|named|labell?ed|reads|reading|says|said|saying|reminders?|contact|text|message"
    r"|entry|one)|,|:) ?\"?$"
)
_ELISION = re.compile(r"\.[ .]*\.|\[[^\]]*\]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_HOURS = re.compile(r"\d ?(?:h|hrs?|hours?)\b|\d ?(?:m|mins?|minutes?),?(?: and)? \d+ ?(?:s|secs?|seconds?)\b")
_SYMBOL = re.compile(r"\b[A-Z]{2,5}\b")
_INEXACTLY = re.compile(r" (?:half|about|around|roughly)\b")
_FORECAST = re.compile(r"\bforecasts?\b[^.;\n]{0,40}\bdays?\b")
_PART = re.compile(r"\b(?:digits|code|prefix|extension|ends? in|ending)\b")
_DAY = 86400
_INEXACT = 0.03
_EXACT = 1000
_HISTORY = 20
_YEAR = re.compile(r"(?:19|20)\d\d")

_TITLE = 8
"""Words of the title of a reminder, at most."""

_BESIDE = 24
"""Characters between quotations of one row, at most."""

_FEW = 2
"""Words of a quotation that are not in every text, at least, for an altered one."""

_COMMON = frozenset(("the", "and", "for", "one", "you", "your", "our", "this", "that", "with"))

_ALTERED = 0.6
"""Share of the words of a quotation that one stored text holds, from which on it is an altered one."""


def unsupported_values(said: Statement) -> Iterator[Finding]:
    """Values that a text asserts and that had not been shown."""
    for reader in _READERS:
        for finding in reader(said):
            if finding.kind not in _DERIVED or not said.is_wanted(finding.said):
                yield finding


def _phones(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in said.phones:
        words = document.text[mention.start : mention.end]
        digits = plain_digits(words)
        # A trunk zero may stand in place of the country code, on either side.
        written = (digits.lstrip("0")[-10:], f"0{digits[-9:]}")
        if _is_moment(words, shown):
            continue
        if not any(map(shown.holds_digits, written)) and not any(str(int(n)) == digits for n in shown.numbers):
            yield Finding(Kind.PHONE, words, "no such number was shown")


def _is_moment(words: str, shown: Evidence) -> bool:
    """Whether bare digits are the POSIX time of something within a day of what was shown."""
    return words.isdigit() and any(abs(int(words) - moment) <= _DAY for moment in shown.moments)


def _addresses(said: Statement) -> Iterator[Finding]:
    """Postal codes that were not shown or are another town's, and towns that are put in another state."""
    text, shown = said.text, said.shown
    for match in _POSTCODE.finditer(text):
        if not shown.holds_digits(match[1]):
            yield Finding(Kind.ADDRESS, match.group(), "no such postal code was shown")
    for match in _STREET.finditer(text):
        if not shown.holds_text(match.group().lower().rstrip(".")):
            yield Finding(Kind.ADDRESS, match.group(), "no such street was shown")
    lying = {place for plain in shown.texts for place in _towns(plain)}
    for town, _, code in _towns(said.document.own):
        towns = {each for each, _, number in lying if number == code}
        if towns and not any(town.endswith(each) or each.endswith(town) for each in towns):
            yield Finding(Kind.ADDRESS, f"{town} {code}", f"{code} is {', '.join(sorted(towns))}")
    for town, state in {(town, state) for town, state, _ in lying}:
        for match in re.finditer(
            rf"\b(?i:{re.escape(town.strip())}), (?P<state>(?i:{_STATE_NAMES})|[A-Z]{{2}}\b)", text
        ):
            named = match["state"].lower()
            if _CODES.get(named, named) != state:
                yield Finding(Kind.ADDRESS, match.group(), f"{town.strip()}, {state}")


@functools.lru_cache(maxsize=4096)
def _towns(plain: str) -> tuple[tuple[str, ...], ...]:
    return tuple(match.groups() for match in _TOWN.finditer(plain))


def _amounts(said: Statement) -> Iterator[Finding]:
    """Figures that nothing gives; what has a unit, or is a year, is never mere talk."""
    document, shown = said.document, said.shown
    expected = UNITS["second"] if _HOURS.search(document.text) else None
    amounts = quantities(said.figures, expected)
    units = {amount.unit for amount in amounts if amount.unit is not None}
    tools = " ".join(tool for tool, _ in said.calls)
    steps = _steps(said, amounts)
    for amount in amounts:
        is_hedged = HEDGED.search(document.own, max(0, amount.start - 24), amount.start)
        if is_hedged and amount.unit and amount.unit.dimension == "length" and "distance" not in tools:
            continue  # Geography that everybody knows.
        if is_hedged or _INEXACTLY.search(document.own, amount.start, amount.end):
            # What is written to the cent is not meant to be far off.
            is_time = amount.unit is not None and amount.unit.dimension == "time"
            is_exact = not is_time and amount.step < 1 and abs(amount.value) >= _EXACT * amount.step
            slack = 2 * amount.step if is_exact else 2 * _INEXACT * abs(amount.value)
            amount = attrs.evolve(amount, step=max((1 + is_time) * amount.step, slack))
        counts = amount.unit is None or amount.unit.dimension not in ("length", "speed", "mass")
        if NOTATION.match(document.own, amount.end):
            continue
        is_count = counts and amount.value == int(amount.value) and abs(amount.value) <= SMALL
        if is_count or not said.is_asserted(amount.start) or _is_known(said, amount):
            continue
        words = document.text[amount.start : amount.end]
        if (
            amount.unit is None
            and _PART.search(document.own, *said.sentence(amount.start))
            and shown.holds_digits(words)
        ):
            continue
        # "75.0 degrees, while the other makes it to 50.7".
        if amount.unit is None and any(shown.holds_amount(attrs.evolve(amount, unit=unit)) for unit in units):
            continue
        if _YEAR.fullmatch(words):
            if not any(day[0] == amount.value for day in shown.days):
                # Years of history are common knowledge.
                is_recent = amount.value >= said.shown.today.year - _HISTORY
                yield Finding(Kind.DATE, words, "nothing shown is of that year" if is_recent else None)
            continue
        # A plain figure may count anything, or be a step on the way to another.
        is_bound = shown.numbers and amount.unit is not None and amount.start not in steps
        # Of many figures so many sums can be made that hardly any can be ruled out.
        is_bound = is_bound and not shown.may_sum_up_to(amount)
        # How far a forecast reaches is known from the tool.
        is_bound = is_bound and not _FORECAST.search(document.own, *said.sentence(amount.start))
        yield Finding(Kind.AMOUNT, words, "no figures that were shown give it" if is_bound else None)


def _steps(said: Statement, amounts: list[Quantity]) -> set[int]:
    """Where amounts in a row stand that make up the next one, which can be known."""
    steps = set[int]()
    for number, total in enumerate(amounts):
        sum_of_row = 0.0
        for first in range(number - 1, -1, -1):
            sum_of_row += amounts[first].value
            if amounts[first].unit != total.unit or sum_of_row > total.value:
                break
            if first < number - 1 and sum_of_row == total.value and _is_known(said, total):
                steps |= {each.start for each in amounts[first:number]}
    return steps


def _is_known(said: Statement, amount: Quantity) -> bool:
    return said.shown.holds_amount(amount, said.operands) or _is_between(said, amount)


def _is_between(said: Statement, amount: Quantity) -> bool:
    """Whether it is the time between days that the text names, today among them."""
    if amount.unit is None or amount.unit.dimension != "time":
        return False
    named = said.named_days
    apart = {(later - earlier).days for earlier, later in itertools.combinations(sorted(named), 2)}
    days = amount.unit.convert(amount.value, UNITS["day"])
    return any(abs(days - each) <= amount.unit.scale(UNITS["day"]) * amount.step / 2 for each in apart)


def _quotations(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for match in _QUOTED.finditer(document.text):
        for part in _ELISION.split(match[1]):
            words = set(_WORD.findall(part))
            if not words or shown.holds_text(part.removesuffix("'s")):
                continue
            told = _is_altered(said, match.start(), part) or (
                len(words - _COMMON) >= _FEW
                and len(part.split()) <= _TITLE
                and document.is_asserted(match.start())
                and not _is_example(said, match.start())
                and (_is_listed(document, shown, match) or _is_titled(said, match.start(), part))
            )
            told = told or _is_of_message(said, match.start())
            yield Finding(Kind.QUOTATION, part, "what was shown reads otherwise" if told else None)


def _is_altered(said: Statement, start: int, part: str) -> bool:
    """Whether most, but not all, words of a quotation, which is no example, are those of one thing stored or quoted."""
    words = set(_WORD.findall(part)) - _COMMON
    if len(words) < _FEW or _is_example(said, start) or said.stored.holds_text(part):
        return False
    quoted = [match[1] for text in said.told.texts for match in _QUOTED.finditer(text)]
    most = max((len(words.intersection(_WORD.findall(text))) for text in (*said.stored.texts, *quoted)), default=0)
    return most >= _ALTERED * len(words)


def _is_example(said: Statement, start: int) -> bool:
    """Whether what is quoted is to show what may be said."""
    return _EXAMPLE.search(said.document.own, max(0, start - 24), start) is not None


def _is_of_message(said: Statement, start: int) -> bool:
    """Whether it is what a message is said to say that was sent."""
    begin, _ = said.sentence(start)
    is_sent = any(change.kind == "sent" for change in said.world.changes)
    return is_sent and said.is_said(start) and _SENT.search(said.document.own, begin, start) is not None


def _is_titled(said: Statement, start: int, part: str) -> bool:
    """Whether it is said to be what something is called or reads, and nothing is."""
    return (
        not said.stored.holds_text(part)
        and said.is_said(start)
        and _TITLED.search(said.document.own, max(0, start - 16), start) is not None
    )


def _is_listed(document: Document, shown: Evidence, quotation: re.Match[str]) -> bool:
    """Whether it stands beside a quotation that was shown, and is not said to be missing."""
    begin, stop = document.sentences[document.clause_at(quotation.start()).sentence]
    others = [
        match
        for match in _QUOTED.finditer(document.text, begin, stop + 1)
        if match[1] != quotation[1] and max(match.start() - quotation.end(), quotation.start() - match.end()) < _BESIDE
    ]
    return not document.is_negated(quotation.start()) and any(shown.holds_text(match[1]) for match in others)


def _names(said: Statement) -> Iterator[Finding]:
    """People whose second name was changed, and ticker symbols with another letter."""
    text, shown = said.text, said.shown
    persons = said.world.called(DatabaseNamespace.CONTACT)
    for name in shown.names:
        first, _, second = name.partition(" ")
        if not second or " " in second:
            continue
        for match in re.finditer(rf"\b{re.escape(first)} (?!{re.escape(second)})([A-Z][a-z]+)\b", text):
            if shown.holds_text(match.group().lower()) or match.group().lower() in persons:
                continue
            # With the second name of somebody else it is nobody.
            mixed = name.lower() in persons and any(each.endswith(f" {match[1].lower()}") for each in persons)
            if mixed or not shown.holds_text(match[1].lower()):
                yield Finding(Kind.NAME, match.group(), name)
        for match in re.finditer(rf"(?<=[a-z,] )(?!{re.escape(first)}\b)([A-Z][a-z]+) {re.escape(second)}\b", text):
            if not (shown.holds_text(match.group().lower()) or match.group().lower() in persons):
                yield Finding(Kind.NAME, match.group(), name)
    for symbol in shown.symbols:
        for word in set(_SYMBOL.findall(text)) - shown.symbols:
            if Levenshtein.distance(word, symbol) <= len(symbol) // 3 and not shown.holds_text(word.lower()):
                yield Finding(Kind.NAME, word, symbol)


_DERIVED = (Kind.AMOUNT, Kind.TIME, Kind.DATE)
_READERS: tuple[Callable[[Statement], Iterator[Finding]], ...] = (
    _phones,
    *MOMENT_READERS,
    _amounts,
    _quotations,
    _addresses,
    _names,
)
