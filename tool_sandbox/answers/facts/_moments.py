"""Dates and times of day as answers write them, and a text without all digits that are no amounts."""

import calendar
import functools
import re
from collections.abc import Iterable, Iterator

import attrs

from tool_sandbox.answers.facts._document import Span, joined, leftmost_longest
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS, number_of


def _names(full: Iterable[str], *others: str) -> str:
    """Matches names in full or cut down to three letters."""
    return "|".join([*(f"{name[:3]}(?:{name[3:]})?" for name in full), *others])


MONTHS = [name.lower() for name in calendar.month_name]
DAYS = [name.lower() for name in calendar.day_name]
_COUNTS = "|".join(SMALL_NUMBERS)
_MONTH = rf"(?P<month>{_names(MONTHS[1:], 'sept')})\.?"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d)(?!\d|:\d))?"
_DATE_FORMS = (
    re.compile(
        r"(?<![\w./-])(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
        r"(?=t\d|[^\w/-]|$)"
    ),
    re.compile(rf"(?<![\w-]){_MONTH} ?(?:the )?(?P<day>\d{{1,2}}){_ORDINAL}(?![\w%°]|[:.]\d| ?[ap]m\b){_YEAR}"),
    re.compile(rf"(?<![\w.:/-])(?P<day>\d{{1,2}}){_ORDINAL}(?: day)?[ -]?(?:of )?{_MONTH}(?!\w)-?{_YEAR}"),
    re.compile(
        r"(?<![\w./$-])(?P<month>\d{1,2})(?P<sep>[/.-])(?P<day>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d\d|\d\d)"
        r"(?![\w/-]|\.\d)"
    ),
    re.compile(r"(?<![\w./$-])(?<!x )(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\w/.-]|\)? ?[+x=])"),
)
_WEEKDAY = re.compile(
    r"(?<!\w)(?:(?P<which>this coming|this|next|last|coming|upcoming|past|previous) )?"
    rf"(?P<weekday>{_names(DAYS, 'tues', 'thurs?')})(?!\w)"
)
# "Sat" and "sun" are words, unless a date follows or a full stop that ends no sentence.
_WORDS = ("mon", "wed", "fri", "sat", "sun")
_ABBREVIATES = re.compile(r"(?:\.,?|,) ?(?=\d|[a-z]{3})| ?\(?(?:\d|[a-z]{3,9}\.? \d)|\)|$")
_RELATIVE = re.compile(
    r"(?<!\w)(?:(?:the )?(?P<name>day after tomorrow|day before yesterday|tomorrow|yesterday|today|tonight|last night"
    r"|this (?:morning|afternoon|evening))"
    rf"|(?P<ahead>in (?:exactly |about |just )?)?(?P<count>\d{{1,4}}|an?|{_COUNTS}) (?P<unit>day|week)s?"
    r"(?(ahead)(?: time)?(?! and)| (?:(?P<ago>ago)|from (?:now|today))))(?!\w)"
)
_NAMED = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1, "last night": -1}
_FROM_TODAY = re.compile(r"(?:from|until|since|as of|of|till|after|before|between) $|\b(?:all|done|it) for $")
_NAMES_TODAY = re.compile(r"'s|(?: is|,| \()")
_BESIDE = re.compile(
    r"\.?,? ?(?:the )?| ?\(|(?:,? (?:which|that|and it|and that)|,)?(?:'s| is| was| will be)(?: on)? (?:a )?"
    r"|[.;] (?:it|that|this)(?:'s| is| was| will be) a "
    r"|(?:[.;] (?:it|that)|,? (?:which|that|and it|and that))?(?:(?: will)? (?:fall|land)s?| fell) on (?:a )?"
)


@attrs.frozen
class DateMention(Span):
    """A date, or a part of one.

    Day and month of a numeric one may be in either order. A weekday (Monday is 0) stands beside a date, or alone
    behind a word such as "next". Words such as "tomorrow" and "2 days ago" have days ahead of the reference date.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_numeric: bool = False
    weekday: int | None = None
    which: str = ""
    days_ahead: int | None = None


def dates(text: str) -> list[DateMention]:
    """All dates of a normalised text in order, each weekday joined with the date that it stands beside."""
    found = leftmost_longest([*_explicit_dates(text), *_named_days(text)])
    return joined(found, lambda last, mention: _with_weekday(text, last, mention))


def _explicit_dates(text: str) -> list[DateMention]:
    return leftmost_longest(_date(match) for form in _DATE_FORMS for match in form.finditer(text))


def _date(match: re.Match[str]) -> DateMention | None:
    written, day, year = match["month"], int(match["day"]), match.groupdict().get("year")
    is_numeric = written.isdecimal() and match.start("month") == match.start()
    month = int(written) if written.isdecimal() else [name[:3] for name in MONTHS].index(written[:3])
    if is_numeric and month > 12 >= day:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    full = int(year) + 2000 * (len(year) == 2) if year else None
    return DateMention(*match.span(), full, month, day, is_numeric)


def _named_days(text: str) -> Iterator[DateMention]:
    """Weekdays, and days counted from today."""
    for match in _WEEKDAY.finditer(text):
        name, which = match["weekday"], match["which"] or ""
        if name not in _WORDS or _ABBREVIATES.match(text, match.end()):
            which = "last" if which in ("past", "previous") else which
            yield DateMention(*match.span(), weekday=[day[:3] for day in DAYS].index(name[:3]), which=which)
    for match in _RELATIVE.finditer(text):
        start, end = match.span()
        if match["count"]:
            ahead = int(number_of(match["count"])) * (7 if match["unit"] == "week" else 1)
            yield DateMention(start, end, days_ahead=-ahead if match["ago"] else ahead)
        elif match["name"] != "today" or not (
            _NAMES_TODAY.match(text, end) or _FROM_TODAY.search(text, max(0, start - 9), start)
        ):
            yield DateMention(start, end, days_ahead=_NAMED.get(match["name"], 0))


def _with_weekday(text: str, last: DateMention, mention: DateMention) -> DateMention | None:
    """A date and the weekday beside it, in either order, as one."""
    dated, named = (last, mention) if last.month else (mention, last)
    if dated.month is None or dated.weekday is not None or named.weekday is None or named.month is not None:
        return None
    beside = _BESIDE.fullmatch(text, last.end, mention.start)
    return attrs.evolve(dated, start=last.start, end=mention.end, weekday=named.weekday) if beside else None


_HOUR = rf"(?P<hour>\d{{1,2}}|(?:{_COUNTS})\b)"
_BEHIND = (
    r"(?: ?(?P<meridiem>[ap]m)\b)?(?:,? (?P<link>in the |this |at |tomorrow |yesterday )?"
    r"(?P<part>morning|afternoon|evening|night|tonight)\b)?(?: ?\(?(?P<zone>utc|gmt|z)\b(?![+-]\d))?"
)
_TIME_FORMS = [
    re.compile(form + _BEHIND)
    for form in (
        r"(?:(?<![\w:.$])(?<!(?:utc|gmt)[+-])|(?<=\dt)(?P<iso>))(?P<hour>[01]?\d|2[0-4])"
        r"(?::|h(?=\d\d\b)|\.(?=\d\d ?(?:[ap]m|h|hrs|hours)\b))(?P<minute>[0-5]\d)"
        r"(?::(?P<second>[0-5]\d)(?:\.\d{1,9})?)?(?!\d|:\d|°|%)(?: ?(?:h|hrs|hours)\b)?",
        rf"(?<![\w:.$]){_HOUR}(?: ?o'? ?clock\b|(?P<bare>)"
        r"(?:[ -](?:oh )?(?P<minute>five|ten|fifteen|twenty|thirty|forty|forty-five|fifty)(?![\w-]))?)",
        r"(?<!\w)(?<!\d\.)(?P<minute>half|(?:a )?quarter|\d{1,2}|five|ten|twenty(?:[ -]five)?)(?: minutes?)? "
        rf"(?P<side>past|after|to|before|till) {_HOUR}"
        r"(?!\w|\.\d| ?[°%]| (?:degrees|minutes|hours|days|weeks|km|kilometers|miles|mph|percent)\b)",
        r"(?<!\w)(?:at )?(?:12 )?(?P<name>noon|midday|midnight|noontime)(?!\w)",
        r"(?<![\w:.$])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d) (?P<military>hours|hrs)\b",
    )
]
_FRACTIONS = {"half": 30, "quarter": 15, "a quarter": 15}


@attrs.frozen
class TimeMention(Span):
    """A time of day, in seconds after midnight, with the seconds in one of its last written place (60 for "5:30").

    "5:30" and "10:30" are ambiguous: they may as well mean twelve hours later; "10:30:00" is not.
    """

    seconds: int
    step: int
    is_ambiguous: bool
    is_utc: bool = False


def times(text: str) -> list[TimeMention]:
    """All times of day of a normalised text in order."""
    return leftmost_longest(_time(match) for form in _TIME_FORMS for match in form.finditer(text))


def _time(match: re.Match[str]) -> TimeMention | None:
    said = match.groupdict().get
    if name := said("name"):
        seconds = 0 if name == "midnight" else 43200
        return TimeMention(*match.span(), seconds, 60, is_ambiguous=False, is_utc=bool(said("zone")))
    written, minute, second, part = said("hour") or "", said("minute") or "0", said("second"), said("part")
    hour, minutes = int(number_of(written)), _FRACTIONS.get(minute) or int(number_of(minute))
    is_early = part == "morning" or (part == "night" and (hour == 12 or hour < 5))
    meridiem = said("meridiem") or (part and ("am" if is_early else "pm"))
    is_bare = said("bare") is not None and not said("meridiem") and not said("link")
    if is_bare or hour > (12 if said("side") else 24) or (meridiem and not part and not 1 <= hour <= 12):
        return None
    # "05:30", "10:00:00", "10:00 UTC" and what follows an ISO date are of a clock of 24 hours.
    is_of_24_hours = written.startswith("0") or (second and len(written) == 2) or said("zone") or said("military")
    is_ambiguous = not meridiem and 1 <= hour <= 12 and not is_of_24_hours and said("iso") is None
    if meridiem and hour <= 12:
        hour = hour % 12 + 12 * (meridiem == "pm")
    minutes = hour * 60 + (-minutes if said("side") in ("to", "before", "till") else minutes)
    total = (minutes * 60 + int(second or 0)) % 86400
    return TimeMention(*match.span(), total, 1 if second else 60, is_ambiguous, bool(said("zone")))


# Months of a year, identifiers, addresses of mail, points on the map.
_OTHERS = re.compile(
    rf"(?<!\w){_MONTH},? (?:of )?(?:19|20)\d\d(?!\w)"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]{0,40}\d)[0-9]{0,40}[a-f][0-9a-f]{7,40}\b|#\d+"
    r"|(?<![\w.])[\w.]{1,64}@[\w.]{1,64}|(?<![\w.])-?\d{1,3}(?:\.\d+)?, ?-\d{1,3}(?:\.\d+)?(?![\d.]|,\d)"
)
_PHONES = re.compile(
    r"\+\d[\d ().-]{5,22}\d|\(\d{2,5}\)[ -]?\d[\d .-]{4,14}\d|(?<![\w.-])\d{2,4}[-. ]\d{3,4}[-. "
    r"]\d{3,5}(?![\w-]|\.\d)|(?<![\w.-])\d{3}-\d{4}(?![\w-])"
)
_DIGIT_RUN = re.compile(r"(?<![\w.,-])\d{7,15}(?![\w,]|\.\d)")
_COORDINATES = re.compile(r"-?\d{1,3}\.\d{4,20}")


@functools.lru_cache(maxsize=256)
def masked(text: str, *, digit_runs: bool = False, coordinates: bool = False, phones: bool = True) -> str:
    """A normalised text with all blanked that holds digits and is no amount: dates, times, identifiers, points.

    Offsets stay. If asked for, so are phones, runs of seven digits and more, and numbers with four and more decimals.
    """
    patterns = [_OTHERS, *[_PHONES] * phones, *[_DIGIT_RUN] * digit_runs, *[_COORDINATES] * coordinates]
    spans = [(each.start, each.end) for each in (*_explicit_dates(text), *times(text))]
    characters = list(text)
    for start, end in (*spans, *(match.span() for pattern in patterns for match in pattern.finditer(text))):
        characters[start:end] = "_" * (end - start)
    return "".join(characters)
