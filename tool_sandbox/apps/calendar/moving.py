"""What others do in the calendar, for scenarios in a world that moves."""

from typing import Any

from tool_sandbox.apps import add, checked_moment, current_device, effect, get, rows_of, rows_with, seconds_of
from tool_sandbox.apps.calendar.events import default_calendar
from tool_sandbox.apps.calendar.people import me
from tool_sandbox.apps.calendar.rooms import taken_rooms
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, ROOMS


def _event(organizer_email: str, title: str, starts_at: str, ends_at: str, **cells: Any) -> str:
    plain = {"description": "", "location": "", "room_id": None, "show_as": "busy", "status": "confirmed"}
    times = {"starts_at": checked_moment(starts_at, "starts_at"), "ends_at": checked_moment(ends_at, "ends_at")}
    zone = str(current_device().timezone)
    return add(EVENTS, title=title, organizer_email=organizer_email, time_zone=zone, **plain | times | cells)


@effect
def invitation_arrives(organizer_email: str, title: str, starts_at: str, ends_at: str, description: str = "") -> str:
    """Somebody invites the owner to an event at a time such as 2025-05-14T10:00."""
    calendar_id = default_calendar(None)["calendar_id"]
    more = {"calendar_id": calendar_id, "description": description}
    event_id = _event(organizer_email, title, starts_at, ends_at, **more)
    add(ATTENDEES, event_id=event_id, email=me(), required=True, answer="none", declined_dates=[])
    return f"{organizer_email} invites to {title}, {starts_at}"


@effect
def room_is_taken(room_id: str, starts_at: str, ends_at: str, by_email: str, title: str = "Meeting") -> str:
    """Somebody else books a room at a time, unless it has been booked by then."""
    name = get(ROOMS, room_id)["name"]
    since, until = (seconds_of(checked_moment(each, "time")) for each in (starts_at, ends_at))
    if taken_rooms(since, until, rows_of).get(room_id):
        return f"{by_email} wanted {name}, {starts_at}, but it is booked"
    shared = [row["calendar_id"] for row in rows_with(CALENDARS, "owner_email", by_email)]
    cells = {"name": "Work", "owner_email": by_email, "access": "free_busy", "is_default": False}
    calendar_id = shared[0] if shared else add(CALENDARS, **cells)
    _event(by_email, title, starts_at, ends_at, room_id=room_id, calendar_id=calendar_id)
    return f"{by_email} has booked {name}, {starts_at}"
