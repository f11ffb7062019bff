"""Who is who, who may see and change what, and when people are busy."""

from collections.abc import Iterator
from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add_all,
    as_moment,
    contains,
    equals,
    get,
    need_setting,
    now,
    rows_of,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.calendar.series import YEAR, Occurrence, Row, all_occurrences, occurrences
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS, NOTICES, PEOPLE


def me(read: Read = rows_of) -> str:
    """Address of the owner of the device."""
    return next((str(row["email"]) for row in read(PEOPLE).with_cell("is_me", True)), "")


def visible(event_id: str) -> Row:
    """An event that may be read.

    Raises:
        NoDataError: There is none.
        PermissionError: Its calendar shows only when somebody is busy.
    """
    event = get(EVENTS, event_id)
    calendar = get(CALENDARS, event["calendar_id"])
    if calendar["access"] == "free_busy":
        raise PermissionError(f"the calendar of {calendar['owner_email'][:80]} shares only that the time is taken")
    return event


def changeable(event_id: str, status: str = "confirmed") -> Row:
    """An event about which the owner of the device decides.

    Raises:
        NoDataError: There is none.
        PermissionError: Somebody else organizes it.
        ValueError: It is cancelled, or is not where it should be.
    """
    event = visible(event_id)
    if event["organizer_email"] != me():
        raise PermissionError(
            f"{event['organizer_email'][:80]} organizes {event['title'][:60]!r}; you can answer the invitation"
        )
    if event["status"] != status:
        said = "cancelled; restore it first" if status == "confirmed" else "not cancelled"
        raise ValueError(f"{event['title'][:60]!r} is {said}")
    return event


def others_of(event: Row) -> list[str]:
    """Addresses of all who take part in an event, but for the owner of the device."""
    emails = [event["organizer_email"], *(row["email"] for row in rows_with(ATTENDEES, "event_id", event["event_id"]))]
    return [email for email in dict.fromkeys(emails) if email != me()]


def inform(event: Row, kind: str, message: str | None, recipients: list[str]) -> None:
    """Sends something about an event to people.

    Raises:
        ConnectionError: There is somebody to tell, and wifi is off.
    """
    if recipients:
        need_setting("wifi", "telling the others who take part")
    cells = {"event_id": event["event_id"], "kind": kind, "message": message, "sent_at": now()}
    add_all(NOTICES, [cells | {"recipient_email": email} for email in recipients])


# When people are busy ------------------------------------------------------------------------


def part_in(event: Row, email: str, read: Read) -> tuple[str, list[str]]:
    """How an event takes the time of a person (busy, tentative or not at all), and on which dates it does not."""
    attendees = read(ATTENDEES).with_cell("event_id", event["event_id"])
    row = next((row for row in attendees if row["email"] == email), None)
    if event["show_as"] == "free" or (row and row["answer"] == "declined"):
        return "", []
    if row is None:
        calendar = read(CALENDARS).get(event["calendar_id"]) or {"owner_email": ""}
        return "busy" if email in (event["organizer_email"], calendar["owner_email"]) else "", []
    return "busy" if row["answer"] == "accepted" else "tentative", row["declined_dates"]


def taken(email: str, since: float, until: float, read: Read = rows_of) -> Iterator[tuple[Occurrence, str]]:
    """What takes the time of a person in a range, and whether for certain."""
    parts: dict[str, tuple[str, list[str]]] = {}

    def is_wanted(event: Row) -> bool:
        parts[event["event_id"]] = part_in(event, email, read)
        return bool(parts[event["event_id"]][0])

    for each in all_occurrences(read, since, until, is_wanted):
        part, declined = parts[each.event["event_id"]]
        if each.date not in declined:
            yield each, part


def refuse_conflict(event: Row, wanted: list[Occurrence]) -> None:
    """Fails if the owner of the device is busy at one of the times.

    Args:
        event: The event that takes these times, which is no conflict with itself.
        wanted: The times, in order.

    Raises:
        ValueError: Something else is then; says what, and how to go on.
    """
    if event["show_as"] == "free" or not wanted:
        return
    for other, part in taken(me(), wanted[0].starts, wanted[-1].ends):
        same = other.event["event_id"] == event.get("event_id")
        hit = next((each for each in wanted if each.starts < other.ends and each.ends > other.starts), None)
        if part == "busy" and hit and not same:
            raise ValueError(
                f"you are busy from {as_moment(other.starts)} to {as_moment(other.ends)} with "
                f"{other.event['title'][:60]!r} ({other.event['event_id']}); with allow_conflict=True both stand"
            )


def coming(event: Row) -> list[Occurrence]:
    """When an event takes place: all of a single one, the dates of a series in the coming year."""
    exceptions = rows_with(EXCEPTIONS, "event_id", event["event_id"]) if event.get("event_id") else []
    start = seconds_of(now())
    return occurrences(event, exceptions, *((start, start + YEAR) if event["recurrence"] else (0.0, 80 * YEAR)))


def _listed(person: Row, read: Read) -> Row:
    calendars = read(CALENDARS).with_cell("owner_email", person["email"])
    person["calendars"] = [{name: row[name] for name in ("calendar_id", "name", "access")} for row in calendars]
    return person


@tool
def search_calendar_people(
    words: str | NotGiven = NOT_GIVEN,
    is_me: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find people of the directory, with their working hours and their calendars that you can use.

    Args:
        words: Words that all occur in name or e-mail address.
        is_me: True for yourself only, with your own calendars.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (name, email, time_zone; work_starts, work_ends and work_days in that zone; calendars with access: owner
        for your own, read, or free_busy, which shows only when somebody is busy), total, and next_cursor, which is None
        on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains(("name", "email"), words), equals("is_me", is_me)
    return search(PEOPLE, *conditions, order_by="name", show=_listed, limit=limit, cursor=cursor)
