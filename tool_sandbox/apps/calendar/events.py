"""Tools that make events and show them."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Ordered,
    Read,
    add,
    add_all,
    checked_date,
    checked_moment,
    checked_text,
    checked_texts,
    contains,
    current_device,
    equals,
    found_in,
    get,
    meets,
    paged,
    rows_with,
    tool,
)
from tool_sandbox.apps.calendar.people import coming, inform, me, refuse_conflict, visible
from tool_sandbox.apps.calendar.series import Row, checked_rule, checked_zone, order_in
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS, wrong_times

LONGEST_TITLE, LONGEST_TEXT, LONGEST_PLACE = 100, 1_500, 100
MOST_ATTENDEES = 25
SHOWN_EXCEPTIONS = 20


def checked_cells(title: Any, description: Any, location: Any) -> Row:
    """The texts of an event, which may be left out.

    Raises:
        ValueError: One is blank or too long.
    """
    return {
        "title": checked_text(title, "title", LONGEST_TITLE),
        "description": checked_text(description, "description", LONGEST_TEXT),
        "location": checked_text(location, "location", LONGEST_PLACE),
    }


def default_calendar(calendar_id: str | None) -> Row:
    """The calendar for a new event.

    Raises:
        NoDataError: No calendar has this identifier.
        ValueError: There is no default calendar.
        PermissionError: It belongs to somebody else.
    """
    if calendar_id is None:
        found = rows_with(CALENDARS, "is_default", True)
        if not found:
            raise ValueError("there is no default calendar, give calendar_id")
        return found[0]
    calendar = get(CALENDARS, calendar_id)
    if calendar["access"] != "owner":
        raise PermissionError(
            f"{calendar['owner_email'][:80]} keeps {calendar['name'][:60]!r}; take a calendar of your own"
        )
    return calendar


def invite(event: Row, emails: list[str] | None, required: bool = True) -> list[str]:
    """Adds people to an event, and sends them invitations.

    Raises:
        ValueError: An address cannot be understood, is there already, or there are too many.
        ConnectionError: Wifi is off.
    """
    wanted = checked_texts(emails or [], "emails", longest=80, most=MOST_ATTENDEES)
    there = rows_with(ATTENDEES, "event_id", event["event_id"])
    if len(there) + len(wanted) > MOST_ATTENDEES:
        raise ValueError(f"an event has at most {MOST_ATTENDEES} attendees")
    for email in wanted:
        if "@" not in email.strip("@") or email.split() != [email]:
            raise ValueError(f"emails must be addresses such as ann.lee@example.com, got {email[:40]!r}")
        if email == event["organizer_email"] or any(row["email"] == email for row in there):
            raise ValueError(f"{email} takes part already")
    inform(event, "invitation", None, [email for email in wanted if email != me()])
    cells = {"event_id": event["event_id"], "required": required, "answer": "none", "declined_dates": []}
    return add_all(ATTENDEES, [cells | {"email": email} for email in wanted])


@tool
def create_calendar_event(
    title: str,
    starts_at: str | None = None,
    ends_at: str | None = None,
    first_day: str | None = None,
    last_day: str | None = None,
    calendar_id: str | None = None,
    description: str | None = None,
    location: str | None = None,
    time_zone: str | None = None,
    recurrence: str | None = None,
    emails: list[str] | None = None,
    show_as: Literal["busy", "free"] | None = None,
    allow_conflict: bool = False,
) -> str:
    """Put an event with times or of whole days into a calendar, once or as a series, and send invitations to others.

    Args:
        title: What it is, at most 100 characters.
        starts_at: Begin, of the first one of a series, for example 2025-05-14T10:00 in the zone of the device.
        ends_at: End of it.
        first_day: Instead of times, first of whole days, for example 2025-05-14.
        last_day: Last day, included; the first one if left out.
        calendar_id: Identifier of the calendar; the default one if left out.
        description: What is to be known about it.
        location: Where it is, in words; a meeting room is booked afterwards.
        time_zone: Zone whose clocks a series follows when they change, for example Europe/Berlin; that of the device if
            left out.
        recurrence: For a series, its rule as in RFC 5545, for example FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20250630,
            FREQ=MONTHLY;BYDAY=-1FR;COUNT=6 or FREQ=YEARLY. The first one must be on a date of the rule.
        emails: E-mail addresses of those who are invited, at most 25.
        show_as: Whether it takes your time: busy or free; if left out busy, and free for whole days.
        allow_conflict: True to make it although you are busy then.

    Returns:
        Identifier of the new event.

    Raises:
        ValueError: An argument cannot be understood, or you are busy then.
        NoDataError: No calendar has this identifier.
        PermissionError: The calendar belongs to somebody else.
        ConnectionError: Wifi is off, so that nobody can be invited.
    """
    calendar, texts = default_calendar(calendar_id), checked_cells(title, description, location)
    first = checked_date(first_day, "first_day")
    event = {name: cell or "" for name, cell in texts.items()} | {
        "starts_at": checked_moment(starts_at, "starts_at"),
        "ends_at": checked_moment(ends_at, "ends_at"),
        "first_day": first,
        "last_day": checked_date(last_day, "last_day") or first,
        "time_zone": checked_zone(time_zone) if time_zone else str(current_device().timezone),
        "recurrence": None,
        "show_as": show_as or ("free" if first else "busy"),
        "calendar_id": calendar["calendar_id"],
        "organizer_email": calendar["owner_email"],
        "status": "confirmed",
    }
    if line := wrong_times(event):
        raise ValueError(f"{line}: give starts_at and ends_at, or first_day and last_day")
    if recurrence is not None:
        event["recurrence"] = checked_rule(recurrence, event)
    if not allow_conflict:
        refuse_conflict(event, coming(event))
    event["event_id"] = add(EVENTS, **event)
    invite(event, emails)
    return str(event["event_id"])


@tool
def get_calendar_event(event_id: str) -> dict[str, Any]:
    """Read a whole event of a calendar, with attendees and their answers, and a series with its exceptions.

    Args:
        event_id: Identifier of the event.

    Returns:
        The event; attendees; exceptions (dates of a series that are cancelled or changed, the newest 20); next_dates
        (the next five dates of a series).

    Raises:
        NoDataError: No event has this identifier.
        PermissionError: Its owner shares only that the time is taken.
    """
    event = visible(event_id)
    attendees = [
        {name: row[name] for name in ("email", "required", "answer", "declined_dates")}
        | {"comment": (row["comment"] or "")[:80]}
        for row in rows_with(ATTENDEES, "event_id", event_id)
    ]
    special = sorted(rows_with(EXCEPTIONS, "event_id", event_id), key=lambda row: str(row["occurrence_date"]))
    exceptions = [
        {name: cell for name, cell in row.items() if cell is not None and name not in ("event_id", "exception_id")}
        for row in special[-SHOWN_EXCEPTIONS:]
    ]
    following = [each.date for each in coming(event)[:5]] if event["recurrence"] else []
    return event | {"attendees": attendees, "exceptions": exceptions, "next_dates": following}


def _listed(place: int, read: Read) -> Row:
    event = EVENTS.as_dict(read(EVENTS).rows[place])
    names = ("event_id", "calendar_id", "title", "recurrence", "organizer_email", "status")
    times = ("first_day", "last_day") if event["first_day"] else ("starts_at", "ends_at")
    return {name: event[name] for name in (*names, *times)}


@tool
def search_calendar_events(
    words: str | NotGiven = NOT_GIVEN,
    email: str | NotGiven = NOT_GIVEN,
    calendar_id: str | NotGiven = NOT_GIVEN,
    is_series: bool | NotGiven = NOT_GIVEN,
    status: Literal["confirmed", "cancelled"] | NotGiven = "confirmed",
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find events of all times in the calendars that you can read, a series as one; for dates see list_calendar_agenda.

    Args:
        words: Words that all occur in title, description or location.
        email: E-mail address of somebody who organizes it or is invited.
        calendar_id: Identifier of the calendar.
        is_series: True for series only, False for single events only.
        status: confirmed or cancelled.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (a series with the times of its first date), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def rows(read: Read) -> Ordered:
        hidden = {row["calendar_id"] for row in read(CALENDARS).with_cell("access", "free_busy")}
        invited = {row["event_id"] for row in read(ATTENDEES).with_cell("email", email)}
        conditions = (
            contains(("title", "description", "location"), words),
            equals("calendar_id", calendar_id),
            equals("status", status),
            meets("series", is_series, lambda rule: bool(rule) == is_series, "recurrence"),
            meets("email", email, lambda by, key: by == email or key in invited, "organizer_email", "event_id"),
            meets("shown", True, lambda key: key not in hidden, "calendar_id"),
        )
        table = read(EVENTS)
        begins = table.derived(order_in(current_device().timezone), "starts_at", "first_day", "event_id")
        return Ordered(found_in(table, *conditions), begins, descending=True)

    query = ("events", words, email, calendar_id, is_series, status)
    return paged(query, rows, limit, cursor, _listed)
