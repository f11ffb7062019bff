"""Ending a conversation."""

import pytest

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    new_context,
)
from tool_sandbox.tools.user_tools import end_conversation


def test_ends_once_and_stays_ended(world: ExecutionContext) -> None:
    assert end_conversation() is None
    with pytest.raises(ValueError, match="over"):
        end_conversation()
    world.add_to_database(DatabaseNamespace.SANDBOX, [{"sender": "AGENT", "recipient": "USER", "content": "Bye"}])
    assert world.get_table(DatabaseNamespace.SANDBOX).column("conversation_active") == [False]


def test_needs_a_conversation() -> None:
    with new_context(ExecutionContext()), pytest.raises(ValueError, match="begun"):
        end_conversation()


def test_only_the_user_sees_it() -> None:
    assert end_conversation.visible_to == (RoleType.USER,)  # type: ignore[attr-defined]
