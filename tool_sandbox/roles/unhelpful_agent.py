"""An agent that never helps: the floor that any score has to be compared with."""

from typing import ClassVar

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import Message
from tool_sandbox.roles.base_role import BaseRole

REFUSAL = "I'm sorry, but I can't help with that."
"""The only thing the agent ever says."""


class UnhelpfulAgent(BaseRole):
    """Answers every message with the same refusal, and never calls a tool."""

    role_type: ClassVar[RoleType] = RoleType.AGENT
    model_name = "Unhelpful"

    def respond(self, ending_index: int | None = None) -> None:
        """Refuses."""
        if self.entries(ending_index)[-1][1].sender != RoleType.SYSTEM:
            self.add_messages([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=REFUSAL)])
