"""Times of day as answers write them: an hour in one of several forms, and behind it the half of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from tool_sandbox.common.facts._numerals import SMALL_NUMBERS, number_of
from tool_sandbox.common.facts._spans import leftmost_longest

_HOUR = rf"(?P<hour>\d{{1,2}}|(?:{'|'.join(SMALL_NUMBERS)})\b)"
_BEHIND = (
    r"(?: ?(?P<meridiem>[ap]m)\b)?(?:,? (?P<link>in the |this |at |tomorrow |yesterday )?"
    r"(?P<part>morning|afternoon|evening|night|tonight)\b)?(?: ?\(?(?P<zone>utc|gmt|z)\b(?![+-]\d))?"
)
_FORMS = [
    re.compile(form + _BEHIND)
    for form in (
        r"(?:(?<![\w:.$])|(?<=\dt)(?P<iso>))(?P<hour>[01]?\d|2[0-4])"
        r"(?::|h(?=\d\d\b)|\.(?=\d\d ?(?:[ap]m|h|hrs|hours)\b))(?P<minute>[0-5]\d)"
        r"(?::(?P<second>[0-5]\d)(?:\.\d{1,9})?)?(?!\d|:\d|°|%)(?: ?(?:h|hrs|hours)\b)?",
        rf"(?<![\w:.$]){_HOUR}(?: ?o'? ?clock\b|(?P<bare>)"
        r"(?:[ -](?:oh )?(?P<minute>five|ten|fifteen|twenty|thirty|forty|forty-five|fifty)(?![\w-]))?)",
        r"(?<!\w)(?P<minute>half|(?:a )?quarter|\d{1,2}|five|ten|twenty(?:[ -]five)?)(?: minutes?)? "
        rf"(?P<side>past|after|to|before|till) {_HOUR}(?!\w| (?:minutes|hours|days))",
        r"(?<!\w)(?:at )?(?:12 )?(?P<name>noon|midday|midnight|noontime)(?!\w)",
        r"(?<![\w:.$])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d) (?P<military>hours|hrs)\b",
    )
]
_FRACTIONS = {"half": 30, "quarter": 15, "a quarter": 15}


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
    found = (_time(match) for form in _FORMS for match in form.finditer(text))
    return leftmost_longest(mention for mention in found if mention)


def _time(match: re.Match[str]) -> TimeMention | None:
    said = match.groupdict().get
    if name := said("name"):
        return TimeMention(*match.span(), 0 if name == "midnight" else 43200, 60, is_ambiguous=False)
    written, minute, second, part = said("hour") or "", said("minute") or "0", said("second"), said("part")
    hour, minutes = int(number_of(written)), _FRACTIONS.get(minute) or int(number_of(minute))
    meridiem = said("meridiem") or (part and _meridiem_of(part, hour))
    is_bare = said("bare") is not None and not said("meridiem") and not said("link")
    if is_bare or hour > 24 or (meridiem and not part and not 1 <= hour <= 12):
        return None
    # "05:30", "10:00:00", "10:00 UTC" and what follows an ISO date are of a clock of 24 hours.
    is_of_24_hours = written.startswith("0") or (second and len(written) == 2) or said("zone") or said("military")
    is_ambiguous = not meridiem and 1 <= hour <= 12 and not is_of_24_hours and said("iso") is None
    if meridiem and hour <= 12:
        hour = hour % 12 + 12 * (meridiem == "pm")
    minutes = hour * 60 + (-minutes if said("side") in ("to", "before", "till") else minutes)
    total = (minutes * 60 + int(second or 0)) % 86400
    return TimeMention(*match.span(), total, 1 if second else 60, is_ambiguous, bool(said("zone")))


def _meridiem_of(part: str, hour: int) -> str:
    return "am" if part == "morning" or (part == "night" and (hour == 12 or hour < 5)) else "pm"


def time_spans(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a text that hold the digits of a time of day."""
    return ((mention.start, mention.end) for mention in times(text))
