"""What is published about messages in one place, and their conversion to what other libraries have."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.conversation.messages import TOOL_TYPE_FUNCTION
from tool_sandbox.conversation.messages import Message as Message
from tool_sandbox.conversation.messages import is_within_code as is_within_code
from tool_sandbox.conversation.messages import openai_tool_call_to_python_code as openai_tool_call_to_python_code
from tool_sandbox.conversation.messages import python_code_to_openai_tool_call as python_code_to_openai_tool_call
from tool_sandbox.conversation.messages import to_openai_messages as to_openai_messages
from tool_sandbox.play.graded_conversation import serialize_to_conversation as serialize_to_conversation
from tool_sandbox.world.errors import ConfigurationError


def openai_messages_to_langchain_messages(openai_messages: Iterable[dict[str, Any]]) -> list[Any]:
    """The same history as LangChain message objects (package ``langchain-core``)."""
    try:
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    except ImportError as error:
        raise ConfigurationError(
            "LangChain messages need the package langchain-core: pip install 'tool_sandbox[langchain]'"
        ) from error

    converted: list[Any] = []
    for entry in openai_messages:
        content = entry["content"] or ""
        match entry["role"]:
            case "user":
                converted.append(HumanMessage(content=content))
            case "assistant":
                calls = entry.get("tool_calls") or []
                for call in calls:
                    call["type"] = TOOL_TYPE_FUNCTION
                extra = {"tool_calls": calls} if calls else {}
                converted.append(AIMessage(content=content, additional_kwargs=extra))
            case "tool":
                message = ToolMessage(content=content, tool_call_id=entry["tool_call_id"], name=entry["name"])
                converted.append(message)
    return converted


def get_snapshot_indices_to_databases(execution_context: ExecutionContext) -> dict[int, dict[str, pl.DataFrame]]:
    """All stored snapshots of the world databases by message index."""
    snapshots: dict[int, dict[str, pl.DataFrame]] = {}
    for name in execution_context.table_names():
        for index, table in execution_context.get_history(name):
            snapshots.setdefault(index, {})[name] = table.frame
    return snapshots
