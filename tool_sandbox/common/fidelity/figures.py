"""Numbers, dates and telephone numbers in texts, and which of them are not known."""

import calendar
import datetime
import re
from collections.abc import Iterable, Iterator

import attrs

from tool_sandbox.common.facts._quantities import SMALL_NUMBERS, TENS
from tool_sandbox.common.fidelity.texts import joined_phones

_FIGURE = re.compile(
    r"(?<![\w.])(?P<money>[$€£¥] ?)?\+?(?P<number>\d+(?:[.:]\d+)*)(?: ?(?P<unit>[a-z%°$€£]+))?", re.IGNORECASE
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.]\d{2})?(?::\d{2})? ?(?:[ap]\.?m\b|o'clock)|(?<!\d)(\d{1,2}):\d{2}", re.IGNORECASE
)
_ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}")
_IDIOMS = re.compile(r"\b24/7\b|\b100 ?%|\b50[/-]50\b")

_OTHERS = {"noon": 12, "midday": 12, "midnight": 12, "half": 30, "quarter": 15, "dozen": 12}
_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_ORDINALS = {word: value for value, word in enumerate(_FIRST, 1)}
_VALUES: dict[str, float] = {**SMALL_NUMBERS, **TENS, **_OTHERS, **_ORDINALS}
_WORD = re.compile(r"[^\W\d_]+")
_SPOKEN_TIME = re.compile(rf"\b(?P<hour>{'|'.join(SMALL_NUMBERS)}) ?(?:[ap]\.?m\b|o['’]clock)", re.IGNORECASE)

_MONTHS = [name.casefold() for name in calendar.month_name]
_WEEKDAYS = [name.casefold() for name in calendar.day_name]
_MONTH = rf"(?P<month>{'|'.join(calendar.month_name[1:])})"
_DATE = re.compile(rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?\b", re.IGNORECASE)
_DAY_NAME = re.compile(rf"\b(?P<name>{'|'.join(calendar.day_name)})s?\b", re.IGNORECASE)
_DATED_MONTH = re.compile(rf"\b{_MONTH} \d|\d (?:of )?{_MONTH.replace('month', 'after')}\b", re.IGNORECASE)

_UNIT = re.compile(
    r"[ap]m?|%|°\w?|[$€£]|k|o|dollars?|euros?|pounds?|hours?|minutes?|days?|weeks?|months?|years?|miles?|km|kilo\w+"
)
_SCALES = {"k": 1_000.0, "thousand": 1_000.0, "grand": 1_000.0, "million": 1_000_000.0}
_SMALL = 3
"""Numbers up to this one count things in passing ("2 things"), unless they have a unit."""

_SHORTEST_PHONE = 7
_SHORTEST_PART = 3


@attrs.frozen
class Figures:
    """The numbers, dates and telephone numbers of some texts.

    Attributes:
        values: The numbers, in figures and words; hours on both halves of the clock.
        digits: Runs of digits as long as a telephone number.
        days: Names of months and days of the week, in lower case, those of dates included.
    """

    values: frozenset[float]
    digits: frozenset[str]
    days: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Figures":
        """Reads texts.

        Args:
            texts: In any order. A date without a year is in the first year that any of them names.
        """
        plain = [_plain(text) for text in texts]
        found = [number for text in plain for number in _DIGITS.findall(text)]
        years = [int(date[:4]) for text in reversed(plain) for date in _ISO_DATE.findall(text)]
        values = {value for number in found for value in _parts(number)}
        values |= {_VALUES[word] for text in plain for word in _words(text) if word in _VALUES}
        values |= {hour for text in plain for hour in _hours(text)}
        values |= {value * scale for value in set(values) for word, scale in _SCALES.items() if _uses(plain, word)}
        return cls(
            frozenset(values),
            frozenset(number for number in found if number.isdigit() and len(number) >= _SHORTEST_PHONE),
            frozenset(day for text in plain for day in _days(text, years[0] if years else None)),
        )

    def missing(self, text: str) -> Iterator[str]:
        """The figures of another text that are not among these, as they are written there.

        Args:
            text: What somebody says.
        """
        plain = _IDIOMS.sub(" ", _plain(text))
        for match in _FIGURE.finditer(plain):
            if not self._holds(match):
                yield match["number"]
        for match in _SPOKEN_TIME.finditer(plain):
            if _VALUES[match["hour"].lower()] not in self.values:
                yield match.group()
        yield from (match["name"] for match in _DAY_NAME.finditer(plain) if match["name"].lower() not in self.days)
        for match in _DATED_MONTH.finditer(plain):
            if (name := match["month"] or match["after"]).lower() not in self.days:
                yield name

    def _holds(self, match: re.Match[str]) -> bool:
        number, unit = match["number"], (match["unit"] or "").lower()
        if number.isdigit():
            if len(number) >= _SHORTEST_PART and any(number in digits for digits in self.digits):
                return True
            if len(number) >= _SHORTEST_PHONE and any(number.endswith(digits) for digits in self.digits):
                return True
            if float(number) <= _SMALL and not match["money"] and not _UNIT.fullmatch(unit):
                return True
        scale = _SCALES.get(unit, 1.0)
        return all(value == 0 or self._has(value) or self._has(value * scale) for value in _parts(number))

    def _has(self, value: float) -> bool:
        if value in self.values:
            return True
        decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
        return any(round(known, decimals) == value or known // 1 == value for known in self.values if known > 1)


def _plain(text: str) -> str:
    return _THOUSANDS.sub("", joined_phones(text))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _uses(texts: Iterable[str], scale: str) -> bool:
    return any(re.search(rf"\d ?{scale}\b", text, re.IGNORECASE) for text in texts)


def _parts(number: str) -> list[float]:
    """The value of a number, or the parts of a time or of a date with dots."""
    return [float(part) for part in (re.split(r"[.:]", number) if ":" in number or number.count(".") > 1 else [number])]


def _hours(text: str) -> Iterator[float]:
    for groups in _CLOCK.findall(text):
        hour = int("".join(groups))
        yield from (float(hour), hour + 12.0, hour - 12.0)


def _days(text: str, year: int | None) -> Iterator[str]:
    yield from (word for word in (word.removesuffix("s") for word in _words(text)) if word in _WEEKDAYS)
    yield from (word for word in _words(text) if word in _MONTHS)
    dates = [(match.group()[:4], match.group()[5:7], match.group()[8:]) for match in _ISO_DATE.finditer(text)]
    for match in _DATE.finditer(text):
        if match["year"] or year:
            dates.append((match["year"] or str(year), str(_MONTHS.index(match["month"].lower())), match["day"]))
    for written in dates:
        try:
            day = datetime.date(*map(int, written))
        except ValueError:
            continue
        yield from (_WEEKDAYS[day.weekday()], _MONTHS[day.month])
