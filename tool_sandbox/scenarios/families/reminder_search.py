"""Finding reminders by when they are due and when they were written."""

import itertools

from tool_sandbox.answers.facts import Absent, AnyOf, Listing, Quote
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import only
from tool_sandbox.scenarios.families.holidays import CLOCKS, without_clock
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.steps import read_clock
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import Note, World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

UPCOMING = ("What is my next upcoming reminder?", "Read me the reminder that comes up next.")
UPCOMING_IMPLICIT = ("Is there anything I still have to do later today?", "What's left on my list for today?")
YESTERDAY = ("Which reminder was due yesterday?", "What did yesterday's reminder say?")
YESTERDAY_IMPLICIT = (
    "Was there something I should have done yesterday?",
    "I slept through all of yesterday. What was it that I had to do?",
)
MADE_YESTERDAY = ("What does the reminder say that I made yesterday?", "Read me the one I wrote yesterday.")
MADE_YESTERDAY_IMPLICIT = (
    "Yesterday I told my phone to keep something in mind for me. What was it?",
    "What was the to-do I jotted down yesterday?",
)

TOOLS = ("search_reminder", "get_current_timestamp", "shift_timestamp", "timestamp_to_datetime_info")


def _found(world: World, note: Note, request: str, first_day: int, column: str = "reminder_timestamp") -> Task:
    """Reads out the one reminder with a time in a day, not all of them; of today only what is still ahead."""

    def solution() -> Solution:
        moment = yield from read_clock()
        begin = yield call("shift_timestamp", timestamp=moment.midnight, days=first_day)
        end = yield call("shift_timestamp", timestamp=moment.midnight, days=first_day + 1)
        lower = max(begin, moment.timestamp) if first_day == 0 else begin
        [row] = yield call("search_reminder", **{f"{column}_lowerbound": lower, f"{column}_upperbound": end})
        yield say(f'The reminder says: "{row["content"]}"')

    return Task(
        user=request,
        tools=TOOLS,
        milestones=[
            called("search_reminder").returning(HasRow({"reminder_id": note.reminder_id})),
            answer(
                only(note, world.reminders, elsewhere="today" if first_day else "yesterday"),
                Absent(Listing([Quote(each.content) for each in world.reminders])),
            ),
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def search_reminder_with_recency_upcoming(world: World) -> Task:
    """Read out the next reminder that is still ahead."""
    return _found(world, world.reminders[2], world.phrase(*UPCOMING), 0)


@scenario(CANONICALIZATION, variant=1)
def search_reminder_with_recency_upcoming_implicit(world: World) -> Task:
    """Read out the next reminder ahead, asked for as a later to-do."""
    return _found(world, world.reminders[2], world.phrase(*UPCOMING_IMPLICIT), 0)


@scenario(CANONICALIZATION)
def search_reminder_with_recency_yesterday(world: World) -> Task:
    """Read out the reminder that fell due yesterday."""
    return _found(world, world.reminders[0], world.phrase(*YESTERDAY), -1)


@scenario(CANONICALIZATION, variant=1)
def search_reminder_with_recency_yesterday_implicit(world: World) -> Task:
    """Read out the reminder that fell due yesterday, asked for as a past to-do."""
    return _found(world, world.reminders[0], world.phrase(*YESTERDAY_IMPLICIT), -1)


@scenario(CANONICALIZATION)
def search_reminder_with_creation_recency_yesterday(world: World) -> Task:
    """Read out the reminder that was created yesterday."""
    return _found(world, world.reminders[1], world.phrase(*MADE_YESTERDAY), -1, "creation_timestamp")


@scenario(CANONICALIZATION, variant=1)
def search_reminder_with_creation_recency_yesterday_implicit(world: World) -> Task:
    """Read out the reminder that was created yesterday, asked for as a to-do once written down."""
    return _found(world, world.reminders[1], world.phrase(*MADE_YESTERDAY_IMPLICIT), -1, "creation_timestamp")


def _undated(world: World, request: str) -> Task:
    """Asks for one reminder by its day when nothing tells what day it is.

    Reading out several reminders is no guess, nor is what is supposed ("if today is Monday, it is ..."); naming a
    single one is.
    """
    every = [Quote(reminder.content) for reminder in world.reminders]
    no_guess = AnyOf((Absent(AnyOf(every)), *(Listing(pair) for pair in itertools.combinations(every, 2))))
    return Task(
        user=request,
        tools=["search_reminder", "shift_timestamp", "timestamp_to_datetime_info"],
        denied=[tool for tool in CLOCKS if tool != "search_reminder"],
        milestones=[answer(without_clock(), no_guess)],
        solution=[say("I have no tool that tells the current date, so I don't know which reminder that is.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_recency_upcoming")
def search_reminder_with_recency_upcoming_insufficient_information(world: World) -> Task:
    """Read out the next reminder ahead without access to the current time."""
    return _undated(world, world.phrase(*UPCOMING))


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_recency_upcoming_implicit", variant=1)
def search_reminder_with_recency_upcoming_insufficient_information_implicit(world: World) -> Task:
    """Read out what is still to be done today without access to the current time."""
    return _undated(world, world.phrase(*UPCOMING_IMPLICIT))


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_recency_yesterday")
def search_reminder_with_recency_yesterday_insufficient_information(world: World) -> Task:
    """Read out the reminder due yesterday without access to the current time."""
    return _undated(world, world.phrase(*YESTERDAY))


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_recency_yesterday_implicit", variant=1)
def search_reminder_with_recency_yesterday_insufficient_information_implicit(world: World) -> Task:
    """Read out what was to be done yesterday without access to the current time."""
    return _undated(world, world.phrase(*YESTERDAY_IMPLICIT))


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_creation_recency_yesterday")
def search_reminder_with_creation_recency_yesterday_insufficient_information(world: World) -> Task:
    """Read out the reminder created yesterday without access to the current time."""
    return _undated(world, world.phrase(*MADE_YESTERDAY))


@scenario(INSUFFICIENT_INFORMATION, twin="search_reminder_with_creation_recency_yesterday_implicit", variant=1)
def search_reminder_with_creation_recency_yesterday_insufficient_information_implicit(world: World) -> Task:
    """Read out the to-do written down yesterday without access to the current time."""
    return _undated(world, world.phrase(*MADE_YESTERDAY_IMPLICIT))
