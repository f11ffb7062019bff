"""Messages, and how they look to others: the text of a tool call, and the history of a model API.

A tool call is data: a name, arguments and an id. In the message log it has a textual form of three
lines, which is read back with a parser and never executed.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from tool_sandbox.conversation.execution_context import (
    RoleType,
    ScenarioCategories,
    get_or_make_context,
)
from tool_sandbox.helpers.literals import from_literal, to_literal

if TYPE_CHECKING:
    from openai.types.chat.chat_completion_message_tool_call import ChatCompletionMessageToolCall

TOOL_TYPE_FUNCTION = "function"
_CALL_PREFIX = re.compile(r"(?P<prefix>\w*)_parameters = (?P<arguments>.*)\n(?P=prefix)_response = (?P<name>\w+)")
_CALL_ENDING = "(**{0}_parameters)\nprint(repr({0}_response))"


@attrs.frozen(slots=False)
class Message:
    """One message of a conversation. Immutable; two messages are equal if all fields are.

    Attributes:
        sender: Who sent it.
        recipient: Who has to answer.
        content: Text, or the textual form of a tool call.
        conversation_active: False from the message on that ends the conversation.
        openai_tool_call_id: Id of the tool call, as the model wrote it.
        openai_function_name: Name of the tool, as the model wrote it.
        tool_call_exception: Error text of a failed call, ``None`` otherwise.
        tool_trace: JSON texts, one for each tool that ran.
        visible_to: Roles that see the message, by default sender and recipient.
    """

    sender: RoleType = attrs.field(converter=RoleType)
    recipient: RoleType = attrs.field(converter=RoleType)
    content: str
    conversation_active: bool | None = None
    openai_tool_call_id: str | None = None
    openai_function_name: str | None = None
    tool_call_exception: str | None = None
    tool_trace: list[str] | None = None
    visible_to: list[str] | None = None

    def __attrs_post_init__(self) -> None:
        if self.visible_to is None:
            object.__setattr__(self, "visible_to", [self.sender, self.recipient])

    @property
    def text(self) -> str | None:
        """What the sender said beside a tool call; not a field, so not compared and not in the row."""
        return cast("str | None", self.__dict__.get("_text"))

    def with_text(self, text: str | None) -> "Message":
        """A copy that carries a text beside its tool call."""
        twin = attrs.evolve(self)
        object.__setattr__(twin, "_text", text)
        return twin


def is_within_code(sender: str, recipient: str, visible_to: Sequence[str] | None) -> bool:
    """Whether a message is a call that an agent's code made, or the answer to one."""
    parties = {RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT}
    return {sender, recipient} == parties and list(visible_to or ()) == [RoleType.EXECUTION_ENVIRONMENT]


# Tool calls ----------------------------------------------------------------------------------


@attrs.frozen
class ToolCall:
    """A tool call read back from its textual form.

    Attributes:
        prefix: What the variables of the text begin with: the call id, made an identifier.
        name: Real name of the tool.
        arguments: Decoded arguments; a dict unless the model sent something else.
        complete: Whether the text is the three lines and nothing else.
    """

    prefix: str
    name: str
    arguments: Any
    complete: bool = True


def call_prefix(tool_call_id: str) -> str:
    """Makes a call id usable in the name of a variable."""
    if tool_call_id.isascii() and f"{tool_call_id}_".isidentifier():
        return tool_call_id
    plain = unicodedata.normalize("NFKD", tool_call_id)
    safe = re.sub(r"[^A-Za-z0-9_]", "_", plain)
    return safe if f"{safe}_".isidentifier() else f"call_{safe}"


def format_tool_call(tool_call_id: str, name: str, arguments: Any) -> str:
    """The textual form of a tool call."""
    prefix = call_prefix(tool_call_id)
    name = name if name.isascii() and name.isidentifier() else "unknown_tool"
    call = f"{prefix}_parameters = {to_literal(arguments)}\n{prefix}_response = {name}"
    return call + _CALL_ENDING.format(prefix)


def parse_tool_call(python_code: str) -> ToolCall | None:
    """Reads the textual form of a tool call."""
    match = _CALL_PREFIX.match(python_code)
    if match is None:
        return None
    ending = _CALL_ENDING.format(match["prefix"])
    complete = python_code[match.end() :].rstrip() == ending
    return ToolCall(match["prefix"], match["name"], from_literal(match["arguments"]), complete)


def openai_tool_call_to_python_code(
    tool_call: "ChatCompletionMessageToolCall",
    available_tool_names: set[str],
    execution_facing_tool_name: str | None,
) -> str:
    """The textual form of a tool call of the OpenAI API."""
    name = tool_call.function.name
    if name not in available_tool_names:
        raise KeyError(f"agent tool call {name!r} is not one of the available tools {sorted(available_tool_names)}")
    return format_tool_call(tool_call.id, execution_facing_tool_name or name, json.loads(tool_call.function.arguments))


def python_code_to_openai_tool_call(
    python_code: str, agent_facing_tool_name: str | None
) -> "ChatCompletionMessageToolCall":
    """Inverse of `openai_tool_call_to_python_code`."""
    from openai.types.chat.chat_completion_message_tool_call import ChatCompletionMessageToolCall, Function

    call = parse_tool_call(python_code)
    if call is None:
        raise AssertionError(f"not the layout of a tool call: {python_code!r}")
    name = agent_facing_tool_name if agent_facing_tool_name is not None else call.name
    function = Function(name=name, arguments=_arguments_json(call))
    return ChatCompletionMessageToolCall(id=call.prefix, type="function", function=function)


def _arguments_json(call: ToolCall) -> str:
    try:
        return json.dumps(call.arguments)
    except TypeError as error:
        raise ValueError(f"the arguments of {call.name} are not JSON: {error}") from error


# History of a model API ----------------------------------------------------------------------


def to_openai_messages(messages: Sequence[Message]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """The history of a conversation in the format of OpenAI's chat completions.

    Consecutive tool calls of the agent share one assistant message, whose content is the text that
    the agent sent beside them, else empty. An agent's message to the execution environment that is
    not a tool call appears as a call of ``python``.
    """
    history: list[dict[str, Any]] = []
    positions: list[list[int]] = []
    calls: list[dict[str, Any]] | None = None
    for position, message in enumerate(messages):
        if (message.sender, message.recipient) == (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT):
            if calls is None:
                calls = []
                history.append({"role": "assistant", "content": "", "tool_calls": calls})
                positions.append([])
            calls.append(_call_entry(message, position))
            if message.text:
                history[-1]["content"] = "\n".join(filter(None, (history[-1]["content"], message.text)))
            positions[-1].append(position)
        else:
            calls = None
            history.append(_history_entry(message))
            positions.append([position])
    return history, positions


def _history_entry(message: Message) -> dict[str, Any]:
    match message.sender, message.recipient:
        case RoleType.SYSTEM, RoleType.AGENT:
            return {"role": "system", "content": message.content}
        case RoleType.USER, RoleType.AGENT:
            return {"role": "user", "content": message.content}
        case RoleType.AGENT, RoleType.USER:
            return {"role": "assistant", "content": message.content}
        case RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT:
            if message.openai_tool_call_id is None or message.openai_function_name is None:
                raise AssertionError(f"a tool result needs the id and the name of its call: {message}")
            return {
                "tool_call_id": message.openai_tool_call_id,
                "role": "tool",
                "name": message.openai_function_name,
                "content": message.content,
            }
    raise ValueError(f"a message from {message.sender} to {message.recipient} has no place in an agent's history")


def tool_call_as_seen(message: Message) -> ToolCall | None:
    """The tool call in a message, as the party that made it knows it."""
    try:
        call = parse_tool_call(message.content)
    except ValueError:
        return None
    if call is None:
        return None
    arguments, context = call.arguments, get_or_make_context()
    if (
        ScenarioCategories.ARG_NAME_SCRAMBLED in context.tool_augmentation_list
        and message.sender is RoleType.AGENT
        and call.name in context.name_to_tool
        and isinstance(arguments, dict)
    ):
        from tool_sandbox.conversation.tool_conversion import to_agent_facing_arguments

        arguments = to_agent_facing_arguments(call.name, arguments, context)
    return attrs.evolve(call, name=message.openai_function_name or call.name, arguments=arguments)


def _call_entry(message: Message, position: int) -> dict[str, Any]:
    call = tool_call_as_seen(message)
    try:
        if call is None:
            raise ValueError("not a tool call")
        call_id, name, arguments = call.prefix, call.name, _arguments_json(call)
    except ValueError:
        call_id, arguments = f"call_{position}", json.dumps({"code": message.content})
        name = message.openai_function_name or "python"
    return {
        "id": call_id if message.openai_tool_call_id is None else message.openai_tool_call_id,
        "function": {"arguments": arguments, "name": name},
        "type": TOOL_TYPE_FUNCTION,
    }
