"""Replies of the Gemini API: what the model said and called, and why it stopped."""

import hashlib
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError, RequestFault, one_line
from tool_sandbox.models.gemini_contents import Json, safe_name
from tool_sandbox.models.messages import ModelReply, RequestedCall, StopReason, Usage
from tool_sandbox.models.plain import text_or_none

_STOPS = {
    "": StopReason.END,
    "STOP": StopReason.END,
    "MAX_TOKENS": StopReason.MAX_TOKENS,
    # The reply is longer than one request may make it; it is cut off like any other.
    "CONTINUATION": StopReason.MAX_TOKENS,
    "SAFETY": StopReason.BLOCKED,
    "RECITATION": StopReason.BLOCKED,
    "BLOCKLIST": StopReason.BLOCKED,
    "PROHIBITED_CONTENT": StopReason.BLOCKED,
    "SPII": StopReason.BLOCKED,
    "MODEL_ARMOR": StopReason.BLOCKED,
    "ESCALATION": StopReason.BLOCKED,
    "IMAGE_SAFETY": StopReason.BLOCKED,
    "IMAGE_PROHIBITED_CONTENT": StopReason.BLOCKED,
    "IMAGE_RECITATION": StopReason.BLOCKED,
}
_SLIPS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")
"""The model wrote a call that the API could not make sense of; often that is all there is of the reply."""
_CALLED = re.compile(r"default_api[.:](\w+)|call:(\w+)")
_EXACT = 2.0**53


def read_reply(document: Any, tools: Sequence[Mapping[str, Any]]) -> ModelReply:
    """Understands a reply."""
    if not isinstance(document, dict):
        raise MalformedReplyError("the reply is no JSON object")
    candidate = _first_candidate(document)
    if candidate is None:
        return _frame(document, ModelReply(stop=StopReason.BLOCKED, stop_text=_block_reason(document)))
    finish = str(candidate.get("finishReason") or "")
    _check_account(finish)
    content = _dict(candidate.get("content"), "content")
    parts = content.get("parts") or []
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise MalformedReplyError("the parts of the reply are no list of objects")
    spoken = [part for part in parts if not part.get("thought")]
    text = _text_of(parts)
    calls = _calls(spoken, document, _schemas(tools))
    can_be_returned = bool(text or calls) and all(_is_returnable(call) for call in calls)
    words = str(candidate.get("finishMessage") or "")
    if finish in _SLIPS and not calls:
        calls, can_be_returned = (_slip(words or text or finish, document),), False
    stop = _STOPS.get(finish, StopReason.OTHER)
    if calls and (stop is StopReason.END or finish in _SLIPS):
        stop = StopReason.TOOL_USE
    stop_text = one_line(": ".join(filter(None, (finish, words))))
    raw = {**content, "role": "model"} if can_be_returned else None
    return _frame(document, ModelReply(text, calls, stop, stop_text, raw=raw))


def _text_of(parts: Sequence[Json]) -> str:
    """What was said. Texts that follow one another are one, cut anywhere; others are lines of their own."""
    runs = itertools.groupby(parts, key=lambda part: bool(part.get("text")) and not part.get("thought"))
    return "\n".join("".join(str(part["text"]) for part in run) for is_text, run in runs if is_text)


def _first_candidate(document: Json) -> Json | None:
    """The reply proper, ``None`` if the request was blocked."""
    candidates = document.get("candidates") or []
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        return candidates[0]
    if candidates or not _block_reason(document):
        raise MalformedReplyError("the reply has no candidates")
    return None


def _block_reason(document: Json) -> str:
    feedback = _dict(document.get("promptFeedback"), "promptFeedback")
    if not feedback.get("blockReason"):
        return ""
    words = (feedback["blockReason"], feedback.get("blockReasonMessage"))
    return one_line("prompt blocked: " + ": ".join(str(word) for word in words if word))


def _dict(value: Any, name: str) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{name} of the reply is no object")
    return value


def _check_account(finish: str) -> None:
    if finish == "MISSING_THOUGHT_SIGNATURE":
        raise MalformedReplyError("the server says that the request lacks a thought signature")
    if finish == "PUP_LIMITED_DISABLED":
        message = "the account is limited or disabled (PUP_LIMITED_DISABLED)"
        raise ProviderError(message, RequestFault(FaultKind.PERMISSION, message))


def _frame(document: Json, reply: ModelReply) -> ModelReply:
    usage = document.get("usageMetadata")
    return attrs.evolve(
        reply,
        usage=_usage(usage) if isinstance(usage, dict) else None,
        served_model=text_or_none(document.get("modelVersion")),
        request_id=text_or_none(document.get("responseId")),
    )


def _usage(usage: Json) -> Usage:
    def count(name: str) -> int:
        value = usage.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return int(value) if 0 < value <= _EXACT else 0

    thoughts = count("thoughtsTokenCount")
    return Usage(
        input_tokens=count("promptTokenCount") + count("toolUsePromptTokenCount"),
        cached_tokens=count("cachedContentTokenCount"),
        output_tokens=count("candidatesTokenCount") + thoughts,
        reasoning_tokens=thoughts,
    )


# Calls ---------------------------------------------------------------------------------------


def _calls(parts: Sequence[Json], document: Json, schemas: Mapping[str, Any]) -> tuple[RequestedCall, ...]:
    written = [_dict(part["functionCall"], "functionCall") for part in parts if part.get("functionCall") is not None]
    ids = [text_or_none(call.get("id")) or "" for call in written]
    if "" in ids or len(set(ids)) < len(ids):
        # The API gives ids only sometimes. Made from the reply they are the same whenever it is read.
        ids = [_made_id(document, number) for number in range(len(written))]
    return tuple(_call(call_id, call, schemas) for call_id, call in zip(ids, written, strict=True))


def _call(call_id: str, written: Json, schemas: Mapping[str, Any]) -> RequestedCall:
    name, arguments = str(written.get("name") or ""), written.get("args")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return RequestedCall(call_id, name, arguments if isinstance(arguments, str) else json.dumps(arguments))
    return RequestedCall(call_id, name, _with_integers(arguments, schemas.get(name, {})))


def _made_id(document: Json, number: int) -> str:
    digest = hashlib.blake2b(json.dumps(document, sort_keys=True).encode(), digest_size=6)
    return f"call_{digest.hexdigest()}_{number}"


def _is_returnable(call: RequestedCall) -> bool:
    if isinstance(call.arguments, str) or safe_name(call.name) != call.name:
        return False
    try:
        json.dumps(call.arguments, allow_nan=False)
    except ValueError:
        return False
    return True


def _slip(words: str, document: Json) -> RequestedCall:
    match = _CALLED.search(words)
    name = (match[1] or match[2]) if match else "malformed_function_call"
    return RequestedCall(_made_id(document, 0), name, words)


def _schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        declaration["name"]: declaration.get("parametersJsonSchema") or {}
        for tool in tools
        for declaration in tool.get("functionDeclarations") or ()
    }


def _with_integers(value: Any, schema: Any) -> Any:
    """A copy of arguments in which whole numbers are integers wherever the schema wants nothing else."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) <= _EXACT
        return int(value) if is_whole and _wants_integer(schema) else value
    if isinstance(value, dict):
        entries = schema.get("properties") or {}
        rest = schema.get("additionalProperties") or {}
        return {key: _with_integers(item, entries.get(key, rest)) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item, schema.get("items") or {}) for item in value]
    return value


def _wants_integer(schema: Mapping[str, Any]) -> bool:
    types = schema.get("type")
    kinds = set(types if isinstance(types, list) else [types])
    kinds |= {option.get("type") for option in schema.get("anyOf") or () if isinstance(option, Mapping)}
    return "integer" in kinds and "number" not in kinds
