"""Questions about what is switched on, and about what stands in the way; nothing is to be changed."""

from tool_sandbox.answers.facts import Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.unit_chains import answer_after
from tool_sandbox.scenarios.vocabulary import Task, call, called, say
from tool_sandbox.scenarios.world import World

SPOKEN = {
    "low_battery_mode": "low battery mode",
    "wifi": "wifi",
    "cellular": "cellular service",
    "location_service": "location service",
}
"""Names of the settings in answers."""

GETTERS = {
    "low_battery_mode": "get_low_battery_mode_status",
    "wifi": "get_wifi_status",
    "cellular": "get_cellular_service_status",
    "location_service": "get_location_service_status",
}


def _states(request: str, *, tools: tuple[str, ...] = (), **states: bool) -> Task:
    """Tells which of some settings are on; of a single one, whether it is."""
    single = len(states) == 1
    facts = [Switch(SPOKEN[name], on=on, yes=True if single else None) for name, on in states.items()]
    said = [f"{SPOKEN[name].capitalize()} is {'on' if on else 'off'}." for name, on in states.items()]
    getters = [GETTERS[name] for name in states]
    calls = [call(getter) for getter in getters]
    return Task(
        user=request,
        tools=[*getters, *tools],
        milestones=answer_after([called(getter) for getter in getters], *facts),
        solution=[calls[0] if single else calls, say(" ".join(said))],
    )


@scenario(state="low_battery")
def get_low_battery_mode(world: World) -> Task:
    """Report that power saving is on."""
    return _states(
        world.phrase("Is power saving on?", "Is my phone in low battery mode right now?"), low_battery_mode=True
    )


@scenario()
def get_low_battery_mode_off(world: World) -> Task:
    """Report that power saving is off."""
    request = world.phrase("Do I have low battery mode turned on?", "Check whether power saving is active.")
    return _states(request, low_battery_mode=False)


@scenario(state="location_off")
def get_location_service_off(world: World) -> Task:
    """Report that positioning is off."""
    request = world.phrase("Is location service on?", "Can apps see where I am, that is, is my location turned on?")
    return _states(request, location_service=False)


@scenario(state="cellular_off")
def find_radios_that_are_off(world: World) -> Task:
    """Tell which of the three services are off, and which are on."""
    request = world.phrase(
        "Which of wifi, cellular and location are off on this phone, and which are on?",
        "Tell me for wifi, cellular and location whether each is on or off.",
    )
    return _states(request, wifi=True, cellular=False, location_service=True)


@scenario(state="wifi_off")
def find_connection_in_use(world: World) -> Task:
    """Tell which of the two radios that connect the phone is on."""
    request = world.phrase(
        "Am I connected through wifi or through cellular at the moment? Tell me for both whether they are on.",
        "Which of the two is on right now, and which is off: wifi or cellular?",
    )
    return _states(request, wifi=False, cellular=True)


@scenario(state="wifi_and_cellular_off")
def find_state_of_all_settings(world: World) -> Task:
    """Tell the state of all four settings."""
    request = world.phrase(
        "Give me the state of my phone: low battery mode, wifi, cellular, location. On or off?",
        "Are low battery mode, wifi, cellular and location each on or off?",
    )
    return _states(request, low_battery_mode=False, wifi=False, cellular=False, location_service=True)


@scenario(ScenarioCategories.NEGATIVE_CONSTRAINT, state="low_battery")
def explain_missing_position_without_changing_it(world: World) -> Task:
    """Tell what keeps positioning off, and change nothing."""
    request = world.phrase(
        "My map does not find me. Just tell me whether location and low battery mode are on; don't change anything.",
        "Is location on, and is low battery mode on? I only want to know, so leave both as they are.",
    )
    setters = ("set_location_service_status", "set_low_battery_mode_status")
    return _states(request, tools=setters, location_service=False, low_battery_mode=True)


@scenario(ScenarioCategories.NEGATIVE_CONSTRAINT, state="wifi_off")
def explain_missing_network_without_changing_it(world: World) -> Task:
    """Tell that wireless is off although power saving is, and change nothing."""
    request = world.phrase(
        "Web pages do not load. Is wifi on, and is low battery mode on? Leave everything as it is, I just wonder.",
        "Before I touch anything myself: tell me whether wifi is on and whether power saving is on.",
    )
    return _states(
        request, tools=("set_wifi_status", "set_low_battery_mode_status"), wifi=False, low_battery_mode=False
    )
