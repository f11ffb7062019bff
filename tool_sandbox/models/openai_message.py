"""Reads the parts of a chat completion, in the forms that the many servers give them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import RequestedCall, StopReason, Usage
from tool_sandbox.models.openai_shared import json_object, requested_call, usage_of_request

_STOPS = {
    **dict.fromkeys(("", "stop", "eos", "eos_token", "stop_sequence", "end_turn", "complete"), StopReason.END),
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "function_call"), StopReason.TOOL_USE),
    **dict.fromkeys(("length", "max_tokens"), StopReason.MAX_TOKENS),
    "model_length": StopReason.CONTEXT_EXCEEDED,
    "content_filter": StopReason.BLOCKED,
}


def stop_of(word: Any) -> StopReason:
    """What a finish reason means; servers that give none are done."""
    return _STOPS.get("" if word is None else str(word).lower(), StopReason.OTHER)


def content_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """Text and refusal of a message, whose content may be a text or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    refusals = [refusal] if isinstance(refusal, str) else []
    if content is None or isinstance(content, str):
        return content or "", "".join(refusals)
    if not isinstance(content, list):
        raise MalformedReplyError("the content of the message is neither text nor a list")
    parts = [part for part in content if isinstance(part, Mapping)]
    refusals += [part["refusal"] for part in parts if isinstance(part.get("refusal"), str)]
    texts = [part["text"] for part in parts if part.get("type") == "text" and isinstance(part.get("text"), str)]
    return "\n".join(texts), "\n".join(filter(None, refusals))


def calls_of(message: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[RequestedCall, ...]:
    """The tool calls of a message, the one of the old form ``function_call`` included."""
    entries = message.get("tool_calls") or ()
    if not entries and message.get("function_call"):
        entries = [{"function": message["function_call"]}]
    if not isinstance(entries, Sequence) or not all(isinstance(entry, Mapping) for entry in entries):
        raise MalformedReplyError("tool_calls is not a list of objects")
    calls = tuple(map(_call, entries))
    ids = {call.id for call in calls}
    if "" not in ids and len(ids) == len(calls):
        return calls
    digest = hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()[:12]
    return tuple(attrs.evolve(call, id=f"call_{digest}_{number}") for number, call in enumerate(calls))


def _call(entry: Mapping[str, Any]) -> RequestedCall:
    function = entry.get("function") or entry.get("custom")
    if not isinstance(function, Mapping):
        raise MalformedReplyError("a tool call has no function")
    arguments = function.get("arguments", function.get("input"))
    return requested_call(entry.get("id"), function.get("name"), arguments)


def written_arguments(entry: Mapping[str, Any], call: RequestedCall) -> str:
    """The arguments of a call as text: the model's own, if the server passed it on."""
    arguments = (entry.get("function") or {}).get("arguments")
    return arguments if isinstance(arguments, str) else json_object(call.arguments)


def usage_of(answer: Mapping[str, Any]) -> Usage | None:
    """Tokens of a completion, wherever the server wrote them; ``None`` if it did not say."""
    choices = answer.get("choices")
    holders = (answer, answer.get("x_groq"), choices[0] if isinstance(choices, list) and choices else None)
    found = (
        usage_of_request(holder.get("usage"), "prompt", "completion")
        for holder in holders
        if isinstance(holder, Mapping)
    )
    return next((usage for usage in found if usage is not None), None)
