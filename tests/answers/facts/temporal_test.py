"""What answers say about dates, times of day, weekdays and lengths of time."""

import datetime

import pytest

from tool_sandbox.answers.facts import Date, DateTime, Duration, Reading, Time, Weekday
from tool_sandbox.world.errors import ScenarioError

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

TODAY = datetime.date(2026, 12, 20)  # a Sunday


@pytest.mark.parametrize("shown", ["10:00:00", "2026-12-25T10:00", "10:00Z", "05:00"])
def test_a_time_in_the_form_of_24_hours_is_no_later_one(shown: str) -> None:
    hour = int(shown.split("T")[-1][:2])
    assert Time(datetime.time(hour)).read(shown) is STATED
    assert Time(datetime.time(hour + 12)).read(shown) is CONTRADICTED
    assert Time(datetime.time(hour + 12)).read(f"{hour}:00") is STATED


def test_a_colon_behind_a_date_introduces_what_is_then() -> None:
    fact = Date(datetime.date(2026, 12, 25), TODAY)
    assert fact.read("On December 24: a walk.") is CONTRADICTED
    assert fact.read("On December 25: a walk.") is STATED
    assert fact.read("December 25:30") is SILENT


def test_exact_duration() -> None:
    exact = Duration(7503.0, tolerance=datetime.timedelta(0))
    assert exact.read("2 hours, 5 minutes and 3 seconds") is STATED
    assert exact.read("2 hours and 5 minutes") is CONTRADICTED


def test_the_day_may_be_left_out_if_the_author_says_so() -> None:
    fact = DateTime(datetime.datetime(2026, 12, 25, 17), TODAY, date_required=False)
    assert fact.read("At 5 PM.") is STATED
    assert fact.read("On December 24 at 5 PM.") is CONTRADICTED


def test_relative_words_need_a_reference() -> None:
    assert Date(datetime.date(2026, 12, 21)).read("It's tomorrow.") is SILENT


def test_an_aware_moment_is_read_in_the_zone_of_the_answer() -> None:
    moment = datetime.datetime(2026, 12, 26, 1, 0, tzinfo=datetime.UTC)
    assert DateTime(moment, TODAY, zone="America/Los_Angeles").read("Friday, December 25 at 5 PM") is STATED


@pytest.mark.parametrize("value", ["Blursday", 9, object()])
def test_nonsense_is_rejected(value: object) -> None:
    with pytest.raises(ScenarioError):
        Weekday(value).read("Friday")  # type: ignore[arg-type]
