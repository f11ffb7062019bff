"""Tools that change events and series: one date, this and later ones, or all."""

import datetime
from typing import Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    change,
    checked_date,
    checked_moment,
    checked_text,
    get,
    remove,
    rows_with,
    tool,
)
from tool_sandbox.apps.calendar.events import checked_cells
from tool_sandbox.apps.calendar.people import changeable, coming, inform, others_of, refuse_conflict
from tool_sandbox.apps.calendar.rooms import refuse_taken
from tool_sandbox.apps.calendar.series import (
    TIMES,
    Occurrence,
    Row,
    at_date,
    checked_rule,
    chosen_date,
    dates_before,
    exception_of,
    is_date_of,
    local_start,
    parts_of,
    rule_of,
    set_exception,
    span,
    start_on,
    times_at,
)
from tool_sandbox.apps.calendar.tables import ATTENDEES, EVENTS, EXCEPTIONS, wrong_times


def move_on(event: Row, times: Row) -> Row:
    """Cells for new times, of which only a begin may be given: the event stays as long as it was then.

    Raises:
        ValueError: The times contradict each other.
    """
    given = {name: value for name, value in times.items() if value is not NOT_GIVEN}
    if not given:
        return {}
    days = "first_day" in given or "last_day" in given
    if days and ("starts_at" in given or "ends_at" in given):
        raise ValueError("give starts_at and ends_at, or first_day and last_day, not both")
    first, last = TIMES[2:] if days else TIMES[:2]
    if event[first] is None:
        new = {first: given.get(first), last: given.get(last)}
        if None in new.values():
            raise ValueError(f"{first} and {last} are both needed, the event has none yet")
    elif last in given:
        new = {first: given.get(first, event[first]), last: given[last]}
    else:
        begin = event | {first: given[first]}
        new = times_at(event, local_start(begin))
    cells = dict.fromkeys(TIMES) | new
    if line := wrong_times(cells):
        raise ValueError(line)
    return cells


def split(event: Row, date: str) -> Row:
    """Ends a series before a date, and begins another one there with what is left of it.

    Attendees, and exceptions on later dates, go along. Returns the later series.
    """
    parts, before = parts_of(event["recurrence"]), dates_before(event, date)
    day_before = datetime.date.fromisoformat(date) - datetime.timedelta(days=1)
    ended = {name: value for name, value in parts.items() if name != "COUNT"} | {"UNTIL": f"{day_before:%Y%m%d}"}
    if "COUNT" in parts:
        parts["COUNT"] = str(int(parts["COUNT"]) - before)
    cells = {name: cell for name, cell in event.items() if name != "event_id"}
    later = add(EVENTS, **(cells | times_at(event, start_on(event, date)) | {"recurrence": rule_of(parts)}))
    change(EVENTS, event["event_id"], recurrence=rule_of(ended))
    for row in rows_with(ATTENDEES, "event_id", event["event_id"]):
        declined = [day for day in row["declined_dates"] if day >= date]
        cells = {name: cell for name, cell in row.items() if name != "attendee_id"}
        add(ATTENDEES, **cells | {"event_id": later, "declined_dates": declined})
    for row in rows_with(EXCEPTIONS, "event_id", event["event_id"]):
        if row["occurrence_date"] >= date:
            change(EXCEPTIONS, row["exception_id"], event_id=later)
    return get(EVENTS, later)


def _change_date(event: Row, date: str, changes: Row, allow_conflict: bool) -> None:
    then = at_date(event, date)
    new = {"title": then["title"], "location": then["location"], **changes}
    times = {name: new.get(name, then[name]) for name in (*TIMES, "room_id")}
    when = [Occurrence(event | times, date, *span(times))]
    if not allow_conflict and any(times[name] != then[name] for name in TIMES):
        refuse_conflict(event, when)
    refuse_taken(times["room_id"], event["event_id"], when)
    texts = {name: None if new[name] == event[name] else new[name] for name in ("title", "location")}
    set_exception(event, date, kind="changed", **texts, **times)


def _change_all(event: Row, changes: Row, allow_conflict: bool) -> None:
    new = event | changes
    if any(new[name] != event[name] for name in (*TIMES, "recurrence")):
        if new["recurrence"] is not None:
            new["recurrence"] = changes["recurrence"] = checked_rule(new["recurrence"], new)
        # Exceptions of dates that the series no longer has have nothing to be an exception of.
        for row in rows_with(EXCEPTIONS, "event_id", event["event_id"]):
            if new["recurrence"] is None or not is_date_of(new, row["occurrence_date"]):
                remove(EXCEPTIONS, row["exception_id"])
        when = coming(new)
        if not allow_conflict:
            refuse_conflict(new, when)
        refuse_taken(new["room_id"], event["event_id"], when)
        for row in rows_with(ATTENDEES, "event_id", event["event_id"]):
            change(ATTENDEES, row["attendee_id"], answer="none", answered_at=None, declined_dates=[])
    change(EVENTS, event["event_id"], **changes)


@tool
def modify_calendar_event(
    event_id: str,
    scope: Literal["all", "this", "this_and_later"] = "all",
    occurrence_date: str | None = None,
    title: str | NotGiven = NOT_GIVEN,
    description: str | NotGiven = NOT_GIVEN,
    location: str | NotGiven = NOT_GIVEN,
    starts_at: str | NotGiven = NOT_GIVEN,
    ends_at: str | NotGiven = NOT_GIVEN,
    first_day: str | NotGiven = NOT_GIVEN,
    last_day: str | NotGiven = NOT_GIVEN,
    recurrence: str | NotGiven | None = NOT_GIVEN,
    show_as: Literal["busy", "free"] | NotGiven = NOT_GIVEN,
    allow_conflict: bool = False,
    message: str | None = None,
) -> str:
    """Change an event that you organize: the whole, one date of a series, or this date and all later ones.

    Everybody who takes part is told. New times ask them to answer again, unless only one date moves. Exceptions of a
    series stay as they are while the series still has their dates.

    Args:
        event_id: Identifier of the event.
        scope: For a series: all, this (one date) or this_and_later, which makes a second series of the later dates.
        occurrence_date: Which date of the series is meant, as list_calendar_agenda names it; not needed for all.
        title: New title.
        description: New description, not for one date alone.
        location: New place in words.
        starts_at: New begin, for example 2025-05-14T10:00 in the zone of the device; of all, that of the first date. It
            stays as long as it was if ends_at is left out.
        ends_at: New end.
        first_day: New first day of an event of whole days.
        last_day: New last day of it.
        recurrence: New rule as for create_calendar_event; None makes a series a single event.
        show_as: Whether it takes your time: busy or free; not for one date alone.
        allow_conflict: True to change it although you are busy then.
        message: What the others who take part are told with it.

    Returns:
        Identifier of the event that has the change: with this_and_later that of the new series.

    Raises:
        ValueError: Nothing to change was given, an argument cannot be understood, the event is cancelled, you are busy
            then, or its room is taken.
        NoDataError: No event has this identifier.
        PermissionError: Somebody else decides about the event.
        ConnectionError: Wifi is off, so that those who take part cannot be told.
    """
    event = changeable(event_id)
    date = chosen_date(event, scope, occurrence_date)
    checked_text(message, "message", 300)
    times = {"starts_at": checked_moment(starts_at, "starts_at"), "ends_at": checked_moment(ends_at, "ends_at")}
    times |= {"first_day": checked_date(first_day, "first_day"), "last_day": checked_date(last_day, "last_day")}
    rest = {"recurrence": recurrence, "show_as": show_as, "description": description}
    given = {k: v for k, v in (checked_cells(title, description, location) | rest).items() if v is not NOT_GIVEN}
    if scope == "this" and date is not None and (wrong := [name for name in rest if name in given]):
        raise ValueError(f"{wrong[0]} is the same for all dates of a series; use scope all or this_and_later")
    if date is not None and scope == "this_and_later":
        event = split(event, date)
    changes = given | move_on(at_date(event, date if scope == "this" else None), times)
    if not changes:
        raise ValueError("nothing to change, give at least one of title, description, location, starts_at, recurrence")
    if date is not None and scope == "this":
        _change_date(event, date, changes, allow_conflict)
    else:
        _change_all(event, changes, allow_conflict)
    inform(event, "update", message, others_of(event))
    return str(event["event_id"])


@tool
def cancel_calendar_event(
    event_id: str,
    scope: Literal["all", "this", "this_and_later"] = "all",
    occurrence_date: str | None = None,
    message: str | None = None,
) -> int:
    """Cancel an event of a calendar that you organize, one date of a series, or this date and all later ones.

    Everybody who takes part is told. Its room is free again. What was cancelled can be restored.

    Args:
        event_id: Identifier of the event.
        scope: For a series: all, this (one date) or this_and_later.
        occurrence_date: Which date of the series is meant, as list_calendar_agenda names it; not needed for all.
        message: What the others who take part are told with it.

    Returns:
        Number of people who were told.

    Raises:
        ValueError: It is cancelled already, or the date cannot be understood or is not of the series.
        NoDataError: No event has this identifier.
        PermissionError: Somebody else decides about the event.
        ConnectionError: Wifi is off, so that those who take part cannot be told.
    """
    event = changeable(event_id)
    date = chosen_date(event, scope, occurrence_date)
    checked_text(message, "message", 300)
    if date is None:
        change(EVENTS, event_id, status="cancelled")
    elif scope == "this":
        set_exception(event, date, kind="cancelled", **dict.fromkeys((*TIMES, "title", "location", "room_id")))
    else:
        change(EVENTS, split(event, date)["event_id"], status="cancelled")
    inform(event, "cancellation", message, others_of(event))
    return len(others_of(event))


@tool
def restore_calendar_event(event_id: str, occurrence_date: str | None = None) -> None:
    """Take back that an event, or one date of a series, was cancelled or changed; everybody who takes part is told.

    Args:
        event_id: Identifier of the event.
        occurrence_date: Date of the series that is to be as the others again; the whole event if left out.

    Returns:
        Nothing.

    Raises:
        ValueError: There is nothing to take back, or the room has been taken since.
        NoDataError: No event has this identifier.
        PermissionError: Somebody else decides about the event.
        ConnectionError: Wifi is off, so that those who take part cannot be told.
    """
    checked_date(occurrence_date, "occurrence_date")
    event = changeable(event_id, "confirmed" if occurrence_date else "cancelled")
    if occurrence_date is None:
        refuse_taken(event["room_id"], event_id, coming(event))
        change(EVENTS, event_id, status="confirmed")
    else:
        special = exception_of(event_id, occurrence_date)
        if special is None:
            raise ValueError(f"{occurrence_date} is neither cancelled nor changed")
        then = event | times_at(event, start_on(event, occurrence_date))
        refuse_taken(event["room_id"], event_id, [Occurrence(then, occurrence_date, *span(then))])
        remove(EXCEPTIONS, special["exception_id"])
    inform(event, "update", None, others_of(event))
