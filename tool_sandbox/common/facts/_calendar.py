"""Dates as answers write them."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator

import attrs

from tool_sandbox.common.facts._numerals import SMALL_NUMBERS, number_of
from tool_sandbox.common.facts._spans import joined, leftmost_longest

_MONTHS = [name.lower() for name in calendar.month_name]
DAYS = tuple(name.lower() for name in calendar.day_name)


def _names(full: list[str], *others: str) -> str:
    """Matches names in full or cut down to three letters."""
    return "|".join([*(f"{name[:3]}(?:{name[3:]})?" for name in full), *others])


_MONTH = rf"(?P<month>{_names(_MONTHS[1:], 'sept')})\.?"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d)(?![\d:]))?"
_DATE_FORMS = (
    re.compile(
        r"(?<![\w./-])(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?=t\d|[^\w/-]|$)"
    ),
    re.compile(rf"(?<![\w-]){_MONTH} ?(?:the )?(?P<day>\d{{1,2}}){_ORDINAL}(?![\w:%°]|\.\d| ?[ap]m\b){_YEAR}"),
    re.compile(rf"(?<![\w.:/-])(?P<day>\d{{1,2}}){_ORDINAL}(?: day)?[ -]?(?:of )?{_MONTH}(?!\w)-?{_YEAR}"),
    re.compile(
        r"(?<![\w./$-])(?P<either>\d{1,2})(?P<sep>[/.-])(?P<day>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d\d|\d\d)"
        r"(?![\w/-]|\.\d)"
    ),
    re.compile(r"(?<![\w./$-])(?P<either>\d{1,2})/(?P<day>\d{1,2})(?![\w/.-])"),
)
_MONTH_YEAR = re.compile(rf"(?<!\w){_MONTH},? (?:of )?(?:19|20)\d\d(?!\w)")
_WEEKDAY = re.compile(
    r"(?<!\w)(?:(?P<which>this coming|this|next|last|coming|upcoming|past|previous) )?"
    rf"(?P<weekday>{_names(list(DAYS), 'tues', 'thurs?')})(?!\w)"
)
# "Sat" and "sun" are words, unless a date follows or a full stop that ends no sentence.
_WORDS = frozenset(("mon", "wed", "fri", "sat", "sun"))
_ABBREVIATES = re.compile(r"(?:\.,?|,) ?(?=\d|[a-z]{3})| ?\(?(?:\d|[a-z]{3,9}\.? \d)|\)|$")
_COUNTS = "|".join(SMALL_NUMBERS)
_RELATIVE = re.compile(
    r"(?<!\w)(?:(?:the )?(?P<name>day after tomorrow|day before yesterday|tomorrow|yesterday|today|tonight|last night"
    r"|this (?:morning|afternoon|evening))"
    rf"|(?P<ahead>in (?:exactly |about |just )?)?(?P<count>\d{{1,4}}|an?|{_COUNTS}) (?P<unit>day|week)s?"
    r"(?(ahead)(?: time)?(?! and)| (?:(?P<ago>ago)|from (?:now|today))))(?!\w)"
)
_NAMED = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1, "last night": -1}
_FROM_TODAY = re.compile(r"(?:from|until|since|as of|of|till|after|before|between) $|\b(?:all|done|it) for $")
_NAMES_TODAY = re.compile(r"'s|(?: is|,| \()")
IS_TODAY = re.compile(
    r"\b(?:today(?:'s date)?(?: is|:|,| \()|current date(?: is|:)|as of|it is now|it's now|now is) (?:the )?$"
)


@attrs.frozen
class DateMention:
    """A date, or a part of one.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        year: Year if written.
        month: Month, 1 to 12.
        day: Day of the month.
        is_numeric: Whether day and month may have been written in either order.
        weekday: Monday is 0; beside a date, or alone.
        which: "this", "next" or "last" in front of a weekday.
        days_ahead: Days after the reference date for "tomorrow", "in 3 days", "2 days ago".
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_numeric: bool = False
    weekday: int | None = None
    which: str = ""
    days_ahead: int | None = None


def dates(text: str) -> list[DateMention]:
    """All dates of a normalised text in order, each weekday joined with the date that it stands beside."""
    explicit = _explicit_dates(text)
    covered = {position for mention in explicit for position in range(mention.start, mention.end)}
    others = [mention for mention in (*_weekdays(text), *_relative(text)) if mention.start not in covered]
    merged = sorted([*explicit, *others], key=lambda mention: mention.start)
    return joined(merged, lambda last, mention: _with_weekday(text, last, mention))


def _explicit_dates(text: str) -> list[DateMention]:
    found = [_date(match) for form in _DATE_FORMS for match in form.finditer(text)]
    return leftmost_longest(mention for mention in found if mention)


def _date(match: re.Match[str]) -> DateMention | None:
    groups = match.groupdict()
    numeric, day, year = "either" in groups, int(groups["day"]), groups.get("year")
    written = groups.get("m") or groups.get("either")
    month = int(written) if written else next(n for n, name in enumerate(_MONTHS) if name[:3] == groups["month"][:3])
    if numeric and month > 12 >= day:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    full = year and int(year) + 2000 * (len(year) == 2)
    return DateMention(*match.span(), full or None, month, day, numeric)


def _weekdays(text: str) -> Iterator[DateMention]:
    for match in _WEEKDAY.finditer(text):
        name, which = match["weekday"], match["which"] or ""
        if name not in _WORDS or _ABBREVIATES.match(text, match.end()):
            which = "last" if which in ("past", "previous") else which if which in ("", "last", "next") else "this"
            weekday = next(number for number, day in enumerate(DAYS) if day[:3] == name[:3])
            yield DateMention(*match.span(), weekday=weekday, which=which)


_BESIDE = re.compile(r"\.?,? ?(?:the )?| ?\(| is (?:a )?| falls? on (?:a )?")


def _with_weekday(text: str, last: DateMention, mention: DateMention) -> DateMention | None:
    """A date and the weekday beside it, in either order, as one."""
    dated, named = (last, mention) if last.month else (mention, last)
    if dated.month is None or dated.weekday is not None or named.weekday is None or named.month is not None:
        return None
    beside = _BESIDE.fullmatch(text, last.end, mention.start)
    return attrs.evolve(dated, start=last.start, end=mention.end, weekday=named.weekday) if beside else None


def _relative(text: str) -> Iterator[DateMention]:
    for match in _RELATIVE.finditer(text):
        start, end = match.span()
        if match["count"]:
            ahead = int(number_of(match["count"])) * (7 if match["unit"] == "week" else 1)
            yield DateMention(start, end, days_ahead=-ahead if match["ago"] else ahead)
        elif match["name"] != "today" or not (
            _NAMES_TODAY.match(text, end) or _FROM_TODAY.search(text, max(0, start - 9), start)
        ):
            yield DateMention(start, end, days_ahead=_NAMED.get(match["name"], 0))


def date_spans(text: str) -> list[tuple[int, int]]:
    """Stretches of a text that hold the digits of a date."""
    spans = [(mention.start, mention.end) for mention in _explicit_dates(text)]
    return spans + [match.span() for match in _MONTH_YEAR.finditer(text)]
