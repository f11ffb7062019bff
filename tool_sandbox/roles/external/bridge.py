"""Where an agent with a loop of its own hands in tool calls, from whatever thread or server it runs in."""

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import attrs

from tool_sandbox.helpers.untrusted import LARGEST_MESSAGE
from tool_sandbox.models.messages import RequestedCall, ToolResult
from tool_sandbox.world.errors import AgentError, ToolSandboxError

Results = tuple[ToolResult, ...]


class BridgeClosedError(ToolSandboxError):
    """A tool was called while the agent had no turn: before the user spoke, after its answer, or after the end."""


@attrs.frozen(eq=False)
class Batch:
    """Calls that were made at once, so that their order must not matter.

    Attributes:
        calls: The calls, in the order in which they were written.
        text: What the agent said beside them.
        answered: Gets one result per call, in the order of the calls.
    """

    calls: tuple[RequestedCall, ...]
    text: str
    answered: "Future[Results]"


class ToolBridge:
    """Takes tool calls of one conversation in, and gives their results back.

    The calls become messages of the conversation, as those of any other agent do: the world, traces, snapshots and
    limits are the same. All methods may be used from any thread.

    Attributes:
        grows: Whether the tools become more, because the agent has to find them.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]], *, grows: bool = False) -> None:
        """A bridge that takes no calls yet."""
        self.grows = grows
        self._tools = tuple(tools)
        self._lock = threading.Lock()
        self._events: queue.SimpleQueue[Any] | None = None
        self._open: dict[int, Future[Results]] = {}
        self._taken = 0

    @property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """The tools as the agent is shown them now, as OpenAI function descriptions; others come behind them."""
        return self._tools

    def offer(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """Shows the agent these tools from now on, before it gets the results of the calls that found them."""
        self._tools = tuple(tools)

    def call(self, calls: Sequence[RequestedCall], text: str = "") -> Results:
        """Has tools called, and waits for what they return."""
        return self.submit(calls, text).result()

    def submit(self, calls: Sequence[RequestedCall], text: str = "") -> "Future[Results]":
        """Like `call`, without waiting."""
        future: Future[Results] = Future()
        with self._lock:
            if self._events is not None and (problem := self._problem(calls, text)) is not None:
                self._events.put(AgentError(f"the agent called tools with {problem}"))
                self._events = None
            if self._events is None:
                future.set_exception(BridgeClosedError("it is not the agent's turn: nothing can be called now"))
                return future
            self._open[id(future)] = future
            self._events.put(Batch(tuple(calls), text, future))
        return future

    def _problem(self, calls: Sequence[RequestedCall], text: str) -> str | None:
        """Why calls are not taken, whichever way they came: all that was called stays in memory and on the disk."""
        try:
            given = [call.arguments if isinstance(call.arguments, str) else dict(call.arguments) for call in calls]
            self._taken += len(json.dumps(given)) + len(text) + sum(len(call.name) for call in calls)
        except (TypeError, ValueError, RecursionError):
            return "arguments that are not JSON"
        too_many = f"more than {LARGEST_MESSAGE // 2**20} MiB of arguments in one conversation"
        return too_many if self._taken > LARGEST_MESSAGE else None

    def begin_turn(self, events: "queue.SimpleQueue[Any]") -> None:
        """Takes calls from now on."""
        with self._lock:
            self._events = events

    def answer(self, batch: Batch, results: Results) -> None:
        """Gives results to the caller; ignored if the turn has ended."""
        with self._lock:
            is_open = self._open.pop(id(batch.answered), None) is not None
        if is_open:
            batch.answered.set_result(results)

    def end_turn(self) -> None:
        """Takes no calls any more, and turns those away that were not answered."""
        with self._lock:
            self._events = None
            left, self._open = list(self._open.values()), {}
        for future in left:
            future.set_exception(BridgeClosedError("the agent's turn is over"))
