"""Conversations with real processes that speak JSON lines, well and badly."""

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.playing import play
from tool_sandbox.roles.external.command import CommandAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

START = """
import json, os, signal, sys, time
def send(**message): print(json.dumps(message), flush=True)
def receive(): return json.loads(sys.stdin.readline() or '{"type": "end"}')
def call(*calls, **more):
    send(type="tool_calls", calls=[{"id": str(i), "name": n, "arguments": a} for i, (n, a) in enumerate(calls)], **more)
    return receive()["results"]
def off(): return call(("set_wifi_status", {"on": False}))
start = receive()
user = receive()
"""

Make = Callable[..., CommandAgent]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes an agent of a few lines of Python."""

    def make_agent(code: str, **options: Any) -> CommandAgent:
        script = tmp_path / "agent.py"
        script.write_text(START + code, "utf-8")
        own = {"kill_after_s": 1, "timeout_s": 60, **options}
        choice = ",".join(f"{name}={value}" for name, value in own.items())
        role = resolve_role(f"command({choice}): {shlex.join([sys.executable, '-S', str(script)])}", "agent")[1]()
        assert isinstance(role, CommandAgent)
        return role

    return make_agent


def failure_of(role: CommandAgent) -> str:
    """Why a conversation with it ends and is scored as it stands."""
    error = play(role).stopped
    assert isinstance(error, AgentError)
    assert "\n" not in str(error)
    assert all(call.stop is None for call in role.session.calls)
    return str(error)


def test_a_conversation(make: Make) -> None:
    code = """
assert start["type"] == "start" and start["protocol"] == 1 and start["history"] == [] and start["mcp"] is None
assert "assistant on your user" in start["system"] and start["conversation"].isalnum()
assert start["tools"][0]["function"]["name"] == "set_wifi_status"
send(type="log", text="hello")
send(type="something new")
send(type="message", text=repr(off()[0]), usage={"input_tokens": 7}, cost_usd=0.5, model="m-1")
assert receive() == {"type": "end"}
"""
    role = make(code)
    played = play(role)
    assert played.calls == ["set_wifi_status"]
    assert played.said[0] == "{'id': '0', 'name': 'set_wifi_status', 'content': 'None', 'is_error': False}"
    record = role.session.calls[0]
    assert (record.cost_usd, record.served_model, record.stop) == (0.5, "m-1", "end")
    assert record.usage is not None
    assert record.usage.input_tokens == 7
    assert [event["type"] for event in role.session.log] == ["log", "something new", "tool_calls", "message"]


def test_calls_at_once_and_calls_that_fail(make: Make) -> None:
    code = """
name = "set_wifi_status"
results = call((name, {"on": False}), ("no_such_tool", {}), (name, {"on": "maybe"}), text="Let me see.")
assert [result["id"] for result in results] == ["0", "1", "2"]
assert [result["is_error"] for result in results] == [False, True, True], results
send(type="message", text="Done.")
"""
    played = play(make(code))
    assert played.calls[:3] == ["set_wifi_status", "no_such_tool", "set_wifi_status"]
    assert "Done." in played.said


def test_several_turns_are_one_process(make: Make) -> None:
    code = """
turns = 0
while user["type"] == "user_message":
    turns += 1
    send(type="message", text=f"Which {turns}?")
    user = receive()
"""
    played = play(make(code), "turn_on_wifi_then_meant_cellular_multiple_user_turn")
    assert played.said[:2] == ["Which 1?", "Which 2?"]


BAD = {
    "garbage": ("print('hello')", "expected a JSON object on one line, got: hello"),
    "broken JSON": ("""print('{"type": "message", "text": "x"')""", "expected a JSON object on one line"),
    "wrong field": ("send(type='message', text=5)", 'expected "text" to be a text'),
    "bytes": ("os.write(1, bytes(range(256)) + b'\\n')", "expected a JSON object"),
    "crash": ("off(); raise KeyError('oops')", "ended before it answered, with exit code 1; its last words:"),
    "silent end": ("os._exit(0)", "ended before it answered, with exit code 0"),
    "killed": ("os.kill(os.getpid(), 9)", "exit code -9"),
    "closed output": ("os.close(1); time.sleep(1000)", "closed its output before it answered"),
    "gives up": ("send(type='error', message='no idea')", "no idea"),
    "silence": ("time.sleep(1000)", "did not answer within 2 s"),
    "deaf and silent": ("signal.signal(15, signal.SIG_IGN); time.sleep(1000)", "did not answer within 2 s"),
    "does not listen": (
        "for _ in range(3): send(type='tool_calls', calls=[{'id': '1', 'name': 'x'}])\ntime.sleep(1000)",
        "did not answer within 2 s",
    ),
    "huge line": ("print('x' * 9_000_000)\ntime.sleep(1000)", "printed a line of more than 8 MiB"),
    "endless output": ("while True: send(type='log', text='x' * 1000)", "printed more than 1 MiB"),
    "memory": ("x = bytearray(200 * 2**20)\ntime.sleep(1000)", "used more than 100 MiB of memory"),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("code", "reason"), BAD.values(), ids=BAD)
def test_its_own_fault(make: Make, code: str, reason: str) -> None:
    waits = "within 2 s" in reason
    role = make(code, timeout_s=2 if waits else 60, memory_mb=100, output_mb=1 if "1 MiB" in reason else 64)
    assert reason in failure_of(role)


def test_what_was_played_before_a_crash_counts(make: Make) -> None:
    played = play(make("off(); os._exit(1)"))
    assert played.calls == ["set_wifi_status"]


def test_speaking_out_of_turn(make: Make) -> None:
    # Both in one piece, so that the second is there when the next turn begins.
    code = """
one, two = (json.dumps({"type": "message", "text": text}) for text in ("one", "two"))
os.write(1, f"{one}\\n{two}\\n".encode())
receive(); time.sleep(1000)
"""
    role = make(code)
    stopped = play(role, "turn_on_wifi_then_meant_cellular_multiple_user_turn").stopped
    assert "spoke before the user did" in str(stopped)
    remarks = (
        "send(type='message', text='one'); send(type='log'); receive(); send(type='message', text='two'); receive()"
    )
    role = make(remarks)
    play(role, "turn_on_wifi_then_meant_cellular_multiple_user_turn")
    assert [call.stop for call in role.session.calls][:2] == ["end", "end"]


@pytest.mark.parametrize("flag", ["retryable", "infrastructure"])
def test_its_surroundings_are_to_blame(make: Make, flag: str) -> None:
    with pytest.raises(InfrastructureError, match="the model is overloaded"):
        play(make(f"send(type='error', message='the model is overloaded', {flag}=True)"))


def test_a_secret_is_in_no_error_and_no_log(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_LOGIN", "correct-horse-7")
    monkeypatch.setenv("OTHER_API_KEY", "another-horse-8")
    code = """
assert "OTHER_API_KEY" not in os.environ
send(type="log", text=os.environ["MY_LOGIN"])
sys.stderr.write("login " + os.environ["MY_LOGIN"])
"""
    role = make(code, env="MY_LOGIN")
    error = failure_of(role)
    assert "login [redacted]" in error
    role = make(code + "print(os.environ['MY_LOGIN'])", env="MY_LOGIN")
    assert "got: [redacted]" in failure_of(role)
    assert "horse" not in json.dumps(role.session.log) + error


@pytest.mark.sampled(2)
@pytest.mark.parametrize("noise", ["send(type='log')", "print()"])
def test_remarks_without_end_do_not_hold_up_the_clock(make: Make, noise: str) -> None:
    assert "did not answer within 1 s" in failure_of(make(f"while True: {noise}", timeout_s=1, output_mb=4096))


def test_more_than_anybody_reads_is_no_answer(make: Make) -> None:
    most = play(make("off(); send(type='message', text='Wifi is off. ' + 'x' * 99_987); receive()"))
    assert [len(text) for text in most.said][:1] == [100_000]
    assert "100,001 characters; at most 100,000" in failure_of(
        make("send(type='message', text='x' * 100_001); receive()")
    )


def test_the_log_has_an_end(make: Make) -> None:
    role = make("for _ in range(200): send(type='log', text='x' * 100_000)\nsend(type='message', text='Done.')")
    play(role)
    assert 2**20 < len(json.dumps(role.session.log)) < 10 * 2**20


def test_it_gets_a_place_of_its_own_that_is_removed(make: Make, tmp_path: Path) -> None:
    code = """
open("left behind", "w").write("x")
send(type="log", home=os.environ["HOME"], directory=os.getcwd())
send(type="message", text="Done.")
"""
    role = make(code)
    play(role)
    event = role.session.log[0]
    assert Path(event["home"]).parent == Path(event["directory"]).parent
    assert not Path(event["home"]).parent.exists()
    assert Path.home() != Path(event["home"])


def test_with_tools_over_mcp_too(make: Make) -> None:
    pytest.importorskip("mcp")
    code = """
assert start["mcp"]["url"] == os.environ["TOOL_SANDBOX_MCP_URL"]
assert start["mcp"]["headers"]["Authorization"] == "Bearer " + os.environ["TOOL_SANDBOX_MCP_TOKEN"]
send(type="log", token=os.environ["TOOL_SANDBOX_MCP_TOKEN"])
send(type="message", text="Done.")
"""
    role = make(code, mcp=True)
    played = play(role)
    assert "Done." in played.said
    assert role.session.log[0]["token"] == "[redacted]"


def test_exit_codes_of_docker(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "docker"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    expected = {125: InfrastructureError, 127: ConfigurationError}
    for code, error in expected.items():
        program.write_text(f"#!/bin/sh\necho 'docker: something' >&2\nexit {code}\n")
        program.chmod(0o755)
        role = resolve_role("command(executor=docker,image=x): agent", "agent")[1]()
        with pytest.raises(error, match="docker: something"):
            play(role)
