"""Reading replies of the Anthropic API, whole or as a stream of events."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from tool_sandbox.models.anthropic_code import caller_of, container_id, hosted_runs, is_malformed
from tool_sandbox.models.anthropic_history import to_input
from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import ModelReply, RequestedCall, StopReason, Usage
from tool_sandbox.models.plain import count, json_or_none, mapping, text_or_none

STATUS_OF_TYPE: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The HTTP status that belongs to an error which came with the status of success, or in the middle of a stream,
or as an item of a batch."""


_STOPS: Mapping[str, StopReason] = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.CONTEXT_EXCEEDED,
    "refusal": StopReason.BLOCKED,
    "pause_turn": StopReason.PAUSE,
    "compaction": StopReason.PAUSE,
}


def to_reply(message: Any, request_id: str | None) -> ModelReply:
    """Understands a message of the API."""
    blocks = _blocks(message)
    stop = _STOPS.get(str(message.get("stop_reason")), StopReason.OTHER)
    reply = ModelReply(
        stop=stop,
        stop_text=_stop_text(message),
        usage=to_usage(message.get("usage")),
        served_model=text_or_none(message.get("model")),
        request_id=request_id,
        hosted=hosted_runs(blocks),
    )
    if stop is StopReason.BLOCKED:
        return reply
    content, container = [_sendable(block) for block in blocks], container_id(message)
    texts = (block.get("text") for block in blocks if block["type"] == "text")
    return attrs.evolve(
        reply,
        text="\n".join(text for text in texts if isinstance(text, str) and text),
        calls=tuple(_call(block) for block in blocks if block["type"] == "tool_use"),
        raw=content if container is None else {"content": content, "container": container},
    )


def _blocks(message: Any) -> list[dict[str, Any]]:
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, list):
        raise MalformedReplyError("the answer is no message with a list of content blocks")
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            raise MalformedReplyError("a content block of the answer has no type")
        if block["type"] == "tool_use" and not (
            isinstance(block.get("name"), str) and isinstance(block.get("id"), str)
        ):
            raise MalformedReplyError("a call in the answer has no name or no id")
        if is_malformed(block):
            raise MalformedReplyError(f"a block of type {block['type']} in the answer does not say what it belongs to")
    return content


def _call(block: Mapping[str, Any]) -> RequestedCall:
    return RequestedCall(block["id"], block["name"], _arguments(block), caller_of(block))


def _arguments(block: Mapping[str, Any]) -> Mapping[str, Any] | str:
    arguments = block.get("input")
    return arguments if isinstance(arguments, dict | str) else json.dumps(arguments)


def _sendable(block: dict[str, Any]) -> dict[str, Any]:
    """A block as it is sent back: unchanged, unless it is a call with something in it that the API would refuse."""
    if block["type"] not in ("tool_use", "server_tool_use"):
        return block
    if not isinstance(block.get("input"), dict):
        block = {**block, "input": to_input(_arguments(block))}
    caller = block.get("caller")
    if "caller" in block and not (isinstance(caller, Mapping) and isinstance(caller.get("type"), str)):
        block = {name: value for name, value in block.items() if name != "caller"}
    return block


def _stop_text(message: Mapping[str, Any]) -> str:
    reason = message.get("stop_reason")
    if reason == "stop_sequence":
        return f"stop_sequence: {message.get('stop_sequence')}"
    if category := mapping(message.get("stop_details")).get("category"):
        return f"{reason}: {category}"
    return reason if isinstance(reason, str) else json.dumps(reason)


def to_usage(usage: Any) -> Usage | None:
    """The tokens of a call."""
    if not isinstance(usage, Mapping):
        return None
    kept = mapping(usage.get("cache_creation"))
    short, long = count(kept.get("ephemeral_5m_input_tokens")), count(kept.get("ephemeral_1h_input_tokens"))
    written = max(count(usage.get("cache_creation_input_tokens")), short + long)
    cached = count(usage.get("cache_read_input_tokens"))
    return Usage(
        input_tokens=count(usage.get("input_tokens")) + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written - long,
        cache_write_1h_tokens=long,
        output_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(mapping(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


# Streams -------------------------------------------------------------------------------------
# The SDK can put them together too, but completes the arguments of a call that break off, so that a wrong call would be
# carried out.

_APPENDED = {"text_delta": "text", "thinking_delta": "thinking"}
_REPLACED = {"signature_delta": "signature"}


class StreamEndedError(Exception):
    """The stream ended before the reply did."""


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Puts a reply together."""
    try:
        return _assemble(events)
    except (KeyError, TypeError, AttributeError) as error:
        raise MalformedReplyError(f"an event of the stream has an unknown form ({type(error).__name__})") from error


def _assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    pieces: dict[int, list[str]] = {}
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            message = dict(event["message"])
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            _extend(blocks[event["index"]], event["delta"], pieces.setdefault(event["index"], []))
        elif kind == "message_delta":
            usage = {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
            container = event["delta"].get("container") or message.get("container")
            message |= {**event["delta"], "container": container, "usage": {**(message.get("usage") or {}), **usage}}
        elif kind == "message_stop" and message:
            for index, block in blocks.items():
                if text := "".join(pieces.get(index, ())):
                    arguments = json_or_none(text)
                    block["input"] = arguments if isinstance(arguments, dict) else text
            return {**message, "content": [blocks[index] for index in sorted(blocks)]}
    raise StreamEndedError("the stream ended before the reply did")


def _extend(block: dict[str, Any], delta: Mapping[str, Any], pieces: list[str]) -> None:
    kind = delta["type"]
    if kind in _APPENDED:
        block[_APPENDED[kind]] = (block.get(_APPENDED[kind]) or "") + delta[_APPENDED[kind]]
    elif kind in _REPLACED:
        block[_REPLACED[kind]] = delta[_REPLACED[kind]]
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
    elif kind == "input_json_delta":
        pieces.append(delta["partial_json"])
