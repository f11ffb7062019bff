"""The role between an agent's own loop and the conversation."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.stubs import playing
from tool_sandbox.common.execution_context import get_current_context
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault
from tool_sandbox.models.messages import RequestedCall, ToolResult, Usage
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent, Reply
from tool_sandbox.roles.external.bridge import BridgeClosedError, ToolBridge
from tool_sandbox.scenarios.build import MAX_TURNS
from tool_sandbox.world.errors import AgentError, InfrastructureError

Turn = Callable[["Scripted", str], Reply]


class Scripted(Driver):
    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.closed = 0
        self.cancelled = threading.Event()

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        self.brief, self.bridge, self.session = brief, bridge, session

    def turn(self, text: str) -> Reply:
        return self._turn(self, text)

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None:
        self.closed += 1


class Agent(ExternalAgent):
    provider_name = "test"
    model_name = "loop"

    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self.driver = Scripted(turn)

    def make_driver(self) -> Driver:
        return self.driver


def play(agent: Agent, name: str = "modify_contact_with_message_recency") -> None:
    agent.rows = playing.play(agent, name).rows


def call(name: str, call_id: str = "x", /, **arguments: object) -> RequestedCall:
    return RequestedCall(call_id, name, arguments)


def test_calls_become_messages_and_come_back_with_their_results() -> None:
    seen: list[tuple[ToolResult, ...]] = []

    def turn(driver: Scripted, text: str) -> Reply:
        seen.append(
            driver.bridge.call([call("search_messages", content="hi"), call("no_such_tool", "x")], "Let me look.")
        )
        seen.append(driver.bridge.call([call("search_contacts", "y", name=7)]))
        return Reply("Done.", Usage(input_tokens=5, output_tokens=2), 0.25, "m-1")

    agent = Agent(turn)
    play(agent)
    first, second = seen[0], seen[1]
    # Their own ids come back, twice the same one too; those of the conversation are counted.
    assert [result.call_id for result in first] == ["x", "x"]
    assert {result.name: result.is_error for result in first} == {"search_messages": False, "no_such_tool": True}
    assert second[0].is_error
    rows = [row for row in agent.rows if row["sender"] == RoleType.AGENT]
    calls = [row for row in rows if row["recipient"] == RoleType.EXECUTION_ENVIRONMENT]
    assert [row["openai_tool_call_id"] for row in calls[:3]] == ["call_0", "call_1", "call_2"]
    answers = [row for row in agent.rows if row["sender"] == RoleType.EXECUTION_ENVIRONMENT]
    assert {row["content"] for row in answers} >= {first[1].text, second[0].text}
    record = agent.session.calls[0]
    assert (record.usage, record.cost_usd, record.served_model) == (Usage(input_tokens=5, output_tokens=2), 0.25, "m-1")
    assert agent.driver.closed == 1
    assert "helpful" in agent.driver.brief.system or agent.driver.brief.system


def test_calls_from_many_threads_are_answered_one_after_the_other() -> None:
    def turn(driver: Scripted, text: str) -> Reply:
        futures = [driver.bridge.submit([call("search_contacts", str(number))]) for number in range(8)]
        answers = [future.result(30)[0] for future in futures]
        assert [answer.call_id for answer in answers] == [str(number) for number in range(8)]
        return Reply("Done.")

    agent = Agent(turn)
    play(agent)
    assert agent.session.calls[0].stop == "end"


def test_calls_after_the_turn_are_refused() -> None:
    late: list[BaseException | None] = []

    def turn(driver: Scripted, text: str) -> Reply:
        def later() -> None:
            time.sleep(0.3)
            late.append(driver.bridge.submit([call("search_contacts")]).exception(10))

        threading.Thread(target=later).start()
        return Reply("Done.")

    agent = Agent(turn)
    play(agent)
    time.sleep(0.5)
    assert isinstance(late[0], BridgeClosedError)


def test_a_call_in_flight_when_the_conversation_ends_is_turned_away() -> None:
    failure: list[BaseException] = []

    def turn(driver: Scripted, text: str) -> Reply:
        try:
            while True:
                driver.bridge.call([call("search_contacts")])
        except BridgeClosedError as error:
            failure.append(error)
            raise

    agent = Agent(turn)
    play(agent)
    assert failure
    assert sum(row["sender"] == RoleType.AGENT for row in agent.rows) == MAX_TURNS["core"]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (AgentError("it crashed"), AgentError),
        (InfrastructureError("down"), InfrastructureError),
        (ProviderError("down", RequestFault(FaultKind.OVERLOADED, "down")), InfrastructureError),
        (KeyError(1), AgentError),
        (KeyboardInterrupt(), AgentError),
        (GeneratorExit(), AgentError),
        (type("Odd", (BaseException,), {"__str__": lambda self: 1 / 0})(), AgentError),
    ],
)
def test_what_a_turn_raises(raised: BaseException, expected: type[Exception]) -> None:
    def turn(driver: Scripted, text: str) -> Reply:
        raise raised

    agent = Agent(turn)
    if expected is AgentError:
        play(agent)
    else:
        with pytest.raises(InfrastructureError, match="down"):
            play(agent)
    assert agent.session.calls[0].stop is None
    kind = FaultKind.OVERLOADED if isinstance(raised, ProviderError) else FaultKind.SERVER
    assert [failure.kind for failure in agent.session.calls[0].failures] == [kind]
    assert agent.driver.closed == 1


def test_a_turn_that_takes_too_long_ends_the_conversation() -> None:
    def turn(driver: Scripted, text: str) -> Reply:
        assert driver.cancelled.wait(60)
        return Reply("late")

    agent = Agent(turn)
    agent.turn_timeout_s = 0.2
    play(agent)
    assert [failure.kind for failure in agent.session.calls[0].failures] == [FaultKind.TIMEOUT]
    assert agent.driver.cancelled.is_set()
    assert agent.driver.closed == 1


def test_outside_code_finds_no_world() -> None:
    worlds: list[object] = []

    def turn(driver: Scripted, text: str) -> Reply:
        worlds.append(get_current_context().get_table(DatabaseNamespace.CONTACT))
        return Reply("Done.")

    agent = Agent(turn)
    play(agent)
    assert len(worlds[0]) == 0  # type: ignore[arg-type]
