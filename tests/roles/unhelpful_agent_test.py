"""The agent that refuses."""

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, new_context
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.roles.unhelpful_agent import REFUSAL, UnhelpfulAgent


def test_refuses_the_user() -> None:
    with new_context(ExecutionContext()):
        UnhelpfulAgent.add_messages([Message("USER", "AGENT", "Turn off the wifi")])
        UnhelpfulAgent().respond()
        message = UnhelpfulAgent.get_messages()[-1]
    assert (message.sender, message.recipient, message.content) == (RoleType.AGENT, RoleType.USER, REFUSAL)


def test_says_nothing_to_the_system_and_nothing_out_of_turn() -> None:
    with new_context(ExecutionContext()):
        UnhelpfulAgent.add_messages([Message("SYSTEM", "AGENT", "Be kind")])
        UnhelpfulAgent().respond()
        assert len(UnhelpfulAgent.get_messages()) == 1
        UnhelpfulAgent.add_messages([Message("AGENT", "USER", "hi")])
        with pytest.raises(KeyError):
            UnhelpfulAgent().respond()
