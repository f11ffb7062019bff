"""Codex: its configuration, its threads, and what its events mean."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.acting import install
from tests.stubs.playing import play
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.messages import Usage
from tool_sandbox.roles.external.codex import FEATURES_OFF, CodexAgent, CodexTurn, _toml
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

KEY = "key-for-tests-0123456789"
TWO_TURNS = "modify_contact_with_message_recency_multiple_user_turn"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CodexAgent]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def make(options: dict[str, Any] | None = None, **config: Any) -> CodexAgent:
        binary = install(tmp_path, "codex", **{"scenarios": [TWO_TURNS], "record": str(tmp_path), **config})
        return CodexAgent(binary=str(binary), **(options or {}))

    return make


@pytest.mark.slow
def test_a_thread_goes_on_in_a_new_process(make, tmp_path) -> None:
    options = {"model": "gpt-5.5", "effort": "low", "base_url": "http://127.0.0.1:9/v1"}
    played = play(make(options), TWO_TURNS)
    assert played.score == 1.0
    first, second = (json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json")))
    assert first["argv"] == ["exec", "--json", "--skip-git-repo-check", "-"]
    thread = played.agent.session.calls[0].request_id
    assert second["argv"] == ["exec", "--json", "--skip-git-repo-check", "resume", thread, "-"]
    settings = first["settings"]
    assert settings == second["settings"]
    assert (settings["model"], settings["model_reasoning_effort"]) == ("gpt-5.5", "low")
    provider = settings["model_providers"][settings["model_provider"]]
    assert provider["base_url"] == "http://127.0.0.1:9/v1"
    assert provider["supports_websockets"] is False
    system = next(row["content"] for row in played.rows if row["sender"] == "SYSTEM" and row["recipient"] == "AGENT")
    assert settings["developer_instructions"] == system
    assert settings["features"] == dict.fromkeys(FEATURES_OFF, False)
    assert settings["mcp_servers"]["sandbox"]["required"] is True
    # The key of OpenAI under the name that the program reads, and the token in a variable, not in the file.
    assert first["environment"]["CODEX_API_KEY"] == KEY
    assert "OPENAI_API_KEY" not in first["environment"]
    token = first["environment"][settings["mcp_servers"]["sandbox"]["bearer_token_env_var"]]
    assert token not in json.dumps(settings)
    # The program counts the tokens of the whole thread.
    usages = [call.usage for call in played.agent.session.calls]
    assert usages == [Usage(input_tokens=1000, cached_tokens=100, output_tokens=10)] * 2
    assert played.said[0] != "One moment."


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("fault", "raised", "words"),
    [
        ("api_error", ProviderError, "429 Too Many Requests"),
        ("own_tool", InfrastructureError, r"used a tool of its own \(command_execution\)"),
        ("unconnected", InfrastructureError, "required MCP servers failed to initialize: sandbox"),
        ("unlisted", InfrastructureError, "without having listed the tools"),
    ],
)
def test_what_is_not_the_agents_fault_is_not_scored(make, fault, raised, words) -> None:
    with pytest.raises(raised, match=words):
        play(make(fault=fault), TWO_TURNS)


@pytest.mark.slow
def test_a_request_that_is_refused_is_known_by_its_body(make) -> None:
    with pytest.raises(ProviderError) as caught:
        play(make(fault="bad_request"), TWO_TURNS)
    assert caught.value.cause.kind is FaultKind.INVALID_REQUEST


@pytest.mark.slow
def test_a_full_context_is_the_agents_fault(make) -> None:
    played = play(make(fault="full"), TWO_TURNS)
    assert isinstance(played.stopped, AgentError)
    assert "the context is full" in str(played.stopped)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", ["hiccup", "declined_tool"])
def test_what_passes_does_no_harm(make, fault) -> None:
    assert play(make(fault=fault), TWO_TURNS).score == 1.0


@pytest.mark.sampled(5)
@pytest.mark.parametrize("catalog", ["error: unrecognized subcommand", "[]", "{}", '{"models": [7]}', "[" * 100_000])
def test_without_a_catalog_its_own_tools_would_be_there(make, catalog) -> None:
    with pytest.raises(ConfigurationError, match="prints no catalog of models"):
        play(make(catalog=catalog), TWO_TURNS)


def test_an_unknown_effort_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="effort has to be one of none, minimal"):
        CodexAgent(effort="extreme")


@pytest.mark.slow
def test_what_run_json_says(make) -> None:
    described = make({"effort": "high"}).describe()
    assert described["effort"] == "high"
    assert any("request_user_input" in left for left in described["not_switched_off"])


@pytest.mark.parametrize(
    "text", ['"quoted" \\ back', "two\nlines\ttab", "\x00\x1b\x7f", "日本 🎉", "'''\"\"\"", "\ud800"]
)
def test_any_text_survives_the_configuration(text: str) -> None:
    read = tomllib.loads(_toml({"a": text, "left_out": None}, {"b.c": {"d": text, "e": False, "f": 7}}))
    wanted = text.encode("utf-8", "replace").decode()
    assert read == {"a": wanted, "b": {"c": {"d": wanted, "e": False, "f": 7}}}


def test_a_restarted_count_is_that_of_the_turn() -> None:
    assert Usage(input_tokens=5).since(Usage(input_tokens=9)) == Usage(input_tokens=5)
    assert Usage(input_tokens=9).since(Usage(input_tokens=5)) == Usage(input_tokens=4)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "item.completed"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": 7}},
        {"type": "item.completed", "item": {"type": "of_tomorrow"}},
        {"type": "thread.started", "thread_id": None},
        {"type": "turn.completed", "usage": "many"},
        {"type": "error", "message": {"deep": 1}},
    ],
)
def test_strange_events_do_no_harm(event) -> None:
    turn = CodexTurn("codex")
    turn.take(event)
    assert (turn.thread, turn.text, turn.usage, turn.failure) == (None, "", Usage(), None)
