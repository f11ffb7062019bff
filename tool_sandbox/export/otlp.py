"""OTLP/JSON, the form of OpenTelemetry's protocol that files have: spans, attributes, ids.

By https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: names in lowerCamelCase, ids in hexadecimal, 64-bit
integers as texts, enumerations as numbers.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from tool_sandbox.version import __version__

Kind = Literal[1, 3]

INTERNAL: Kind = 1
CLIENT: Kind = 3

_ERROR = 2

Attributes = Mapping[str, str | bool | int | float | Sequence[str] | None]
"""Name to value; one that is ``None`` is left out."""


@attrs.frozen
class Span:
    """A span of time in which something was done.

    Attributes:
        name: What was done.
        kind: `INTERNAL` or `CLIENT`.
        path: What tells it from the other spans of its trace; its id is made of it.
        parent: The same of the span that it belongs to, ``None`` for the first one.
        start: Nanoseconds since 1970.
        end: Likewise.
        attributes: What is known about it.
        error: What went wrong, ``None`` if nothing did.
        events: What happened at its end, each with its name.
    """

    name: str
    kind: Kind
    path: str
    parent: str | None
    start: int
    end: int
    attributes: Attributes
    error: str | None = None
    events: Sequence[tuple[str, Attributes]] = ()


def traces_data(identity: str, spans: Sequence[Span]) -> dict[str, Any]:
    """The spans of one trace as ``TracesData``, one line of a file.

    Args:
        identity: What tells the trace from all others; its id is made of it.
        spans: The spans.

    Returns:
        JSON values.
    """
    trace = _digest(identity, 32)
    resource = {"attributes": _encoded({"service.name": "tool_sandbox", "service.version": __version__})}
    scope = {"name": "tool_sandbox", "version": __version__}
    encoded = [_span(trace, span) for span in spans]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": encoded}]}]}


def _span(trace: str, span: Span) -> dict[str, Any]:
    parent = {} if span.parent is None else {"parentSpanId": _digest(f"{trace} {span.parent}", 16)}
    events = [
        {"timeUnixNano": str(span.end), "name": name, "attributes": _encoded(attributes)}
        for name, attributes in span.events
    ]
    return {
        "traceId": trace,
        "spanId": _digest(f"{trace} {span.path}", 16),
        **parent,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _encoded(span.attributes),
        **({"events": events} if events else {}),
        "status": {} if span.error is None else {"code": _ERROR, "message": span.error},
    }


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:length]


def _encoded(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
    return {"arrayValue": {"values": [_value(item) for item in value]}}
