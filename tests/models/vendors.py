"""The providers of three vendors, over a loopback server that speaks just enough of each protocol."""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, server_sent_events
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.provider import Endpoint, Provider

KEY = "sk-test-Zm9vYmFy+42/secret"
"""A key with characters that JSON, URLs and base64 write in other ways."""


def mini_anthropic(url: str, streams: bool = False, key: str = KEY) -> Provider:
    return AnthropicMessages("m-1", {"stream": streams}, Endpoint(url, key, 5.0))


def mini_openai(url: str, streams: bool = False, key: str = KEY) -> Provider:
    return OpenAIChat("m-1", {"stream": streams}, Endpoint(f"{url}/v1", key, 5.0))


def mini_gemini(url: str, streams: bool = False, key: str = KEY) -> Provider:
    return Gemini("m-1", {"vertex": False}, Endpoint(url, key, 5.0))


class MiniDialect:
    """All three protocols at once, told apart by the path. Echoes the credentials wherever it can.

    ``extra["gzip"]`` compresses the answer.
    """

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard:
        first = body["messages"][0] if "messages" in body else body["contents"][0]["parts"][0]
        text = first.get("content") or first["text"]
        text = text if isinstance(text, str) else text[0]["text"]
        streams = body.get("stream") or "streamGenerate" in path
        return Heard("m-1", "", (HeardTurn("user", text),), (), {**body, "streams": streams}, path, headers)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        protocol = next(name for part, name in PROTOCOLS.items() if part in heard.path)
        text = answer.text or f"echo {heard.turns[0].text}"
        if "credentials" in heard.turns[0].text:
            text = echoed(heard)
        body = getattr(self, f"_{protocol}")(text, heard.body["streams"])
        headers = {"request-id": "req_1", "set-cookie": f"session={KEY}", "x-echo": echoed(heard)}
        headers["x-ratelimit-echo"] = echoed(heard)
        if answer.extra.get("gzip"):
            body, headers["content-encoding"] = gzip.compress(body), "gzip"
        kind = "text/event-stream" if heard.body["streams"] else "application/json"
        return Encoded(200, body, headers, kind)

    def error(self, broken: Broken) -> Encoded:
        error = {"type": "error", "code": broken.status, "status": "NO", "message": broken.message}
        return Encoded(broken.status, json.dumps({"type": "error", "error": error}).encode())

    def _anthropic(self, text: str, streams: bool) -> bytes:
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m-1",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 2},
        }
        if not streams:
            return json.dumps(message).encode()
        events = [
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
            ("message_stop", {}),
        ]
        return server_sent_events([(name, {"type": name, **data}) for name, data in events])

    def _openai(self, text: str, streams: bool) -> bytes:
        head = {"id": "c-1", "created": 1, "model": "m-1"}
        if not streams:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            return json.dumps({**head, "object": "chat.completion", "choices": [choice]}).encode()
        chunk = {**head, "object": "chat.completion.chunk"}
        halves = text[: len(text) // 2], text[len(text) // 2 :]
        chunks = [{**chunk, "choices": [{"index": 0, "delta": {"content": half}}]} for half in halves]
        chunks[-1]["choices"][0]["finish_reason"] = "stop"
        return server_sent_events([*((None, chunk) for chunk in chunks), (None, "[DONE]")])

    def _google(self, text: str, streams: bool) -> bytes:
        part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
        answer = {"candidates": [part], "modelVersion": "m-1"}
        return server_sent_events([(None, answer)]) if streams else json.dumps(answer).encode()


PROTOCOLS = {"/v1/messages": "anthropic", "/chat/completions": "openai", "enerateContent": "google"}
VENDORS = (mini_anthropic, mini_openai, mini_gemini)


def echoed(heard: Heard) -> str:
    names = ("authorization", "x-api-key", "x-goog-api-key")
    return "your credentials: " + " ".join(heard.headers[name] for name in names if name in heard.headers)


def question(text: str = "Hello?") -> ModelRequest:
    return ModelRequest("", (UserTurn(text),))
