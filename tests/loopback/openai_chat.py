"""OpenAI's chat completions, as strict as the real server, or as loose as the servers of others."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from tests.loopback import server
from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, server_sent_events

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PARAMETERS = {
    *("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "seed"),
    *("max_completion_tokens", "max_tokens", "reasoning_effort", "stream", "stream_options"),
}
_FIELDS = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "tool_calls"},
    "tool": {"role", "content", "name", "tool_call_id"},
}


def require(condition: Any, message: str, code: str = "invalid_value", status: int = 400) -> None:
    server.require(condition, message, status, code)


def bearer(headers: Mapping[str, str]) -> str:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    require(scheme == "Bearer" and key, "You didn't provide an API key.", "", 401)
    return key


def encode(status: int, body: Any, number: int) -> Encoded:
    return Encoded(status, json.dumps(body).encode(), {"x-request-id": f"req_{number}"})


def error_body(broken: Broken) -> dict[str, Any]:
    kinds = {401: "invalid_request_error", 429: "requests", 500: "server_error", 503: "server_error"}
    kind = "insufficient_quota" if broken.code == "insufficient_quota" else kinds.get(broken.status)
    error = {"message": broken.message, "type": kind or "invalid_request_error", "param": None}
    return {"error": {**error, "code": broken.code or None}}


def models(number: int) -> Encoded:
    return encode(200, {"object": "list", "data": [{"id": "gpt-test", "object": "model", "owned_by": "test"}]}, number)


def calls_of(answer: Answer, numbers: Iterator[int]) -> list[tuple[str, str, str]]:
    """Id, name and argument text of each call."""
    ids = answer.call_ids or tuple(f"call_{next(numbers):06d}" for _ in answer.calls)
    texts = (value if isinstance(value, str) else json.dumps(value) for _, value in answer.calls)
    return [(id_, name, text) for id_, (name, _), text in zip(ids, answer.calls, texts, strict=True)]


@attrs.define(eq=False)
class OpenAIChatDialect:
    """Chat completions.

    ``lenient`` is what servers of others are like: any key, further fields, ids missing, arguments decoded, no usage.
    ``templated`` adds what chat templates want: arguments of the history are JSON objects, and the parties alternate.
    """

    lenient: bool = False
    templated: bool = False
    path: str = "/v1/chat/completions"
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        key = bearer(headers)
        require(key.startswith("sk-") or self.lenient, f"Incorrect API key provided: {key}.", "invalid_api_key", 401)
        if method == "GET" and path == "/v1/models":
            return models(next(self._numbers))
        require(method == "POST" and path == self.path, f"Unknown path {path}", "", 404)
        require(isinstance(body, dict) and body.get("model"), "you must provide a model parameter")
        unknown = set(body) - _PARAMETERS
        require(not unknown, f"Unrecognized request argument supplied: {', '.join(sorted(unknown))}")
        require("stream_options" not in body or body.get("stream"), "stream_options needs stream")
        tools = self._tools(body)
        system, turns = self._messages(body.get("messages"))
        return Heard(body["model"], system, turns, tools, body, path, headers)

    def _tools(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        if "tools" not in body:
            require("tool_choice" not in body and "parallel_tool_calls" not in body, "only allowed with 'tools'")
            return ()
        require(body["tools"], "[] is too short - 'tools'")
        for tool in body["tools"]:
            require(tool.keys() == {"type", "function"} and tool["type"] == "function", "tools: type function wanted")
            function = tool["function"]
            require(set(function) <= {"name", "description", "parameters", "strict"}, "tools: unknown field")
            require(NAME.fullmatch(function["name"]), "tools: name does not match pattern")
            require(function.get("parameters", {}).get("type", "object") == "object", "tools: not an object schema")
        return tuple(tool["function"]["name"] for tool in body["tools"])

    def _messages(self, messages: Any) -> tuple[str, tuple[HeardTurn, ...]]:
        require(isinstance(messages, list) and messages, "[] is too short - 'messages'")
        system, turns, waiting = [], [], []
        for number, message in enumerate(messages):
            role = message.get("role")
            require(role in _FIELDS, f"Invalid value: messages[{number}].role")
            extra = set(message) - _FIELDS[role]
            require(
                not extra or (self.lenient and role == "assistant"), f"Unknown fields {extra} in messages[{number}]"
            )
            require(NAME.fullmatch(message.get("name", "_")), f"messages[{number}].name does not match pattern")
            if role == "tool":
                require(message.get("tool_call_id") in waiting, f"messages[{number}] answers no preceding tool call")
                waiting.remove(message["tool_call_id"])
                turns.append(HeardTurn("tool", message["content"], (), message["tool_call_id"], message.get("name")))
                continue
            require(not waiting, f"tool_call_ids did not have response messages: {waiting}")
            if role == "assistant":
                turns.append(self._assistant(number, message))
                waiting = [call_id for call_id, _, _ in turns[-1].calls]
                continue
            require(isinstance(message.get("content"), str), f"messages[{number}].content: expected a string")
            if role == "system":
                system.append(message["content"])
            else:
                previous = turns[-1].role if turns else None
                require(not self.templated or previous != "user", "Conversation roles must alternate")
                turns.append(HeardTurn("user", message["content"]))
        require(not waiting, f"tool_call_ids did not have response messages: {waiting}")
        return "\n\n".join(system), tuple(turns)

    def _assistant(self, number: int, message: Mapping[str, Any]) -> HeardTurn:
        content, calls = message.get("content"), message.get("tool_calls")
        require(calls is None or calls, f"[] is too short - 'messages[{number}].tool_calls'")
        require(calls or content, f"messages[{number}].content: expected a string")
        heard = []
        for call in calls or ():
            fields = {"id", "type", "function"}
            require(set(call) == fields or (self.lenient and set(call) >= fields), "tool_calls: wrong fields")
            require(isinstance(call["id"], str) and 0 < len(call["id"]) <= 40, "tool_calls: id has wrong length")
            require(call["type"] == "function", "tool_calls: wrong type")
            function = call["function"]
            require(set(function) == {"name", "arguments"}, "tool_calls: wrong function")
            require(NAME.fullmatch(function["name"]), "tool_calls: name does not match pattern")
            require(isinstance(function["arguments"], str), "tool_calls: arguments has to be a string")
            heard.append((call["id"], function["name"], self._arguments(function["arguments"])))
        require(len({call_id for call_id, _, _ in heard}) == len(heard), "tool_calls: duplicate id")
        text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())
        return HeardTurn("assistant", text, tuple(heard))

    def _arguments(self, text: str) -> Any:
        try:
            decoded = json.loads(text)
        except (ValueError, RecursionError):
            decoded = text
        require(not self.templated or isinstance(decoded, dict), "Expecting value: line 1 column 1 (char 0)")
        return decoded

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        number = next(self._numbers)
        message = self._message(answer)
        finish = answer.stop or ("tool_calls" if answer.calls else "stop")
        completion = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": answer.served_model or heard.model,
            "system_fingerprint": "fp_1",
        }
        if heard.body.get("stream"):
            pieces = _pieces(message, finish, None if self.lenient else _usage(answer), heard.body)
            events = [(None, {**completion, "object": "chat.completion.chunk", **piece}) for piece in pieces]
            body = server_sent_events([*events, (None, "[DONE]")])
            return Encoded(200, body, {"x-request-id": f"req_{number}"}, "text/event-stream")
        completion["choices"] = [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}]
        completion["usage"] = None if self.lenient else _usage(answer)
        return encode(200, {**completion, **answer.extra.get("body", {})}, number)

    def _message(self, answer: Answer) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": answer.refusal}
        message["annotations"] = []
        calls = calls_of(answer, self._numbers)
        if calls:
            message["tool_calls"] = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}
                for id_, name, text in calls
            ]
        if answer.thinking is not None:
            message["reasoning_content"] = answer.thinking
        if self.lenient:
            for number, (call, (_, value)) in enumerate(zip(message.get("tool_calls", ()), answer.calls, strict=True)):
                call |= {"index": number, "id": None if answer.call_ids is None else call["id"]}
                call["function"]["arguments"] = value
        return {**message, **answer.extra.get("message", {})}

    def error(self, broken: Broken) -> Encoded:
        return encode(broken.status, error_body(broken), next(self._numbers))


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens, "audio_tokens": 0},
    }


def _halves(text: Any) -> Sequence[Any]:
    return (text, None) if not isinstance(text, str) else (text[: len(text) // 2], text[len(text) // 2 :])


def _pieces(
    message: Mapping[str, Any], finish: str, usage: Any, body: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    wants_usage = (body.get("stream_options") or {}).get("include_usage")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "", "refusal": None}]
    for name in ("reasoning_content", "content", "refusal"):
        deltas += [{name: half} for half in _halves(message.get(name) or "")]
    for index, call in enumerate(message.get("tool_calls", ())):
        first, second = _halves(call["function"]["arguments"])
        function = {"name": call["function"]["name"], "arguments": first}
        deltas.append({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": second}}]})
    for delta in deltas:
        yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": None}
    if wants_usage and usage is not None:
        yield {"choices": [], "usage": usage}
