"""One HTTP exchange with a provider: what was sent and what came back, verbatim but for keys."""

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models.session import Origin, Party
from tool_sandbox.models.shared_body import changed_from_json, changes_to_json
from tool_sandbox.world.errors import ConfigurationError

VERSION = 2
"""Version of the line format: 1 has every request whole, 2 also those that say what changed since the one before."""

_REQUEST_HEADERS = frozenset({"content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta"})
_RESPONSE_HEADERS = frozenset(
    {"content-type", "date", "location", "server", "retry-after", "retry-after-ms", "x-should-retry", "cf-ray", "via"}
    | {"request-id", "x-request-id", "apim-request-id", "x-amzn-requestid", "x-goog-request-id", "x-vertex-request-id"}
    | {"openai-model", "openai-processing-ms", "openai-version", "x-generation-id"}
)  # fmt: skip
_RESPONSE_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-")


@attrs.frozen
class Exchange:
    """One request over HTTP and its answer.

    Attributes:
        party: Whose model was asked.
        call: Which call of the party it belongs to, from 0; the attempts of a call share it.
        sent_at: POSIX seconds.
        method: HTTP method.
        url: Address without credentials.
        request_headers: Those that say what is asked; never credentials.
        request_body: What was sent.
        status: HTTP status, ``None`` if there was no answer.
        response_headers: Those that matter to a reader or to the SDK; the body is stored without content encoding.
        response_body: What came back, as far as it came. A stream of events is stored as its text.
        error: Kind and words of what broke the connection, ``None`` if nothing did.
        latency_s: Seconds until the end of the answer.
        origin: Where the answer came from.
    """

    party: Party
    call: int
    sent_at: float
    method: str
    url: str
    request_headers: Mapping[str, str] = attrs.field(factory=dict)
    request_body: bytes = b""
    status: int | None = None
    response_headers: Mapping[str, str] = attrs.field(factory=dict)
    response_body: bytes = b""
    error: str | None = None
    latency_s: float = 0.0
    origin: Origin = "network"

    def to_line(self, before: bytes = b"") -> str:
        """One line of JSON, without line break."""
        record = {
            "version": VERSION,
            "party": self.party,
            "call": self.call,
            "sent_at": self.sent_at,
            "latency_s": self.latency_s,
            "origin": self.origin,
            "error": self.error,
            "request": {
                "method": self.method,
                "url": self.url,
                "headers": dict(self.request_headers),
                "body": changes_to_json(self.request_body, before) or body_to_json(self.request_body),
            },
            "response": None
            if self.status is None
            else {
                "status": self.status,
                "headers": dict(self.response_headers),
                "body": body_to_json(self.response_body),
            },
        }
        return json.dumps(record, ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str | bytes, place: str, before: Mapping[str, bytes] | None = None) -> "Exchange":
        """Inverse of ``to_line``."""
        try:
            record = json.loads(line)
            if (version := record["version"]) not in range(1, VERSION + 1):
                raise ConfigurationError(f"{place}: version {version!r}, but only 1 to {VERSION} can be read")
            return cls._from_record(record, before or {})
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ConfigurationError(
                f"{place}: damaged record of a request ({type(error).__name__}: {error})"
            ) from None

    @classmethod
    def _from_record(cls, record: Any, before: Mapping[str, bytes]) -> "Exchange":
        request, response = record["request"], record["response"]
        party = cast(Party, _one_of(record["party"], get_args(Party)))
        body = request["body"]
        is_change = isinstance(body, dict) and "kept_start" in body
        answer: dict[str, Any] = {}
        if response is not None:
            answer = {
                "status": status_from_json(response["status"]),
                "response_headers": headers_from_json(response["headers"]),
                "response_body": body_from_json(response["body"]),
            }
        return cls(
            party=party,
            call=_typed(record["call"], int),
            sent_at=float(_typed(record["sent_at"], float, int)),
            method=_typed(request["method"], str),
            url=_url(request["url"]),
            request_headers=headers_from_json(request["headers"]),
            request_body=changed_from_json(body, before.get(party, b"")) if is_change else body_from_json(body),
            error=_typed(record["error"], str, type(None)),
            latency_s=float(_typed(record["latency_s"], float, int)),
            origin=cast(Origin, _one_of(record["origin"], get_args(Origin))),
            **answer,
        )


def exchanges_from_lines(lines: Iterable[tuple[str, bytes]]) -> list[Exchange]:
    """Reads the exchanges of one conversation."""
    before: dict[str, bytes] = {}
    exchanges = []
    for place, line in lines:
        exchange = Exchange.from_line(line, place, before)
        before[exchange.party] = exchange.request_body
        exchanges.append(exchange)
    return exchanges


def kept_request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request that are written down."""
    return {name.lower(): value for name, value in headers.items() if name.lower() in _REQUEST_HEADERS}


def kept_response_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a response that are written down and handed to the SDK."""
    lowered = ((name.lower(), value) for name, value in headers.items())
    return {n: v for n, v in lowered if n in _RESPONSE_HEADERS or n.startswith(_RESPONSE_PREFIXES)}


def body_to_json(body: bytes) -> str | dict[str, str]:
    """A body as JSON: its text, or ``{"base64": ...}`` where it is no UTF-8."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def body_from_json(value: Any) -> bytes:
    """Inverse of ``body_to_json``."""
    if isinstance(value, str):
        return value.encode()
    return base64.b64decode(_typed(_typed(value, dict)["base64"], str), validate=True)


def status_from_json(value: Any) -> int:
    """Checks an HTTP status that was read."""
    if not 100 <= _typed(value, int) <= 999:
        raise ValueError(f"{str(value)[:40]} is no HTTP status")
    return int(value)


def headers_from_json(value: Any) -> dict[str, str]:
    """Checks headers that were read."""
    return {_typed(name, str): _typed(text, str) for name, text in _typed(value, dict).items()}


def _typed(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError(f"{str(value)[:40]!r} has to be {' or '.join(kind.__name__ for kind in types)}")
    return value


def _url(value: Any) -> str:
    urlsplit(_typed(value, str))
    return str(value)


def _one_of(value: Any, words: tuple[str, ...]) -> str:
    if value not in words:
        raise ValueError(f"{str(value)[:40]!r} has to be one of {', '.join(words)}")
    return str(value)
