"""An agent of one's own in Python: what it is given, what it may answer, and what becomes of its mistakes."""

import asyncio
import contextvars
import json
import pickle
import queue
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import attrs
import openai
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Broken, serve
from tests.records import lines_in
from tests.stubs import playing
from tool_sandbox.common.execution_context import get_current_context
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, set_current_context
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Usage, UserTurn
from tool_sandbox.models.session import Session
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.loop import ToolFailedError, Tools, loop_agent
from tool_sandbox.roles.external.loop_tools import Chat
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import get_scenario, named_scenarios
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

Messages = list[dict[str, Any]]
SCENARIO = "wifi_off"


def converse(thing: Callable[..., Any], name: str = SCENARIO, **how: Any) -> playing.Played:
    return playing.play(loop_agent(thing, **how)(), name)


def failure_of(thing: Callable[..., Any], tmp_path: Path, **how: Any) -> dict[str, Any]:
    """The result of a conversation that an agent of its own loses."""
    run = play(prepare_run(agent=loop_agent(thing, **how), scenarios=[SCENARIO]), tmp_path)
    return dict(run.results[0])


def asked(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": "x", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


# What it is given ------------------------------------------------------------------------


def test_a_function_sees_the_conversation_and_its_tools_as_a_model_does() -> None:
    seen: list[tuple[Messages, Any]] = []

    def agent(messages: Messages, tools: Tools) -> Any:
        seen.append((messages, json.loads(json.dumps(tools))))
        if messages[-1]["role"] == "user":
            return {"role": "assistant", "content": "Let me see.", "tool_calls": [asked("set_wifi_status", on=False)]}
        return "Wifi is off."

    played = converse(agent)
    assert played.said == ["Wifi is off."]
    first, second = seen[0][0], seen[1][0]
    assert [message["role"] for message in first] == ["system", "user"]
    assert second[:2] == first
    assert second[2]["content"] == "Let me see."
    (call,) = second[2]["tool_calls"]
    assert call["function"] == {"name": "set_wifi_status", "arguments": '{"on": false}'}
    assert second[3] == {"role": "tool", "tool_call_id": call["id"], "name": "set_wifi_status", "content": "None"}
    described = {tool["function"]["name"]: tool for tool in seen[0][1]}
    assert described["set_wifi_status"]["type"] == "function"
    assert "on" in described["set_wifi_status"]["function"]["parameters"]["properties"]


def test_tools_can_be_called_and_are_remembered() -> None:
    results: list[Any] = []

    class Agent:
        turns = 0

        def respond(self, messages: Messages, tools: Tools) -> str:
            results.append([message["role"] for message in messages])
            results.append(tools.call("get_wifi_status", {}))
            results.append(tools.call("get_wifi_status", '{"on": "maybe"}'))
            results.append(tools.call("no_such_tool"))
            results.append(tools.call_many([("get_wifi_status", None), asked("get_wifi_status")], "Both at once."))
            self.turns += 1
            return "Done."

    played = converse(Agent, "get_wifi")
    roles, good, wrong, unknown, both = results[:5]
    assert roles == ["system", "user"]
    assert isinstance(good, ToolResult)
    assert not good.is_error
    assert wrong.is_error
    assert unknown.is_error
    assert [result.text for result in both] == [good.text, good.text]
    assert both[1].call_id == "x"
    assert played.calls[:5] == ["get_wifi_status"] * 2 + ["no_such_tool"] + ["get_wifi_status"] * 2
    assert played.said[0] == "Done."


def test_a_stateless_agent_finds_its_earlier_calls_in_the_next_turn() -> None:
    turns: list[Messages] = []

    def agent(messages: Messages, tools: Tools) -> str:
        turns.append(messages)
        return tools["get_wifi_status"]() if len(turns) == 1 else "Bye."

    # Someone who is asked something that the user has to answer first.
    bridge, events = bridge_of("get_wifi_status")
    driver = loop_agent(agent)().make_driver()
    driver.open(Brief("Be brief."), bridge, Session())
    try:
        with answering(bridge, events, "True"):
            assert driver.turn("Is wifi on?").text == "True"
            assert driver.turn("Thanks").text == "Bye."
    finally:
        driver.close()
    assert [message["role"] for message in turns[1]] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert turns[1][3]["tool_call_id"] == turns[1][2]["tool_calls"][0]["id"]
    assert turns[1][-1] == {"role": "user", "content": "Thanks"}


def test_what_an_agent_does_to_its_copies_changes_nothing() -> None:
    sizes: list[tuple[int, int]] = []

    def agent(messages: Messages, tools: Tools) -> Any:
        sizes.append((len(messages), len(tools[0]["function"])))
        has_called = messages[-1]["role"] == "tool"
        messages.clear()
        return "Done." if has_called else {"tool_calls": [asked("set_wifi_status", on=False)]}

    assert converse(agent).said == ["Done."]
    assert [size for size, _ in sizes] == [2, 4]


def test_tools_are_a_list_that_can_be_copied_and_joined() -> None:
    copies: list[Any] = []

    def agent(messages: Messages, tools: Tools) -> str:
        own = {"type": "function", "function": {"name": "think", "parameters": {}}}
        copies.extend([[*tools, own], pickle.loads(pickle.dumps(tools)), tools[:1], tools.names])
        with pytest.raises(KeyError, match="there is no tool 'x'; there are "):
            tools["x"]
        function = tools["set_wifi_status"]
        assert function.name == "set_wifi_status"
        assert function.description
        assert "on" in function.parameters["properties"]
        with pytest.raises(ToolFailedError, match="on"):
            function(on="maybe")
        with pytest.raises(TypeError, match="the arguments of set_wifi_status are not JSON"):
            function(on=object())
        function(on=False)
        return "Done."

    assert converse(agent).said == ["Done."]
    joined, pickled, first, names = copies
    assert type(pickled) is list
    assert len(joined) == len(pickled) + 1
    assert first[0]["function"]["name"] == names[0]


def test_history_before_the_first_turn() -> None:
    call = RequestedCall("call_0", "get_wifi_status", "{broken")
    history = (UserTurn("Hi"), AssistantTurn("Look.", (call,)), ResultsTurn((ToolResult("call_0", "get", "True"),)))
    bridge, events = bridge_of("get_wifi_status")
    chat = Chat(Brief("", history), bridge)
    with answering(bridge, events, "False"):
        (result,) = chat.submit([attrs.evolve(call, arguments={})]).result(60)
    # The agent gets its own id back; in the conversation, which is sent to providers, no two are the same.
    assert result.call_id == "call_0"
    messages = chat.messages()
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert json.loads(messages[1]["tool_calls"][0]["function"]["arguments"]) == {"arguments": "{broken"}
    assert messages[3]["tool_calls"][0]["id"] == messages[4]["tool_call_id"] != "call_0"


# What it may be --------------------------------------------------------------------------


class Whole:
    """Has everything that a class may have."""

    log: ClassVar[list[str]] = []
    model_name = "whole-1"

    def __init__(self, greeting: str = "Hello", times: int = 1) -> None:
        self.greeting = greeting * times
        self.log.append(f"made {self.greeting}")

    def begin(self, messages: Messages, tools: Tools) -> None:
        self.log.append(f"begin {len(messages)} {len(tools) > 0}")

    def respond(self, messages: Messages, tools: Tools) -> str:
        tools["set_wifi_status"](on=False)
        return self.greeting

    def close(self) -> None:
        self.log.append("close")


def test_a_class_is_made_begun_and_closed_once_a_conversation() -> None:
    Whole.log.clear()
    played = converse(Whole, greeting="Hey", times=2)
    assert played.said == ["HeyHey"]
    # First to see whether it can be made at all.
    assert Whole.log == ["made HeyHey", "close", "made HeyHey", "begin 1 True", "close"]
    assert played.agent.session.calls[0].model == "whole-1"


def test_async_code_has_one_event_loop_a_conversation() -> None:
    loops: list[Any] = []

    class Agent:
        async def begin(self, messages: Messages, tools: Tools) -> None:
            loops.append(asyncio.get_running_loop())

        async def respond(self, messages: Messages, tools: Tools) -> str:
            loops.append(asyncio.get_running_loop())
            results = await asyncio.gather(tools.acall("set_wifi_status", {"on": False}), tools.acall("nothing"))
            return f"{results[0].is_error} {results[1].is_error}"

        async def close(self) -> None:
            loops.append(asyncio.get_running_loop())

    played = converse(Agent)
    assert played.said == ["False True"]
    assert len(set(loops[-3:])) == 1
    assert loops[-1].is_closed()


@pytest.mark.slow
def test_a_factory_can_go_to_another_process(tmp_path: Path) -> None:
    factory = pickle.loads(pickle.dumps(loop_agent(Whole, greeting="Wifi is turned off.", turn_timeout_s=30)))
    assert factory().turn_timeout_s == 30
    run = play(prepare_run(agent=factory, scenarios=[SCENARIO], trials=2, threads=1, processes=2), tmp_path)
    assert [result["similarity"] for result in run.results] == [1.0, 1.0]
    assert "whole-1" in run.path.name


class Takes:
    def respond(self, messages: Messages) -> str:
        return ""


class Raises:
    def __init__(self) -> None:
        raise KeyError("MY_KEY")

    def respond(self, messages: Messages, tools: Tools) -> str:
        return ""


class Empty:
    pass


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (Takes, r"Takes has to be callable with two arguments, messages and tools; it takes \(messages"),
        (lambda messages: "", r"has to be callable with two arguments"),
        (Raises, r"Raises cannot be created: KeyError: 'MY_KEY' \(.*loop_test\.py:\d+\)$"),
        (Empty, r"class Empty has no method respond\(self, messages, tools\)"),
        (Whole(), r"is an instance; name its class Whole"),
        (7, r"neither a class with respond.* nor a function .* but of the type int"),
        (ScriptedUser, r"ScriptedUser is a role already"),
    ],
)
def test_what_is_no_agent_is_refused_before_a_run(thing: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        loop_agent(thing)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_time_limit_is_a_time(seconds: float) -> None:
    with pytest.raises(ConfigurationError, match="turn_timeout_s of Whole has to be"):
        loop_agent(Whole, turn_timeout_s=seconds)


# What it may answer ----------------------------------------------------------------------


def test_usage_and_cost_of_all_replies_of_a_turn_are_counted() -> None:
    def agent(messages: Messages, tools: Tools) -> Any:
        if messages[-1]["role"] == "user":
            usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
            return {"tool_calls": [asked("set_wifi_status", on=False)], "usage": usage, "cost_usd": 0.25}
        usage = {"input_tokens": 20, "output_tokens": 3}
        return {"content": "Done.", "usage": usage, "cost_usd": 1, "model": "m-2", "id": "req_1"}

    record = converse(agent).agent.session.calls[0]
    assert record.usage == Usage(input_tokens=30, cached_tokens=4, output_tokens=5)
    assert (record.cost_usd, record.served_model, record.request_id) == (1.25, "m-2", "req_1")


@pytest.mark.parametrize("whole", [True, False])
def test_what_the_sdk_of_openai_returns_can_be_returned(whole: bool) -> None:
    with serve(OpenAIChatDialect(), SolutionBrain.of([get_scenario(SCENARIO)])) as server:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="sk-test-0123456789", max_retries=0)

        def agent(messages: Messages, tools: Tools) -> Any:
            answer = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)  # type: ignore[call-overload]
            return answer if whole else answer.choices[0].message

        played = converse(agent)
    assert played.calls == ["set_wifi_status"]
    usage = played.agent.session.calls[0].usage
    assert (usage is not None) == whole


def test_a_refusal_is_told() -> None:
    played = converse(lambda messages, tools: {"content": None, "refusal": "I will not."})
    assert played.said[0] == "I will not."
    assert played.agent.session.calls[0].stop == "refusal"
    assert played.agent.has_refused


def test_calls_of_a_reply_that_was_cut_off_are_not_carried_out() -> None:
    def agent(messages: Messages, tools: Tools) -> Any:
        if messages[-1]["role"] != "user":
            return messages[-1]["content"]
        message = {"role": "assistant", "content": None, "tool_calls": [asked("set_wifi_status", on=False)]}
        return {"choices": [{"message": message, "finish_reason": "length"}]}

    assert "cut off" in converse(agent).said[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "returned None; it has to return the text for the user, or an assistant message"),
        (7, "returned an int;"),
        ((x for x in ""), "returned a generator .respond yields where it should return"),
        ({}, "returned a dictionary with nothing;"),
        ({"text": "x"}, "returned a dictionary with 'text';"),
        ({"role": "user", "content": "x"}, "returned a message of the role 'user';"),
        ({"content": 7}, "cannot be read: the content of the message is neither text nor a list"),
        ({"tool_calls": [7]}, "cannot be read: tool_calls is not a list of objects"),
        ({"tool_calls": [{}]}, "cannot be read: a tool call has no function"),
        ({"choices": [7]}, "returned a completion without a message"),
        ({"content": "x", "usage": {"tokens": 1}}, "returned a usage that cannot be read"),
        ({"content": "x", "cost_usd": "1 $"}, "returned the cost_usd '1 \\$'"),
        ({"content": "x", "cost_usd": -1}, "has to be a number of US dollars"),
    ],
)
def test_what_is_no_reply_costs_the_conversation(value: Any, message: str, tmp_path: Path) -> None:
    result = failure_of(lambda messages, tools: value, tmp_path)
    assert result["outcome"] == "model_error"
    assert "\n" not in result["reason"]
    assert re.search(message, result["reason"])
    assert "<lambda> returned " in result["reason"]


# What it may do wrong --------------------------------------------------------------------


def crashing(messages: Messages, tools: Tools) -> str:
    return messages[99]["content"]  # line that is named


def test_what_it_raises_is_told_in_one_line_and_kept_in_full(tmp_path: Path) -> None:
    run = play(prepare_run(agent=loop_agent(crashing), scenarios=[SCENARIO]), tmp_path)
    (result,) = run.results
    line = next(n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "line that is named" in text)
    assert result["outcome"] == "model_error"
    assert result["reason"].endswith(f"loop_test.py:{line})")
    assert "crashing raised IndexError: list index out of range" in result["reason"]
    (line,) = lines_in(run.path / "trajectories" / result["directory"], "agent_events")
    event = json.loads(line)
    assert event["type"] == "traceback"
    assert "in crashing" in event["text"]


class Unreadable(Exception):  # noqa: N818 - its name says it
    def __str__(self) -> str:
        raise ValueError


class Unspeakable(BaseException):
    def __str__(self) -> str:
        raise KeyboardInterrupt


WAYS_TO_GIVE_UP = (
    *(SystemExit(3), ToolFailedError("no such contact"), AgentError("gave up"), Unreadable(), GeneratorExit()),
    *(KeyboardInterrupt(), asyncio.CancelledError(), Unspeakable()),
)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("error", WAYS_TO_GIVE_UP, ids=lambda error: type(error).__name__)
def test_other_ways_to_give_up(error: BaseException, tmp_path: Path) -> None:
    def agent(messages: Messages, tools: Tools) -> str:
        tools["set_wifi_status"](on=False)
        raise error

    async def later(messages: Messages, tools: Tools) -> str:
        return agent(messages, tools)

    for way in (agent, later):
        result = failure_of(way, tmp_path)
        assert (result["outcome"], result["evaluated"]) == ("model_error", True)
        # What was played until then is scored.
        assert 0 < result["similarity"] < 1


class Interrupting(BaseRole):
    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        raise KeyboardInterrupt


@pytest.mark.slow
def test_an_interrupt_of_an_agent_does_not_stop_the_run(tmp_path: Path) -> None:
    def agent(messages: Messages, tools: Tools) -> str:
        raise KeyboardInterrupt

    for choice in (loop_agent(agent), Interrupting):
        run = play(prepare_run(agent=choice, scenarios=[SCENARIO, "get_wifi"]), tmp_path)
        assert run.is_complete
        assert [result["outcome"] for result in run.results] == ["model_error"] * 2
        assert len(list(run.path.rglob("record.jsonl"))) == 2


def test_a_loop_can_raise_an_infrastructure_error(tmp_path: Path) -> None:
    def agent(messages: Messages, tools: Tools) -> str:
        raise InfrastructureError("my database is down")

    result = failure_of(agent, tmp_path)
    assert result["outcome"] == "infrastructure_error"
    assert "my database is down" in result["traceback"]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(503, "infrastructure_error"), (429, "infrastructure_error"), (401, "infrastructure_error"), (400, "model_error")],
)
def test_a_provider_that_fails_is_not_the_agents_fault(status: int, outcome: str, tmp_path: Path) -> None:
    with serve(OpenAIChatDialect(), lambda heard: Broken(status)) as server:
        client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="sk-test-0123456789", max_retries=0)

        def agent(messages: Messages, tools: Tools) -> Any:
            return client.chat.completions.create(model="gpt-4.1", messages=messages)  # type: ignore[arg-type]

        assert failure_of(agent, tmp_path)["outcome"] == outcome


def test_a_server_that_is_not_there_is_not_the_agents_fault(tmp_path: Path) -> None:
    client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-test-0123456789", max_retries=0)

    def agent(messages: Messages, tools: Tools) -> Any:
        return client.chat.completions.create(model="gpt-4.1", messages=messages)  # type: ignore[arg-type]

    assert failure_of(agent, tmp_path)["outcome"] == "infrastructure_error"


def test_a_turn_that_takes_too_long_is_cancelled(tmp_path: Path) -> None:
    cancelled = threading.Event()

    class Slow:
        async def respond(self, messages: Messages, tools: Tools) -> str:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return ""

    result = failure_of(Slow, tmp_path, turn_timeout_s=0.3)
    assert result["outcome"] == "model_error"
    assert "took longer than 0.3 s" in result["reason"]
    assert cancelled.is_set()


def test_calls_without_end_are_ended_by_the_limit_of_messages(tmp_path: Path) -> None:
    def agent(messages: Messages, tools: Tools) -> Any:
        return {"tool_calls": [asked("get_wifi_status")]}

    assert failure_of(agent, tmp_path)["outcome"] == "max_messages"


def test_a_thread_that_outlives_its_turn_is_turned_away() -> None:
    late: list[BaseException] = []
    go = threading.Event()
    thread: list[threading.Thread] = []

    def agent(messages: Messages, tools: Tools) -> str:
        def later() -> None:
            go.wait(60)
            try:
                tools.call("get_wifi_status")
            except Exception as error:
                late.append(error)

        thread.append(threading.Thread(target=later))
        thread[0].start()
        return "Done."

    converse(agent)
    go.set()
    thread[0].join(60)
    assert type(late[0]).__name__ == "BridgeClosedError"


def test_it_does_not_see_the_world_behind_the_tools() -> None:
    sizes: list[int] = []

    class Agent:
        def __init__(self) -> None:
            self.look()

        def look(self) -> None:
            sizes.append(len(get_current_context().get_table(DatabaseNamespace.CONTACT)))

        def respond(self, messages: Messages, tools: Tools) -> str:
            self.look()
            return "Done."

        def close(self) -> None:
            self.look()

    def with_a_world() -> None:
        # As in a program that has played something before.
        set_current_context(named_scenarios(names=["wifi_off"])["wifi_off"].starting_context.fork())
        assert len(get_current_context().get_table(DatabaseNamespace.CONTACT))
        converse(Agent)

    contextvars.copy_context().run(with_a_world)
    assert len(sizes) == 5
    assert set(sizes) == {0}


# A bridge without a conversation ------------------------------------------------------------


def bridge_of(*names: str) -> tuple[ToolBridge, Any]:
    return ToolBridge([{"type": "function", "function": {"name": name}} for name in names]), queue.SimpleQueue()


class answering:  # noqa: N801 - reads as a verb
    """Answers every call at a bridge with a text."""

    def __init__(self, bridge: ToolBridge, events: Any, text: str) -> None:
        self.bridge, self.events, self.text = bridge, events, text
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self) -> None:
        while (batch := self.events.get()) is not None:
            results = tuple(ToolResult(call.id, call.name, self.text) for call in batch.calls)
            self.bridge.answer(batch, results)

    def __enter__(self) -> None:
        self.bridge.begin_turn(self.events)
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.bridge.end_turn()
        self.events.put(None)
        self.thread.join(60)
