"""One conversation with an agent whose loop runs at Anthropic."""

import json
import math
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from tool_sandbox.models.anthropic_history import NOTHING_SAID, to_tool
from tool_sandbox.models.faults import ProviderError, RequestFault
from tool_sandbox.models.messages import StopReason, ToolResult, Usage
from tool_sandbox.models.plain import mapping
from tool_sandbox.models.redaction import secrets_of
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.cli_log import EventLog
from tool_sandbox.roles.external.managed_events import Ledger, Status, answers, as_event
from tool_sandbox.roles.external.managed_platform import Choice, Platform, model_config
from tool_sandbox.roles.external.transcript import with_history
from tool_sandbox.roles.model_agent import DECLINED
from tool_sandbox.world.errors import AgentError, InfrastructureError, ToolSandboxError

DRAIN_S = 10.0
"""Seconds that an agent has to stop once it was interrupted."""

SILENCE_S = 60.0
"""Seconds without an event after which it is looked up whether one was missed."""

_POLL_S = 0.5

T = TypeVar("T")


class _LateError(Exception):
    """The turn has taken too long, or was cancelled."""


class ManagedDriver(Driver):
    """Holds one session."""

    def __init__(self, platform: Platform, choice: Choice, timeout_s: float, budget: float | None) -> None:
        """A driver without a session."""
        self._platform = platform
        self._choice = choice
        self._timeout_s = timeout_s
        self._budget = budget
        self._ledger = Ledger()
        self._results: dict[str, ToolResult] = {}
        self._id = ""
        self._model: str | None = None
        self._is_first = True
        self._before: tuple[Usage, float | None] | None = None
        self._deadline = math.inf
        self._cancelled = threading.Event()
        self._returned = threading.Event()
        self._returned.set()
        self._stream: Any = None

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes the session, with the scenario's tools and instruction in place of the agent's own."""
        self._bridge, self._session, self._history = bridge, session, brief.history
        self._log = EventLog(session.log, secrets_of(self._platform.access.endpoint))
        variant, (model, effort, given, *_) = self._platform.variant(*self._choice), self._choice
        system = "\n\n".join(filter(str.strip, (variant.system, brief.system)))
        # Always in the same words.
        tools = [{"type": "custom", **to_tool(json.loads(json.dumps(each, sort_keys=True)))} for each in bridge.tools]
        chosen: dict[str, Any] = {"type": "agent_with_overrides", "id": variant.agent, "version": variant.version}
        chosen |= {"system": system or None, "tools": tools, "mcp_servers": [], "skills": []}
        if model and given is not None:
            chosen["model"] = model_config(model, effort)
        body: dict[str, Any] = {"agent": chosen, "environment_id": variant.environment, "title": brief.conversation}
        if self._budget is not None:
            amount = {"amount": str(math.floor(self._budget * 100 + 1e-6)), "currency": "USD"}
            body["budget"] = {"type": "limit", "max_list_cost": amount}
        made = self._platform.create_session(**body)
        self._id = str(made.get("id") or "")
        self._note(made)

    def _note(self, made: Mapping[str, Any]) -> None:
        agent = mapping(made.get("agent"))
        self._model = agent.get("model", {}).get("id")
        names = {"session": self._id, "agent": agent.get("id"), "version": agent.get("version")}
        self._keep({**names, "environment": made.get("environment_id"), "model": self._model})
        offered = [tool.get("name") for tool in agent.get("tools") or ()]
        wanted = [tool["function"]["name"] for tool in self._bridge.tools]
        if not self._id or sorted(map(str, offered)) != sorted(wanted):
            raise InfrastructureError("managed-agents: the session was made with other tools than those asked for")

    def turn(self, text: str) -> Reply:
        """Sends what the user says, and answers calls until the session is idle."""
        self._session.meter.check()
        self._ledger.begin_turn()
        self._before = self._ledger.total
        self._deadline = time.monotonic() + self._timeout_s
        self._returned.clear()
        try:
            text = text if text.strip() else NOTHING_SAID
            return self._turn(with_history(self._history, text) if self._is_first else text)
        except _LateError:
            self._stop()
            raise self._late() from None
        finally:
            self._is_first = False
            self._returned.set()

    def _late(self) -> Exception:
        limit = f"{self._timeout_s:g} s"
        status = self._ledger.status
        if status is None or status.kind == "rescheduled":
            return InfrastructureError(f"managed-agents: the platform did not start the agent within {limit}")
        return AgentError(f"managed-agents: the agent took longer than {limit} to answer")

    def _turn(self, text: str) -> Reply:
        said = {"type": "user.message", "content": [{"type": "text", "text": text}]}
        seen, losses, is_first = frozenset(self._ledger.seen), 0, True

        def is_there(history: Sequence[Mapping[str, Any]]) -> bool:
            return any(event.get("type") == "user.message" and event.get("id") not in seen for event in history)

        while True:
            with self._platform.stream(self._id, self._patience(), self._deadline) as stream:
                self._stream = stream
                if is_first:
                    self._platform.send(self._id, [said], is_there, self._deadline)
                else:
                    self._catch_up()
                is_first = False
                known = len(self._ledger.seen)
                reply = self._settle() or self._listen(stream)
            if reply is not None:
                return reply
            losses = 0 if len(self._ledger.seen) > known else losses + 1
            if losses > self._platform.policy.retries:
                raise InfrastructureError("managed-agents: the stream of events was interrupted repeatedly")
            if losses:
                self._platform.policy.sleep(min(2.0**losses * 0.1, self._patience()))

    def _patience(self) -> float:
        """Seconds to listen at most; ends the turn when there are none left."""
        left = self._deadline - time.monotonic()
        if self._cancelled.is_set() or left <= 0:
            raise _LateError
        return min(left, SILENCE_S)

    def _listen(self, stream: Any) -> Reply | None:
        """Follows the session until the turn is over, or the connection: then there is no reply."""
        try:
            for event in stream:
                if self._take(as_event(event)) and (reply := self._settle()) is not None:
                    return reply
                self._patience()
        except (ToolSandboxError, _LateError):
            raise
        except Exception as error:
            fault = self._platform.access.explain(error)
            if fault is None:
                raise
            if not fault.is_transient:
                raise self._platform.given_up(fault) from error
            self._keep({"type": "stream_lost", "reason": str(fault)})
        return None

    def _take(self, event: Mapping[str, Any]) -> bool:
        is_new = self._ledger.take(event)
        if is_new:
            self._keep(event)
        return is_new

    def _catch_up(self) -> None:
        """Takes in what was missed without a listener."""
        for event in self._ledger.catch_up(self._platform.history(self._id, self._deadline)):
            self._keep(event)

    def _keep(self, event: Mapping[str, Any]) -> None:
        self._log.add(json.dumps(event))

    def _settle(self) -> Reply | None:
        """Does what the session waits for; gives the reply if the turn is over."""
        ledger = self._ledger
        if ledger.built_in is not None:
            raise InfrastructureError(
                f"managed-agents: the agent used {ledger.built_in}, which is outside of the sandbox; such a run is void"
            )
        status = ledger.status
        if status is None:
            return None
        if status.is_over:
            return self._end(status)
        if ledger.unknown_waits():
            self._catch_up()
            if ledger.unknown_waits():
                raise InfrastructureError("managed-agents: the session waits for something that is no custom tool")
        if ledger.open_calls():
            self._answer()
        return None

    def _answer(self) -> None:
        calls = self._ledger.open_calls()
        new = [call for call in calls if call.id not in self._results]
        if new:
            self._session.meter.check()
            results = self._bridge.call(new, self._ledger.said())
            self._results |= {call.id: result for call, result in zip(new, results, strict=True)}
        names = {call.id for call in calls}
        self._platform.send(
            self._id,
            [to_result_event(self._results[call.id]) for call in calls],
            lambda history: names <= set(answers(history)),
            self._deadline,
        )
        self._ledger.answered |= names

    def _end(self, status: Status) -> Reply:
        word = status.reason or status.kind
        details = f"{word}: {status.details}" if status.details else word
        text = self._ledger.said()
        if status.reason == "end_turn":
            return self._reply(text, StopReason.END, details)
        if status.reason == "refusal":
            # What was written before is not to be used.
            return self._reply(DECLINED, StopReason.BLOCKED, details)
        fault = self._ledger.fault
        if status.reason == "budget_reached":
            raise AgentError("managed-agents: the session has reached its budget (list price)")
        if fault is not None and fault.is_the_agents:
            raise AgentError(f"managed-agents: the agent was in a loop ({fault})")
        why = f" ({fault})" if fault is not None else ""
        raise InfrastructureError(f"managed-agents: the session ended with {word}{why}")

    def _reply(self, text: str, stop: StopReason, stop_text: str) -> Reply:
        usage, cost = self._spent()
        return Reply(text, usage, cost, self._model, stop, stop_text, self._id)

    def _spent(self) -> tuple[Usage | None, float | None]:
        """Tokens of the turn and what they cost: by the price list, else by the platform's account."""
        if not self._ledger.usages and self._ledger.total == self._before:
            # No event has told; the session itself may.
            told = self._tried(lambda: self._platform.total(self._id))
            self._ledger.total = self._before if isinstance(told, RequestFault) else told
        usages, total = self._ledger.usages, self._ledger.total
        cost = None
        if total is not None and total[1] is not None:
            cost = total[1] - ((self._before[1] or 0.0) if self._before is not None else 0.0)
        if not usages:
            before = self._before[0] if self._before is not None else Usage()
            return (None if total is None else total[0].since(before)), cost
        prices = [self._session.price("anthropic", self._model or "", usage) for usage in usages]
        known = [price for price in prices if price is not None]
        return sum(usages[1:], usages[0]), sum(known) if len(known) == len(prices) else cost

    def _interrupt(self, until: float) -> None:
        with suppress(ProviderError):
            self._platform.send(self._id, [{"type": "user.interrupt"}], until=until)

    def _stop(self) -> None:
        """Interrupts the agent, and waits until it stands still."""
        deadline = time.monotonic() + DRAIN_S
        self._interrupt(deadline)
        while self._tried(lambda: self._platform.is_running(self._id, deadline)) is not False:
            if time.monotonic() > deadline:
                return
            time.sleep(_POLL_S)

    def _tried(self, do: Callable[[], T]) -> "T | RequestFault":
        """What a request gave, or why it failed."""
        try:
            return do()
        except Exception as error:
            fault = self._platform.access.explain(error)
            if fault is None:
                raise
            return fault

    def cancel(self) -> None:
        """Interrupts the agent; should nothing come of it, the connection is cut."""
        self._cancelled.set()
        deadline = time.monotonic() + DRAIN_S / 2
        self._interrupt(deadline)
        if not self._returned.wait(max(0.0, deadline - time.monotonic())):
            _cut(self._stream)

    def close(self) -> None:
        """Archives the session, once it stands still."""
        deadline = time.monotonic() + DRAIN_S / 2
        while self._id:
            fault = self._tried(lambda: self._platform.archive(self._id, deadline))
            if fault is None:
                return
            if time.monotonic() > deadline:
                self._keep({"type": "not_archived", "session": self._id, "reason": str(fault)})
                return
            # The platform does not put away what runs.
            self._interrupt(deadline)
            time.sleep(_POLL_S)


def _cut(stream: Any) -> None:
    with suppress(Exception):
        stream.response.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def to_result_event(result: ToolResult) -> dict[str, Any]:
    """The answer to a call."""
    # The answer of a tool may be empty, a text may not.
    content = [{"type": "text", "text": result.text}] if result.text.strip() else []
    event = {"type": "user.custom_tool_result", "custom_tool_use_id": result.call_id}
    return {**event, "content": content, "is_error": result.is_error}
