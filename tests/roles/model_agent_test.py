"""The agent with a provider whose replies are listed; the wire protocols have tests of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.untrusted_test import nested
from tests.stubs.playing import parties
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, get_current_context
from tool_sandbox.models.faults import RequestFault
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    UserTurn,
)
from tool_sandbox.models.provider import Provider
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.model_agent import DECLINED, ModelAgent
from tool_sandbox.roles.model_role import CUT_OFF, NOT_FINISHED
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import InfrastructureError, ModelError, ModelRefusedError


class Listed(Provider):
    name = "listed"

    def __init__(self, *replies: ModelReply) -> None:
        super().__init__("m-1")
        self.replies = list(replies)
        self.requests: list[ModelRequest] = []

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        self.requests.append(request)
        return {"request": request}

    def send(self, **wire: Any) -> Any:
        return self.replies.pop(0) if self.replies else ModelReply("That is all.", raw="end")

    def read(self, answer: Any) -> ModelReply:
        return answer

    def explain(self, error: Exception) -> RequestFault | None:
        return None


@pytest.fixture
def scenario() -> Scenario:
    return get_scenario("wifi_off")


def play(scenario: Scenario, *replies: ModelReply) -> Listed:
    provider = Listed(*replies)
    roles = parties(ModelAgent(provider))
    scenario.play(roles, scenario.name)
    return provider


def log() -> Iterator[dict[str, Any]]:
    for _, table in get_current_context().get_history(DatabaseNamespace.SANDBOX):
        yield from table.dicts()


def agent_messages() -> list[tuple[str, str]]:
    return [(row["recipient"], row["content"]) for row in log() if row["sender"] == "AGENT"]


def results() -> list[dict[str, Any]]:
    return [row for row in log() if row["sender"] == "EXECUTION_ENVIRONMENT" and row["recipient"] == "AGENT"]


def call(name: str, arguments: Any, call_id: str = "c1") -> RequestedCall:
    return RequestedCall(call_id, name, arguments)


OFF = call("set_wifi_status", {"on": False})


def test_the_request_holds_prompt_history_and_tools(scenario: Scenario) -> None:
    provider = play(scenario, ModelReply("Done, wifi is off.", raw="r1"))
    first = provider.requests[0]
    assert first.system.startswith("You are the assistant")
    assert first.turns == (UserTurn(scenario.user_script.opening),)
    names = [tool["function"]["name"] for tool in first.tools]
    assert "set_wifi_status" in names
    assert "end_conversation" not in names
    assert "Your task" not in first.system, "the user's brief is not for the agent"


def test_calls_results_and_the_providers_own_form_come_back(scenario: Scenario) -> None:
    reply = ModelReply("Let me see.", (OFF,), StopReason.TOOL_USE, raw={"blocks": ["thought", "call"]})
    provider = play(scenario, reply, ModelReply("Wifi is off.", raw="r2"))
    assistant, answers = provider.requests[1].turns[1:]
    assert assistant == AssistantTurn("Let me see.", (OFF,), ({"blocks": ["thought", "call"]},))
    assert answers == ResultsTurn((ToolResult("c1", "set_wifi_status", "None"),))
    assert get_current_context().message_texts == {4: "Let me see."}


def test_parallel_calls_are_one_turn_with_results_in_order(scenario: Scenario) -> None:
    calls = (call("get_wifi_status", {}, "a"), call("get_current_timestamp", {}, "b"), call("get_wifi_status", {}, "c"))
    provider = play(scenario, ModelReply("", calls, StopReason.TOOL_USE), ModelReply("So it is."))
    assistant, answers = provider.requests[1].turns[1:3]
    assert [each.id for each in assistant.calls] == ["a", "b", "c"]
    assert [each.call_id for each in answers.results] == ["a", "b", "c"]


def test_results_of_a_batch_that_fails_in_another_order_come_in_the_order_of_the_calls() -> None:
    # Wifi is on: the second call fails if it comes first, and so it stands first in the log.
    scenario = get_scenario("wifi_off")
    calls = (call("set_wifi_status", {"on": False}, "a"), call("set_wifi_status", {"on": True}, "b"))
    provider = play(scenario, ModelReply("", calls, StopReason.TOOL_USE), ModelReply("So it is."))
    assert [row["openai_tool_call_id"] for row in results()] == ["b", "a"]
    answers = provider.requests[1].turns[2]
    assert [each.call_id for each in answers.results] == ["a", "b"]
    assert [each.is_error for each in answers.results] == [False, True]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (call("no_such_tool", {"x": 1}), "NameError: name 'no_such_tool' is not defined"),
        (
            call("no_such_tool", '{"x": '),
            "NameError: name 'no_such_tool' is not defined, and its arguments have to be a JSON object, got '{\"x\": '",
        ),
        (call("end_conversation", {}), "NameError: name 'end_conversation' is not defined"),
        (call("set_wifi_status", '{"on": fal'), "TypeError: the arguments of set_wifi_status have to be a JSON object"),
        (call("set_wifi_status", "[1, 2]"), "TypeError: the arguments of set_wifi_status have to be a JSON object"),
        *(
            (
                call("set_wifi_status", {"on": arguments}),
                f"TypeError: the arguments of set_wifi_status have to be a JSON object, got 'arguments {fault}",
            )
            for arguments, fault in [
                (nested(210), "nested more than 100 levels deep"),
                (nested(2000), "nested more than 100 levels deep"),
                ("x" * 2**20, "of more than 1,048,576 characters"),
            ]
        ),
        (call("set_wifi_status", {"of": False}), "TypeError"),
        (call("set_wifi_status", {"on": "off"}), "TypeError"),
        (call("__import__('os').system('id')", {}), "NameError"),
        (call("", {}), "NameError"),
    ],
)
def test_a_slip_is_answered_and_the_conversation_goes_on(scenario: Scenario, bad: RequestedCall, error: str) -> None:
    provider = play(
        scenario,
        ModelReply("", (bad,), StopReason.TOOL_USE, raw="slip"),
        ModelReply("", (OFF,), StopReason.TOOL_USE),
        ModelReply("Wifi is off."),
    )
    first, second = results()
    assert first["tool_call_exception"].startswith(error)
    assert second["tool_call_exception"] is None
    answers = provider.requests[1].turns[2]
    assert answers.results[0].is_error
    assert not get_current_context().get_table(DatabaseNamespace.SETTING).column("wifi")[-1]


@pytest.mark.parametrize(("stop", "remark"), [(StopReason.MAX_TOKENS, CUT_OFF), (StopReason.OTHER, NOT_FINISHED)])
def test_a_reply_that_may_not_be_whole_is_not_carried_out(scenario: Scenario, stop: StopReason, remark: str) -> None:
    provider = play(
        scenario,
        ModelReply("", (OFF,), stop, raw="cut"),
        ModelReply("Sorry."),
    )
    (result,) = results()
    assert remark in result["tool_call_exception"]
    assert get_current_context().get_table(DatabaseNamespace.SETTING).column("wifi")[-1]
    assert provider.requests[1].turns[1].raw == ("cut",), "the model sees its own words again"


@pytest.mark.parametrize("ids", [("", ""), ("same", "same"), ("a", "")])
def test_ids_that_cannot_be_told_apart_are_replaced(scenario: Scenario, ids: tuple[str, str]) -> None:
    calls = tuple(call("get_wifi_status", {}, call_id) for call_id in ids)
    provider = play(scenario, ModelReply("", calls, StopReason.TOOL_USE, raw="r"), ModelReply("It is on."))
    assistant, answers = provider.requests[1].turns[1:3]
    written = [each.id for each in assistant.calls]
    assert len(set(written)) == 2
    assert all(written)
    assert [each.call_id for each in answers.results] == written
    assert assistant.raw == (), "the provider's form has the old ids"


def test_an_empty_reply_goes_to_the_user(scenario: Scenario) -> None:
    provider = play(scenario, ModelReply(""), ModelReply("", (OFF,), StopReason.TOOL_USE), ModelReply("Wifi is off."))
    assert agent_messages()[0] == ("USER", "")
    assert isinstance(provider.requests[1].turns[-1], UserTurn)


def test_a_refusal_in_words_goes_to_the_user(scenario: Scenario) -> None:
    provider = Listed(ModelReply("I can't help with that.", stop=StopReason.REFUSAL))
    agent = ModelAgent(provider)
    roles = parties(agent)
    scenario.play(roles, scenario.name)
    assert agent_messages() == [("USER", "I can't help with that.")]
    assert agent.has_refused


def _respond_once(scenario: Scenario, reply: ModelReply) -> ModelAgent:
    from tool_sandbox.conversation.execution_context import set_current_context

    set_current_context(scenario.starting_context.fork())
    agent = ModelAgent(Listed(reply))
    agent.respond()
    return agent


def test_a_blocked_reply_ends_the_conversation_and_nothing_of_it_is_used(scenario: Scenario) -> None:
    with pytest.raises(ModelRefusedError, match="cyber"):
        _respond_once(scenario, ModelReply("Sure, I", (OFF,), StopReason.BLOCKED, "refusal: cyber"))
    assert agent_messages() == [("USER", DECLINED)]


def test_a_full_context_is_the_models_error(scenario: Scenario) -> None:
    with pytest.raises(ModelError, match="context is full"):
        _respond_once(scenario, ModelReply("", stop=StopReason.CONTEXT_EXCEEDED, stop_text="model_context_window"))
    assert agent_messages() == []


def test_lone_surrogates_do_not_hide_the_providers_form(scenario: Scenario) -> None:
    provider = play(scenario, ModelReply("Which one?\ud800", raw="r1"), ModelReply("Fine."))
    assert agent_messages()[0] == ("USER", "Which one??")
    assert provider.requests[1].turns[1].raw == ("r1",)


def test_a_rewritten_log_is_told_as_it_stands(scenario: Scenario) -> None:
    """The provider's form of a reply belongs to the messages that were made of it, and to no others."""
    from tool_sandbox.conversation.execution_context import set_current_context

    context = scenario.starting_context.fork()
    set_current_context(context)
    agent = ModelAgent(Listed(ModelReply("One.", raw="r1"), ModelReply("Two.", raw="r2")))
    agent.respond()
    set_current_context(scenario.starting_context.fork())
    other = get_current_context()
    user, me = RoleType.USER, RoleType.AGENT
    other.add_to_database(
        DatabaseNamespace.SANDBOX,
        [
            {"sender": me, "recipient": user, "content": "Something else.", "visible_to": [me, user]},
            {"sender": user, "recipient": me, "content": "Go on.", "visible_to": [me, user]},
        ],
    )
    agent.respond()
    assert agent.provider.requests[1].turns[1] == AssistantTurn("Something else.", (), ())  # type: ignore[attr-defined]


def test_scrambled_names_are_the_only_ones_a_model_sees() -> None:
    scenario = get_scenario("wifi_off_3_distraction_tools_tool_name_scrambled")
    provider = play(scenario, ModelReply("", (OFF,), StopReason.TOOL_USE), ModelReply("Sorry."))
    shown = [tool["function"]["name"] for tool in provider.requests[0].tools]
    assert "set_wifi_status" not in shown
    assert results()[0]["tool_call_exception"].startswith("NameError")
    scrambled = next(
        tool["function"]["name"]
        for tool in provider.requests[0].tools
        if "wifi" in tool["function"]["description"].lower() and "on" in tool["function"]["parameters"]["properties"]
    )
    provider = play(
        scenario, ModelReply("", (call(scrambled, {"on": False}),), StopReason.TOOL_USE), ModelReply("Off.")
    )
    assert provider.requests[1].turns[1].calls == (call(scrambled, {"on": False}),)
    assert results()[0]["tool_call_exception"] is None


def test_a_bug_of_a_provider_is_an_infrastructure_error(scenario: Scenario) -> None:
    class Buggy(Listed):
        def read(self, answer: Any) -> ModelReply:
            raise ZeroDivisionError("oops")

    from tool_sandbox.conversation.execution_context import set_current_context

    set_current_context(scenario.starting_context.fork())
    with pytest.raises(InfrastructureError, match=r"^listed/m-1: ZeroDivisionError: oops$"):
        ModelAgent(Buggy()).respond()


def test_a_bug_of_custom_inference_is_an_agent_error(scenario: Scenario) -> None:
    class Mine(ModelAgent):
        def model_inference(self, **wire: Any) -> Any:
            raise ZeroDivisionError("oops")

    from tool_sandbox.conversation.execution_context import set_current_context

    set_current_context(scenario.starting_context.fork())
    with pytest.raises(ZeroDivisionError):
        Mine(Listed()).respond()
