"""One request that takes several reminders or texts: all that are meant, each exactly once, and no other."""

import datetime

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.comparisons import several
from tool_sandbox.scenarios.families.long_messages import TEXTING
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.reminder_creation import CLOCK_TOOLS, due_reminder, lower_first, spoken_hour
from tool_sandbox.scenarios.families.reminder_places import COORDINATE_TOLERANCE
from tool_sandbox.scenarios.matchers import Near, OneOf
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.steps import due, overdue_reminders, read_clock, reminders_of, text, whereabouts
from tool_sandbox.scenarios.vocabulary import (
    MESSAGING,
    REMINDER,
    Task,
    added,
    call,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
CANONICALIZATION = ScenarioCategories.CANONICALIZATION
LONG_CHAIN = ScenarioCategories.LONG_CHAIN
NEGATIVE_CONSTRAINT = ScenarioCategories.NEGATIVE_CONSTRAINT
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

INVITATIONS = (
    "Housewarming on Saturday at seven, will you come?",
    "We grill in the park on Sunday, please bring a salad.",
    "Games night at my place on Friday, are you in?",
)

# Reminders -----------------------------------------------------------------------------------------------------


@scenario(BATCH_EDIT, LONG_CHAIN, TIME_ARITHMETIC, rich=True)
def remove_reminder_all_past_due_batch(world: RichWorld) -> Task:
    """Clear every overdue reminder."""

    def solution() -> Solution:
        for row in (yield from overdue_reminders()):
            yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say("Your overdue reminders are gone.")

    ids = OneOf(tuple(note.reminder_id for note in world.overdue))
    return Task(
        user=world.phrase("Delete all reminders that are overdue.", "Clear out every reminder whose time has passed."),
        tools=["get_current_timestamp", "search_reminder", "remove_reminder"],
        milestones=[removed(REMINDER, len(world.overdue), reminder_id=ids)],
        solution=solution,
    )


@scenario(BATCH_EDIT, LONG_CHAIN, TIME_ARITHMETIC, rich=True)
def modify_reminder_all_tomorrow_plus_thirty_minutes_batch(world: RichWorld) -> Task:
    """Push everything of tomorrow by half an hour, but nothing of the midnight after."""
    minutes = world.choice(30, 45, 20)
    world.remind(world.choice(*pools.NEW_ERRANDS), due_at=world.at(world.in_days(2), 0))

    def solution() -> Solution:
        moment = yield from read_clock()
        for row in (yield from reminders_of(moment.today + datetime.timedelta(days=1))):
            later = row["reminder_timestamp"] + 60.0 * minutes
            yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=later)
        yield say(f"Everything of tomorrow comes {minutes} minutes later.")

    return Task(
        user=world.phrase(
            f"I will be late tomorrow. Make each of tomorrow's reminders {minutes} minutes later.",
            f"Push all my reminders of tomorrow back by {minutes} minutes.",
        ),
        tools=[*CLOCK_TOOLS, "search_reminder", "shift_timestamp"],
        milestones=[
            changed(
                REMINDER,
                {"reminder_id": note.reminder_id},
                reminder_timestamp=Near(note.due_at + 60.0 * minutes, 1.0),
            ).after()
            for note in world.tomorrow
        ],
        solution=solution,
    )


@scenario(BATCH_EDIT, LONG_CHAIN, TIME_ARITHMETIC, CANONICALIZATION)
def add_reminder_three_listed_items_batch(world: World) -> Task:
    """Three errands with three different times in one sentence."""
    errands, weekday = several(world, pools.NEW_ERRANDS, 3), world.coming_other(world.integer(6, 1, 7))
    dates = world.in_days(1), world.in_days(world.integer(3, 2, 9)), weekday
    hours = world.integer(9, 8, 12), world.integer(14, 13, 16), world.integer(18, 17, 20)

    def solution() -> Solution:
        moment = yield from read_clock()
        for errand, date, hour in zip(errands, dates, hours, strict=True):
            timestamp = yield due(moment.today + (date - world.today), hour)
            yield call("add_reminder", content=errand, reminder_timestamp=timestamp)
        yield say("The three reminders are set.")

    first, second, third = (
        f"{lower_first(errand)} {when} at {spoken_hour(hour)}"
        for errand, when, hour in zip(
            errands,
            ("tomorrow", f"in {(dates[1] - world.today).days} days", f"this coming {weekday:%A}"),
            hours,
            strict=True,
        )
    )
    return Task(
        user=world.phrase(
            f"Remind me to {first}, to {second}, and to {third}.",
            f"I need three reminders: to {first}, to {second}, to {third}.",
        ),
        tools=CLOCK_TOOLS,
        milestones=[
            due_reminder(errand, world.at(date, hour)).after()
            for errand, date, hour in zip(errands, dates, hours, strict=True)
        ],
        solution=solution,
    )


@scenario(BATCH_EDIT, rich=True)
def modify_reminder_attach_location_to_shopping_batch(world: RichWorld) -> Task:
    """Attach the coordinates of a shop to all shopping reminders."""
    branch = world.choice(*pools.BRANCHES)
    shop = f"the {branch.chain} {branch.which}"

    def solution() -> Solution:
        where = yield from whereabouts(f"{branch.chain} {branch.which}")
        for row in (yield call("search_reminder", content="Buy")):
            if row["content"].startswith("Buy "):
                yield call("modify_reminder", reminder_id=row["reminder_id"], **where)
        yield say(f"All your shopping reminders belong to {shop} now.")

    ids = OneOf(tuple(note.reminder_id for note in world.shopping))
    return Task(
        user=world.phrase(
            f'Attach the location of {shop} to all my reminders that start with "Buy".',
            f'I do all my shopping at {shop}: every reminder of mine that says "Buy ..." shall have that place.',
        ),
        tools=["search_reminder", "search_location_around_lat_lon", "modify_reminder"],
        milestones=[
            changed(
                REMINDER,
                {"reminder_id": ids},
                len(world.shopping),
                latitude=Near(branch.latitude, COORDINATE_TOLERANCE),
                longitude=Near(branch.longitude, COORDINATE_TOLERANCE),
            )
        ],
        solution=solution,
    )


# Messages ------------------------------------------------------------------------------------------------------


def _invite(content: str, relationship: str, guests: list[Person], request: str, *uninvited: Person) -> Task:
    """Sends one text to everybody of a relation, except those who are not invited."""

    def solution() -> Solution:
        for row in (yield call("search_contacts", relationship=relationship)):
            if row["name"] not in [person.name for person in uninvited]:
                yield text(row["phone_number"], content)
        yield say("The invitations have been sent.")

    return Task(
        user=request,
        tools=TEXTING,
        milestones=[sent(person, content).after() for person in guests],
        never=[added(MESSAGING, recipient_phone_number=person.phone_number) for person in uninvited],
        solution=solution,
    )


@scenario(BATCH_EDIT, rich=True)
def send_message_to_all_friends_once_batch(world: RichWorld) -> Task:
    """Invite all friends, each exactly once."""
    content = world.choice(*INVITATIONS)
    request = world.phrase(
        f'Text everyone who is saved as a friend: "{content}"',
        f'Each of my contacts with the relationship friend gets this text: "{content}"',
    )
    return _invite(content, "friend", [*world.friends], request)


@scenario(BATCH_EDIT, NEGATIVE_CONSTRAINT, rich=True)
def send_message_to_family_except_one_batch(world: RichWorld) -> Task:
    """Invite the family but not one named member."""
    content, uninvited = world.choice(*INVITATIONS), world.choice(*world.family[::-1])
    request = world.phrase(
        f'Text everyone who is saved as family, but not {uninvited.name}: "{content}"',
        f'Send all contacts with the relationship family "{content}" Leave out {uninvited.name}, though.',
    )
    guests = [person for person in world.family if person is not uninvited]
    return _invite(content, "family", guests, request, uninvited)
