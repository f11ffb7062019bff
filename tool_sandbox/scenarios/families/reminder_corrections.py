"""Reminders at an hour that the user corrects: before it is saved, after that, or in the same breath."""

import datetime
from collections.abc import Generator
from typing import Any

import attrs

from tool_sandbox.answers.facts import Done
from tool_sandbox.conversation.execution_context import ExecutionContext, ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.checks import Changed
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.reminder_creation import due_reminder, lower_first, spoken_hour
from tool_sandbox.scenarios.matchers import Near, OneOf, SameWords
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import REMINDER, Node, Task, added, answer, asked, call, called, say, told
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows, Solution, Step

DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
GOAL_CHANGE = ScenarioCategories.GOAL_CHANGE
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

CLOCK_TOOLS = ("get_current_timestamp", "timestamp_to_datetime_info", "datetime_info_to_timestamp", "add_reminder")


@attrs.frozen
class OnlyAdded(Changed):
    """Reminders were added, and in the end no other one is new."""

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index`` and at the end, else 0.0."""
        moments = (context.first_user_sandbox_message_index, context.max_sandbox_message_index)
        start, end = (set(context.get_table(REMINDER, moment).column("reminder_id")) for moment in moments)
        return super().__call__(context=context, index=index) * (len(end - start) == self.count)


def _alone(node: Node) -> Node:
    """The same new reminder, with no other one beside it in the end."""
    return attrs.evolve(node, check=OnlyAdded(**attrs.asdict(node.check, recurse=False)))


def _tomorrow(hour: int) -> Generator[Step, Any, float]:
    """Finds the timestamp of an hour of tomorrow."""
    moment = yield from read_clock()
    timestamp: float = yield due(moment.today + datetime.timedelta(days=1), hour)
    return timestamp


@scenario(GOAL_CHANGE, TIME_ARITHMETIC)
def add_reminder_time_changed_before_creation_multiple_user_turn(world: World) -> Task:
    """Correct the hour when the reminder is read back, before anything was saved."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 19)
    first, second = spoken_hour(hour), spoken_hour(hour + 1)
    change = world.phrase(f"Make it {second} instead. Then save it.", f"No, better at {second}. Save it like that.")

    def solution() -> Solution:
        yield say(f'"{content}", tomorrow at {first}. Shall I save it like that?')
        timestamp = yield from _tomorrow(hour + 1)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"The reminder is set for tomorrow at {second}.")

    request = f"Remind me to {lower_first(content)} tomorrow at {first}. Read it back to me before you save it."
    return Task(
        user=(request, change),
        knows={r".": change},
        tools=CLOCK_TOOLS,
        milestones=[
            told(rf"\b{content.split()[-1]}\b"),
            called("add_reminder"),
            due_reminder(content, world.at(world.in_days(1), hour + 1)),
            answer(Done("set")),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE, TIME_ARITHMETIC)
def add_reminder_time_changed_after_creation_multiple_user_turn(world: World) -> Task:
    """Correct the hour after the reminder was saved; changing and replacing it are both right."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 19)
    first, second = (world.at(world.in_days(1), each) for each in (hour, hour + 1))

    def solution() -> Solution:
        timestamp = yield from _tomorrow(hour)
        reminder_id = yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"The reminder is set for tomorrow at {spoken_hour(hour)}.")
        timestamp = yield from _tomorrow(hour + 1)
        yield call("modify_reminder", reminder_id=reminder_id, reminder_timestamp=timestamp)
        yield say(f"It has been moved to {spoken_hour(hour + 1)}.")

    either = OneOf((Near(first, 1.0), Near(second, 1.0)))
    return Task(
        user=(
            f"Remind me to {lower_first(content)} tomorrow at {spoken_hour(hour)}.",
            world.phrase(f"Sorry, I meant {spoken_hour(hour + 1)}.", f"Wait, it has to be {spoken_hour(hour + 1)}."),
        ),
        tools=[*CLOCK_TOOLS, "search_reminder", "modify_reminder", "remove_reminder"],
        milestones=[
            due_reminder(content, first).passing(),
            _alone(due_reminder(content, second)),
            answer(Done("moved")),
        ],
        allowed=[added(REMINDER, content=SameWords(content, extra=3), reminder_timestamp=either)],
        solution=solution,
    )


@scenario(GOAL_CHANGE, DISAMBIGUATION)
def add_reminder_contradictory_times_in_one_sentence_multiple_user_turn(world: World) -> Task:
    """State two incompatible hours in one sentence; the right one comes when asked."""
    content, early, late = world.choice(*pools.NEW_ERRANDS), world.integer(9, 7, 11), world.integer(18, 14, 21)
    hour, tomorrow, task = world.choice(late, early), world.in_days(1), lower_first(content)

    def solution() -> Solution:
        yield say(f"Do you want to be reminded at {spoken_hour(early)} or at {spoken_hour(late)}?")
        timestamp = yield from _tomorrow(hour)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"The reminder is set for tomorrow at {spoken_hour(hour)}.")

    which = rf"which|\bwhen\b|\btimes?\b|hour|\bor\b|mean|\b{early}\b|\b{(late - 1) % 12 + 1}\b|\b{late}\b"
    return Task(
        user=world.phrase(
            f"I need one reminder to {task} at {spoken_hour(early)} tomorrow: it has to ring at {spoken_hour(late)}.",
            f"Tomorrow at {spoken_hour(late)} I have to {task}; remind me exactly then, at {spoken_hour(early)}.",
        ),
        knows=(Knows(which, f"Oh, I mixed that up. {spoken_hour(hour)} is right.", decides=True),),
        tools=CLOCK_TOOLS,
        milestones=[
            asked(which),
            due_reminder(content, world.at(tomorrow, hour)),
            answer(Done("set")),
        ],
        solution=solution,
    )
