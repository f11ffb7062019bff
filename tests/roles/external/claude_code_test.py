"""Claude Code: its flags, its sessions, and what its events mean."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.acting import install
from tests.stubs.playing import play
from tool_sandbox.models.faults import ProviderError
from tool_sandbox.models.messages import StopReason, Usage
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.roles.external.claude_events import Account, ClaudeTurn, ModelFailedError
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

KEY = "key-for-tests-0123456789"
TWO_TURNS = "modify_contact_with_message_recency_multiple_user_turn"
TOOLS = frozenset({"mcp__sandbox__look"})
INIT = {
    "type": "system",
    "subtype": "init",
    "mcp_servers": [{"name": "sandbox", "status": "connected"}],
    "tools": ["mcp__sandbox__look"],
    "claude_code_version": "2.1.330",
}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "terminal_reason": "completed",
    "stop_reason": "end_turn",
    "result": "Done.",
    "session_id": "s",
    "total_cost_usd": 0.5,
    "modelUsage": {"m": {"inputTokens": 10, "outputTokens": 2, "cacheReadInputTokens": 3, "costUSD": 0.5}},
}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ClaudeCodeAgent]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    def make(options: dict[str, Any] | None = None, **config: Any) -> ClaudeCodeAgent:
        binary = install(tmp_path, "claude", **{"scenarios": [TWO_TURNS], "record": str(tmp_path), **config})
        return ClaudeCodeAgent(binary=str(binary), **(options or {}))

    return make


def starts(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json"))]


def message(text: str, model: str = "claude-opus-5-5") -> dict[str, Any]:
    return {"type": "assistant", "message": {"model": model, "content": [{"type": "text", "text": text}]}}


def turn(*events: dict[str, Any], before: Account | None = None) -> tuple[Any, ClaudeTurn]:
    reader = ClaudeTurn("claude-code", "sandbox", TOOLS, before or Account())
    replies = [reader.take(event) for event in events]
    return replies[-1], reader


@pytest.mark.slow
def test_one_process_plays_the_whole_conversation(make, tmp_path) -> None:
    played = play(make({"max_turns": 7, "effort": "low", "max_budget_usd": 2.5, "model": "opus"}), TWO_TURNS)
    assert played.score == 1.0
    (start,) = starts(tmp_path)
    wanted = {"--max-turns": "7", "--effort": "low", "--max-budget-usd": "2.5", "--model": "opus", "--bare": True}
    assert start["flags"].items() >= wanted.items()
    system = next(row["content"] for row in played.rows if row["sender"] == "SYSTEM" and row["recipient"] == "AGENT")
    assert start["flags"]["--system-prompt"] == system
    first, second = played.agent.session.calls
    # Each turn has its own tokens, although the program counts those of the session.
    assert first.usage.input_tokens + second.usage.input_tokens == 105 * (len(played.calls) + 2)
    assert (first.cost_usd + second.cost_usd, first.served_model) == (0.25 * (len(played.calls) + 2), "claude-opus-5-5")
    assert first.request_id == second.request_id == start["flags"]["--session-id"]


@pytest.mark.slow
def test_a_session_is_resumed_in_a_new_process(make, tmp_path) -> None:
    played = play(make({"session": "resume", "bare": False}), TWO_TURNS)
    assert played.score == 1.0
    first, second = starts(tmp_path)
    assert first["flags"]["--session-id"] == second["flags"]["--resume"]
    assert "--resume" not in first["flags"]
    assert "--bare" not in first["flags"]
    assert first["environment"]["HOME"] == second["environment"]["HOME"]
    assert first["server"] == second["server"]
    costs = [call.cost_usd for call in played.agent.session.calls]
    assert sum(costs) == 0.25 * (len(played.calls) + 2)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("fault", "raised", "words"),
    [
        ("unconnected", InfrastructureError, "has not reached the tools: MCP server failed"),
        ("own_tool", InfrastructureError, "wrong tools: the program has Bash, too"),
        ("fallback", InfrastructureError, "went from claude-opus-5-5 on to another model, claude-opus-4-8"),
        ("api_error", ProviderError, "529 Overloaded"),
    ],
)
def test_what_is_not_the_agents_fault_is_not_scored(make, fault, raised, words) -> None:
    with pytest.raises(raised, match=words):
        play(make(fault=fault), TWO_TURNS)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "words"), [("max_turns", "used up its turns"), ("full", "full context")])
def test_what_is_the_agents_fault_ends_the_conversation(make, fault, words) -> None:
    played = play(make(fault=fault), TWO_TURNS)
    assert isinstance(played.stopped, AgentError)
    assert words in str(played.stopped)


@pytest.mark.slow
def test_a_refusal_is_an_answer(make) -> None:
    played = play(make(fault="refusal"), TWO_TURNS)
    assert played.agent.session.calls[0].stop == "refusal"
    assert played.said[0] == "API Error: the safeguards flagged this"


def test_a_login_is_enough_where_the_program_looks_for_one(make, monkeypatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "oat-0123456789")
    assert make({"bare": False}).key() == ("CLAUDE_CODE_OAUTH_TOKEN", "oat-0123456789")
    with pytest.raises(ConfigurationError, match=r"needs environment variable ANTHROPIC_API_KEY$"):
        make().describe()
    monkeypatch.delenv("CLAUDE_CODE_OAUTH_TOKEN")
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN"):
        make({"bare": False}).describe()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"session": "always"}, "session has to be one of process, resume, got 'always'"),
        ({"effort": "much"}, "effort has to be one of low"),
        ({"max_turns": 0}, "max_turns has to be greater than 0"),
        ({"max_budget_usd": -1.0}, "max_budget_usd has to be greater than 0"),
        ({"retries": -1}, "retries cannot be less than 0"),
        ({"tools": "Bash,--x"}, "tools is written Bash"),
    ],
)
def test_impossible_options_are_refused(options, words) -> None:
    with pytest.raises(ConfigurationError, match=words):
        ClaudeCodeAgent(**options)


@pytest.mark.slow
def test_tools_of_its_own_only_when_asked_for(make) -> None:
    assert make().describe()["own_tools"] == "off"
    agent = make({"tools": "Bash+Read"}, tools=["Bash", "Read"])
    assert agent.describe()["own_tools"] == ["Bash", "Read"]
    assert play(agent, TWO_TURNS).score == 1.0


@pytest.mark.slow
def test_what_run_json_says(make) -> None:
    described = make({"bare": False, "max_turns": 3}).describe()
    assert described["not_switched_off"] == ["today's date in the prompt"]
    assert (described["max_turns"], described["session"], described["version"]) == (3, "process", "2.1.330")
    assert make().describe()["not_switched_off"] == []


def test_a_turn_is_read() -> None:
    reply, reader = turn(INIT, message("Done."), {"type": "of tomorrow"}, RESULT)
    assert (reply.text, reply.model, reply.stop, reply.cost_usd) == ("Done.", "claude-opus-5-5", StopReason.END, 0.5)
    assert reply.usage == Usage(input_tokens=13, cached_tokens=3, output_tokens=2)
    assert (reply.request_id, reader.version) == ("s", "2.1.330")


def test_tokens_are_those_of_the_turn() -> None:
    later = {**RESULT, "modelUsage": {"m": {"inputTokens": 30, "outputTokens": 5, "costUSD": 0.75}}}
    before = Account(Usage(input_tokens=10, output_tokens=4), 0.5)
    reply, reader = turn(INIT, later, before=before)
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=20, output_tokens=1), 0.25)
    assert reader.account == Account(Usage(input_tokens=30, output_tokens=5), 0.75)
    # A program that counts anew in a new process.
    reply, _ = turn(INIT, later, before=Account(Usage(input_tokens=31), 9.0))
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=30, output_tokens=5), 0.75)
    # A program that says itself what is new, of several models.
    new = {"m": {"inputTokens": 1, "costUSD": 0.25}, "n": {"outputTokens": 2, "thinkingTokens": 1, "costUSD": 0.5}}
    reply, _ = turn(INIT, {**later, "model_usage_since_last_result": new}, before=before)
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=1, output_tokens=2, reasoning_tokens=1), 0.75)


def test_what_is_kept_for_an_hour_costs_more() -> None:
    used = {"inputTokens": 1, "cacheCreationInputTokens": 10, "cacheCreationEphemeral1hInputTokens": 4}
    reply, _ = turn(INIT, {**RESULT, "modelUsage": {"m": used}})
    assert reply.usage == Usage(input_tokens=11, cache_write_tokens=6, cache_write_1h_tokens=4)


def test_text_of_the_program_is_not_that_of_the_model() -> None:
    refused = {**RESULT, "is_error": True, "terminal_reason": "api_error", "stop_reason": "refusal", "result": "API"}
    reply, _ = turn(INIT, message("I won't."), message("API", "<synthetic>"), refused)
    assert (reply.text, reply.stop, reply.model) == ("I won't.", StopReason.REFUSAL, "claude-opus-5-5")
    reply, _ = turn(INIT, message("API", "<synthetic>"), refused)
    assert (reply.text, reply.model) == ("API", None)


def test_success_is_judged_by_the_reason() -> None:
    broken = {"is_error": True, "terminal_reason": "api_error", "api_error_status": 400, "result": "API Error: 400"}
    with pytest.raises(ModelFailedError, match="API Error: 400") as caught:
        turn(INIT, {**RESULT, **broken})
    assert caught.value.status == 400
    with pytest.raises(AgentError, match="used up its budget"):
        turn(INIT, {**RESULT, "is_error": True, "terminal_reason": "budget_exhausted", "result": None})
    with pytest.raises(AgentError, match=r"\(of_tomorrow\): a; b"):
        turn(INIT, {**RESULT, "is_error": True, "terminal_reason": "of_tomorrow", "result": None, "errors": ["a", "b"]})
    with pytest.raises(AgentError, match="without saying which tools"):
        turn(RESULT)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mcp_servers": []}, "MCP server absent"),
        ({"mcp_servers": [{"name": "sandbox", "status": "pending"}]}, "MCP server pending"),
        ({"tools": []}, "does not have mcp__sandbox__look"),
        ({"tools": ["mcp__sandbox__look", "Bash", "Read"]}, "has Bash, Read, too"),
        ({"tools": "mcp__sandbox__look"}, "does not have"),
        ({"mcp_servers": "x", "tools": None}, "MCP server absent"),
    ],
)
def test_a_program_with_other_tools_is_turned_away(changes, words) -> None:
    with pytest.raises(InfrastructureError, match=words):
        turn({**INIT, **changes})


def test_a_call_that_the_program_forbids_is_not_the_agents_fault() -> None:
    with pytest.raises(InfrastructureError, match="did not let the agent call mcp__sandbox__look"):
        turn(INIT, {**RESULT, "permission_denials": [{"tool_name": "mcp__sandbox__look"}]})
    assert turn(INIT, {**RESULT, "permission_denials": [{"tool_name": "Bash"}]})[0].text == "Done."


@pytest.mark.parametrize(
    "event",
    [
        {"type": "assistant"},
        {"type": "assistant", "message": {"content": "x", "model": 7}},
        {"type": "assistant", "message": {"content": [7, {"type": "text", "text": None}]}},
        {"type": "system"},
        {"type": ["x"]},
        {},
    ],
)
def test_strange_events_do_no_harm(event) -> None:
    reply, _ = turn(INIT, event, {**RESULT, "modelUsage": {"m": 3}, "permission_denials": [3, {"tool_name": "x"}]})
    assert (reply.text, reply.usage) == ("Done.", Usage())


def test_words_that_look_like_a_command_are_not_one(make, tmp_path, monkeypatch) -> None:
    agent = make()
    said: list[str] = []
    monkeypatch.setattr(
        "tool_sandbox.roles.external.cli_agent.CommandLineDriver._say", lambda _, process, text: said.append(text)
    )
    driver = agent.make_driver()
    driver._program = "claude"
    monkeypatch.setattr(driver, "_start", lambda *_: None)
    monkeypatch.setattr(driver, "_hear", lambda _: None)
    monkeypatch.setattr(driver, "_arguments", tuple)
    monkeypatch.setattr(driver, "_files", dict)
    monkeypatch.setattr(driver, "_variables", dict)
    driver._turn("/cost please")
    assert json.loads(said[0])["message"]["content"] == " /cost please"
