"""Dates, times of day and weekdays."""

import datetime
import re
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import Document, parse
from tool_sandbox.answers.facts._judge import Mention, judge
from tool_sandbox.answers.facts._moments import DAYS, DateMention, TimeMention, dates, times
from tool_sandbox.answers.facts._reading import Reading, require_bound
from tool_sandbox.answers.facts._values import FromTrace, ValueFact
from tool_sandbox.world.errors import ScenarioError

_IS_TODAY = re.compile(
    r"\b(?:today(?:'s date)?(?: is|:|,| \()|current date(?: is|:)|as of|it is now|it's now|now is) (?:the )?$"
)
_SAYS_WHEN = re.compile(r"\b(?:is|'s|was|for|on|until|be|to|by|says|falls on|due|at) (?:\w+ at )?$|[:=(] ?$")
_STAMP = re.compile(r"(?<![\w.+-])\d{9,10}(?:\.\d{1,6})?(?![\w-])")
_CALENDAR_FIELDS = {"year": 1970, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
_ZERO = datetime.timedelta(0)


def moment_of(value: Any, zone: str) -> datetime.datetime:
    """A point in time, given as POSIX seconds, calendar fields, ISO text, datetime or date, as wall time of a zone."""
    from zoneinfo import ZoneInfo

    if isinstance(value, datetime.datetime):
        return value.astimezone(ZoneInfo(zone)) if value.tzinfo else value.replace(tzinfo=ZoneInfo(zone))
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.datetime.fromtimestamp(value, ZoneInfo(zone))
        if isinstance(value, dict):
            fields = {name: int(value.get(name, least)) for name, least in _CALENDAR_FIELDS.items()}
            return datetime.datetime(**fields, tzinfo=ZoneInfo(zone))
        return moment_of(datetime.datetime.fromisoformat(str(value)), zone)
    except (TypeError, ValueError, OverflowError, OSError):
        raise ScenarioError(f"not a point in time: {value!r}") from None


@attrs.frozen
class _MomentFact(ValueFact):
    """A value that a tool gives as POSIX seconds, calendar fields or ISO text; ``zone`` is where answers speak."""

    zone: str = attrs.field(default="UTC", kw_only=True)

    def _moment(self, value: Any) -> datetime.datetime:
        return moment_of(require_bound(self, value), self.zone)


@attrs.frozen
class Date(_MomentFact):
    """A calendar day: "Dec 25, 2026", "25 December", "12/25/2026", "2026-12-25", "tomorrow", "in 3 days", "Friday".

    A year that is written must be right, and so must a weekday beside the date. Words relative to today and weekdays on
    their own (within a week of it) count only if ``reference``, the day of the answer, is given. Dates with slashes may
    be in either order.
    """

    value: datetime.date | FromTrace
    reference: datetime.date | None = None

    def mentions(self, document: Document) -> list[Mention]:
        """Every date, judged."""
        return _judged_dates(document, self.reference, self._moment(self.value).date())


def _judged_dates(document: Document, reference: datetime.date | None, *days: datetime.date) -> list[Mention]:
    """Every date, right if it is one of several days."""
    found = [(m, [_same_day(document, m, day, reference) for day in days]) for m in dates(document.text)]
    return [Mention(m.start, m.end, True in fits or fits[-1]) for m, fits in found]


def _same_day(document: Document, mention: DateMention, day: datetime.date, today: datetime.date | None) -> bool | None:
    """Whether a date is a day; ``None`` where it only says from when on it is counted, or cannot be worked out."""
    if _IS_TODAY.search(document.text, max(0, mention.start - 24), mention.start):
        return None
    if mention.month is not None:
        written = {(mention.month, mention.day)} | ({(mention.day, mention.month)} if mention.is_numeric else set())
        weekday_fits = mention.weekday is None or mention.weekday == day.weekday()
        return (day.month, day.day) in written and mention.year in (None, day.year) and weekday_fits
    if today is None:
        return None
    ahead = (day - today).days
    if mention.days_ahead is None and mention.weekday == day.weekday():
        return {"next": 0 < ahead <= 14, "last": -14 <= ahead < 0}.get(mention.which, -7 <= ahead <= 7) or None
    is_said = _SAYS_WHEN.search(document.text, max(0, mention.start - 20), mention.start)
    return mention.days_ahead == ahead or (False if is_said else None)


@attrs.frozen
class Weekday(_MomentFact):
    """A day of the week, given as its English name, its ISO number (Monday is 1) or a date."""

    value: str | int | datetime.date | FromTrace

    def mentions(self, document: Document) -> list[Mention]:
        """Every weekday, alone or beside a date, judged."""
        expected = self._weekday()
        return [Mention(m.start, m.end, m.weekday == expected) for m in dates(document.text) if m.weekday is not None]

    def _weekday(self) -> int:
        value = require_bound(self, self.value)
        value = value.get("isoweekday", value) if isinstance(value, dict) else value
        if isinstance(value, str) and value.strip().lower() in DAYS:
            return DAYS.index(value.strip().lower())
        if not isinstance(value, int) or abs(value) > 86400:
            return self._moment(value).weekday()
        if not 1 <= value <= 7:
            raise ScenarioError(f"not a weekday: {value!r}")
        return value - 1


@attrs.frozen
class Time(_MomentFact):
    """A time of day: "5 PM", "17:00", "5 o'clock in the afternoon", "half past five", "noon".

    A time without "am" or "pm" below 13 may be either, unless it is in the form of a clock of 24 hours ("05:30",
    "10:00:00"). Seconds that are not written are not missed.
    """

    value: datetime.time | FromTrace
    tolerance: datetime.timedelta = _ZERO

    def mentions(self, document: Document) -> list[Mention]:
        """Every time of day, judged."""
        clock = self.value if isinstance(self.value, datetime.time) else self._moment(self.value).time()
        return [Mention(m.start, m.end, _same_time(m, clock, self.tolerance)) for m in times(document.text)]


def _same_time(mention: TimeMention, clock: datetime.time | datetime.datetime, tolerance: datetime.timedelta) -> bool:
    """Whether a time of day is another; clocks come round after a day, or half a day if it is ambiguous."""
    ahead = clock.hour * 3600 + clock.minute * 60 + clock.second * (mention.step == 1) - mention.seconds
    a_round = 43200 if mention.is_ambiguous else 86400
    return min(ahead % a_round, -ahead % a_round) <= tolerance.total_seconds()


@attrs.frozen
class DateTime(_MomentFact):
    """A day and a time of day, both stated: "tomorrow at 5 PM", "Dec 25, 2026, 17:00", "2026-12-25T17:00".

    A POSIX timestamp states both. A time said to be in UTC is compared as such.

    Args:
        value: The moment (naive: wall time in ``zone``).
        reference: The day on which the answer is given, for "tomorrow" and "Friday".
        tolerance: Largest difference of the time of day.
        date_required: Whether the day must be stated; a wrong day contradicts either way.
    """

    value: datetime.datetime | FromTrace
    reference: datetime.date | None = None
    tolerance: datetime.timedelta = _ZERO
    date_required: bool = attrs.field(default=True, kw_only=True)

    def read(self, text: str) -> Reading:
        """What a text says about the moment."""
        document, moment = parse(text), self._moment(self.value)
        # A time in UTC may be of the day before or after.
        has_utc = any(mention.is_utc for mention in times(document.text))
        days = (moment.date(), moment.astimezone(datetime.UTC).date()) if has_utc else (moment.date(),)
        dated = [*_judged_dates(document, self.reference, *days), *self._stamps(document)]
        day, clock = judge(document, dated, self.about), judge(document, self.mentions(document), self.about)
        if Reading.CONTRADICTED in (day, clock):
            return Reading.CONTRADICTED
        return clock if day is Reading.STATED or not self.date_required else Reading.SILENT

    def mentions(self, document: Document) -> list[Mention]:
        """Every time of day and POSIX timestamp, judged."""
        local = self._moment(self.value)
        clocks = [(m, local.astimezone(datetime.UTC) if m.is_utc else local) for m in times(document.text)]
        found = [Mention(m.start, m.end, _same_time(m, clock, self.tolerance)) for m, clock in clocks]
        return [*found, *self._stamps(document)]

    def _stamps(self, document: Document) -> list[Mention]:
        slack, moment = max(1.0, self.tolerance.total_seconds()), self._moment(self.value).timestamp()
        return [Mention(*m.span(), abs(float(m[0]) - moment) <= slack) for m in _STAMP.finditer(document.text)]
