"""One's own user in Python: a function from the conversation to what the user says next.

    def my_user(messages):
        return "Yes, please." if messages[-1]["content"].endswith("?") else None

``messages`` are chat messages as the user knows them: its brief (``system``), its own texts (``user``) and those of the
agent (``assistant``). The answer is a text, or ``None`` to end the conversation.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import attrs

from tool_sandbox.conversation.demonstrations import in_band
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import Message
from tool_sandbox.models.plug_ins import described
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.scripted_user import END_CONVERSATION
from tool_sandbox.world.errors import ToolSandboxError, UserError

UserFunction = Callable[[list[dict[str, str]]], str | None]
"""Gives the user's next text, ``None`` to end the conversation."""


class FunctionUser(BaseRole):
    """Plays the user with a function of the messages, which is called in the thread of the conversation."""

    role_type: ClassVar[RoleType] = RoleType.USER

    def __init__(self, function: UserFunction) -> None:
        """A user that has said nothing yet."""
        self._function = function
        self.model_name = _name(function)

    def respond(self, ending_index: int | None = None) -> None:
        """Says what the function returns, or ends the conversation."""
        messages = self.get_messages(ending_index)
        self.messages_validation(messages)
        line = self._line(list(_as_heard(self.filter_messages(messages))))
        recipient = RoleType.EXECUTION_ENVIRONMENT if line is None else RoleType.AGENT
        content = END_CONVERSATION if line is None else line
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=content)])

    def _line(self, messages: list[dict[str, str]]) -> str | None:
        try:
            line = self._function(messages)
        except (ToolSandboxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise UserError(f"{self.model_name} raised {described(error, None)}") from error
        if line is not None and not isinstance(line, str):
            told = "it has to return the text of the user, or None to end the conversation"
            raise UserError(f"{self.model_name} returned an object of the type {type(line).__name__}; {told}")
        return line


@attrs.frozen
class FunctionUserFactory:
    """Makes the role of a function. Can be sent to another process if the function can.

    Attributes:
        function: The function.
    """

    function: UserFunction

    @property
    def __name__(self) -> str:
        return _name(self.function)

    def __call__(self) -> FunctionUser:
        """Makes a new role."""
        return FunctionUser(self.function)


def _name(function: UserFunction) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _as_heard(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    """What a user knows of a conversation; demonstrations are none of it."""
    roles = {RoleType.SYSTEM: "system", RoleType.USER: "user", RoleType.AGENT: "assistant"}
    for message in messages[in_band(messages)[1] :]:
        if message.sender in roles and message.recipient in (RoleType.USER, RoleType.AGENT):
            yield {"role": roles[message.sender], "content": message.content}
