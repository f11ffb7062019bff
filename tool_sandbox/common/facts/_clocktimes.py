"""Times of day as answers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from tool_sandbox.common.facts._numerals import SMALL_NUMBERS

_HOURS = {word: value for word, value in SMALL_NUMBERS.items() if 1 <= value <= 12}
_MINUTES = {
    "fifteen": 15, "thirty": 30, "forty-five": 45, "ten": 10, "twenty": 20, "forty": 40, "fifty": 50, "oh five": 5
}  # fmt: skip
_HOUR = rf"(?P<hour>\d{{1,2}}|{'|'.join(_HOURS)})"
_MERIDIEM = r"(?: ?(?P<meridiem>[ap]m)\b)"
_PART = r"(?:,? (?:in the |this |at |tomorrow |yesterday )?(?P<part>morning|afternoon|evening|night|tonight)\b)"
_SPOKEN_PART = r"(?:,? (?:in the |this |at )(?P<part>morning|afternoon|evening|night|tonight)\b)"
_ZONE = r"(?: ?\(?(?P<zone>utc|gmt|z)\b(?![+-]\d))?"

_FORMS = (
    re.compile(
        r"(?<![\w:.$])(?P<hour>[01]?\d|2[0-4])(?::|h(?=\d\d\b)|\.(?=\d\d"
        r" ?[ap]m\b))(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d{1,9})?)?(?!\d|:\d|°|%)"
        rf"{_MERIDIEM}?{_PART}?{_ZONE}"
    ),
    re.compile(
        rf"(?<=\dt)(?P<iso>)(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d{{1,9}})?)?{_ZONE}"
    ),
    re.compile(r"(?<![\w:.$])(?P<hour>[01]?\d|2[0-4])\.(?P<minute>[0-5]\d) ?(?:h|hrs|hours)\b"),
    re.compile(
        rf"(?<![\w:.$-])(?P<hour>{'|'.join(_HOURS)})[ -](?P<spoken>{'|'.join(_MINUTES)})(?![\w-])(?:{_MERIDIEM}"
        rf"|{_SPOKEN_PART})"
    ),
    re.compile(rf"(?<![\w:.$]){_HOUR}{_MERIDIEM}{_ZONE}"),
    re.compile(rf"(?<![\w:.$]){_HOUR} ?o'? ?clock\b{_MERIDIEM}?{_PART}?"),
    re.compile(rf"(?<![\w:.$]){_HOUR}{_SPOKEN_PART}"),
    re.compile(r"(?<!\w)(?:at )?(?P<name>12 (?:noon|midnight)|noon|midday|midnight|noontime)(?!\w)"),
    re.compile(rf"(?<!\w)(?P<shift>half|(?:a )?quarter|\d{{1,2}}|five|ten|twenty|twenty[ -]five)(?: minutes?)? "
        rf"(?P<side>past|after|to|before|till) {_HOUR}(?!\w| (?:minutes|hours|days)){_MERIDIEM}?{_PART}?"),
    re.compile(r"(?<![\w:.$])(?P<military>[01]\d[0-5]\d|2[0-3][0-5]\d) (?:hours|hrs)\b"),
)  # fmt: skip
_SHIFTS = {
    "half": 30,
    "quarter": 15,
    "a quarter": 15,
    "five": 5,
    "ten": 10,
    "twenty": 20,
    "twenty-five": 25,
    "twenty five": 25,
}


@attrs.frozen
class TimeMention:
    """A time of day.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        seconds: Seconds after midnight.
        step: Seconds in one of the last written place: 60 for "5:30".
        is_ambiguous: Whether it may as well mean twelve hours later ("5:30", "10:30", but not "10:30:00").
        is_utc: Whether it is said to be universal time.
    """

    start: int
    end: int
    seconds: int
    step: int
    is_ambiguous: bool
    is_utc: bool = False


def times(text: str) -> list[TimeMention]:
    """All times of day of a normalised text in order."""
    found = sorted(
        (mention for form in _FORMS for match in form.finditer(text) if (mention := _time(match))),
        key=lambda m: (m.start, -m.end),
    )
    result: list[TimeMention] = []
    for mention in found:
        if not result or mention.start >= result[-1].end:
            result.append(mention)
    return result


def _time(match: re.Match[str]) -> TimeMention | None:
    groups = match.groupdict()
    start, end = match.span()
    if groups.get("name"):
        return TimeMention(start, end, 0 if "midnight" in groups["name"] else 43200, 60, False)
    if groups.get("military"):
        return TimeMention(start, end, int(groups["military"][:2]) * 3600 + int(groups["military"][2:]) * 60, 60, False)
    written = groups["hour"]
    hour = int(written) if written.isdigit() else _HOURS[written]
    minutes = int(groups.get("minute") or _MINUTES.get(groups.get("spoken") or "", 0))
    if groups.get("side"):
        shift = int(groups["shift"]) if groups["shift"].isdigit() else _SHIFTS[groups["shift"]]
        minutes = shift if groups["side"] in ("past", "after") else -shift
    seconds = int(groups.get("second") or 0)
    meridiem = groups.get("meridiem") or _meridiem_of(groups.get("part"), hour)
    if hour > 24 or (meridiem and not 1 <= hour <= 12 and not groups.get("part")):
        return None
    if meridiem and hour <= 12:
        hour = hour % 12 + 12 * (meridiem == "pm")
    ambiguous = not meridiem and 1 <= hour <= 12 and not _is_of_24_hours(groups, written)
    total = (hour * 3600 + minutes * 60 + seconds) % 86400
    return TimeMention(start, end, total, 1 if groups.get("second") else 60, ambiguous, bool(groups.get("zone")))


def _is_of_24_hours(groups: dict[str, str | None], written: str) -> bool:
    """Whether a time is in the form of a clock of 24 hours: "05:30", "10:00:00", "10:00 UTC", after an ISO date."""
    padded = len(written) == 2 and written.isdigit()
    follows_date = groups.get("iso") is not None
    return bool(written.startswith("0") or (padded and groups.get("second")) or groups.get("zone") or follows_date)


def _meridiem_of(part: str | None, hour: int) -> str | None:
    if part is None:
        return None
    return "am" if part == "morning" or (part == "night" and (hour == 12 or hour < 5)) else "pm"


def time_spans(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a text that hold the digits of a time of day."""
    return ((mention.start, mention.end) for mention in times(text))
