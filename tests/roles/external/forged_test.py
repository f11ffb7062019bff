"""Whatever comes out of an agent's process is the agent's fault: forged messages are scored, and break nothing."""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.records import part_in
from tool_sandbox.helpers.untrusted import LARGEST_ARGUMENTS, LARGEST_MESSAGE
from tool_sandbox.models.messages import RequestedCall, Usage
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.claude_events import ClaudeTurn
from tool_sandbox.roles.external.codex import CodexTurn
from tool_sandbox.roles.external.gemini_cli import GeminiTurn
from tool_sandbox.roles.external.loop import loop_agent
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.world.errors import ToolSandboxError

VALUES = (
    *("1e999", "-1e999", "NaN", "Infinity", "1e308", "-1", "9" * 4299, "9" * 5000, "1." + "1" * 5000, "true", "null"),
    *('"\\ud800"', '"\\u0000\\u001b[2J"', '{"a": 1, "a": 2}', "{}", "[]", "[[]]", "[{}]", f'"{"x" * 300}"'),
    *("[" * depth + "]" * depth for depth in (150, 300, 900, 100_000)),
    *('{"a":' * depth + "1" + "}" * depth for depth in (150, 300)),
    "[" + "0," * 2**19 + "0]",
)
"""What a forger writes in the place of any value."""

FEW = (*VALUES[:3], *VALUES[6:8], *VALUES[11:14], *VALUES[-7:-3], VALUES[-1])

LINES = {
    "command": (
        '{"type": @}',
        '{"type": "log", "text": @, @: 1}',
        '{"type": "tool_calls", "calls": @}',
        '{"type": "tool_calls", "calls": [{"id": "1", "name": "set_wifi_status", "arguments": @}], "text": "a"}',
        '{"type": "tool_calls", "calls": [{"id": "1", "name": "set_wifi_status", "arguments": {"on": @}}]}',
        '{"type": "tool_calls", "calls": [{"id": "1", "name": "search_stock", "arguments": {"\\ud800": @}}]}',
        '{"type": "message", "text": "a", "usage": {"input_tokens": @}, "cost_usd": @, "model": @}',
        '{"type": "error", "message": @, "retryable": @}',
    ),
    "claude-code": (
        '{"type": "system", "subtype": @, "tools": @}\n{"type": "assistant", "message": {"model": @, "content": @}}\n'
        '{"type": "result", "subtype": @, "is_error": false, "stop_reason": @, "result": @, "session_id": @, '
        '"errors": @, "permission_denials": @, "modelUsage": {"m": {"inputTokens": @, "costUSD": @}, "n": @}}',
    ),
}

STUB = """#!/bin/sh
case "$*" in *--version*) echo 1.2.3; exit;; esac
cd {directory}; n=0
while ! mkdir $n 2>/dev/null; do n=$((n+1)); done
head -n 1 >read.$n
exec cat forged.$n
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", list(LINES))
def test_forged_lines_are_scored(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests-0123456789")
    forged = [line.replace("@", value) for line in LINES[way] for value in FEW]
    directory = tmp_path / "forged"
    directory.mkdir()
    for number, text in enumerate(forged):
        (directory / f"forged.{number}").write_text(text + "\n", "utf-8")
    program = tmp_path / "agent"
    program.write_text(STUB.format(directory=shlex.quote(str(directory))), "utf-8")
    program.chmod(0o700)
    agent = f"command(kill_after_s=9): {program}" if way == "command" else f"{way}:binary={program}"
    # One conversation for each, in whatever order.
    run = play(prepare_run(agent=agent, scenarios=["wifi_off"], trials=len(forged), threads=4), tmp_path)
    assert {(directory / str(number)).is_dir() for number in range(len(forged))} == {True}
    assert [(result["outcome"], result["reason"]) for result in run.results if not result["evaluated"]] == []
    assert len(list(run.path.rglob("record.jsonl"))) == len(forged)


TURNS: Mapping[str, tuple[Callable[[], Any], str]] = {
    "claude-code": (lambda: ClaudeTurn("x", "sandbox", frozenset()), LINES["claude-code"][0]),
    "codex": (
        lambda: CodexTurn("x"),
        '{"type": "thread.started", "thread_id": @}\n{"type": "item.completed", "item": @}\n'
        '{"type": "item.completed", "item": {"type": "agent_message", "text": @}}\n{"type": "error", "message": @}\n'
        '{"type": "turn.completed", "usage": {"input_tokens": @, "output_tokens": @, "cached_input_tokens": @}}\n'
        '{"type": "turn.completed", "usage": @}\n{"type": "turn.failed", "error": @}',
    ),
    "gemini-cli": (
        lambda: GeminiTurn("x", frozenset()),
        '{"type": "init", "session_id": @, "model": @}\n{"type": "tool_use", "tool_name": @, "tool_id": @}\n'
        '{"type": "message", "role": "assistant", "content": @, "delta": @}\n{"type": "tool_result", "tool_id": @}\n'
        '{"type": "error", "message": @}\n{"type": "result", "status": @, "error": @, "stats": @}\n'
        '{"type": "result", "status": "a", "stats": {"input_tokens": @, "total_tokens": @, "models": {"m": @}}}',
    ),
}


@pytest.mark.parametrize("way", list(TURNS))
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_forged_events_break_no_reader(way: str, value: str) -> None:
    from tool_sandbox.roles.external.cli_log import EventLog

    make, lines = TURNS[way]
    turn, log = make(), EventLog([], ())
    for line in lines.replace("@", value).split("\n"):
        event = log.add(line)
        try:
            if event is not None:
                turn.take(event)
        except ToolSandboxError:
            continue


class Saying(ExternalAgent):
    """An agent that says of itself what cannot be."""

    def make_driver(self) -> Driver:
        return SayingDriver()


class SayingDriver(Driver):
    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        pass

    def turn(self, text: str) -> Reply:
        odd: Any = ["\ud800"]
        usage = Usage(10**5000, -1, odd, True, 2**70)
        return Reply("\ud800", usage, 10**400, "m" * 10**6, stop_text=odd, request_id="\ud800")


def test_what_an_agent_says_of_itself_has_to_be_possible(tmp_path: Path) -> None:
    run = play(prepare_run(agent=Saying, scenarios=["wifi_off"]), tmp_path)
    (result,) = run.results
    assert (result["outcome"], result["usage"]["agent"]["input_tokens"]) == ("completed", 0)
    call = part_in(run.path / "trajectories" / "wifi_off", "model_calls")["agent"][0]
    assert (call["cost_usd"], len(call["served_model"]), call["request_id"]) == (None, 256, "?")


MCP = """
import json, os, sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
headers["Authorization"] = "Bearer " + os.environ["TOOL_SANDBOX_MCP_TOKEN"]
statuses = set()
for line in open(sys.argv[2], encoding="utf-8"):
    try:
        with urlopen(Request(os.environ["TOOL_SANDBOX_MCP_URL"], line.encode(), headers)) as response:
            response.read()
            headers.setdefault("Mcp-Session-Id", response.headers.get("Mcp-Session-Id"))
            statuses.add(response.status)
    except HTTPError as error:
        statuses.add(error.code)
print(sorted(statuses))
"""

BEGIN = (
    '{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}',
    '{"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}',
)
CALL = '{"jsonrpc": "2.0", "id": %s, "method": "tools/call", "params": {"name": %s, "arguments": %s}}'
NAME = '"set_wifi_status"'


def over_mcp(lines: list[str], tmp_path: Path) -> dict[str, Any]:
    """Plays an agent that sends lines to the MCP server."""
    pytest.importorskip("mcp")
    script, sent = tmp_path / "agent.py", tmp_path / "lines.txt"
    script.write_text(MCP, "utf-8")
    sent.write_text("".join(f"{line}\n" for line in (*BEGIN, *lines)), "utf-8")
    command = shlex.join([sys.executable, "-S", str(script), "{prompt_file}", str(sent)])
    run = play(prepare_run(agent=f"command(timeout_s=60): {command}", scenarios=["wifi_off"]), tmp_path)
    return dict(run.results[0])


@pytest.mark.slow
def test_forged_requests_over_mcp_are_scored(tmp_path: Path) -> None:
    forged = [CALL % (value, NAME, "{}") for value in VALUES]
    forged += [CALL % ("1", value, "{}") for value in VALUES] + [CALL % ("1", NAME, value) for value in VALUES]
    forged += [CALL % ("1", NAME, f'{{"on": {value}}}') for value in VALUES[:8]] + list(VALUES)
    result = over_mcp(forged, tmp_path)
    assert result["evaluated"], result["reason"]
    # The calls among them got through.
    assert result["tool_calls"] > 5


# How much an agent may call with ----------------------------------------------------------

LARGE = "x" * (LARGEST_ARGUMENTS - 1000)
TIMES = LARGEST_MESSAGE // len(LARGE) + 1

TALKER = f"""
import json, sys
sys.stdin.readline(), sys.stdin.readline()
for n in range({TIMES}):
    call = {{"id": str(n), "name": "set_wifi_status", "arguments": {{"on": "x" * {len(LARGE)}}}}}
    print(json.dumps({{"type": "tool_calls", "calls": [call]}}), flush=True)
    sys.stdin.readline()
print(json.dumps({{"type": "message", "text": "Done."}}), flush=True)
sys.stdin.readline()
"""


def lines_of_json(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "talker.py").write_text(TALKER, "utf-8")
    command = shlex.join([sys.executable, "-S", str(tmp_path / "talker.py")])
    return dict(play(prepare_run(agent=f"command: {command}", scenarios=["wifi_off"]), tmp_path).results[0])


def requests_over_mcp(tmp_path: Path) -> dict[str, Any]:
    return over_mcp([CALL % (n, NAME, json.dumps({"on": LARGE})) for n in range(TIMES)], tmp_path)


def own_loop(messages: Any, tools: Any) -> str:
    for _ in range(TIMES):
        tools.call("set_wifi_status", {"on": LARGE})
    return "Done."


def replies_of_a_loop(messages: Any, tools: Any) -> Any:
    function = {"name": "set_wifi_status", "arguments": {"on": LARGE}}
    return {"tool_calls": [{"id": str(n), "type": "function", "function": function} for n in range(TIMES)]}


@pytest.mark.slow
@pytest.mark.parametrize("way", [lines_of_json, requests_over_mcp, own_loop, replies_of_a_loop])
def test_the_arguments_of_a_conversation_are_bounded(way: Callable[..., Any], tmp_path: Path) -> None:
    if way in (own_loop, replies_of_a_loop):
        result = play(prepare_run(agent=loop_agent(way), scenarios=["wifi_off"]), tmp_path).results[0]
    else:
        result = way(tmp_path)
    assert (result["outcome"], result["evaluated"]) == ("model_error", True)
    assert "more than 4 MiB of arguments in one conversation" in result["reason"]


def test_arguments_that_are_not_json_are_the_agents_fault(tmp_path: Path) -> None:
    def loop(messages: Any, tools: Any) -> Any:
        return {"tool_calls": [{"function": {"name": "set_wifi_status", "arguments": {"on": object()}}}]}

    result = play(prepare_run(agent=loop_agent(loop), scenarios=["wifi_off"]), tmp_path).results[0]
    assert (result["outcome"], result["reason"]) == (
        "model_error",
        "the agent called tools with arguments that are not JSON",
    )


def test_one_call_is_bounded_too() -> None:
    from tool_sandbox.conversation.messages import parse_tool_call
    from tool_sandbox.roles.oracle_agent import OracleAgent

    call = RequestedCall("1", "set_wifi_status", {"on": "x" * (LARGEST_ARGUMENTS + 1)})
    message = OracleAgent.tool_call_message(call.id, call.name, call.arguments)
    assert message.content is not None
    parsed = parse_tool_call(message.content)
    assert parsed is not None
    assert "characters" in str(parsed.arguments)
