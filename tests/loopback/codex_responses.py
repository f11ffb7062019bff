"""The Responses protocol as Codex speaks it: tools in namespaces, instructions as messages, fields of its own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tests.loopback.openai_chat import require
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Encoded, Heard

_OF_ITS_OWN = ("client_metadata", "prompt_cache_key", "text")
_TIMED = re.compile(r"\AWall time: [\d.]+ seconds\nOutput:\n?")
_OF_ITEMS = ("internal_chat_message_metadata_passthrough", "namespace")


@attrs.define(eq=False)
class CodexDialect(OpenAIResponsesDialect):
    """Understands what Codex adds, and hands the rest to the dialect that is strict.

    ``Heard.body`` is what came in; ``Heard.tools`` are the names of all tools, those in namespaces without them.
    """

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        require(isinstance(body, dict), f"Unknown path {path}", "", 404)
        items = body["input"]
        plain = {name: value for name, value in body.items() if name not in _OF_ITS_OWN}
        plain["tools"] = [tool for _, tool in offered(body)]
        plain["instructions"] = "\n".join(_text(item.get("content", "")) for item in items if _tells(item))
        plain["input"] = [_plain(item) for item in items if not _tells(item)]
        heard = super().hear(method, path, headers, plain)
        assert isinstance(heard, Heard)
        return attrs.evolve(heard, body=body)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        spaces = {tool["name"]: space for space, tool in offered(heard.body)}
        calls = self._output(Answer(calls=answer.calls, call_ids=answer.call_ids))
        placed = [{**call, "namespace": spaces[call["name"]]} if spaces.get(call["name"]) else call for call in calls]
        extra = {**answer.extra, "items": [*answer.extra.get("items", ()), *placed]}
        return super().answer(heard, attrs.evolve(answer, calls=(), call_ids=None, extra=extra))


def offered(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tools of a request, each with its namespace, empty if it has none."""
    added = [tool for item in body["input"] for tool in item.get("tools", ()) if item["type"] == "additional_tools"]
    for tool in [*body.get("tools", ()), *added]:
        if tool["type"] == "namespace":
            # This one is how requests of the newer form write "none".
            space = "" if tool["name"] == "functions" else tool["name"]
            yield from ((space, inner) for inner in tool["tools"])
        else:
            yield "", tool


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in item.items() if name not in _OF_ITEMS}
    if item["type"] == "function_call_output":
        return {"type": item["type"], "call_id": item["call_id"], "output": _output(item["output"])}
    return kept


def _tells(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "developer"


def _output(output: Any) -> str:
    """What a tool has answered, without the time that Codex puts before it."""
    return _TIMED.sub("", _text(output), count=1)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
