"""Gemini as agent in real scenarios, over the real protocol."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from tests.loopback.brain import SolutionBrain, WithReplacements
from tests.loopback.gemini import KEY, TOKEN
from tests.loopback.gemini import Gemini as Dialect
from tests.loopback.server import Answer, Brain, Heard, Loopback, Move, serve
from tests.stubs.playing import parties, rows_of, score_of
from tool_sandbox.conversation.execution_context import get_current_context
from tool_sandbox.models import catalogue
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.gemini import Gemini, GeminiAnswer
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.gemini_agent import GeminiAgent
from tool_sandbox.roles.model_agent import DECLINED, ModelAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError, ModelRefusedError

SCENARIOS = (
    "wifi_off",
    "remove_contact_by_phone_multiple_user_turn",
    "modify_contact_with_message_recency",
    "find_current_city_low_battery_mode",
)
POLICY = RetryPolicy(sleep=lambda seconds: None)


@pytest.fixture(autouse=True)
def no_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "CLOUD_ML_PROJECT_ID", "CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.delenv(name, raising=False)


def play(scenario: Scenario, agent: ModelAgent) -> float:
    roles = parties(agent)
    context = scenario.play(roles, scenario.name)
    return score_of(scenario, context)


def agent(server: Loopback) -> ModelAgent:
    return ModelAgent(Gemini("gemini-3.8-flash", {}, Endpoint(server.url, KEY, 10.0)), POLICY)


def thoughtful(brain: Brain) -> Brain:
    def think(heard: Heard) -> Move:
        answer = brain(heard)
        assert isinstance(answer, Answer)
        return attrs.evolve(answer, thinking=f"Thought {len(heard.turns)}.", text=answer.text or "Let me see.")

    return think


def log(**wanted: str) -> list[str]:
    rows = rows_of(get_current_context())
    return [row["content"] for row in rows if all(row[name] == value for name, value in wanted.items())]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_solved_and_every_content_of_the_model_comes_back_as_it_was(name: str) -> None:
    scenario = get_scenario(name)
    with serve(Dialect(), thoughtful(SolutionBrain.of([scenario]))) as server:
        assert play(scenario, agent(server)) == 1.0
    bodies = [seen.body["contents"] for seen in server.seen]
    for before, after in itertools.pairwise(bodies):
        assert after[: len(before)] == before
    said = [content for content in bodies[-1] if content["role"] == "model"]
    assert len(said) == len(bodies) - 1
    assert all("thoughtSignature" in json.dumps(content) and content["parts"][0]["thought"] for content in said)


def test_numbers_that_arrive_as_floats() -> None:
    def as_floats(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return {key: as_floats(item) for key, item in value.items()} if isinstance(value, dict) else value

    def replacement(heard: Heard, number: int, answer: Answer) -> Move | None:
        return attrs.evolve(answer, calls=tuple((name, as_floats(arguments)) for name, arguments in answer.calls))

    scenario = get_scenario("add_reminder_next_leap_day")
    brain = WithReplacements(SolutionBrain.of([scenario]), replacement, lambda heard: 0)
    with serve(Dialect(), brain) as server:
        score = play(scenario, agent(server))
    assert any(".0" in json.dumps(seen.body["contents"]) for seen in server.seen), "the scenario has integers"
    assert score == 1.0


def replacing_first(first: Move) -> Callable[[Heard, int, Answer], Move | None]:
    return lambda heard, number, answer: first if number == 0 else None


@pytest.mark.parametrize(
    ("slip", "complaint"),
    [
        (Answer(calls=(("set_wifi_status", "on=False,"),)), "JSON"),
        (Answer(calls=(("no_such_tool", {}),), stop="UNEXPECTED_TOOL_CALL"), "no_such_tool"),
        (Answer(calls=(("set_wifi_status", {"on": True}),), stop="MAX_TOKENS"), "cut off"),
        (Answer(calls=(("bad name; import os", {"x": [1]}),)), "bad name"),
    ],
)
def test_slips_of_the_model_are_answered_and_it_goes_on(slip: Answer, complaint: str) -> None:
    scenario = get_scenario("wifi_off")
    brain = WithReplacements(SolutionBrain.of([scenario]), replacing_first(slip), lambda heard: 0)
    with serve(Dialect(), brain) as server:
        assert play(scenario, agent(server)) > 0.9
    assert complaint in log(sender="EXECUTION_ENVIRONMENT", recipient="AGENT")[0]


def test_an_empty_reply_goes_to_the_user() -> None:
    scenario = get_scenario("wifi_off")
    brain = WithReplacements(SolutionBrain.of([scenario]), replacing_first(Answer()), lambda heard: 0)
    with serve(Dialect(), brain) as server:
        play(scenario, agent(server))
    assert log(sender="AGENT", recipient="USER")[0] == ""


@pytest.mark.parametrize("answer", [Answer(stop="SAFETY"), Answer(extra={"blocked": "SAFETY"})])
def test_a_block_ends_the_conversation(answer: Answer) -> None:
    with serve(Dialect(), [answer]) as server:
        stopped = get_scenario("wifi_off")._converse(parties(agent(server)), "wifi_off")
    assert isinstance(stopped, ModelRefusedError)
    assert "SAFETY" in str(stopped)
    assert log(sender="AGENT", recipient="USER") == [DECLINED]


# The published agent -------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gemini-1.0-pro", "gemini-1.5-pro-001", "gemini-1.5-flash-001", None])
def test_the_published_models_are_retired(model: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match=r"retired on 2025-.*use google/"):
        GeminiAgent(model) if model is not None else GeminiAgent()


def test_the_published_agent_needs_a_place_or_a_key() -> None:
    with pytest.raises(ConfigurationError, match="GEMINI_API_KEY or GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT"):
        GeminiAgent("gemini-3.8-flash")


def test_the_published_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    seen: list[dict[str, Any]] = []

    class Watched(GeminiAgent):
        def model_inference(self, gemini_messages: Any, gemini_tools: Any) -> Any:
            seen.append({"messages": gemini_messages, "tools": gemini_tools})
            answer = super().model_inference(gemini_messages, gemini_tools)
            assert isinstance(answer, GeminiAnswer)
            return answer

    scenario = get_scenario("wifi_off")
    with serve(Dialect(), SolutionBrain.of([scenario])) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert play(scenario, Watched("gemini-3.8-flash")) == 1.0
    assert len(seen) == len(server.seen)
    assert seen[0]["messages"][0]["role"] == "system"
    assert server.seen[0].body["generationConfig"] == {"temperature": 0.0, "topK": 1}


def test_the_published_agent_prefers_vertex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    monkeypatch.setenv("GOOGLE_CLOUD_REGION", "r")
    provider = GeminiAgent("gemini-3.8-flash").provider
    assert isinstance(provider, Gemini)
    assert provider.is_vertex
    assert provider.vertex_place() == ("p", "r")
    assert provider._access_token() is None
    assert Gemini("m", {"vertex": True}, Endpoint(api_key=TOKEN))._access_token() == TOKEN
    assert catalogue.retirement("google", "gemini-1.5-pro-001") is not None


def test_who_answers_itself_needs_nothing() -> None:
    class Stub(GeminiAgent):
        def model_inference(self, gemini_messages: Any, gemini_tools: Any) -> Any:
            raise NotImplementedError

    assert Stub().model_name == "gemini-1.5-pro-preview-0409"
