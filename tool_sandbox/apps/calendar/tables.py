"""What the calendar keeps: people and calendars, rooms, events and series, who is invited, and what was sent."""

from typing import Any

from tool_sandbox.apps import (
    choice,
    date,
    flag,
    key,
    moment,
    only_one,
    reference,
    seconds_of,
    table,
    text,
    texts,
    whole,
)

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def wrong_times(row: dict[str, Any]) -> str | None:
    """What is wrong with the times of an event or an exception."""
    if (row["starts_at"] is None) == (row["first_day"] is None):
        return "an event has either times or days"
    if (row["starts_at"] is None) != (row["ends_at"] is None) or (row["first_day"] is None) != (
        row["last_day"] is None
    ):
        return "an event that begins also ends"
    if row["starts_at"] is not None and seconds_of(row["ends_at"]) <= seconds_of(row["starts_at"]):
        return "an event ends after it begins"
    if row["first_day"] is not None and row["last_day"] < row["first_day"]:
        return "the last day of an event is not before its first"
    return None


def _wrong_exception(row: dict[str, Any]) -> str | None:
    if row["kind"] == "changed":
        return wrong_times(row)
    return None if row["starts_at"] is None and row["first_day"] is None else "only a changed date has times"


def _wrong_answer(row: dict[str, Any]) -> str | None:
    return None if (row["answer"] == "none") == (row["answered_at"] is None) else "an answer has a time"


PEOPLE = table(
    "calendar.people",
    key("person_id"),
    text("name"),
    text("email"),
    text("time_zone"),
    text("work_starts"),
    text("work_ends"),
    texts("work_days"),
    flag("is_me"),
    unique=[only_one("email"), only_one(is_me=True)],
)
"""People of the directory with their zones and working hours; one of them is the owner of the device."""

CALENDARS = table(
    "calendar.calendars",
    key("calendar_id"),
    text("name"),
    text("owner_email"),
    choice("access", "owner", "read", "free_busy"),
    flag("is_default"),
    unique=[
        only_one("owner_email", "name", words="{owner_email} has a calendar {name!r} already"),
        only_one(is_default=True),
    ],
)
"""Own calendars, and those that others share: to read, or only when they are busy."""

ROOMS = table(
    "calendar.rooms",
    key("room_id"),
    text("name"),
    text("building"),
    whole("floor", 0, 90),
    whole("capacity", 1, 500),
    texts("equipment"),
    text("booking_code", optional=True),
    text("keeper", optional=True),
    unique=[only_one("name")],
)
"""Meeting rooms; some are booked only with a code, which their keeper gives out and no tool shows."""

EVENTS = table(
    "calendar.events",
    key("event_id"),
    reference("calendar_id", "calendar.calendars"),
    text("title"),
    text("description"),
    text("location"),
    moment("starts_at", optional=True),
    moment("ends_at", optional=True),
    date("first_day", optional=True),
    date("last_day", optional=True),
    text("time_zone"),
    text("recurrence", optional=True),
    reference("room_id", "calendar.rooms", optional=True),
    text("organizer_email"),
    choice("show_as", "busy", "free"),
    choice("status", "confirmed", "cancelled"),
    row_rules=[wrong_times],
)
"""Single events, and series by a rule of RFC 5545; with times in a zone, or whole days."""

EXCEPTIONS = table(
    "calendar.exceptions",
    key("exception_id"),
    reference("event_id", "calendar.events"),
    date("occurrence_date"),
    choice("kind", "cancelled", "changed"),
    text("title", optional=True),
    text("location", optional=True),
    moment("starts_at", optional=True),
    moment("ends_at", optional=True),
    date("first_day", optional=True),
    date("last_day", optional=True),
    reference("room_id", "calendar.rooms", optional=True),
    unique=[only_one("event_id", "occurrence_date")],
    row_rules=[_wrong_exception],
)
"""Dates of a series that are not as the others; a changed one has its times and room in full."""

ATTENDEES = table(
    "calendar.attendees",
    key("attendee_id"),
    reference("event_id", "calendar.events"),
    text("email"),
    flag("required"),
    choice("answer", "none", "accepted", "tentative", "declined"),
    texts("declined_dates"),
    text("comment", optional=True),
    moment("answered_at", optional=True),
    unique=[only_one("event_id", "email", words="{email} is invited to this event already")],
    row_rules=[_wrong_answer],
)
"""Who is invited beside the organizer, what they answered, and dates of a series from which they stay away."""

NOTICES = table(
    "calendar.notices",
    key("notice_id"),
    reference("event_id", "calendar.events"),
    text("recipient_email"),
    choice("kind", "invitation", "update", "cancellation", "answer"),
    text("message", optional=True),
    moment("sent_at"),
)
"""What was sent to others about events."""
