"""A person at the terminal, as agent or as user."""

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any, ClassVar

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message, tool_call_as_seen
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.literals import from_literal
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.terminal import Terminal
from tool_sandbox.roles.tool_dispatch import parse_invocation
from tool_sandbox.world.errors import ConversationAbandonedError

_CALL = re.compile(r"\w+\(.*(\)|=.*)$")
"""What looks like a call, if not a good one: a word and a bracket that closes at the end, or that holds a value."""

_HELP = """\
  any text           say it to the {other}
  /tools             list your tools
  /call NAME         call a tool; its arguments are asked for one by one
  NAME(key=value)    call a tool in one line
  /history           show the conversation from the beginning
{end}  /quit              abandon the conversation (Ctrl-D does the same)
  /help              show this"""
_END_HELP = "  /end               end the conversation\n"
_END_TOOL = "end_conversation"


class _NotPossible(Exception):  # noqa: N818 - a remark to the person, who tries again
    """What was typed cannot be done, with the reason."""


class CliRole(BaseRole):
    """Shows the conversation and asks a person what to do next.

    Attributes:
        other_party: Who hears what the person says.
    """

    other_party: ClassVar[RoleType]

    def __init__(self, terminal: Terminal | None = None) -> None:
        """A person at a terminal."""
        self._terminal = terminal or Terminal()
        self._shown = 0

    def begin(self, scenario: object) -> None:
        """Starts showing a new conversation."""
        self.reset()

    def reset(self) -> None:
        """Shows the conversation from its beginning at the next turn."""
        self._shown = 0

    def respond(self, ending_index: int | None = None) -> None:
        """Shows what is new and asks until there is a message to send."""
        messages = [message for _, message in self.entries(ending_index)]
        if messages[-1].sender == RoleType.SYSTEM:
            return
        # Demonstrations for a simulated user would only confuse a person.
        visible = [message for message in messages if message.visible_to != [RoleType.USER]]
        self._terminal.show(f"\n── You are the {self.role_type} " + "─" * 40, "bold cyan")
        if not self._shown:
            self._terminal.show("Type /help for what you can do.", "dim")
        self._show(visible[self._shown :])
        self._shown = len(visible)
        try:
            message = None
            while message is None:
                try:
                    message = self._understand(self._terminal.ask(f"{str(self.role_type).lower()}> "), visible)
                except _NotPossible as reason:
                    self._terminal.show(str(reason), "yellow")
        except (EOFError, KeyboardInterrupt):
            raise ConversationAbandonedError(
                f"the {str(self.role_type).lower()} left the terminal after {counted(len(visible), 'message')}"
            ) from None
        self.add_messages([message])
        # The person knows what was just typed.
        self._shown += 1

    # Showing ---------------------------------------------------------------------------------

    def _show(self, messages: list[Message]) -> None:
        for message in messages:
            style = "red" if message.tool_call_exception is not None else _STYLES.get(message.sender, "")
            name = "you" if message.sender == self.role_type else str(message.sender).lower().replace("_", " ")
            if message.text:
                self._terminal.show(f"{name}: {message.text}", style)
            if message.sender == RoleType.EXECUTION_ENVIRONMENT:
                name = f"result of {message.openai_function_name or 'your call'}"
            self._terminal.show(f"{name}: {self._describe(message)}", style)

    def _describe(self, message: Message) -> str:
        if message.recipient != RoleType.EXECUTION_ENVIRONMENT:
            return message.content or "(nothing)"
        call = tool_call_as_seen(message)
        if call is None or not isinstance(call.arguments, dict):
            return message.content
        return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"

    def _list_tools(self) -> None:
        for name, tool in self._tools().items():
            required = tool["parameters"].get("required", ())
            parameters = tool["parameters"].get("properties", {})
            signature = ", ".join(parameter if parameter in required else f"[{parameter}]" for parameter in parameters)
            self._terminal.show(f"{name}({signature})", "bold")
            if tool.get("description"):
                self._terminal.show(textwrap.indent(tool["description"].strip().partition("\n\n")[0], "    "), "dim")

    def _tools(self) -> dict[str, dict[str, Any]]:
        """Name to description of the tools on offer, as a model would get them."""
        from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools

        return {
            tool["function"]["name"]: tool["function"] for tool in convert_to_openai_tools(self.get_available_tools())
        }

    # Asking ----------------------------------------------------------------------------------

    def _understand(self, line: str, visible: list[Message]) -> Message | None:
        command, _, rest = line.partition(" ")
        match command:
            case "":
                return None
            case "/help":
                end = _END_HELP if _END_TOOL in self.get_available_tools() else ""
                self._terminal.show(_HELP.format(other=str(self.other_party).lower(), end=end))
                return None
            case "/tools":
                self._list_tools()
                return None
            case "/history":
                self._show(visible)
                return None
            case "/quit":
                raise EOFError
            case "/call":
                return self._call_step_by_step(rest.strip())
            case "/end":
                return self._call(_END_TOOL, {})
        if line == "end" and _END_TOOL in self.get_available_tools():
            return self._call(_END_TOOL, {})
        if line == "tool":
            self._list_tools()
            return self._call_in_one_line(self._terminal.ask("call> "), must_be_call=True)
        if line.startswith("/"):
            raise _NotPossible(f"There is no command {command}; type /help for those there are.")
        return self._call_in_one_line(line, must_be_call=False) or self._say(line)

    def _say(self, text: str) -> Message:
        return Message(sender=str(self.role_type), recipient=self.other_party, content=text)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Message:
        self._check_name(name)
        return self.tool_call_message(f"cli_{get_current_context().max_sandbox_message_index + 1}", name, arguments)

    def _check_name(self, name: str) -> None:
        from tool_sandbox.helpers.suggestions import suggest

        names = list(self.get_available_tools())
        if name not in names:
            close = suggest(name, names)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise _NotPossible(f"You have no tool {name!r}.{hint} Type /tools to see those you have.")

    def _call_in_one_line(self, line: str, *, must_be_call: bool) -> Message | None:
        invocation = parse_invocation(line)
        name = line.partition("(")[0].strip()
        is_offered = name in self.get_available_tools()
        if not must_be_call and not is_offered:
            if _CALL.match(line):
                self._ask_whether_said(name)
            return None
        if invocation is None:
            raise _NotPossible("That is not a call with plain values, such as search_contacts(name='Ann').")
        self._check_name(invocation.name)
        parameters = list(self._tools()[invocation.name]["parameters"].get("properties", {}))
        if len(invocation.arguments) > len(parameters):
            raise _NotPossible(f"{invocation.name} takes at most {len(parameters)} arguments.")
        return self._call(invocation.name, {**dict(zip(parameters, invocation.arguments)), **invocation.keywords})  # noqa: B905

    def _ask_whether_said(self, name: str) -> None:
        """Asks whether what looks like a call, of a tool that is not there, is meant as text."""
        try:
            self._check_name(name)
        except _NotPossible as reason:
            answer = self._terminal.ask(f"{reason}\nSay it to the {str(self.other_party).lower()} as text? [y/N] ")
            if answer.lower() not in ("y", "yes"):
                raise _NotPossible("Nothing was said.") from None

    def _call_step_by_step(self, name: str) -> Message:
        if not name:
            raise _NotPossible("Which tool? Type /call and its name; /tools lists them.")
        self._check_name(name)
        parameters = self._tools()[name]["parameters"]
        required = parameters.get("required", ())
        arguments: dict[str, Any] = {}
        for parameter, schema in parameters.get("properties", {}).items():
            self._ask_argument(arguments, parameter, schema, is_required=parameter in required)
        return self._call(name, arguments)

    def _ask_argument(
        self, arguments: dict[str, Any], parameter: str, schema: Mapping[str, Any], *, is_required: bool
    ) -> None:
        if schema.get("description"):
            self._terminal.show(f"  {schema['description']}", "dim")
        kinds = _kinds(schema)
        notes = [" or ".join(kinds)] if kinds else []
        if not is_required:
            notes.append("optional, Enter to leave it out")
        prompt = f"  {parameter} ({', '.join(notes)}): " if notes else f"  {parameter}: "
        while True:
            text = self._terminal.ask(prompt)
            if not text and not is_required:
                return
            try:
                arguments[parameter] = _read_value(text, kinds)
                return
            except ValueError as error:
                self._terminal.show(f"  {error}", "yellow")


_STYLES = {RoleType.SYSTEM: "dim", RoleType.USER: "green", RoleType.AGENT: "blue"}


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """JSON types that a parameter accepts; empty if it does not say."""
    alternatives = schema.get("anyOf") or schema.get("oneOf") or [schema]
    kinds: list[str] = []
    for alternative in alternatives:
        kind = alternative.get("type", ())
        kinds += [kind] if isinstance(kind, str) else kind
    return [kind for kind in dict.fromkeys(kinds) if kind != "null"]


def _read_value(text: str, kinds: list[str]) -> Any:
    """Reads what was typed for an argument."""
    if kinds == ["string"]:
        return text
    try:
        value = {"true": True, "false": False, "yes": True, "no": False}.get(text.lower(), _NOTHING)
        value = from_literal(text) if value is _NOTHING else value
    except ValueError:
        if not kinds or "string" in kinds:
            return text
        raise ValueError(f"That is not {_names(kinds)}; for example {_example(kinds[0])}.") from None
    if not kinds or any(_is_of_kind(value, kind) for kind in kinds):
        return value
    if "string" in kinds:
        return text
    raise ValueError(f"That is not {_names(kinds)}; for example {_example(kinds[0])}.")


_NOTHING = object()
_EXAMPLES = {"integer": 3, "number": 2.5, "boolean": True, "array": ["a", "b"], "object": {"a": 1}}


def _names(kinds: list[str]) -> str:
    return " or ".join(f"{'an' if kind[0] in 'aio' else 'a'} {kind}" for kind in kinds)


def _example(kind: str) -> str:
    return json.dumps(_EXAMPLES.get(kind, "text"))


def _is_of_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, str))


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "boolean": (),
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}


class CliAgent(CliRole):
    """A person who plays the agent."""

    role_type: ClassVar[RoleType] = RoleType.AGENT
    other_party: ClassVar[RoleType] = RoleType.USER
    model_name = "cli_agent"


class CliUser(CliRole):
    """A person who plays the user."""

    role_type: ClassVar[RoleType] = RoleType.USER
    other_party: ClassVar[RoleType] = RoleType.AGENT
    model_name = "cli_user"
