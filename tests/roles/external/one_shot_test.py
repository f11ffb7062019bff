"""Agents that are started anew for every turn, with real processes and the real MCP server."""

import queue
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.roles.external.json_lines_test import failure_of
from tests.stubs.playing import play
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult
from tool_sandbox.roles.external.bridge import BridgeClosedError, ToolBridge
from tool_sandbox.roles.external.command import CommandAgent
from tool_sandbox.roles.external.one_shot import RecordingBridge
from tool_sandbox.roles.registry import resolve_role

pytest.importorskip("mcp")

START = """
import json, os, sys, time
from urllib.request import Request, urlopen
prompt = open(sys.argv[1], encoding="utf-8").read()
def call(name, arguments):
    session, client = {}, {"name": "x", "version": "1"}
    for number, method, params in (
        (1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        (None, "notifications/initialized", {}),
        (2, "tools/call", {"name": name, "arguments": arguments}),
    ):
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers["Authorization"] = "Bearer " + os.environ["TOOL_SANDBOX_MCP_TOKEN"]
        request = Request(os.environ["TOOL_SANDBOX_MCP_URL"], json.dumps(message).encode(), {**headers, **session})
        with urlopen(request) as response:
            name = response.headers.get("Mcp-Session-Id")
            session = {"Mcp-Session-Id": name} if name else session
            text = response.read().decode()
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith(("data:", "{"))]
    return json.loads([line for line in lines if line.strip()][-1])["result"]
"""

TURNS = "turn_on_wifi_then_meant_cellular_multiple_user_turn"
Make = Callable[..., CommandAgent]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make_agent(code: str, *words: str, **options: Any) -> CommandAgent:
        script = tmp_path / "agent.py"
        script.write_text(START + code, "utf-8")
        own = {"kill_after_s": 1, "timeout_s": 60, **options}
        choice = ",".join(f"{name}={value}" for name, value in own.items())
        command = shlex.join([sys.executable, "-S", str(script), "{prompt_file}", *words])
        role = resolve_role(f"command({choice}): {command}", "agent")[1]()
        assert isinstance(role, CommandAgent)
        return role

    return make_agent


def test_what_it_prints_is_the_answer(make: Make) -> None:
    code = (
        "result = call('set_wifi_status', {'on': False})\nprint('\\n Wifi', result.get('isError'))\nprint('is off. ')"
    )
    played = play(make(code))
    assert played.calls == ["set_wifi_status"]
    assert played.said == ["Wifi False\nis off."]
    assert played.stopped is None


def test_a_failed_call_is_a_failed_call(make: Make) -> None:
    played = play(make("print(call('set_wifi_status', {'on': 'maybe'})['isError'])"))
    assert played.said == ["True"]


def test_what_it_writes_is_the_answer(make: Make) -> None:
    code = "print('noise'); open(sys.argv[2], 'w').write('the answer' if not open(sys.argv[2]).read() else 'old')"
    assert set(play(make(code, "{output_file}"), TURNS).said) == {"the answer"}
    assert set(play(make("print('noise')", "{output_file}")).said) == {""}


def test_every_turn_hears_what_was_before(make: Make) -> None:
    code = """
if "Assistant:" not in prompt:
    call("set_wifi_status", {"on": True})
    print("FIRST ANSWER")
else:
    print(prompt)
"""
    played = play(make(code), TURNS)
    assert played.said[0] == "FIRST ANSWER"
    second = played.said[1]
    system, _, conversation = second.partition("The conversation so far")
    assert system.strip()
    order = ["User: ", "Assistant called set_wifi_status: ", "set_wifi_status returned: ", "Assistant: FIRST ANSWER"]
    places = [conversation.index(part) for part in (*order, "The user now says:\n")]
    assert places == sorted(places)


def test_where_the_tools_are(make: Make) -> None:
    code = """
server = json.load(open(sys.argv[2]))["mcpServers"]["sandbox"]
assert server["type"] == "http" and server["url"] == os.environ["TOOL_SANDBOX_MCP_URL"]
assert server["headers"] == {"Authorization": "Bearer " + os.environ["TOOL_SANDBOX_MCP_TOKEN"]}
assert oct(os.stat(sys.argv[2]).st_mode)[-3:] == "600"
print(os.environ["TOOL_SANDBOX_MCP_TOKEN"])
"""
    role = make(code, "{mcp_config}")
    assert len(play(role).said[0]) > 20
    assert role.session.log == ["[redacted]"]


def test_a_token_is_of_no_use_in_another_turn(make: Make, tmp_path: Path) -> None:
    # The endpoint lasts as long as the conversation: after it nobody is let in.
    role = make(f"open({str(tmp_path / 'url')!r}, 'w').write(os.environ['TOOL_SANDBOX_MCP_URL'])\nprint('x')")
    play(role)
    with pytest.raises(HTTPError):
        urlopen((tmp_path / "url").read_text(), timeout=30)


BAD = {
    "crash": ("sys.exit('what a pity')", "failed with exit code 1; its last words: what a pity"),
    "killed": ("os.kill(os.getpid(), 9)", "failed with exit code -9"),
    "silence": ("time.sleep(1000)", "did not answer within 2 s"),
    "endless": ("while True: print('x' * 1000)", "printed more than 1 MiB"),
    "memory": ("x = bytearray(200 * 2**20)\ntime.sleep(1000)", "used more than 100 MiB of memory"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "reason"), BAD.values(), ids=BAD)
def test_its_own_fault(make: Make, code: str, reason: str) -> None:
    waits = "within 2 s" in reason
    role = make(code, timeout_s=2 if waits else 60, memory_mb=100, output_mb=1)
    assert reason in failure_of(role)


def test_an_answer_that_leads_elsewhere(make: Make, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("ours")
    role = make(f"os.unlink(sys.argv[2]); os.symlink({str(tmp_path / 'secret')!r}, sys.argv[2])", "{output_file}")
    assert "output.txt cannot be read" in failure_of(role)
    assert "larger than" in failure_of(make("open(sys.argv[2], 'w').write('x' * 5_000_000)", "{output_file}"))
    assert "characters" in failure_of(make("open(sys.argv[2], 'w').write('x' * 1_500_000)", "{output_file}"))


def test_a_link_in_place_of_the_next_prompt(make: Make, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    code = f"os.unlink(sys.argv[1]); os.symlink({str(tmp_path / 'mine')!r}, sys.argv[1]); print('x')"
    assert len(play(make(code), TURNS).said) > 1
    assert (tmp_path / "mine").read_text() == "mine"


def test_calls_are_remembered() -> None:
    calls = [RequestedCall("1", "t", {})]
    bridge = ToolBridge([])
    noted = RecordingBridge(bridge)
    assert isinstance(noted.submit(calls).exception(), BridgeClosedError)
    assert noted.take() == []
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    bridge.begin_turn(events)
    future = noted.submit(calls)
    open_call = noted.submit(calls)
    bridge.answer(events.get(), (ToolResult("1", "t", "done"),))
    assert future.result(10)[0].text == "done"
    assert noted.take() == [AssistantTurn(calls=tuple(calls)), ResultsTurn((ToolResult("1", "t", "done"),))]
    assert not open_call.done()
    assert noted.take() == []
