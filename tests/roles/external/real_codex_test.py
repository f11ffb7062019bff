"""The real Codex against a model server on this machine, with the real tools of the sandbox over MCP.

It is no Python package: these tests are skipped where there is no ``codex`` on the PATH.
"""

import shutil
from typing import Any

import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.codex_responses import CodexDialect, offered
from tests.loopback.server import Answer, Broken, Move, serve
from tests.stubs.playing import Played, play
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.roles.external.codex import CodexAgent
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import AgentError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real_codex,
    pytest.mark.skipif(
        shutil.which("codex") is None, reason="needs the program codex on the PATH: npm install -g @openai/codex"
    ),
]

LEGACY = "gpt-5.5"
NEWER = "gpt-6-astra"
"""A model that Codex gives a language to write programs in, where it is not told otherwise."""

LEFT = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "request_user_input"}
SINGLE = "wifi_off"
SEVERAL = "modify_contact_with_message_recency"
TWO_TURNS = f"{SEVERAL}_multiple_user_turn"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-key-for-tests-0123456789")
    monkeypatch.delenv("CODEX_API_KEY", raising=False)


def played(brain: Any, name: str, model: str = LEGACY) -> tuple[Played, Any]:
    with serve(CodexDialect(), brain) as server:
        return play(CodexAgent(model=model, base_url=f"{server.url}/v1"), name), server


def solution(name: str) -> Any:
    return SolutionBrain.of([named_scenarios(names=[name])[name]])


@pytest.mark.parametrize("name", [SINGLE, SEVERAL])
def test_a_scenario_is_solved(name: str) -> None:
    result, server = played(solution(name), name)
    assert (result.stopped, result.score, server.rejections) == (None, 1.0, [])
    assert {(seen.method, seen.path) for seen in server.seen} == {("POST", "/v1/responses")}
    instruction = next(row["content"] for row in result.rows if row["recipient"] == "AGENT")
    assert instruction in server.seen[0].heard.system
    assert not [event for event in result.agent.session.log if (event.get("item") or {}).get("type") == "error"]


@pytest.mark.parametrize("model", [LEGACY, NEWER, "model-of-somebody-else"])
def test_a_conversation_goes_on_with_nothing_but_the_sandboxs_tools(model: str) -> None:
    result, server = played(solution(TWO_TURNS), TWO_TURNS, model)
    assert (result.stopped, result.score, server.rejections) == (None, 1.0, [])
    calls = result.agent.session.calls
    assert len(calls) == 2
    assert len({call.request_id for call in calls}) == 1
    assert sum(call.usage.input_tokens for call in calls) == 100 * len(server.seen)
    for seen in server.seen:
        tools = list(offered(seen.body))
        assert {tool["name"] for space, tool in tools if space == ""} == LEFT
        assert {"search_contacts", "modify_contact"} <= {tool["name"] for space, tool in tools if space}


def test_calls_that_are_made_at_once_are_all_answered() -> None:
    both = Answer(calls=(("search_messages", {}), ("search_contacts", {})))
    result, server = played([both, Answer("There.")], SEVERAL)
    assert sorted(result.calls) == ["search_contacts", "search_messages"]
    assert [turn.role for turn in server.seen[1].heard.turns].count("tool") == 2


def test_a_refused_call_is_told_to_the_agent() -> None:
    broken = Answer(calls=(("search_contacts", {"phone_number": 7}),))
    result, server = played([broken, Answer("I could not.")], SEVERAL)
    (error,) = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    (row,) = [row for row in result.rows if row["openai_tool_call_id"] and row["sender"] == "EXECUTION_ENVIRONMENT"]
    assert row["tool_call_exception"]
    assert row["content"] in error.text
    assert result.said[0] == "I could not."


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("exec_command", {"cmd": "touch made"}, "unsupported call"),
        ("apply_patch", {"input": "*** Begin Patch\n*** End Patch"}, "unsupported call"),
        ("view_image", {"path": "/etc/hostname"}, "unsupported call"),
        ("update_plan", {"plan": []}, "unsupported call"),
        ("request_user_input", {"questions": []}, "request_user_input"),
        ("list_mcp_resources", {}, '"resources":[]'),
    ],
)
def test_what_the_model_makes_up_or_has_left_does_nothing(name: str, arguments: Any, words: str) -> None:
    result, server = played([Answer(calls=((name, arguments),)), Answer("Well.")], SINGLE)
    (told,) = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    assert words in told.text
    assert result.said[0] == "Well."


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (Broken(401, message="invalid key"), FaultKind.AUTHENTICATION),
        (Broken(400, message="no"), FaultKind.INVALID_REQUEST),
    ],
)
def test_a_model_that_does_not_answer_is_not_the_agents_fault(broken: Move, kind: FaultKind) -> None:
    with pytest.raises(ProviderError) as caught:
        played([broken], SINGLE)
    assert caught.value.cause.kind is kind


def test_a_full_context_is_the_agents_fault() -> None:
    full = {"status": "failed", "body": {"error": {"code": "context_length_exceeded", "message": "too long"}}}
    result, _ = played([Answer("", extra=full)], SINGLE)
    assert isinstance(result.stopped, AgentError)
    assert "the context is full" in str(result.stopped)


def test_the_version_is_that_of_the_program() -> None:
    version = CodexAgent().describe()["version"]
    assert version is not None
    assert CodexAgent(version=version).describe()["version"] == version
