"""Tools as Python functions: what an agent that writes code is told of them."""

import inspect
import re
import textwrap
import typing
from collections.abc import Mapping
from typing import Any

from tool_sandbox.conversation.execution_context import ScenarioCategories, get_current_context
from tool_sandbox.conversation.tool_conversion import convert_python_function_to_openai_function
from tool_sandbox.world.tool import Tool, ToolFunction

WIDTH = 100

_JSON_TO_PYTHON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}
_RETURNS = re.compile(r"^Returns:\n(?P<text>(?:[ \t]+\S.*\n?)+)", re.MULTILINE)


def describe_tools(tools: Mapping[str, ToolFunction]) -> str:
    """Describes tools as functions without a body, with the scrambles of the current world.

    They tell what a model with tool calling is told (names, types, what may be left out, and descriptions) and, unless
    a scramble withholds it, what comes back.

    Args:
        tools: Name as the agent sees it to tool.

    Returns:
        Python source.
    """
    return "\n\n\n".join(_stub(name, tool) for name, tool in tools.items())


def _stub(name: str, tool: ToolFunction) -> str:
    described = convert_python_function_to_openai_function(name, tool)
    properties, required = described["parameters"]["properties"], described["parameters"]["required"]
    # A parameter of which nothing may be told has no entry in published worlds.
    words = [*required, *(word for word in properties if word not in required)]
    parameters = [_parameter(word, properties.get(word, {}), is_required=word in required) for word in words]
    annotation, returned = _result(tool)
    arrow = f" -> {annotation}" if annotation else ""
    line = f"def {name}({', '.join(parameters)}){arrow}:"
    if len(line) > WIDTH:
        line = f"def {name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){arrow}:"
    notes = [f"    {word}: {entry['description']}" for word, entry in properties.items() if "description" in entry]
    sections = [described["description"], "\n".join(["Args:", *notes]) if notes else "", returned]
    docstring = "\n\n".join(filter(None, sections)).replace("\\", "\\\\").replace('"""', "'''")
    if "\n" in docstring:
        docstring += "\n"
    body = textwrap.indent(f'"""{docstring}"""', "    ") if docstring else "    ..."
    return f"{line}\n{body}"


def _parameter(word: str, entry: Mapping[str, Any], *, is_required: bool) -> str:
    annotation = _type(entry)
    default = "" if is_required else " = ..." if annotation else "=..."
    return f"{word}{': ' if annotation else ''}{annotation}{default}"


def _type(schema: Mapping[str, Any]) -> str:
    """The type that a JSON schema means, empty where it says nothing."""
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    kind = _JSON_TO_PYTHON.get(schema.get("type", ""), "")
    if kind == "list" and (items := _type(schema.get("items", {}))):
        return f"list[{items}]"
    if kind == "dict" and isinstance(values := schema.get("additionalProperties"), dict) and _type(values):
        return f"dict[str, {_type(values)}]"
    return kind


def _result(tool: ToolFunction) -> tuple[str, str]:
    """Type of the result and what the docstring says of it, both empty where a scramble withholds what a tool does."""
    withheld = {
        ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
        ScenarioCategories.TOOL_DESCRIPTION_MISLEADING,
        ScenarioCategories.ARG_TYPE_SCRAMBLED,
    }
    if withheld & set(get_current_context().tool_augmentation_list):
        return "", ""
    hints = typing.get_type_hints(tool)
    annotation = inspect.formatannotation(hints["return"]) if "return" in hints else ""
    section = _RETURNS.search(Tool.of(tool).docstring)
    text = " ".join(section["text"].split()) if section is not None else ""
    return annotation.replace("typing.", "").replace("NoneType", "None"), f"Returns:\n    {text}" if text else ""
