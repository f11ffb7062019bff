"""An agent that has to find its tools, in every way of playing: same score and world, and the offer grows."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

import tool_sandbox as ts
from tests.integrations.mcp.clients import MODES, ClientAgent, SyncClient, http_client
from tests.loopback.ways import RELAY, SEARCHED, WAYS, Played, relayed, scenario_of
from tests.stubs.playing import play
from tool_sandbox.integrations.mcp import SandboxServer, ToolEndpoint
from tool_sandbox.models.messages import ToolResult
from tool_sandbox.roles.registry import resolve_role

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


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_of_mcp_is_told_before_it_gets_the_result(mode: str) -> None:
    heard: list[str] = []

    async def talk(endpoint: ToolEndpoint) -> None:
        async def note(message: Any) -> None:
            heard.append(type(message).__name__)

        client = http_client(endpoint, mode)
        client.message_handler = note
        async with client, AsyncExitStack() as stack:
            if mode != "legacy":
                told = await stack.enter_async_context(client.listen(tools_list_changed=True))
            await client.call_tool("search_tools", {"query": "turn off wifi", "limit": 1})
            if mode != "legacy":
                heard.append(type(await anext(aiter(told))).__name__)
            heard.append("result")

    offered = [{"type": "function", "function": {"name": "search_tools", "parameters": {"type": "object"}}}]

    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        offered.append({"type": "function", "function": {"name": "found", "parameters": {"type": "object"}}})
        done: Future[ToolResult] = Future()
        done.set_result(ToolResult("", name, "[]"))
        return done

    with SandboxServer() as server:
        anyio.run(talk, server.open(lambda: tuple(offered), call))
    assert heard[-1] == "result"
    assert heard.count("ToolListChangedNotification") == 1
    assert heard.count("ToolsListChanged") == (mode != "legacy")


def test_a_command_is_told_what_it_has_found(tmp_path: Path) -> None:
    heard: list[Any] = []

    def converse(lines: Iterator[str], say: Callable[[Any], None]) -> None:
        heard.extend(json.loads(next(lines)) for _ in range(2))
        calls = ("search_tools", {"query": "turn off wifi", "limit": 1}), ("set_wifi_status", {"on": False})
        for name, arguments in calls:
            say({"type": "tool_calls", "calls": [{"id": "1", "name": name, "arguments": arguments}]})
            heard.append(json.loads(next(lines)))
        say({"type": "message", "text": "Wifi is off."})

    with relayed(converse) as port:
        program = tmp_path / "relay.py"
        program.write_text(RELAY, "utf-8")
        _, factory = resolve_role(f"command: {sys.executable} {program} {port}", "agent")
        play(factory(), scenario_of("wifi_off" + SEARCHED))
    start, _, found, done = heard
    assert [tool["function"]["name"] for tool in start["tools"]] == ["search_tools"]
    assert [tool["function"]["name"] for tool in found["new_tools"]] == ["set_wifi_status"]
    assert done["results"][0]["content"] == "None"
    assert "new_tools" not in done


def test_the_tools_of_a_loop_in_python_grow(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def agent(messages: list[dict[str, Any]], tools: Any) -> Any:
        seen.append(tools.names)
        if len(seen) == 1:
            search = {"name": "search_tools", "arguments": json.dumps({"query": "turn off wifi", "limit": 1})}
            return {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": search}]}
        tools.call("search_tools", {"query": "get_wifi_status", "limit": 1})
        assert tools["get_wifi_status"]() == "True"
        tools["set_wifi_status"](on=False)
        return "Wifi is off."

    run = ts.run(agent, scenarios="wifi_off_all_tools", tools="search", progress=False, output_dir=tmp_path)
    assert run.results["similarity"].to_list() == [1.0], run.results["reason"]
    assert seen == [["search_tools"], ["search_tools", "set_wifi_status"]]
