"""The three SDKs in their smallest form, over a loopback server that speaks just enough of each protocol."""

import functools
import gzip
import json
from collections.abc import Mapping
from typing import Any

import httpx2

from tests.loopback.server import Answer, Broken, Encoded, Heard, HeardTurn, server_sent_events
from tool_sandbox.models.faults import FaultKind, RequestFault, fault_of_status, one_line
from tool_sandbox.models.messages import ModelReply, ModelRequest, Usage, UserTurn
from tool_sandbox.models.provider import Endpoint, Provider
from tool_sandbox.models.tap import http_client

KEY = "sk-test-Zm9vYmFy+42/secret"
"""A key with characters that JSON, URLs and base64 write in other ways."""


def fault(status: int | None, message: str, headers: Mapping[str, str]) -> RequestFault:
    if status is None:
        return RequestFault(FaultKind.CONNECTION, one_line(message))
    return fault_of_status(status, "", message, headers)


class Mini(Provider):
    """One text in, one text out. ``streams`` asks for server-sent events."""

    def __init__(self, url: str, streams: bool = False, key: str = KEY) -> None:
        super().__init__("m-1", {}, Endpoint(url, key, 5.0))
        self.streams = streams

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        return {"text": " ".join(turn.text for turn in request.turns)}

    def explain(self, error: Exception) -> RequestFault | None:
        response = getattr(error, "response", None)
        headers = response.headers if response is not None else {}
        if isinstance(error, httpx2.HTTPError) or type(error).__module__.startswith(("anthropic", "openai", "google")):
            status = getattr(error, "status_code", None) or getattr(error, "code", None)
            return fault(status if isinstance(status, int) else None, str(error), headers)
        return None


class MiniAnthropic(Mini):
    name = "anthropic"

    @functools.cached_property
    def client(self) -> Any:
        import anthropic

        return anthropic.Anthropic(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.api_key,
            timeout=self.endpoint.timeout_s,
            max_retries=0,
            http_client=http_client(),
        )

    def send(self, **wire: Any) -> Any:
        asked = {"model": self.model, "max_tokens": 9, "messages": [{"role": "user", "content": wire["text"]}]}
        if not self.streams:
            return self.client.messages.create(**asked)
        with self.client.messages.stream(**asked) as stream:
            return stream.get_final_message()

    def read(self, answer: Any) -> ModelReply:
        usage = Usage(input_tokens=answer.usage.input_tokens, output_tokens=answer.usage.output_tokens)
        return ModelReply(answer.content[0].text, usage=usage, request_id=getattr(answer, "_request_id", None))


class MiniOpenAI(Mini):
    name = "openai"

    @functools.cached_property
    def client(self) -> Any:
        import openai

        return openai.OpenAI(
            base_url=f"{self.endpoint.base_url}/v1",
            api_key=self.endpoint.api_key,
            timeout=self.endpoint.timeout_s,
            max_retries=0,
            http_client=http_client(),
        )

    def send(self, **wire: Any) -> Any:
        asked = {"model": self.model, "messages": [{"role": "user", "content": wire["text"]}]}
        if not self.streams:
            return self.client.chat.completions.create(**asked).choices[0].message.content
        chunks = self.client.chat.completions.create(**asked, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

    def read(self, answer: Any) -> ModelReply:
        return ModelReply(answer, usage=Usage(input_tokens=5, output_tokens=2))


class MiniGemini(Mini):
    name = "google"

    @functools.cached_property
    def client(self) -> Any:
        from google import genai

        options = {"base_url": self.endpoint.base_url, "timeout": 5_000, "httpx_client": http_client()}
        return genai.Client(api_key=self.endpoint.api_key, vertexai=False, http_options=options)

    def send(self, **wire: Any) -> Any:
        asked = {"model": self.model, "contents": wire["text"]}
        if not self.streams:
            return self.client.models.generate_content(**asked).text
        return "".join(chunk.text or "" for chunk in self.client.models.generate_content_stream(**asked))

    def read(self, answer: Any) -> ModelReply:
        return ModelReply(answer, usage=Usage(input_tokens=5, output_tokens=2))


class MiniDialect:
    """All three protocols at once, told apart by the path. Echoes the credentials wherever it can.

    ``extra["gzip"]`` compresses the answer.
    """

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard:
        first = body["messages"][0] if "messages" in body else body["contents"][0]["parts"][0]
        text = first.get("content") or first["text"]
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
        return server_sent_events([*((None, chunk) for chunk in chunks), (None, "[DONE]")])

    def _google(self, text: str, streams: bool) -> bytes:
        part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
        answer = {"candidates": [part], "modelVersion": "m-1"}
        return server_sent_events([(None, answer)]) if streams else json.dumps(answer).encode()


PROTOCOLS = {"/v1/messages": "anthropic", "/chat/completions": "openai", "enerateContent": "google"}
VENDORS = (MiniAnthropic, MiniOpenAI, MiniGemini)


def echoed(heard: Heard) -> str:
    names = ("authorization", "x-api-key", "x-goog-api-key")
    return "your credentials: " + " ".join(heard.headers[name] for name in names if name in heard.headers)


def question(text: str = "Hello?") -> ModelRequest:
    return ModelRequest("", (UserTurn(text),))
