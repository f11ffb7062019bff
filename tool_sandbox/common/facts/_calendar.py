"""Dates and times of day as answers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from tool_sandbox.common.facts._numerals import SMALL_NUMBERS

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d)(?![\d:]))?"
_SMALL = {word: value for word, value in SMALL_NUMBERS.items() if value <= 12} | {"a": 1, "an": 1}
_COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(_SMALL)})"

_DATE_FORMS = (
    re.compile(
        r"(?<![\w./-])(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?=t\d|[^\w/-]|$)"
    ),
    re.compile(rf"(?<![\w-]){_MONTH} ?(?:the )?(?P<day>\d{{1,2}}){_ORDINAL}(?![\w:%°]|\.\d| ?[ap]m\b){_YEAR}"),
    re.compile(rf"(?<![\w.:/-])(?P<day>\d{{1,2}}){_ORDINAL}(?: day)?[ -]?(?:of )?{_MONTH}(?!\w)-?{_YEAR}"),
    re.compile(
        r"(?<![\w./$-])(?P<m>\d{1,2})(?P<sep>[/.-])(?P<day>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d\d|\d\d)(?![\w/-]"
        r"|\.\d)"
    ),
    re.compile(r"(?<![\w./$-])(?P<m>\d{1,2})/(?P<day>\d{1,2})(?![\w/.-])"),
)
_MONTH_YEAR = re.compile(rf"(?<!\w){_MONTH},? (?:of )?(?:19|20)\d\d(?!\w)")
_WEEKDAY = re.compile(
    r"(?<!\w)(?:(?P<which>this coming|this|next|last|coming|upcoming|past|previous) )?"
    r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thu(?:rs?)?|fri|sat"
    r"|sun)(?!\w)(?P<dot>\.?,? ?(?:the )?(?=\d|[a-z]{3}))?"
)
_RELATIVE = re.compile(
    rf"(?<!\w)(?:(?P<name>the day after tomorrow|day after tomorrow|the day before yesterday|tomorrow|yesterday"
    rf"|today|tonight|last night|this (?:morning|afternoon|evening))"
    rf"|in (?:exactly |about |just )?{_COUNT} (?P<unit>days?|weeks?)(?: time)?(?!\w)(?! and)"
    rf"|{_COUNT.replace('count', 'later')} (?P<later_unit>days?|weeks?) from (?:now|today)"
    rf"|{_COUNT.replace('count', 'ago')} (?P<ago_unit>days?|weeks?) ago)(?!\w)"
)
_FROM_TODAY = re.compile(r"(?:from|until|since|as of|of|till|after|before|between) $|\b(?:all|done|it) for $")
_NAMES_TODAY = re.compile(r"'s|(?: is|,| \()")
IS_TODAY = re.compile(
    r"\b(?:today(?:'s date)?(?: is|:|,| \()|current date(?: is|:)|as of|it is now|it's now|now is) (?:the )?$"
)
_NAMED = {
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "the day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
}


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
    weekdays = [mention for mention in _weekdays(text) if mention.start not in covered]
    merged = _join_weekdays(text, sorted([*explicit, *weekdays], key=lambda mention: mention.start))
    relative = [mention for mention in _relative(text) if mention.start not in covered]
    return sorted([*merged, *relative], key=lambda mention: mention.start)


def _explicit_dates(text: str) -> list[DateMention]:
    found: list[DateMention] = []
    taken: list[tuple[int, int]] = []
    for number, form in enumerate(_DATE_FORMS):
        for match in form.finditer(text):
            groups = match.groupdict()
            month = _month(groups["month"]) if groups.get("month") else int(groups["m"])
            day = int(groups["day"])
            year = groups.get("year")
            numeric = number >= 3
            if numeric and month > 12 >= day:
                month, day = day, month
            if 1 <= month <= 12 and 1 <= day <= 31:
                found.append(DateMention(match.start(), match.end(), _year(year), month, day, numeric))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    result = []
    for mention in found:
        if not taken or mention.start >= taken[-1][1]:
            taken.append((mention.start, mention.end))
            result.append(mention)
    return result


def _month(name: str) -> int:
    return next(index for index, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _year(digits: str | None) -> int | None:
    return None if digits is None else int(digits) + (2000 if len(digits) == 2 else 0)


def _weekdays(text: str) -> Iterator[DateMention]:
    for match in _WEEKDAY.finditer(text):
        name = match["weekday"]
        short = name in ("sat", "sun", "wed", "mon", "fri")
        if short and not (
            (match["dot"] and match["dot"].strip())
            or re.match(r" ?\(?(?:\d|[a-z]{3,9}\.? \d)|\)|$", text[match.end("weekday") : match.end("weekday") + 14])
        ):
            continue
        weekday = next(index for index, day in enumerate(_DAYS) if day.startswith(name[:3]))
        yield DateMention(match.start(), match.end("weekday"), weekday=weekday, which=_which(match["which"]))


def _which(word: str | None) -> str:
    if word in ("last", "past", "previous"):
        return "last"
    return "next" if word == "next" else "this" if word else ""


_BESIDE = re.compile(r"(?:\.?,? ?(?:the )?| ?\(| is (?:a )?| (?:falls|fall) on (?:a )?)")


def _join_weekdays(text: str, mentions: list[DateMention]) -> list[DateMention]:
    joined: list[DateMention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and (last.month is None) != (mention.month is None)
            and _BESIDE.fullmatch(text, last.end, mention.start)
        ):
            dated, named = (last, mention) if last.month else (mention, last)
            if dated.weekday is None:
                joined[-1] = attrs.evolve(dated, start=last.start, end=mention.end, weekday=named.weekday)
                continue
        joined.append(mention)
    return joined


def _relative(text: str) -> Iterator[DateMention]:
    for match in _RELATIVE.finditer(text):
        if match["name"]:
            if match["name"] == "today" and (
                _NAMES_TODAY.match(text, match.end())
                or _FROM_TODAY.search(text, max(0, match.start() - 9), match.start())
            ):
                continue
            ahead = _NAMED[match["name"]]
        else:
            count = match["count"] or match["later"] or match["ago"]
            unit = match["unit"] or match["later_unit"] or match["ago_unit"]
            ahead = (int(count) if count.isdigit() else _SMALL[count]) * (7 if unit.startswith("week") else 1)
            ahead = -ahead if match["ago"] else ahead
        yield DateMention(match.start(), match.end(), days_ahead=ahead)


def date_spans(text: str) -> list[tuple[int, int]]:
    """Stretches of a text that hold the digits of a date."""
    spans = [(mention.start, mention.end) for mention in _explicit_dates(text)]
    return spans + [match.span() for match in _MONTH_YEAR.finditer(text)]
