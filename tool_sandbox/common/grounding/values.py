"""Typed values in a statement that nothing shown supports."""

import datetime
import functools
import itertools
import re
from collections.abc import Callable, Iterator

import attrs
from rapidfuzz.distance import Levenshtein

from tool_sandbox.common.facts._calendar import DateMention, dates
from tool_sandbox.common.facts._clocktimes import times
from tool_sandbox.common.facts._document import Document
from tool_sandbox.common.facts._entity import STATES
from tool_sandbox.common.facts._phone import AnyPhone
from tool_sandbox.common.facts._quantities import Quantity, quantities
from tool_sandbox.common.facts._units import UNITS
from tool_sandbox.common.grounding.evidence import Evidence, clocks_of, plain_digits
from tool_sandbox.common.grounding.finding import Finding, Kind
from tool_sandbox.common.grounding.statement import Statement

_POSTCODE = re.compile(r"\b[A-Z]{2} (\d{5})\b(?![.,-]\d)")
_TOWN = re.compile(r"([a-z][a-z .'-]*), ([a-z]{2}) \d{5}\b")
_TWO_WORDS = (
    "new hampshire nh, new jersey nj, new mexico nm, new york ny, north carolina nc, north dakota nd, rhode island ri"
)
_TWO_WORDS += ", south carolina sc, south dakota sd, west virginia wv"
_CODES = {" ".join(words[:-1]): words[-1] for words in map(str.split, f"{STATES},{_TWO_WORDS}".split(","))}
_STATE_NAMES = "|".join(_CODES)
_QUOTED = re.compile(r"\"([^\"\n]{3,1200})\"")
_ELISION = re.compile(r"\.[ .]*\.|\[[^\]]*\]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_AHEAD = re.compile(r"\bin (?:about |around |roughly |just (?:over |under )?|exactly |less than |under )?$")
_AWAY = re.compile(r" (?:ago|from now|away|to go|left)\b")
_APART = re.compile(r" (?:before(?:hand)?|earlier|later|after(?:wards)?|in advance|ahead)\b")
_LIMIT = re.compile(r" (?:in advance|ahead)\b")
_DAY = 86400
_SPANS = ("minute", "hour", "day", "week")
_NOW, _APART_FROM = "now", "any"
_HOURS = re.compile(r"\d ?(?:h|hrs?|hours?)\b")
_SYMBOL = re.compile(r"\b[A-Z]{2,5}\b")
_LONG = 1000
_HEDGED = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|just over|just under|over|under|some|close to"
    r"|more than|less than|at least|at most|within|up to|or so)(?: the| a| an)? ?$|~ ?$"
)
_INEXACT = 0.03
_YEAR = re.compile(r"(?:19|20)\d\d")
_NATIONAL = 9
"""Digits that any two numbers of a country share only by being the same; a trunk zero or country code stands before."""

_SMALL = 12
"""Whole numbers up to this one count things in passing."""

_TITLE = 8
"""Words of the title of a reminder, at most."""

_ALTERED = 0.6
"""Share of the words of a quotation that were shown, from which on it is an altered one."""


def unsupported_values(said: Statement) -> Iterator[Finding]:
    """Values that a text asserts and that had not been shown.

    Args:
        said: What the agent said.

    Yields:
        Findings. The world contradicts a value of a kind of which others were shown, but not this one.
    """
    for reader in _READERS:
        yield from reader(said)


def _phones(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in AnyPhone().mentions(document):
        words = document.text[mention.start : mention.end]
        digits = plain_digits(words)
        # A trunk zero may stand in place of the country code, on either side.
        written = (digits.lstrip("0")[-10:], f"0{digits[-9:]}")
        if not any(map(shown.holds_digits, written)) and not any(str(int(n)) == digits for n in shown.numbers):
            known = any(map(said.stored.holds_digits, written))
            yield Finding(Kind.PHONE, words, None if known else "no such number was shown, and none is stored")


def _addresses(said: Statement) -> Iterator[Finding]:
    """Postal codes that were not shown, and towns that are put in another state than where they lie."""
    text, shown = said.text, said.shown
    for match in _POSTCODE.finditer(text):
        if not shown.holds_digits(match[1]):
            yield Finding(Kind.ADDRESS, match.group(), "no such postal code was shown")
    for town, state in {town for plain in shown.texts for town in _towns(plain)}:
        for match in re.finditer(
            rf"\b(?i:{re.escape(town.strip())}), (?P<state>(?i:{_STATE_NAMES})|[A-Z]{{2}}\b)", text
        ):
            named = match["state"].lower()
            if _CODES.get(named, named) != state:
                yield Finding(Kind.ADDRESS, match.group(), f"{town.strip()}, {state}")


@functools.lru_cache(maxsize=4096)
def _towns(plain: str) -> tuple[tuple[str, ...], ...]:
    return tuple(match.groups() for match in _TOWN.finditer(plain))


def _times(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in said.clocks if document.own == document.text else times(document.text):
        meant = clocks_of(mention.seconds, is_ambiguous=mention.is_ambiguous)
        # With seconds it may be a length of time as well.
        if mention.step != 1 and document.is_asserted(mention.start) and not meant & shown.clocks:
            known = meant & said.stored.clocks or not shown.moments
            words = document.text[mention.start : mention.end]
            yield Finding(Kind.TIME, words, None if known else "nothing shown or stored is at that time")


def _offsets(said: Statement) -> Iterator[Finding]:
    """How far away something is said to be, or how far apart two things are: "in two hours", "a day before"."""
    document, shown = said.document, said.shown
    for amount in quantities(said.figures, UNITS["second"]):
        if amount.unit is None or amount.unit.name not in _SPANS or not said.is_asserted(amount.start):
            continue
        # "More than a week away" says no exact day, and a forecast reaches days ahead of nothing.
        if _HEDGED.search(document.own, max(0, amount.start - 24), amount.start) and amount.unit.factor >= _DAY:
            continue
        ahead = _AHEAD.search(document.own, max(0, amount.start - 24), amount.start)
        begin, stop = document.sentences[document.clause_at(amount.start).sentence]
        if _LIMIT.match(document.own, amount.end) and "remind" not in document.own[begin:stop]:
            continue
        apart = _APART.match(document.own, amount.end)
        if not (ahead or apart or _AWAY.match(document.own, amount.end)) or not shown.moments:
            continue
        words = document.text[amount.start : amount.end]
        if not shown.holds_text(words) and not _is_span(amount, shown, _APART_FROM if apart else _NOW):
            yield Finding(Kind.TIME, words, "nothing shown is that far away")


def _is_span(amount: Quantity, shown: Evidence, anchors: str) -> bool:
    """Whether it is the time between two moments, one of them now if only that is meant."""
    unit = amount.unit or UNITS["second"]
    apart, slack = amount.value * unit.factor, max(0.75 * amount.step * unit.factor, 120.0)
    now = datetime.datetime.fromtimestamp(shown.now, shown.zone)
    moments = [*shown.moments.values(), now]
    if unit.factor >= _DAY and amount.value * unit.factor / _DAY in {abs(days) for days in shown.days_away()}:
        return True
    for one, other in itertools.product([now] if anchors == _NOW else moments, moments):
        if amount.unit is not None and amount.unit.name in ("day", "week"):
            if abs((other.date() - one.date()).days) * 86400 == apart:
                return True
        # On the clock an hour may go by in two, or in none.
        elif min(abs(abs(between.total_seconds()) - apart) for between in _between(one, other)) <= slack:
            return True
    # Days that a tool counted, and by which something was shifted; bounds of a service.
    is_shown = amount.value > _SMALL and amount.value in shown.numbers
    return is_shown or amount.value in [abs(each) for each in shown.fields.get(f"{unit.name}s", ())]


def _between(one: datetime.datetime, other: datetime.datetime) -> Iterator[datetime.timedelta]:
    yield other - one
    clock = other.replace(tzinfo=None) - one.replace(tzinfo=None)
    yield clock
    yield datetime.timedelta(seconds=clock.total_seconds() % 86400)
    yield datetime.timedelta(seconds=-clock.total_seconds() % 86400)


def _dates(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for mention in said.days if document.own == document.text else dates(document.text):
        if not document.is_asserted(mention.start) or mention.month is None or mention.day is None:
            continue
        words = document.text[mention.start : mention.end]
        fitting = _fitting(mention, shown)
        if not fitting and not _is_counted(mention, document, shown):
            known = _fitting(mention, said.stored) or not shown.moments
            yield Finding(Kind.DATE, words, None if known else "nothing shown or stored is on that day")
        elif fitting and mention.weekday is not None and (days := _weekdays(fitting)) and mention.weekday not in days:
            yield Finding(Kind.DATE, words, "that date is another day of the week")


def _is_counted(mention: DateMention, document: Document, shown: Evidence) -> bool:
    """Whether the text tells how many days it is from a day that was shown."""
    spans = [each.value for each in quantities(document.text) if each.unit is not None and each.unit.name == "day"]
    day, month = mention.day, mention.month
    for span in (1, *spans):
        for known in shown.days:
            for sign in (1, -1) if known[0] and span < _LONG else ():
                date = datetime.date(*known) + datetime.timedelta(days=sign * span)
                if (date.month, date.day) == (month, day) and mention.year in (None, date.year):
                    return True
    return False


def _fitting(mention: DateMention, evidence: Evidence) -> list[tuple[int, int, int]]:
    written = {(mention.month, mention.day)} | ({(mention.day, mention.month)} if mention.is_numeric else set())
    return [
        day
        for day in evidence.days
        if day[1:] in written and (mention.year is None or not day[0] or mention.year == day[0])
    ]


def _weekdays(days: list[tuple[int, int, int]]) -> set[int]:
    return {datetime.date(*day).weekday() for day in days if day[0]}


def _amounts(said: Statement) -> Iterator[Finding]:
    """Figures that nothing gives; what has a unit, or is a year, is never mere talk."""
    document, shown = said.document, said.shown
    expected = UNITS["second"] if _HOURS.search(document.text) else None
    amounts = quantities(said.figures, expected)
    units = {amount.unit for amount in amounts if amount.unit is not None}
    for amount in amounts:
        if (
            _HEDGED.search(document.own, max(0, amount.start - 24), amount.start)
            or " half" in document.own[amount.start : amount.end]
        ):
            amount = attrs.evolve(amount, step=max(amount.step, 2 * _INEXACT * abs(amount.value)))
        is_count = amount.value == int(amount.value) and abs(amount.value) <= _SMALL
        if is_count or not document.is_asserted(amount.start) or shown.holds_amount(amount):
            continue
        # "75.0 degrees, while the other makes it to 50.7".
        if amount.unit is None and any(shown.holds_amount(attrs.evolve(amount, unit=unit)) for unit in units):
            continue
        words = document.text[amount.start : amount.end]
        if _YEAR.fullmatch(words):
            if not any(day[0] == amount.value for day in shown.days):
                yield Finding(Kind.DATE, words, "nothing shown is of that year")
            continue
        yield Finding(Kind.AMOUNT, words, "no figures that were shown give it" if shown.numbers else None)


def _quotations(said: Statement) -> Iterator[Finding]:
    document, shown = said.document, said.shown
    for match in _QUOTED.finditer(document.text):
        for part in _ELISION.split(match[1]):
            words = set(_WORD.findall(part))
            if not words or shown.holds_text(part):
                continue
            known = {word for text in shown.texts for word in words.intersection(_WORD.findall(text))}
            altered = len(words) > 2 and len(known) >= _ALTERED * len(words)
            told = altered or (
                len(part.split()) <= _TITLE
                and document.is_asserted(match.start())
                and _is_listed(document, shown, match)
            )
            yield Finding(Kind.QUOTATION, part, "what was shown reads otherwise" if told else None)


def _is_listed(document: Document, shown: Evidence, quotation: re.Match[str]) -> bool:
    """Whether it stands among quotations that were shown, and is not said to be missing."""
    begin, stop = document.sentences[document.clause_at(quotation.start()).sentence]
    others = [match for match in _QUOTED.finditer(document.text, begin, stop + 1) if match[1] != quotation[1]]
    return not document.is_negated(quotation.start()) and any(shown.holds_text(match[1]) for match in others)


def _names(said: Statement) -> Iterator[Finding]:
    """People whose second name was changed, and ticker symbols with another letter."""
    text, shown = said.text, said.shown
    for name in shown.names:
        first, _, second = name.partition(" ")
        if not second or " " in second:
            continue
        for match in re.finditer(rf"\b{re.escape(first)} (?!{re.escape(second)})([A-Z][a-z]+)\b", text):
            if not shown.holds_text(match.group().lower()) and not shown.holds_text(match[1].lower()):
                yield Finding(Kind.NAME, match.group(), name)
    for symbol in shown.symbols:
        for word in set(_SYMBOL.findall(text)) - shown.symbols:
            if Levenshtein.distance(word, symbol) <= len(symbol) // 3 and not shown.holds_text(word.lower()):
                yield Finding(Kind.NAME, word, symbol)


_READERS: tuple[Callable[[Statement], Iterator[Finding]], ...] = (
    _phones,
    _times,
    _offsets,
    _dates,
    _amounts,
    _quotations,
    _addresses,
    _names,
)
