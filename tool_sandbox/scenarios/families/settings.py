"""Radios and positioning: reading them, switching them, and power saving that stands in the way."""

from tool_sandbox.answers.facts import Done, Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, asked, call, called, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows

STATE_DEPENDENCY = ScenarioCategories.STATE_DEPENDENCY
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
MULTIPLE_TOOL_CALL = ScenarioCategories.MULTIPLE_TOOL_CALL
SINGLE_USER_TURN = ScenarioCategories.SINGLE_USER_TURN


def _turn_off(world: World, radio: str, spoken: str) -> Task:
    return Task(
        user=world.phrase(f"Turn off {spoken}.", f"Please switch {spoken} off.", f"Disable {spoken} for me."),
        tools=[f"set_{radio}_status"],
        milestones=[setting(**{radio.removesuffix("_service"): False}), answer(Done("turned_off", spoken))],
        solution=[call(f"set_{radio}_status", on=False), say(f"{spoken.capitalize()} is off now.")],
    )


def _is_on(world: World, radio: str, spoken: str) -> Task:
    return Task(
        user=world.phrase(f"Is {spoken} on?", f"Do I have {spoken} turned on?", f"Check whether {spoken} is enabled."),
        tools=[f"get_{radio}_status"],
        milestones=[called(f"get_{radio}_status"), answer(Switch(spoken, on=True, yes=True))],
        solution=[call(f"get_{radio}_status"), say(f"Yes, {spoken} is on.")],
    )


def _turn_on_despite_power_saving(radio: str, column: str, spoken: str, request: str) -> Task:
    return Task(
        user=request,
        knows=(Knows(r"\bback\b|again|re-?(?:enabl|activat)|\bkeep\b|\bstay\b", f"I need {spoken} on.", decides=True),),
        tools=[
            f"get_{radio}_status",
            f"set_{radio}_status",
            "get_low_battery_mode_status",
            "set_low_battery_mode_status",
        ],
        milestones=[setting(low_battery_mode=False, **{column: True}), answer(Done("turned_on", spoken))],
        solution=[
            call("set_low_battery_mode_status", on=False),
            call(f"set_{radio}_status", on=True),
            say(f"I left low battery mode and turned {spoken} on."),
        ],
    )


@scenario()
def cellular_off(world: World) -> Task:
    """Disable the phone's mobile radio."""
    return _turn_off(world, "cellular_service", "cellular service")


@scenario()
def wifi_off(world: World) -> Task:
    """Disable the wireless network radio."""
    return _turn_off(world, "wifi", "wifi")


@scenario()
def get_cellular(world: World) -> Task:
    """Report whether the mobile radio is currently enabled."""
    return _is_on(world, "cellular_service", "cellular service")


@scenario()
def get_wifi(world: World) -> Task:
    """Report whether the wireless network radio is enabled."""
    return _is_on(world, "wifi", "wifi")


@scenario(SINGLE_USER_TURN, state="low_battery")
def turn_on_wifi_low_battery_mode(world: World) -> Task:
    """Enable the wireless radio although power saving blocks it."""
    request = world.phrase("Turn on wifi.", "Please switch the wifi on.", "Enable wifi again.")
    return _turn_on_despite_power_saving("wifi", "wifi", "wifi", request)


@scenario(SINGLE_USER_TURN, state="low_battery", variant=1)
def turn_on_wifi_low_battery_mode_implicit(world: World) -> Task:
    """Get online; the user never names the radio."""
    request = world.phrase(
        "My laptop sees our home network, but this phone is not on it. Can you get the phone onto it?",
        "The router works, yet my phone does not join it. Please sort that out.",
    )
    return _turn_on_despite_power_saving("wifi", "wifi", "wifi", request)


@scenario(SINGLE_USER_TURN, state="low_battery")
def turn_on_cellular_low_battery_mode(world: World) -> Task:
    """Enable the mobile radio although power saving blocks it."""
    request = world.phrase("Turn on cellular.", "Switch cellular service on, please.", "Enable my mobile service.")
    return _turn_on_despite_power_saving("cellular_service", "cellular", "cellular service", request)


@scenario(SINGLE_USER_TURN, state="low_battery", variant=1)
def turn_on_cellular_low_battery_mode_implicit(world: World) -> Task:
    """Restore reception; the user only complains that there is no signal."""
    request = world.phrase(
        "There isn't a single bar at the top of my screen and calls don't go out. Please get that working.",
        "Nobody can reach me, because this phone has no reception at all. Can you fix it?",
    )
    return _turn_on_despite_power_saving("cellular_service", "cellular", "cellular service", request)


@scenario(SINGLE_USER_TURN, state="low_battery")
def turn_on_location_low_battery_mode(world: World) -> Task:
    """Enable positioning although power saving blocks it."""
    request = world.phrase("Turn on location service.", "Enable my location.", "Switch positioning on, please.")
    return _turn_on_despite_power_saving("location_service", "location_service", "location service", request)


@scenario(SINGLE_USER_TURN, state="low_battery", variant=1)
def turn_on_location_low_battery_mode_implicit(world: World) -> Task:
    """Make positioning work again; the user describes what does not work."""
    request = world.phrase(
        "My map has no blue dot: the phone does not know where it is. Please make it find me again.",
        "The navigation app says it can't see where I am. Can you get that going again?",
    )
    return _turn_on_despite_power_saving("location_service", "location_service", "location service", request)


@scenario(STATE_DEPENDENCY, MULTIPLE_TOOL_CALL)
def toggle_wifi_restart_order(world: World) -> Task:
    """Restart the wireless radio: off first, then on again."""
    return Task(
        user=world.phrase("Restart my wifi please.", "Turn the wifi off and on again.", "Give the wifi a restart."),
        tools=["set_wifi_status"],
        milestones=[setting(wifi=False).passing(), setting(wifi=True)],
        solution=[
            call("set_wifi_status", on=False),
            call("set_wifi_status", on=True),
            say("The wifi has been restarted and is on."),
        ],
    )


@scenario(DISAMBIGUATION)
def turn_off_connection_ambiguous_radio_disambiguation_multiple_user_turn(world: World) -> Task:
    """Turn "the connection" off while both radios are on; the user means the wireless one."""
    return Task(
        user=world.phrase("Turn my connection off.", "Cut the connection please.", "Switch off my connection."),
        knows=(
            Knows(
                r"which|wi-?fi|cellular|connection|mobile|both|either|radio|them|data",
                world.phrase("The wifi.", "I mean wifi.", "Just wifi."),
                decides=True,
            ),
        ),
        tools=["get_wifi_status", "get_cellular_service_status", "set_wifi_status", "set_cellular_service_status"],
        milestones=[asked(r"which|wi-?fi|cellular|mobile"), setting(wifi=False), answer(Done("turned_off", "wifi"))],
        solution=[
            [call("get_wifi_status"), call("get_cellular_service_status")],
            say("Wifi and cellular are both on. Which one shall I turn off?"),
            call("set_wifi_status", on=False),
            say("Wifi is off; cellular stays on."),
        ],
    )
