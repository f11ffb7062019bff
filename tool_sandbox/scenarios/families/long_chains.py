"""Reminders that take six and more calls, because what they say or when they are due has to be found out first."""

import datetime

from tool_sandbox.answers.facts import Date, Entity, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.long_messages import OBSTACLES, RADIO, TEXTING, told_by_text
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.reminder_creation import (
    CLOCK_TOOLS,
    due_reminder,
    lower_first,
    spoken_date,
    spoken_hour,
)
from tool_sandbox.scenarios.families.reminder_places import COORDINATE_TOLERANCE, placed_reminder
from tool_sandbox.scenarios.foreseen import foreseen_exchange
from tool_sandbox.scenarios.matchers import Anything, Near, OneOf, SameWords, Says
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.steps import (
    converted,
    due,
    exchanged,
    number_of,
    overdue_reminders,
    read_clock,
    text,
    way_between,
    whereabouts,
)
from tool_sandbox.scenarios.vocabulary import CONTACT, REMINDER, Task, added, call, changed, say, setting
from tool_sandbox.scenarios.world import Person, World, weekday_in
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
CANONICALIZATION = ScenarioCategories.CANONICALIZATION
LONG_CHAIN = ScenarioCategories.LONG_CHAIN
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

SIGHT_QUESTIONS = ("Do you have tickets left for Saturday?", "May I bring my dog along?", "Is there a tour in Spanish?")


@scenario(LONG_CHAIN, CANONICALIZATION, TIME_ARITHMETIC)
def add_reminder_three_days_before_holiday_at_shop_and_tell_friend_long_chain(world: World) -> Task:
    """Shop reminder three days before a holiday, then tell a friend the date."""
    (name, month, day), content = world.holiday(), world.choice(*pools.PURCHASES)
    branch, friend, hour = world.choice(*pools.BRANCHES), world.friend.name, world.integer(10, 8, 20)
    ahead = datetime.timedelta(days=3)
    year = next(
        year
        for year in (world.today.year, world.today.year + 1)
        if datetime.date(year, month, day) - ahead > world.today
    )
    date = datetime.date(year, month, day) - ahead

    def solution() -> Solution:
        starts = yield call("search_holiday", holiday_name=name, year=year)
        timestamp = yield call("shift_timestamp", timestamp=starts, days=-3, hours=hour)
        info = yield call("timestamp_to_datetime_info", timestamp=timestamp)
        where = yield from whereabouts(f"{branch.chain} {branch.which}")
        yield call("add_reminder", content=content, reminder_timestamp=timestamp, **where)
        number = yield from number_of(friend)
        spoken = spoken_date(datetime.date(info["year"], info["month"], info["day"]))
        yield text(number, f"I am going shopping on {spoken}.")
        yield say(f"You will be reminded on {spoken}, and {friend} knows the date.")

    return Task(
        user=f"Three days before {name} {year}, at {spoken_hour(hour)}, remind me to {lower_first(content)} at the "
        f"{branch.chain} {branch.which}, and save that place with the reminder. "
        + world.phrase(f"Then text {friend} the date of the reminder.", f"{friend} should get that date as a text."),
        tools=["search_holiday", "shift_timestamp", "search_location_around_lat_lon", *CLOCK_TOOLS, *TEXTING],
        milestones=[
            placed_reminder(content, branch, world.at(date, hour)),
            told_by_text(world.friend, Date(date, reference=world.today)).after(),
        ],
        solution=solution,
    )


@scenario(LONG_CHAIN, CANONICALIZATION, UNIT_CHAIN)
def add_reminder_trip_with_distance_and_budget_long_chain(world: World) -> Task:
    """Reminder whose text holds the miles to a place and a converted budget."""
    place, hour, amount = world.choice(*pools.PLACES), world.integer(9, 8, 20), world.integer(300, 100, 900)
    dollars = foreseen_exchange(amount, "EUR", "USD", world.now)
    miles = place.kilometres_from(world.position) / 1.609344

    def solution() -> Solution:
        start = yield call("get_current_location")
        end = yield from whereabouts(place.name)
        way = yield way_between(start, end)
        way = yield converted(way, "kilometer", "mile")
        budget = yield exchanged(amount, "EUR", "USD")
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        content = f"Trip to {place.name}: {way:.1f} miles, budget {budget:.2f} dollars"
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"I will remind you tomorrow at {spoken_hour(hour)}: {content}.")

    facts = (
        Number(miles, unit="mile", relative=0.01, tolerance=0.1, in_unit=True),
        Number(dollars, unit="USD", relative=0.01, context=(amount,)),
    )
    return Task(
        user=f"Remind me tomorrow at {spoken_hour(hour)} of a trip to {place.name}. "
        + world.phrase(
            f"Put into the text how many miles it is from here and what my budget of {amount} euros is in US dollars.",
            f"The text has to say how far that is from here in miles, and what my {amount} euros are in US dollars.",
        ),
        tools=[
            "get_current_location",
            "search_location_around_lat_lon",
            "calculate_lat_lon_distance",
            "unit_conversion",
            "convert_currency",
            *CLOCK_TOOLS,
        ],
        milestones=[
            added(
                REMINDER,
                content=Says((*facts, Entity(place.name))),
                reminder_timestamp=Near(world.at(world.in_days(1), hour), 1.0),
                latitude=OneOf((None, Near(place.latitude, COORDINATE_TOLERANCE))),
                longitude=OneOf((None, Near(place.longitude, COORDINATE_TOLERANCE))),
            ),
        ],
        solution=solution,
    )


@scenario(LONG_CHAIN, BATCH_EDIT, TIME_ARITHMETIC, rich=True)
def modify_reminder_all_past_due_to_tomorrow_and_text_count_long_chain(world: RichWorld) -> Task:
    """Move every overdue reminder to tomorrow morning and text the assistant how many."""
    assistant, hour = world.assistant, world.integer(8, 7, 11)

    def solution() -> Solution:
        rows = yield from overdue_reminders()
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        for row in rows:
            yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=timestamp)
        number = yield from number_of(assistant.name)
        yield text(number, f"{len(rows)} reminders were overdue.")
        yield say("They are all due tomorrow, and your assistant knows how many there were.")

    ids = OneOf(tuple(note.reminder_id for note in world.overdue))
    at = Near(world.at(world.in_days(1), hour), 1.0)
    return Task(
        user=world.phrase(
            f"Move all my overdue reminders to tomorrow at {spoken_hour(hour)}. Then text {assistant.name} how many "
            "there were.",
            f"Whatever I have missed on my reminders shall come up tomorrow at {spoken_hour(hour)}. Then text "
            f"{assistant.name} how many reminders that were.",
        ),
        tools=[*CLOCK_TOOLS, "search_reminder", *TEXTING],
        milestones=[
            changed(REMINDER, {"reminder_id": ids}, len(world.overdue), reminder_timestamp=at),
            told_by_text(assistant, Number(len(world.overdue))).after(),
        ],
        solution=solution,
    )


@scenario(LONG_CHAIN, state="cellular_off")
def add_contact_from_place_text_and_reminder_cellular_off_long_chain(world: World) -> Task:
    """Save a sight from a place search, text it, and set a follow-up reminder."""
    place, question, hour = (
        world.choice(*pools.LISTED_PLACES[-3:]),
        world.choice(*SIGHT_QUESTIONS),
        world.integer(10, 8, 20),
    )
    content = f"Check for a reply from {place.name}"

    def solution() -> Solution:
        [found, *_] = yield call("search_location_around_lat_lon", location=place.name)
        yield call("add_contact", name=place.name, phone_number=found["phone_number"])
        yield call("set_cellular_service_status", on=True)
        yield text(found["phone_number"], question)
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"{place.name} is in your contacts and has got your text; the reminder is set.")

    return Task(
        user=f'Look up the number of {place.name} and save it in my contacts under that name. Text them "{question}", '
        f"and remind me tomorrow at {spoken_hour(hour)} to {lower_first(content)}. {world.phrase(*OBSTACLES)}",
        tools=["search_location_around_lat_lon", "add_contact", "send_message_with_phone_number", *RADIO, *CLOCK_TOOLS],
        milestones=[
            added(
                CONTACT, name=SameWords(place.name, extra=1), phone_number=place.phone_number, relationship=Anything()
            ),
            sent(Person(place.name, place.phone_number), question).after(),
            due_reminder(content, world.at(world.in_days(1), hour)).after(),
        ],
        allowed=[setting(cellular=True)],
        solution=solution,
    )


@scenario(LONG_CHAIN, BATCH_EDIT, TIME_ARITHMETIC, today=weekday_in(6))
def add_reminder_five_weekdays_long_chain(world: World) -> Task:
    """Same morning reminder on each working day of the coming week."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(7, 6, 11)
    time = f"{hour}:30 AM"

    def solution() -> Solution:
        moment = yield from read_clock()
        monday = moment.today + datetime.timedelta(days=8 - moment.today.isoweekday())
        for day in range(5):
            timestamp = yield due(monday + datetime.timedelta(days=day), hour, 30)
            yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"You will be reminded at {time} from Monday to Friday.")

    return Task(
        user=world.phrase(
            f"Remind me to {lower_first(content)} at {time} on each day of the coming week from Monday to Friday.",
            f"Next week I have to {lower_first(content)} at {time} every day, Monday through Friday. Set a reminder "
            "for each of the five days.",
        ),
        tools=[*CLOCK_TOOLS, "shift_timestamp"],
        milestones=[due_reminder(content, world.at(world.coming(day), hour, 30)).after() for day in range(1, 6)],
        solution=solution,
    )
