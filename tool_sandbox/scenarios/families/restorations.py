"""Switches that are only borrowed: switched for the task, then put back as they were."""

from tool_sandbox.answers.facts import Absent, Done, Entity, FromTrace, Number, Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.message_sending import RADIO_TOOLS, sent
from tool_sandbox.scenarios.families.places import (
    ALL_SWITCHES,
    ALLOWED_SWITCHES,
    LOCATION_TOOLS,
    WIFI_TOOLS,
    leave_power_saving,
)
from tool_sandbox.scenarios.matchers import Near
from tool_sandbox.scenarios.vocabulary import Task, answer, answer_for_now, call, called, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows, Solution

GOAL_CHANGE = ScenarioCategories.GOAL_CHANGE
SINGLE_USER_TURN = ScenarioCategories.SINGLE_USER_TURN
STATE_DEPENDENCY = ScenarioCategories.STATE_DEPENDENCY
STATE_RESTORATION = ScenarioCategories.STATE_RESTORATION

ALL_OFF = {"wifi": False, "cellular": False, "location_service": False}
SERVICES = ("wifi", "cellular_service", "location_service")
BORROWED = Knows(
    r"\b(?:turn|switch|enable|disable|leave|keep|stay|restore|back|again)\b",
    "Switch what you have to, as long as it is as before in the end.",
    decides=True,
)
SERVICE_TOOLS = tuple(f"{verb}_{service}_status" for service in SERVICES for verb in ("get", "set"))


@scenario(STATE_RESTORATION, SINGLE_USER_TURN, state="cellular_off")
def send_message_with_contact_content_cellular_off_restore_afterwards(world: World) -> Task:
    """Text someone, then leave the mobile radio as it was."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        yield call("set_cellular_service_status", on=True)
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield call("set_cellular_service_status", on=False)
        yield say(f"Your message to {person.name} has been sent, and cellular is off again.")

    return Task(
        user=world.phrase(
            f'Text {person.name}: "{content}" Cellular is off; switch it on for that and off again afterwards.',
            f'Send {person.name} "{content}" and leave my cellular service as you found it.',
        ),
        knows=(BORROWED,),
        tools=RADIO_TOOLS,
        milestones=[
            called("send_message_with_phone_number"),
            sent(person, content).named("sent"),
            setting(cellular=False),
            answer(Done("sent")).after("sent"),
        ],
        allowed=[setting(cellular=True)],
        solution=solution,
    )


@scenario(STATE_RESTORATION, SINGLE_USER_TURN, state="low_battery")
def find_temperature_low_battery_mode_restore_afterwards(world: World) -> Task:
    """Report the local temperature, then go back into power saving."""

    def solution() -> Solution:
        yield from leave_power_saving()
        weather = yield call("search_weather_around_lat_lon")
        yield call("set_low_battery_mode_status", on=True)
        yield say(f"It is {weather['current_temperature']} degrees Celsius here. Low battery mode is on again.")

    temperature = FromTrace("search_weather_around_lat_lon", "current_temperature")
    return Task(
        user=world.phrase(
            "How warm is it here? Leave low battery mode if you must, but then put everything back as it is now.",
            "What's the temperature here? Afterwards I want the phone in low battery mode again, as it is now.",
        ),
        knows=(BORROWED,),
        tools=["search_weather_around_lat_lon", *ALL_SWITCHES],
        milestones=[
            called("search_weather_around_lat_lon", days=0).named("weather"),
            setting(low_battery_mode=True, **ALL_OFF),
            answer(Number(temperature, unit="celsius")).after("weather"),
        ],
        allowed=ALLOWED_SWITCHES,
        solution=solution,
    )


@scenario(STATE_RESTORATION, SINGLE_USER_TURN, state="location_off")
def find_current_city_location_off_restore_only_changed(world: World) -> Task:
    """Name the present city, and put back only what had to change."""
    latitude, longitude = world.position

    def solution() -> Solution:
        yield call("set_location_service_status", on=True)
        position = yield call("get_current_location")
        address = yield call("search_lat_lon", **position)
        yield call("set_location_service_status", on=False)
        yield say(f"You are at {address}; the city is {world.city}. Location service is off again.")

    return Task(
        user=world.phrase(
            "Which city am I in? When you are done, undo whatever you had to switch for that, and nothing else.",
            "What's the name of the city I'm in? If you switch something on to find out, switch it off again.",
        ),
        knows=(BORROWED,),
        tools=["get_current_location", "search_lat_lon", *LOCATION_TOOLS, *WIFI_TOOLS],
        milestones=[
            called("get_current_location"),
            called("search_lat_lon", latitude=Near(latitude, 0.01), longitude=Near(longitude, 0.01)).named("looked up"),
            setting(location_service=False),
            answer(Entity(world.city)).after("looked up"),
        ],
        allowed=[setting(location_service=True)],
        solution=solution,
    )


@scenario(STATE_RESTORATION, state="wifi_off")
def set_all_radios_off_then_restore_previous_mix_multiple_user_turn(world: World) -> Task:
    """Everything off for a flight, later back to how it was, which is not everything on."""

    def solution() -> Solution:
        before = yield [call(f"get_{service}_status") for service in SERVICES]
        was_on = [service for service, on in zip(SERVICES, before, strict=True) if on]
        yield [call(f"set_{service}_status", on=False) for service in was_on]
        yield say("Wifi, cellular and location service are all off now.")
        yield [call(f"set_{service}_status", on=True) for service in was_on]
        yield say("Everything is back as it was: cellular and location service are on, wifi is off.")

    return Task(
        user=(
            world.phrase(
                "I'm boarding. Wifi, cellular and location service all have to be off.",
                "Make sure that wifi, cellular and location service are off for my flight.",
            ),
            world.phrase("We've landed. Put them back as they were. Which are on?", "Restore all three. Which are on?"),
        ),
        knows=(Knows(r"\bback\b|enable|(?:turn|switch|have)\b.{0,40}\bon\b", "As they were before.", decides=True),),
        tools=SERVICE_TOOLS,
        milestones=[
            setting(**ALL_OFF).passing(),
            setting(wifi=False, cellular=True, location_service=True),
            answer(Switch("cellular", on=True), Switch("location_service", on=True), Absent(Switch("wifi", on=True))),
        ],
        solution=solution,
    )


@scenario(STATE_RESTORATION, STATE_DEPENDENCY)
def set_low_battery_mode_on_then_off_restore_services_multiple_user_turn(world: World) -> Task:
    """Power saving on, later off again, with the services back that it had switched off."""

    def solution() -> Solution:
        yield call("set_low_battery_mode_status", on=True)
        yield say("Low battery mode is on.")
        yield call("set_low_battery_mode_status", on=False)
        yield [call(f"set_{service}_status", on=True) for service in SERVICES]
        yield say("Low battery mode is off, and wifi, cellular and location service are on again.")

    return Task(
        user=(
            world.phrase("Switch low battery mode on.", "I have to save power, turn on low battery mode."),
            world.phrase(
                "I'm charging now. Turn it off, and whatever it had switched off back on. Tell me what is on then.",
                "Leave low battery mode and bring back everything that it turned off. Which services are on now?",
            ),
        ),
        tools=["get_low_battery_mode_status", "set_low_battery_mode_status", *SERVICE_TOOLS],
        milestones=[
            setting(low_battery_mode=True, **ALL_OFF).passing(),
            answer_for_now(Done("turned_on", "low_battery_mode")),
            setting(low_battery_mode=False, wifi=True, cellular=True, location_service=True),
            answer(*(Switch(service, on=True) for service in ALL_OFF)),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE, STATE_RESTORATION, state="wifi_and_cellular_off")
def turn_on_wifi_then_meant_cellular_multiple_user_turn(world: World) -> Task:
    """Wireless was a slip: it goes off again, and the mobile radio on."""
    return Task(
        user=(
            world.phrase("Turn on wifi.", "Switch my wifi on, please.", "Enable wifi."),
            world.phrase(
                "Oh, I meant cellular. Turn that on, and wifi back off.",
                "Sorry, not wifi, cellular! Undo that and switch cellular on.",
            ),
        ),
        tools=["get_wifi_status", "set_wifi_status", "get_cellular_service_status", "set_cellular_service_status"],
        milestones=[
            setting(wifi=True).passing(),
            answer_for_now(Done("turned_on", "wifi")),
            called("set_cellular_service_status", on=True),
            setting(wifi=False, cellular=True),
            answer(Done("turned_on", "cellular")),
        ],
        solution=[
            call("set_wifi_status", on=True),
            say("Wifi is on."),
            [call("set_wifi_status", on=False), call("set_cellular_service_status", on=True)],
            say("Cellular is on, and wifi is off again."),
        ],
    )
