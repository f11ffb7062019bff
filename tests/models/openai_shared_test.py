"""What is handed to OpenAI's SDK without its comparison of types is sent as the SDK itself would send it."""

import json
import subprocess
import sys
from typing import Any

import httpx2
import openai
import pytest

from tool_sandbox.models.openai_shared import ready_made

FUNCTION = {
    "name": "f",
    "description": "Ünicode \u2028 and \\ quotes",
    "parameters": {"type": "object", "properties": {"x": {"type": "number", "enum": [1, 2.5]}}, "required": ["x"]},
}
CHAT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi 🙂"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "None"},
        {"role": "assistant", "content": "Done", "reasoning_details": [{"type": "unknown", "data": None}]},
    ],
    "tools": [{"type": "function", "function": FUNCTION}],
    "temperature": 0.5,
}
RESPONSES = {
    "model": "m",
    "input": [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "abc"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "None"},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
    ],
    "store": False,
    "instructions": "Be brief.",
    "tools": [{"type": "function", **FUNCTION, "strict": False}],
}


def sent(path: str, request: dict[str, Any]) -> bytes:
    bodies = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.read())
        return httpx2.Response(418, json={})

    client = openai.OpenAI(
        api_key="k", max_retries=0, http_client=httpx2.Client(transport=httpx2.MockTransport(answer))
    )
    create: Any = client.responses.create if path == "responses" else client.chat.completions.create
    with pytest.raises(openai.APIStatusError):
        create(**request)
    (body,) = bodies
    return body


@pytest.mark.parametrize(("path", "request_"), [("chat", CHAT), ("responses", RESPONSES)])
def test_the_bytes_are_those_of_the_sdk(path: str, request_: dict[str, Any]) -> None:
    before = json.dumps(request_)
    assert sent(path, ready_made(request_)) == sent(path, request_)
    assert json.dumps(request_) == before


def test_a_request_without_tools_has_none() -> None:
    request = {name: value for name, value in CHAT.items() if name != "tools"}
    assert "tools" not in json.loads(sent("chat", ready_made(request)))


LOADING = """
import sys, threading, time
from tool_sandbox.models.openai_shared import make_client
from tool_sandbox.models.provider import Endpoint

begun = threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "httpx._api":
            begun.set()
            time.sleep(0.3)

sys.meta_path.insert(0, Slow())
loading = threading.Thread(target=__import__, args=("httpx",))
loading.start()
begun.wait()
print(make_client(Endpoint(base_url="http://127.0.0.1:1"), "key").base_url)
loading.join()
"""


@pytest.mark.slow
def test_a_client_is_made_while_another_thread_loads_httpx() -> None:
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("http://127.0.0.1:1\n", "")
