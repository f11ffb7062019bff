"""What is said of a tool to a model: its OpenAI function schema, with the scrambles of a world applied.

Knows of the world only what `Offering` says, so that a tool can describe others.
"""

import collections.abc
import enum
import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal, Protocol, Union

from tool_sandbox.world.not_given import NotGiven
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import RoleType, ScenarioCategories
from tool_sandbox.world.tool import Tool, ToolFunction

Augmentations = Collection[Any]

SEARCH_TOOL = "search_tools"
"""Name of the tool with which an agent finds the others, see `tool_sandbox.conversation.tool_search`."""

PYTHON_TO_JSON_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
"""Name of a Python type to its JSON schema type."""

_HEADER = re.compile(r"(Args|Returns|Raises|Yields|Examples?):")
_ARGS_HEADER = re.compile(r"^[ \t]*(?=Args:)", re.MULTILINE)
_LATER_HEADER = re.compile(r"^[ \t]*(?=(?:Returns|Raises|Yields|Examples?):)", re.MULTILINE)
_ARGS_UNTIL_RETURNS = re.compile(r"^([ \t]*Args:).*?^[ \t]*(?=Returns\b)", re.MULTILINE | re.DOTALL)
_ARGS_UNTIL_ANYTHING = re.compile(
    r"^([ \t]*Args:).*?(?=^[ \t]*(?:Returns|Raises|Yields|Examples?):|\Z)", re.MULTILINE | re.DOTALL
)
_ARGUMENT_LINE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:(?P<text>.*)")


class Offering(Protocol):
    """What a description depends on: a world, as far as it offers tools."""

    profile: Profile
    tool_search: bool
    tool_augmentation_list: list[Any]
    name_to_tool: dict[str, ToolFunction]

    def is_offered_to(self, role: RoleType, tool_name: str) -> bool:
        """Whether the scenario offers a tool, by its real name, to a role."""
        ...


# Scrambles -----------------------------------------------------------------------------------


def scramble_tool_description(docstring: str, augmentations: Augmentations, profile: Profile) -> str:
    """A docstring without what the tool does, if that is scrambled."""
    if ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED not in augmentations:
        return docstring
    if headers := list(_ARGS_HEADER.finditer(docstring)):
        return docstring[headers[-1].end() :]
    if profile is Profile.PUBLISHED:
        return docstring
    later = _LATER_HEADER.search(docstring)
    return docstring[later.end() :] if later else ""


def scramble_arg_description(docstring: str, augmentations: Augmentations, profile: Profile) -> str:
    """A docstring without what the arguments mean, if that is scrambled."""
    if ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED not in augmentations:
        return docstring
    scrambled, count = _ARGS_UNTIL_RETURNS.subn(r"\1\n\n", docstring, count=1)
    if count or profile is Profile.PUBLISHED:
        return scrambled
    return _ARGS_UNTIL_ANYTHING.sub(r"\1\n\n", docstring, count=1).rstrip("\n")


def maybe_scramble_arg_type(
    params: list[inspect.Parameter], tool_augmentation_list: Augmentations
) -> list[inspect.Parameter]:
    """Withholds the types of the arguments of a tool, if the scenario says so."""
    if ScenarioCategories.ARG_TYPE_SCRAMBLED not in tool_augmentation_list:
        return params
    return [param.replace(annotation=type(None)) for param in params]


def applicable(tool: ToolFunction, world: Offering) -> frozenset[str]:
    """Scrambles that a tool is subject to: in corrected worlds none if no agent sees it. The search tool has none."""
    if world.tool_search and tool.__name__ == SEARCH_TOOL:
        return frozenset()
    if world.profile is Profile.STRICT and RoleType.AGENT not in Tool.of(tool).visible_to:
        return frozenset()
    return frozenset(map(str, world.tool_augmentation_list))


# Parameters ----------------------------------------------------------------------------------


def _without_omission(annotation: Any) -> Any:
    """A union without ``None`` and the omission marker; numbers are one type."""
    if typing.get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    members = tuple(member for member in typing.get_args(annotation) if member not in (type(None), NotGiven))
    if not members:
        return type(None)
    if len(members) > 1 and set(members) <= {int, float}:
        return float
    return Union[members]  # noqa: UP007 - the members are known at run time only


def default_parameter_processing(params: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Simplifies unions in annotations: an omittable number is a number."""
    return [param.replace(annotation=_without_omission(param.annotation)) for param in params]


def described_parameters(tool: ToolFunction, augmentations: Augmentations) -> list[inspect.Parameter]:
    """Parameters of a tool with scrambles applied."""
    return maybe_scramble_arg_type(default_parameter_processing(Tool.of(tool).parameters), augmentations)


def docstring_of(tool: ToolFunction, augmentations: Augmentations, world: Offering) -> str:
    """Docstring of a tool with scrambles applied."""
    docstring = Tool.of(tool).docstring
    if ScenarioCategories.TOOL_DESCRIPTION_MISLEADING in augmentations:
        docstring = _mislead(docstring, _neighbour(tool, world))
    docstring = scramble_tool_description(docstring, augmentations, world.profile)
    return scramble_arg_description(docstring, augmentations, world.profile)


def _neighbour(tool: ToolFunction, world: Offering) -> str:
    """Docstring of the tool after this one among the tools offered to the agent, by real name and in a circle."""
    offered = sorted(name for name in world.name_to_tool if world.is_offered_to(RoleType.AGENT, name))
    after = next((name for name in offered if name > tool.__name__), offered[0] if offered else tool.__name__)
    return Tool.of(world.name_to_tool.get(after, tool)).docstring


def _mislead(docstring: str, other: str) -> str:
    """The sections of a docstring behind the description of another one."""
    lines = docstring.split("\n")
    end = next((number for number, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    return "\n".join([_description(other), "", *lines[end:]])


# Docstrings ----------------------------------------------------------------------------------


def _description(docstring: str) -> str:
    """Text before the first section; paragraphs are joined by one blank, line breaks inside them stay."""
    lines = docstring.split("\n")
    end = next((number for number, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines[:end]))
    return " ".join(paragraph.strip() for paragraph in paragraphs if paragraph.strip())


def _argument_lines(docstring: str) -> list[str]:
    """Lines of the first ``Args:`` section, which ends at a blank line or the next section."""
    lines = docstring.split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith("Args:")), None)
    if start is None:
        return []
    section = []
    for line in lines[start + 1 :]:
        if not line.strip() or _HEADER.match(line):
            break
        section.append(line)
    return section


def _argument_descriptions(docstring: str, names: Collection[str]) -> dict[str, str]:
    """Descriptions in the ``Args:`` section by parameter.

    Only a line that begins with the name of a parameter starts one; lines that are indented further
    continue it, whatever colons they have.
    """
    descriptions: dict[str, list[str]] = {}
    current: list[str] | None = None
    lines = _argument_lines(docstring)
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    for line in lines:
        text = line.strip()
        match = _ARGUMENT_LINE.match(text) if len(line) - len(line.lstrip()) == indent else None
        if match:
            current = descriptions.setdefault(match[1], []) if match[1] in names else None
            text = match["text"].strip()
        if current is not None and text:
            current.append(text)
    return {name: " ".join(parts) for name, parts in descriptions.items() if parts}


# Schemas -------------------------------------------------------------------------------------


def _json_schema(annotation: Any) -> dict[str, Any]:
    """JSON schema of a type, empty where nothing can be said."""
    if isinstance(annotation, type) and (name := PYTHON_TO_JSON_TYPES.get(annotation.__name__)):
        return {"type": name}
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _json_schema(arguments[0])
    if origin is Literal:
        return _enum_schema(arguments)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return _enum_schema([member.value for member in annotation])
    if origin in (Union, types.UnionType):
        options = [{"type": "null"} if member is type(None) else _json_schema(member) for member in arguments]
        return {"anyOf": options} if all(options) else {}
    return _container_schema(origin or annotation, arguments)


def _enum_schema(values: Sequence[Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"enum": list(values)}
    if name := PYTHON_TO_JSON_TYPES.get(type(values[0]).__name__):
        schema["type"] = name
    return schema


def _container_schema(container: Any, arguments: Sequence[Any]) -> dict[str, Any]:
    if not isinstance(container, type) or issubclass(container, (str, bytes)):
        return {}
    if issubclass(container, collections.abc.Mapping):
        values = _json_schema(arguments[1]) if len(arguments) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if issubclass(container, collections.abc.Collection):
        is_uniform = len(arguments) == 1 or (len(arguments) == 2 and arguments[1] is Ellipsis)
        items = _json_schema(arguments[0]) if is_uniform else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    return {}


def facing_names(names: Sequence[str], augmentations: Augmentations) -> dict[str, str]:
    """Real to agent-facing parameter names."""
    if ScenarioCategories.ARG_NAME_SCRAMBLED in augmentations:
        return {name: f"arg_{position}" for position, name in enumerate(names)}
    return {name: name for name in names}


@functools.lru_cache(maxsize=2048)
def _function_schema(
    name: str, tool: ToolFunction, docstring: str, augmentations: frozenset[str], profile: Profile
) -> dict[str, Any]:
    names = Tool.of(tool).parameter_names
    params = [param for param in described_parameters(tool, augmentations) if param.name in names]
    descriptions = _argument_descriptions(docstring, names)
    facing = facing_names(names, augmentations)
    properties: dict[str, dict[str, Any]] = {}
    for param in params:
        entry = _json_schema(param.annotation)
        if description := descriptions.get(param.name):
            entry["description"] = description
        if entry or profile is Profile.STRICT:
            properties[facing[param.name]] = entry
    return {
        "name": name,
        "description": _description(docstring),
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": [facing[param.name] for param in params if param.default is param.empty],
        },
    }


def function_description(world: Offering, name: str, function: ToolFunction) -> dict[str, Any]:
    """Describes a function in the way of OpenAI, with the scrambles of a world."""
    augmentations = applicable(function, world)
    docstring = docstring_of(function, augmentations, world)
    schema = _function_schema(name, function, docstring, augmentations, world.profile)
    return typing.cast(dict[str, Any], _json_copy(schema))


@functools.lru_cache(maxsize=2048)
def _length(name: str, tool: ToolFunction, docstring: str, augmentations: frozenset[str], profile: Profile) -> int:
    schema = _function_schema(name, tool, docstring, augmentations, profile)
    return len(json.dumps({"type": "function", "function": schema}))


def description_length(world: Offering, name: str, function: ToolFunction) -> int:
    """Characters of the description of a tool as JSON, in the way of OpenAI."""
    augmentations = applicable(function, world)
    return _length(name, function, docstring_of(function, augmentations, world), augmentations, world.profile)


def _json_copy(value: Any) -> Any:
    """An independent copy of JSON data, several times as fast as ``copy.deepcopy``."""
    if isinstance(value, dict):
        return {key: _json_copy(item) for key, item in value.items()}
    return [_json_copy(item) for item in value] if isinstance(value, list) else value
