"""Reminders with an "if": on a day that is free, of what is overdue."""

import datetime
from collections.abc import Generator
from typing import Any

from tool_sandbox.answers.facts import Done, NotDone, Quote
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found, premature, would_find
from tool_sandbox.scenarios.families.reminder_creation import due_reminder, lower_first, spoken_date, spoken_hour
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import REMINDER, Task, answer, call, called, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, Step

CONDITIONAL = ScenarioCategories.CONDITIONAL
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

CLOCK_TOOLS = ("get_current_timestamp", "timestamp_to_datetime_info", "datetime_info_to_timestamp")


def tomorrow_at(hour: int) -> Generator[Step, Any, float]:
    """Reads the clock; returns the POSIX time of a full hour of tomorrow."""
    moment = yield from read_clock()
    timestamp: float = yield due(moment.today + datetime.timedelta(days=1), hour)
    return timestamp


# A free day ------------------------------------------------------------------------------------------------------


def _on_a_free_day(world: World, *, taken: bool) -> Task:
    """Writes a reminder for a day on which nothing is due yet."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 9, 20)
    date = world.in_days(world.integer(4, 3, 9))
    plan = world.choice("Walk the neighbours' dog", "Return the borrowed tent", "Tune the old guitar")
    existing = world.remind(plan, due_at=world.at(date if taken else date + datetime.timedelta(days=1), 10))
    written = {"creation_timestamp": world.now - 60}
    moments = (world.at(date, 0, 5), world.at(date, 23, 55))
    looked = would_find("search_reminder", *(written | {"reminder_timestamp": moment} for moment in moments))
    goal = due_reminder(content, world.at(date, hour))
    busy = [
        found("search_reminder", reminder_id=existing.reminder_id),
        answer(NotDone(("added", "set"), ("reminder", "list", content)), Quote(plan)),
    ]

    def solution() -> Solution:
        moment = yield from read_clock()
        day = moment.today + (date - world.today)
        midnight, timestamp = yield [due(day, 0), due(day, hour)]
        bounds = {"reminder_timestamp_lowerbound": midnight, "reminder_timestamp_upperbound": midnight + 86399}
        rows = yield call("search_reminder", **bounds)
        if rows:
            yield say(f'I did not add the reminder, because there is already one that day: "{rows[0]["content"]}".')
        else:
            yield call("add_reminder", content=content, reminder_timestamp=timestamp)
            yield say(f"The day is free, so I have set the reminder for {spoken_hour(hour)}.")

    return Task(
        user=world.phrase(
            f"Remind me on {spoken_date(date)} at {spoken_hour(hour)} to {lower_first(content)}, but only if I have no "
            "other reminder on that day. If I have one, add nothing and tell me what it is.",
            f"Is there any reminder on {spoken_date(date)} yet? If there is, tell me what it says and leave it at "
            f"that. If not, set one for {spoken_hour(hour)}: {lower_first(content)}.",
        ),
        tools=[*CLOCK_TOOLS, "search_reminder", "add_reminder"],
        milestones=busy if taken else [looked, goal, answer(Done("set", ("reminder", content)))],
        never=[] if taken else [premature(goal, looked)],
        solution=solution,
    )


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def add_reminder_if_none_that_day_conditional_true(world: World) -> Task:
    """Add a reminder only if the day is still free, which it is; the next day is not."""
    return _on_a_free_day(world, taken=False)


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def add_reminder_if_none_that_day_conditional_false(world: World) -> Task:
    """Add a reminder only if the day is still free, which it is not."""
    return _on_a_free_day(world, taken=True)


# Overdue or not --------------------------------------------------------------------------------------------------


def _overdue_only(world: World, *, overdue: bool) -> Task:
    """Deletes reminders of one name whose time has passed; one of that name is still ahead."""
    content = world.choice("Bring back the ladder", "Sign the school form", "Change the air filter")
    minutes = world.integer(20, 10, 50)
    ahead = world.remind(content, due_at=world.now + 60 * (90 - minutes))
    if overdue:
        past = world.remind(content, due_at=world.now - 60 * minutes)
        outcome = [removed(REMINDER, reminder_id=past.reminder_id), answer(Done("removed", ("reminder", content)))]
    else:
        outcome = [
            found("search_reminder", reminder_id=ahead.reminder_id).named("row"),
            called("get_current_timestamp").after().named("clock"),
            answer(NotDone("removed", ("reminder", content))).after("row", "clock"),
        ]

    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        rows = yield call("search_reminder", content=content)
        late = [row for row in rows if row["content"] == content and row["reminder_timestamp"] < now]
        for row in late:
            yield call("remove_reminder", reminder_id=row["reminder_id"])
        if late:
            yield say("I removed the reminder that was overdue and kept the one that is still ahead.")
        else:
            yield say("I did not remove the reminder, because its time has not come yet.")

    return Task(
        user=world.phrase(
            f'Delete my reminder "{content}" if its time has already passed. Should I have it more than once, keep '
            "those that are still ahead.",
            f'Whatever is overdue of "{content}" can go from my reminders. Leave it if it is still to come.',
        ),
        tools=["get_current_timestamp", "search_reminder", "timestamp_diff", "remove_reminder"],
        milestones=outcome,
        solution=solution,
    )


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def remove_reminder_only_if_past_due_conditional(world: World) -> Task:
    """Delete a named reminder only if its time has passed; another one of that name is still ahead."""
    return _overdue_only(world, overdue=True)


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def remove_reminder_only_if_past_due_conditional_false(world: World) -> Task:
    """Delete a named reminder only if its time has passed, which it has not."""
    return _overdue_only(world, overdue=False)
