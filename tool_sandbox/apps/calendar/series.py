"""When events take place: single ones, series in their own zone, and the dates of a series that are exceptions."""

import datetime
import functools
import re
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs
from dateutil import rrule

from tool_sandbox.apps import Read, add, as_moment, change, checked_date, current_device, rows_with, seconds_of
from tool_sandbox.apps.calendar.tables import EVENTS, EXCEPTIONS

Row = dict[str, Any]

DAY = 86_400.0
YEAR = 366 * DAY
TIMES = ("starts_at", "ends_at", "first_day", "last_day")
MOST_EXCEPTIONS = 60
_PARTS = {
    "FREQ": r"DAILY|WEEKLY|MONTHLY|YEARLY",
    "INTERVAL": r"[1-9]\d?",
    "COUNT": r"[1-9]\d{0,2}",
    "UNTIL": r"(19[7-9]\d|20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])",
    "BYDAY": r"(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)(,(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)){0,6}",
    "BYMONTHDAY": r"-?([1-9]|[12]\d|3[01])(,-?([1-9]|[12]\d|3[01])){0,5}",
    "BYSETPOS": r"-?[1-5]",
}
_MONTHLY_ONLY = ("BYMONTHDAY", "BYSETPOS")


@attrs.frozen
class Occurrence:
    """One time at which an event takes place.

    Attributes:
        event: The event, with what the exception says instead.
        date: Date that the series has for it, by which it is named.
        starts: POSIX time.
        ends: POSIX time.
    """

    event: Row
    date: str
    starts: float
    ends: float


def checked_zone(name: str) -> str:
    """The IANA name of a zone.

    Raises:
        ValueError: There is no such zone.
    """
    if name not in zoneinfo.available_timezones():
        raise ValueError(f"time_zone must be an IANA name such as Europe/Berlin, got {name[:40]!r}")
    return name


def parts_of(rule: str) -> dict[str, str]:
    """Parts of a rule of RFC 5545 by name."""
    return dict(part.split("=", 1) for part in rule.split(";"))


def rule_of(parts: dict[str, str]) -> str:
    """The rule that has these parts."""
    return ";".join(f"{name}={value}" for name, value in parts.items())


def checked_rule(rule: str, event: Row) -> str:
    """A rule of recurrence that an event can have, in capitals.

    Raises:
        ValueError: It cannot be understood, or the event does not begin on a date of it.
    """
    given = rule.strip().upper().removeprefix("RRULE:")
    pairs = [part.partition("=")[::2] for part in given.split(";")]
    parts = dict(pairs)
    for name, value in pairs:
        if name not in _PARTS or not re.fullmatch(_PARTS[name], value, re.ASCII):
            raise ValueError(
                f"recurrence must be a rule such as FREQ=WEEKLY;BYDAY=MO;UNTIL=20250630, of {', '.join(_PARTS)}; "
                f"it has {name[:20]!r}={value[:20]!r}"
            )
    monthly = parts.get("FREQ") == "MONTHLY"
    if len(parts) < len(pairs) or "FREQ" not in parts or {"COUNT", "UNTIL"} <= parts.keys():
        raise ValueError("recurrence must have FREQ, nothing twice, and not both COUNT and UNTIL")
    numbered = any(character.isdigit() for character in parts.get("BYDAY", ""))
    if not monthly and (numbered or any(name in parts for name in _MONTHLY_ONLY)):
        raise ValueError("recurrence: BYMONTHDAY, BYSETPOS and numbered weekdays go with FREQ=MONTHLY only")
    if "BYSETPOS" in parts and (numbered or "BYDAY" not in parts):
        raise ValueError("recurrence: BYSETPOS needs BYDAY with weekdays that have no numbers")
    start = local_start(event)
    try:
        first = next(iter(_rule(given, start)), None)
    except ValueError as error:
        raise ValueError(f"recurrence: {error}") from None
    if first != start:
        raise ValueError(
            f"the event begins on {start:%A, %Y-%m-%d}, which is no date of {given}; give a recurrence that has it"
        )
    return given


@functools.lru_cache(4096)
def _rule(rule: str, start: datetime.datetime) -> Any:
    parts = parts_of(rule)
    if "UNTIL" in parts:
        parts["UNTIL"] += "T235959"
    return rrule.rrulestr(rule_of(parts), dtstart=start, cache=True)


def zone_of(event: Row) -> datetime.tzinfo:
    """The zone by whose clocks an event takes place; whole days are those of the device."""
    return _local_zone() if event["first_day"] else zoneinfo.ZoneInfo(event["time_zone"])


def _local_zone() -> datetime.tzinfo:
    zone: datetime.tzinfo = current_device().timezone
    return zone


def local_start(event: Row) -> datetime.datetime:
    """Begin of an event, or of the first one of a series, on the clocks of its zone."""
    if event["first_day"]:
        return datetime.datetime.fromisoformat(event["first_day"])
    return datetime.datetime.fromtimestamp(seconds_of(event["starts_at"]), zone_of(event)).replace(tzinfo=None)


def start_on(event: Row, date: str) -> datetime.datetime:
    """Begin on a date, at the local time of the event."""
    return datetime.datetime.combine(datetime.date.fromisoformat(date), local_start(event).time())


def times_at(event: Row, start: datetime.datetime) -> Row:
    """Cells for the times of an event that begins at another local time and is as long."""
    if event["first_day"]:
        length = datetime.date.fromisoformat(event["last_day"]) - datetime.date.fromisoformat(event["first_day"])
        first = start.date()
        return {"starts_at": None, "ends_at": None, "first_day": f"{first}", "last_day": f"{first + length}"}
    begin = start.replace(tzinfo=zone_of(event)).timestamp()
    end = begin + seconds_of(event["ends_at"]) - seconds_of(event["starts_at"])
    return {"starts_at": as_moment(begin), "ends_at": as_moment(end), "first_day": None, "last_day": None}


def span(times: Row) -> tuple[float, float]:
    """POSIX times between which an event with these cells takes place."""
    if not times["first_day"]:
        return seconds_of(times["starts_at"]), seconds_of(times["ends_at"])
    first, last = (datetime.datetime.fromisoformat(times[name]) for name in ("first_day", "last_day"))
    days = (first, last + datetime.timedelta(days=1))
    return tuple(day.replace(tzinfo=_local_zone()).timestamp() for day in days)  # type: ignore[return-value]


def _begins(event: Row, since: float, until: float) -> list[datetime.datetime]:
    """Local begins of a series that may be in a range, exceptions or not."""
    begin, end = span(event)
    low, high = (
        datetime.datetime.fromtimestamp(min(max(seconds, 0.0), 4.2e9), zone_of(event)).replace(tzinfo=None)
        for seconds in (since - (end - begin) - DAY, until + DAY)
    )
    return list(_rule(event["recurrence"], local_start(event)).between(low, high, inc=True))


def _changed(event: Row, exception: Row) -> Row:
    said = {name: exception[name] or event[name] for name in ("title", "location")}
    return event | said | {name: exception[name] for name in (*TIMES, "room_id")}


def occurrences(event: Row, exceptions: Iterable[Row], since: float, until: float) -> list[Occurrence]:
    """When an event takes place in a range of time, in order.

    Args:
        event: The event.
        exceptions: Its exceptions.
        since: POSIX time after which they end.
        until: POSIX time before which they begin.
    """
    if event["recurrence"] is None:
        begin, end = span(event)
        is_in = begin < until and end > since
        return [Occurrence(event, f"{local_start(event):%Y-%m-%d}", begin, end)] if is_in else []
    special = {row["occurrence_date"]: row for row in exceptions}
    found = []
    for start in _begins(event, since, until):
        date = f"{start:%Y-%m-%d}"
        if date not in special:
            times = times_at(event, start)
            found.append(Occurrence(event | times, date, *span(times)))
    for date, row in special.items():
        if row["kind"] == "changed":
            found.append(Occurrence(_changed(event, row), date, *span(row)))
    return sorted((each for each in found if each.starts < until and each.ends > since), key=lambda each: each.starts)


def is_date_of(event: Row, date: str) -> bool:
    """Whether a series has a date, exception or not."""
    wanted = start_on(event, date)
    return bool(_rule(event["recurrence"], local_start(event)).between(wanted, wanted, inc=True))


def dates_before(event: Row, date: str) -> int:
    """How many dates a series has before one."""
    start = local_start(event)
    return len(_rule(event["recurrence"], start).between(start, datetime.datetime.fromisoformat(date), inc=True))


def all_occurrences(read: Read, since: float, until: float, wanted: Callable[[Row], object]) -> Iterator[Occurrence]:
    """When events that are wanted, and not cancelled, take place in a range of time, event by event."""
    exceptions, events = read(EXCEPTIONS), read(EVENTS)
    confirmed = EVENTS.positions["status"]
    for place, (begin, end) in enumerate(events.derived(_reach, *TIMES, "recurrence")):
        if begin < until and end > since and events.rows[place][confirmed] == "confirmed":
            event = EVENTS.as_dict(events.rows[place])
            own = exceptions.with_cell("event_id", event["event_id"]) if event["recurrence"] else []
            if wanted(event):
                yield from occurrences(event, own, since, until)


def _reach(
    starts_at: str | None, ends_at: str | None, first_day: str | None, last_day: str | None, recurrence: str | None
) -> tuple[float, float]:
    """Before what and after what an event has no dates, whatever the zone."""
    if recurrence is not None:
        # An exception may be earlier than the first date.
        return float("-inf"), float("inf")
    if starts_at is not None:
        return seconds_of(starts_at), seconds_of(ends_at)
    first, last = (datetime.datetime.fromisoformat(f"{day}T00:00+00:00").timestamp() for day in (first_day, last_day))
    return first - DAY, last + 2 * DAY


@functools.cache
def order_in(zone: datetime.tzinfo | None) -> Callable[..., tuple[float, str]]:
    """What tells of cells of an event, or the first date of a series, when it begins in a zone, and its key."""

    def begins(starts_at: str | None, first_day: str, event_id: str) -> tuple[float, str]:
        if starts_at is not None:
            return seconds_of(starts_at), event_id
        return datetime.datetime.fromisoformat(first_day).replace(tzinfo=zone).timestamp(), event_id

    return begins


# Single dates of series ----------------------------------------------------------------------


def exception_of(event_id: str, date: str) -> Row | None:
    """What is different on a date of a series, if anything is."""
    return next((row for row in rows_with(EXCEPTIONS, "event_id", event_id) if row["occurrence_date"] == date), None)


def chosen_date(event: Row, scope: str, date: str | None) -> str | None:
    """The date of a series that is meant, ``None`` where the whole event is.

    Raises:
        ValueError: The date is missing, not one of the series, or cancelled.
    """
    checked_date(date, "occurrence_date")
    if event["recurrence"] is None or scope == "all":
        return None
    if date is None:
        raise ValueError("occurrence_date says which date of the series is meant; list_calendar_agenda has it")
    if not is_date_of(event, date):
        raise ValueError(
            f"{event['title'][:60]!r} has no date {date}; list_calendar_agenda shows the dates of a series"
        )
    special = exception_of(event["event_id"], date)
    if special and special["kind"] == "cancelled":
        raise ValueError(f"{event['title'][:60]!r} on {date} is cancelled; restore it first")
    return None if scope == "this_and_later" and not dates_before(event, date) else date


def at_date(event: Row, date: str | None) -> Row:
    """An event as it is on a date of its series."""
    if date is None:
        return event
    special = exception_of(event["event_id"], date)
    if special and special["kind"] == "changed":
        return _changed(event, special)
    return event | times_at(event, start_on(event, date))


def set_exception(event: Row, date: str, **cells: Any) -> None:
    """Makes a date of a series an exception, or changes that it is.

    Raises:
        ValueError: The series has too many.
    """
    special = exception_of(event["event_id"], date)
    if special is not None:
        change(EXCEPTIONS, special["exception_id"], **cells)
    elif len(rows_with(EXCEPTIONS, "event_id", event["event_id"])) >= MOST_EXCEPTIONS:
        raise ValueError(f"a series has at most {MOST_EXCEPTIONS} exceptions; change this and later dates instead")
    else:
        add(EXCEPTIONS, event_id=event["event_id"], occurrence_date=date, **cells)
