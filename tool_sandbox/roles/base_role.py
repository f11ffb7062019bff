"""What all roles share: reading and writing the message log, and seeing their tools."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    RoleType,
    ScenarioCategories,
    get_or_make_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call
from tool_sandbox.helpers.untrusted import fault_of_arguments
from tool_sandbox.world.tool import ToolFunction

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

_TEXT_FIELDS = ("content", "openai_tool_call_id", "openai_function_name", "tool_call_exception")


class BaseRole:
    """One party of a conversation.

    Attributes:
        role_type: Which party it is.
    """

    role_type: ClassVar[RoleType | None] = None

    @staticmethod
    def get_messages(ending_index: int | None = None, *, starting_index: int = 0) -> list[Message]:
        """Reads the message log of the current world, or a part of it; both ends belong to it."""
        context = get_or_make_context()
        texts = context.message_texts
        messages = []
        for index, table in context.get_history(DatabaseNamespace.SANDBOX):
            if index < starting_index:
                continue
            if ending_index is not None and index > ending_index:
                break
            for row in table.rows:
                sender, recipient, content, call_id, name, active, exception, trace, visible_to = row
                message = Message(
                    sender,
                    recipient,
                    content,
                    active,
                    call_id,
                    name,
                    exception,
                    None if trace is None else list(trace),
                    None if visible_to is None else list(visible_to),
                )
                messages.append(message.with_text(texts[index]) if index in texts else message)
        return messages

    @staticmethod
    def add_messages(messages: Sequence[Message]) -> None:
        """Appends messages to the log of the current world.

        Characters that are not valid Unicode (lone surrogates, which a model can produce) are
        replaced by question marks.
        """
        context = get_or_make_context()
        first = context.max_sandbox_message_index + 1
        rows = []
        for message in messages:
            row = {name: value for name, value in message.__dict__.items() if name != "_text"}
            for name in _TEXT_FIELDS:
                if row[name] is not None:
                    row[name] = _valid_unicode(row[name])
            rows.append(row)
        context.add_to_database(DatabaseNamespace.SANDBOX, rows)
        for index, message in enumerate(messages, start=first):
            if message.text:
                context.message_texts[index] = _valid_unicode(message.text)

    @classmethod
    def messages_validation(cls, messages: Sequence[Message]) -> None:
        """Checks that it is this role's turn."""
        if messages[-1].recipient != cls.role_type:
            raise KeyError(f"the last message is addressed to {messages[-1].recipient}, not to {cls.role_type}")

    @classmethod
    def filter_messages(cls, messages: Sequence[Message]) -> list[Message]:
        """The messages that this role may see."""
        return [message for message in messages if cls.role_type in (message.visible_to or ())]

    def entries(self, ending_index: int | None = None) -> list[tuple[int, Message]]:
        """The messages that this role may see, each with its index in the log; it has to be this role's turn."""
        messages = self.get_messages(ending_index)
        self.messages_validation(messages)
        return [(i, message) for i, message in enumerate(messages) if self.role_type in (message.visible_to or ())]

    @classmethod
    def get_available_tools(cls) -> dict[str, ToolFunction]:
        """The tools that this role may use."""
        return get_or_make_context().get_tools_of(cls.role_type)

    @classmethod
    def tool_call_message(cls, tool_call_id: str, name: str, arguments: str | Mapping[str, Any]) -> Message:
        """The message by which this role calls a tool.

        Mistakes do not raise: the execution environment answers a call of a tool that does not
        exist or is not offered, and arguments that are not a JSON object, with an error.
        """
        context = get_or_make_context()
        if name in cls.get_available_tools():
            scrambled = cls.role_type is RoleType.AGENT
            real_name = context.get_execution_facing_tool_name(name) if scrambled else name
        else:
            # The real name of a tool that is withheld, or seen under another name, must not reach it.
            real_name = f"unavailable_{name}" if name in context.name_to_tool else name
        decoded: Any = arguments
        if isinstance(arguments, str):
            try:
                decoded = json.loads(arguments)
            except (ValueError, RecursionError):
                decoded = arguments
        if (
            cls.role_type is RoleType.AGENT
            and ScenarioCategories.ARG_NAME_SCRAMBLED in context.tool_augmentation_list
            and real_name in context.name_to_tool
            and isinstance(decoded, dict)
        ):
            decoded = real_argument_names(real_name, decoded)
        # What breaks a bound could not be stored or read back; its name in its place is no JSON object.
        decoded = fault_of_arguments(decoded) or decoded
        return Message(
            sender=str(cls.role_type),
            recipient=RoleType.EXECUTION_ENVIRONMENT,
            content=format_tool_call(tool_call_id, real_name, decoded),
            openai_tool_call_id=tool_call_id,
            openai_function_name=name,
        )

    def begin(self, scenario: "Scenario") -> None:
        """Called before a scenario is played; does nothing by default."""

    def begin_trial(self, trial: int) -> None:
        """Called before `begin` with the number of the repetition, from 0; does nothing by default."""

    def reset(self) -> None:
        """Forgets the conversation; does nothing by default."""

    def fork(self) -> Self:
        """A role that goes on by itself from here, in a fork of the world; roles share what is not copied.

        A shallow copy by default, which is enough for a role that works out anew from the messages what it does.
        """
        return copy.copy(self)

    def teardown(self) -> None:
        """Called once after a scenario was played; does nothing by default."""

    def respond(self, ending_index: int | None = None) -> None:
        """Answers the last message by appending at least one message."""
        raise NotImplementedError(f"{type(self).__name__} does not implement respond")


def real_argument_names(tool_name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a tool of the current world under real names."""
    from tool_sandbox.conversation.tool_conversion import to_execution_facing_arguments

    context = get_or_make_context()
    translated: dict[str, Any] = {}
    for name, value in arguments.items():
        try:
            translated |= to_execution_facing_arguments(tool_name, {name: value}, context)
        except TypeError:
            translated[f"{name}_"] = value
    return translated


def _valid_unicode(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
