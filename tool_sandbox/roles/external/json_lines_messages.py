"""The protocol of ``--agent "command: ..."``: one JSON object a line, version 1.

What comes from the agent is checked field by field, because everything in it may be wrong.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import attrs

from tool_sandbox.helpers.untrusted import read_json
from tool_sandbox.models.faults import one_line
from tool_sandbox.models.formats.chat import as_messages
from tool_sandbox.models.messages import RequestedCall, ToolResult, Turn, Usage
from tool_sandbox.models.plain import MOST_TOKENS, MOST_USD, usd
from tool_sandbox.roles.external.agent import Reply
from tool_sandbox.world.errors import AgentError

PROTOCOL = 1

MOST_CALLS = 128
"""Calls in one batch."""

LONGEST_NAME = 256
LONGEST_TEXT = 2**20
"""Characters of a text for the user."""

_EXCERPT = 120


@attrs.frozen
class Calls:
    """The agent wants tools to be called.

    Attributes:
        calls: The calls; several are made at once.
        text: What it says beside them.
    """

    calls: tuple[RequestedCall, ...]
    text: str = ""


@attrs.frozen
class Failure:
    """The agent gives up.

    Attributes:
        message: Why.
        is_infrastructure: Whether it blames its surroundings, so that it is not scored.
    """

    message: str
    is_infrastructure: bool = False


Message = Calls | Reply | Failure | None
"""What an agent says; ``None`` for a line that is kept and means nothing."""


def read_message(line: str) -> Message:
    """Reads a line of the agent."""
    try:
        value = read_json(line)
    except ValueError:
        _refuse(line, "a JSON object on one line")
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        _refuse(line, 'a JSON object with a "type"')
    try:
        reader = _READERS.get(value["type"])
        return None if reader is None else reader(value)
    except _Unexpected as wrong:
        _refuse(line, str(wrong))


class _Unexpected(Exception):  # noqa: N818 - says what was expected
    pass


def _refuse(line: str, expected: str) -> NoReturn:
    excerpt = one_line(line[: 4 * _EXCERPT], _EXCERPT) or "an empty line"
    raise AgentError(f"the agent printed what protocol {PROTOCOL} does not have; expected {expected}, got: {excerpt}")


def _calls(value: Mapping[str, Any]) -> Calls:
    calls = value.get("calls")
    if not isinstance(calls, list) or not 1 <= len(calls) <= MOST_CALLS:
        raise _Unexpected(f'"calls" to be a list of 1 to {MOST_CALLS} calls')
    return Calls(tuple(map(_call, calls)), _text(value, "text", default=""))


def _call(value: Any) -> RequestedCall:
    if not isinstance(value, dict):
        raise _Unexpected('each of "calls" to be an object with "id", "name" and "arguments"')
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict | str):
        raise _Unexpected('"arguments" of a call to be an object')
    return RequestedCall(_name(value, "id"), _name(value, "name"), arguments)


def _answer(value: Mapping[str, Any]) -> Reply:
    model = None if value.get("model") is None else _name(value, "model")
    return Reply(_text(value, "text"), _usage(value.get("usage")), _cost(value.get("cost_usd")), model)


def _failure(value: Mapping[str, Any]) -> Failure:
    flags = [value.get(name) for name in ("retryable", "infrastructure")]
    if not all(flag is None or isinstance(flag, bool) for flag in flags):
        raise _Unexpected('"retryable" and "infrastructure" of an error to be true or false')
    return Failure(one_line(_text(value, "message")), any(flags))


def _usage(value: Any) -> Usage | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _Unexpected('"usage" to be an object of token counts')
    counts = {name: value[name] for name in attrs.fields_dict(Usage) if value.get(name) is not None}
    for name, tokens in counts.items():
        if type(tokens) is not int or not 0 <= tokens <= MOST_TOKENS:
            raise _Unexpected(f'"{name}" of "usage" to be a whole number from 0')
    return Usage(**counts)


def _cost(value: Any) -> float | None:
    if (cost := usd(value)) is None and value is not None:
        raise _Unexpected(f'"cost_usd" to be a number from 0 to {MOST_USD:g}')
    return cost


def _text(value: Mapping[str, Any], name: str, default: str | None = None) -> str:
    text = default if value.get(name) is None else value[name]
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise _Unexpected(f'"{name}" to be a text of at most {LONGEST_TEXT} characters')
    return _valid(text)


def _name(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not 1 <= len(text) <= LONGEST_NAME:
        raise _Unexpected(f'"{name}" to be a text of 1 to {LONGEST_NAME} characters')
    return _valid(text)


def _valid(text: str) -> str:
    """The text with a question mark in place of what is no Unicode: JSON can hold half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Message]] = {
    "tool_calls": _calls,
    "message": _answer,
    "error": _failure,
}


def to_line(message: Mapping[str, Any]) -> str:
    """A message to the agent as one line."""
    return json.dumps(message)


def to_results(
    calls: Sequence[RequestedCall], results: Sequence[ToolResult], new_tools: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The answer to a batch of calls, under the ids and names that the agent gave them, and the tools that it found."""
    return {
        "type": "tool_results",
        **({"new_tools": list(new_tools)} if new_tools else {}),
        "results": [
            {"id": call.id, "name": call.name, "content": result.text, "is_error": result.is_error}
            for call, result in zip(calls, results, strict=True)
        ],
    }


def to_history(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """What was said before, as messages in the style of OpenAI's chat completions."""
    messages = (message for turn in turns for message in as_messages(turn))
    return [{name: value for name, value in message.items() if name != "name"} for message in messages]
