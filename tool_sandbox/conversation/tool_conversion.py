"""Describing tools to a model: OpenAI function schemas, with the scrambles of a scenario applied."""

import collections.abc
import enum
import functools
import inspect
import re
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, Union

from tool_sandbox.conversation.execution_context import (
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_or_make_context,
)
from tool_sandbox.world.not_given import NotGiven
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.tool import Tool, ToolFunction

Augmentations = Collection[Any]

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


# Scrambles -----------------------------------------------------------------------------------


def maybe_scramble_tool_description(docstring: str, tool_augmentation_list: Augmentations) -> str:
    """Withholds what a tool does, if the scenario says so."""
    return _scramble_tool_description(docstring, tool_augmentation_list, get_or_make_context().profile)


def _scramble_tool_description(docstring: str, augmentations: Augmentations, profile: Profile) -> str:
    if ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED not in augmentations:
        return docstring
    if headers := list(_ARGS_HEADER.finditer(docstring)):
        return docstring[headers[-1].end() :]
    if profile is Profile.PUBLISHED:
        return docstring
    later = _LATER_HEADER.search(docstring)
    return docstring[later.end() :] if later else ""


def maybe_scramble_arg_description(docstring: str, tool_augmentation_list: Augmentations) -> str:
    """Withholds what the arguments of a tool mean, if the scenario says so."""
    return _scramble_arg_description(docstring, tool_augmentation_list, get_or_make_context().profile)


def _scramble_arg_description(docstring: str, augmentations: Augmentations, profile: Profile) -> str:
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


def maybe_scramble_tool_description_from_context(docstring: str) -> str:
    """`maybe_scramble_tool_description` with the scrambles of the current context."""
    return maybe_scramble_tool_description(docstring, get_or_make_context().tool_augmentation_list)


def maybe_scramble_arg_description_from_context(docstring: str) -> str:
    """`maybe_scramble_arg_description` with the scrambles of the current context."""
    return maybe_scramble_arg_description(docstring, get_or_make_context().tool_augmentation_list)


def maybe_scramble_arg_type_from_context(params: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """`maybe_scramble_arg_type` with the scrambles of the current context."""
    return maybe_scramble_arg_type(params, get_or_make_context().tool_augmentation_list)


def _applicable(tool: ToolFunction, context: ExecutionContext) -> frozenset[str]:
    """Scrambles that a tool is subject to: in corrected worlds none if no agent sees it."""
    if context.profile is Profile.STRICT and RoleType.AGENT not in Tool.of(tool).visible_to:
        return frozenset()
    return frozenset(map(str, context.tool_augmentation_list))


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


def _parameters(tool: ToolFunction, augmentations: Augmentations) -> list[inspect.Parameter]:
    return maybe_scramble_arg_type(default_parameter_processing(Tool.of(tool).parameters), augmentations)


def augmented_parameters(tool: ToolFunction) -> list[inspect.Parameter]:
    """Parameters of a tool with the scrambles of the current context."""
    return _parameters(tool, _applicable(tool, get_or_make_context()))


def _docstring(tool: ToolFunction, augmentations: Augmentations, context: ExecutionContext) -> str:
    docstring = Tool.of(tool).docstring
    if ScenarioCategories.TOOL_DESCRIPTION_MISLEADING in augmentations:
        docstring = _mislead(docstring, _neighbour(tool, context))
    docstring = _scramble_tool_description(docstring, augmentations, context.profile)
    return _scramble_arg_description(docstring, augmentations, context.profile)


def _neighbour(tool: ToolFunction, context: ExecutionContext) -> str:
    """Docstring of the tool after this one among the tools offered to the agent, by real name and in a circle."""
    offered = sorted(name for name in context.name_to_tool if context.may_use(RoleType.AGENT, name))
    after = next((name for name in offered if name > tool.__name__), offered[0] if offered else tool.__name__)
    return Tool.of(context.name_to_tool.get(after, tool)).docstring


def _mislead(docstring: str, other: str) -> str:
    """The sections of a docstring behind the description of another one."""
    lines = docstring.split("\n")
    end = next((number for number, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    return "\n".join([_description(other), "", *lines[end:]])


def augmented_getdoc(tool: ToolFunction) -> str:
    """Docstring of a tool with the scrambles of the current context."""
    context = get_or_make_context()
    return _docstring(tool, _applicable(tool, context), context)


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


def _facing_names(names: Sequence[str], augmentations: Augmentations) -> dict[str, str]:
    """Real to agent-facing parameter names."""
    if ScenarioCategories.ARG_NAME_SCRAMBLED in augmentations:
        return {name: f"arg_{position}" for position, name in enumerate(names)}
    return {name: name for name in names}


@functools.lru_cache(maxsize=2048)
def _function_schema(
    name: str, tool: ToolFunction, docstring: str, augmentations: frozenset[str], profile: Profile
) -> dict[str, Any]:
    names = Tool.of(tool).parameter_names
    params = [param for param in _parameters(tool, augmentations) if param.name in names]
    descriptions = _argument_descriptions(docstring, names)
    facing = _facing_names(names, augmentations)
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


def convert_python_function_to_openai_function(name: str, function: ToolFunction) -> dict[str, Any]:
    """Describes a function in the way of OpenAI, with the scrambles of the current context."""
    context = get_or_make_context()
    augmentations = _applicable(function, context)
    docstring = _docstring(function, augmentations, context)
    schema = _function_schema(name, function, docstring, augmentations, context.profile)
    return typing.cast(dict[str, Any], _json_copy(schema))


def _json_copy(value: Any) -> Any:
    """An independent copy of JSON data, several times as fast as ``copy.deepcopy``."""
    if isinstance(value, dict):
        return {key: _json_copy(item) for key, item in value.items()}
    return [_json_copy(item) for item in value] if isinstance(value, list) else value


def convert_to_openai_tool(tool: ToolFunction, name: str | None = None) -> dict[str, Any]:
    """Describes a tool in the way of OpenAI."""
    function = convert_python_function_to_openai_function(name or tool.__name__, tool)
    return {"type": "function", "function": function}


def convert_to_openai_tools(name_to_tool: Mapping[str, ToolFunction]) -> list[dict[str, Any]]:
    """Describes tools in their order."""
    return [convert_to_openai_tool(tool, name) for name, tool in name_to_tool.items()]


# Arguments -----------------------------------------------------------------------------------


def _argument_names(tool_name: str, context: ExecutionContext) -> dict[str, str]:
    tool = context.name_to_tool[tool_name]
    return _facing_names(Tool.of(tool).parameter_names, _applicable(tool, context))


def to_execution_facing_arguments(
    tool_name: str, arguments: Mapping[str, Any], context: ExecutionContext
) -> dict[str, Any]:
    """Translates the arguments of a call from the names that the agent sees to the real ones."""
    if ScenarioCategories.ARG_NAME_SCRAMBLED not in context.tool_augmentation_list:
        return dict(arguments)
    real = {facing: name for name, facing in _argument_names(tool_name, context).items()}
    if unknown := [name for name in arguments if name not in real]:
        raise TypeError(f"there is no parameter {unknown[0]!r}; the parameters are {', '.join(real) or 'none'}")
    return {real[name]: value for name, value in arguments.items()}


def to_agent_facing_arguments(
    tool_name: str, arguments: Mapping[str, Any], context: ExecutionContext
) -> dict[str, Any]:
    """Translates the arguments of a call from the real names to those that the agent sees."""
    facing = _argument_names(tool_name, context)
    return {facing.get(name, name): value for name, value in arguments.items()}
