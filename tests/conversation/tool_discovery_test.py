"""The registry of tools: order, names, namespaces, ranking."""

import importlib
import inspect
import sys
import types
from typing import Any

import pytest

import tool_sandbox.tools
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType
from tool_sandbox.conversation.tool_discovery import (
    ToolBackend,
    _extract_tools,
    additional_tools,
    find_tools_by_module,
    get_all_tools,
    get_scrambled_tool_names,
    rank_tools_by_similarity,
    registered_tools,
)
from tool_sandbox.world.utils import register_as_tool

REGISTRY = {
    "add_contact": "contact_0",
    "modify_contact": "contact_1",
    "remove_contact": "contact_2",
    "search_contacts": "contact_3",
    "get_cellular_service_status": "setting_0",
    "search_messages": "messaging_0",
    "send_message_with_phone_number": "messaging_1",
    "convert_currency": "rapid_api_search_tools_0",
    "get_current_location": "setting_1",
    "get_location_service_status": "setting_2",
    "get_wifi_status": "setting_4",
    "search_lat_lon": "rapid_api_search_tools_1",
    "search_location_around_lat_lon": "rapid_api_search_tools_2",
    "search_stock": "rapid_api_search_tools_3",
    "search_weather_around_lat_lon": "rapid_api_search_tools_4",
    "add_reminder": "reminder_0",
    "modify_reminder": "reminder_1",
    "remove_reminder": "reminder_2",
    "search_reminder": "reminder_3",
    "get_low_battery_mode_status": "setting_3",
    "set_cellular_service_status": "setting_5",
    "set_location_service_status": "setting_6",
    "set_low_battery_mode_status": "setting_7",
    "set_wifi_status": "setting_8",
    "end_conversation": "user_tools_0",
    "calculate_lat_lon_distance": "utilities_0",
    "datetime_info_to_timestamp": "utilities_1",
    "get_current_timestamp": "utilities_2",
    "search_holiday": "utilities_3",
    "seconds_to_hours_minutes_seconds": "utilities_4",
    "shift_timestamp": "utilities_5",
    "timestamp_diff": "utilities_6",
    "timestamp_to_datetime_info": "utilities_7",
    "unit_conversion": "utilities_8",
}
"""Tools in the order in which an agent sees them, and their scrambled names."""

FOREIGN = {
    "contact": set(),
    "messaging": {"search_contacts", "get_cellular_service_status"},
    "rapid_api_search_tools": {"get_current_location", "get_location_service_status", "get_wifi_status"},
    "reminder": set(),
    "setting": set(),
    "user_tools": set(),
    "utilities": {"get_wifi_status"},
}
"""Tools of other modules that are visible in a module; the order follows from them."""


@pytest.mark.parametrize("backend", list(ToolBackend))
def test_registry(backend: ToolBackend) -> None:
    tools = get_all_tools(backend)
    assert list(tools) == list(REGISTRY)
    assert get_scrambled_tool_names(tools.values()) == REGISTRY


def test_registry_does_not_depend_on_what_was_imported() -> None:
    importlib.import_module("tool_sandbox.tools.services.offline")
    importlib.import_module("tool_sandbox.tools.services.rapid_api")
    assert list(find_tools_by_module(tool_sandbox.tools, ToolBackend.DEFAULT)) == list(REGISTRY)


@pytest.mark.parametrize("module", FOREIGN)
def test_namespaces(module: str) -> None:
    namespace = vars(getattr(tool_sandbox.tools, module))
    tools = {name for name, value in namespace.items() if getattr(value, "is_tool", False)}
    assert {name for name in tools if namespace[name].__module__ != f"tool_sandbox.tools.{module}"} == FOREIGN[module]


@pytest.mark.parametrize("name", REGISTRY)
def test_a_tool_is_importable_from_its_module(name: str) -> None:
    tool = get_all_tools()[name]
    assert inspect.isfunction(tool)
    assert tool.__name__ == name
    assert getattr(sys.modules[tool.__module__], name) is tool
    assert inspect.getmodule(tool) is sys.modules[tool.__module__]
    audience = (RoleType.USER,) if name == "end_conversation" else (RoleType.AGENT,)
    assert (tool.is_tool, tool.visible_to, tool.backend) == (True, audience, ToolBackend.DEFAULT)  # type: ignore[attr-defined]


def test_annotations_are_types_and_no_texts() -> None:
    for tool in get_all_tools().values():
        for parameter in inspect.signature(tool).parameters.values():
            assert not isinstance(parameter.annotation, str)
            assert parameter.annotation is not parameter.empty


@pytest.mark.parametrize(
    ("targets", "first"),
    [
        (
            ["end_conversation", "send_message_with_phone_number"],
            "search_messages unit_conversion convert_currency add_contact get_location_service_status "
            "set_location_service_status get_current_location search_location_around_lat_lon "
            "search_weather_around_lat_lon seconds_to_hours_minutes_seconds",
        ),
        (
            ["end_conversation", "set_wifi_status"],
            "get_wifi_status get_cellular_service_status get_location_service_status get_low_battery_mode_status "
            "set_cellular_service_status set_location_service_status set_low_battery_mode_status "
            "get_current_location unit_conversion convert_currency",
        ),
        (
            ["end_conversation", "search_lat_lon"],
            "search_location_around_lat_lon search_weather_around_lat_lon search_stock convert_currency "
            "calculate_lat_lon_distance unit_conversion search_holiday search_contacts",
        ),
    ],
)
def test_ranking(targets: list[str], first: str) -> None:
    ranked = rank_tools_by_similarity(targets, tool_sandbox.tools, ToolBackend.DEFAULT)
    assert ranked[: len(first.split())] == first.split()
    assert sorted([*ranked, *targets]) == sorted(REGISTRY)


@pytest.mark.parametrize("targets", [None, []])
def test_ranking_without_targets(targets: list[str] | None) -> None:
    assert rank_tools_by_similarity(targets, tool_sandbox.tools, ToolBackend.DEFAULT) == list(REGISTRY)


def test_ranking_of_unknown_targets() -> None:
    with pytest.raises(KeyError):
        rank_tools_by_similarity(["no_such_tool"], tool_sandbox.tools, ToolBackend.DEFAULT)


def test_extraction() -> None:
    def tool() -> Any: ...
    def twin() -> Any: ...
    def plain() -> Any: ...

    for function in (tool, twin):
        function.is_tool, function.backend = True, ToolBackend.DEFAULT  # type: ignore[attr-defined]
    assert _extract_tools([("tool", tool), ("plain", plain), ("tool", tool)]) == {"tool": {ToolBackend.DEFAULT: tool}}
    with pytest.raises(KeyError, match=r"tools .* same name .* backend"):
        _extract_tools([("tool", tool), ("tool", twin)])


def test_tools_added_later_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    before = get_all_tools()

    @register_as_tool()
    def water_the_plants() -> None:
        """Water the plants."""

    module = types.ModuleType("tool_sandbox.tools.garden")
    module.water_the_plants = water_the_plants  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        patch.setattr(tool_sandbox.tools, "garden", module, raising=False)
        assert set(get_all_tools()) - set(before) == {"water_the_plants"}
        patch.setattr(tool_sandbox.tools.user_tools, "end_conversation", water_the_plants)
        assert get_all_tools()["end_conversation"] is water_the_plants
    assert get_all_tools() == before


def test_additional_tools_count_only_inside_the_block() -> None:
    @register_as_tool()
    def water_the_plants() -> None:
        """Water the plants."""

    water_the_plants.__module__ = "garden.contact"
    before = get_all_tools()
    with additional_tools(lambda backend: {"water_the_plants": water_the_plants}):
        assert list(get_all_tools()) == [*before, "water_the_plants"]
        assert registered_tools() == before
        assert "water_the_plants" in ExecutionContext().name_to_tool
        assert "water_the_plants" in rank_tools_by_similarity(None, tool_sandbox.tools, ToolBackend.DEFAULT)
        ranked = rank_tools_by_similarity(["water_the_plants"], tool_sandbox.tools, ToolBackend.DEFAULT)
        assert sorted(ranked) == sorted(before)
        scrambled = get_scrambled_tool_names(get_all_tools().values())
    assert get_all_tools() == before
    assert scrambled == {**get_scrambled_tool_names(before.values()), "water_the_plants": "contact_4"}
