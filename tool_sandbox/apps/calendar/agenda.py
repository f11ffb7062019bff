"""Tools that show what takes place when: the agenda, what overlaps, and when people are busy."""

from typing import Any

from tool_sandbox.apps import NOT_GIVEN, NotGiven, Read, as_moment, checked_moment, paged, rows_with, seconds_of, tool
from tool_sandbox.apps.calendar.people import me, taken
from tool_sandbox.apps.calendar.series import DAY, Occurrence, Row, all_occurrences
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS

MOST_DAYS = 14
"""Days of a range of which all that is taken is shown."""


def checked_range(since: str, until: str, days: int = MOST_DAYS) -> tuple[float, float]:
    """A range of time, as POSIX times.

    Raises:
        ValueError: A time cannot be understood, or the range is empty or too long.
    """
    low, high = (seconds_of(checked_moment(value, name)) for value, name in ((since, "since"), (until, "until")))
    if not low < high <= low + days * DAY:
        raise ValueError(f"until must be after since, and at most {days} days after it")
    return low, high


def _entry(each: Occurrence, row: Row) -> Row:
    """A line of the agenda, given what the owner of the device answered."""
    event = each.event
    when = {name: event[name] for name in ("first_day", "last_day") if event[name]}
    shown = {
        "event_id": event["event_id"],
        "occurrence_date": each.date,
        "title": event["title"],
        "location": event["location"][:60],
        "room_id": event["room_id"],
        "answer": "declined" if each.date in row.get("declined_dates", ()) else row.get("answer"),
    }
    return shown | (when or {"starts_at": as_moment(each.starts), "ends_at": as_moment(each.ends)})


@tool
def list_calendar_agenda(
    since: str,
    until: str,
    words: str | NotGiven = NOT_GIVEN,
    calendar_id: str | NotGiven = NOT_GIVEN,
    with_declined: bool = False,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """List what takes place in a range of time, every date of a series by itself, in order of time.

    Args:
        since: Begin of the range, for example 2025-05-14T00:00 in the zone of the device.
        until: End of the range, at most 366 days after its begin.
        words: Words that all occur in title or location.
        calendar_id: Identifier of the calendar; all that you can read if left out.
        with_declined: Whether events that you declined are listed, too.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (event_id, occurrence_date by which a date of a series is named, title, times or days, location,
        room_id, and your answer where you were invited), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood, or the range is empty or too long.
    """
    low, high = checked_range(since, until, 366)
    wanted = words.casefold().split() if isinstance(words, str) else []

    def rows(read: Read) -> list[Row]:
        readable = {row["calendar_id"] for row in read(CALENDARS).dicts() if row["access"] != "free_busy"}
        own = {row["event_id"]: row for row in read(ATTENDEES).with_cell("email", me(read))}
        known = readable if isinstance(calendar_id, NotGiven) else readable & {calendar_id}
        found = all_occurrences(read, low, high, lambda event: event["calendar_id"] in known)
        shown = []
        for each in sorted(found, key=lambda each: (each.starts, each.event["event_id"])):
            entry = _entry(each, own.get(each.event["event_id"], {}))
            texts = f"{entry['title']} {entry['location']}".casefold()
            if all(word in texts for word in wanted) and (with_declined or entry["answer"] != "declined"):
                shown.append(entry)
        return shown

    return paged(("agenda", low, high, words, calendar_id, with_declined), rows, limit, cursor)


@tool
def get_calendar_free_busy(email: str, since: str, until: str) -> list[dict[str, str]]:
    """Tell when a person is busy, of what the person shares and of events that you both take part in.

    Args:
        email: E-mail address of the person, who may be yourself.
        since: Begin of the range, for example 2025-05-14T09:00 in the zone of the device.
        until: End of the range, at most 14 days after its begin.

    Returns:
        Times that are taken, in order, each with starts_at, ends_at and state: busy, or tentative where an invitation
        has not been accepted.

    Raises:
        ValueError: A time cannot be understood, or the range is empty or too long.
        PermissionError: The person does not share when they are busy.
    """
    low, high = checked_range(since, until)
    if not rows_with(CALENDARS, "owner_email", email):
        raise PermissionError(f"{email[:80]!r} does not share when they are busy; an invitation can ask them")
    found = sorted((max(each.starts, low), min(each.ends, high), part) for each, part in taken(email, low, high))
    merged: list[list[Any]] = []
    for begin, end, part in found:
        last = next((each for each in reversed(merged) if each[2] == part), None)
        if last and begin <= last[1]:
            last[1] = max(last[1], end)
        else:
            merged.append([begin, end, part])
    return [{"starts_at": as_moment(a), "ends_at": as_moment(b), "state": part} for a, b, part in merged]


@tool
def search_calendar_conflicts(since: str, until: str, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """Find pairs of events in your own time that overlap.

    Args:
        since: Begin of the range, for example 2025-05-14T09:00 in the zone of the device.
        until: End of the range, at most 31 days after its begin.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (the time that is taken twice; first and second, each with event_id, occurrence_date, title and state:
        busy or tentative), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood, or the range is empty or too long.
    """
    low, high = checked_range(since, until, 31)

    def pairs(read: Read) -> list[Row]:
        own = sorted(taken(me(read), low, high, read), key=lambda pair: (pair[0].starts, pair[0].event["event_id"]))
        return [
            _overlap(first, second)
            for place, first in enumerate(own)
            for second in own[place + 1 :]
            if second[0].starts < first[0].ends
        ]

    return paged(("conflicts", low, high), pairs, limit, cursor)


def _overlap(*pair: tuple[Occurrence, str]) -> Row:
    begin, end = max(each.starts for each, _ in pair), min(each.ends for each, _ in pair)
    names = ("event_id", "occurrence_date", "title", "state")
    cells = [(each.event["event_id"], each.date, each.event["title"][:60], part) for each, part in pair]
    first, second = (dict(zip(names, each, strict=True)) for each in cells)
    return {"starts_at": as_moment(begin), "ends_at": as_moment(end), "first": first, "second": second}
