"""An agent that has to find its tools, in every way of playing: same score and world, and the offer grows."""

import json
from typing import Any

import pytest

from tests.integrations.mcp.clients import MODES, ClientAgent, SyncClient
from tests.loopback.ways import SEARCHED, WAYS, Played, scenario_of
from tests.stubs.playing import play

NAMES = (
    "wifi_off",
    "modify_contact_with_message_recency_3_distraction_tools_tool_name_scrambled",
    "send_message_with_contact_content_cellular_off_multiple_user_turn_all_tools",
)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_ends_as_without_search(way: str) -> None:
    assert_same(NAMES[0], way)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES[1:])
def test_every_way_ends_as_without_search_in_other_worlds(name: str, way: str) -> None:
    assert_same(name, way)


def assert_same(name: str, way: str) -> None:
    searched, plain = WAYS[way](name + SEARCHED), WAYS["direct"](name)
    assert searched.score == plain.score == 1
    # Searches take time of the world, so that results which tell it differ.
    assert called(searched) == called(plain)
    assert searched.messages > plain.messages


def called(played: Played) -> list[str]:
    return [json.loads(trace)["tool_name"] for trace in played.traces]


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_mcp_lists_what_it_has_found(mode: str) -> None:
    seen: dict[str, Any] = {}

    def turn(client: SyncClient, text: str) -> str:
        seen["first"] = [tool.name for tool in client.tools()]
        seen["early"] = client.call("set_wifi_status", {"on": False})
        _, seen["failed"] = client.call("search_tools", {"query": "turn off wifi", "limit": 1})
        seen["then"] = [tool.name for tool in client.tools()]
        seen["late"] = client.call("set_wifi_status", {"on": False})
        return "Wifi is off."

    scenario = scenario_of("wifi_off" + SEARCHED)
    played = play(ClientAgent(turn, mode), scenario)
    assert seen["first"] == ["search_tools"]
    assert seen["early"] == ("NameError: name 'set_wifi_status' is not defined", True)
    assert not seen["failed"]
    assert seen["then"] == ["search_tools", "set_wifi_status"]
    assert seen["late"] == ("None", False)
    assert scenario.evaluate(played.context).similarity == 1
