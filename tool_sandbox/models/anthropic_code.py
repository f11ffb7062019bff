"""What Anthropic executes itself: code that Claude runs in a sandbox there, and searches for tools.

The code itself is never executed here. What it calls arrives as ordinary calls that name their caller; the code waits
in its container until they are answered, and the container has to be named in the requests that follow.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.helpers.literals import from_literal
from tool_sandbox.models.messages import AssistantTurn, Turn
from tool_sandbox.models.plain import mapping, text_or_none

Block = dict[str, Any]

MODES = ("programmatic", "both", "alone")
"""Who may call the tools beside code execution: code only, code and the model, the model only."""

CALLING_MODES = MODES[:2]
"""The modes in which code calls tools."""

VERSIONS = ("20260120", "20260521")
"""Versions of the code execution tool, the default first."""

RESULT_NOTE = (
    "Called from code, it returns a string with the result as JSON, to be read with json.loads; "
    "where it fails, it raises an exception."
)
"""Stands at the end of the description of every tool that code may call."""

_NAME = "code_execution"
_RESULTS: dict[str, str] = {name: f"{name}_tool_result" for name in (_NAME, f"bash_{_NAME}", f"text_editor_{_NAME}")}
"""Name of a hosted tool to the type of its results."""

SEARCHES: Mapping[str, str] = {name: f"tool_search_tool_{name}" for name in ("bm25", "regex")}
"""Way of searching for tools to the name of the tool that does it."""

_SEARCH_VERSION = "20251119"
_RESULTS |= dict.fromkeys(SEARCHES.values(), "tool_search_tool_result")
_HOSTED: Mapping[str, str] = {kind: kind.removesuffix("_tool_result") for kind in _RESULTS.values()}
_EXPIRED = "container_expired"
_WORD = re.compile(r"[a-z0-9_]{1,64}")


def with_code_execution(tools: Sequence[Mapping[str, Any]], mode: str, version: str) -> list[dict[str, Any]]:
    """Offers code execution beside tools."""
    kind = f"{_NAME}_{version}"
    offered: list[dict[str, Any]] = [{"type": kind, "name": _NAME}]
    if mode not in CALLING_MODES:
        return offered + [dict(tool) for tool in tools]
    callers = [kind] if mode == "programmatic" else ["direct", kind]
    for tool in tools:
        description = f"{tool['description']}\n\n{RESULT_NOTE}".lstrip()
        offered.append({**tool, "description": description, "allowed_callers": callers})
    return offered


def with_tool_search(tools: Sequence[Mapping[str, Any]], way: str) -> list[dict[str, Any]]:
    """Offers a search of the provider's, which shows the model a tool once it has found it."""
    search = {"type": f"{SEARCHES[way]}_{_SEARCH_VERSION}", "name": SEARCHES[way]}
    return [search, *({**tool, "defer_loading": True} for tool in tools)] if tools else []


def to_json_text(text: str) -> str:
    """The result of a tool as code gets it."""
    try:
        return json.dumps(from_literal(text))
    except (ValueError, TypeError, RecursionError):
        return json.dumps(text)


def caller_of(block: Mapping[str, Any]) -> str | None:
    """Who made a call."""
    kind = mapping(block.get("caller")).get("type")
    if not isinstance(kind, str) or kind == "direct":
        return None
    return kind if _WORD.fullmatch(kind) else "unknown"


def is_malformed(block: Mapping[str, Any]) -> bool:
    """Whether a block of hosted code execution lacks what it is known by."""
    kind = block.get("type")
    if kind == "server_tool_use":
        return not (isinstance(block.get("id"), str) and isinstance(block.get("name"), str))
    return kind in _HOSTED and not isinstance(block.get("tool_use_id"), str)


def hosted_runs(blocks: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What hosted tools that have ended came to."""
    return tuple(f"{_HOSTED[block['type']]}: {_outcome(block)}" for block in blocks if block["type"] in _HOSTED)


def _outcome(block: Mapping[str, Any]) -> str:
    content = block.get("content")
    if not isinstance(content, Mapping):
        return "unknown"
    error, status = content.get("error_code"), content.get("return_code")
    if isinstance(error, str):
        return error if _WORD.fullmatch(error) else "unknown"
    if isinstance(status, int) and status:
        return f"exit {status:d}" if abs(status) < 1_000 else "unknown"
    return "ok" if str(content.get("type", "")).endswith("_result") else "unknown"


def container_id(message: Mapping[str, Any]) -> str | None:
    """The container that a message of the API names, ``None`` if it names none."""
    return text_or_none(mapping(message.get("container")).get("id"))


def blocks_of(raw: Any) -> list[Block]:
    """The blocks of a reply that was kept, with a container (an object) or without (a list)."""
    return list(raw["content"] if isinstance(raw, Mapping) else raw)


def container_of(turns: Iterable[Turn]) -> str | None:
    """The container of a conversation."""
    container = None
    for turn in turns:
        for raw in turn.raw if isinstance(turn, AssistantTurn) else ():
            container = raw["container"] if isinstance(raw, Mapping) else container
            if any(_outcome(block) == _EXPIRED for block in blocks_of(raw) if block["type"] in _HOSTED):
                container = None
    return container


def answers_code(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the end of a request answers calls of code, which a container holds until then."""
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return False
    content = messages[-2]["content"]
    ended = [block["tool_use_id"] for block in content if block["type"] in _HOSTED]
    callers = [block["caller"] for block in content if block["type"] == "tool_use" and caller_of(block) is not None]
    return any(caller.get("tool_id") not in ended for caller in callers)


@attrs.define
class OpenRuns:
    """Hosted tools that have begun and not ended, in the order of a conversation."""

    _names: dict[str, str] = attrs.field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self._names)

    def see(self, block: Mapping[str, Any]) -> None:
        """Takes note of the next block that the model wrote."""
        if block["type"] == "server_tool_use" and block["name"] in _RESULTS:
            self._names[block["id"]] = block["name"]
        elif block["type"] in _HOSTED:
            self._names.pop(block["tool_use_id"], None)

    def close(self) -> list[Block]:
        """Ends them all: the results to be sent, because the API takes nothing else after a run without an end."""
        names, self._names = self._names, {}
        return [
            {
                "type": _RESULTS[name],
                "tool_use_id": run,
                "content": {"type": f"{_RESULTS[name]}_error", "error_code": "unavailable"},
            }
            for run, name in names.items()
        ]
