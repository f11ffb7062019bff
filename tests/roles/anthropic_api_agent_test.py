"""The published Claude agents, and whole scenarios played by Claude over the wire."""

import itertools
import json

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import Answer, serve
from tests.stubs.playing import parties, rows_of, score_of
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, new_context
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.roles.anthropic_api_agent import (
    AnthropicAPIAgent,
    ClaudeHaikuAgent,
    ClaudeOpusAgent,
    ClaudeSonnetAgent,
)
from tool_sandbox.roles.anthropic_tool_utils import convert_to_anthropic_tool
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_agent import DECLINED, ModelAgent
from tool_sandbox.roles.model_role import CUT_OFF
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.tools.setting import set_wifi_status
from tool_sandbox.world.errors import ConfigurationError, ModelRefusedError

MODEL = "claude-opus-5-5"
SCENARIOS = (
    "wifi_off",
    "remove_contact_by_phone_multiple_user_turn",
    "modify_contact_with_message_recency",
)


def agent(url, **settings):
    provider = AnthropicMessages(MODEL, settings, Endpoint(url, "test-key-0123456789", 5.0))
    return ModelAgent(provider, RetryPolicy(retries=0))


def play(scenario, brain, **settings):
    with serve(AnthropicDialect(), brain) as server:
        roles = parties(agent(server.url, **settings))
        context = scenario.play(roles, scenario.name)
    rows = rows_of(context)
    return context, rows, server


def thoughtful(brain):
    """Another brain, with thoughts before every answer and words beside every call."""

    def think(heard):
        answer = brain(heard)
        text = answer.text or "Let me see."
        return Answer(text, answer.calls, thinking=f"Thought {len(heard.turns)}")

    return think


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_solved_over_the_wire_with_all_thoughts_sent_back(name, stream):
    scenario = get_scenario(name)
    context, _, server = play(scenario, thoughtful(SolutionBrain.of([scenario])), stream=stream)
    assert score_of(scenario, context) == 1.0
    bodies = [seen.body for seen in server.seen]
    assert len(bodies) > 1
    for earlier, later in itertools.pairwise(bodies):
        prefix = json.dumps([earlier[part] for part in ("system", "tools", "messages")])[:-2]
        assert json.dumps([later[part] for part in ("system", "tools", "messages")]).startswith(prefix)
    thoughts = [block for message in bodies[-1]["messages"] for block in message["content"] if "signature" in block]
    assert len(thoughts) == len(bodies) - 1
    assert all(seen.heard.system for seen in server.seen)


def one_move(*moves):
    """Plays the moves, then gives up."""
    scenario = get_scenario("wifi_off_3_distraction_tools")
    scenario.max_turns = 6
    return play(scenario, [*moves, Answer("I give up.")])


def test_parallel_calls_and_their_errors_come_back_in_one_message():
    calls = (("set_wifi_status", {"on": False}), ("no_such_tool", {}), ("set_wifi_status", {"off": "x"}))
    _, _, server = one_move(Answer("Trying.", calls, thinking="Hm."))
    answers = [turn for turn in server.seen[1].heard.turns if turn.role == "tool"]
    assert [answer.is_error for answer in answers] == [False, True, True]
    assert "no_such_tool" in answers[1].text
    assert [block["type"] for block in server.seen[1].body["messages"][-1]["content"]] == ["tool_result"] * 3
    assert server.seen[1].heard.turns[-4].text == "Trying."


def test_a_call_that_was_cut_off_is_not_carried_out():
    context, _, server = one_move(Answer("", (("set_wifi_status", {"on": False}),), stop="max_tokens"))
    answer = server.seen[1].heard.turns[-1]
    assert (answer.role, answer.is_error) == ("tool", True)
    assert CUT_OFF in answer.text or "cut off" in answer.text
    assert context.get_database(DatabaseNamespace.SETTING)["wifi"][-1] is True


def test_a_refusal_ends_the_conversation():
    scenario = get_scenario("wifi_off")
    with (
        serve(AnthropicDialect(), [Answer("Partly", refusal="cyber")]) as server,
        new_context(scenario.starting_context),
    ):
        role = agent(server.url)
        BaseRole.add_messages([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="Hi")])
        with pytest.raises(ModelRefusedError, match="cyber"):
            role.respond()
        assert role.get_messages()[-1].content == DECLINED


def test_an_empty_reply_is_an_empty_message_and_the_conversation_goes_on():
    _, _, server = one_move(Answer(""), Answer("", thinking="Only thoughts."))
    assert len(server.seen) >= 3


@pytest.mark.parametrize("published", [ClaudeOpusAgent, ClaudeSonnetAgent, ClaudeHaikuAgent])
def test_a_published_agent_needs_another_model(published):
    with pytest.raises(ConfigurationError, match=f"anthropic/{published.model_name} was retired on .*; use anthropic/"):
        published()
    assert published(model=MODEL).model_name == MODEL

    class Stub(published):
        def model_inference(self, anthropic_messages, system, anthropic_tools):
            raise NotImplementedError

    assert Stub().model_name == published.model_name


def test_outside_code_names_its_own_model_and_sees_what_is_sent(monkeypatch):
    class MyAgent(AnthropicAPIAgent):
        model_name = MODEL

        def model_inference(self, anthropic_messages, system, anthropic_tools):
            seen.append((len(anthropic_messages), bool(system), anthropic_tools[0]["name"]))
            return super().model_inference(
                anthropic_messages=anthropic_messages, system=system, anthropic_tools=anthropic_tools
            )

    seen = []
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")
    scenario = get_scenario("wifi_off")
    with serve(AnthropicDialect(), [Answer("Hello.")]) as server, new_context(scenario.starting_context):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        role = MyAgent()
        BaseRole.add_messages([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="Hi")])
        role.respond()
        assert role.get_messages()[-1].content == "Hello."
    assert len(seen) == 1
    assert server.seen[0].body["model"] == MODEL
    with pytest.raises(ConfigurationError, match="AnthropicAPIAgent has no model_name"):
        AnthropicAPIAgent()


def test_a_tool_is_described_in_the_way_of_anthropic():
    described = convert_to_anthropic_tool("agent_tool", set_wifi_status)
    assert set(described) == {"name", "description", "input_schema"}
    assert described["name"] == "agent_tool"
    assert described["input_schema"]["properties"]["on"]["type"] == "boolean"
