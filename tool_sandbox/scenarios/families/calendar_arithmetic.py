"""Dates and times that have to be worked out: changes of clocks, other zones, ends of months, leap days, midnight."""

import calendar
import datetime
from collections.abc import Callable, Generator
from typing import Any

from tool_sandbox.answers.facts import Absent, Entity, Listing, Number, Quote, Weekday
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.families.reminder_creation import ASKS_CONTENT, lower_first, spoken_date, spoken_hour
from tool_sandbox.scenarios.matchers import Near, SameWords
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import REMINDER, Task, added, answer, call, called, say
from tool_sandbox.scenarios.world import (
    Person,
    TextMessage,
    World,
    eve_of_autumn_change,
    eve_of_spring_change,
    weekday_in,
)
from tool_sandbox.world.script import Solution, Step

TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
CANONICALIZATION = ScenarioCategories.CANONICALIZATION

CALENDAR_TOOLS = ("get_current_timestamp", "timestamp_to_datetime_info", "datetime_info_to_timestamp")

DAY = 86400.0

CONVERSATION = 150.0
"""Seconds that a conversation takes at most, and by which a time of day may be rounded."""

Finding = Callable[[], Generator[Step, Any, float]]
"""Finds out a point in time, as POSIX seconds."""


def _reminded(
    request: str,
    content: str,
    due_at: Near,
    find: Finding,
    *,
    shifts: bool = False,
    knows: dict[str, str] | None = None,
) -> Task:
    """Writes one reminder at a time that has to be worked out."""

    def solution() -> Solution:
        timestamp = yield from find()
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"I have set the reminder: {content}.")

    return Task(
        user=request,
        knows=knows or {},
        tools=[*CALENDAR_TOOLS, "add_reminder", *(["shift_timestamp"] if shifts else [])],
        milestones=[added(REMINDER, content=SameWords(content, extra=10), reminder_timestamp=due_at)],
        solution=solution,
    )


def _on_date(world: World, request: str, content: str, date: datetime.date, hour: int) -> Task:
    """Writes one reminder at a full hour on the clock of the device, on a date that has to be worked out."""

    def find() -> Generator[Step, Any, float]:
        moment = yield from read_clock()
        timestamp: float = yield due(moment.today + (date - world.today), hour)
        return timestamp

    wish = request.format(content=lower_first(content), hour=spoken_hour(hour))
    return _reminded(wish, content, Near(world.at(date, hour), 1.0), find)


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today=eve_of_spring_change)
def add_reminder_same_wall_time_across_dst_start(world: World) -> Task:
    """Create a reminder for tomorrow at a given hour; tonight the clocks go forward."""
    request = world.phrase(
        "Remind me to {content} tomorrow at {hour}.", "I have to {content} tomorrow, {hour}. Set a reminder."
    )
    return _on_date(world, request, world.choice(*pools.NEW_ERRANDS), world.in_days(1), world.integer(9, 8, 20))


@scenario(TIME_ARITHMETIC, today=eve_of_autumn_change)
def add_reminder_in_24_hours_across_dst_end(world: World) -> Task:
    """Create a reminder in exactly 24 hours; tonight the clocks go back."""
    content = world.choice("Take the next antibiotic tablet", "Take the bread dough out", "Change the wound dressing")

    def find() -> Generator[Step, Any, float]:
        now = yield call("get_current_timestamp")
        timestamp: float = yield call("shift_timestamp", timestamp=now, hours=24)
        return timestamp

    request = world.phrase(
        f"Remind me to {lower_first(content)} in exactly 24 hours.",
        f"Exactly 24 hours from now I must {lower_first(content)}. Set a reminder.",
    )
    return _reminded(request, content, Near(world.now + DAY, CONVERSATION), find, shifts=True)


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today=weekday_in(1))
def add_reminder_meeting_in_other_zone(world: World) -> Task:
    """Create a reminder of a meeting whose time is given on clocks that are some hours ahead."""
    content = f"Call {world.choice('the office abroad', 'the overseas warehouse', 'our partners abroad')}"
    hour, ahead = world.integer(10, 6, 18), world.integer(9, 5, 12)
    date = world.in_days(world.integer(4, 2, 15))

    def find() -> Generator[Step, Any, float]:
        here = yield due(date, hour)
        timestamp: float = yield call("shift_timestamp", timestamp=here, hours=-ahead)
        return timestamp

    there = f"on {spoken_date(date)} at {spoken_hour(hour)} their time"
    request = world.phrase(
        f"I have to {lower_first(content)} {there}; their clocks are {ahead} hours ahead of mine. "
        "Set a reminder for that moment.",
        f"Remind me to {lower_first(content)} {there}. It is always {ahead} hours later there than here.",
    )
    return _reminded(request, content, Near(world.at(date, hour) - ahead * 3600.0, 1.0), find, shifts=True)


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today=weekday_in(1))
def add_reminder_quarter_hour_zone_offset(world: World) -> Task:
    """Create a reminder of a call whose time is given in a zone that is not a whole number of hours away."""
    city, minutes = world.choice(("Kathmandu", 345), ("the Chatham Islands", 765), ("Eucla", 525))
    content, hour = f"Call my guide in {city}", world.integer(18, 8, 20)
    date = world.in_days(world.integer(5, 2, 15))

    def find() -> Generator[Step, Any, float]:
        moment = yield from read_clock()
        local = calendar.timegm(moment.local.timetuple())
        here = yield due(date, hour)
        behind = minutes - round((local - moment.timestamp) / 60)
        timestamp: float = yield call("shift_timestamp", timestamp=here, minutes=-behind)
        return timestamp

    offset = f"UTC+{minutes // 60}:{minutes % 60:02}"
    request = world.phrase(
        f"On {spoken_date(date)} at {spoken_hour(hour)} local time in {city} ({offset}) I have to call my guide in "
        f"{city}. Set a reminder for that very moment.",
        f"Remind me to call my guide in {city} on {spoken_date(date)} at {spoken_hour(hour)} their time. It is {offset}"
        " there.",
    )
    zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    due_at = datetime.datetime.combine(date, datetime.time(hour), zone).timestamp()
    return _reminded(request, content, Near(due_at, 1.0), find, shifts=True)


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today="01-31")
def add_reminder_last_day_of_next_month(world: World) -> Task:
    """Create a reminder for the last day of next month, asked for on 31 January."""
    content = world.choice("Pay the rent", "Send in the time sheet", "Cancel the gym membership")
    request = world.phrase(
        "Remind me to {content} on the last day of next month at {hour}.",
        "At {hour} on the last day of next month I have to {content}. Set a reminder.",
    )
    march = datetime.date(world.today.year, 3, 1)
    return _on_date(world, request, content, march - datetime.timedelta(days=1), world.integer(12, 8, 20))


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today=weekday_in(3, month=10))
def add_reminder_next_leap_day(world: World) -> Task:
    """Create a reminder on the next 29 February."""
    person = world.choice(world.friend, world.other_friend).first_name
    year = next(year for year in range(world.today.year + 1, 2040) if calendar.isleap(year))
    request = world.phrase(
        "Remind me to {content} on the next 29th of February at {hour}.",
        "On the very next leap day, {hour}, I have to {content}. Set a reminder.",
    )
    content = f"Congratulate {person}"
    return _on_date(world, request, content, datetime.date(year, 2, 29), world.integer(9, 8, 20))


@scenario(TIME_ARITHMETIC, CANONICALIZATION, time="23:59")
def add_reminder_tomorrow_asked_just_before_midnight(world: World) -> Task:
    """Ask before midnight for a reminder tomorrow; what for comes on request, when it is past midnight."""
    world.now += 50.0
    content, hour, date = world.choice(*pools.NEW_ERRANDS), world.integer(7, 6, 11), world.in_days(1)

    def find() -> Generator[Step, Any, float]:
        yield say("What shall I remind you of?")
        moment = yield from read_clock()
        days = 0 if moment.local.hour < 12 else 1
        timestamp: float = yield due(moment.today + datetime.timedelta(days=days), hour)
        return timestamp

    request = world.phrase(
        f"It is a few seconds to midnight, so let's be quick: I need a reminder for tomorrow, {spoken_hour(hour)}.",
        f"Set a reminder for tomorrow at {spoken_hour(hour)} before I fall asleep, it is almost midnight.",
    )
    knows = {ASKS_CONTENT: f"That I have to {lower_first(content)}."}
    return _reminded(request, content, Near(world.at(date, hour), 1.0), find, knows=knows)


@scenario(TIME_ARITHMETIC)
def find_weekday_of_future_date(world: World) -> Task:
    """Tell which weekday a date falls on."""
    date = world.in_days(world.integer(400, 60, 900))

    def solution() -> Solution:
        timestamp = yield due(date, 12)
        info = yield call("timestamp_to_datetime_info", timestamp=timestamp)
        yield say(f"{spoken_date(date)} is a {calendar.day_name[info['isoweekday'] - 1]}.")

    return Task(
        user=world.phrase(
            f"Which weekday is {spoken_date(date)}? Please look it up instead of working it out in your head.",
            f"My wedding is on {spoken_date(date)}. Check on this phone's clock which day of the week that is.",
        ),
        tools=["datetime_info_to_timestamp", "timestamp_to_datetime_info"],
        milestones=[
            called("timestamp_to_datetime_info", timestamp=Near(world.at(date, 12), DAY / 2)),
            answer(Weekday(f"{date:%A}")),
        ],
        solution=solution,
    )


def _yesterday(world: World, person: Person, content: str, hour: int, minute: int) -> TextMessage:
    sent_at = world.at(world.in_days(-1), hour, minute)
    return world.receive(person, content, minutes_ago=(world.now - sent_at) / 60.0)


@scenario(TIME_ARITHMETIC)
def search_message_between_two_local_hours_yesterday(world: World) -> Task:
    """Tell who wrote what between two hours of yesterday; others wrote shortly before and after."""
    hour, minute = world.integer(14, 9, 18), world.integer(25, 5, 50)
    texts = world.choice(pools.SHORT_TEXTS, pools.QUESTIONS)
    early = _yesterday(world, world.boss, texts[1], hour - 1, minute)
    first = _yesterday(world, world.friend, texts[0], hour, minute)
    second = _yesterday(world, world.other_friend, texts[2], hour + 1, minute)
    late = _yesterday(world, world.friend, texts[3], hour + 2, minute)

    def solution() -> Solution:
        moment = yield from read_clock()
        day = moment.today - datetime.timedelta(days=1)
        begin, end = yield [due(day, hour), due(day, hour + 2)]
        rows = yield call("search_messages", creation_timestamp_lowerbound=begin, creation_timestamp_upperbound=end)
        people = yield [call("search_contacts", person_id=row["sender_person_id"]) for row in rows]
        said = [f'{person["name"]} wrote: "{row["content"]}"' for row, [person] in zip(rows, people, strict=True)]
        yield say(" ".join(said))

    names = [Entity(message.sender.name, aliases=message.sender.first_name) for message in (first, second)]
    between = f"between {spoken_hour(hour)} and {spoken_hour(hour + 2)}"
    return Task(
        user=world.phrase(
            f"Who texted me yesterday {between}, and what do those texts say?",
            f"Read me the texts that I got yesterday {between}, with the names of the senders.",
        ),
        tools=[*CALENDAR_TOOLS, "search_messages", "search_contacts"],
        milestones=[
            found("search_messages", message_id=first.message_id),
            answer(
                Listing([*names, Quote(first.content), Quote(second.content)]),
                Absent((Quote(early.content), Quote(late.content))),
            ),
        ],
        solution=solution,
    )


@scenario(TIME_ARITHMETIC, CANONICALIZATION, today=weekday_in(3, month=12))
def find_days_between_two_holidays_across_new_year(world: World) -> Task:
    """Count the days from a holiday in December to one in the January after it."""
    name, day = world.choice(("Christmas Day", 25), ("New Year's Eve", 31), ("Christmas Eve", 24))
    year, other = world.today.year, "Martin Luther King Jr. Day"
    first, second = datetime.date(year, 12, day), weekday_in(1, month=1)(year + 1) + datetime.timedelta(days=7)

    def solution() -> Solution:
        moment = yield from read_clock()
        begin = yield call("search_holiday", holiday_name=name, year=moment.today.year)
        end = yield call("search_holiday", holiday_name=other, year=moment.today.year + 1)
        difference = yield call("timestamp_diff", timestamp_0=begin, timestamp_1=end)
        yield say(f"{other} is {difference['days']} days after {name}.")

    return Task(
        user=world.phrase(
            f"How many days after this year's {name} is the next {other}?",
            f"From {name} this year, how many days does it take until {other} comes?",
        ),
        tools=["get_current_timestamp", "timestamp_to_datetime_info", "search_holiday", "timestamp_diff"],
        milestones=[
            called("search_holiday").returning(Near(world.at(second, 0), 1.0)),
            answer(Number((second - first).days, unit="day")),
        ],
        solution=solution,
    )
