"""The real Claude Code against a model server on this machine, with the real tools of the sandbox over MCP.

It comes with the package ``claude-agent-sdk`` (extra ``claude-sdk``), which is large. Without it these tests are
skipped.
"""

import importlib.util
import itertools
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import Answer, Brain, Broken, Heard, Move, serve
from tests.stubs.playing import Played, play
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.messages import UserTurn
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import AgentError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real_claude,
    pytest.mark.skipif(
        importlib.util.find_spec("claude_agent_sdk") is None,
        reason="needs the program that claude-agent-sdk brings along: pip install 'tool_sandbox[claude-sdk]'",
    ),
]

MODEL = "claude-opus-5-5"
PREFIX = "mcp__sandbox__"
SINGLE = "wifi_off"
SEVERAL = "modify_contact_with_message_recency"
TWO_TURNS = f"{SEVERAL}_multiple_user_turn"
ALL_TOOLS = f"{TWO_TURNS}_all_tools"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests-0123456789")
    # The program that is tested is the one that the package brings along.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def over_mcp(brain: Callable[[Heard], Answer]) -> Brain:
    """A brain that knows the tools by their own names, for a client that puts the server's name before them."""

    def think(heard: Heard) -> Answer:
        plain = tuple(
            attrs.evolve(turn, calls=tuple((i, name.removeprefix(PREFIX), a) for i, name, a in turn.calls))
            for turn in heard.turns
        )
        answer = brain(attrs.evolve(heard, turns=plain))
        return attrs.evolve(answer, calls=tuple((PREFIX + name, arguments) for name, arguments in answer.calls))

    return think


def played(brain: Any, name: str, **options: Any) -> tuple[Played, Any]:
    with serve(AnthropicDialect(), brain) as server:
        agent = ClaudeCodeAgent(model=MODEL, base_url=server.url, retries=1, **options)
        return play(agent, name), server


def solution(name: str) -> Brain:
    return over_mcp(SolutionBrain.of([named_scenarios(names=[name])[name]]))


@pytest.mark.parametrize("name", [SINGLE, SEVERAL, ALL_TOOLS])
def test_a_scenario_is_solved(name: str) -> None:
    result, server = played(solution(name), name)
    assert result.stopped is None
    assert result.score == 1.0
    heard = [seen.heard for seen in server.seen]
    assert {request.model for request in heard} == {MODEL}
    # One program for all, with the same session, the scenario's instruction and no date of today.
    assert len({seen.headers["x-claude-code-session-id"] for seen in server.seen}) == 1
    instruction = next(row["content"] for row in result.rows if row["recipient"] == "AGENT")
    assert instruction in heard[0].system
    assert "date" not in str(heard[0].body["messages"])


def test_tools_of_its_own_are_offered_only_when_asked_for() -> None:
    result, server = played(solution(SINGLE), SINGLE, tools="Bash+Read")
    assert (result.stopped, result.score) == (None, 1.0)
    assert {"Bash", "Read"} <= set(server.seen[0].heard.tools)
    plain, server = played(solution(SINGLE), SINGLE)
    assert plain.score == 1.0
    assert all(name.startswith(PREFIX) for name in server.seen[0].heard.tools)


def test_the_model_sees_the_tools_as_any_agent_does() -> None:
    with serve(AnthropicDialect(), [Answer("Hello.")]) as server:
        agent = ClaudeCodeAgent(model=MODEL, base_url=server.url)
        result = play(agent, ALL_TOOLS)
    seen = {tool["name"].removeprefix(PREFIX): tool for tool in server.seen[0].heard.body["tools"]}
    wanted = [tool["function"] for tool in _shown(ALL_TOOLS)]
    assert sorted(seen) == sorted(tool["name"] for tool in wanted)
    for tool in wanted:
        assert seen[tool["name"]]["description"] == tool["description"]
        assert seen[tool["name"]]["input_schema"]["properties"] == tool["parameters"]["properties"]
    assert result.said[0] == "Hello."


def _shown(name: str) -> Any:
    """The tools of a scenario as its agent is shown them."""
    shown: list[Any] = []

    class Looking(ClaudeCodeAgent):
        def make_driver(self) -> Any:
            driver = super().make_driver()
            opened = driver.open

            def look(brief: Brief, bridge: ToolBridge, session: Session) -> None:
                shown.extend(bridge.tools)
                opened(brief, bridge, session)

            driver.open = look  # type: ignore[method-assign]
            return driver

    with serve(AnthropicDialect(), [Answer("Hello.")]) as server:
        play(Looking(model=MODEL, base_url=server.url), name)
    return shown


@pytest.mark.parametrize("session", ["process", "resume"])
def test_a_conversation_goes_on(session: str) -> None:
    result, server = played(solution(TWO_TURNS), TWO_TURNS, session=session)
    assert result.score == 1.0
    bodies = [seen.body for seen in server.seen]
    for earlier, later in itertools.pairwise(bodies):
        # What was said before is sent again.
        assert len(later["messages"]) > len(earlier["messages"])
    usages = [call.usage.input_tokens for call in result.agent.session.calls]
    assert sum(usages) == 100 * len(bodies)
    assert sum(call.cost_usd for call in result.agent.session.calls) == pytest.approx(0.0006 * len(bodies))
    assert len({call.request_id for call in result.agent.session.calls}) == 1


def test_a_refused_call_is_told_to_the_agent() -> None:
    broken = Answer(calls=((f"{PREFIX}search_contacts", {"phone_number": 7}),))
    result, server = played([broken, Answer("I could not.")], SEVERAL)
    (error,) = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    (row,) = [row for row in result.rows if row["openai_tool_call_id"] and row["sender"] == "EXECUTION_ENVIRONMENT"]
    assert row["tool_call_exception"]
    assert (error.text, error.is_error) == (row["content"], True)
    assert result.said[0] == "I could not."


def test_calls_that_are_made_at_once_are_all_answered() -> None:
    call = (f"{PREFIX}search_contacts", {})
    both = Answer(calls=((f"{PREFIX}search_messages", {}), call))
    result, server = played([both, Answer("There.")], SEVERAL)
    assert sorted(result.calls) == ["search_contacts", "search_messages"]
    assert [turn.role for turn in server.seen[1].heard.turns].count("tool") == 2


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (Broken(529, message="overloaded"), FaultKind.OVERLOADED),
        (Broken(401, message="invalid key"), FaultKind.AUTHENTICATION),
        (Broken(400, message="no"), FaultKind.INVALID_REQUEST),
    ],
)
def test_a_model_that_does_not_answer_is_not_the_agents_fault(broken: Move, kind: FaultKind) -> None:
    with pytest.raises(ProviderError) as caught:
        played([broken], SINGLE)
    assert caught.value.cause.kind is kind


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Broken(400, message="prompt is too long: 250000 tokens > 200000 maximum"), "full context"),
        (Answer("Hm", stop="model_context_window_exceeded"), "context is full"),
        (Answer("Hm", stop="max_tokens"), "longer than the model may write"),
    ],
)
def test_what_the_agent_has_brought_about_is_scored(move: Move, words: str) -> None:
    result, _ = played([move], SINGLE)
    assert isinstance(result.stopped, AgentError)
    assert words in str(result.stopped)


def test_a_refusal_is_an_answer_and_no_other_model_is_asked() -> None:
    result, server = played([Answer("No.", refusal="cyber")], SINGLE)
    assert result.agent.session.calls[0].stop == "refusal"
    assert {seen.heard.model for seen in server.seen} == {MODEL}


def test_turns_and_budget_are_limits() -> None:
    call = Answer(calls=((f"{PREFIX}set_wifi_status", {"on": False}),), output_tokens=1000)
    result, server = played([call], SINGLE, max_turns=2)
    assert "used up its turns" in str(result.stopped)
    assert len(server.seen) == 2
    result, _ = played([call], SINGLE, max_budget_usd=0.01)
    assert "used up its budget" in str(result.stopped)


@pytest.mark.parametrize("text", ["/cost", "!ls", "@/etc/hostname", "#note"])
def test_the_users_words_reach_the_model_as_they_are(text: str) -> None:
    with serve(AnthropicDialect(), [Answer("Well.")]) as server:
        agent = ClaudeCodeAgent(model=MODEL, base_url=server.url)
        driver = agent.make_driver()
        try:
            driver.open(Brief("Be brief.", (UserTurn("Hi"),)), ToolBridge(()), Session())
            driver.turn("Hello")
            assert driver.turn(text).text == "Well."
        finally:
            driver.close()
    assert [turn.text.strip() for turn in server.seen[-1].heard.turns if turn.role == "user"][-1] == text
    assert "User: Hi" in server.seen[0].heard.turns[0].text


def test_without_isolation_it_does_not_take_us_for_its_parent(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    result, _ = played(solution(SINGLE), SINGLE, executor="none")
    assert result.score == 1.0


def test_the_version_is_that_of_the_program() -> None:
    version = ClaudeCodeAgent().describe()["version"]
    assert version is not None
    assert ClaudeCodeAgent(version=version).describe()["version"] == version
