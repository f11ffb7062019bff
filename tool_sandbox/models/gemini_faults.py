"""Errors of the Gemini API and of ``google-genai``, and what they mean."""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from tool_sandbox.models.faults import (
    FaultKind,
    ProviderError,
    RequestFault,
    fault_of_status,
    fault_of_transport,
    one_line,
)

_CANCELLED = 499
_TOO_LONG = re.compile(r"token count is \d+ but .{0,60}up to", re.IGNORECASE)
_PER_DAY = re.compile(r"per.?day", re.IGNORECASE)


def explain_error(error: Exception) -> RequestFault | None:
    """Says what an exception of the SDK, of Google's credentials or of the HTTP client means."""
    if isinstance(error, ProviderError):
        return error.cause
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return RequestFault(FaultKind.MALFORMED, one_line(str(error)))
    if (fault := fault_of_transport(error)) is not None:
        return fault
    # What was never imported cannot have raised anything.
    if (errors := sys.modules.get("google.genai.errors")) is not None and isinstance(error, errors.APIError):
        return _of_api(error)
    if (errors := sys.modules.get("google.auth.exceptions")) is not None and isinstance(error, errors.GoogleAuthError):
        is_passing = isinstance(error, errors.TransportError) or bool(getattr(error, "retryable", False))
        kind = FaultKind.CONNECTION if is_passing else FaultKind.AUTHENTICATION
        return RequestFault(kind, one_line(f"Google credentials: {error}"))
    return None


def _of_api(error: Any) -> RequestFault:
    details = list(_details(error.details))
    reasons = [str(detail["reason"]) for detail in details if detail.get("reason")]
    response = error.response
    headers = response.headers if response is not None and hasattr(response, "headers") else {}
    message = error.message if isinstance(error.message, str) and error.message else str(error.details)
    code = " ".join(filter(None, (error.status if isinstance(error.status, str) else "", *reasons)))
    status = error.code if isinstance(error.code, int) else 0
    fault = fault_of_status(status, code, message, headers)
    fault = attrs.evolve(fault, kind=_kind(fault, code, message, details))
    delay = _retry_delay(details)
    return fault if delay is None else attrs.evolve(fault, retry_after_s=delay)


def _kind(fault: RequestFault, code: str, message: str, details: list[Mapping[str, Any]]) -> FaultKind:
    if fault.status == 429:
        return _quota_kind(fault, details)
    if fault.status == _CANCELLED:
        return FaultKind.SERVER
    if fault.kind is FaultKind.INVALID_REQUEST:
        # The API answers 400 to all of these.
        if "API_KEY" in code or "api key not valid" in message.lower():
            return FaultKind.AUTHENTICATION
        if _TOO_LONG.search(message):
            return FaultKind.CONTEXT_EXCEEDED
        if "FAILED_PRECONDITION" in code:
            return FaultKind.PERMISSION
    return fault.kind


def _quota_kind(fault: RequestFault, details: list[Mapping[str, Any]]) -> FaultKind:
    """The same words ("check your plan and billing details") are said of a minute's limit and of a day's."""
    violations = [item for detail in details for item in _list(detail.get("violations")) if isinstance(item, dict)]
    if any(_PER_DAY.search(str(item.get("quotaId") or "")) for item in violations):
        return FaultKind.BILLING
    return FaultKind.RATE_LIMIT if violations or _retry_delay(details) is not None else fault.kind


def _details(document: Any) -> Iterator[Mapping[str, Any]]:
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict):
        yield from (detail for detail in _list(error.get("details")) if isinstance(detail, dict))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _retry_delay(details: Iterable[Mapping[str, Any]]) -> float | None:
    """Seconds in the error's ``RetryInfo``, which are written like ``17s``."""
    for detail in details:
        match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)s", str(detail.get("retryDelay") or ""))
        if match:
            return float(match[1])
    return None
