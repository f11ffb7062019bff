"""A model server on the loopback address for ``bench_runner.py``: valid answers after a fixed time, at little CPU.

It reads no JSON: how many calls the model has made is how often their mark stands in the request. Speaks OpenAI's
Responses and chat completions and Anthropic's Messages, over HTTP/1.1 with connections that stay open.
"""

import asyncio
import json
import re
import sys
import time
from typing import Any

HOST = "127.0.0.1"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_ANSWER = "All done."
_TOOL = "search_contacts"


class Counters:
    """What the server has seen since it was asked last.

    Attributes:
        requests: Requests answered.
        waiting: Requests that wait for their answer now.
        most_waiting: Most of them at once.
        latest_s: Longest time by which an answer left after it was due.
    """

    def __init__(self) -> None:
        self.requests = self.waiting = self.most_waiting = 0
        self.latest_s = 0.0
        self.cpu_s = time.process_time()

    def as_dict(self) -> dict[str, float]:
        """The counters, with the CPU seconds since the last time."""
        names = ("requests", "most_waiting", "latest_s")
        return {name: getattr(self, name) for name in names} | {"cpu_s": time.process_time() - self.cpu_s}


class ModelServer(asyncio.Protocol):
    """One connection."""

    def __init__(self, owner: "Owner") -> None:
        self._owner = owner
        self._data = bytearray()
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        """Keeps the way back."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answers every request that is complete."""
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._data, 0, end)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._data) < total:
                return
            path = bytes(self._data[: self._data.find(b"\r\n")]).split(b" ")[1].partition(b"?")[0]
            body = bytes(self._data[end + 4 : total])
            del self._data[:total]
            self._owner.answer(self._transport, path, body)


class Owner:
    """The server.

    Attributes:
        latency_s: Seconds after which an answer leaves.
        calls: Tool calls that the model makes before it answers.
        counters: What it has seen.
    """

    def __init__(self, latency_s: float, calls: int) -> None:
        self.latency_s = latency_s
        self.calls = calls
        self.counters = Counters()

    def answer(self, transport: Any, path: bytes, body: bytes) -> None:
        """Answers one request, later."""
        if path == b"/counters":
            counters, self.counters = self.counters, Counters()
            _write(transport, json.dumps(counters.as_dict()).encode())
            return
        counters = self.counters
        counters.requests += 1
        counters.waiting += 1
        counters.most_waiting = max(counters.most_waiting, counters.waiting)
        mark, reply = _PROTOCOLS[path]
        made = body.count(mark)
        data = json.dumps(reply(counters.requests, made if made < self.calls else None), separators=(",", ":")).encode()
        loop = asyncio.get_running_loop()
        due = loop.time() + self.latency_s
        loop.call_at(due, self._send, transport, data, due, counters)

    def _send(self, transport: Any, data: bytes, due: float, counters: Counters) -> None:
        counters.waiting -= 1
        counters.latest_s = max(counters.latest_s, asyncio.get_running_loop().time() - due)
        if not transport.is_closing():
            _write(transport, data)


def _write(transport: Any, data: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    transport.write(head.encode() + data)


def _arguments(made: int) -> dict[str, str]:
    return {"name": f"Person {made}"}


def _chat(number: int, made: int | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _ANSWER, "refusal": None}
    if made is not None:
        function = {"name": _TOOL, "arguments": json.dumps(_arguments(made))}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
    word = "stop" if made is None else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "gpt-5.2",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": word}],
        "usage": {"prompt_tokens": 2000, "completion_tokens": 20, "total_tokens": 2020},
    }


def _responses(number: int, made: int | None) -> dict[str, Any]:
    text = {"type": "output_text", "text": _ANSWER, "annotations": [], "logprobs": []}
    item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    if made is not None:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": _TOOL}
        item["arguments"] = json.dumps(_arguments(made))
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": "gpt-5.2",
        "output": [item | {"status": "completed"}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "usage": {"input_tokens": 2000, "output_tokens": 20, "total_tokens": 2020, **details},
    }


def _messages(number: int, made: int | None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": _ANSWER}
    if made is not None:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": _TOOL, "input": _arguments(made)}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [block],
        "stop_reason": "end_turn" if made is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 2000, "output_tokens": 20},
    }


_PROTOCOLS: dict[bytes, Any] = {
    b"/v1/chat/completions": (b'"role":"assistant"', _chat),
    b"/v1/responses": (b'"type":"function_call"', _responses),
    b"/v1/messages": (b'"role":"assistant"', _messages),
}


async def _serve(latency_s: float, calls: int) -> None:
    owner = Owner(latency_s, calls)
    server = await asyncio.get_running_loop().create_server(lambda: ModelServer(owner), HOST, 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    # Whoever started it closes the pipe in the end, even by being killed.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), int(sys.argv[2])))
