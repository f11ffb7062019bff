"""The prompt format of Mistral's models with the third version of their tokenizer.

The prompt is meant for servers that tokenize it themselves. Spaces are spaces, where the vendor's own rendering shows
the tokenizer's mark U+2581; one stands after each opening mark, where the tokenizer puts one. The mark that begins a
sequence is left out, because the server adds it.
"""

import hashlib
import string
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.models.formats.calls import (
    Parsed,
    Tools,
    joined,
    json_or_text,
    leading_json,
    read_call,
    unreadable_call,
)
from tool_sandbox.models.formats.marks import Marks
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    Turn,
    UserTurn,
)

STOP = ("</s>", "[INST]")
"""Where the model's turn is over."""

_MARKS = Marks.of(
    r"\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|ARGS|CALL_ID|IMG|PREFIX|MIDDLE"
    r"|SUFFIX|control_\d+)\]",
    r"</?s>",
    r"<(?:unk|pad)>",
)
_CALLS = "[TOOL_CALLS]"
_ALPHANUMERIC = string.digits + string.ascii_letters
_ID_LENGTH = 9


def render(request: ModelRequest) -> str:
    """The prompt."""
    turns = _merged(request.turns)
    last = max((place for place, turn in enumerate(turns) if isinstance(turn, UserTurn)), default=-1)
    ids = _ids(turns)
    parts = []
    for place, turn in enumerate(turns):
        match turn:
            case UserTurn(text=text):
                parts.append(_user(text, request) if place == last else _instruction(text))
            case AssistantTurn(text=text, calls=calls):
                parts.append(_assistant(text, calls, ids[place]))
            case ResultsTurn(results=results):
                for result in results:
                    body = {"content": json_or_text(result.text), "call_id": ids[place][result.call_id]}
                    parts.append(f"[TOOL_RESULTS] {_MARKS.in_json(body)}[/TOOL_RESULTS]")
    return "".join(parts)


def _merged(turns: Sequence[Turn]) -> list[Turn]:
    """User turns that follow one another become one, as the vendor's own validation wants it."""
    merged: list[Turn] = []
    for turn in turns:
        if merged and isinstance(turn, UserTurn) and isinstance(merged[-1], UserTurn):
            merged[-1] = UserTurn(f"{merged[-1].text}\n\n{turn.text}")
        else:
            merged.append(turn)
    return merged


def _user(text: str, request: ModelRequest) -> str:
    """The newest message of the user, which the tools and the standing instruction go with."""
    tools = f"[AVAILABLE_TOOLS] {_MARKS.in_json(list(request.tools))}[/AVAILABLE_TOOLS]" if request.tools else ""
    return tools + _instruction(f"{request.system}\n\n{text}" if request.system else text)


def _instruction(text: str) -> str:
    return f"[INST] {_MARKS.in_text(text)}[/INST]"


def _assistant(text: str, calls: Sequence[RequestedCall], ids: Mapping[str, str]) -> str:
    said = f" {_MARKS.in_text(text)}" if text else ""
    if not calls:
        return f"{said}</s>"
    entries: list[dict[str, Any]] = [
        {"name": call.name, "arguments": call.arguments, "id": ids[call.id]} for call in calls
    ]
    return f"{said}{_CALLS} {_MARKS.in_json(entries)}</s>"


def _ids(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """For each turn the ids of its calls or results as the model is shown them.

    The same call has the same id in every prompt of a conversation, and another one than all other calls.
    """
    used: set[str] = set()
    all_ids: list[dict[str, str]] = []
    for place, turn in enumerate(turns):
        shown: dict[str, str] = {}
        if isinstance(turn, AssistantTurn):
            shown = {call.id: _shown_id(call.id, place, used) for call in turn.calls}
            used.update(shown.values())
        elif isinstance(turn, ResultsTurn):
            before = all_ids[-1] if all_ids else {}
            shown = {
                result.call_id: before.get(result.call_id) or _shown_id(result.call_id, place, used)
                for result in turn.results
            }
        all_ids.append(shown)
    return all_ids


def _shown_id(call_id: str, place: int, used: set[str]) -> str:
    if len(call_id) == _ID_LENGTH and set(call_id) <= set(_ALPHANUMERIC) and call_id not in used:
        return call_id
    number = int.from_bytes(hashlib.sha256(f"{place} {call_id}".encode("utf-8", "replace")).digest())
    digits = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ALPHANUMERIC))
        digits.append(_ALPHANUMERIC[digit])
    return "".join(digits)


def parse(text: str, tools: Tools = ()) -> Parsed:
    """Reads what the model wrote."""
    mark = text.find(_CALLS)
    if mark < 0:
        return _parse_unmarked(text, tools)
    said = [text[:mark]]
    calls: list[RequestedCall] = []
    while mark >= 0:
        start = mark + len(_CALLS)
        try:
            # A mark inside of a JSON string is not the next one.
            entries, end = leading_json(text, start)
            mark_after = text.find(_CALLS, end)
        except ValueError:
            mark_after = text.find(_CALLS, start)
            entries, end = None, mark_after if mark_after >= 0 else len(text)
        said.append(text[end : mark_after if mark_after >= 0 else len(text)])
        calls += _read(entries, text[mark:end], len(calls) + 1)
        mark = mark_after
    return joined(said), _with_unique_ids(calls)


def _read(entries: Any, written: str, first: int) -> list[RequestedCall]:
    if not isinstance(entries, list):
        return [unreadable_call(f"call_{first}", "name", written)]
    return [
        read_call(entry, _own_id(entry) or f"call_{number}", "name", "arguments", written)
        for number, entry in enumerate(entries, start=first)
    ]


def _own_id(entry: Any) -> str | None:
    own = entry.get("id") if isinstance(entry, dict) else None
    is_valid = isinstance(own, str) and len(own) == _ID_LENGTH and set(own) <= set(_ALPHANUMERIC)
    return own if is_valid else None


def _with_unique_ids(calls: Sequence[RequestedCall]) -> tuple[RequestedCall, ...]:
    if len({call.id for call in calls}) == len(calls):
        return tuple(calls)
    return tuple(
        RequestedCall(f"call_{number}", call.name, call.arguments) for number, call in enumerate(calls, start=1)
    )


def _parse_unmarked(text: str, tools: Tools) -> Parsed:
    names = {tool["function"]["name"] for tool in tools}
    try:
        entries, end = leading_json(text, 0)
    except ValueError:
        return text.strip(), ()
    is_calls = isinstance(entries, list) and not text[end:].strip()
    if is_calls and entries and all(isinstance(entry, dict) and entry.get("name") in names for entry in entries):
        return "", _with_unique_ids(_read(entries, f"{_CALLS} {text}", 1))
    return text.strip(), ()
