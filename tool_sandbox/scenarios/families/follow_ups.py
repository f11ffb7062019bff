"""A second request that speaks of what the answer to the first one was about."""

import datetime

from tool_sandbox.answers.facts import DateTime, Derived, FromTrace, Listing, Number, Quote
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import only
from tool_sandbox.scenarios.families.comparisons import several
from tool_sandbox.scenarios.families.long_messages import TEXTING
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.places import at_place, named_place
from tool_sandbox.scenarios.families.reminder_creation import CLOCK_TOOLS, due_reminder, lower_first
from tool_sandbox.scenarios.matchers import HasRow, Near
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.steps import converted, number_of, read_clock, reminders_of, text, whereabouts
from tool_sandbox.scenarios.vocabulary import REMINDER, Task, answer, answer_for_now, call, called, changed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
COREFERENCE = ScenarioCategories.COREFERENCE
LONG_CHAIN = ScenarioCategories.LONG_CHAIN
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN


@scenario(COREFERENCE, TIME_ARITHMETIC)
def add_reminder_same_hour_day_after_coreference_multiple_user_turn(world: World) -> Task:
    """Hear when one reminder is due, then want another one at the same hour the day after."""
    known, new = several(world, pools.NEW_ERRANDS, 2)
    date, hour = world.in_days(world.integer(3, 2, 20)), world.integer(16, 8, 20)
    world.remind(known, due_at=world.at(date, hour))

    def solution() -> Solution:
        rows = yield call("search_reminder", content=known)
        [timestamp] = [row["reminder_timestamp"] for row in rows if row["content"] == known]
        info = yield call("timestamp_to_datetime_info", timestamp=timestamp)
        yield say(f"It is due on {info['year']}-{info['month']:02}-{info['day']:02} at {info['hour']}:00.")
        after = yield call("shift_timestamp", timestamp=timestamp, days=1)
        yield call("add_reminder", content=new, reminder_timestamp=after)
        yield say("The other reminder is set for the day after, at the same hour.")

    moment = world.local(world.at(date, hour)).replace(tzinfo=None)
    return Task(
        user=(
            world.phrase("When am I reminded to {}?", "My reminder to {}, when is it due?").format(lower_first(known)),
            world.phrase(
                f"Remind me to {lower_first(new)} at the same hour, the day after that one.",
                f"Add one to {lower_first(new)}, a day later than that and at the same time of day.",
            ),
        ),
        tools=["search_reminder", "shift_timestamp", *CLOCK_TOOLS],
        milestones=[
            called("search_reminder"),
            answer_for_now(DateTime(moment, reference=world.today, zone=world.zone)),
            due_reminder(new, world.at(world.in_days((date - world.today).days + 1), hour)),
        ],
        solution=solution,
    )


@scenario(COREFERENCE, BATCH_EDIT, LONG_CHAIN, TIME_ARITHMETIC)
def modify_reminder_both_of_them_coreference_multiple_user_turn(world: World) -> Task:
    """Hear the two reminders of tomorrow, then move both an hour later."""
    tomorrow, hours = world.in_days(1), (world.integer(9, 8, 12), world.integer(16, 13, 20))
    errands = several(world, pools.NEW_ERRANDS, 2)
    due_at, others = [world.at(tomorrow, hour) for hour in hours], [note.content for note in world.reminders]
    moved = {world.remind(errand, due_at=at): at + 3600.0 for errand, at in zip(errands, due_at, strict=True)}

    def solution() -> Solution:
        moment = yield from read_clock()
        rows = yield from reminders_of(moment.today + datetime.timedelta(days=1))
        yield say(f"You have {' and '.join(row['content'] for row in rows)} on your list for tomorrow.")
        for row in rows:
            later = row["reminder_timestamp"] + 3600.0
            yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=later)
        yield say("I moved both of them an hour later.")

    return Task(
        user=(
            world.phrase("Which reminders do I have for tomorrow?", "What am I going to be reminded of tomorrow?"),
            world.phrase("Make both of them an hour later.", "Push them both back by one hour."),
        ),
        tools=[*CLOCK_TOOLS, "search_reminder", "shift_timestamp"],
        milestones=[
            called("search_reminder"),
            answer_for_now(Listing([Quote(errand) for errand in errands], universe=others)).named("heard"),
            *(
                changed(REMINDER, {"reminder_id": note.reminder_id}, reminder_timestamp=Near(later, 1.0)).after("heard")
                for note, later in moved.items()
            ),
        ],
        solution=solution,
    )


@scenario(COREFERENCE, rich=True)
def send_message_forward_what_they_wrote_coreference_multiple_user_turn(world: RichWorld) -> Task:
    """Hear the newest text of the partner, then forward it word for word."""
    newest, person = world.threads["partner"][-1], world.friends[2]

    def solution() -> Solution:
        [partner] = yield call("search_contacts", relationship="partner")
        rows = yield call("search_messages", sender_phone_number=partner["phone_number"])
        content = max(rows, key=lambda row: float(row["creation_timestamp"]))["content"]
        yield say(f'Your partner wrote: "{content}"')
        number = yield from number_of(person.name)
        yield text(number, content)
        yield say(f"I forwarded it to {person.name}.")

    return Task(
        user=(
            world.phrase("What did my partner text me last?", "Read me the newest text from my partner."),
            world.phrase(
                f"Forward what they wrote to {person.name}, word for word and nothing else.",
                f"Text exactly that to {person.name}, without a word of your own.",
            ),
        ),
        tools=[*TEXTING, "search_messages", "get_current_timestamp"],
        milestones=[
            called("search_messages").returning(HasRow({"message_id": newest.message_id})),
            answer_for_now(only(newest, world.threads["partner"])),
            sent(person, newest.content),
        ],
        solution=solution,
    )


@scenario(COREFERENCE, UNIT_CHAIN)
def find_temperature_same_place_other_unit_coreference_multiple_user_turn(world: World) -> Task:
    """Ask for the temperature at a place, then for the same in another unit."""
    place, request = named_place(
        world,
        "How many degrees Celsius are there at {place} right now?",
        "What's the temperature at {place}, in Celsius?",
    )

    def solution() -> Solution:
        where = yield from whereabouts(place.name)
        report = yield call("search_weather_around_lat_lon", **where)
        celsius = report["current_temperature"]
        yield say(f"It is {celsius} degrees Celsius at {place.name}.")
        kelvin = yield converted(celsius, "celsius", "kelvin")
        yield say(f"That is {kelvin:.2f} kelvin.")

    weather, temperature = "search_weather_around_lat_lon", "current_temperature"
    return Task(
        user=(request, world.phrase("And in kelvin?", "How much is that in kelvin?")),
        tools=["search_location_around_lat_lon", weather, "unit_conversion"],
        milestones=[
            at_place(weather, place),
            answer_for_now(Number(FromTrace(weather, temperature), unit="celsius", in_unit=True)),
            answer(Number(Derived(weather, temperature, offset=273.15), unit="kelvin", in_unit=True)),
        ],
        solution=solution,
    )
