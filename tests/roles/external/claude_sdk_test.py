"""The Claude Agent SDK with its real program, against a model server on this machine."""

import contextvars
import datetime
import importlib.util
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import Answer, Brain, Broken, Hang, Heard, Loopback, Move, serve
from tests.stubs.playing import play
from tool_sandbox.conversation.execution_context import (
    set_current_context,
)
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.roles.external.claude_sdk import WAYS, ClaudeSdkAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

pytestmark = pytest.mark.real_claude
pytest.importorskip("claude_agent_sdk")

KEY = "sk-ant-test-0123456789abcdef"
MODEL = "claude-opus-5-5"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


class Lenient(AnthropicDialect):
    """Takes the requests of the program, which uses more of the interface than our own provider."""

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Any:
        if isinstance(body, dict):
            known = ("model", "max_tokens", "messages", "system", "tools", "stream")
            body = {name: value for name, value in body.items() if name in known}
        return super().hear(method, path, headers, body)


def claude(server: Loopback, **options: Any) -> ClaudeSdkAgent:
    return ClaudeSdkAgent(**{"model": MODEL, "base_url": server.url, "timeout_s": 120.0, "retries": 1, **options})


PREFIX = "mcp__sandbox__"


def solve(*names: str) -> Brain:
    """Plays reference solutions, with the names that the program gives the tools."""
    brain = SolutionBrain.of([get_scenario(name) for name in names])

    def think(heard: Heard) -> Answer:
        turns = tuple(
            attrs.evolve(turn, calls=tuple((i, name.removeprefix(PREFIX), given) for i, name, given in turn.calls))
            for turn in heard.turns
        )
        return prefixed(brain(attrs.evolve(heard, turns=turns)))

    return think


def prefixed(answer: Answer) -> Answer:
    return attrs.evolve(answer, calls=tuple((PREFIX + tool, arguments) for tool, arguments in answer.calls))


def in_order(*answers: Move) -> Brain:
    """Answers one after the other, then the same for ever."""
    left, lock = list(answers), threading.Lock()

    def think(heard: Heard) -> Move:
        with lock:
            answer = left.pop(0) if len(left) > 1 else left[0]
        return prefixed(answer) if isinstance(answer, Answer) else answer

    return think


@pytest.mark.parametrize("tools", WAYS)
@pytest.mark.parametrize("name", ["wifi_off", "remove_contact_by_phone", "modify_contact_with_message_recency"])
def test_whole_scenario(name: str, tools: str) -> None:
    with serve(Lenient(), solve(name)) as server:
        agent = claude(server, tools=tools)
        played = play(agent, name)
    assert (played.score, played.stopped, server.rejections) == (1.0, None, [])
    record = agent.session.calls[0]
    assert (record.served_model, record.stop) == (MODEL, "end")
    assert record.usage is not None
    asked = [seen.heard for seen in server.seen if seen.heard is not None]
    assert sum(call.usage.input_tokens for call in agent.session.calls if call.usage) == 100 * len(asked)
    assert record.cost_usd is not None
    assert record.cost_usd > 0


def test_both_ways_to_the_tools_are_the_same_for_the_model() -> None:
    prompts, answers = [], []
    for tools in WAYS:
        calls = (("set_wifi_status", {"on": "perhaps"}), ("set_wifi_status", {"nonsense": [1, None]}))
        with serve(Lenient(), in_order(*(Answer(calls=(call,)) for call in calls), Answer("Done."))) as server:
            played = play(claude(server, tools=tools), "wifi_off")
        heard = [seen.heard for seen in server.seen if seen.heard is not None]
        prompts.append([(dict(one.body)["tools"], dict(one.body)["system"], one.turns[1:]) for one in heard])
        answers.append([(row["content"], row["tool_call_exception"]) for row in played.rows])
        last = [turn for turn in heard[-1].turns if turn.role == "tool"]
        assert [turn.is_error for turn in last][:2] == [True, True]
        # Word for word what the execution environment has said.
        assert [turn.text for turn in last][:2] == played.results[:2]
        (tool,) = heard[0].body["tools"]
        expected = agent_tools("wifi_off")[0]["function"]
        assert tool["name"] == PREFIX + expected["name"]
        assert (tool["description"], tool["input_schema"]) == (expected["description"], expected["parameters"])
    assert prompts[0] == prompts[1]
    assert answers[0] == answers[1]


def agent_tools(name: str) -> list[dict[str, Any]]:
    from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools

    agent = ClaudeSdkAgent()
    return contextvars.copy_context().run(lambda: convert_to_openai_tools(_in_world(name, agent.get_available_tools)))


def _in_world(name: str, do: Callable[[], Any]) -> Any:
    set_current_context(get_scenario(name).starting_context.fork())
    return do()


@pytest.mark.parametrize("make", [ClaudeSdkAgent, ClaudeCodeAgent])
def test_the_model_is_asked_where_the_variable_says(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Lenient(), in_order(Answer("Hello."))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        played = play(make(model=MODEL, timeout_s=120.0, retries=0), "wifi_off")
        assert played.said[0] == "Hello."
        assert server.seen


def test_turns_of_one_conversation_share_a_client_and_are_counted_apart() -> None:
    replies = (
        Answer("Which one?"),
        Answer(calls=(("set_wifi_status", {"on": False}),)),
        Answer("Off."),
        Answer("Bye."),
    )
    with serve(Lenient(), in_order(*replies)) as server:
        agent = claude(server)
        played = play(agent, "wifi_off")
    assert played.said[:2] == ["Which one?", "Off."]
    first, second = agent.session.calls[:2]
    assert first.usage is not None
    assert second.usage is not None
    assert (first.usage.input_tokens, second.usage.input_tokens) == (100, 200)
    assert first.request_id == second.request_id
    heard = [seen.heard for seen in server.seen if seen.heard is not None]
    assert [turn.role for turn in heard[1].turns] == ["user", "assistant", "user"]
    # Nothing of this machine or of today is in the prompt.
    prompt = json.dumps(heard[1].body)
    assert str(datetime.date.today().year) not in prompt
    assert "/tmp" not in prompt


@pytest.mark.parametrize(
    ("move", "options", "expected", "words"),
    [
        (Broken(400, "invalid_request_error", "no such thing"), {}, InfrastructureError, "no such thing"),
        (Broken(529, "overloaded_error", "busy"), {"retries": 0}, InfrastructureError, "busy|529|verloaded"),
        (Broken(401, "authentication_error", "bad key"), {}, InfrastructureError, "401|key"),
        (Answer(calls=(("set_wifi_status", {"on": False}),)), {"max_turns": 2}, AgentError, "max_turns"),
        (Answer(calls=(("set_wifi_status", {"on": False}),)), {"max_budget_usd": 0.000001}, AgentError, "budget"),
    ],
)
def test_what_can_end_a_turn(move: Move, options: dict[str, Any], expected: type[Exception], words: str) -> None:
    with serve(Lenient(), in_order(move)) as server:
        agent = claude(server, **options)
        if expected is InfrastructureError:
            with pytest.raises(InfrastructureError, match=words) as caught:
                play(agent, "wifi_off")
            assert KEY not in str(caught.value)
        else:
            stopped = play(agent, "wifi_off").stopped
            assert isinstance(stopped, AgentError)
            assert words in str(stopped)


def test_a_refusal_is_one_and_no_other_model_is_asked() -> None:
    refusal = Answer("I would rather not.", stop="refusal", refusal="cyber")
    with serve(Lenient(), in_order(refusal)) as server:
        agent = claude(server)
        play(agent, "wifi_off")
    assert agent.session.calls[0].stop == "refusal"
    assert {seen.heard.model for seen in server.seen if seen.heard is not None} == {MODEL}


SECRETS = {
    "OPENAI_API_KEY": "sk-other-9876543210",
    "MY_SECRET": "hush-hush-hush",
    "AWS_SECRET_ACCESS_KEY": "aws-aws-aws",
}


def test_nothing_of_our_environment_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**SECRETS, "CLAUDECODE": "1", "CLAUDE_CONFIG_DIR": "/somewhere/else"}.items():
        monkeypatch.setenv(name, value)
    seen: list[dict[str, str]] = []

    def think(heard: Heard) -> Answer:
        seen.extend(map(environment, family(os.getpid())))
        return Answer("Done.")

    with serve(Lenient(), think) as server:
        play(claude(server), "wifi_off")
    found = [variables for variables in seen if "CLAUDE_AGENT_SDK_VERSION" in variables]
    assert found
    for variables in found:
        assert variables["ANTHROPIC_API_KEY"] == KEY
        assert not {*SECRETS, "CLAUDECODE"} & set(variables)
        assert not set(SECRETS.values()) & set(variables.values())
        assert variables["CLAUDE_CONFIG_DIR"].startswith(variables["HOME"])
        assert variables["HOME"] != os.environ.get("HOME")
        # Nothing is left of its directories.
        assert not Path(variables["HOME"]).exists()


def environment(pid: int) -> dict[str, str]:
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in data.split("\0") if "=" in entry)


def family(pid: int) -> list[int]:
    """The processes below one, children of threads included."""
    below = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        below += map(int, path.read_text().split())
    return [*below, *(inner for child in below for inner in family(child))]


def programs(mark: str = "CLAUDE_AGENT_SDK_VERSION") -> list[int]:
    return [pid for pid in family(os.getpid()) if mark in environment(pid)]


def test_a_turn_that_takes_too_long_is_interrupted_and_nothing_survives() -> None:
    asked = threading.Event()

    def think(heard: Heard) -> Move:
        asked.set()
        return Hang(30.0)

    with serve(Lenient(), think) as server:
        agent = claude(server, timeout_s=4.0)
        played = play(agent, "wifi_off")
    assert asked.is_set()
    assert "longer than 4 s" in str(played.stopped)
    assert programs() == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("claude-sdk", "agent-turn"))]


def test_a_program_that_dies_is_the_agents_fault() -> None:
    def think(heard: Heard) -> Answer:
        for pid in programs():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return Answer("too late")

    with serve(Lenient(), think) as server:
        played = play(claude(server), "wifi_off")
    assert isinstance(played.stopped, AgentError)
    assert "claude-sdk" in str(played.stopped)


def test_a_program_that_is_none_is_the_agents_fault(tmp_path: Path) -> None:
    fake = tmp_path / "claude"
    fake.write_text("#!/bin/sh\necho '[1, 2'; echo oops >&2; exit 3\n")
    fake.chmod(0o755)
    with serve(Lenient(), in_order(Answer("never"))) as server:
        played = play(claude(server, cli_path=str(fake)), "wifi_off")
    assert isinstance(played.stopped, AgentError)
    assert "ended with code 3" in str(played.stopped)
    assert "oops" in str(played.stopped)


FORGING = """#!{python}
import json, sys
asked = json.loads(sys.stdin.readline())
answer = {{"subtype": "success", "request_id": asked["request_id"], "response": {{}}}}
print(json.dumps({{"type": "control_response", "response": answer}}), flush=True)
sys.stdin.readline()
print({line!r}, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "assistant"}',
        '{"type": "assistant", "message": {"content": [{"type": 1e999}], "model": "x"}}',
        '{"type": "user", "message": 5}',
        '{"type": "system"}',
        '{"type": "stream_event"}',
        '{"type": "result", "subtype": 5, "modelUsage": {"m": {"inputTokens": 1e999, "costUSD": 1e999}}}',
        '{"type": "control_request", "request_id": 1e999, "request": 5}',
        '{"type": "control_response", "response": {"request_id": []}}',
        '{"type": "control_cancel_request"}',
        '{"type": ["result"]}',
    ],
)
def test_forged_messages_are_the_agents_fault(line: str, tmp_path: Path) -> None:
    fake = tmp_path / "claude"
    fake.write_text(FORGING.format(python=sys.executable, line=line), "utf-8")
    fake.chmod(0o755)
    with serve(Lenient(), in_order(Answer("never"))) as server:
        played = play(claude(server, cli_path=str(fake), timeout_s=5.0), "wifi_off")
    assert isinstance(played.stopped, AgentError), played.stopped


def test_words_of_the_user_are_no_commands() -> None:
    scenario = get_scenario("wifi_off")
    heard: list[Heard] = []

    def think(one: Heard) -> Answer:
        heard.append(one)
        return Answer("Done.")

    for words in ("/help me", f"What is in @{__file__}?"):
        with serve(Lenient(), think) as server:
            driver = claude(server).make_driver()
            try:
                driver.open(Brief("Be brief."), ToolBridge(agent_tools(scenario.name)), Session())
                assert driver.turn(words).text == "Done."
            finally:
                driver.close()
        assert heard[-1].turns[0].text == words
        assert len(heard[-1].turns) == 1


def test_described_with_its_versions() -> None:
    with serve(Lenient(), in_order(Answer("x"))) as server:
        described = claude(server, max_turns=7, tools="mcp").describe()
        assert described["name"] == "claude-sdk"
        assert (described["tools"], described["max_turns"]) == ("mcp", 7)
        assert described["sdk_version"][0].isdigit()
        with pytest.raises(ConfigurationError, match=r"version 9\.9\.9 was asked for"):
            claude(server, version="9.9.9").describe()
        with pytest.raises(ConfigurationError, match="cli_path"):
            claude(server, cli_path="/no/such/program").describe()
    with pytest.raises(ConfigurationError, match="in-process"):
        ClaudeSdkAgent(tools="carrier-pigeon")


def test_absent_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    missing = lambda name, *more: None if name == "claude_agent_sdk" else find(name, *more)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", missing)
    with pytest.raises(ConfigurationError, match=r"tool_sandbox\[claude-sdk\]"):
        resolve_role("claude-sdk", "agent")
    with pytest.raises(ConfigurationError, match=r"tool_sandbox\[claude-sdk\]"):
        ClaudeSdkAgent().describe()
