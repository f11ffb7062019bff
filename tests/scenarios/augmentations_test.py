"""Offering tools: as many distractors as promised, none of them denied, in an order that gives nothing away."""

import functools
from collections.abc import Mapping
from pathlib import Path

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, ScenarioCategories, new_context
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import _definitions, get_scenario, list_scenarios, named_scenarios
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS, OPT_IN, USER_TOOL, drawn_order, offered_tools
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.tool import Tool

built = functools.cache(named_scenarios)

SCRAMBLES = [
    ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.ARG_TYPE_SCRAMBLED,
    ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.TOOL_NAME_SCRAMBLED,
]


@functools.cache
def tasks() -> Mapping[str, Task]:
    return {name: definition.task() for name, definition in _definitions().items()}


def schemas(name: str) -> dict[str, dict]:
    """What the agent is shown, by the name it sees."""
    scenario = built()[name] if name in built() else get_scenario(name)
    with new_context(scenario.starting_context):
        tools = convert_to_openai_tools(OracleAgent.get_available_tools())
    return {tool["function"]["name"]: tool["function"] for tool in tools}


def test_names_and_tags_are_the_published_ones():
    suffixes = [augmentation.suffix for augmentation in AUGMENTATIONS]
    assert suffixes == [
        "",
        "_3_distraction_tools",
        "_10_distraction_tools",
        "_all_tools",
        "_3_distraction_tools_tool_description_scrambled",
        "_3_distraction_tools_arg_type_scrambled",
        "_3_distraction_tools_arg_description_scrambled",
        "_3_distraction_tools_tool_name_scrambled",
    ]
    for info in list_scenarios():
        levels = [tag for tag in info.categories if str(tag).endswith(("DISTRACTION_TOOLS", "ALL_TOOLS_AVAILABLE"))]
        assert len(levels) == 1
        assert info.name.startswith(info.base_name)
    scrambled = [info for info in list_scenarios() if info.augmentation.endswith("scrambled")]
    assert all(ScenarioCategories.THREE_DISTRACTION_TOOLS in info.categories for info in scrambled)
    assert [scramble for augmentation in AUGMENTATIONS for scramble in augmentation.scrambles] == SCRAMBLES


@pytest.mark.parametrize("augmentation", [augmentation.name for augmentation in AUGMENTATIONS])
def test_the_promised_number_of_distractors_is_offered(augmentation):
    for info in list_scenarios():
        if info.augmentation != augmentation:
            continue
        task = tasks()[info.base_name]
        world = built()[info.name].starting_context
        allowed = world.tool_allow_list
        # Those of its apps among them.
        own = [tool for tool in world.name_to_tool.values() if RoleType.AGENT in Tool.of(tool).visible_to]
        others = len(own) - len(task.tools) - len(task.denied)
        promised = {"no_distraction_tools": 0, "10_distraction_tools": 10, "all_tools": others}.get(augmentation, 3)
        distractors = set(allowed) - {*task.tools, USER_TOOL}
        assert (info.name, len(distractors)) == (info.name, promised)
        assert set(allowed) >= {*task.tools, USER_TOOL}
        assert not distractors & set(task.denied)


def test_tools_of_the_same_module_distract_first():
    offered = offered_tools(["set_wifi_status"], ["get_wifi_status"], AUGMENTATIONS[1], ExecutionContext())
    modules = [get_all_tools()[name].__module__ for name in offered]
    assert "get_wifi_status" not in offered
    assert set(modules) == {"tool_sandbox.tools.setting"}


def test_the_order_is_a_permutation_that_depends_on_the_scenario():
    names = list(get_all_tools())
    orders = {tuple(drawn_order(names, f"scenario {number}")) for number in range(20)}
    assert len(orders) == 20
    assert all(sorted(order) == sorted(names) for order in orders)
    shown = [list(schemas(name)) for name in ("cellular_off_all_tools", "wifi_off_all_tools")]
    assert shown[0] != shown[1]
    assert shown[0] != [name for name in names if name in shown[0]]


def test_needed_tools_stand_anywhere():
    places = {list(schemas(f"{name}_10_distraction_tools")).index(tasks()[name].tools[0]) for name in tasks()}
    assert len(places) >= 8


@pytest.mark.parametrize("base", ["add_contact_with_name_and_phone_number", "find_temperature", "convert_currency"])
def test_a_scramble_hides_what_its_name_says_and_nothing_else(base):
    plain = schemas(f"{base}_3_distraction_tools")
    described = schemas(f"{base}_3_distraction_tools_tool_description_scrambled")
    typed = schemas(f"{base}_3_distraction_tools_arg_type_scrambled")
    explained = schemas(f"{base}_3_distraction_tools_arg_description_scrambled")
    assert plain.keys() == described.keys() == typed.keys() == explained.keys()
    for name, schema in plain.items():
        assert schema["description"]
        assert described[name]["description"] == ""
        assert described[name]["parameters"] == schema["parameters"]
        for argument, properties in schema["parameters"]["properties"].items():
            assert "type" not in typed[name]["parameters"]["properties"].get(argument, {})
            assert "description" not in explained[name]["parameters"]["properties"].get(argument, {})
            assert properties["type"]
            assert properties["description"]
    renamed = schemas(f"{base}_3_distraction_tools_tool_name_scrambled")
    assert not renamed.keys() & plain.keys()
    assert sorted(schema["description"] for schema in renamed.values()) == sorted(
        schema["description"] for schema in plain.values()
    )


# Opt-in variants -------------------------------------------------------------------------------------------------

SAMPLES = ["add_contact_with_name_and_phone_number", "find_temperature", "convert_currency", "wifi_off"]
SCRAMBLED = [augmentation for augmentation in OPT_IN if augmentation.scrambles]
NAMES_OF_OPT_IN = [
    "3_distraction_tools_arg_name_scrambled",
    "3_distraction_tools_tool_description_misleading",
    "3_distraction_tools_combined_scrambled",
    "all_tools_combined_scrambled",
    "medium_world",
    "large_world",
    "flaky_service",
    "slow_service",
    "hostile_service",
]


def test_opt_in_variants_are_there_when_asked_for_and_only_then():
    assert [augmentation.name for augmentation in OPT_IN] == NAMES_OF_OPT_IN
    usual, everything = list_scenarios(), list_scenarios(opt_in=True)
    assert len(usual) == len(tasks()) * 8
    assert {info.augmentation for info in usual}.isdisjoint(NAMES_OF_OPT_IN)
    assert [info for info in everything if info.augmentation not in NAMES_OF_OPT_IN] == usual
    assert get_scenario("wifi_off_large_world").name == "wifi_off_large_world"
    assert list(named_scenarios(names=["wifi_off", "wifi_off_medium_world"])) == ["wifi_off", "wifi_off_medium_world"]
    with pytest.raises(UnknownNameError, match="wifi_off_large_world"):
        get_scenario("wifi_off_large_wordl")


def test_opt_in_variants_are_tagged():
    tags = {augmentation.name: augmentation.tags for augmentation in OPT_IN}
    for info in list_scenarios(opt_in=True):
        if info.augmentation in tags:
            assert set(tags[info.augmentation]) <= set(info.categories)
    assert len({tags[name] for name in tags}) == len(tags)
    built = get_scenario("find_temperature_flaky_service")
    assert ScenarioCategories.FLAKY_SERVICE in built.categories


@pytest.mark.parametrize("base", SAMPLES)
def test_scrambled_arguments_keep_everything_but_their_names(base):
    plain = schemas(f"{base}_3_distraction_tools")
    scrambled = schemas(f"{base}_3_distraction_tools_arg_name_scrambled")
    assert scrambled.keys() == plain.keys()
    for name, schema in plain.items():
        assert scrambled[name]["description"] == schema["description"]
        before, after = schema["parameters"], scrambled[name]["parameters"]
        assert list(after["properties"].values()) == list(before["properties"].values())
        assert list(after["properties"]) == [f"arg_{number}" for number in range(len(before["properties"]))]
        assert len(after["required"]) == len(before["required"])


@pytest.mark.parametrize("base", SAMPLES)
def test_misleading_descriptions_are_those_of_other_tools(base):
    plain = schemas(f"{base}_3_distraction_tools")
    misleading = schemas(f"{base}_3_distraction_tools_tool_description_misleading")
    assert misleading.keys() == plain.keys()
    descriptions = {schema["description"] for schema in plain.values()}
    assert {schema["description"] for schema in misleading.values()} == descriptions
    for name, schema in plain.items():
        assert misleading[name]["description"] != schema["description"]
        assert misleading[name]["parameters"] == schema["parameters"]


@pytest.mark.parametrize("variant", ["3_distraction_tools", "all_tools"])
@pytest.mark.parametrize("base", SAMPLES)
def test_combined_scrambles_leave_the_names_of_arguments(base, variant):
    plain, combined = schemas(f"{base}_{variant}"), schemas(f"{base}_{variant}_combined_scrambled")
    assert len(combined) == len(plain)
    assert not combined.keys() & plain.keys()
    for schema in combined.values():
        assert schema["description"] == ""
        assert all(entry == {} for entry in schema["parameters"]["properties"].values())
    arguments = sorted(list(schema["parameters"]["properties"]) for schema in plain.values())
    assert sorted(list(schema["parameters"]["properties"]) for schema in combined.values()) == arguments


@pytest.mark.sampled(4)
@pytest.mark.parametrize("augmentation", SCRAMBLED, ids=lambda augmentation: augmentation.name)
def test_the_reference_solution_scores_1_under_every_opt_in_scramble(augmentation, play):
    scenarios = named_scenarios(names=[base + augmentation.suffix for base in tasks()])
    assert {name for name, scenario in scenarios.items() if not play(scenario, OracleAgent())[1].success} == set()


def test_the_documentation_lists_every_variant():
    page = (Path(__file__).parents[2] / "docs" / "augmentations.md").read_text("utf-8")
    for augmentation in (*AUGMENTATIONS, *OPT_IN):
        suffix = f"`{augmentation.suffix}`" if augmentation.suffix else "(none)"
        [row] = [line for line in page.splitlines() if line.startswith(f"| {suffix} |")]
        assert augmentation.tag is None or f"`{augmentation.tag}`" in row
