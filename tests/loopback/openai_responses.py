"""OpenAI's Responses protocol without stored state, as strict as the real server."""

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tests.loopback.openai_chat import NAME, bearer, calls_of, encode, error_body, models, require
from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, server_sent_events

_PARAMETERS = {
    *("model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p"),
    *("max_output_tokens", "reasoning", "stream", "store", "include"),
}
_FIELDS = {
    "message": {"type", "role", "content", "id", "status"},
    "function_call": {"type", "call_id", "name", "arguments", "id", "status"},
    "function_call_output": {"type", "call_id", "output"},
    "reasoning": {"type", "id", "summary", "encrypted_content", "content"},
}


@attrs.define(eq=False)
class OpenAIResponsesDialect:
    """The Responses protocol. It refuses reasoning that it did not write, or that is followed by nothing."""

    reasons: bool = True
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))
    _reasoning: dict[str, Any] = attrs.field(factory=dict)

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        key = bearer(headers)
        require(key.startswith("sk-"), f"Incorrect API key provided: {key}.", "invalid_api_key", 401)
        if method == "GET" and path == "/v1/models":
            return models(next(self._numbers))
        require(method == "POST" and path == "/v1/responses", f"Unknown path {path}", "", 404)
        require(isinstance(body, dict) and body.get("model"), "Missing required parameter: 'model'.")
        for name in body:
            require(name in _PARAMETERS, f"Unknown parameter: '{name}'.", "unknown_parameter")
        require(body.get("store") is False, "nothing may be stored")
        include = body.get("include", [])
        require(set(include) <= {"reasoning.encrypted_content"}, "Invalid value: 'include'")
        require(self.reasons or not include, "Encrypted content is not supported with this model.")
        tools = self._tools(body)
        return Heard(body["model"], body.get("instructions", ""), self._input(body), tools, body, path, headers)

    def _tools(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        for tool in body.get("tools", ()):
            require(tool.get("type") == "function" and NAME.fullmatch(tool.get("name", "")), "Invalid 'tools'")
            require(set(tool) <= {"type", "name", "description", "parameters", "strict"}, "Unknown parameter in tools")
            require(tool.get("parameters", {}).get("type") == "object", "Invalid schema for function")
            require(tool.get("strict") is False, "strict mode needs schemas that are closed")
        return tuple(tool["name"] for tool in body.get("tools", ()))

    def _input(self, body: Mapping[str, Any]) -> tuple[HeardTurn, ...]:
        turns: list[HeardTurn] = []
        waiting: list[str] = []
        items = body.get("input")
        require(isinstance(items, list) and items, "Missing required parameter: 'input'.")
        for number, item in enumerate(items):
            kind = item.get("type", "message")
            require(kind in _FIELDS, f"Invalid value: input[{number}].type")
            require(set(item) <= _FIELDS[kind], f"Unknown parameter: {set(item) - _FIELDS[kind]} in input[{number}]")
            if kind == "function_call_output":
                require(item.get("call_id") in waiting, f"No tool call found for function call output {item}")
                waiting.remove(item["call_id"])
                turns.append(HeardTurn("tool", item["output"], (), item["call_id"]))
            elif kind == "function_call":
                self._call(turns, item)
                waiting.append(item["call_id"])
            elif kind == "reasoning":
                following = items[number + 1].get("type") if number + 1 < len(items) else None
                require(following in ("function_call", "message"), "provided without its required following item")
                require(self._reasoning.get(item.get("id")) == item, f"Item with id '{item.get('id')}' not found.")
                turns.append(HeardTurn("assistant"))
            else:
                require(not waiting, f"No tool output found for function call {waiting}")
                turns.append(self._message(item))
        require(not waiting, f"No tool output found for function call {waiting}")
        return tuple(_merged(turns))

    def _call(self, turns: list[HeardTurn], item: Mapping[str, Any]) -> None:
        require(NAME.fullmatch(item.get("name", "")), "Invalid 'input.name': does not match pattern")
        require(isinstance(item.get("arguments"), str), "Invalid type for 'input.arguments'")
        require(0 < len(item.get("call_id", "")) <= 64, "Invalid 'input.call_id'")
        try:
            arguments = json.loads(item["arguments"])
        except (ValueError, RecursionError):
            arguments = item["arguments"]
        turns.append(HeardTurn("assistant", "", ((item["call_id"], item["name"], arguments),)))

    def _message(self, item: Mapping[str, Any]) -> HeardTurn:
        content = item["content"]
        require(item.get("role") in ("user", "assistant"), "Invalid value: 'input.role'")
        if isinstance(content, str):
            require(content or item["role"] == "user", "empty content")
            return HeardTurn(item["role"], content)
        return HeardTurn(item["role"], "".join(part["text"] for part in content))

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        number = next(self._numbers)
        status = answer.extra.get("status") or ("incomplete" if answer.stop else "completed")
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1_700_000_000,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": answer.stop} if answer.stop else None,
            "model": answer.served_model or heard.model,
            "output": self._output(answer),
            "usage": {
                "input_tokens": answer.input_tokens,
                "input_tokens_details": {"cached_tokens": answer.cached_tokens, "cache_write_tokens": 0},
                "output_tokens": answer.output_tokens,
                "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
                "total_tokens": answer.input_tokens + answer.output_tokens,
            },
            **answer.extra.get("body", {}),
        }
        if heard.body.get("stream"):
            body = server_sent_events(list(_events(response)))
            return Encoded(200, body, {"x-request-id": f"req_{number}"}, "text/event-stream")
        return encode(200, response, number)

    def _output(self, answer: Answer) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if answer.thinking is not None:
            id_ = f"rs_{next(self._numbers)}"
            self._reasoning[id_] = {"id": id_, "type": "reasoning", "summary": [], "encrypted_content": answer.thinking}
            items.append(self._reasoning[id_])
        parts: list[dict[str, Any]] = []
        if answer.text:
            parts.append({"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []})
        if answer.refusal:
            parts.append({"type": "refusal", "refusal": answer.refusal})
        status = "incomplete" if answer.stop else "completed"
        if parts:
            id_ = f"msg_{next(self._numbers)}"
            items.append({"id": id_, "type": "message", "role": "assistant", "status": status, "content": parts})
        for call_id, name, text in calls_of(answer, self._numbers):
            call = {"id": f"fc_{next(self._numbers)}", "type": "function_call", "status": status}
            items.append({**call, "call_id": call_id, "name": name, "arguments": text})
        return [*items, *answer.extra.get("items", ())]

    def error(self, broken: Broken) -> Encoded:
        return encode(broken.status, error_body(broken), next(self._numbers))


def _merged(turns: list[HeardTurn]) -> Iterator[HeardTurn]:
    """Items of one reply are one turn."""
    for role, group in itertools.groupby(turns, key=lambda turn: turn.role):
        if role != "assistant":
            yield from group
            continue
        parts = list(group)
        calls = tuple(call for part in parts for call in part.calls)
        yield HeardTurn("assistant", "".join(part.text for part in parts), calls)


def _events(response: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    numbers = itertools.count()
    started = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": started}]
    for index, item in enumerate(response["output"]):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": f"response.{response['status']}", "response": response})
    for event in events:
        yield event["type"], {**event, "sequence_number": next(numbers)}
