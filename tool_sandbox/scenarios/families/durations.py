"""How long something takes, has taken or will take, in hours, minutes and seconds."""

import datetime
from collections.abc import Callable, Generator
from typing import Any

from tool_sandbox.answers.facts import Derived, Duration
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.steps import read_clock
from tool_sandbox.scenarios.vocabulary import Node, Task, answer, call, called, say
from tool_sandbox.scenarios.world import Note, World
from tool_sandbox.world.script import Solution, Step

TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

SPLIT = "seconds_to_hours_minutes_seconds"

Finding = Callable[[], Generator[Step, Any, float]]
"""Finds out a length of time, in seconds."""

TO_THE_SECOND = datetime.timedelta(seconds=1)


def _spelled_out(request: str, tools: list[str], evidence: Node, length: Duration, find: Finding) -> Task:
    """Tells a length of time that has to be found out."""

    def solution() -> Solution:
        seconds = yield from find()
        parts = yield call(SPLIT, seconds=seconds)
        yield say(f"It is {parts['hour']} hours, {parts['minute']} minutes and {parts['second']} seconds.")

    return Task(user=request, tools=[*tools, SPLIT], milestones=[evidence, answer(length)], solution=solution)


def _until(moment: float) -> Duration:
    """The time that is left, counted from when the agent read the clock."""
    return Duration(Derived("get_current_timestamp", scale=-1.0, offset=moment), TO_THE_SECOND)


@scenario(UNIT_CHAIN)
def convert_seconds_to_hours_minutes_seconds(world: World) -> Task:
    """Convert a number of seconds into hours, minutes and seconds."""
    seconds = world.integer(9874, 4000, 40000)

    def find() -> Generator[Step, Any, float]:
        yield from ()
        return seconds

    request = world.phrase(
        f"The stopwatch on my bike says {seconds} seconds. Convert that to hours, minutes and seconds with your tools.",
        f"Have the phone convert {seconds} seconds into hours, minutes and seconds.",
    )
    return _spelled_out(request, [], called(SPLIT, seconds=seconds), Duration(float(seconds), TO_THE_SECOND), find)


@scenario(TIME_ARITHMETIC, UNIT_CHAIN)
def find_time_until_next_reminder_in_hours_minutes_seconds(world: World) -> Task:
    """Tell how long it is until the next reminder, in hours, minutes and seconds."""
    world.reminders.pop()
    due_at = world.now + world.integer(4 * 3600 + 12 * 60 + 33, 2 * 3600, 9 * 3600)
    note = world.remind(world.choice(*pools.NEW_ERRANDS), due_at=due_at)

    def find() -> Generator[Step, Any, float]:
        now = yield call("get_current_timestamp")
        rows = yield call("search_reminder", reminder_timestamp_lowerbound=now)
        row = min(rows, key=lambda row: row["reminder_timestamp"])
        left = yield call("timestamp_diff", timestamp_0=now, timestamp_1=row["reminder_timestamp"])
        return float(left["seconds"])

    request = world.phrase(
        "How long is it until my next reminder, in hours, minutes and seconds?",
        "In how many hours, minutes and seconds does the next reminder come up?",
    )
    tools = ["get_current_timestamp", "search_reminder", "timestamp_diff"]
    evidence = found("search_reminder", reminder_id=note.reminder_id)
    return _spelled_out(request, tools, evidence, _until(due_at), find)


@scenario(TIME_ARITHMETIC, UNIT_CHAIN)
def find_time_since_text_in_hours_minutes_seconds(world: World) -> Task:
    """Tell how long ago a friend, who wrote twice, wrote last, in hours, minutes and seconds."""
    friend, ago = world.friend, world.integer(3 * 3600 + 25 * 60 + 41, 2 * 3600, 9 * 3600)
    world.receive(friend, world.choice(*pools.SHORT_TEXTS), minutes_ago=ago / 60 + 95)
    message = world.receive(friend, world.choice(*pools.QUESTIONS), minutes_ago=ago / 60)

    def find() -> Generator[Step, Any, float]:
        [person] = yield call("search_contacts", name=friend.name)
        rows = yield call("search_messages", sender_person_id=person["person_id"])
        sent_at = max(row["creation_timestamp"] for row in rows)
        now = yield call("get_current_timestamp")
        passed = yield call("timestamp_diff", timestamp_0=sent_at, timestamp_1=now)
        return float(passed["seconds"])

    request = world.phrase(
        f"How long ago did {friend.name} last text me, in hours, minutes and seconds?",
        f"How many hours, minutes and seconds have passed since the last text from {friend.name}?",
    )
    tools = ["get_current_timestamp", "search_contacts", "search_messages", "timestamp_diff"]
    evidence = found("search_messages", message_id=message.message_id)
    since = Duration(Derived("get_current_timestamp", offset=-message.sent_at), TO_THE_SECOND)
    return _spelled_out(request, tools, evidence, since, find)


@scenario(TIME_ARITHMETIC, UNIT_CHAIN)
def find_time_between_two_reminders_in_hours_minutes_seconds(world: World) -> Task:
    """Tell how much time lies between two reminders of tomorrow, in hours, minutes and seconds."""
    tomorrow, minute = world.in_days(1), world.integer(12, 1, 59)
    first = world.remind(world.choice(*pools.NEW_ERRANDS[:3]), due_at=world.at(tomorrow, 9, minute))
    second = world.remind(
        world.choice(*pools.NEW_ERRANDS[3:]), due_at=world.at(tomorrow, world.integer(17, 11, 20), 40)
    )

    def due_time(note: Note) -> Generator[Step, Any, float]:
        rows = yield call("search_reminder", content=note.content)
        return next(float(row["reminder_timestamp"]) for row in rows if row["content"] == note.content)

    def find() -> Generator[Step, Any, float]:
        begin = yield from due_time(first)
        end = yield from due_time(second)
        difference = yield call("timestamp_diff", timestamp_0=begin, timestamp_1=end)
        return float(difference["seconds"])

    request = world.phrase(
        f'How much time is there between my reminders "{first.content}" and "{second.content}", in hours, minutes and '
        "seconds?",
        f'How many hours, minutes and seconds after "{first.content}" is the reminder "{second.content}" due?',
    )
    evidence = found("search_reminder", reminder_id=second.reminder_id)
    length = Duration(second.due_at - first.due_at, TO_THE_SECOND)
    return _spelled_out(request, ["search_reminder", "timestamp_diff"], evidence, length, find)


@scenario(TIME_ARITHMETIC, UNIT_CHAIN, today="12-31")
def find_time_until_new_year_in_hours_minutes_seconds(world: World) -> Task:
    """Tell on New Year's Eve how long it is until midnight, in hours, minutes and seconds."""
    starts = world.at(world.in_days(1), 0)

    def find() -> Generator[Step, Any, float]:
        moment = yield from read_clock()
        holiday = {"holiday_name": "New Year's Day", "year": moment.today.year + 1}
        midnight = yield call("search_holiday", **holiday)
        left = yield call("timestamp_diff", timestamp_0=moment.timestamp, timestamp_1=midnight)
        return float(left["seconds"])

    request = world.phrase(
        "How many hours, minutes and seconds are left until New Year's Day begins?",
        "When can I open the champagne? Tell me the time left until the new year in hours, minutes and seconds.",
    )
    tools = ["get_current_timestamp", "timestamp_to_datetime_info", "search_holiday", "timestamp_diff"]
    return _spelled_out(request, tools, called("get_current_timestamp"), _until(starts), find)
