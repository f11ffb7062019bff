"""Temperatures, here and elsewhere, now and on other days."""

from tool_sandbox.answers.facts import Absent, AnyNumber, Derived, FromTrace, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.holidays import CLOCKS
from tool_sandbox.scenarios.families.places import (
    ALL_SWITCHES,
    ALLOWED_SWITCHES,
    WIFI_TOOLS,
    at_place,
    leave_power_saving,
    named_place,
)
from tool_sandbox.scenarios.steps import read_clock, whereabouts
from tool_sandbox.scenarios.vocabulary import (
    TOOL_MISSING,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World, weekday_in
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION


def _local_temperature(world: World, request: str) -> Task:
    """Reports the temperature at the device, switching on what is needed."""
    power_saving = world.state == "low_battery"

    def solution() -> Solution:
        if power_saving:
            yield from leave_power_saving()
        weather = yield call("search_weather_around_lat_lon")
        yield say(f"It is {weather['current_temperature']} degrees Celsius here right now.")

    temperature = FromTrace("search_weather_around_lat_lon", "current_temperature")
    return Task(
        user=request,
        tools=["search_weather_around_lat_lon", *(ALL_SWITCHES if power_saving else ())],
        milestones=[called("search_weather_around_lat_lon", days=0), answer(Number(temperature, unit="celsius"))],
        allowed=ALLOWED_SWITCHES if power_saving else (),
        solution=solution,
    )


@scenario(CANONICALIZATION)
def find_temperature(world: World) -> Task:
    """Report the present temperature at the user's own position."""
    return _local_temperature(world, world.phrase("What's the temperature here right now?", "How warm is it here?"))


@scenario(CANONICALIZATION, state="low_battery")
def find_temperature_low_battery_mode(world: World) -> Task:
    """Report the local temperature while power saving blocks network and positioning."""
    request = world.phrase(
        "What's the temperature here right now? Sort out whatever gets in the way yourself.",
        "How warm is it here? If something blocks you, fix it.",
    )
    return _local_temperature(world, request)


@scenario(CANONICALIZATION, state="low_battery", variant=1)
def find_temperature_low_battery_mode_alt(world: World) -> Task:
    """Report the local temperature, asked for in telegraphic words, in power saving."""
    return _local_temperature(world, world.phrase("Temperature here, now?", "Outside temperature, my place. Now."))


FAHRENHEIT = (
    "What's the current temperature at {place} in Fahrenheit?",
    "How many degrees Fahrenheit is it at {place} right now?",
)
FAHRENHEIT_IMPLIED = (
    "How warm is it at {place} right now? The other temperature scale than Celsius, please, the one I grew up with in "
    "the US.",
    "I never got used to Celsius, so tell me in American degrees: what's the temperature at {place} now?",
)


def _fahrenheit_at(world: World, place: pools.Place, request: str) -> Task:
    """Reports the temperature at a place in Fahrenheit."""
    wifi_off = world.state == "wifi_off"

    def solution() -> Solution:
        if wifi_off:
            yield call("set_wifi_status", on=True)
        where = yield from whereabouts(place.name)
        weather = yield call("search_weather_around_lat_lon", **where)
        celsius = weather["current_temperature"]
        degrees = yield call("unit_conversion", amount=celsius, from_unit="celsius", to_unit="fahrenheit")
        yield say(f"It is {degrees:.1f} degrees Fahrenheit at {place.name} right now.")

    fahrenheit = Derived("search_weather_around_lat_lon", "current_temperature", scale=1.8, offset=32.0)
    return Task(
        user=request,
        tools=[
            "search_location_around_lat_lon",
            "search_weather_around_lat_lon",
            "unit_conversion",
            *(WIFI_TOOLS if wifi_off else ()),
        ],
        milestones=[
            at_place("search_weather_around_lat_lon", place),
            answer(Number(fahrenheit, unit="fahrenheit", in_unit=True)),
        ],
        allowed=[setting(wifi=True)] if wifi_off else [],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def find_temperature_f_with_location(world: World) -> Task:
    """Report the current temperature at a named place, in Fahrenheit."""
    return _fahrenheit_at(world, *named_place(world, *FAHRENHEIT))


@scenario(CANONICALIZATION, variant=1)
def find_temperature_f_with_location_alt(world: World) -> Task:
    """Report the temperature at a place for a user who only hints at Fahrenheit."""
    return _fahrenheit_at(world, *named_place(world, *FAHRENHEIT_IMPLIED))


@scenario(CANONICALIZATION, state="wifi_off")
def find_temperature_f_with_location_wifi_off(world: World) -> Task:
    """Report the temperature at a place in Fahrenheit with wireless off at the start."""
    return _fahrenheit_at(world, *named_place(world, *FAHRENHEIT))


@scenario(CANONICALIZATION, state="wifi_off", variant=1)
def find_temperature_f_with_location_wifi_off_alt(world: World) -> Task:
    """Report the temperature at a place, Fahrenheit only hinted at, with wireless off at the start."""
    return _fahrenheit_at(world, *named_place(world, *FAHRENHEIT_IMPLIED))


def _lows_at(world: World) -> Task:
    """Reports today's minimum at a place, then tomorrow's, in Fahrenheit."""
    place, request = named_place(
        world,
        "What's today's minimum temperature at {place}, in Fahrenheit?",
        "How low does the temperature go at {place} today? In Fahrenheit, please.",
    )
    switches = {"wifi_off": WIFI_TOOLS, "low_battery": ALL_SWITCHES}.get(world.state, ())

    def solution() -> Solution:
        if world.state == "low_battery":
            yield from leave_power_saving()
        elif world.state == "wifi_off":
            yield call("set_wifi_status", on=True)
        where = yield from whereabouts(place.name)
        for days, day in enumerate(("today", "tomorrow")):
            weather = yield call("search_weather_around_lat_lon", days=days, **where)
            celsius = weather["min_temperature"]
            degrees = yield call("unit_conversion", amount=celsius, from_unit="celsius", to_unit="fahrenheit")
            yield say(f"The minimum temperature at {place.name} {day} is {degrees:.1f} degrees Fahrenheit.")

    def low(days: int) -> Number:
        fahrenheit = Derived("search_weather_around_lat_lon", "min_temperature", {"days": days}, scale=1.8, offset=32.0)
        return Number(fahrenheit, unit="fahrenheit", in_unit=True, about=("minimum", "min", "low", "lowest"))

    return Task(
        user=(request, world.phrase("And tomorrow?", "What will tomorrow's minimum be there?")),
        tools=[
            "search_location_around_lat_lon",
            "search_weather_around_lat_lon",
            "unit_conversion",
            *switches,
        ],
        milestones=[
            at_place("search_weather_around_lat_lon", place, days=0),
            answer_for_now(low(0)).named("today"),
            at_place("search_weather_around_lat_lon", place, days=1).after().named("forecast"),
            answer(low(1)).after("today", "forecast"),
        ],
        allowed=ALLOWED_SWITCHES if switches else (),
        solution=solution,
    )


@scenario(CANONICALIZATION, variant=2)
def find_temperature_f_with_location_and_time_diff_multiple_user_turn(world: World) -> Task:
    """Ask for today's minimum at a place in Fahrenheit, then for tomorrow's."""
    return _lows_at(world)


@scenario(CANONICALIZATION, state="wifi_off", variant=2)
def find_temperature_f_with_location_and_time_diff_wifi_off_multiple_user_turn(world: World) -> Task:
    """Ask for today's and tomorrow's minimum at a place in Fahrenheit with wireless off at the start."""
    return _lows_at(world)


@scenario(CANONICALIZATION, state="low_battery", variant=2)
def find_temperature_f_with_location_and_time_diff_low_battery_mode_multiple_user_turn(world: World) -> Task:
    """Ask for today's and tomorrow's minimum at a place in Fahrenheit while power saving blocks the network."""
    return _lows_at(world)


def _without_weather(place: pools.Place, request: str) -> Task:
    """Asks for the temperature at a place when nothing tells the weather."""
    return Task(
        user=request,
        tools=["search_location_around_lat_lon", "unit_conversion"],
        denied=["search_weather_around_lat_lon"],
        milestones=[
            answer(
                cannot(TOOL_MISSING, about=("weather", "temperature", "forecast")),
                Absent(AnyNumber("fahrenheit")),
            )
        ],
        solution=[say(f"I have no tool for the weather, so I do not know the temperature at {place.name}.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="find_temperature_f_with_location")
def find_temperature_f_with_location_insufficient_information(world: World) -> Task:
    """Report the temperature at a place in Fahrenheit without a weather tool."""
    return _without_weather(*named_place(world, *FAHRENHEIT))


@scenario(INSUFFICIENT_INFORMATION, twin="find_temperature_f_with_location_alt", variant=1)
def find_temperature_f_with_location_insufficient_information_alt(world: World) -> Task:
    """Report the temperature at a place, Fahrenheit only hinted at, without a weather tool."""
    return _without_weather(*named_place(world, *FAHRENHEIT_IMPLIED))


COLDEST = ("What will the minimum temperature be here on {day}?", "What's the lowest temperature here this {day}?")
COLDEST_ALT = (
    "I'm sleeping in a tent this {day}. What is the coldest it will get here?",
    "How cold does it get here on {day}, at the coldest hour?",
)


def _weekday_low(world: World, *requests: str) -> Task:
    """Reports the minimum on a coming weekday."""
    date = world.coming_other(world.choice(5, 6, 7))
    days = (date - world.today).days

    def solution() -> Solution:
        moment = yield from read_clock()
        weather = yield call("search_weather_around_lat_lon", days=(date.weekday() - moment.today.weekday()) % 7 or 7)
        yield say(f"The minimum temperature on {date:%A} will be {weather['min_temperature']} degrees Celsius.")

    low = FromTrace("search_weather_around_lat_lon", "min_temperature", {"days": days})
    return Task(
        user=world.phrase(*requests).format(day=f"{date:%A}"),
        tools=["get_current_timestamp", "timestamp_to_datetime_info", "search_weather_around_lat_lon"],
        milestones=[
            called("search_weather_around_lat_lon", days=days),
            answer(Number(low, unit="celsius", about=("minimum", "min", "low", "lowest", "cold", "coldest"))),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.TIME_ARITHMETIC, today=weekday_in(3))
def find_min_temperature_weekday(world: World) -> Task:
    """Report the minimum temperature on a coming weekday."""
    return _weekday_low(world, *COLDEST)


@scenario(ScenarioCategories.TIME_ARITHMETIC, today=weekday_in(3), variant=1)
def find_min_temperature_weekday_alt(world: World) -> Task:
    """Report how cold a coming weekday gets, asked in other words."""
    return _weekday_low(world, *COLDEST_ALT)


def _weekday_low_without_weather(world: World, *requests: str) -> Task:
    """Asks for the minimum on a weekday when nothing tells the weather, and nothing which day it is."""
    day = f"{world.coming_other(world.choice(5, 6, 7)):%A}"
    return Task(
        user=world.phrase(*requests).format(day=day),
        tools=["timestamp_to_datetime_info"],
        denied=(*CLOCKS, "get_current_location"),
        milestones=[
            answer(
                cannot(TOOL_MISSING, about=("weather", "temperature", "forecast", "today", "date")),
                Absent(AnyNumber("celsius")),
            )
        ],
        solution=[say(f"I have no tool for the weather, so I do not know how cold it gets on {day}.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="find_min_temperature_weekday")
def find_min_temperature_weekday_insufficient_information(world: World) -> Task:
    """Report the minimum temperature on a coming weekday with neither a weather tool nor a clock."""
    return _weekday_low_without_weather(world, *COLDEST)


@scenario(INSUFFICIENT_INFORMATION, twin="find_min_temperature_weekday_alt", variant=1)
def find_min_temperature_weekday_insufficient_information_alt(world: World) -> Task:
    """Report how cold a coming weekday gets, asked in other words, with neither a weather tool nor a clock."""
    return _weekday_low_without_weather(world, *COLDEST_ALT)
