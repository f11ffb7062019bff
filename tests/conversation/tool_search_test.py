"""The search tool: what it ranks and returns, what was found, and that it stays with the conversation."""

import json
import pickle
from typing import Any

import pytest

import tool_sandbox as ts
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, ScenarioCategories, new_context
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.conversation.tool_search import ranked, search_tools
from tool_sandbox.play.identity import scenario_hash
from tool_sandbox.runner.source import with_tool_search
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile

S = ScenarioCategories
SCRAMBLES = ((), (S.TOOL_NAME_SCRAMBLED,), (S.TOOL_DESCRIPTION_SCRAMBLED, S.ARG_DESCRIPTION_SCRAMBLED))
SCRAMBLES += ((S.TOOL_NAME_SCRAMBLED, S.TOOL_DESCRIPTION_SCRAMBLED, S.ARG_NAME_SCRAMBLED, S.ARG_TYPE_SCRAMBLED),)


def world(*scrambles: ScenarioCategories) -> ExecutionContext:
    context = ExecutionContext(tool_augmentation_list=list(scrambles), profile=Profile.STRICT)
    context.offer_by_search()
    return context


def names(found: list[dict[str, Any]]) -> list[str]:
    return [tool["name"] for tool in found]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("text somebody", "send_message_with_phone_number"),
        ("Delete a reminder!", "remove_reminder"),
        ("convert euros to dollars", "convert_currency"),
        ("current weather", "search_weather_around_lat_lon"),
        ("contacts", "search_contacts"),
        ("cellular", "get_cellular_service_status"),
        ("SET_WIFI_STATUS", "set_wifi_status"),
    ],
)
def test_words_find_a_tool(query: str, name: str) -> None:
    with new_context(world()):
        assert name in names(search_tools(query, 4))
        assert search_tools(query) == search_tools(query)


@pytest.mark.parametrize("scrambles", SCRAMBLES, ids=len)
def test_tools_are_as_the_agent_sees_them_and_each_is_found_by_its_name(
    scrambles: tuple[ScenarioCategories, ...],
) -> None:
    plain = ExecutionContext(tool_augmentation_list=list(scrambles), profile=Profile.STRICT)
    with new_context(plain):
        described = [tool["function"] for tool in convert_to_openai_tools(plain.get_tools_of(RoleType.AGENT))]
    with new_context(world(*scrambles)):
        for function in described:
            assert search_tools(function["name"], 1) == [function]


def test_the_search_tool_itself_is_never_scrambled() -> None:
    offers = []
    for scrambles in SCRAMBLES:
        with new_context(world(*scrambles)) as context:
            offers.append(convert_to_openai_tools(context.get_tools_of(RoleType.AGENT)))
    (offer,) = offers[0]
    assert offers == [[offer]] * len(SCRAMBLES)
    assert offer["function"]["parameters"]["required"] == ["query"]


@pytest.mark.parametrize(
    ("arguments", "words"), [(("",), "empty"), (("a", 0), "from 1 to 20"), (("a", 21), "from 1 to 20")]
)
def test_a_search_that_makes_no_sense_says_why(arguments: tuple[Any, ...], words: str) -> None:
    with new_context(world()), pytest.raises(ValueError, match=words):
        search_tools(*arguments)


def test_what_fits_equally_well_comes_in_order_and_what_was_found_last() -> None:
    described = [
        {"name": name, "description": "", "parameters": {"properties": {}}} for name in ("one", "two", "three")
    ]
    assert ranked("nothing", described) == [0, 1, 2]
    assert ranked("nothing", described, last=[0]) == [1, 2, 0]
    assert ranked("two", described, last=[1]) == [1, 0, 2]
    assert ranked("anything", []) == []


def test_what_was_found_stays_with_the_conversation() -> None:
    with ts.Env("wifi_off_all_tools", tools="search") as env:
        first = env.reset()
        assert [tool["function"]["name"] for tool in first.new_tools] == ["search_tools"]
        before = env.fork()
        seen = env.step([("search_tools", {"query": "set_wifi_status", "limit": 1})])
        assert [tool["function"]["name"] for tool in seen.new_tools] == ["set_wifi_status"]
        assert [tool["function"]["name"] for tool in env.fork().observation.tools] == [
            "search_tools",
            "set_wifi_status",
        ]
        unknown = before.step([("set_wifi_status", {"on": False})])
        assert "'set_wifi_status' is not defined" in unknown.new_messages[0]["content"]
        assert unknown.new_tools == []
        context = env._moment.context  # type: ignore[union-attr]
    stored = ExecutionContext.from_dict(json.loads(json.dumps(context.to_dict(serialize_console=False))))
    for twin in (context.fork(), pickle.loads(pickle.dumps(context)), stored):
        assert list(twin.get_tools_of(RoleType.AGENT)) == ["search_tools", "set_wifi_status"]
        assert twin.equals(context)


def test_parallel_calls_do_not_reach_what_one_of_them_finds() -> None:
    with ts.Env("wifi_off_all_tools", tools="search") as env:
        env.reset()
        seen = env.step([("search_tools", {"query": "set_wifi_status"}), ("set_wifi_status", {"on": False})])
        assert "is not defined" in seen.new_messages[1]["content"]
        assert env.step([("set_wifi_status", {"on": False})]).new_messages[0]["content"] == "None"
        assert env.step("Wifi is off.").score == 1


def test_a_failed_search_finds_nothing() -> None:
    with ts.Env("wifi_off_all_tools", tools="search") as env:
        env.reset()
        seen = env.step([("search_tools", {"query": "set_wifi_status", "limit": 99})])
        assert "ValueError" in seen.new_messages[0]["content"]
        assert len(seen.tools) == 1


def test_the_users_tools_and_the_scenario_stay_as_they_are() -> None:
    scenario = get_scenario("wifi_off_all_tools")
    searched = with_tool_search(scenario)
    contexts = [each.starting_context for each in (scenario, searched)]
    offers = [list(context.get_tools_of(RoleType.USER)) for context in contexts]
    assert offers[0] == offers[1] == ["end_conversation"]
    assert [context.tool_search for context in contexts] == [False, True]
    assert scenario_hash(scenario) == scenario_hash(searched)


def test_published_worlds_and_a_tool_of_that_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="profile strict"):
        ExecutionContext().offer_by_search()
    context = ExecutionContext(profile=Profile.STRICT)
    context.name_to_tool["search_tools"] = print
    with pytest.raises(ConfigurationError, match="of its own"):
        context.offer_by_search()
    with pytest.raises(ConfigurationError, match="not for profile published"):
        ts.Env("wifi_off", profile="published", tools="search")
