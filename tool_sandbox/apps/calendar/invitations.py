"""Tools for those who take part: invitations, answers, other times that somebody asks for, and what was sent."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    at_least,
    change,
    checked_moment,
    checked_text,
    equals,
    now,
    paged,
    remove,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.calendar.events import invite
from tool_sandbox.apps.calendar.people import changeable, inform, me, visible
from tool_sandbox.apps.calendar.series import DAY, Row, all_occurrences, chosen_date
from tool_sandbox.apps.calendar.tables import ATTENDEES, NOTICES

LONGEST_COMMENT = 300


def _own(event: Row) -> Row:
    found = [row for row in rows_with(ATTENDEES, "event_id", event["event_id"]) if row["email"] == me()]
    if not found:
        raise ValueError(f"you are not invited to {event['title'][:60]!r}")
    if event["status"] == "cancelled":
        raise ValueError(f"{event['title'][:60]!r} is cancelled")
    return found[0]


@tool
def invite_to_calendar_event(event_id: str, emails: list[str], required: bool = True) -> int:
    """Invite further people to an event that you organize, a series with all its dates.

    Args:
        event_id: Identifier of the event.
        emails: Their e-mail addresses; an event has at most 25 attendees.
        required: Whether they are needed there, or may come.

    Returns:
        Number of people who were invited.

    Raises:
        ValueError: An address cannot be understood or takes part already, there are none or too many, or the event is
            cancelled.
        NoDataError: No event has this identifier.
        PermissionError: Somebody else decides about the event.
        ConnectionError: Wifi is off.
    """
    event = changeable(event_id)
    if not emails:
        raise ValueError("emails must not be empty")
    return len(invite(event, emails, required))


@tool
def uninvite_from_calendar_event(event_id: str, email: str, message: str | None = None) -> None:
    """Take somebody off an event that you organize; the person is told.

    Args:
        event_id: Identifier of the event.
        email: E-mail address of the person.
        message: What the person is told with it.

    Returns:
        Nothing.

    Raises:
        ValueError: The person is not invited, the message is blank or too long, or the event is cancelled.
        NoDataError: No event has this identifier.
        PermissionError: Somebody else decides about the event.
        ConnectionError: Wifi is off.
    """
    event = changeable(event_id)
    checked_text(message, "message", LONGEST_COMMENT)
    found = [row for row in rows_with(ATTENDEES, "event_id", event_id) if row["email"] == email]
    if not found:
        raise ValueError(f"{email[:80]!r} is not invited to this event")
    remove(ATTENDEES, found[0]["attendee_id"])
    inform(event, "cancellation", message, [email])


@tool
def search_calendar_invitations(
    answer: Literal["none", "accepted", "tentative", "declined"] | NotGiven = "none",
    organizer_email: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find invitations to events of the coming 90 days that you have got.

    Args:
        answer: What you answered; none for those that are still to be answered.
        organizer_email: E-mail address of the organizer.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (event_id, title, organizer_email, recurrence, next_date and your answer), in order of their next dates,
        total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    start = seconds_of(now())

    def rows(read: Read) -> list[Row]:
        own = {row["event_id"]: row["answer"] for row in read(ATTENDEES).with_cell("email", me(read))}
        wanted = {key for key, said in own.items() if isinstance(answer, NotGiven) or said == answer}
        found: dict[str, Row] = {}
        occurrences = all_occurrences(read, start, start + 90 * DAY, lambda event: event["event_id"] in wanted)
        for each in sorted(occurrences, key=lambda each: (each.starts, each.event["event_id"])):
            shown = {name: each.event[name] for name in ("event_id", "title", "organizer_email", "recurrence")}
            if isinstance(organizer_email, NotGiven) or shown["organizer_email"] == organizer_email:
                found.setdefault(shown["event_id"], shown | {"next_date": each.date, "answer": own[shown["event_id"]]})
        return list(found.values())

    return paged(("invitations", answer, organizer_email, int(start // DAY)), rows, limit, cursor)


@tool
def answer_calendar_invitation(
    event_id: str,
    answer: Literal["accepted", "tentative", "declined"],
    occurrence_date: str | None = None,
    comment: str | None = None,
) -> None:
    """Answer an invitation that you have got, for a series with all its dates; the organizer is told.

    Args:
        event_id: Identifier of the event.
        answer: accepted, tentative or declined.
        occurrence_date: Date of a series, as list_calendar_agenda names it, to decline it alone, or to accept it again.
        comment: What the organizer is told with it, at most 300 characters.

    Returns:
        Nothing.

    Raises:
        ValueError: You are not invited, the event is cancelled, the date is not of the series, or the comment is blank
            or too long.
        NoDataError: No event has this identifier.
        PermissionError: Only that the time is taken is shared with you.
        ConnectionError: Wifi is off.
    """
    event = visible(event_id)
    row = _own(event)
    checked_text(comment, "comment", LONGEST_COMMENT)
    date = chosen_date(event, "this", occurrence_date) if occurrence_date else None
    if date is None:
        change(ATTENDEES, row["attendee_id"], answer=answer, comment=comment, answered_at=now())
    elif answer == "tentative":
        raise ValueError("one date of a series can be declined or accepted, not tentative")
    else:
        others = [day for day in row["declined_dates"] if day != date]
        change(ATTENDEES, row["attendee_id"], declined_dates=sorted([*others, *[date] * (answer == "declined")]))
    inform(event, "answer", comment, [event["organizer_email"]])


@tool
def search_calendar_notices(
    event_id: str | NotGiven = NOT_GIVEN,
    recipient_email: str | NotGiven = NOT_GIVEN,
    kind: Literal["invitation", "update", "cancellation", "answer"] | NotGiven = NOT_GIVEN,
    sent_from: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what the calendar has sent to others for you, the newest first.

    Args:
        event_id: Identifier of the event.
        recipient_email: E-mail address to which it was sent.
        kind: invitation, update, cancellation or answer.
        sent_from: Earliest time at which it was sent, for example 2025-05-14T10:00 in the zone of the device.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The time, the limit or the cursor cannot be understood.
    """
    conditions = equals("event_id", event_id), equals("recipient_email", recipient_email), equals("kind", kind)
    since = at_least("sent_at", checked_moment(sent_from, "sent_from"))
    return search(NOTICES, *conditions, since, order_by="sent_at", descending=True, limit=limit, cursor=cursor)
