"""Messages, tools and their likes as OpenTelemetry's semantic conventions for generative AI have them.

What has a structure there is JSON in a text here: viewers read that, and the conventions permit it for spans.
"""

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tool_sandbox.export.otlp import Attributes
from tool_sandbox.export.trajectory import Entry
from tool_sandbox.models.messages import StopReason

_PROVIDERS = {"google": "gcp.gen_ai", "mistral": "mistral_ai", "xai": "x_ai"}
"""Providers that the conventions call by another name than this package."""

_FINISH_REASONS = {
    StopReason.END: "stop",
    StopReason.TOOL_USE: "tool_call",
    StopReason.MAX_TOKENS: "length",
    StopReason.CONTEXT_EXCEEDED: "length",
    StopReason.REFUSAL: "content_filter",
    StopReason.BLOCKED: "content_filter",
}


def as_json(value: Any) -> str:
    """A value with a structure as the text of an attribute."""
    return json.dumps(value, ensure_ascii=False)


def provider_name(model: Mapping[str, Any] | None) -> str:
    """``gen_ai.provider.name`` of a model, or of an agent that is none."""
    provider = "tool_sandbox" if model is None else str(model["provider"])
    return _PROVIDERS.get(provider, provider)


def message_parts(entry: Entry) -> dict[str, Any]:
    """A message in the chat history that a model is given."""
    content = entry.message.get("content")
    if entry.role == "tool":
        answer = {"type": "tool_call_response", "id": entry.message["tool_call_id"], "response": content}
        return {"role": "tool", "parts": [answer]}
    calls = [
        {
            "type": "tool_call",
            "id": call["id"],
            "name": call["function"]["name"],
            "arguments": json.loads(call["function"]["arguments"]),
        }
        for call in entry.calls
    ]
    texts = [text_part(entry)] if content or not calls else []
    return {"role": entry.role, "parts": [*texts, *calls]}


def text_part(entry: Entry) -> dict[str, Any]:
    """The text of a message."""
    return {"type": "text", "content": entry.message["content"]}


def output_message(entry: Entry) -> dict[str, Any]:
    """A message that a model gave."""
    return {**message_parts(entry), "finish_reason": finish_reason(entry)}


def finish_reason(entry: Entry) -> str:
    """Why a message of the agent ends where it does."""
    if entry.model is not None and entry.model.stop in _FINISH_REASONS:
        return _FINISH_REASONS[StopReason(entry.model.stop)]
    return "tool_call" if entry.calls else "stop"


def tool_definition(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool on offer."""
    return {"type": "function", **tool["function"]}


def token_usage(entries: Iterable[Entry]) -> Attributes:
    """Tokens of the messages of the agent, as far as the provider counted them."""
    turns = [entry.model for entry in entries if entry.model is not None]
    inputs, outputs = [turn.input_tokens for turn in turns], [turn.output_tokens for turn in turns]
    return {
        f"gen_ai.usage.{name}_tokens": sum(count or 0 for count in counts) if counts and None not in counts else None
        for name, counts in (("input", inputs), ("output", outputs))
    }


def error_type(error: str) -> str:
    """The class of an error of which the text is known."""
    named = re.match(r"([A-Za-z]\w*(?:Error|Exception))\b", error)
    return "_OTHER" if named is None else named[1]


def iso_time(seconds: float | None) -> str | None:
    """A POSIX time in words."""
    if seconds is None:
        return None
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()
