"""Lookups and conversions that fail as they are asked for, because a name, a unit or a place is not enough."""

import datetime

from tool_sandbox.answers.facts import Absent, Date, FromTrace, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.holidays import fourth_thursday
from tool_sandbox.scenarios.families.places import at_place
from tool_sandbox.scenarios.matchers import Near, OneOf
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    Node,
    Task,
    answer,
    asked,
    call,
    called,
    cannot,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows, Solution, ToolCallFailed

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
ERROR_RECOVERY = ScenarioCategories.ERROR_RECOVERY
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION
MULTIPLE_TOOL_CALL = ScenarioCategories.MULTIPLE_TOOL_CALL

POSITION = r"longitude|coordinate|where|place|location|position|which"
LIQUID = r"densit|substance|liquid|fluid|material|ingredient|\bwhat\b|which|heavy|weigh|water|oil|fuel|honey"
SUBSTANCE = (
    *("density", "substance", "liquid", "fluid", "material", "ingredient", "contents", "in them", "in it", "in there"),
    *("inside", "made of", "what it is", "what they hold", "filled with", "fills"),
)
LITRES_PER_GALLON = 3.785411784
"""The gallon of the United States, 231 cubic inches."""


def conversion(amount: float, source: str, target: str) -> Node:
    """A conversion between two currencies by their codes."""
    codes = {"from_currency_code": source, "to_currency_code": target}
    return called(
        "convert_currency", amount=amount, **{name: OneOf((code, code.lower())) for name, code in codes.items()}
    )


@scenario(ERROR_RECOVERY, CANONICALIZATION, MULTIPLE_TOOL_CALL)
def convert_currency_country_name_error_recovery(world: World) -> Task:
    """Convert an amount between the currencies of two countries, which the user names instead of currencies."""
    amount = world.integer(300, 50, 900)
    home, source, abroad, target = world.choice(
        ("Switzerland", "CHF", "Japan", "JPY"),
        ("Canada", "CAD", "Mexico", "MXN"),
        ("India", "INR", "Switzerland", "CHF"),
        ("Japan", "JPY", "Canada", "CAD"),
    )

    def solution() -> Solution:
        try:
            yield call("convert_currency", amount=amount, from_currency_code=home, to_currency_code=abroad)
        except ToolCallFailed:
            money = yield call("convert_currency", amount=amount, from_currency_code=source, to_currency_code=target)
            yield say(f"{amount} {source} is {money:.2f} {target}.")

    return Task(
        user=world.phrase(
            f"I have {amount} left in the money of {home}. How much is that in the money of {abroad}?",
            f"Convert {amount} from what they pay with in {home} to what they pay with in {abroad}.",
        ),
        tools=["convert_currency"],
        milestones=[
            conversion(amount, source, target),
            answer(Number(FromTrace("convert_currency"), unit=target, context=amount)),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, MULTIPLE_TOOL_CALL, state="location_off")
def find_temperature_only_latitude_given_error_recovery_multiple_user_turn(world: World) -> Task:
    """Give one coordinate of two; the other comes when asked."""
    place = world.choice(*pools.PLACES)
    other = f"The longitude is {place.longitude}."

    def solution() -> Solution:
        try:
            yield call("search_weather_around_lat_lon", latitude=place.latitude)
        except ToolCallFailed:
            yield say("I need the longitude of the place as well. What is it?")
            where = {"latitude": place.latitude, "longitude": place.longitude}
            weather = yield call("search_weather_around_lat_lon", **where)
            yield say(f"It is {weather['current_temperature']} degrees Celsius there.")

    temperature = FromTrace("search_weather_around_lat_lon", "current_temperature")
    return Task(
        user=world.phrase(
            f"How many degrees Celsius is it at latitude {place.latitude} right now?",
            f"What's the temperature at {place.latitude} degrees north, in Celsius?",
        ),
        knows=(Knows(POSITION, other, decides=True),),
        tools=["search_weather_around_lat_lon"],
        milestones=[
            asked(POSITION),
            at_place("search_weather_around_lat_lon", place, days=0),
            answer(Number(temperature, unit="celsius")),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, CANONICALIZATION)
def search_holiday_colloquial_name_error_recovery(world: World) -> Task:
    """Tell the date of a holiday by a name that the lookup does not know."""
    year = world.today.year
    last_of_may = datetime.date(year, 5, 31)
    nickname, name, date = world.choice(
        ("Armistice Day", "Veterans Day", datetime.date(year, 11, 11)),
        ("Decoration Day", "Memorial Day", last_of_may - datetime.timedelta(days=last_of_may.weekday())),
        ("Turkey Thursday", "Thanksgiving Day", fourth_thursday(year)),
    )

    def solution() -> Solution:
        found = yield call("search_holiday", holiday_name=nickname)
        if found is None:
            found = yield call("search_holiday", holiday_name=name)
        day = yield call("timestamp_to_datetime_info", timestamp=found)
        yield say(f"{nickname} is on {datetime.date(day['year'], day['month'], day['day']):%B %d} this year.")

    return Task(
        user=world.phrase(f"When is {nickname} this year?", f"On which date is {nickname} {year}?"),
        tools=["search_holiday", "timestamp_to_datetime_info"],
        milestones=[
            called("search_holiday").returning(Near(world.at(date, 0), 1.0)),
            answer(Date(date, reference=world.today, zone=world.zone)),
        ],
        solution=solution,
    )


def _gallons_request(world: World, gallons: int) -> str:
    return world.phrase(
        f"Use the unit converter: how many kilograms are {gallons} gallons? No guessing, please.",
        f"Put {gallons} gallons into the unit converter and tell me how many kilograms that is, without guessing.",
    )


@scenario(INSUFFICIENT_INFORMATION, twin="unit_conversion_substance_told_error_recovery_multiple_user_turn")
def unit_conversion_incompatible_units_error_recovery(world: World) -> Task:
    """Turn gallons into kilograms when nobody says of what."""
    gallons = world.integer(3, 2, 40)
    water = Number(gallons * LITRES_PER_GALLON, unit="kilogram", relative=0.15)
    return Task(
        user=_gallons_request(world, gallons),
        tools=["unit_conversion"],
        milestones=[answer(cannot(INFORMATION_MISSING, about=SUBSTANCE), Absent(water))],
        # An attempt could tell nothing that is not known before.
        solution=[say("I cannot tell: gallons measure volume, and I don't know the density of the liquid.")],
    )


@scenario(ERROR_RECOVERY, MULTIPLE_TOOL_CALL)
def unit_conversion_substance_told_error_recovery_multiple_user_turn(world: World) -> Task:
    """Turn gallons into kilograms; what they are of, and its density, comes on request."""
    gallons = world.integer(3, 2, 40)
    substance, density = world.choice(("olive oil", 0.91), ("honey", 1.42), ("petrol", 0.75))

    def solution() -> Solution:
        try:
            yield call("unit_conversion", amount=gallons, from_unit="gallon", to_unit="kilogram")
        except ToolCallFailed:
            yield say("That depends on the liquid. Which one is it, and what is its density?")
            litres = yield call("unit_conversion", amount=gallons, from_unit="gallon", to_unit="liter")
            yield say(f"{gallons} gallons of {substance} are {litres * density:.2f} kilograms.")

    weight = Number(gallons * LITRES_PER_GALLON * density, unit="kilogram", relative=0.005, context=density)
    return Task(
        user=_gallons_request(world, gallons),
        knows={LIQUID: f"It's {substance}, {density} kilograms per liter."},
        tools=["unit_conversion"],
        milestones=[
            asked(LIQUID).named("asked"),
            called("unit_conversion").after().named("converted"),
            answer(weight).after("asked", "converted"),
        ],
        solution=solution,
    )
