"""Wishes with a "but": a switch must not be touched, a place not saved, a position not read."""

import datetime

from tool_sandbox.answers.facts import Absent, AnyNumber, AnyOf, Done, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import either
from tool_sandbox.scenarios.families.conditional_reminders import CLOCK_TOOLS, tomorrow_at
from tool_sandbox.scenarios.families.message_sending import RADIO_TOOLS, sent
from tool_sandbox.scenarios.families.places import ALL_SWITCHES
from tool_sandbox.scenarios.families.reminder_creation import lower_first, spoken_hour
from tool_sandbox.scenarios.matchers import Near, SameWords
from tool_sandbox.scenarios.steps import due, read_clock, text
from tool_sandbox.scenarios.vocabulary import (
    REMINDER,
    SETTING_BLOCKED,
    Node,
    Task,
    added,
    answer,
    call,
    called,
    cannot,
    failed,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, ToolCallFailed

INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION
NEGATIVE_CONSTRAINT = ScenarioCategories.NEGATIVE_CONSTRAINT
PRIVACY = ScenarioCategories.PRIVACY
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

TEXT = ("message", "messages", "text", "texts")


# Switches that must stay -----------------------------------------------------------------------------------------


@scenario(NEGATIVE_CONSTRAINT, INSUFFICIENT_INFORMATION, state="low_battery", twin="find_temperature_low_battery_mode")
def find_temperature_keep_low_battery_mode_negative_constraint(world: World) -> Task:
    """Report the local temperature; power saving, which must stay on, makes that impossible."""

    def solution() -> Solution:
        try:
            yield call("search_weather_around_lat_lon")
        except ToolCallFailed:
            yield call("get_low_battery_mode_status")
            yield say("I cannot tell: low battery mode, which you want on, keeps wifi off, and the weather needs wifi.")

    return Task(
        user=world.phrase(
            "What's the temperature here right now? Low battery mode has to stay on, though.",
            "How warm is it here? Whatever you do, don't switch off low battery mode.",
        ),
        tools=["search_weather_around_lat_lon", *ALL_SWITCHES],
        milestones=[
            either(
                called("get_low_battery_mode_status"),
                failed("search_weather_around_lat_lon"),
                failed("set_wifi_status"),
                failed("set_location_service_status"),
            ),
            answer(cannot(SETTING_BLOCKED, about=("low_battery_mode",)), Absent(AnyNumber("celsius"))),
        ],
        solution=solution,
    )


@scenario(NEGATIVE_CONSTRAINT, state="wifi_and_cellular_off")
def send_message_do_not_touch_wifi_negative_constraint(world: World) -> Task:
    """Text somebody with both radios off; wifi must stay off."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        yield call("set_cellular_service_status", on=True)
        yield text(row["phone_number"], content)
        yield say(f"I turned cellular on and sent your message to {person.name}. Wifi is still off.")

    return Task(
        user=world.phrase(
            f'Text {person.name}: "{content}" Turn on what you need for that, but not wifi, not even for a moment.',
            f'Send {person.name} "{content}" Wifi must stay off all the time; anything else you may switch.',
        ),
        tools=[*RADIO_TOOLS, "get_wifi_status", "set_wifi_status"],
        milestones=[sent(person, content), answer(Done("sent", (*TEXT, *person.spoken)))],
        allowed=[setting(cellular=True)],
        solution=solution,
    )


@scenario(NEGATIVE_CONSTRAINT, TIME_ARITHMETIC, state="wifi_off")
def find_days_till_fixed_date_holiday_without_network_negative_constraint(world: World) -> Task:
    """Count the days to a holiday of fixed date without the lookup, for which wifi would have to be on."""
    name, month, day = world.holiday()
    date = world.today.replace(month=month, day=day)
    date = date if date > world.today else date.replace(year=date.year + 1)
    days = (world.at(date, 0) - world.now) / 86400
    full, exact = Number(int(days), unit="day"), Number(days, unit="day", tolerance=0.06)

    def solution() -> Solution:
        moment = yield from read_clock()
        years = (moment.today.year, moment.today.year + 1)
        next_one = min(each for year in years if (each := datetime.date(year, month, day)) > moment.today)
        starts = yield due(next_one, 0)
        left = yield call("timestamp_diff", timestamp_0=moment.timestamp, timestamp_1=starts)
        yield say(f"There are {left['days']} full days left until {name}.")

    return Task(
        user=world.phrase(
            f"How many full days are left until {name} begins? Wifi stays off, so do without it.",
            f"Without turning wifi on: how many days of 24 hours is it till the start of {name}?",
        ),
        tools=[*CLOCK_TOOLS, "timestamp_diff", "search_holiday", "get_wifi_status", "set_wifi_status"],
        milestones=[called("get_current_timestamp"), answer(AnyOf((full, exact)))],
        solution=solution,
    )


# Places and positions that stay out of it -------------------------------------------------------------------------


@scenario(NEGATIVE_CONSTRAINT, TIME_ARITHMETIC)
def add_reminder_no_location_attached_negative_constraint(world: World) -> Task:
    """Write a reminder that names a shop, without its place."""
    branch, hour = world.choice(*pools.BRANCHES), world.integer(17, 8, 20)
    content, tomorrow = world.choice(*pools.PURCHASES), world.in_days(1)
    shop = f"the {branch.chain} {branch.which}"

    def solution() -> Solution:
        timestamp = yield from tomorrow_at(hour)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"I set the reminder for tomorrow at {spoken_hour(hour)}, without a location.")

    return Task(
        user=world.phrase(
            f"Remind me tomorrow at {spoken_hour(hour)} to {lower_first(content)} at {shop}. Don't attach a location.",
            f"Tomorrow, {spoken_hour(hour)}: {lower_first(content)} at {shop}. Set a plain reminder, not tied to a "
            "place.",
        ),
        tools=[*CLOCK_TOOLS, "search_location_around_lat_lon", "add_reminder"],
        milestones=[
            added(REMINDER, content=SameWords(content, extra=12), reminder_timestamp=Near(world.at(tomorrow, hour), 1)),
            answer(Done("set", ("reminder", content))),
        ],
        solution=solution,
    )


def _measured(*ends: pools.Place) -> Node:
    points = {f"latitude_{number}": Near(place.latitude, 0.1) for number, place in enumerate(ends)}
    points |= {f"longitude_{number}": Near(place.longitude, 0.1) for number, place in enumerate(ends)}
    return called("calculate_lat_lon_distance", **points)


@scenario(NEGATIVE_CONSTRAINT, PRIVACY)
def find_distance_without_own_position_negative_constraint(world: World) -> Task:
    """Measure the distance between two landmarks without reading where the phone is."""
    first = world.integer(0, 0, len(pools.PLACES) - 1)
    start, end = pools.PLACES[first], pools.PLACES[(first + world.integer(4, 1, 5)) % len(pools.PLACES)]

    nearby = [(round(place.latitude), round(place.longitude)) for place in (start, end)]
    here, there = (f"{latitude}, {longitude}" for latitude, longitude in nearby)

    def solution() -> Solution:
        points: dict[str, float] = {}
        for number, (place, (latitude, longitude)) in enumerate(zip((start, end), nearby, strict=True)):
            near = {"latitude": float(latitude), "longitude": float(longitude)}
            [row, *_] = yield call("search_location_around_lat_lon", location=place.name, **near)
            points |= {f"latitude_{number}": row["latitude"], f"longitude_{number}": row["longitude"]}
        kilometres = yield call("calculate_lat_lon_distance", **points)
        yield say(f"{start.name} and {end.name} are {kilometres:.2f} kilometers apart.")

    return Task(
        user=world.phrase(
            f"How many kilometers is it from {start.name} to {end.name}? Do it without my own position: no tool may "
            f"read or use where this phone is. Search around the coordinates {here} and {there} instead.",
            f"What's the distance between {start.name} and {end.name} in kilometers? My own location is nobody's "
            f"business: don't read it, and don't search around it. They are near {here} and {there}.",
        ),
        tools=["search_location_around_lat_lon", "calculate_lat_lon_distance", "get_current_location"],
        milestones=[
            either(_measured(start, end), _measured(end, start)),
            answer(Number(start.kilometres_from((end.latitude, end.longitude)), unit="kilometer", relative=0.01)),
        ],
        never=[called("get_current_location"), called("search_location_around_lat_lon", latitude=None)],
        solution=solution,
    )
