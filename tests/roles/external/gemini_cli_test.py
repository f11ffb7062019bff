"""The Gemini CLI: its settings, its sessions, and what its events mean."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.acting import install
from tests.stubs.playing import play
from tool_sandbox.models.faults import ProviderError
from tool_sandbox.models.messages import Usage
from tool_sandbox.roles.external.gemini_cli import GeminiCliAgent, GeminiTurn
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

KEY = "key-for-tests-0123456789"
TWO_TURNS = "modify_contact_with_message_recency_multiple_user_turn"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., GeminiCliAgent]:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)

    def make(options: dict[str, Any] | None = None, **config: Any) -> GeminiCliAgent:
        binary = install(tmp_path, "gemini", **{"scenarios": [TWO_TURNS], "record": str(tmp_path), **config})
        return GeminiCliAgent(binary=str(binary), **(options or {}))

    return make


@pytest.mark.slow
def test_a_session_goes_on_in_a_new_process(make, tmp_path) -> None:
    played = play(make({"model": "gemini-3-pro", "max_turns": 9, "base_url": "http://127.0.0.1:9"}), TWO_TURNS)
    assert played.score == 1.0
    first, second = (json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json")))
    assert first["argv"][-2:] == ["--model", "gemini-3-pro"]
    assert second["argv"][-2:] == ["--resume", played.agent.session.calls[0].request_id]
    settings = first["settings"]
    assert settings == second["settings"]
    assert settings["model"]["maxSessionTurns"] == 9
    assert "run_shell_command" in settings["tools"]["exclude"]
    assert first["environment"]["GOOGLE_GEMINI_BASE_URL"] == "http://127.0.0.1:9"
    system = next(row["content"] for row in played.rows if row["sender"] == "SYSTEM" and row["recipient"] == "AGENT")
    assert first["system"] == system
    (call, _) = played.agent.session.calls
    # What it thinks is only in the total; the model is the one that has written most.
    assert call.usage == Usage(input_tokens=1000, cached_tokens=300, output_tokens=17, reasoning_tokens=7)
    assert call.served_model == "gemini-3-pro"
    assert not played.said[0].startswith("Let me see.")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("fault", "raised", "words"),
    [
        ("api_error", ProviderError, "quota exceeded"),
        ("own_tool", InfrastructureError, r"used a tool of its own \(run_shell_command\)"),
        ("locked_out", InfrastructureError, "ended with code 41 .*could not log in"),
        ("unlisted", InfrastructureError, "without having listed the tools"),
    ],
)
def test_what_is_not_the_agents_fault_is_not_scored(make, fault, raised, words) -> None:
    with pytest.raises(raised, match=words):
        play(make(fault=fault), TWO_TURNS)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "words"), [("max_turns", "used up its turns"), ("nothing", "empty text response")])
def test_what_is_the_agents_fault_ends_the_conversation(make, fault, words) -> None:
    played = play(make(fault=fault), TWO_TURNS)
    assert isinstance(played.stopped, AgentError)
    assert words in str(played.stopped)


@pytest.mark.slow
def test_a_tool_of_its_own_that_was_refused_does_no_harm(make) -> None:
    assert play(make(fault="refused_tool"), TWO_TURNS).score == 1.0


@pytest.mark.slow
def test_a_session_that_is_gone_is_an_infrastructure_error(make, monkeypatch) -> None:
    monkeypatch.setattr("tool_sandbox.roles.external.gemini_cli.GeminiDriver._session_id", "no-such-session")
    with pytest.raises(InfrastructureError, match="refused its input"):
        play(make(), TWO_TURNS)


def test_impossible_turns_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="max_turns has to be greater than 0"):
        GeminiCliAgent(max_turns=0)


@pytest.mark.slow
def test_what_run_json_says(make) -> None:
    described = make({"max_turns": 5}).describe()
    assert described["max_turns"] == 5
    assert any("date" in left for left in described["not_switched_off"])


@pytest.mark.parametrize("name", ["look", "mcp_sandbox_look", "mcp__sandbox__look", "sandbox__look"])
def test_the_sandboxs_tools_are_known_by_each_of_their_names(name: str) -> None:
    turn = GeminiTurn("gemini-cli", frozenset({"look"}))
    turn.take({"type": "tool_use", "tool_name": name, "tool_id": "1"})
    turn.take({"type": "tool_result", "tool_id": "1", "status": "success"})


def test_a_message_that_does_not_come_in_parts_is_whole() -> None:
    turn = GeminiTurn("gemini-cli", frozenset())
    for content in ("a", "b"):
        turn.take({"type": "message", "role": "assistant", "content": content})
    assert turn.text == "b"


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "message", "role": "assistant", "content": 7, "delta": True},
        {"type": "tool_use"},
        {"type": "tool_result", "status": "success"},
        {"type": "error", "message": []},
        {"type": "result", "status": 3, "stats": {"models": {"m": 3}, "input_tokens": -1}},
        {"type": "init", "session_id": 4},
    ],
)
def test_strange_events_do_no_harm(event) -> None:
    turn = GeminiTurn("gemini-cli", frozenset())
    turn.take(event)
    assert (turn.session, turn.text, turn.status, turn.failure) == (None, "", None, None)
