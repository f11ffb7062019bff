"""Tool calls and their answers, read off a stored message log. Nothing in it is executed."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.roles.tool_dispatch import parse_invocation

CODE = "python"
"""Name of what is no tool call but other code."""


@attrs.frozen
class EnvironmentCall:
    """What a message asks the execution environment for.

    Attributes:
        id: Id of the call, ``None`` if it has none.
        name: Name as the sender wrote it.
        tool: Real name of the tool, ``None`` for code that is not one call.
        arguments: Arguments by real parameter name; text if they are no object, or the code that stands in their place.
    """

    id: str | None
    name: str
    tool: str | None
    arguments: Any


@attrs.frozen
class EnvironmentAnswer:
    """What the execution environment answered.

    Attributes:
        id: Id of the call.
        tool: Real name of the tool, ``None`` for code that is not one call.
        call_index: Index of the message that it answers, ``None`` if there is none.
        result: What came out, ``None`` after an error.
        error: Text of the error, ``None`` if there was none.
    """

    id: str | None
    tool: str | None
    call_index: int | None
    result: str | None
    error: str | None


def read_call(row: Mapping[str, Any]) -> EnvironmentCall:
    """Reads the call in a message to the execution environment."""
    content = row["content"] or ""
    shown = row["openai_function_name"]
    invocation = parse_invocation(content)
    if invocation is None or invocation.arguments:
        return EnvironmentCall(row["openai_tool_call_id"], shown or CODE, None, content)
    arguments = plain(invocation.keywords)
    if not isinstance(arguments, dict):
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return EnvironmentCall(row["openai_tool_call_id"], shown or invocation.name, invocation.name, arguments)


def plain(value: Any) -> Any:
    """A literal as a value that any reader of JSON understands: what JSON has no form for becomes text."""
    if isinstance(value, Mapping):
        return {name if isinstance(name, str) else str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


class CallBook:
    """Links answers with the calls they belong to, message by message."""

    def __init__(self) -> None:
        """Nothing has been called yet."""
        self._open: list[tuple[int, str, EnvironmentCall]] = []

    def add(self, index: int, sender: str, call: EnvironmentCall) -> None:
        """Notes a call that waits for its answer."""
        self._open.append((index, sender, call))

    def answer(self, row: Mapping[str, Any]) -> EnvironmentAnswer:
        """Reads an answer."""
        wanted = row["openai_tool_call_id"]
        asked: tuple[int, str, EnvironmentCall] | None = None
        for position, (_, sender, call) in enumerate(self._open):
            if sender == row["recipient"] and (wanted is None or call.id in (wanted, None)):
                asked = self._open.pop(position)
                break
        error = row["tool_call_exception"]
        return EnvironmentAnswer(
            id=wanted,
            tool=_traced_tool(row) or (asked[2].tool if asked is not None else None),
            call_index=asked[0] if asked is not None else None,
            result=row["content"] if error is None else None,
            error=error,
        )


def _traced_tool(row: Mapping[str, Any]) -> str | None:
    """The one tool that ran."""
    traces: Sequence[str] = row["tool_trace"] or ()
    if len(traces) != 1:
        return None
    try:
        name = json.loads(traces[0])["tool_name"]
    except (ValueError, TypeError, KeyError):
        return None
    return name if isinstance(name, str) else None


def is_to_environment(row: Mapping[str, Any]) -> bool:
    """Whether a message is a call (the set-up code of a scenario is none)."""
    return bool(row["recipient"] == RoleType.EXECUTION_ENVIRONMENT and row["sender"] != RoleType.SYSTEM)
