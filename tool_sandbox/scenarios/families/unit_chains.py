"""Measures that take several steps: looked up, computed, converted, told or passed on."""

import datetime
from collections.abc import Generator, Sequence
from typing import Any

from tool_sandbox.answers.facts import Derived, Done, Duration, Fact, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.distances import DISTANCE_TOOLS
from tool_sandbox.scenarios.families.places import at_place
from tool_sandbox.scenarios.families.reminder_creation import CLOCK_TOOLS, spoken_hour
from tool_sandbox.scenarios.foreseen import foreseen_weather
from tool_sandbox.scenarios.matchers import Near, OneOf, Says
from tool_sandbox.scenarios.steps import due, read_clock, way_between, whereabouts
from tool_sandbox.scenarios.vocabulary import MESSAGING, REMINDER, Node, Task, added, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, Step

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

KILOMETRES_A_KNOT = 1.852

PIERS = (
    pools.Place("Fisherman's Wharf", 37.8080, -122.4177, "San Francisco"),
    pools.Place("Pier 39", 37.8087, -122.4098, "San Francisco"),
    pools.Place("Santa Monica Pier", 34.0094, -118.4973, "Santa Monica"),
)
SHORES = (
    pools.Place("Half Moon Bay", 37.4636, -122.4286, "Half Moon Bay"),
    pools.Place("Baker Beach", 37.7936, -122.4836, "San Francisco"),
    pools.Place("Waikiki Beach", 21.2766, -157.8278, "Honolulu"),
)


def _high(world: World, place: pools.Place) -> float:
    """Today's highest temperature at a place, in degrees Celsius."""
    return float(foreseen_weather(place.latitude, place.longitude, world.now).day["maxtemp_c"])


# What several tasks share --------------------------------------------------------------------------------------


def beside(*figures: float) -> tuple[float, ...]:
    """Figures that may stand beside the answer, as they are or as whole numbers."""
    return tuple(form for figure in figures for form in (figure, round(figure)))


def answer_after(calls: Sequence[Node], *facts: Fact) -> list[Node]:
    """An answer that counts once all calls have been made, in whatever order."""
    labels = [f"call {number}" for number in range(len(calls))]
    gates = [node.after().named(label) for node, label in zip(calls, labels, strict=True)]
    return [*gates, answer(*facts).after(*labels)]


def _measure(place: pools.Place) -> Generator[Step, Any, float]:
    """Measures the distance from the device to a place, in kilometres."""
    here = yield call("get_current_location")
    there = yield from whereabouts(place.name)
    kilometres: float = yield way_between(here, there)
    return kilometres


def _measured(world: World, place: pools.Place) -> Node:
    """The distance between the device and a place was computed, from either end."""
    latitude = OneOf((Near(world.position[0], 0.005), Near(place.latitude, 0.005)))
    return called("calculate_lat_lon_distance", latitude_0=latitude, latitude_1=latitude)


def _weather_at(place: pools.Place) -> Generator[Step, Any, dict[str, Any]]:
    """Looks up today's weather at a place."""
    where = yield from whereabouts(place.name)
    weather: dict[str, Any] = yield call("search_weather_around_lat_lon", **where)
    return weather


# Distances, speeds, temperatures -------------------------------------------------------------------------------


@scenario(UNIT_CHAIN, CANONICALIZATION)
def find_distance_in_nautical_miles_unit_chain(world: World) -> Task:
    """Measure the distance to a pier in nautical miles."""
    place = world.choice(*PIERS)

    def solution() -> Solution:
        kilometres = yield from _measure(place)
        miles = yield call("unit_conversion", amount=kilometres, from_unit="kilometer", to_unit="nautical_mile")
        yield say(f"{place.name} is {miles:.1f} nautical miles away.")

    miles = place.kilometres_from(world.position) / KILOMETRES_A_KNOT
    return Task(
        user=world.phrase(
            f"How many nautical miles am I away from {place.name}?",
            f"What is the distance from here to {place.name} in nautical miles?",
        ),
        tools=[*DISTANCE_TOOLS, "unit_conversion"],
        milestones=[
            _measured(world, place),
            answer(Number(miles, unit="nautical_mile", tolerance=0.6, relative=0.01, in_unit=True)),
        ],
        solution=solution,
    )


@scenario(UNIT_CHAIN, CANONICALIZATION)
def find_wind_speed_in_knots_unit_chain(world: World) -> Task:
    """Tell the wind at a shore in knots."""
    place = world.choice(*SHORES)

    def solution() -> Solution:
        weather = yield from _weather_at(place)
        speed = weather["wind_speed"]
        knots = yield call("unit_conversion", amount=speed, from_unit="kilometer / hour", to_unit="knot")
        yield say(f"The wind at {place.name} blows at {knots:.1f} knots.")

    wind = Derived("search_weather_around_lat_lon", "wind_speed", scale=1 / KILOMETRES_A_KNOT)
    return Task(
        user=world.phrase(
            f"I want to go sailing off {place.name}. How many knots of wind are there right now, to one decimal place?",
            f"What is the current wind speed at {place.name} in knots, with one decimal?",
        ),
        tools=["search_location_around_lat_lon", "search_weather_around_lat_lon", "unit_conversion"],
        milestones=[
            at_place("search_weather_around_lat_lon", place, days=0),
            answer(Number(wind, unit="knot", in_unit=True, about=("wind", "blow", "blowing", "breeze", "speed"))),
        ],
        solution=solution,
    )


@scenario(UNIT_CHAIN)
def find_temperature_difference_in_fahrenheit_unit_chain(world: World) -> Task:
    """Tell how many Fahrenheit degrees warmer it gets at one place than at another."""
    place = world.choice(*pools.PLACES)
    other = max(pools.PLACES, key=lambda other: abs(_high(world, place) - _high(world, other)))
    warm, cold = sorted((place, other), key=lambda place: _high(world, place), reverse=True)
    highs = [_high(world, place) for place in (warm, cold)]
    step = highs[0] - highs[1]

    def solution() -> Solution:
        degrees = []
        for place in (warm, cold):
            weather = yield from _weather_at(place)
            celsius = weather["max_temperature"]
            degrees.append((yield call("unit_conversion", amount=celsius, from_unit="celsius", to_unit="fahrenheit")))
        yield say(f"It gets {degrees[0] - degrees[1]:.1f} degrees Fahrenheit warmer at {warm.name} today.")

    names = f"{warm.name} than at {cold.name}"
    others = beside(*highs, *(1.8 * high + 32 for high in highs), step)
    return Task(
        user=world.phrase(
            f"How many degrees Fahrenheit warmer does it get today at {names}? Compare the highest temperatures.",
            f"By how many Fahrenheit degrees is today's maximum temperature higher at {names}?",
        ),
        tools=["search_location_around_lat_lon", "search_weather_around_lat_lon", "unit_conversion"],
        milestones=answer_after(
            [at_place("search_weather_around_lat_lon", place, days=0) for place in (warm, cold)],
            Number(1.8 * step, unit="fahrenheit", tolerance=1.0, in_unit=True, context=others),
        ),
        solution=solution,
    )


@scenario(UNIT_CHAIN)
def find_travel_time_hours_minutes_unit_chain(world: World) -> Task:
    """Tell how long a straight journey to a place takes at a given speed."""
    far = [place for place in pools.PLACES if place.kilometres_from(world.position) > 50]
    place, speed = world.choice(*far), world.integer(60, 40, 120)

    def solution() -> Solution:
        kilometres = yield from _measure(place)
        parts = yield call("seconds_to_hours_minutes_seconds", seconds=kilometres / speed * 3600)
        yield say(f"It takes {parts['hour']} hours and {parts['minute']} minutes to {place.name}.")

    length = datetime.timedelta(hours=place.kilometres_from(world.position) / speed)
    return Task(
        user=world.phrase(
            f"At {speed} km/h and in a straight line, how many hours and minutes do I need from here to {place.name}?",
            f"A drone flies straight from here to {place.name} at {speed} km/h. How many hours and minutes is that?",
        ),
        tools=[*DISTANCE_TOOLS, "seconds_to_hours_minutes_seconds"],
        milestones=[
            _measured(world, place),
            answer(Duration(length, tolerance=0.006 * length + datetime.timedelta(minutes=1))),
        ],
        solution=solution,
    )


# Converted figures in texts ------------------------------------------------------------------------------------


@scenario(UNIT_CHAIN, CANONICALIZATION)
def send_message_height_in_centimetres_unit_chain(world: World) -> Task:
    """Text the tailor a height in centimetres that is given in feet and inches."""
    tailor = world.save(world.new_person("tailor"))
    feet, inches = world.integer(5, 5, 6), world.integer(9, 1, 11)
    height = (12 * feet + inches) * 2.54

    def solution() -> Solution:
        height = yield call("unit_conversion", amount=12 * feet + inches, from_unit="inch", to_unit="centimeter")
        [row] = yield call("search_contacts", relationship="tailor")
        content = f"I am {height:.0f} centimeters tall."
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say("The message to your tailor has been sent.")

    content = Says([Number(height, unit="centimetre", in_unit=True)])
    return Task(
        user=world.phrase(
            f"Text my tailor how tall I am in centimeters. I am {feet} foot {inches}.",
            f"My tailor wants to know my height in centimeters, and I am {feet} feet {inches} inches tall. Text it, "
            "please.",
        ),
        tools=["unit_conversion", "search_contacts", "send_message_with_phone_number"],
        milestones=[
            added(MESSAGING, recipient_phone_number=tailor.phone_number, content=content),
            answer(Done("sent", ("message", "text", "height", "tailor"))),
        ],
        solution=solution,
    )


@scenario(UNIT_CHAIN, CANONICALIZATION, ScenarioCategories.LONG_CHAIN)
def add_reminder_recipe_converted_amounts_unit_chain(world: World) -> Task:
    """Create a reminder that lists three kitchen measures, converted."""
    cups, ounces, inches = world.integer(2, 2, 6), world.integer(8, 3, 20), world.integer(9, 7, 12)
    hour, tomorrow = world.integer(17, 8, 20), world.in_days(1)
    amounts = [
        (cups, "cup", "milliliter", 236.5882365),
        (ounces, "ounce", "gram", 28.349523125),
        (inches, "inch", "centimeter", 2.54),
    ]

    def solution() -> Solution:
        milk, butter, tin = yield [
            call("unit_conversion", amount=amount, from_unit=source, to_unit=target)
            for amount, source, target, _ in amounts
        ]
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        content = f"Bake the cake: {milk:.0f} ml milk, {butter:.0f} g butter, a tin of {tin:.1f} cm"
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"I have set the reminder: {content}.")

    figures = [
        Number(amount * size, unit=unit, tolerance=0.5, relative=0.01, in_unit=True)
        for amount, _, unit, size in amounts
    ]
    return Task(
        user=world.phrase(
            f"Remind me tomorrow at {spoken_hour(hour)} to bake the cake. Write what I need into the reminder, but in "
            f"metric: {cups} cups of milk in milliliters, {ounces} ounces of butter in grams, and a {inches} inch tin "
            "in centimeters.",
            f"My recipe wants {cups} cups of milk, {ounces} ounces of butter and a {inches} inch tin. Set a reminder "
            f"to bake for tomorrow, {spoken_hour(hour)}, that lists these in milliliters, grams and centimeters.",
        ),
        tools=["unit_conversion", *CLOCK_TOOLS],
        milestones=[
            added(REMINDER, content=Says(figures), reminder_timestamp=Near(world.at(tomorrow, hour), 1.0)),
        ],
        solution=solution,
    )
