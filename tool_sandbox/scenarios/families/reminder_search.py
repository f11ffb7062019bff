"""Finding reminders by when they are due and when they were written."""

from tool_sandbox.common.execution_context import ScenarioCategories
from tool_sandbox.common.facts import Quote
from tool_sandbox.common.script import Solution
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.steps import read_clock
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import Note, World

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
TOOLS = ("search_reminder", "get_current_timestamp", "shift_timestamp", "timestamp_to_datetime_info")


def _found(world: World, note: Note, request: str, first_day: int, column: str = "reminder_timestamp") -> Task:
    """Reads out the one reminder with a time in a day; of today only what is still ahead.

    Args:
        world: The start.
        note: The reminder that is meant.
        request: What the user says.
        first_day: The day, counted from today.
        column: Which time of a reminder lies in that day.
    """

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
            answer(Quote(note.content)),
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def search_reminder_with_recency_upcoming(world: World) -> Task:
    """Read out the next reminder that is still ahead."""
    request = world.phrase("What is my next upcoming reminder?", "Read me the reminder that comes up next.")
    return _found(world, world.reminders[2], request, 0)


@scenario(CANONICALIZATION)
def search_reminder_with_recency_upcoming_implicit(world: World) -> Task:
    """Read out the next reminder ahead, asked for as a later to-do."""
    request = world.phrase("Is there anything I still have to do later today?", "What's left on my list for today?")
    return _found(world, world.reminders[2], request, 0)


@scenario(CANONICALIZATION)
def search_reminder_with_recency_yesterday(world: World) -> Task:
    """Read out the reminder that fell due yesterday."""
    request = world.phrase("Which reminder was due yesterday?", "What did yesterday's reminder say?")
    return _found(world, world.reminders[0], request, -1)


@scenario(CANONICALIZATION)
def search_reminder_with_creation_recency_yesterday(world: World) -> Task:
    """Read out the reminder that was created yesterday."""
    request = world.phrase("What does the reminder say that I made yesterday?", "Read me the one I wrote yesterday.")
    return _found(world, world.reminders[1], request, -1, "creation_timestamp")
