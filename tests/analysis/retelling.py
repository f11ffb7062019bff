"""Stored conversations to which calls were added: what the program writes when an agent makes them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    get_current_context,
    new_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment

ToolCall = tuple[str, Mapping[str, Any]]


def retell(run: Path, name: str, calls: Sequence[ToolCall], *, at_once: bool = False) -> int:
    """Lets an agent make calls after all that was said in a conversation, in a world that has a contact ``a``."""
    path = run / "trajectories" / name / "execution_context.json"
    stored = json.loads(path.read_text("utf-8")) | {"tool_allow_list": None, "tool_augmentation_list": []}
    context = ExecutionContext.from_dict(stored)
    context.add_to_database(DatabaseNamespace.CONTACT, [{"person_id": "a", "name": "Ann"}])
    first = context.max_sandbox_message_index + 1
    messages = [
        Message("AGENT", "EXECUTION_ENVIRONMENT", format_tool_call(call_id, *call), None, call_id, call[0])
        for call_id, call in ((f"c{number}", call) for number, call in enumerate(calls))
    ]
    with new_context(context):
        for batch in [messages] if at_once else [[message] for message in messages]:
            BaseRole.add_messages(batch)
            if at_once or batch[0].openai_function_name in context.name_to_tool:
                ExecutionEnvironment().respond()
        told = get_current_context().to_dict(serialize_console=False)
    path.write_text(json.dumps(told), "utf-8")
    return first + len(calls) if at_once else first


def forget_states(run: Path, name: str) -> None:
    """Makes a conversation one of a version that kept no state between parallel calls."""
    path = run / "trajectories" / name / "execution_context.json"
    stored = json.loads(path.read_text("utf-8"))
    del stored["extensions"]["batch_states"]
    path.write_text(json.dumps(stored), "utf-8")
