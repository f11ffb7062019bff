"""What custom Python code raised: where, in one line, and whose fault it is."""

import inspect
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault, fault_of_status
from tool_sandbox.models.plug_ins import words_of

LONGEST_TRACEBACK = 20_000
"""Characters of a traceback that are kept: its end, where the cause is."""

_CLIENTS = frozenset({"aiohttp", "anthropic", "google", "httpcore", "httpx", "httpx2", "openai", "requests", "urllib3"})
"""Packages whose exceptions tell of a network or a provider."""

_OWN_FAULT = (FaultKind.INVALID_REQUEST, FaultKind.CONTEXT_EXCEEDED, FaultKind.BLOCKED)


def kept_traceback(error: BaseException) -> str:
    """The traceback of an exception, cut at the front where it is endless."""
    text = "".join(traceback.format_exception(error))
    return text if len(text) <= LONGEST_TRACEBACK else f"...\n{text[-LONGEST_TRACEBACK:]}"


def home_of(thing: Any) -> Path | None:
    """The folder of the file in which a class or function is written."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(thing))
    except (TypeError, ValueError):
        file = getattr(sys.modules.get(getattr(thing, "__module__", "")), "__file__", None)
    return None if file is None else Path(file).absolute().parent


def provider_error(error: BaseException, name: str, line: str) -> ProviderError | None:
    """The failure of a provider or a network that an exception tells of."""
    if not any(cls.__module__.partition(".")[0] in _CLIENTS for cls in type(error).__mro__):
        return None
    response = getattr(error, "response", None)
    status = next((code for code in map(_status, (error, response)) if code is not None), None)
    if status is None:
        words = type(error).__name__
        if not any(word in words for word in ("Connect", "Timeout", "Network", "Protocol", "Read", "Write")):
            return None
        return ProviderError(
            f"{name}: {line}", RequestFault(FaultKind.TIMEOUT if "Timeout" in words else FaultKind.CONNECTION, line)
        )
    headers = getattr(response, "headers", None)
    fault = fault_of_status(status, "", words_of(error), headers if isinstance(headers, Mapping) else {})
    return None if fault.kind in _OWN_FAULT else ProviderError(f"{name}: {line}", fault)


def _status(holder: object) -> int | None:
    for name in ("status_code", "status", "code"):
        status = getattr(holder, name, None)
        if isinstance(status, int) and 400 <= status < 600:
            return status
    return None
