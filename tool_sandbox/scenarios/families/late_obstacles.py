"""Tasks whose obstacle shows only on the way, each beside its possible twin: same wish, one row or tool more."""

import attrs

from tool_sandbox.answers.facts import Absent, AnyNumber, AnyOf, Done, Entity, Fact, FromTrace, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import either, found
from tool_sandbox.scenarios.families.places import WHICH_CITY
from tool_sandbox.scenarios.families.reminder_creation import spoken_date
from tool_sandbox.scenarios.matchers import Near, Nothing, SameWords
from tool_sandbox.scenarios.steps import newest_message, read_clock
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    INFORMATION_MISSING,
    NOT_FOUND,
    SERVICE_FAILED,
    TOOL_MISSING,
    Node,
    Task,
    added,
    answer,
    call,
    called,
    cannot,
    changed,
    failed,
    say,
    told,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.tools.rapid_api_search_tools import MAX_FORECAST_DAYS
from tool_sandbox.tools.services.outage import CurrencyOutage
from tool_sandbox.world.script import Solution, ToolCallFailed

INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION
NEGATIVE_CONSTRAINT = ScenarioCategories.NEGATIVE_CONSTRAINT
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC

AT_SEA = {
    "America/Los_Angeles": (31.5, -131.0),
    "America/New_York": (36.2, -62.4),
    "America/Chicago": (25.3, -90.4),
}
"""A position on open water for each zone of a device, far from any known place."""

LIMITS = (MAX_FORECAST_DAYS, MAX_FORECAST_DAYS + 1)
"""How many days the forecast covers, today left out or not."""


# Somebody who is not saved -------------------------------------------------------------------------------------


def _last_sender_gets(world: World, number: str, *outcome: Node, consents: bool = True) -> Task:
    """Wants a new number for whoever wrote last."""

    def solution() -> Solution:
        row = yield from newest_message()
        people = yield call("search_contacts", phone_number=row["sender_phone_number"])
        if not people:
            yield say(f"The last text is from {row['sender_phone_number']}, who is not in your contacts.")
            return
        yield call("modify_contact", person_id=people[0]["person_id"], phone_number=number)
        yield say(f"I have changed the number of {people[0]['name']} to {number}.")

    return Task(
        user=world.phrase(
            f"Whoever texted me last has a new phone number, {number}. Change it in my contacts.",
            f"Look who sent me the latest text and put {number} as the new number into their contact.",
        ),
        consents=consents,
        tools=["get_current_timestamp", "search_messages", "search_contacts", "modify_contact", "add_contact"],
        milestones=outcome,
        solution=solution,
    )


@scenario()
def modify_contact_last_sender(world: World) -> Task:
    """Give whoever wrote last a new number."""
    number = world.new_person().phone_number
    person = world.choice(world.boss, world.friend)
    world.receive(person, world.choice(*pools.QUESTIONS), minutes_ago=0.5)
    new_number = changed(CONTACT, {"person_id": person.person_id}, phone_number=number)
    return _last_sender_gets(world, number, new_number, answer(Done("updated", person.spoken)))


@scenario(INSUFFICIENT_INFORMATION, twin="modify_contact_last_sender")
def modify_contact_last_sender_unknown_insufficient_information(world: World) -> Task:
    """Give whoever wrote last a new number, but that person is not saved."""
    number, stranger = world.new_person().phone_number, world.new_person()
    newest = world.receive(stranger, world.choice(*pools.QUESTIONS), minutes_ago=0.5)
    row = found("search_messages", message_id=newest.message_id)
    about = ("contact", "contacts", "address book", "saved", "unsaved")
    not_saved = answer(cannot(NOT_FOUND, about=about, task="updated"))
    return _last_sender_gets(world, number, row, not_saved, consents=False)


# A day without a forecast --------------------------------------------------------------------------------------


def _high_on(world: World, days: int, evidence: Node, *facts: Fact) -> Task:
    """Asks for the highest temperature on a date, and how far ahead that is, in begun or in full days."""
    date = world.in_days(days)

    def solution() -> Solution:
        moment = yield from read_clock()
        ahead = (date - moment.today).days
        try:
            weather = yield call("search_weather_around_lat_lon", days=ahead)
            high = weather["max_temperature"]
            yield say(f"That is in {ahead} days, and the highest temperature will be {high} degrees Celsius.")
        except ToolCallFailed:
            yield say(f"There is no forecast for {spoken_date(date)}: that is {ahead} days ahead.")

    return Task(
        user=world.phrase(
            f"What will the highest temperature be here on {spoken_date(date)}, and in how many days is that?",
            f"How many days is it until {spoken_date(date)}, and how warm does it get here on that day at most?",
        ),
        tools=[
            "get_current_timestamp",
            "timestamp_to_datetime_info",
            "datetime_info_to_timestamp",
            "timestamp_diff",
            "search_weather_around_lat_lon",
        ],
        milestones=[evidence, answer(Number(days - 0.5, unit="day", tolerance=0.5, context=LIMITS), *facts)],
        solution=solution,
    )


@scenario(TIME_ARITHMETIC)
def find_temperature_within_forecast_range(world: World) -> Task:
    """Tell the highest temperature on a date that the forecast covers."""
    days = world.integer(9, 3, 12)
    high = FromTrace("search_weather_around_lat_lon", "max_temperature", {"days": days})
    return _high_on(
        world,
        days,
        called("search_weather_around_lat_lon", days=days),
        Number(high, unit="celsius", about=("highest", "maximum", "high", "max", "most", "warm")),
    )


@scenario(INSUFFICIENT_INFORMATION, TIME_ARITHMETIC, twin="find_temperature_within_forecast_range")
def find_temperature_beyond_forecast_range_insufficient_information(world: World) -> Task:
    """Tell the highest temperature on a date that no forecast covers yet."""
    days = world.integer(40, 20, 90)
    no_forecast = cannot(NOT_FOUND, TOOL_MISSING, SERVICE_FAILED, about=("forecast", "weather", "temperature", "days"))
    names_limit = Number(MAX_FORECAST_DAYS, unit="day", context=(days, days - 1))
    no_guess = Absent(AnyNumber("celsius"))
    told_date = either(called("get_current_timestamp"), called("search_weather_around_lat_lon"))
    return _high_on(world, days, told_date, AnyOf((no_forecast, names_limit)), no_guess)


# A service that fails ------------------------------------------------------------------------------------------


@scenario(INSUFFICIENT_INFORMATION, ScenarioCategories.ERROR_RECOVERY, twin="convert_currency")
def convert_currency_backend_failure_insufficient_information(world: World) -> Task:
    """Convert a dollar amount into yuan while the service has no rate for that."""
    amount = world.integer(2048, 100, 9000)

    def solution() -> Solution:
        codes = {"from_currency_code": "USD", "to_currency_code": "CNY"}
        try:
            yield call("convert_currency", amount=amount, **codes)
        except ToolCallFailed:
            yield say(f"I could not convert {amount} USD: no exchange rate to CNY is available at the moment.")

    return Task(
        user=world.phrase(f"Convert {amount} USD to CNY.", f"How many CNY are {amount} USD?"),
        tools=["convert_currency"],
        services=CurrencyOutage("CNY"),
        milestones=[
            failed("convert_currency", amount=amount, to_currency_code=SameWords("CNY")),
            answer(
                cannot(NOT_FOUND, SERVICE_FAILED, about=("rate", "exchange", "conversion", "convert", "converter")),
                Absent(AnyNumber("CNY")),
            ),
        ],
        solution=solution,
    )


# A place without a number, a point without an address ----------------------------------------------------------


def _save_place(world: World, place: pools.Place, *outcome: Node, consents: bool = True) -> Task:
    """Wants a place saved with its phone number."""

    def solution() -> Solution:
        rows = yield call("search_location_around_lat_lon", location=place.name)
        number = next(row["phone_number"] for row in rows if row["name"] == place.name)
        if number is None:
            yield say(f"{place.name} has no phone number listed, so I did not save it.")
            return
        yield call("add_contact", name=place.name, phone_number=number)
        yield say(f"I have added {place.name} to your contacts.")

    return Task(
        user=world.phrase(
            f"Look up the phone number of {place.name} and save it in my contacts under that name.",
            f"Add {place.name} to my contacts, with the phone number that it is listed with.",
        ),
        consents=consents,
        tools=["search_location_around_lat_lon", "add_contact"],
        milestones=outcome,
        solution=solution,
    )


@scenario()
def add_contact_of_place_with_listed_number(world: World) -> Task:
    """Save a place with its public phone number."""
    place = world.choice(*pools.LISTED_PLACES)
    entry = added(CONTACT, name=SameWords(place.name, extra=1), phone_number=place.phone_number)
    return _save_place(world, place, entry, answer(Done("added", (place.name, "contact", "number"))))


@scenario(INSUFFICIENT_INFORMATION, twin="add_contact_of_place_with_listed_number")
def search_place_without_listed_number_insufficient_information(world: World) -> Task:
    """Save a place with its public phone number, but its listing has none."""
    place = world.choice(*(place for place in pools.PLACES if not place.phone_number))
    row = found("search_location_around_lat_lon", name=place.name)
    no_number = answer(cannot(NOT_FOUND, INFORMATION_MISSING, about=("number", "phone"), task="added"))
    return attrs.evolve(_save_place(world, place, row, no_number, consents=False), never=[told(r"\d{10}")])


@scenario(INSUFFICIENT_INFORMATION, twin="find_current_city")
def find_current_city_no_address_insufficient_information(world: World) -> Task:
    """Name the present city while the device is on open water."""
    world.position = AT_SEA[world.zone]
    latitude, longitude = world.position

    def solution() -> Solution:
        position = yield call("get_current_location")
        yield call("search_lat_lon", **position)
        yield say(f"There is no city at your position, {latitude} north and {-longitude} west: no address was found.")

    return Task(
        user=world.phrase(*WHICH_CITY),
        tools=["get_current_location", "search_lat_lon"],
        milestones=[
            called("search_lat_lon", latitude=Near(latitude, 0.01), longitude=Near(longitude, 0.01)).returning(
                Nothing()
            ),
            answer(
                cannot(NOT_FOUND, about=("city", "address", "town", "place", "location", "position")),
                Absent(tuple(Entity(device.city) for device in pools.DEVICES)),
            ),
        ],
        solution=solution,
    )


# An entry that cannot be edited --------------------------------------------------------------------------------


def _new_number(world: World, *, possible: bool) -> Task:
    """Asks what an entry says, and wants a new number in it; it must be neither deleted nor made anew."""
    person, number = world.choice(world.friend, world.other_friend), world.new_person().phone_number

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        if possible:
            yield call("modify_contact", person_id=row["person_id"], phone_number=number)
            yield say(f"{person.name} is your {row['relationship']}. I have changed the number to {number}.")
        else:
            yield say(f"{person.name} is your {row['relationship']}. I have no tool to edit contacts.")

    about = (*person.spoken, "entry")
    missing = cannot(
        TOOL_MISSING, about=("edit", "editing", "change", "changing", "update", "modify", "number"), task="updated"
    )
    return Task(
        user=world.phrase(
            f"Tell me how I have {person.name} down in my contacts, as what kind of relation, and change the number in "
            f"that entry to {number}. Don't delete or re-create the entry for that.",
            f"Which relationship did I save for {person.name}? Tell me, and give that entry the number {number}. Keep "
            "the entry itself: do not remove it and add a new one.",
        ),
        consents=False,
        tools=["search_contacts", "remove_contact", "add_contact", *(["modify_contact"] if possible else [])],
        denied=() if possible else ["modify_contact"],
        milestones=[
            changed(CONTACT, {"person_id": person.person_id}, phone_number=number)
            if possible
            else found("search_contacts", person_id=person.person_id),
            answer(
                Entity(str(person.relationship), about=about),
                Done("updated", about) if possible else missing,
            ),
        ],
        solution=solution,
    )


@scenario(NEGATIVE_CONSTRAINT, variant=1)
def update_contact_number_keeping_entry(world: World) -> Task:
    """Change a person's number without making the entry anew."""
    return _new_number(world, possible=True)


@scenario(INSUFFICIENT_INFORMATION, NEGATIVE_CONSTRAINT, variant=1, twin="update_contact_number_keeping_entry")
def update_contact_edit_tool_missing_late_insufficient_information(world: World) -> Task:
    """Change a person's number, but entries can only be deleted and added, which is forbidden."""
    return _new_number(world, possible=False)
