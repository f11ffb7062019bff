"""Runs tools by name through the table of the current world; nothing from a message is executed."""

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import attrs

from tool_sandbox.conversation.console import Console
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, ScenarioCategories
from tool_sandbox.conversation.messages import Message, ToolCall, parse_tool_call
from tool_sandbox.helpers.literals import evaluate_literal, from_literal, to_literal
from tool_sandbox.helpers.syntax import parse_expression
from tool_sandbox.roles.base_role import real_argument_names
from tool_sandbox.world.faults import call_with_faults
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.tool import Tool, ToolFunction

_BARE_CALL = re.compile(r"\s*(?:print\s*\(\s*(?:repr\s*\(\s*)?)?[A-Za-z_]\w*\s*\(")
_LARGEST_BARE_CALL = 20_000
_LONGEST_NAME = 100

CODE = "python"
"""Name that stands in the place of a tool's where an agent calls tools from code."""


@attrs.frozen
class Invocation:
    """What a message asks for, if it is a single tool call.

    Attributes:
        name: Name of the tool.
        arguments: Positional arguments.
        keywords: Keyword arguments; not a dict if the model sent something else.
        shows: Whether the reply is the ``repr`` or the ``str`` of the result, or empty.
        call: The call in the layout of a model's tool call, ``None`` for a typed expression.
    """

    name: str
    arguments: Sequence[Any]
    keywords: Any
    shows: Literal["repr", "str", "nothing"]
    call: ToolCall | None = None

    def show(self, result: Any) -> str:
        """Text of the reply after a call that returned."""
        match self.shows:
            case "repr":
                return repr(result).rstrip()
            case "str":
                return str(result).rstrip()
        return ""


def parse_invocation(content: str) -> Invocation | None:
    """Recognises a message that consists of one tool call with literal arguments."""
    try:
        call = parse_tool_call(content)
    except ValueError:
        return None
    if call is not None:
        return Invocation(call.name, (), call.arguments, "repr", call) if call.complete else None
    if len(content) > _LARGEST_BARE_CALL or _BARE_CALL.match(content) is None:
        return None
    try:
        return _from_expression(parse_expression(content.strip()))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _from_expression(node: ast.expr) -> Invocation | None:
    shows: Literal["repr", "str", "nothing"] = "nothing"
    if (inner := _only_argument(node, "print")) is not None and isinstance(inner, ast.Call):
        node, shows = inner, "str"
        if (inner := _only_argument(node, "repr")) is not None and isinstance(inner, ast.Call):
            node, shows = inner, "repr"
    match node:
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if not hasattr(builtins, name):
            values = [evaluate_literal(argument) for argument in arguments]
            named = {keyword.arg: evaluate_literal(keyword.value) for keyword in keywords}
            return Invocation(name, values, named, shows) if None not in named else None
    return None


def _only_argument(node: ast.expr, function: str) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name == function:
            return argument
    return None


def find_tools(context: ExecutionContext, console: Console) -> Mapping[str, ToolFunction]:
    """The tools that messages can reach."""
    if context.profile is Profile.STRICT or not any(entry.kind in ("import", "host") for entry in console.journal):
        return context.name_to_tool
    own = {name: value for name, value in console.locals.items() if Tool.is_registered(value)}
    return {**own, **context.name_to_tool}


def call_tool(
    context: ExecutionContext,
    tools: Mapping[str, ToolFunction],
    caller: RoleType,
    name: str,
    arguments: Sequence[Any],
    keywords: Any,
    shown_name: str | None = None,
) -> Any:
    """Calls a tool of the current world.

    With the published profile every registered tool runs. With the strict one a tool runs only if
    the scenario offers it and the caller may use it; otherwise it is as if it did not exist.
    """
    tool = tools.get(name)
    slip = None if isinstance(keywords, dict) else f"have to be a JSON object, got {_shortened(repr(keywords))}"
    if tool is None or not (context.profile is Profile.PUBLISHED or context.may_use(caller, name)):
        reason = _unknown_name(context, caller, shown_name or name)
        raise NameError(f"{reason}, and its arguments {slip}" if slip else reason)
    if slip:
        raise TypeError(f"the arguments of {shown_name or name} {slip}")
    named = {str(key): value for key, value in keywords.items()}
    return call_with_faults(context, name, lambda: tool(*arguments, **named))


def is_agent_code(message: Message) -> bool:
    """Whether a message is code in which an agent calls tools by the names that it was shown."""
    if message.sender is not RoleType.AGENT or message.openai_function_name != CODE:
        return False
    invocation = parse_invocation(message.content)
    return invocation is None or invocation.call is None or invocation.name != CODE


def tools_for_code(
    context: ExecutionContext,
) -> tuple[Mapping[str, ToolFunction], Callable[[str, Sequence[Any], dict[str, Any]], Any]]:
    """What an agent's code can call in the current world."""
    real_names = {
        context.get_agent_facing_tool_name(name): name
        for name in context.name_to_tool
        if context.may_use(RoleType.AGENT, name)
    }

    def call(name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if name not in real_names:
            raise NameError(_unknown_name(context, RoleType.AGENT, name))
        if ScenarioCategories.ARG_NAME_SCRAMBLED in context.tool_augmentation_list:
            keywords = real_argument_names(real_names[name], keywords)
        return call_tool(context, context.name_to_tool, RoleType.AGENT, real_names[name], arguments, keywords, name)

    return {name: context.name_to_tool[real] for name, real in real_names.items()}, call


def bound_arguments(
    context: ExecutionContext, tool: ToolFunction, positional: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The arguments of a call in an agent's code by the names that it was shown."""
    from tool_sandbox.conversation.tool_conversion import to_agent_facing_arguments

    names = Tool.of(tool).parameter_names
    if len(positional) > len(names):
        return None
    real = dict(zip(names, positional, strict=False))
    named = to_agent_facing_arguments(tool.__name__, real, context)
    return None if named.keys() & keywords.keys() else {**named, **keywords}


def named_arguments(
    context: ExecutionContext, name: str, positional: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The same for any call, in a form that can be written into the log and read back."""
    tool = tools_for_code(context)[0].get(name)
    named = None if tool is None else bound_arguments(context, tool, positional, keywords)
    if named is None:
        named = {f"argument_{number}": value for number, value in enumerate(positional, start=1)} | dict(keywords)
    try:
        from_literal(to_literal(named))
    except ValueError:
        return {word: repr(value) for word, value in named.items()}
    return named


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."


def is_invalid_call(context: ExecutionContext, caller: RoleType, content: str) -> bool:
    """Whether a message is a tool call that could not even be tried."""
    invocation = parse_invocation(content)
    if invocation is None:
        return False
    name = invocation.name
    if invocation.call is None and caller is RoleType.AGENT:
        # In code stands the name that the agent was shown.
        name = context.get_agent_to_execution_facing_tool_name().get(name, name)
    can_run = context.profile is Profile.PUBLISHED or context.may_use(caller, name)
    return not (name in context.name_to_tool and can_run and isinstance(invocation.keywords, dict))


def _unknown_name(context: ExecutionContext, caller: RoleType, name: str) -> str:
    name = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
    offered: Iterable[str] = (known for known in context.name_to_tool if context.may_use(caller, known))
    if caller is RoleType.AGENT:
        offered = map(context.get_agent_facing_tool_name, offered)
    from rapidfuzz import fuzz, process

    best = process.extractOne(name, list(offered), scorer=fuzz.ratio, score_cutoff=60)
    hint = f". Did you mean: {best[0]!r}?" if best is not None and best[0] != name else ""
    return f"name {name!r} is not defined{hint}"


def describe_exception(error: BaseException, profile: Profile) -> str:
    """One exception as the reply shows it."""
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:
        message = "<exception str() failed>"
    return describe_error(type(error).__module__, type(error).__qualname__, str(message), profile)


def describe_error(module: str, name: str, message: str, profile: Profile) -> str:
    """Like `describe_exception`, for an exception that is known by its parts."""
    if profile is Profile.STRICT:
        name = name.rpartition(".")[2]
    elif module not in ("builtins", "__main__"):
        name = f"{module}.{name}"
    return f"{name}: {message}" if message else name
