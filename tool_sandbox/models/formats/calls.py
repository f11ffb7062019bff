"""Reading tool calls out of what a model wrote, shared by the formats in which calls are JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.models.messages import RequestedCall

UNREADABLE = "invalid_tool_call"
"""Name of a call of which not even the name can be read."""

Parsed = tuple[str, tuple[RequestedCall, ...]]
"""What a model said, and what it called."""

Tools = Sequence[Mapping[str, Any]]
"""Tools in the format of OpenAI's chat completions."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


def leading_json(text: str, start: int) -> tuple[Any, int]:
    """Reads the JSON value at some place of a text."""
    space = _SPACE.match(text, start)
    try:
        return _DECODER.raw_decode(text, space.end() if space else start)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_or_text(text: str) -> Any:
    """The value of a JSON text, the text itself if it is something else or a string.

    Results are Python's ``repr``, in which most strings are no JSON; the others should not look different.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def read_call(entry: Any, call_id: str, name_key: str, arguments_key: str, written: str) -> RequestedCall:
    """Understands one decoded call."""
    if not isinstance(entry, dict) or not isinstance(entry.get(name_key), str) or arguments_key not in entry:
        return unreadable_call(call_id, name_key, written)
    arguments = entry[arguments_key]
    return RequestedCall(call_id, entry[name_key], arguments if isinstance(arguments, dict) else json.dumps(arguments))


def unreadable_call(call_id: str, name_key: str, written: str) -> RequestedCall:
    """A call in place of something that was meant to be one, to be answered with an error."""
    name = re.search(rf'"{name_key}"\s*:\s*"(\w{{1,100}})"', written)
    return RequestedCall(call_id, name[1] if name else UNREADABLE, written)


def joined(parts: Sequence[str]) -> str:
    """What was said around calls: the parts that are not blank, one per line."""
    return "\n".join(part.strip() for part in parts if part.strip())
