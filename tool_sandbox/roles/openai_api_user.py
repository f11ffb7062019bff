"""The published users that models of OpenAI play, over chat completions."""

from collections.abc import Sequence
from typing import Any, ClassVar

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import Message
from tool_sandbox.roles.model_user import ModelUser
from tool_sandbox.roles.openai_api_agent import OpenAIAPIRole

_WIRE_ROLES = {
    (RoleType.SYSTEM, RoleType.USER): "system",
    (RoleType.AGENT, RoleType.USER): "user",
    (RoleType.USER, RoleType.AGENT): "assistant",
    (RoleType.USER, RoleType.EXECUTION_ENVIRONMENT): None,
    (RoleType.EXECUTION_ENVIRONMENT, RoleType.USER): None,
}


class OpenAIAPIUser(OpenAIAPIRole, ModelUser):
    """A user that a model of OpenAI plays; subclasses name it."""

    lead_in: ClassVar[str] = ""

    @staticmethod
    def to_openai_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The conversation as chat completions, from the side of the user; a turn sends more than that."""
        history = []
        for message in messages:
            pair = (message.sender, message.recipient)
            if pair not in _WIRE_ROLES:
                raise ValueError(
                    f"a message from {message.sender} to {message.recipient} has no place in a user's history"
                )
            if (role := _WIRE_ROLES[pair]) is not None:
                history.append({"role": role, "content": message.content})
        return history


class GPT_3_5_0125_User(OpenAIAPIUser):  # noqa: N801 - published name
    """GPT-3.5 Turbo of January 2024."""

    model_name = "gpt-3.5-turbo-0125"


class GPT_4_0125_User(OpenAIAPIUser):  # noqa: N801 - published name
    """GPT-4 Turbo preview of January 2024."""

    model_name = "gpt-4-0125-preview"


class GPT_4_o_2024_05_13_User(OpenAIAPIUser):  # noqa: N801 - published name
    """GPT-4o of May 2024."""

    model_name = "gpt-4o-2024-05-13"
