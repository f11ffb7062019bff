"""Texts that take six and more calls, because what they say or whom they go to has to be found out first."""

from tool_sandbox.answers.facts import Date, Entity, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.places import ALL_SWITCHES, leave_power_saving
from tool_sandbox.scenarios.foreseen import foreseen_weather
from tool_sandbox.scenarios.matchers import Says
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.steps import due, here, read_clock, text
from tool_sandbox.scenarios.vocabulary import MESSAGING, Node, Task, added, call, say, setting
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
LONG_CHAIN = ScenarioCategories.LONG_CHAIN

CLOCK = ("get_current_timestamp", "timestamp_to_datetime_info", "datetime_info_to_timestamp")
TEXTING = ("search_contacts", "send_message_with_phone_number")
RADIO = ("get_cellular_service_status", "set_cellular_service_status")
EVERYTHING_ON = setting(low_battery_mode=False, wifi=True, location_service=True, cellular=True)

OBSTACLES = ("Sort out yourself whatever is in the way.", "If something blocks you, fix it.")
"""What a user adds who does not care how it is done."""


def degrees_at(position: tuple[float, float], now: float) -> float:
    """Temperature in degrees Celsius that the search service will report for a latitude and longitude."""
    return float(foreseen_weather(*position, now).current["temp_c"])


def told_by_text(person: Person, *facts: Date | Entity | Number) -> Node:
    """Exactly one message that states these facts went to this person."""
    return added(MESSAGING, recipient_phone_number=person.phone_number, content=Says(facts))


@scenario(LONG_CHAIN, state="low_battery")
def send_message_weather_report_to_boss_low_battery_mode_long_chain(world: World) -> Task:
    """Text the boss the local temperature while power saving blocks everything."""

    def solution() -> Solution:
        yield from leave_power_saving()
        yield call("set_cellular_service_status", on=True)
        report = yield call("search_weather_around_lat_lon")
        [boss] = yield call("search_contacts", relationship="boss")
        yield text(boss["phone_number"], f"It is {report['current_temperature']} degrees Celsius here.")
        yield say("I switched power saving off and sent your boss the temperature.")

    degrees = Number(degrees_at(world.position, world.now), unit="celsius", tolerance=0.7, in_unit=True)
    request = world.phrase(
        "Text my boss how many degrees Celsius it is here right now.",
        "Let my boss know by text what the temperature is where I am, in Celsius.",
    )
    return Task(
        user=f"{request} {world.phrase(*OBSTACLES)}",
        tools=["search_weather_around_lat_lon", *TEXTING, *ALL_SWITCHES, *RADIO],
        milestones=[told_by_text(world.boss, degrees)],
        allowed=[EVERYTHING_ON],
        solution=solution,
    )


def _address_to_family(world: RichWorld) -> Task:
    """Texts the address of the device to everyone saved as family, leaving power saving first."""
    power_saving = world.state == "low_battery"

    def solution() -> Solution:
        if power_saving:
            yield from leave_power_saving()
            yield call("set_cellular_service_status", on=True)
        address = yield from here()
        for row in (yield call("search_contacts", relationship="family")):
            yield text(row["phone_number"], f"I am at {address} now.")
        yield say("Your family has got your address.")

    request = world.phrase(
        "Text the street address where I am right now to everyone who is saved as family in my contacts.",
        "Find out which street address I am at, and text it to all contacts with the relationship family.",
    )
    return Task(
        user=f"{request} {world.phrase(*OBSTACLES)}" if power_saving else request,
        tools=["get_current_location", "search_lat_lon", *TEXTING, *((*ALL_SWITCHES, *RADIO) if power_saving else ())],
        milestones=[told_by_text(person, Entity(world.street)).after() for person in world.family],
        allowed=[EVERYTHING_ON] if power_saving else [],
        solution=solution,
    )


@scenario(LONG_CHAIN, BATCH_EDIT, rich=True)
def send_message_own_address_to_all_family_long_chain(world: RichWorld) -> Task:
    """Tell every family member the present street address."""
    return _address_to_family(world)


@scenario(LONG_CHAIN, BATCH_EDIT, rich=True, state="low_battery")
def send_message_own_address_to_all_family_low_battery_mode_long_chain(world: RichWorld) -> Task:
    """Tell every family member the present street address while power saving blocks everything."""
    return _address_to_family(world)


@scenario(LONG_CHAIN, BATCH_EDIT, rich=True)
def send_message_reply_to_every_unanswered_text_today_long_chain(world: RichWorld) -> Task:
    """Answer every text of today that has no reply yet."""
    content = world.choice(
        "I am in a meeting, you will hear from me tonight.", "I am on the road, talk to you tomorrow."
    )

    def solution() -> Solution:
        moment = yield from read_clock()
        midnight = yield due(moment.today, 0)
        rows = yield call("search_messages", creation_timestamp_lowerbound=midnight)
        [me] = yield call("search_contacts", is_self=True)
        newest = {}
        for row in sorted(rows, key=lambda row: row["creation_timestamp"]):
            mine = row["sender_phone_number"] == me["phone_number"]
            newest[row["recipient_phone_number"] if mine else row["sender_phone_number"]] = mine
        for number in (number for number, mine in newest.items() if not mine):
            yield text(number, content)
        yield say("Everybody who was still waiting for a reply has got one.")

    return Task(
        user=world.phrase(
            f'Everyone who texted me today and has not got a reply yet gets this one: "{content}"',
            f'Reply "{content}" to each person whose text of today I have not answered so far.',
        ),
        tools=[*CLOCK, "search_messages", *TEXTING],
        milestones=[sent(person, content).after() for person in world.open_threads],
        solution=solution,
    )
