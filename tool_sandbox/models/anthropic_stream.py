"""Puts a reply of the Anthropic API together from the events of a stream.

The SDK can do so too, but completes the arguments of a call that break off, so that a wrong call would be carried out.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tool_sandbox.models.faults import MalformedReplyError

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
                if any(pieces.get(index, ())):
                    block["input"] = _arguments("".join(pieces[index]))
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


def _arguments(text: str) -> Any:
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return arguments if isinstance(arguments, dict) else text
