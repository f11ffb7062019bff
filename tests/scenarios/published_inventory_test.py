"""Every scenario of the published benchmark exists, with its tags, start state and tools.

``published_inventory.json`` lists the published names and those facts about each; where ours differ on purpose, the
difference is named here.
"""

import json
from pathlib import Path

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import get_scenario

PUBLISHED = json.loads(Path(__file__).with_name("published_inventory.json").read_text())
EVERYTHING_ON = {"cellular": True, "wifi": True, "location_service": True, "low_battery_mode": False}

MORE_TOOLS = {
    # Not solvable with the published tools alone.
    "add_reminder_content_and_week_delta_and_time_and_location_low_battery_mode_multiple_user_turn_alt": {
        "set_location_service_status",
        "get_location_service_status",
    },
    "find_temperature_f_with_location_and_time_diff_low_battery_mode_multiple_user_turn": {
        "unit_conversion",
        "search_location_around_lat_lon",
    },
}

ADDED_TAGS = {"STATE_DEPENDENCY", "CANONICALIZATION"}
"""Tags that the published benchmark gives to some scenarios of a kind and forgets at others."""

COUNTED_TAGS = {"SINGLE_USER_TURN", "MULTIPLE_USER_TURN", "SINGLE_TOOL_CALL", "MULTIPLE_TOOL_CALL"}
"""Tags that the published impossible tasks lack."""


def test_all_are_there():
    assert len(PUBLISHED) == 129


def test_published_scenarios_keep_their_tags_state_and_tools():
    for name in PUBLISHED:
        check(name)


def check(name):
    published, scenario = PUBLISHED[name], get_scenario(name)
    context = scenario.starting_context
    tags = {str(tag) for tag in scenario.categories} - {"NO_DISTRACTION_TOOLS"}
    new = {str(tag) for tag in list(ScenarioCategories)[18:]}
    permitted = ADDED_TAGS | new | (COUNTED_TAGS if "INSUFFICIENT_INFORMATION" in tags else set())
    assert tags >= set(published["tags"])
    assert tags - set(published["tags"]) <= permitted
    settings = context.get_table("SETTING").dicts()[0]
    assert {key: settings[key] for key, on in EVERYTHING_ON.items() if settings[key] != on} == published["settings"]
    tools = set(context.tool_allow_list) - {"end_conversation"}
    assert tools == set(published["tools"]) | MORE_TOOLS.get(name, set())
    # More is denied where a detour (a reminder's creation time tells the time) made an impossible task possible.
    assert set(context.tool_deny_list or ()) >= set(published["denied"]) - tools
