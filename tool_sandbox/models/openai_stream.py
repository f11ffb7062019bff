"""Puts a streamed chat completion together again."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.plain import as_plain

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_ABOUT_ALL = ("id", "created", "model", "system_fingerprint", "service_tier", "usage", "x_groq")


def collect(chunks: Iterable[Any], request_id: str | None) -> "ChatCompletion":
    """The completion that a stream describes.

    More patient than the SDK's own helper: it takes fields that OpenAI does not know, calls without numbers, content
    in parts, and names that are repeated in every piece.
    """
    from openai.types.chat import ChatCompletion

    completion: dict[str, Any] = {"object": "chat.completion"}
    message: dict[str, Any] = {"role": "assistant"}
    choice: dict[str, Any] = {"index": 0, "finish_reason": None, "message": message}
    for chunk in chunks:
        data = as_plain(chunk)
        if not isinstance(data, Mapping):
            raise MalformedReplyError("a piece of the stream is not an object")
        completion |= {name: data[name] for name in _ABOUT_ALL if data.get(name) is not None}
        for part in data.get("choices") or ():
            if not isinstance(part, Mapping) or part.get("index"):
                continue
            choice |= {name: part[name] for name in ("finish_reason", "error", "usage") if part.get(name) is not None}
            _add(message, part.get("delta") or {})
    if choice["finish_reason"] is None:
        raise MalformedReplyError("the stream ended before the reply was complete")
    answer = ChatCompletion.construct(**completion, choices=[choice])
    answer._request_id = request_id
    return answer


def is_stream(body: bytes) -> bool:
    """Whether an answer is a stream, whatever its headers say."""
    return not body.lstrip().startswith(b"{")


def whole(body: bytes) -> "ChatCompletion":
    """The completion of a server that was asked for a stream and does not know how."""
    from openai.types.chat import ChatCompletion

    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError("the answer is not JSON") from error
    if not isinstance(data, dict):
        raise MalformedReplyError("the answer is not a JSON object")
    return ChatCompletion.construct(**data)


def _add(message: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for name, value in delta.items():
        if value is None:
            continue
        if name == "tool_calls":
            calls = message.setdefault("tool_calls", [])
            for piece in value:
                _add_to_call(calls, piece)
        elif name == "function_call":
            _add_to_function(message.setdefault("function_call", {}), value)
        elif name == "role" or name not in message:
            message[name] = value
        else:
            message[name] = _joined(message[name], value)


def _joined(before: Any, value: Any) -> Any:
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    if isinstance(before, list) or isinstance(value, list):
        return [*_parts(before), *_parts(value)]
    return value


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _add_to_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    call = _call_of(calls, piece)
    for name, value in piece.items():
        if name == "function":
            _add_to_function(call["function"], value or {})
        elif value is not None:
            call[name] = value


def _call_of(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> dict[str, Any]:
    """The call that a piece belongs to: by its number, unless its id says that it begins another one."""
    number, call_id = piece.get("index"), piece.get("id")
    known = [call for call in calls if number is None or call.get("index") == number]
    if known and (not call_id or known[-1].get("id") in (None, "", call_id)):
        return known[-1]
    calls.append({"type": "function", "function": {}})
    return calls[-1]


def _add_to_function(function: dict[str, Any], piece: Mapping[str, Any]) -> None:
    for name, value in piece.items():
        before = function.get(name)
        if value is None or (name == "name" and value == before):
            continue
        function[name] = before + value if isinstance(before, str) and isinstance(value, str) else value
