"""Moving and deleting reminders."""

import datetime

from tool_sandbox.answers.facts import Done
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import only
from tool_sandbox.scenarios.families.holidays import CLOCKS, without_clock
from tool_sandbox.scenarios.families.reminder_creation import spoken_hour
from tool_sandbox.scenarios.matchers import HasRow, Near
from tool_sandbox.scenarios.steps import due, next_reminder, read_clock
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    REMINDER,
    Node,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

TOOLS = ("search_reminder", "get_current_timestamp", "datetime_info_to_timestamp", "timestamp_to_datetime_info")


POSTPONE = (
    "Postpone my next upcoming reminder to tomorrow at {hour}.",
    "Move the reminder that comes up next to {hour} tomorrow.",
)
DELETE = ("Delete my next upcoming reminder.", "Remove the reminder that comes up next.")


def _postponed(world: World, hour: int, *requests: str) -> Task:
    """Moves the next reminder ahead to an hour of tomorrow."""
    note, date = world.reminders[2], world.in_days(1)

    def solution() -> Solution:
        moment = yield from read_clock()
        rows = yield call("search_reminder", reminder_timestamp_lowerbound=moment.timestamp)
        row = min(rows, key=lambda row: row["reminder_timestamp"])
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=timestamp)
        yield say("It is done.")

    return Task(
        user=world.phrase(*requests).format(hour=spoken_hour(hour)),
        tools=[*TOOLS, "modify_reminder"],
        milestones=[
            changed(REMINDER, {"reminder_id": note.reminder_id}, reminder_timestamp=Near(world.at(date, hour), 1.0))
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def modify_reminder_with_recency_latest(world: World) -> Task:
    """Move the next upcoming reminder to tomorrow at a given hour."""
    return _postponed(world, world.integer(17, 8, 20), *POSTPONE)


@scenario(CANONICALIZATION, variant=1)
def modify_reminder_with_recency_latest_alt(world: World) -> Task:
    """Move the next upcoming reminder to tomorrow at a given hour, in other words."""
    return _postponed(
        world,
        world.integer(11, 8, 20),
        "I won't get to the very next thing on my reminders. Make it {hour} tomorrow instead.",
        "Whatever reminder is about to come up next, let it go off tomorrow at {hour}.",
    )


def _next_removed(world: World, *requests: str) -> Task:
    """Deletes the next reminder ahead."""
    note = world.reminders[2]

    def solution() -> Solution:
        row = yield from next_reminder()
        yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say(f'The reminder "{row["content"]}" has been removed.')

    return Task(
        user=world.phrase(*requests),
        tools=[*TOOLS, "remove_reminder"],
        milestones=[removed(REMINDER, reminder_id=note.reminder_id)],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def remove_reminder_with_recency_latest(world: World) -> Task:
    """Delete the next upcoming reminder."""
    return _next_removed(world, *DELETE)


@scenario(CANONICALIZATION, variant=1)
def remove_reminder_with_recency_latest_alt(world: World) -> Task:
    """Delete the next reminder ahead, in colloquial words."""
    return _next_removed(
        world,
        "That next reminder that's about to pop up? Bin it.",
        "Get rid of whichever reminder is up next, will you.",
    )


def _without_clock(request: str, tool: str, task: str) -> Task:
    """Asks for a change of the next reminder when nothing tells which one that is."""
    offered = ("search_reminder", "datetime_info_to_timestamp", "timestamp_to_datetime_info", tool)
    return Task(
        user=request,
        tools=offered,
        denied=[clock for clock in CLOCKS if clock not in offered],
        milestones=[answer(without_clock(task))],
        solution=[say("I have no tool that tells the current time, so I don't know which reminder comes up next.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="modify_reminder_with_recency_latest")
def modify_reminder_with_recency_latest_insufficient_information(world: World) -> Task:
    """Move the next upcoming reminder to tomorrow without access to the current time."""
    request = world.phrase(*POSTPONE).format(hour=spoken_hour(world.integer(17, 8, 20)))
    return _without_clock(request, "modify_reminder", "moved")


@scenario(INSUFFICIENT_INFORMATION, twin="remove_reminder_with_recency_latest")
def remove_reminder_with_recency_latest_insufficient_information(world: World) -> Task:
    """Delete the next upcoming reminder without access to the current time."""
    return _without_clock(world.phrase(*DELETE), "remove_reminder", "removed")


@scenario(COREFERENCE)
def remove_reminder_it_after_reading_coreference_multiple_user_turn(world: World) -> Task:
    """Hear the next reminder, then say to drop it."""
    note = world.reminders[2]

    def solution() -> Solution:
        row = yield from next_reminder()
        yield say(f'Your next reminder says "{row["content"]}".')
        yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say(f'I removed the reminder "{row["content"]}".')

    return Task(
        user=(
            world.phrase("What is my next upcoming reminder?", "Which reminder comes up next?"),
            world.phrase("Drop it, I already did that.", "Delete it please."),
        ),
        tools=["get_current_timestamp", "search_reminder", "remove_reminder"],
        milestones=[
            called("search_reminder").returning(HasRow({"reminder_id": note.reminder_id})),
            answer_for_now(only(note, world.reminders, elsewhere="yesterday")),
            removed(REMINDER, reminder_id=note.reminder_id),
            answer(Done("removed", "reminder")),
        ],
        solution=solution,
    )


@scenario(DISAMBIGUATION)
def modify_reminder_two_similar_contents_disambiguation(world: World) -> Task:
    """Two near-equal reminders on different days; move the one on the named day."""
    person, hour = world.friend.first_name, world.integer(15, 13, 20)
    first, second = world.in_days(2), world.in_days(4)
    wanted = world.remind(f"Lunch with {person}", due_at=world.at(first, 12))
    world.remind(f"Lunch with {person} again", due_at=world.at(second, 12))

    def solution() -> Solution:
        rows = yield call("search_reminder", content=f"Lunch with {person}")
        [row] = [row for row in rows if row["reminder_timestamp"] == wanted.due_at]
        timestamp = yield due(first, hour)
        yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=timestamp)
        yield say("It is done.")

    return Task(
        user=world.phrase(
            f"Move the lunch with {person} on {first:%A} to {spoken_hour(hour)} the same day.",
            f"The {first:%A} lunch with {person} starts at {spoken_hour(hour)} instead. Change that reminder.",
        ),
        tools=[*TOOLS, "modify_reminder"],
        milestones=[
            changed(REMINDER, {"reminder_id": wanted.reminder_id}, reminder_timestamp=Near(world.at(first, hour), 1.0))
        ],
        solution=solution,
    )


def _without_cake(world: World, *outcome: Node, consents: bool = True) -> Task:
    """Wants the reminder about a birthday cake deleted; there is one that is nearly like it."""
    world.remind("Buy birthday candles", due_at=world.at(world.in_days(3), 9))

    def solution() -> Solution:
        rows = yield call("search_reminder", content="Buy a birthday cake")
        rows = [row for row in rows if "cake" in row["content"]]
        if not rows:
            yield say("There is no reminder about buying a birthday cake, so I did not remove any.")
            return
        yield call("remove_reminder", reminder_id=rows[0]["reminder_id"])
        yield say("The reminder about the birthday cake has been removed.")

    return Task(
        user=world.phrase("Delete the reminder about buying a birthday cake.", "Remove my birthday cake reminder."),
        consents=consents,
        tools=["search_reminder", "remove_reminder"],
        milestones=outcome,
        solution=solution,
    )


@scenario(DISAMBIGUATION)
def remove_reminder_by_content(world: World) -> Task:
    """Delete the reminder about one thing; there is one about nearly the same."""
    note = world.remind("Buy a birthday cake", due_at=world.at(world.in_days(world.integer(4, 2, 9)), 9))
    return _without_cake(
        world, removed(REMINDER, reminder_id=note.reminder_id), answer(Done("removed", ("reminder", "cake")))
    )


@scenario(INSUFFICIENT_INFORMATION, DISAMBIGUATION, twin="remove_reminder_by_content")
def remove_reminder_none_matching_insufficient_information(world: World) -> Task:
    """Delete a reminder that does not exist; near matches do."""
    about = ("cake", "reminder", "reminders")
    none = answer(cannot(NOT_FOUND, about=about, task="removed"))
    return _without_cake(world, called("search_reminder"), none, consents=False)
