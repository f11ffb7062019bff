"""Takes out of a stream of events the keys that are spread over several of them."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tool_sandbox.models.plain import json_or_none
from tool_sandbox.models.redaction import REDACTED, secret_spans

_Path = tuple[str | int, ...]
_Span = tuple[int, int]

_DATA = "data:"


def redact_stream(body: bytes, secrets: Iterable[str]) -> bytes:
    """Replaces keys of which each event holds a piece; equal bytes if there are none.

    Texts at the same place of successive events are read as one.
    """
    lines = body.decode("utf-8", "surrogateescape").split("\n")
    events = {
        number: json_or_none(line.removeprefix(_DATA)) for number, line in enumerate(lines) if line.startswith(_DATA)
    }
    pieces: dict[_Path, list[tuple[int, str]]] = {}
    for number, event in events.items():
        for path, text in _texts(event, ()):
            pieces.setdefault(path, []).append((number, text))
    changed: set[int] = set()
    for path, found in pieces.items():
        spans = secret_spans("".join(text for _, text in found), secrets) if len(found) > 1 else []
        start = 0
        for number, text in found if spans else ():
            kept = _without(text, start, spans)
            if kept != text:
                _put(events[number], path, kept)
                changed.add(number)
            start += len(text)
    for number in changed:
        lines[number] = f"{_DATA} {json.dumps(events[number], ensure_ascii=False)}"
    return "\n".join(lines).encode("utf-8", "surrogateescape") if changed else body


def _texts(value: Any, path: _Path) -> Iterator[tuple[_Path, str]]:
    """Where the texts of an event are; those that are nested deeply are no pieces of anything."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list) and len(path) < 12:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*path, key))


def _put(event: Any, path: _Path, text: str) -> None:
    for key in path[:-1]:
        event = event[key]
    event[path[-1]] = text


def _without(text: str, start: int, spans: Iterable[_Span]) -> str:
    """A piece that begins at some place of the whole, without what belongs to a key."""
    kept, place = [], 0
    for first, last in spans:
        begin, end = max(first - start, 0), min(last - start, len(text))
        if begin < end:
            kept += [text[place:begin], REDACTED if first >= start else ""]
            place = end
    return "".join((*kept, text[place:]))
