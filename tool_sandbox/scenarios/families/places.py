"""Where things are, and where the device is."""

from typing import Any

from tool_sandbox.answers.facts import Absent, Entity, Phone
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Near
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    TOOL_MISSING,
    Node,
    Task,
    answer,
    call,
    called,
    cannot,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

POWER_TOOLS = ("get_low_battery_mode_status", "set_low_battery_mode_status")
WIFI_TOOLS = ("get_wifi_status", "set_wifi_status")
LOCATION_TOOLS = ("get_location_service_status", "set_location_service_status")
ALL_SWITCHES = (*POWER_TOOLS, *WIFI_TOOLS, *LOCATION_TOOLS)
ALLOWED_SWITCHES = (setting(low_battery_mode=False, wifi=True, location_service=True),)

POSITIONS = (
    "get_current_location",
    "search_location_around_lat_lon",
    "search_weather_around_lat_lon",
    "search_reminder",
)
"""Tools from which the position of the device can be read or guessed; a reminder may be tied to where it was made."""

WHEREABOUTS = ("location", "position", "whereabouts", "coordinates", "latitude", "where you are")
"""Words of which an honest "I don't know where you are" uses at least one."""


def leave_power_saving() -> Solution:
    """Switches power saving off, wireless and positioning on."""
    yield call("set_low_battery_mode_status", on=False)
    yield [call("set_wifi_status", on=True), call("set_location_service_status", on=True)]


def at_place(tool: str, place: pools.Place, **arguments: Any) -> Node:
    """A call whose coordinates lie within half a degree of a place."""
    return called(tool, latitude=Near(place.latitude, 0.5), longitude=Near(place.longitude, 0.5), **arguments)


def named_place(world: World, *requests: str) -> tuple[pools.Place, str]:
    """A drawn place, and a drawn request that names it."""
    place = world.choice(*pools.PLACES)
    return place, world.phrase(*requests).format(place=place.name)


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


WHICH_ADDRESS = ("What is the address of the spot where I am now?", "Which street address am I at?")
WHICH_CITY = ("Which city am I in?", "What's the name of the city I am in right now?")


def _current_address(world: World, wanted: str, request: str) -> Task:
    """Names a part of the address that the device is at, leaving power saving first where it is on."""
    power_saving = world.state == "low_battery"

    def solution() -> Solution:
        if power_saving:
            yield from leave_power_saving()
        position = yield call("get_current_location")
        address = yield call("search_lat_lon", **position)
        yield say(f"You are at {address}; the city is {world.city}.")

    return Task(
        user=request,
        tools=["get_current_location", "search_lat_lon", *(ALL_SWITCHES if power_saving else ())],
        milestones=[
            called("search_lat_lon", latitude=Near(world.position[0], 0.01), longitude=Near(world.position[1], 0.01)),
            answer(Entity(wanted)),
        ],
        allowed=ALLOWED_SWITCHES if power_saving else (),
        solution=solution,
    )


@scenario()
def find_current_city(world: World) -> Task:
    """Name the user's present city."""
    return _current_address(world, world.city, world.phrase(*WHICH_CITY))


@scenario()
def find_current_location(world: World) -> Task:
    """Give the user's present address."""
    return _current_address(world, world.street, world.phrase(*WHICH_ADDRESS))


@scenario(state="low_battery")
def find_current_location_low_battery_mode(world: World) -> Task:
    """Give the user's present address while power saving blocks everything."""
    return _current_address(world, world.street, world.phrase(*WHICH_ADDRESS))


@scenario(state="low_battery")
def find_current_city_low_battery_mode(world: World) -> Task:
    """Name the user's present city while power saving blocks everything."""
    return _current_address(world, world.city, world.phrase(*WHICH_CITY))


@scenario(CANONICALIZATION, state="low_battery", variant=1)
def find_current_city_low_battery_mode_alt(world: World) -> Task:
    """Name the user's present city, asked for in slang, while power saving blocks everything."""
    request = world.phrase("Yo, what town did I end up in?", "Where on the map am I? Just the city.")
    return _current_address(world, world.city, request)


def _unknown_position(world: World, request: str) -> Task:
    """Asks where the device is when nothing tells its position; switching something on would not help."""
    switches = ("set_location_service_status", "set_low_battery_mode_status", "set_wifi_status")
    return Task(
        user=request,
        tools=["search_lat_lon", *(switches if world.state == "low_battery" else ())],
        denied=POSITIONS,
        milestones=[
            answer(
                cannot(TOOL_MISSING, INFORMATION_MISSING, about=WHEREABOUTS),
                Absent(tuple(Entity(name) for device in pools.DEVICES for name in (device.city, device.street))),
            )
        ],
        never=[called("search_lat_lon")],
        solution=[say("I have no tool that tells your current position, so I don't know where you are.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="find_current_city")
def find_current_city_insufficient_information(world: World) -> Task:
    """Name the present city without a way to obtain the position."""
    return _unknown_position(world, world.phrase(*WHICH_CITY))


@scenario(INSUFFICIENT_INFORMATION, twin="find_current_location")
def find_current_location_insufficient_information(world: World) -> Task:
    """Give the present address without a way to obtain the position."""
    return _unknown_position(world, world.phrase(*WHICH_ADDRESS))


@scenario(INSUFFICIENT_INFORMATION, state="low_battery", twin="find_current_city_low_battery_mode")
def find_current_city_low_battery_mode_insufficient_information(world: World) -> Task:
    """Name the present city in power saving, and without a way to obtain the position."""
    return _unknown_position(world, world.phrase(*WHICH_CITY))


@scenario(INSUFFICIENT_INFORMATION, state="low_battery", twin="find_current_location_low_battery_mode")
def find_current_location_low_battery_mode_insufficient_information(world: World) -> Task:
    """Give the present address in power saving, and without a way to obtain the position."""
    return _unknown_position(world, world.phrase(*WHICH_ADDRESS))
