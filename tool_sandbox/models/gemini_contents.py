"""Requests in the format of the Gemini API: contents, function declarations, function responses."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    Turn,
    UserTurn,
)

Json = dict[str, Any]

SYSTEM_ROLE = "system"
"""Role of a first entry that is sent as system instruction; the API's own roles are ``user`` and ``model``."""

UNSIGNED = "skip_thought_signature_validator"
"""What the API wants in place of the signature of a call that it did not make itself."""

NO_DESCRIPTION = "No description."
_NO_TEXT = "(no text)"
_BEGINNING = "(The conversation begins.)"
_GO_ON = "(Continue.)"
_NO_RESULT = "There is no result."
_UNSAFE = re.compile(r"[^A-Za-z0-9_.:-]")
_LONGEST_NAME = 64


def to_messages(request: ModelRequest, is_signed: bool) -> list[Json]:
    """The conversation of a request.

    Every function call is answered in the content directly after it. Contents of one party that follow one another are
    joined, but for function responses, which stand alone. The first content and the last one are the user's.
    """
    contents: list[Json] = []
    waiting: tuple[_Waiting, ...] = ()
    for turn in request.turns:
        results = turn.results if isinstance(turn, ResultsTurn) else ()
        if waiting:
            contents.append(_responses(waiting, results))
        elif results:
            _add(contents, "user", [{"text": result.text or _NO_TEXT} for result in results])
        waiting = _add_turn(contents, turn, is_signed)
    if waiting:
        contents.append(_responses(waiting, ()))
    if not contents or contents[0]["role"] == "model":
        contents.insert(0, {"role": "user", "parts": [{"text": _BEGINNING}]})
    if contents[-1]["role"] == "model":
        contents.append({"role": "user", "parts": [{"text": _GO_ON}]})
    system = [{"role": SYSTEM_ROLE, "parts": [{"text": request.system}]}] if request.system else []
    return system + contents


@attrs.frozen
class _Waiting:
    """A call that has to be answered: our id of it, and id and name as they stand in its content."""

    call_id: str
    own_id: str | None
    name: str


def _add_turn(contents: list[Json], turn: Turn, is_signed: bool) -> tuple[_Waiting, ...]:
    if isinstance(turn, UserTurn):
        _add(contents, "user", [{"text": turn.text or _NO_TEXT}])
    if not isinstance(turn, AssistantTurn):
        return ()
    parts = _raw_parts(turn)
    if parts is None:
        parts = _built_parts(turn, is_signed)
    if parts:
        _add(contents, "model", parts)
    return tuple(
        _Waiting(call.id, written.get("id"), written.get("name", ""))
        for call, written in zip(turn.calls, function_calls(parts), strict=True)
    )


def function_calls(parts: Iterable[Mapping[str, Any]]) -> list[Json]:
    """The function calls in the parts of a content."""
    return [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]


def _raw_parts(turn: AssistantTurn) -> list[Json] | None:
    """The parts as the API sent them, ``None`` if there are none or they are not this turn's."""
    parts = [part for content in turn.raw if isinstance(content, dict) for part in content.get("parts") or ()]
    return parts if parts and len(function_calls(parts)) == len(turn.calls) else None


def _built_parts(turn: AssistantTurn, is_signed: bool) -> list[Json]:
    parts: list[Json] = [{"text": turn.text}] if turn.text else []
    calls: list[Json] = [{"functionCall": _function_call(call)} for call in turn.calls]
    if calls and is_signed:
        calls[0]["thoughtSignature"] = UNSIGNED
    return parts + calls


def _function_call(call: RequestedCall) -> Json:
    arguments = {"malformed_arguments": call.arguments} if isinstance(call.arguments, str) else dict(call.arguments)
    # JSON has no numbers that are not finite; a number like 1e999 is one to Python.
    return {"name": safe_name(call.name), "args": json.loads(json.dumps(arguments), parse_constant=str)}


def safe_name(name: str) -> str:
    """A name that the API accepts: the same if it can be, else with other characters replaced."""
    safe = _UNSAFE.sub("_", name)
    if not safe or not (safe[0].isalpha() or safe[0] == "_"):
        safe = f"_{safe}"
    return safe[:_LONGEST_NAME]


def _responses(waiting: Sequence[_Waiting], results: Sequence[ToolResult]) -> Json:
    by_id = {result.call_id: result for result in results}
    parts = []
    for call in waiting:
        result = by_id.get(call.call_id) or ToolResult(call.call_id, call.name, _NO_RESULT, is_error=True)
        response: Json = {"name": call.name, "response": {"content": result.text}}
        if call.own_id is not None:
            response["id"] = call.own_id
        parts.append({"functionResponse": response})
    return {"role": "user", "parts": parts}


def _add(contents: list[Json], role: str, parts: Sequence[Json]) -> None:
    if contents and contents[-1]["role"] == role and "functionResponse" not in contents[-1]["parts"][0]:
        contents[-1] = {"role": role, "parts": [*contents[-1]["parts"], *parts]}
    else:
        contents.append({"role": role, "parts": list(parts)})


def to_tools(tools: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Describes tools to the API."""
    declarations = [_declaration(tool["function"]) for tool in tools]
    return [{"functionDeclarations": declarations}] if declarations else []


def _declaration(function: Mapping[str, Any]) -> Json:
    description = " ".join((function.get("description") or "").split())
    declaration: Json = {"name": function["name"], "description": description or NO_DESCRIPTION}
    parameters = function.get("parameters") or {}
    if parameters.get("properties"):
        # The API refuses objects that are declared to be empty.
        declaration["parametersJsonSchema"] = _flat(parameters)
    return declaration


def _flat(schema: Mapping[str, Any]) -> Json:
    """A copy of a schema with descriptions on one line."""
    copy: Json = {}
    for key, value in schema.items():
        if key == "description" and isinstance(value, str):
            copy[key] = " ".join(value.split())
        elif key == "properties":
            copy[key] = {name: _flat(entry) for name, entry in value.items()}
        elif isinstance(value, Mapping):
            copy[key] = _flat(value)
        elif isinstance(value, list):
            copy[key] = [_flat(item) if isinstance(item, Mapping) else item for item in value]
        else:
            copy[key] = value
    return copy
