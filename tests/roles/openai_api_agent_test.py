"""The published agents, and whole conversations over both protocols."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from openai.types.chat import ChatCompletion

from tests.loopback.brain import SolutionBrain, WithReplacements
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Heard, Loopback, Move, serve
from tests.stubs.playing import parties, score_of
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, new_context, set_current_context
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.openai_chat import OpenAIChat, OpenAICompatibleChat
from tool_sandbox.models.openai_responses import OpenAIResponses
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.roles.openai_api_agent import (
    OFFICIAL_URL,
    GPT_3_5_0125_Agent,
    GPT_4_0125_Agent,
    GPT_4_o_2024_05_13_Agent,
    OpenAIAPIAgent,
)
from tool_sandbox.roles.openai_api_user import GPT_4_o_2024_05_13_User
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError, ModelRefusedError

KEY = "sk-test-0123456789abcdef"
PARALLEL = "update_contact_relationship_swap_two_labels_batch"
TWO_TURNS = "remove_contact_by_phone_multiple_user_turn"
PROTOCOLS = [
    pytest.param(OpenAIChatDialect, OpenAIChat, {}, id="chat"),
    pytest.param(OpenAIChatDialect, OpenAIChat, {"stream": True}, id="chat-stream"),
    pytest.param(lambda: OpenAIChatDialect(lenient=True, templated=True), OpenAICompatibleChat, {}, id="compatible"),
    pytest.param(
        lambda: OpenAIChatDialect(lenient=True), OpenAICompatibleChat, {"stream": True}, id="compatible-stream"
    ),
    pytest.param(OpenAIResponsesDialect, OpenAIResponses, {}, id="responses"),
    pytest.param(OpenAIResponsesDialect, OpenAIResponses, {"stream": True}, id="responses-stream"),
]


def play(scenario: Scenario, agent: ModelAgent) -> float:
    roles = parties(agent)
    ended = scenario.play(roles, scenario.name)
    return score_of(scenario, ended)


def conversation(heard: Heard) -> str:
    return next(turn.text for turn in heard.turns if turn.role == "user")


def agent(provider: type[Any], server: Loopback, settings: dict[str, Any]) -> ModelAgent:
    made = provider("gpt-6-astra", settings, Endpoint(f"{server.url}/v1", KEY, 10.0))
    return ModelAgent(made, RetryPolicy(sleep=lambda seconds: None))


@pytest.mark.parametrize(("dialect", "provider", "settings"), PROTOCOLS)
@pytest.mark.parametrize(
    "name", ["update_contact_relationship_swap_two_labels_batch", "remove_contact_by_phone_multiple_user_turn"]
)
def test_a_model_that_knows_the_solution_gets_full_marks(
    name: str, dialect: Callable[[], Any], provider: type[Any], settings: dict[str, Any]
) -> None:
    scenario = get_scenario(name)

    def thoughtful(heard: Heard, number: int, answer: Answer) -> Move:
        return attrs.evolve(answer, thinking=f"thought {number}")

    brain = WithReplacements(SolutionBrain.of([scenario]), thoughtful, conversation)
    with serve(dialect(), brain) as server:
        played = agent(provider, server, settings)
        similarity = play(scenario, played)
    assert len(played.session.calls) == len(server.seen) > 1
    assert similarity == 1.0


@pytest.mark.parametrize(("dialect", "provider", "settings"), PROTOCOLS)
def test_a_model_recovers_from_every_slip(
    dialect: Callable[[], Any], provider: type[Any], settings: dict[str, Any]
) -> None:
    scenario = get_scenario("wifi_off")
    full = "max_output_tokens" if provider is OpenAIResponses else "length"
    slips: list[Move] = [
        Answer("", (("no such tool!", {"x": 1}),)),
        Answer("Hm.", (("set_wifi_status", '{"on": fal'),)),
        Answer("", (("set_wifi_status", "[]"), ("set_wifi_status", ""))),
        Answer("", (("get_wifi_status", {}), ("get_wifi_status", {})), call_ids=("same", "same")),
        Answer("", (("get_wifi_status", {}),), call_ids=("",)),
        Answer("", (("set_wifi_status", '{"on": f'),), stop=full),
        Broken(429, "rate_limit_exceeded", "slow down", {"retry-after": "1"}),
        Broken(500),
    ]

    def replacement(heard: Heard, number: int, answer: Answer) -> Move | None:
        return slips[number] if number < len(slips) else None

    with serve(dialect(), WithReplacements(SolutionBrain.of([scenario]), replacement, conversation)) as server:
        played = agent(provider, server, settings)
        play(scenario, played)
    assert len(server.seen) > len(slips)
    assert sum(len(call.failures) for call in played.session.calls) == 2


@pytest.mark.parametrize(("dialect", "provider", "settings"), PROTOCOLS)
def test_refusals_and_blocked_replies(dialect: Any, provider: type[Any], settings: dict[str, Any]) -> None:
    scenario = get_scenario(TWO_TURNS)
    moves = [
        Answer("", (("get_wifi_status", {}),), refusal="I must not say. What is the name or number?"),
        Answer("", stop="content_filter"),
    ]
    with serve(dialect(), moves) as server:
        played = agent(provider, server, settings)
        play(scenario, played)
    assert [call.stop for call in played.session.calls] == ["refusal", "blocked"]


@pytest.mark.parametrize(
    ("role", "model"),
    [
        (GPT_3_5_0125_Agent, "gpt-3.5-turbo-0125"),
        (GPT_4_0125_Agent, "gpt-4-0125-preview"),
        (GPT_4_o_2024_05_13_Agent, "gpt-4o-2024-05-13"),
    ],
)
def test_published_agents(role: type[OpenAIAPIAgent], model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert role.model_name == model
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        role(model="gpt-6-astra")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match="retired"):
        role()
    made = role(model="gpt-6-astra")
    assert (made.model_name, made.provider.model) == ("gpt-6-astra", "gpt-6-astra")
    assert made.provider.endpoint.base_url == OFFICIAL_URL
    assert made.provider.settings == {}
    scenario = get_scenario("wifi_off")
    with serve(OpenAIChatDialect(), SolutionBrain.of([scenario])) as server:
        assert play(scenario, role(base_url=f"{server.url}/v1")) == 1.0
        assert server.seen[0].body.keys() == {"model", "messages", "tools"}
        assert server.seen[0].body["model"] == model


def test_an_agent_of_outside_code(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    class Mine(OpenAIAPIAgent):
        model_name = "gpt-mine"

        def model_inference(self, **wire: Any) -> Any:
            asked.append(wire)
            return super().model_inference(**wire)

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match="no model_name"):
        OpenAIAPIAgent()
    with serve(OpenAIChatDialect(), [Answer("Hello.", extra={"message": {"annotations": []}})]) as server:
        mine = Mine(base_url=f"{server.url}/v1")
        completion = mine.model_inference(openai_messages=[{"role": "user", "content": "Hi"}], openai_tools=[])
        assert completion.choices[0].message.content == "Hello."
        play(get_scenario("wifi_off"), mine)
    assert asked[1].keys() == {"openai_messages", "openai_tools"}


@pytest.mark.parametrize("published", [GPT_4_o_2024_05_13_Agent, GPT_4_o_2024_05_13_User])
def test_who_answers_itself_needs_neither_a_key_nor_a_model_that_is_served(
    published: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stub(published):  # type: ignore[misc]
        def model_inference(self, openai_messages: Any, openai_tools: Any) -> Any:
            asked.append(openai_messages[-1]["content"])
            message = {"role": "assistant", "content": f"Answer {len(asked)}."}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            return ChatCompletion.model_validate(
                {"id": "c", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice]}
            )

    asked: list[str] = []
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub = Stub()
    assert stub.model_name == "gpt-4o-2024-05-13"
    other = RoleType.USER if stub.role_type is RoleType.AGENT else RoleType.AGENT
    with new_context(ExecutionContext()):
        for text in ("One?", "Two?"):
            BaseRole.add_messages([Message(other, stub.role_type, text)])
            stub.respond()
        assert BaseRole.get_messages()[-1].content == "Answer 2."
    assert asked == ["One?", "Two?"]


def test_a_filter_that_refuses_the_request_ends_the_conversation() -> None:
    with serve(OpenAIChatDialect(), [Broken(400, "content_filter", "filtered")]) as server:
        played = agent(OpenAIChat, server, {})
        scenario = get_scenario("wifi_off")
        set_current_context(scenario.starting_context.fork())
        with pytest.raises(ModelRefusedError, match="content filter"):
            played.respond()
