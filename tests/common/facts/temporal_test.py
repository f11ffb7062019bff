"""What answers say about dates, times of day, weekdays and lengths of time."""

import datetime

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import Date, DateTime, Duration, Fact, Reading, Time, Weekday

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

TODAY = datetime.date(2026, 12, 20)  # a Sunday
CHRISTMAS = Date(datetime.date(2026, 12, 25), TODAY)
TOMORROW = Date(datetime.date(2026, 12, 21), TODAY)
FIVE_PM = Time(datetime.time(17, 0))
HALF_PAST_NINE = Time(datetime.time(9, 30))
NOON = Time(datetime.time(12, 0))
PARTY = DateTime(datetime.datetime(2026, 12, 25, 17, 0), TODAY, zone="America/Los_Angeles")
DENTIST = DateTime(datetime.datetime(2026, 12, 21, 9, 30), TODAY, about=("dentist",))
FRIDAY = Weekday("Friday")
RIDE = Duration(2 * 3600 + 5 * 60 + 3)
LONG = Duration(datetime.timedelta(days=38, hours=4))
HOUR_AND_HALF = Duration(5400.0)

CORPUS = [
    (
        CHRISTMAS,
        STATED,
        [
            "December 25, 2026",
            "It's on Dec 25, 2026.",
            "It's on Friday, December 25, 2026.",
            "The reminder is set for Friday, Dec. 25.",
            "25 December 2026",
            "The 25th of December.",
            "It falls on December 25th.",
            "It is on 12/25/2026.",
            "12/25",
            "2026-12-25",
            "25.12.2026",
            "25/12/2026",
            "This Friday.",
            "It's on Friday.",
            "In 5 days.",
            "Five days from now, on December 25.",
            "**Date:** December 25, 2026 (Friday)",
            "📅 Fri, 25 Dec 2026",
            "Christmas Day is on Friday the 25th of December, 2026.",
            "Today is December 20, 2026, and Christmas is on December 25, 2026.",
            "I moved it from December 20 to December 25.",
            "It's not on December 24; it's on December 25.",
            "Your reminder 'Buy gifts' is due on December 25, 2026 at 5:00 PM.",
            "I've rescheduled the reminder from Monday to Friday, December 25.",
            "Fri Dec 25 2026",
            "December 25 is a Friday.",
            "That's 5 days from today (December 25).",
        ],
    ),
    (
        CHRISTMAS,
        CONTRADICTED,
        [
            "December 24, 2026",
            "It's on December 25, 2025.",
            "Thursday, December 25, 2026",
            "It's not on December 25.",
            "It's on December 25 or 26 December.",
            "Set for tomorrow.",
            "It's on Saturday.",
            "12/24/2026",
            "It's on December 25. Correction: it's on December 26.",
            "It's in 6 days.",
        ],
    ),
    (
        CHRISTMAS,
        SILENT,
        [
            "",
            "Ok",
            "Done!",
            "I'm sorry, I can't help with that.",
            "Is it on December 25?",
            "Maybe December 25.",
            "If it's on December 25, I can come.",
            "Have a great day today!",
            "It's in December.",
            "25 people may come.",
            "It's at 12:25.",
            "Soon.",
        ],
    ),
    (
        TOMORROW,
        STATED,
        [
            "Tomorrow.",
            "It's set for tomorrow.",
            "It's on Monday.",
            "Monday, December 21",
            "In one day.",
            "Tomorrow (Monday, Dec 21, 2026)",
        ],
    ),
    (TOMORROW, CONTRADICTED, ["It's set for today.", "It was due on Friday.", "It's for the day after tomorrow."]),
    (
        FIVE_PM,
        STATED,
        [
            "5 PM",
            "It's at 5:00 PM.",
            "17:00",
            "At 5 p.m.",
            "5pm sharp",
            "at 5 o'clock",
            "five o'clock in the afternoon",
            "5:00 in the afternoon",
            "It's set for 17:00:00.",
            "Your reminder is due at **5:00 p.m.** Anything else?",
            "at five pm",
            "17h00",
            "I moved it from 4 PM to 5 PM.",
            "It's not at 4 PM; it's at 5 PM.",
            "⏰ 5:00 PM (PST)",
            "1700 hours",
            "You'll be reminded at 5 PM on Friday.",
        ],
    ),
    (
        FIVE_PM,
        CONTRADICTED,
        ["5 AM", "6 PM", "It's at 17:30.", "05:00", "not at 5 PM", "5 PM or 6 PM", "noon", "5 in the morning"],
    ),
    (
        FIVE_PM,
        SILENT,
        ["", "Ok", "At 5 PM?", "5 people", "5 km", "Perhaps at 5 PM.", "On December 5.", "I can't help with that."],
    ),
    (
        HALF_PAST_NINE,
        STATED,
        [
            "9:30 AM",
            "09:30",
            "half past nine",
            "9:30",
            "half past nine in the morning",
            "at 9.30 am",
            "30 minutes past nine",
        ],
    ),
    (HALF_PAST_NINE, CONTRADICTED, ["9:30 PM", "21:30", "10:30 AM", "9 AM", "half past ten"]),
    (NOON, STATED, ["noon", "12 PM", "12:00", "12 noon", "midday", "At noon sharp."]),
    (NOON, CONTRADICTED, ["midnight", "12 AM", "1 PM"]),
    (
        PARTY,
        STATED,
        [
            "Dec 25, 2026 at 5 PM",
            "Friday at 5 PM.",
            "Your reminder is set for Friday, December 25, 2026 at 5:00 PM.",
            "Done! I'll remind you on December 25th at 17:00.",
            "2026-12-25T17:00:00",
            "2026-12-25 17:00",
            "12/25/2026, 5:00 PM",
            "5 PM on 25 December",
            "in 5 days at 5pm",
            "It's due on December 26, 2026 at 01:00 UTC.",
            "The timestamp is 1798246800.",
            "I've added a reminder:\n- **What:** Buy milk\n- **When:** Friday, December 25, 2026, at 5:00 PM",
            "It was due tomorrow at 4 PM; I've moved it from tomorrow to Friday, December 25 at 5 PM.".replace(
                "at 4 PM; I've", "and I've"
            ),
        ],
    ),
    (
        PARTY,
        CONTRADICTED,
        [
            "Dec 25, 2026 at 5 AM",
            "Dec 24, 2026 at 5 PM",
            "Thursday, December 25, at 5 PM",
            "December 25, 2027 at 5 PM",
            "It's set for tomorrow at 5 PM.",
            "The timestamp is 1798250400.",
        ],
    ),
    (
        PARTY,
        SILENT,
        ["December 25", "5 PM", "", "Ok", "Shall I set it for December 25 at 5 PM?", "I'm unable to help."],
    ),
    (
        DENTIST,
        STATED,
        [
            "Your dentist appointment is tomorrow at 9:30 AM.",
            "- Dentist: Monday, Dec 21, 9:30 AM\n- Gym: Tuesday, Dec 22, 6:00 PM",
            "The dentist reminder is due on December 21 at 9:30 AM, and the gym one on December 22 at 6 PM.",
        ],
    ),
    (
        DENTIST,
        CONTRADICTED,
        ["The dentist is tomorrow at 6 PM.", "Your dentist appointment is on December 22 at 9:30 AM."],
    ),
    (DENTIST, SILENT, ["The gym is on December 22 at 6 PM.", ""]),
    (
        FRIDAY,
        STATED,
        [
            "It's a Friday.",
            "Friday",
            "December 25, 2026 falls on a Friday.",
            "It will be a **Friday**.",
            "Friday, December 25",
            "Fri, Dec 25",
            "on fridays? No: on Friday.",
        ],
    ),
    (FRIDAY, CONTRADICTED, ["It's a Saturday.", "It isn't a Friday.", "Friday or Saturday", "Thursday, December 25"]),
    (FRIDAY, SILENT, ["", "Is it a Friday?", "December 25", "I think it's a Friday."]),
    (
        RIDE,
        STATED,
        [
            "2 hours, 5 minutes and 3 seconds",
            "It takes 2h 5m 3s.",
            "2:05:03",
            "About 2 hours and 5 minutes.",
            "125 minutes",
            "7503 seconds",
            "**2 hours, 5 minutes, and 3 seconds** (7,503 seconds)",
            "2 hrs 5 min 3 sec",
            "two hours and five minutes",
            "7,503 seconds is 2 hours, 5 minutes and 3 seconds.",
            "2h5m3s",
        ],
    ),
    (
        RIDE,
        CONTRADICTED,
        [
            "2 hours",
            "3 hours, 5 minutes and 3 seconds",
            "2:06:03",
            "2 hours, 5 minutes, or 3 hours",
            "It doesn't take 2 hours and 5 minutes.",
        ],
    ),
    (RIDE, SILENT, ["", "Ok", "2:05 PM", "2 km", "How many hours?", "At 2:05:03 PM."]),
    (LONG, STATED, ["38 days and 4 hours", "38 days", "5 weeks, 3 days and 4 hours", "916 hours"]),
    (LONG, CONTRADICTED, ["39 days", "37 days and 20 hours"]),
    (
        HOUR_AND_HALF,
        STATED,
        [
            "an hour and a half",
            "1.5 hours",
            "90 minutes",
            "one and a half hours",
            "1 hour 30 minutes",
            "1½ hours",
            "1h30",
        ],
    ),
    (HOUR_AND_HALF, CONTRADICTED, ["an hour", "2.5 hours", "half an hour"]),
]


@pytest.mark.parametrize("shown", ["10:00:00", "2026-12-25T10:00", "10:00Z", "05:00"])
def test_a_time_in_the_form_of_24_hours_is_no_later_one(shown: str) -> None:
    hour = int(shown.split("T")[-1][:2])
    assert Time(datetime.time(hour)).read(shown) is STATED
    assert Time(datetime.time(hour + 12)).read(shown) is CONTRADICTED
    assert Time(datetime.time(hour + 12)).read(f"{hour}:00") is STATED


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


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
