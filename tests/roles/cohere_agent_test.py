"""Tool descriptions for Cohere."""

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, ScenarioCategories, new_context
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tool
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.roles.cohere_agent import to_cohere_tool


@pytest.mark.parametrize("name", list(get_all_tools()))
def test_every_tool_is_described(name: str) -> None:
    openai_tool = convert_to_openai_tool(get_all_tools()[name])
    tool = to_cohere_tool(openai_tool)
    assert (tool["name"], tool["description"]) == (name, openai_tool["function"]["description"])
    parameters = openai_tool["function"]["parameters"]
    assert list(tool["parameter_definitions"]) == list(parameters["properties"])
    for parameter, definition in tool["parameter_definitions"].items():
        assert list(definition) == ["description", "type", "required"]
        assert definition["required"] is (parameter in parameters["required"])
        assert definition["type"] == parameters["properties"][parameter]["type"]


def test_what_is_withheld_becomes_a_placeholder() -> None:
    scrambles = [
        ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
        ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED,
        ScenarioCategories.ARG_TYPE_SCRAMBLED,
    ]
    with new_context(ExecutionContext(tool_augmentation_list=scrambles)):
        tool = to_cohere_tool(convert_to_openai_tool(get_all_tools()["set_wifi_status"]))
    assert tool["description"]
    for definition in tool["parameter_definitions"].values():
        assert definition["description"]
        assert definition["type"] == "object"


def test_only_functions() -> None:
    with pytest.raises(AssertionError):
        to_cohere_tool({"type": "retrieval", "function": {}})
