"""What can go wrong between us and a provider, and whether trying again helps."""

import email.utils
import math
import re
import time
from collections.abc import Mapping
from enum import StrEnum

import attrs

from tool_sandbox.models.redaction import public_url
from tool_sandbox.world.errors import InfrastructureError


class FaultKind(StrEnum):
    """What went wrong with one request."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    MALFORMED = "malformed_reply"
    """The answer has not the form that the provider documents."""
    AUTHENTICATION = "authentication"
    BILLING = "billing"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    INVALID_REQUEST = "invalid_request"
    CONTEXT_EXCEEDED = "context_exceeded"
    BLOCKED = "blocked"
    """A content filter refused the request."""
    REPLAY = "replay"
    """The stored run has no answer to this request."""

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        passing = (FaultKind.RATE_LIMIT, FaultKind.OVERLOADED, FaultKind.SERVER, FaultKind.TIMEOUT)
        return self in (*passing, FaultKind.CONNECTION, FaultKind.MALFORMED)


@attrs.frozen
class RequestFault:
    """One failed request.

    Attributes:
        kind: What went wrong.
        message: The provider's words, or ours.
        status: HTTP status, ``None`` if there was no answer.
        retry_after_s: Seconds after which the server wants to be asked again, ``None`` if it did not say.
        request_id: Id of the request at the provider.
        retry: What the server says of trying again (header ``x-should-retry``), ``None`` if nothing.
    """

    kind: FaultKind
    message: str
    status: int | None = None
    retry_after_s: float | None = None
    request_id: str | None = None
    retry: bool | None = None

    @property
    def is_transient(self) -> bool:
        """Whether to try again: the server's word, else the nature of the fault."""
        return self.kind.is_transient if self.retry is None else self.retry

    @property
    def is_silence(self) -> bool:
        """Whether the server was reached and did not answer in time."""
        return self.kind is FaultKind.TIMEOUT and self.status is None

    def __str__(self) -> str:
        status = f"HTTP {self.status}, " if self.status is not None else ""
        return f"{self.kind} ({status}{self.message})" if status else f"{self.kind} ({self.message})"


class ProviderError(InfrastructureError):
    """A provider could not be made to answer.

    Attributes:
        cause: The fault of the last attempt.
    """

    def __init__(self, message: str, cause: RequestFault) -> None:
        """Keeps the fault beside the message."""
        super().__init__(message)
        self.cause = cause
        self.fault = str(cause.kind)


class MalformedReplyError(Exception):
    """An answer has not the form that the provider documents; raised by ``Provider.read``."""


_KINDS: Mapping[int, FaultKind] = {
    400: FaultKind.INVALID_REQUEST,
    401: FaultKind.AUTHENTICATION,
    402: FaultKind.BILLING,
    403: FaultKind.PERMISSION,
    404: FaultKind.NOT_FOUND,
    408: FaultKind.TIMEOUT,
    409: FaultKind.SERVER,
    413: FaultKind.INVALID_REQUEST,
    422: FaultKind.INVALID_REQUEST,
    425: FaultKind.SERVER,
    429: FaultKind.RATE_LIMIT,
    503: FaultKind.OVERLOADED,
    504: FaultKind.TIMEOUT,
    529: FaultKind.OVERLOADED,
}
_FULL_CONTEXT = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum (?:context|prompt|model) length|maximum context"
    r"|(?:prompt|input|conversation) (?:is )?too long|too many (?:input )?tokens|reduce the length of the messages"
    r"|input (?:tokens?(?: count)?|length).{0,60}(?:exceed|limit|maximum|long)|range of input length"
    r"|(?:request|tokens|input).{0,20} exceed.{0,20}(?:(?:model|token).{0,20}limit|(?:model|maximum).{0,20}tokens)"
    r"|`inputs`.{0,60}(?:<=|less than)",
    re.IGNORECASE | re.DOTALL,
)
_FILTERED = re.compile(
    r"content.?(?:filter|policy|management)|responsible.?ai|safety system|flagged as|blocked due to", re.IGNORECASE
)
_OUT_OF_MONEY = re.compile(
    r"insufficient.?(?:quota|credit|funds|balance)|billing|spend(?:ing)?.?limit|credit balance|api usage limits", re.I
)
_SPENT = re.compile(
    r"reached your.{0,30}usage limits|reached.{0,40}spend(?:ing)?.?limit"
    r"|exceeded your current quota.{0,9}check your plan",
    re.IGNORECASE,
)


def fault_of_status(status: int, code: str, message: str, headers: Mapping[str, str]) -> RequestFault:
    """Classifies an HTTP error by its status, then by what the provider says about it."""
    kind = _KINDS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.INVALID_REQUEST)
    if 300 <= status < 400:
        # Never followed: the key would go to a place that was not named.
        message = f"the server redirects to {public_url(headers.get('location') or 'nowhere')}; ask there by base_url="
    if kind is FaultKind.INVALID_REQUEST and not is_page(message, headers):
        # Local servers have no code for these, only words. They are all that tells a context that is full from a body
        # that is too large for a proxy (HTTP 413), for which the model can do nothing.
        if _FULL_CONTEXT.search(f"{code} {message}"):
            kind = FaultKind.CONTEXT_EXCEEDED
        elif _FILTERED.search(code) or _FILTERED.search(message):
            kind = FaultKind.BLOCKED
    if "rate_limit" in code:
        kind = FaultKind.RATE_LIMIT  # some servers say 413 to a request that is too large for the minute
    # Texts about rate limits mention billing in passing, so that the code of a 429 tells, or words that leave no doubt.
    about_money = code if kind is FaultKind.RATE_LIMIT else f"{code} {message}"
    is_refused = kind in (FaultKind.RATE_LIMIT, FaultKind.PERMISSION, FaultKind.INVALID_REQUEST)
    if is_refused and (_OUT_OF_MONEY.search(about_money) or _SPENT.search(message)):
        kind = FaultKind.BILLING
    should = {"true": True, "false": False}.get(headers.get("x-should-retry", "").lower())
    return RequestFault(kind, one_line(message), status, retry_after(headers), request_id(headers), should)


def is_page(body: str, headers: Mapping[str, str]) -> bool:
    """Whether an error is a page for people: that of a proxy or a firewall, not an answer of the provider."""
    return "html" in headers.get("content-type", "").lower() or body.lstrip().startswith("<")


def fault_of_transport(error: BaseException) -> RequestFault | None:
    """Says what an exception of the HTTP client means."""
    import httpx2

    known = (httpx2.HTTPError, httpx2.InvalidURL)
    error = error if isinstance(error, known) or error.__cause__ is None else error.__cause__
    if not isinstance(error, known):
        return None
    words = one_line(str(error))
    if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
        return RequestFault(FaultKind.TIMEOUT, words or "no answer in time")
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return RequestFault(FaultKind.INVALID_REQUEST, words)
    if isinstance(error, httpx2.DecodingError | httpx2.TooManyRedirects):
        return RequestFault(FaultKind.MALFORMED, words)
    # A server that cannot be reached in time is none that thinks for long.
    return RequestFault(FaultKind.CONNECTION, one_line(f"{type(error).__name__}: {error}"))


def request_id(headers: Mapping[str, str]) -> str | None:
    """The provider's id of a request, from the headers of its response."""
    return headers.get("request-id") or headers.get("x-request-id") or None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, else ``retry-after`` (seconds or date, RFC 9110)."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if 0 <= seconds < math.inf:
            return seconds
    text = headers.get("retry-after", "")
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def one_line(text: str, limit: int = 300) -> str:
    """A text on one line, cut where it is longer than ``limit`` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else f"{line[:limit]}..."
