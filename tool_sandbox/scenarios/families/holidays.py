"""When a holiday is, and how long it takes until then."""

import datetime

from tool_sandbox.answers.facts import Absent, AnyNumber, AnyOf, Date, Fact, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Near, Nothing, SameWords
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    NOT_FOUND,
    REMINDER,
    TOOL_MISSING,
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World, weekday_in
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

TOOLS = ("get_current_timestamp", "search_holiday", "timestamp_diff")
CLOCKS = (
    "get_current_timestamp",
    "add_reminder",
    "modify_reminder",
    "send_message_with_phone_number",
    "search_location_around_lat_lon",
    "search_weather_around_lat_lon",
    "search_stock",
    "search_messages",
    "search_reminder",
)
"""Tools from which the current time can be read or guessed: the clock, and whatever stamps what it writes or finds."""

RADIO_TOOLS = ("get_wifi_status", "set_wifi_status")

CHATTY = (
    "I can hardly wait for {holiday}! How many more days do I have to be patient?",
    "{holiday} is my favourite. In how many days is it?",
)


def without_clock(task: str | None = None) -> Fact:
    """The fact that something cannot be done, because nothing tells the current time."""
    return cannot(TOOL_MISSING, INFORMATION_MISSING, about=("today", "date", "time", "clock"), task=task)


def fourth_thursday(year: int) -> datetime.date:
    """The date of Thanksgiving."""
    november = datetime.date(year, 11, 1)
    return november + datetime.timedelta(days=(4 - november.isoweekday()) % 7 + 21)


@scenario()
def find_thanksgiving_timestamp(world: World) -> Task:
    """Give the POSIX time of a named US holiday."""
    starts = world.at(fourth_thursday(world.today.year), 0)

    def solution() -> Solution:
        timestamp = yield call("search_holiday", holiday_name="Thanksgiving Day")
        yield say(f"Thanksgiving starts at POSIX timestamp {timestamp:.0f}.")

    return Task(
        user=world.phrase(
            f"What is the POSIX timestamp of the start of Thanksgiving {world.today.year}?",
            f"Give me Thanksgiving {world.today.year} as a Unix timestamp, at midnight.",
        ),
        tools=["search_holiday"],
        milestones=[called("search_holiday").returning(Near(starts, 1.0)), answer(Number(starts))],
        solution=solution,
    )


def _countdown(world: World, *user: str, holiday: tuple[str, int, int], tells_date: bool = False) -> Task:
    """Counts the days until the next occurrence of a holiday; the date comes first where the user asks for it.

    Full days and begun days are both right: at ten in the morning, the day after tomorrow is "one day
    and fourteen hours" or "in two days".
    """
    name, month, day = holiday
    next_one = world.today.replace(month=month, day=day)
    if next_one <= world.today:
        next_one = next_one.replace(year=next_one.year + 1)
    starts = world.at(next_one, 0)
    full_days = int((starts - world.now) // 86400)
    wifi_off = world.state == "wifi_off"

    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        if wifi_off:
            yield call("set_wifi_status", on=True)
        timestamp = yield call("search_holiday", holiday_name=name, year=next_one.year)
        if tells_date:
            yield say(f"{name} is on {world.local(timestamp):%B %d, %Y}.")
        difference = yield call("timestamp_diff", timestamp_0=now, timestamp_1=timestamp)
        yield say(f"There are {difference['days']} full days left until {name}.")

    return Task(
        user=user,
        tools=(*TOOLS, *RADIO_TOOLS) if wifi_off else TOOLS,
        milestones=[
            called("search_holiday").returning(Near(starts, 1.0)),
            *([answer_for_now(Date(next_one, reference=world.today, zone=world.zone))] if tells_date else []),
            answer(Number(full_days + 0.5, unit="day", tolerance=0.5)),
        ],
        allowed=[setting(wifi=True)] if wifi_off else [],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def find_days_till_holiday(world: World) -> Task:
    """Count the days from today to a named holiday."""
    holiday = world.holiday()
    request = world.phrase(f"How many days is it till {holiday[0]}?", f"How many days are left until {holiday[0]}?")
    return _countdown(world, request, holiday=holiday)


@scenario(CANONICALIZATION, variant=1)
def find_days_till_holiday_alt(world: World) -> Task:
    """Count the days until a named holiday, asked in a chatty way."""
    holiday = world.holiday()
    request = world.phrase(*CHATTY).format(holiday=holiday[0])
    return _countdown(world, request, holiday=holiday)


@scenario(CANONICALIZATION, state="wifi_off")
def find_days_till_holiday_wifi_off(world: World) -> Task:
    """Count the days to a holiday; the lookup needs wireless, which is off."""
    holiday = world.holiday()
    request = world.phrase(f"How many days is it till {holiday[0]}?", f"How many days are left until {holiday[0]}?")
    return _countdown(world, request, holiday=holiday)


@scenario(CANONICALIZATION, state="wifi_off", variant=1)
def find_days_till_holiday_wifi_off_alt(world: World) -> Task:
    """Count the days to a holiday, asked in a chatty way, with wireless off at the start."""
    holiday = world.holiday()
    request = world.phrase(
        f"I am already planning for {holiday[0]}! Tell me how many days I still have.",
        f"Everybody here talks about {holiday[0]}. How many days do we have to wait for it?",
    )
    return _countdown(world, request, holiday=holiday)


def _date_then_countdown(world: World) -> Task:
    """Asks for the date of a holiday, then for the days until then."""
    holiday = world.holiday()
    first = world.phrase(f"When is the next {holiday[0]}?", f"On which date is the next {holiday[0]}?")
    return _countdown(world, first, "How many days is that from now?", holiday=holiday, tells_date=True)


@scenario(CANONICALIZATION, variant=2)
def find_days_till_holiday_multiple_user_turn(world: World) -> Task:
    """First ask when a holiday is, then how many days remain."""
    return _date_then_countdown(world)


@scenario(CANONICALIZATION, state="wifi_off", variant=2)
def find_days_till_holiday_wifi_off_multiple_user_turn(world: World) -> Task:
    """First ask when a holiday is, then how many days remain, with wireless off at the start."""
    return _date_then_countdown(world)


@scenario(CANONICALIZATION, today="12-28")
def find_days_till_holiday_already_passed_this_year(world: World) -> Task:
    """Count down to a holiday that was three days ago."""
    request = world.phrase("How many days is it till Christmas Day?", "How many days are left until Christmas Day?")
    return _countdown(world, request, holiday=pools.HOLIDAYS[0])


def _countdown_without_clock(name: str, request: str) -> Task:
    """Asks for the days until a holiday when nothing tells what day it is."""
    return Task(
        user=request,
        tools=["search_holiday", "timestamp_diff"],
        denied=CLOCKS,
        milestones=[answer(without_clock(), Absent(AnyOf(AnyNumber("day"))))],
        solution=[say(f"I cannot count the days until {name}: I have no way to find out the current date.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="find_days_till_holiday")
def find_days_till_holiday_insufficient_information(world: World) -> Task:
    """Count the days to a holiday without access to the current time."""
    name = world.holiday()[0]
    request = world.phrase(f"How many days is it till {name}?", f"How many days are left until {name}?")
    return _countdown_without_clock(name, request)


@scenario(INSUFFICIENT_INFORMATION, twin="find_days_till_holiday_alt", variant=1)
def find_days_till_holiday_insufficient_information_alt(world: World) -> Task:
    """Count the days to a holiday, asked in a chatty way, without access to the current time."""
    name = world.holiday()[0]
    request = world.phrase(*CHATTY).format(holiday=name)
    return _countdown_without_clock(name, request)


def _noon_on(world: World, name: str, *outcome: Node) -> Task:
    """Wants a reminder at noon on a holiday of this year."""

    def solution() -> Solution:
        midnight = yield call("search_holiday", holiday_name=name)
        if midnight is None:
            yield say(f"I could not find a holiday called {name}, so I set no reminder.")
            return
        noon = yield call("shift_timestamp", timestamp=midnight, hours=12)
        yield call("add_reminder", content="Call home", reminder_timestamp=noon)
        yield say(f"I will remind you at noon on {name} to call home.")

    return Task(
        user=world.phrase(
            f"Remind me at noon on {name} this year to call home.",
            f"On {name} this year, at noon, remind me to call home.",
        ),
        tools=["search_holiday", "shift_timestamp", "add_reminder"],
        milestones=outcome,
        solution=solution,
    )


@scenario(TIME_ARITHMETIC, today=weekday_in(3))
def add_reminder_on_holiday(world: World) -> Task:
    """Set a reminder at noon on a holiday."""
    name, month, day = world.choice(*(holiday for holiday in pools.HOLIDAYS if holiday[1] > world.today.month))
    noon = Near(world.at(datetime.date(world.today.year, month, day), 12), 1.0)
    return _noon_on(world, name, added(REMINDER, content=SameWords("Call home", extra=6), reminder_timestamp=noon))


@scenario(INSUFFICIENT_INFORMATION, today=weekday_in(3), twin="add_reminder_on_holiday")
def add_reminder_unknown_holiday_insufficient_information(world: World) -> Task:
    """Set a reminder on a holiday that the lookup does not know."""
    name = world.choice("Lantern Lighting Eve", "Old Harbor Remembrance", "Founders Kite Festival")
    unknown = called("search_holiday", holiday_name=SameWords(name, extra=1)).returning(Nothing())
    return _noon_on(world, name, unknown, answer(cannot(NOT_FOUND, about=(name, "holiday", "date"), task="set")))
