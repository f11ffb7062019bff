"""Tools for meeting rooms."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    as_moment,
    at_least,
    change,
    checked_moment,
    contains,
    equals,
    found_in,
    get,
    meets,
    paged,
    rows_of,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.calendar.people import changeable, coming
from tool_sandbox.apps.calendar.series import (
    DAY,
    TIMES,
    Occurrence,
    Row,
    all_occurrences,
    at_date,
    chosen_date,
    set_exception,
    span,
)
from tool_sandbox.apps.calendar.tables import ATTENDEES, EVENTS, ROOMS


def taken_rooms(since: float, until: float, read: Read) -> dict[str, list[Occurrence]]:
    """What takes place in rooms in a range of time, by room."""
    found: dict[str, list[Occurrence]] = {}
    for each in all_occurrences(read, since, until, lambda event: event["room_id"] or event["recurrence"]):
        if each.event["room_id"]:
            found.setdefault(each.event["room_id"], []).append(each)
    return found


def refuse_taken(room_id: str | None, event_id: str, wanted: list[Occurrence]) -> None:
    """Fails if a room is taken by another event at one of the times.

    Raises:
        ValueError: It is; says when.
    """
    wanted = [each for each in wanted if each.event["room_id"] == room_id] if room_id else []
    if not wanted:
        return
    others = taken_rooms(wanted[0].starts, wanted[-1].ends, rows_of).get(str(room_id), [])
    for each in wanted:
        for other in others:
            if other.event["event_id"] != event_id and each.starts < other.ends and each.ends > other.starts:
                name = get(ROOMS, str(room_id))["name"]
                raise ValueError(f"{name[:60]} is taken from {as_moment(other.starts)} to {as_moment(other.ends)}")


@tool
def search_meeting_rooms(
    words: str | NotGiven = NOT_GIVEN,
    building: str | NotGiven = NOT_GIVEN,
    capacity: int | NotGiven = NOT_GIVEN,
    equipment: list[str] | NotGiven = NOT_GIVEN,
    free_from: str | None = None,
    free_until: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find meeting rooms, by what they have and by when they are free.

    Args:
        words: Words that all occur in the name.
        building: Building in which they are.
        capacity: Number of people for whom there are seats at least.
        equipment: What they have, all of it: for example screen, video, whiteboard.
        free_from: Begin of a time for which they are free, for example 2025-05-14T10:00 in the zone of the device.
        free_until: End of that time, at most 31 days after its begin.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (rooms, and whether one is booked only with a code, which its keeper has), total, and next_cursor, which
        is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood, or only one of the times is given.
    """
    low, high = checked_moment(free_from, "free_from"), checked_moment(free_until, "free_until")
    if (low is None) != (high is None):
        raise ValueError("free_from and free_until are needed together")
    if low and high and not 0 < seconds_of(high) - seconds_of(low) <= 31 * DAY:
        raise ValueError("free_until must be after free_from, and at most 31 days after it")
    things = {each.casefold() for each in equipment} if isinstance(equipment, list) else set()

    def rows(read: Read) -> list[Row]:
        taken = taken_rooms(seconds_of(low), seconds_of(high), read) if low else {}
        table = read(ROOMS)
        places = found_in(
            table,
            contains("name", words),
            equals("building", building),
            at_least("capacity", capacity),
            meets("equipment", equipment, lambda row: things <= {each.casefold() for each in row["equipment"]}),
        )
        found = [table.schema.as_dict(table.rows[place]) for place in places]
        return [
            row | {"booking_code": "needed" if row["booking_code"] else None}
            for row in found
            if row["room_id"] not in taken
        ]

    return paged(("rooms", words, building, capacity, equipment, low, high), rows, limit, cursor)


@tool
def book_meeting_room(
    event_id: str, room_id: str | None, occurrence_date: str | None = None, booking_code: str | None = None
) -> None:
    """Book a meeting room for an event that you organize, or give it back.

    Args:
        event_id: Identifier of the event.
        room_id: Identifier of the room, in place of the one that the event has; None only gives that one back.
        occurrence_date: Date of a series for which alone this is done, as list_calendar_agenda names it.
        booking_code: Code of a room that needs one.

    Returns:
        Nothing.

    Raises:
        ValueError: The room is too small or taken at one of the dates, there is none to give back, the date is not of
            the series, or the event is cancelled.
        NoDataError: No event or no room has this identifier.
        PermissionError: Somebody else decides about the event, or the room needs a code and this is not it.
    """
    event = changeable(event_id)
    date = chosen_date(event, "this", occurrence_date) if occurrence_date else None
    then = at_date(event, date)
    if room_id is not None:
        _check_room(event, get(ROOMS, room_id), booking_code)
    elif then["room_id"] is None:
        raise ValueError("the event has no room to give back")
    if date is None:
        refuse_taken(room_id, event_id, coming(event | {"room_id": room_id}))
        change(EVENTS, event_id, room_id=room_id)
    else:
        then["room_id"] = room_id
        refuse_taken(room_id, event_id, [Occurrence(then, date, *span(then))])
        set_exception(event, date, kind="changed", **{name: then[name] for name in (*TIMES, "room_id")})


def _check_room(event: Row, room: Row, code: str | None) -> None:
    people = [row for row in rows_with(ATTENDEES, "event_id", event["event_id"]) if row["answer"] != "declined"]
    if len(people) + 1 > room["capacity"]:
        raise ValueError(f"{room['name'][:60]} has {room['capacity']} seats, {len(people) + 1} people take part")
    if room["booking_code"] not in (None, code):
        said = "this booking_code is wrong" if code else "booking_code is needed"
        raise PermissionError(f"{said}: {room['keeper'] or 'the keeper'} gives out the code of {room['name'][:60]}")
