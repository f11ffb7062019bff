"""How far away things are."""

from tool_sandbox.answers.facts import Absent, AnyNumber, Entity, FromTrace, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.places import (
    ALL_SWITCHES,
    ALLOWED_SWITCHES,
    POSITIONS,
    WHEREABOUTS,
    at_place,
    leave_power_saving,
    named_place,
)
from tool_sandbox.scenarios.matchers import Nothing
from tool_sandbox.scenarios.steps import way_between, whereabouts
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    NOT_FOUND,
    TOOL_MISSING,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

DISTANCE_TOOLS = ("get_current_location", "search_location_around_lat_lon", "calculate_lat_lon_distance")


def _kilometres(world: World, place: pools.Place) -> Number:
    """The distance between the device and a place, to one decimal place or to one per cent."""
    return Number(place.kilometres_from(world.position), unit="kilometer", tolerance=0.06, relative=0.01)


def _distance_to(place: pools.Place) -> Solution:
    """Measures the way from the device to a place and tells it."""
    here = yield call("get_current_location")
    there = yield from whereabouts(place.name)
    kilometres = yield way_between(here, there)
    yield say(f"{place.name} is {kilometres:.2f} kilometers away from you.")


HOW_FAR = (
    "How many kilometers am I away from {place}?",
    "What is the distance from me to {place} in kilometers?",
)
HOW_FAR_ALT = (
    "I'd love to see {place} one day. How far is that from where I stand, in km?",
    "As the crow flies, how many km are there between me and {place}?",
)


def _distance(world: World, place: pools.Place, request: str) -> Task:
    """Tells how far away a place is in kilometres."""
    return Task(
        user=request,
        tools=DISTANCE_TOOLS,
        milestones=[
            called("calculate_lat_lon_distance"),
            answer(_kilometres(world, place)),
        ],
        solution=lambda: _distance_to(place),
    )


@scenario(CANONICALIZATION)
def find_distance_with_location_name(world: World) -> Task:
    """Measure the distance in kilometres from the user to a named landmark."""
    return _distance(world, *named_place(world, *HOW_FAR))


@scenario(CANONICALIZATION, variant=1)
def find_distance_with_location_name_alt(world: World) -> Task:
    """Measure the distance to a landmark, asked for in other words."""
    return _distance(world, *named_place(world, *HOW_FAR_ALT))


def _town_then_distance(world: World) -> Task:
    """Tells which town a place belongs to, then how far away it is."""
    place, request = named_place(world, "Which town is {place} in?", "Which town does {place} belong to?")
    power_saving = world.state == "low_battery"

    def solution() -> Solution:
        if power_saving:
            yield from leave_power_saving()
        yield call("search_location_around_lat_lon", location=place.name)
        yield say(f"{place.name} is in {place.town}.")
        yield from _distance_to(place)

    return Task(
        user=(
            request,
            world.phrase("How many kilometers am I away from it?", "And how many kilometers is it to there?"),
        ),
        tools=[*DISTANCE_TOOLS, *(ALL_SWITCHES if power_saving else ())],
        milestones=[
            called("search_location_around_lat_lon"),
            answer_for_now(Entity(place.town, apart_from=place.name)).named("town"),
            called("calculate_lat_lon_distance").after().named("measured"),
            answer(_kilometres(world, place)).after("town", "measured"),
        ],
        allowed=ALLOWED_SWITCHES if power_saving else (),
        solution=solution,
    )


@scenario(CANONICALIZATION, variant=2)
def find_distance_with_location_name_multiple_user_turn(world: World) -> Task:
    """Ask which town a landmark is in, then how far away it is."""
    return _town_then_distance(world)


@scenario(CANONICALIZATION, state="low_battery", variant=2)
def find_distance_with_location_name_low_battery_mode_multiple_user_turn(world: World) -> Task:
    """Ask which town a landmark is in, then how far away it is, while power saving blocks everything."""
    return _town_then_distance(world)


@scenario(COREFERENCE, CANONICALIZATION)
def find_distance_there_coreference_multiple_user_turn(world: World) -> Task:
    """Ask for the weather at a named spot, then how far it is."""
    place = world.choice(*pools.PLACES)

    def solution() -> Solution:
        where = yield from whereabouts(place.name)
        weather = yield call("search_weather_around_lat_lon", **where)
        yield say(f"It is {weather['current_temperature']} degrees Celsius at {place.name}.")
        yield from _distance_to(place)

    temperature = FromTrace("search_weather_around_lat_lon", "current_temperature")
    return Task(
        user=(
            world.phrase(
                f"What's the temperature at {place.name} in Celsius?",
                f"How many degrees Celsius is it at {place.name} now?",
            ),
            "And how many kilometers away is it from me?",
        ),
        tools=[*DISTANCE_TOOLS, "search_weather_around_lat_lon"],
        milestones=[
            at_place("search_weather_around_lat_lon", place),
            answer_for_now(Number(temperature, unit="celsius")),
            answer(_kilometres(world, place)),
        ],
        solution=solution,
    )


def _unmeasurable_distance(place: pools.Place, request: str) -> Task:
    """Asks for the way to a place when nothing tells where that or the device is."""
    return Task(
        user=request,
        tools=["calculate_lat_lon_distance"],
        denied=POSITIONS,
        milestones=[
            answer(
                cannot(TOOL_MISSING, INFORMATION_MISSING, about=(*WHEREABOUTS, "where")),
                Absent(AnyNumber("kilometer")),
            )
        ],
        never=[called("calculate_lat_lon_distance")],
        solution=[say(f"I have no tool that tells your position, so I don't know how far it is to {place.name}.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="find_distance_with_location_name")
def find_distance_with_location_name_insufficient_information(world: World) -> Task:
    """Measure the distance to a landmark without the own position and without a place search."""
    return _unmeasurable_distance(*named_place(world, *HOW_FAR))


@scenario(INSUFFICIENT_INFORMATION, twin="find_distance_with_location_name_alt", variant=1)
def find_distance_with_location_name_insufficient_information_alt(world: World) -> Task:
    """Measure the distance to a landmark, asked in other words, without own position and place search."""
    return _unmeasurable_distance(*named_place(world, *HOW_FAR_ALT))


@scenario(INSUFFICIENT_INFORMATION, twin="find_distance_with_location_name")
def find_distance_place_not_found_late_insufficient_information(world: World) -> Task:
    """Measure the distance to a place that the search does not know."""
    name = world.choice("Quibbleforth Observatory", "Zanderwick Lagoon", "Xylofen Brewery Museum")
    return Task(
        user=world.phrase(*HOW_FAR).format(place=name),
        tools=DISTANCE_TOOLS,
        milestones=[
            called("search_location_around_lat_lon").returning(Nothing()),
            answer(
                cannot(NOT_FOUND, about=(name, name.split()[0], "place", "location")), Absent(AnyNumber("kilometer"))
            ),
        ],
        never=[called("calculate_lat_lon_distance")],
        solution=[
            call("search_location_around_lat_lon", location=name),
            say(f"I could not find {name}, so I cannot tell the distance."),
        ],
    )
