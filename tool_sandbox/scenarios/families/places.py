"""Where things are, how far away, and what the weather is like there."""

from tool_sandbox.common.execution_context import ScenarioCategories
from tool_sandbox.common.facts import Absent, AnyNumber, Entity, FromTrace, Number, Phone
from tool_sandbox.common.script import Solution
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.derived import Derived
from tool_sandbox.scenarios.matchers import Near, Nothing
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    TOOL_MISSING,
    Node,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

POWER_TOOLS = ("get_low_battery_mode_status", "set_low_battery_mode_status")
WIFI_TOOLS = ("get_wifi_status", "set_wifi_status")
LOCATION_TOOLS = ("get_location_service_status", "set_location_service_status")
ALL_SWITCHES = (*POWER_TOOLS, *WIFI_TOOLS, *LOCATION_TOOLS)

ALLOWED_SWITCHES = (setting(low_battery_mode=False, wifi=True, location_service=True),)


def _leave_power_saving() -> Solution:
    """Switches power saving off, wireless and positioning on."""
    yield call("set_low_battery_mode_status", on=False)
    yield [call("set_wifi_status", on=True), call("set_location_service_status", on=True)]


def at_place(tool: str, place: pools.Place, suffix: str = "", within: float = 0.5) -> Node:
    """A call whose coordinates lie at a place, ``within`` degrees."""
    return called(
        tool,
        **{f"latitude{suffix}": Near(place.latitude, within), f"longitude{suffix}": Near(place.longitude, within)},
    )


@scenario()
def find_address_with_lat_lon(world: World) -> Task:
    """Turn a given coordinate pair into a street address."""
    latitude, longitude = world.position

    def solution() -> Solution:
        address = yield call("search_lat_lon", latitude=latitude, longitude=longitude)
        yield say(f"The address is {address}.")

    return Task(
        user=world.phrase(
            f"Which address is at latitude {latitude}, longitude {longitude}?",
            f"What is the street address of {latitude}, {longitude}?",
        ),
        tools=["search_lat_lon"],
        milestones=[
            called("search_lat_lon", latitude=Near(latitude, 1e-4), longitude=Near(longitude, 1e-4)),
            answer(Entity(world.street)),
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def find_phone_number_with_location_name(world: World) -> Task:
    """Find the public phone number of a named landmark nearby."""
    place = world.choice(*pools.LISTED_PLACES)

    def solution() -> Solution:
        [found, *_] = yield call("search_location_around_lat_lon", location=place.name)
        yield say(f"The number of {place.name} is {found['phone_number']}.")

    return Task(
        user=world.phrase(f"What is the phone number of {place.name}?", f"Find me the number of {place.name}."),
        tools=["search_location_around_lat_lon"],
        milestones=[called("search_location_around_lat_lon"), answer(Phone(place.phone_number))],
        solution=solution,
    )


def _local_temperature(world: World, request: str) -> Task:
    """Reports the temperature at the device, switching on what is needed."""
    power_saving = world.state == "low_battery"

    def solution() -> Solution:
        if power_saving:
            yield from _leave_power_saving()
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


def _fahrenheit_at(world: World, place: pools.Place, request: str) -> Task:
    """Reports the temperature at a place in Fahrenheit."""
    wifi_off = world.state == "wifi_off"

    def solution() -> Solution:
        if wifi_off:
            yield call("set_wifi_status", on=True)
        [found, *_] = yield call("search_location_around_lat_lon", location=place.name)
        where = {"latitude": found["latitude"], "longitude": found["longitude"]}
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
    place = world.choice(*pools.PLACES)
    request = world.phrase(
        f"What's the current temperature at {place.name} in Fahrenheit?",
        f"How many degrees Fahrenheit is it at {place.name} right now?",
    )
    return _fahrenheit_at(world, place, request)


@scenario(CANONICALIZATION, state="wifi_off")
def find_temperature_f_with_location_wifi_off(world: World) -> Task:
    """Report the temperature at a place in Fahrenheit with wireless off at the start."""
    place = world.choice(*pools.PLACES)
    request = world.phrase(
        f"What's the current temperature at {place.name} in Fahrenheit?",
        f"How many degrees Fahrenheit is it at {place.name} right now?",
    )
    return _fahrenheit_at(world, place, request)


@scenario(state="low_battery")
def find_current_city_low_battery_mode(world: World) -> Task:
    """Name the user's present city while power saving blocks everything."""

    def solution() -> Solution:
        yield from _leave_power_saving()
        position = yield call("get_current_location")
        address = yield call("search_lat_lon", **position)
        yield say(f"You are at {address}; the city is {world.city}.")

    return Task(
        user=world.phrase("Which city am I in?", "What's the name of the city I am in right now?"),
        tools=["get_current_location", "search_lat_lon", *ALL_SWITCHES],
        milestones=[
            called("search_lat_lon", latitude=Near(world.position[0], 0.01), longitude=Near(world.position[1], 0.01)),
            answer(Entity(world.city)),
        ],
        allowed=ALLOWED_SWITCHES,
        solution=solution,
    )


DISTANCE_TOOLS = ("get_current_location", "search_location_around_lat_lon", "calculate_lat_lon_distance")


def _distance_to(place: pools.Place) -> Solution:
    """Measures the way from the device to a place and tells it."""
    here = yield call("get_current_location")
    [found, *_] = yield call("search_location_around_lat_lon", location=place.name)
    kilometres = yield call(
        "calculate_lat_lon_distance",
        latitude_0=here["latitude"],
        longitude_0=here["longitude"],
        latitude_1=found["latitude"],
        longitude_1=found["longitude"],
    )
    yield say(f"{place.name} is {kilometres:.2f} kilometers away from you.")


@scenario(CANONICALIZATION)
def find_distance_with_location_name(world: World) -> Task:
    """Measure the distance in kilometres from the user to a named landmark."""
    place = world.choice(*pools.PLACES)
    return Task(
        user=world.phrase(
            f"How many kilometers am I away from {place.name}?",
            f"What is the distance from me to {place.name} in kilometers?",
        ),
        tools=DISTANCE_TOOLS,
        milestones=[
            called("calculate_lat_lon_distance"),
            answer(Number(place.kilometres_from(world.position), unit="kilometer", relative=0.01)),
        ],
        solution=lambda: _distance_to(place),
    )


@scenario(COREFERENCE, CANONICALIZATION)
def find_distance_there_coreference_multiple_user_turn(world: World) -> Task:
    """Ask for the weather at a named spot, then how far it is."""
    place = world.choice(*pools.PLACES)

    def solution() -> Solution:
        [found, *_] = yield call("search_location_around_lat_lon", location=place.name)
        where = {"latitude": found["latitude"], "longitude": found["longitude"]}
        weather = yield call("search_weather_around_lat_lon", **where)
        yield say(f"It is {weather['current_temperature']} degrees Celsius at {place.name}.")
        yield from _distance_to(place)

    temperature = FromTrace("search_weather_around_lat_lon", "current_temperature")
    return Task(
        user=(f"What's the temperature at {place.name} in Celsius?", "And how many kilometers away is it from me?"),
        tools=[*DISTANCE_TOOLS, "search_weather_around_lat_lon"],
        milestones=[
            at_place("search_weather_around_lat_lon", place),
            answer_for_now(Number(temperature, unit="celsius")),
            answer(Number(place.kilometres_from(world.position), unit="kilometer", relative=0.01)),
        ],
        solution=solution,
    )


@scenario(INSUFFICIENT_INFORMATION)
def find_temperature_f_with_location_insufficient_information(world: World) -> Task:
    """Report the temperature at a place in Fahrenheit without a weather tool."""
    place = world.choice(*pools.PLACES)
    return Task(
        user=f"What's the current temperature at {place.name} in Fahrenheit?",
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


@scenario(INSUFFICIENT_INFORMATION)
def find_distance_place_not_found_late_insufficient_information(world: World) -> Task:
    """Measure the distance to a place that the search does not know."""
    name = world.choice("Quibbleforth Observatory", "Zanderwick Lagoon", "Xylofen Brewery Museum")
    return Task(
        user=world.phrase(f"How many kilometers is it to {name}?", f"How far away is {name} in kilometers?"),
        tools=DISTANCE_TOOLS,
        milestones=[
            called("search_location_around_lat_lon").returning(Nothing()),
            answer(cannot(NOT_FOUND, about=(name,)), Absent(AnyNumber("kilometer"))),
        ],
        never=[called("calculate_lat_lon_distance")],
        solution=[
            call("search_location_around_lat_lon", location=name),
            say(f"I could not find {name}, so I cannot tell the distance."),
        ],
    )
