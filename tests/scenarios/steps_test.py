"""Shared sequences of calls: what they ask for and what they make of the results."""

import datetime

import pytest

from tool_sandbox.scenarios.steps import due, number_of, read_clock, reminders_of, way_between, whereabouts
from tool_sandbox.world.script import Call

DATE = datetime.date(2025, 5, 14)


def played(steps, *results):
    """The calls that a sequence makes when these results come back, and what it returns."""
    calls, replies = [next(steps)], iter(results)
    try:
        while True:
            calls.append(steps.send(next(replies)))
    except StopIteration as stop:
        return calls, stop.value


def test_a_time_of_day_may_have_minutes():
    wanted = {"year": 2025, "month": 5, "day": 14, "hour": 7, "minute": 30, "second": 0}
    assert due(DATE, 7, 30) == Call("datetime_info_to_timestamp", wanted)
    assert due(DATE, 7).arguments["minute"] == 0


def test_the_clock_is_read_as_local_time():
    info = {"year": 2025, "month": 5, "day": 14, "hour": 10, "minute": 24, "second": 5, "isoweekday": 3}
    _, moment = played(read_clock(), 1747243445.0, info)
    assert (moment.timestamp, moment.today) == (1747243445.0, DATE)
    assert moment.timestamp - moment.midnight == 10 * 3600 + 24 * 60 + 5


def test_reminders_of_a_day_end_before_the_midnight_after_it():
    rows = [{"reminder_timestamp": time} for time in (300.0, 100.0, 200.0)]
    calls, found = played(reminders_of(DATE), 100.0, 300.0, rows)
    assert [call.arguments["day"] for call in calls[:2]] == [14, 15]
    assert calls[2].arguments == {"reminder_timestamp_lowerbound": 100.0, "reminder_timestamp_upperbound": 300.0}
    assert [row["reminder_timestamp"] for row in found] == [100.0, 200.0]


def test_a_number_is_that_of_the_full_name():
    rows = [{"name": "Ann Lee", "phone_number": "+1"}, {"name": "Ann Leigh", "phone_number": "+2"}]
    assert played(number_of("Ann Lee"), rows)[1] == "+1"
    with pytest.raises(ValueError, match="unpack"):
        played(number_of("Ann Lee"), [*rows, {"name": "Ann Lee", "phone_number": "+3"}])


def test_a_way_needs_nothing_but_the_positions_of_two_rows():
    _, where = played(whereabouts("Pier"), [{"name": "Pier", "latitude": 1.0, "longitude": 2.0}])
    assert way_between(where, {"content": "Fish", "latitude": 3.0, "longitude": 4.0}) == Call(
        "calculate_lat_lon_distance", {"latitude_0": 1.0, "longitude_0": 2.0, "latitude_1": 3.0, "longitude_1": 4.0}
    )
