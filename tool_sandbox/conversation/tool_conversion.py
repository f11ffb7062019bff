"""Describing tools to a model: OpenAI function schemas, with the scrambles of a scenario applied."""

import inspect
from collections.abc import Mapping
from typing import Any

from tool_sandbox.conversation.execution_context import ExecutionContext, ScenarioCategories, get_or_make_context
from tool_sandbox.conversation.tool_schemas import (
    PYTHON_TO_JSON_TYPES,
    Augmentations,
    applicable,
    default_parameter_processing,
    described_parameters,
    docstring_of,
    facing_names,
    function_description,
    maybe_scramble_arg_type,
    scramble_arg_description,
    scramble_tool_description,
)
from tool_sandbox.world.tool import Tool, ToolFunction

__all__ = [
    "PYTHON_TO_JSON_TYPES",
    "augmented_getdoc",
    "augmented_parameters",
    "convert_python_function_to_openai_function",
    "convert_to_openai_tool",
    "convert_to_openai_tools",
    "default_parameter_processing",
    "maybe_scramble_arg_description",
    "maybe_scramble_arg_description_from_context",
    "maybe_scramble_arg_type",
    "maybe_scramble_arg_type_from_context",
    "maybe_scramble_tool_description",
    "maybe_scramble_tool_description_from_context",
    "to_agent_facing_arguments",
    "to_execution_facing_arguments",
]

# Scrambles -----------------------------------------------------------------------------------


def maybe_scramble_tool_description(docstring: str, tool_augmentation_list: Augmentations) -> str:
    """Withholds what a tool does, if the scenario says so."""
    return scramble_tool_description(docstring, tool_augmentation_list, get_or_make_context().profile)


def maybe_scramble_arg_description(docstring: str, tool_augmentation_list: Augmentations) -> str:
    """Withholds what the arguments of a tool mean, if the scenario says so."""
    return scramble_arg_description(docstring, tool_augmentation_list, get_or_make_context().profile)


def maybe_scramble_tool_description_from_context(docstring: str) -> str:
    """`maybe_scramble_tool_description` with the scrambles of the current context."""
    return maybe_scramble_tool_description(docstring, get_or_make_context().tool_augmentation_list)


def maybe_scramble_arg_description_from_context(docstring: str) -> str:
    """`maybe_scramble_arg_description` with the scrambles of the current context."""
    return maybe_scramble_arg_description(docstring, get_or_make_context().tool_augmentation_list)


def maybe_scramble_arg_type_from_context(params: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """`maybe_scramble_arg_type` with the scrambles of the current context."""
    return maybe_scramble_arg_type(params, get_or_make_context().tool_augmentation_list)


# Parameters ----------------------------------------------------------------------------------


def augmented_parameters(tool: ToolFunction) -> list[inspect.Parameter]:
    """Parameters of a tool with the scrambles of the current context."""
    return described_parameters(tool, applicable(tool, get_or_make_context()))


def augmented_getdoc(tool: ToolFunction) -> str:
    """Docstring of a tool with the scrambles of the current context."""
    context = get_or_make_context()
    return docstring_of(tool, applicable(tool, context), context)


# Schemas -------------------------------------------------------------------------------------


def convert_python_function_to_openai_function(name: str, function: ToolFunction) -> dict[str, Any]:
    """Describes a function in the way of OpenAI, with the scrambles of the current context."""
    return function_description(get_or_make_context(), name, function)


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
    return facing_names(Tool.of(tool).parameter_names, applicable(tool, context))


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
