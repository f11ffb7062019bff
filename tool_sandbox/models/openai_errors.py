"""What can go wrong with the ``openai`` package and the many servers that speak its protocols."""

import json
import re
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.models.faults import (
    FaultKind,
    ProviderError,
    RequestFault,
    fault_of_status,
    fault_of_transport,
    is_page,
    one_line,
)
from tool_sandbox.models.formats.calls import UNREADABLE
from tool_sandbox.models.plain import is_unreadable
from tool_sandbox.models.provider import NO_KEY


def explain(error: Exception, api_key: str | None) -> RequestFault | None:
    """Says what an exception of the SDK means."""
    if isinstance(error, ProviderError):
        return error.cause
    if is_unreadable(error):
        return RequestFault(FaultKind.MALFORMED, "the answer is not JSON")
    import openai

    if (fault := fault_of_transport(error)) is not None:
        return attrs.evolve(fault, message=_safe(fault.message, api_key))
    if isinstance(error, openai.APIConnectionError):
        reason = f"{type(error.__cause__).__name__}: {error.__cause__}" if error.__cause__ else str(error)
        return RequestFault(FaultKind.CONNECTION, _safe(reason, api_key))
    if isinstance(error, openai.APIStatusError):
        code, message = _words(error.body)
        message = _safe(message or f"HTTP {error.status_code} without a message", api_key)
        headers: Mapping[str, str] = error.response.headers
        if isinstance(error.body, str) and is_page(error.body, headers):
            headers = {**headers, "content-type": "text/html"}
        return _fault(error.status_code, code, message, headers)
    if isinstance(error, openai.APIResponseValidationError):
        return RequestFault(FaultKind.MALFORMED, "the answer has an unknown form")
    if isinstance(error, openai.APIError):
        return fault_in_body(error.body, api_key)
    return None


_STATUS_OF_CODE: Mapping[str, int] = {
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "model_not_found": 404,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "insufficient_system_resource": 503,
}


def fault_in_body(error: Any, api_key: str | None) -> RequestFault:
    """Classifies an error that came in the body of an answer with HTTP status 200."""
    code, message = _words(error)
    words = code.split()
    status = next((int(word) for word in words if re.fullmatch("[45][0-9][0-9]", word)), None)
    guess = next((_STATUS_OF_CODE[word] for word in words if word in _STATUS_OF_CODE), None)
    if guess is None:
        is_refusal = any(word.startswith("invalid_request") or word.endswith("_policy") for word in words)
        guess = 400 if is_refusal or _REFUSED.search(code) else 500
    fault = _fault(status or guess, code, _safe(message or "an error without a message", api_key), {})
    return fault if status is not None else RequestFault(fault.kind, fault.message)


_UNREADABLE_CALL = re.compile(r"tool_use_failed|error parsing tool call|failed to parse input at pos", re.IGNORECASE)
_NAME = re.compile(r"\"name\"\s*:\s*\"(\w{1,64})\"|<function=(\w{1,64})|call tool '(\w{1,64})'")


def unreadable_call(body: Any) -> dict[str, Any] | None:
    """The model's slip in an error: some servers answer so where it has written a call that they cannot read."""
    code, message = _words(body)
    if not _UNREADABLE_CALL.search(f"{code} {message}"):
        return None
    written = body.get("failed_generation") if isinstance(body, Mapping) else None
    # Not JSON, so that it can never be taken for arguments.
    words = f"{message}: {written}" if written else message
    name = _NAME.search(words)
    function = {"name": next(filter(None, name.groups())) if name else UNREADABLE, "arguments": words}
    reply = {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}
    return {"index": 0, "finish_reason": "tool_calls", "message": reply}


_BAD_KEY = re.compile(r"(?:incorrect|invalid)\W{0,3}api.?key|api.?key.{0,20}(?:not valid|invalid)", re.IGNORECASE)
_REFUSED = re.compile(r"flagged|usage polic|moderation|_policy\b|policy_violation", re.IGNORECASE)


def _fault(status: int, code: str, message: str, headers: Mapping[str, str]) -> RequestFault:
    """As `fault_of_status`, with what is peculiar to the servers that speak this protocol."""
    fault = fault_of_status(status, code, message, headers)
    kind = fault.kind
    if "rate_limit_exceeded" in code or "tokens per min" in message:
        # The message may mention billing, or come as a request that is too large for the limit of a minute.
        kind = FaultKind.RATE_LIMIT
    elif kind in (FaultKind.INVALID_REQUEST, FaultKind.PERMISSION):
        if _REFUSED.search(f"{code} {message}") and not is_page(message, headers):
            kind = FaultKind.BLOCKED
        elif _BAD_KEY.search(f"{code} {message}"):
            kind = FaultKind.AUTHENTICATION
        elif "model_not_found" in code:
            kind = FaultKind.NOT_FOUND
    return RequestFault(kind, fault.message, fault.status, fault.retry_after_s, fault.request_id, fault.retry)


def _words(body: Any) -> tuple[str, str]:
    """Machine-readable words and message of an error body, whose form differs from server to server."""
    if isinstance(body, str):
        body = body[:20_000]
        title = re.search(r"<title[^>]*>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
        return "", title.group(1) if title else re.sub(r"<[^>]*>", " ", body)
    if not isinstance(body, Mapping):
        return "", json.dumps(body) if body is not None else ""
    if isinstance(body.get("error"), Mapping | str):
        return _words(body["error"])
    code = " ".join(str(body[name]) for name in ("type", "code", "param") if body.get(name) not in (None, ""))
    message = body.get("message") or body.get("detail") or ""
    metadata = body.get("metadata")
    # Routers put the words of the server behind them there.
    behind = metadata.get("raw") if isinstance(metadata, Mapping) else None
    parts = (part if isinstance(part, str) else json.dumps(part) for part in (message, behind) if part)
    return code, ": ".join(parts)


_LOOKS_SECRET = re.compile(
    r"\b(?:sk|rk|pk|gsk|xai|sess|hf)[-_][\w*.-]{6,}|\bbearer\s+\S+|(?<=://)[^\s/@]+(?=@)|[\w.-]*\*{2,}[\w*.-]*"
    r"|(?<=key provided: )\S+",
    re.IGNORECASE,
)


def _safe(text: str, api_key: str | None) -> str:
    """A text on one line, without anything that looks like a key or a part of this one."""
    line = one_line(text, 2_000)
    if api_key and api_key != NO_KEY:
        line = line.replace(api_key, "[key]")
        if len(api_key) >= 12:
            line = re.sub(rf"\S*(?:{re.escape(api_key[:6])}|{re.escape(api_key[-6:])})\S*", "[key]", line)
    return _LOOKS_SECRET.sub("[key]", line)
