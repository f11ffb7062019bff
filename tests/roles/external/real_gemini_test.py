"""The real Gemini CLI against a model server on this machine, with the real tools of the sandbox over MCP.

Without the program on the PATH (``npm install -g @google/gemini-cli``) these tests are skipped. Last run with 0.61.0.
"""

import shutil
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.gemini import KEY, Gemini
from tests.loopback.server import Answer, Brain, Broken, Heard, Move, serve
from tests.stubs.playing import Played, play
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.gemini_cli import GeminiCliAgent
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import AgentError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real_gemini,
    pytest.mark.skipif(
        shutil.which("gemini") is None, reason="needs the program gemini: npm install -g @google/gemini-cli"
    ),
]

MODEL = "gemini-2.5-pro"
PREFIX = "mcp_sandbox_"
SINGLE = "wifi_off"
SEVERAL = "modify_contact_with_message_recency"
TWO_TURNS = f"{SEVERAL}_multiple_user_turn"
ALL_TOOLS = f"{TWO_TURNS}_all_tools"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    # Nothing answers there: whatever is to leave this machine fails.
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


def plain(text: str) -> str:
    return text.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")


def over_mcp(brain: Callable[[Heard], Answer]) -> Brain:
    """A brain that knows the tools by their own names, and that has each call answered under an id of its own."""

    def think(heard: Heard) -> Answer:
        turns = tuple(
            attrs.evolve(
                turn,
                text=plain(turn.text),
                calls=tuple((i, name.removeprefix(PREFIX), arguments) for i, name, arguments in turn.calls),
            )
            for turn in heard.turns
        )
        answer = brain(attrs.evolve(heard, turns=turns))
        ids = tuple(f"call-{len(turns)}-{number}" for number in range(len(answer.calls)))
        calls = tuple((PREFIX + name, arguments) for name, arguments in answer.calls)
        return attrs.evolve(answer, calls=calls, call_ids=ids)

    return think


def played(brain: Any, name: str, **options: Any) -> tuple[Played, Any]:
    # Of the calls of earlier turns the program forgets the signatures, which the API only checks within a turn.
    with serve(Gemini(forgives=True), brain) as server:
        return play(GeminiCliAgent(model=MODEL, base_url=server.url, **options), name), server


def solution(name: str) -> Brain:
    return over_mcp(SolutionBrain.of([named_scenarios(names=[name])[name]]))


@pytest.mark.parametrize("name", [SINGLE, SEVERAL, TWO_TURNS, ALL_TOOLS])
def test_a_scenario_is_solved(name: str) -> None:
    result, server = played(solution(name), name)
    assert result.stopped is None
    assert result.score == 1.0
    heard = [seen.heard for seen in server.seen]
    assert {request.model for request in heard} == {MODEL}
    # The model sees the tools of the sandbox and no others, under the scenario's own instruction.
    names = {name for request in heard for name in request.tools}
    assert all(name.startswith(PREFIX) for name in names)
    assert {PREFIX + name for name in result.calls} <= names
    instruction = next(row["content"] for row in result.rows if row["recipient"] == "AGENT")
    assert {request.system for request in heard} == {instruction}
    usages = [call.usage for call in result.agent.session.calls]
    assert sum(usage.input_tokens for usage in usages) == 100 * len(heard)
    assert sum(usage.output_tokens for usage in usages) == 10 * len(heard)
    assert {call.served_model for call in result.agent.session.calls} == {MODEL}


def test_what_it_thinks_and_what_was_cached_is_counted() -> None:
    answer = Answer("Hello.", cached_tokens=30, reasoning_tokens=4)
    result, _ = played([answer], SINGLE)
    usage = result.agent.session.calls[0].usage
    counts = (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens)
    assert counts == (100, 30, 10, 4)
    assert result.said[0] == "Hello."


def test_calls_that_are_made_at_once_are_all_answered_and_without_its_own_argument() -> None:
    waiting = {"is_self": True, "wait_for_previous": True}
    calls = ((f"{PREFIX}get_current_timestamp", {}), (f"{PREFIX}search_contacts", waiting))
    result, server = played([Answer(calls=calls, call_ids=("a", "b")), Answer("There.")], SEVERAL)
    assert sorted(result.calls) == ["get_current_timestamp", "search_contacts"]
    results = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    assert [turn.is_error for turn in results] == [False, False]


def test_a_refused_call_is_told_to_the_agent() -> None:
    broken = Answer(calls=((f"{PREFIX}search_contacts", {"phone_number": "x", "nonsense": 7}),), call_ids=("a",))
    result, server = played([broken, Answer("I could not.")], SEVERAL)
    (error,) = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    assert error.is_error
    assert result.said[0] == "I could not."


def test_a_tool_of_its_own_is_not_there() -> None:
    call = Answer(calls=(("run_shell_command", {"command": "ls"}),), call_ids=("a",))
    result, server = played([call, Answer("I could not.")], SINGLE)
    (error,) = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    assert error.is_error
    assert "not found" in error.text
    assert (result.calls, result.stopped) == ([], None)


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (Broken(400, message="no"), FaultKind.INVALID_REQUEST),
        (Broken(403, message="invalid key"), FaultKind.PERMISSION),
    ],
)
def test_a_model_that_does_not_answer_is_not_the_agents_fault(broken: Move, kind: FaultKind) -> None:
    with pytest.raises(ProviderError) as caught:
        played([broken], SINGLE)
    assert caught.value.cause.kind is kind


def test_turns_are_a_limit() -> None:
    call = Answer(calls=((f"{PREFIX}set_wifi_status", {"on": False}),), call_ids=("a",))
    result, server = played([call], SINGLE, max_turns=2)
    assert isinstance(result.stopped, AgentError)
    assert "used up its turns" in str(result.stopped)
    assert len(server.seen) == 2


@pytest.mark.parametrize("text", ["/stats", "!ls", "@/etc/hostname", "Write to me@example.org"])
def test_the_users_words_reach_the_model_as_they_are(text: str) -> None:
    with serve(Gemini(forgives=True), [Answer("Well.")]) as server:
        driver = GeminiCliAgent(model=MODEL, base_url=server.url).make_driver()
        try:
            driver.open(Brief("Be brief."), ToolBridge(()), Session())
            assert driver.turn(text).text == "Well."
        finally:
            driver.close()
    assert server.seen[-1].heard.turns[-1].text.splitlines()[-1].strip() == text


def test_without_isolation_a_persons_settings_and_sessions_are_left_alone(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    result, _ = played(solution(TWO_TURNS), TWO_TURNS, executor="none")
    assert result.score == 1.0
    assert not list(tmp_path.rglob("*"))


def test_the_version_is_that_of_the_program() -> None:
    version = GeminiCliAgent().describe()["version"]
    assert version is not None
    assert GeminiCliAgent(version=version).describe()["version"] == version
