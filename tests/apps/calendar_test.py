"""What somebody who lives by the calendar relies on."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.conftest import make_context
from tool_sandbox.apps import Draw, rows_with, set_setting
from tool_sandbox.apps.calendar import APP
from tool_sandbox.apps.calendar.agenda import get_calendar_free_busy, list_calendar_agenda, search_calendar_conflicts
from tool_sandbox.apps.calendar.changes import cancel_calendar_event, modify_calendar_event, restore_calendar_event
from tool_sandbox.apps.calendar.events import create_calendar_event, get_calendar_event, search_calendar_events
from tool_sandbox.apps.calendar.invitations import (
    answer_calendar_invitation,
    invite_to_calendar_event,
    search_calendar_invitations,
    search_calendar_notices,
    uninvite_from_calendar_event,
)
from tool_sandbox.apps.calendar.people import search_calendar_people
from tool_sandbox.apps.calendar.rooms import book_meeting_room, search_meeting_rooms
from tool_sandbox.apps.calendar.tables import ATTENDEES, EVENTS, EXCEPTIONS, ROOMS
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context

DIEGO = "diego.okafor@example.com"


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """The morning of 14 May 2025, a Wednesday, in Los Angeles."""
    with new_context(make_context("calendar")) as context:
        APP.fill(context, Draw("calendar"), "small")
        yield context


def starts(words: str, since: str, until: str) -> list[str]:
    return [entry["starts_at"] for entry in list_calendar_agenda(since, until, words=words, limit=50)["results"]]


def weekly(**more: Any) -> str:
    """Walks on Sundays at nine in the evening, from 4 May on."""
    return create_calendar_event("Walk", "2025-05-04T21:00", "2025-05-04T22:00", recurrence="FREQ=WEEKLY", **more)


def dates(since: str = "2025-05-01T00:00", until: str = "2025-06-30T00:00") -> list[str]:
    return [each[5:16] for each in starts("walk", since, until)]


def test_a_series_keeps_its_hour_by_the_clocks_of_its_zone() -> None:
    create_calendar_event(
        "Call", "2025-10-20T08:30", "2025-10-20T09:00", time_zone="Europe/Berlin", recurrence="FREQ=WEEKLY;COUNT=4"
    )
    # Europe leaves summer time a week before the United States.
    assert starts("call", "2025-10-15T00:00", "2025-11-20T00:00") == [
        "2025-10-20T08:30:00-07:00",
        "2025-10-27T09:30:00-07:00",
        "2025-11-03T08:30:00-08:00",
        "2025-11-10T08:30:00-08:00",
    ]


def test_one_date_is_moved_cancelled_and_restored() -> None:
    event_id = weekly(emails=[DIEGO])
    modify_calendar_event(event_id, scope="this", occurrence_date="2025-05-18", starts_at="2025-05-19T20:00")
    assert cancel_calendar_event(event_id, scope="this", occurrence_date="2025-05-25", message="Sorry.") == 1
    assert dates(until="2025-06-09T00:00") == [
        "05-04T21:00",
        "05-11T21:00",
        "05-19T20:00",
        "06-01T21:00",
        "06-08T21:00",
    ]
    entry = list_calendar_agenda("2025-05-19T19:00", "2025-05-19T21:30", words="walk")["results"][0]
    assert (entry["occurrence_date"], entry["ends_at"]) == ("2025-05-18", "2025-05-19T21:00:00-07:00")
    with pytest.raises(ValueError, match="on 2025-05-25 is cancelled; restore it first"):
        modify_calendar_event(event_id, scope="this", occurrence_date="2025-05-25", title="Run")
    for date in ("2025-05-18", "2025-05-25"):
        restore_calendar_event(event_id, date)
    assert dates(until="2025-05-26T00:00") == ["05-04T21:00", "05-11T21:00", "05-18T21:00", "05-25T21:00"]
    kinds = [row["kind"] for row in search_calendar_notices(event_id=event_id, recipient_email=DIEGO)["results"]]
    assert sorted(kinds) == ["cancellation", "invitation", "update", "update", "update"]


def test_later_dates_become_a_series_of_their_own() -> None:
    event_id = create_calendar_event(
        "Walk", "2025-05-04T21:00", "2025-05-04T22:00", recurrence="FREQ=WEEKLY;COUNT=6", emails=[DIEGO]
    )
    cancel_calendar_event(event_id, scope="this", occurrence_date="2025-06-01")
    later = modify_calendar_event(
        event_id, scope="this_and_later", occurrence_date="2025-05-25", starts_at="2025-05-25T19:00"
    )
    assert dates() == ["05-04T21:00", "05-11T21:00", "05-18T21:00", "05-25T19:00", "06-08T19:00"]
    assert get_calendar_event(later)["recurrence"] == "FREQ=WEEKLY;COUNT=3"
    assert [row["email"] for row in get_calendar_event(later)["attendees"]] == [DIEGO]
    cancel_calendar_event(later, scope="this_and_later", occurrence_date="2025-06-08")
    assert dates()[-1] == "05-25T19:00"


def test_a_change_of_all_keeps_exceptions_that_still_have_a_date() -> None:
    event_id = weekly()
    modify_calendar_event(event_id, scope="this", occurrence_date="2025-05-18", title="Walk with the dog")
    cancel_calendar_event(event_id, scope="this", occurrence_date="2025-05-25")
    modify_calendar_event(event_id, starts_at="2025-05-04T20:00")
    assert dates(until="2025-06-02T00:00") == ["05-04T20:00", "05-11T20:00", "05-18T21:00", "06-01T20:00"]
    modify_calendar_event(event_id, recurrence="FREQ=WEEKLY;INTERVAL=3")
    assert dates() == ["05-04T20:00", "06-15T20:00"]
    assert [row["occurrence_date"] for row in rows_with(EXCEPTIONS, "event_id", event_id)] == ["2025-05-25"]


def test_a_series_begins_on_one_of_its_dates() -> None:
    with pytest.raises(ValueError, match="begins on Sunday, 2025-05-04, which is no date of FREQ=WEEKLY;BYDAY=MO"):
        create_calendar_event("Walk", "2025-05-04T21:00", "2025-05-04T22:00", recurrence="FREQ=WEEKLY;BYDAY=MO")
    with pytest.raises(ValueError, match="it has 'FREQ'='SECONDLY'"):
        create_calendar_event("Walk", "2025-05-04T21:00", "2025-05-04T22:00", recurrence="FREQ=SECONDLY")
    fridays = "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20250801"
    create_calendar_event("Wages", "2025-05-30T18:00", "2025-05-30T18:30", recurrence=fridays)
    assert [each[:10] for each in starts("wages", "2025-05-01T00:00", "2025-12-01T00:00")] == [
        "2025-05-30",
        "2025-06-27",
        "2025-07-25",
    ]


def test_whole_days_are_in_the_agenda_and_do_not_take_time() -> None:
    create_calendar_event("Fair", first_day="2025-05-24", last_day="2025-05-25")
    (fair,) = list_calendar_agenda("2025-05-25T12:00", "2025-05-25T13:00", words="fair")["results"]
    assert (fair["first_day"], fair["last_day"]) == ("2025-05-24", "2025-05-25")
    create_calendar_event("Brunch", "2025-05-25T11:00", "2025-05-25T13:00")


def test_a_conflict_has_to_be_wanted() -> None:
    first = create_calendar_event("Lecture", "2025-05-24T10:00", "2025-05-24T12:00")
    with pytest.raises(ValueError, match=f"with 'Lecture' \\({first}\\); with allow_conflict=True both stand"):
        create_calendar_event("Market", "2025-05-24T11:00", "2025-05-24T13:00")
    assert search_calendar_events(words="market")["total"] == 0
    second = create_calendar_event("Market", "2025-05-24T11:00", "2025-05-24T13:00", allow_conflict=True)
    (pair,) = search_calendar_conflicts("2025-05-24T00:00", "2025-05-25T00:00")["results"]
    assert (pair["first"]["event_id"], pair["second"]["event_id"]) == (first, second)
    assert (pair["starts_at"][11:16], pair["ends_at"][11:16]) == ("11:00", "12:00")


def test_an_invitation_is_answered_for_all_or_for_one_date() -> None:
    meeting = search_calendar_invitations()["results"][0]
    answer_calendar_invitation(meeting["event_id"], "declined", comment="I am away.")
    assert search_calendar_events(email=meeting["organizer_email"])["total"] >= 1
    assert meeting["event_id"] not in [row["event_id"] for row in search_calendar_invitations()["results"]]
    with pytest.raises(PermissionError, match="you can answer the invitation"):
        modify_calendar_event(meeting["event_id"], title="Mine")
    (series,) = search_calendar_invitations()["results"]
    answer_calendar_invitation(series["event_id"], "accepted")
    answer_calendar_invitation(series["event_id"], "declined", occurrence_date="2025-05-28")
    listed = list_calendar_agenda("2025-05-20T00:00", "2025-06-05T00:00", words=series["title"])["results"]
    assert [each["occurrence_date"] for each in listed] == ["2025-05-21", "2025-06-04"]
    assert [row["declined_dates"] for row in rows_with(ATTENDEES, "event_id", series["event_id"])][-1] == ["2025-05-28"]
    series = weekly()
    with pytest.raises(ValueError, match="you are not invited to 'Walk'"):
        answer_calendar_invitation(series, "accepted")


def test_free_and_busy_of_others_shows_no_more_than_that() -> None:
    weekly(emails=[DIEGO])
    taken = get_calendar_free_busy(DIEGO, "2025-05-18T00:00", "2025-05-19T00:00")
    assert taken == [
        {"starts_at": "2025-05-18T21:00:00-07:00", "ends_at": "2025-05-18T22:00:00-07:00", "state": "tentative"}
    ]
    with pytest.raises(PermissionError, match="does not share"):
        get_calendar_free_busy("omar.haddad@example.com", "2025-05-18T00:00", "2025-05-19T00:00")
    (person,) = search_calendar_people(words="okafor")["results"]
    hidden = rows_with(EVENTS, "calendar_id", person["calendars"][0]["calendar_id"])[0]["event_id"]
    with pytest.raises(PermissionError, match="shares only that the time is taken"):
        get_calendar_event(hidden)


def test_a_room_is_for_one_event_at_a_time() -> None:
    rooms = {row["name"]: row["room_id"] for row in search_meeting_rooms()["results"]}
    first, second = weekly(), create_calendar_event("Tea", "2025-05-18T21:30", "2025-05-18T23:00", allow_conflict=True)
    book_meeting_room(first, rooms["Cedar 1"])
    with pytest.raises(ValueError, match="Cedar 1 is taken from 2025-05-18T21:00"):
        book_meeting_room(second, rooms["Cedar 1"])
    free = search_meeting_rooms(free_from="2025-05-18T21:00", free_until="2025-05-18T22:00")["results"]
    assert "Cedar 1" not in [room["name"] for room in free]
    book_meeting_room(first, rooms["Cedar 2"], occurrence_date="2025-05-18")
    book_meeting_room(second, rooms["Cedar 1"])
    with pytest.raises(ValueError, match="Cedar 1 is taken"):
        restore_calendar_event(first, "2025-05-18")


def test_some_rooms_need_a_code_that_no_tool_shows() -> None:
    room = rows_with(ROOMS, "name", "Board Room")[0]
    event_id = weekly()
    assert room["booking_code"] not in str(search_meeting_rooms())
    for code, said in ((None, "booking_code is needed"), ("0", "this booking_code is wrong")):
        with pytest.raises(PermissionError, match=f"{said}: {room['keeper']} gives out the code of Board Room"):
            book_meeting_room(event_id, room["room_id"], booking_code=code)
    book_meeting_room(event_id, room["room_id"], booking_code=room["booking_code"])
    assert get_calendar_event(event_id)["room_id"] == room["room_id"]


def test_nobody_is_told_without_wifi_and_nothing_changes() -> None:
    event_id = weekly()
    invite_to_calendar_event(event_id, [DIEGO])
    set_setting("wifi", on=False)
    with pytest.raises(ConnectionError, match="wifi is off, telling the others who take part needs it"):
        uninvite_from_calendar_event(event_id, DIEGO)
    assert [row["email"] for row in get_calendar_event(event_id)["attendees"]] == [DIEGO]
