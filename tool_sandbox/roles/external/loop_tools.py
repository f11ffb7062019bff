"""A conversation and its tools as a custom loop in Python sees them."""

import asyncio
import copy
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, SupportsIndex, cast, overload

import attrs

from tool_sandbox.models.formats.chat import as_messages
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Turn, UserTurn
from tool_sandbox.models.openai_message import calls_of
from tool_sandbox.models.openai_shared import arguments_of, json_object
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.roles.external.bridge import Results, ToolBridge
from tool_sandbox.roles.external.loop_replies import as_mapping

Call = tuple[str, Mapping[str, Any] | str | None] | Mapping[str, Any]
"""Name and arguments, or an entry of OpenAI's ``tool_calls``, be it an object of an SDK."""


class ToolFailedError(RuntimeError):
    """A tool that was called as a function has failed; the text is what the tool said."""


class Chat:
    """A conversation as chat messages in the format of OpenAI, written down as it goes on. Safe in threads."""

    def __init__(self, brief: Brief, bridge: ToolBridge) -> None:
        """A conversation that begins."""
        self._bridge = bridge
        self._lock = threading.Lock()
        self._ids: set[str] = set()
        self._messages: list[dict[str, Any]] = [{"role": "system", "content": brief.system}] if brief.system else []
        for turn in brief.history:
            self._messages += as_messages(turn, json_object)
            self._ids |= {call.id for call in turn.calls} if isinstance(turn, AssistantTurn) else set()

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools on offer now."""
        return self._bridge.tools

    def messages(self) -> list[dict[str, Any]]:
        """A copy of all messages, to do with as one likes."""
        with self._lock:
            return copy.deepcopy(self._messages)

    def hear(self, text: str) -> None:
        """Writes down what the user says."""
        self._add(UserTurn(text))

    def say(self, text: str) -> None:
        """Writes down what the agent answers."""
        self._add(AssistantTurn(text))

    def submit(self, calls: Sequence[RequestedCall], text: str = "") -> "Future[Results]":
        """Has tools called at once, and writes calls and results down."""
        given = [call.id for call in calls]
        calls = tuple(attrs.evolve(call, id=self._unused(call.id)) for call in calls)
        written: Future[Results] = Future()
        # From now on it cannot be cancelled: the calls are on their way.
        written.set_running_or_notify_cancel()

        def write(answered: "Future[Results]") -> None:
            if (error := answered.exception()) is not None:
                written.set_exception(error)
                return
            results = answered.result()
            self._add(AssistantTurn(text, calls), ResultsTurn(results))
            pairs = zip(results, given, strict=True)
            written.set_result(tuple(attrs.evolve(result, call_id=own or result.call_id) for result, own in pairs))

        self._bridge.submit(calls, text).add_done_callback(write)
        return written

    def _unused(self, call_id: str) -> str:
        with self._lock:
            number = len(self._ids)
            while not call_id or call_id in self._ids:
                call_id, number = f"call_{number}", number + 1
            self._ids.add(call_id)
            return call_id

    def _add(self, *turns: Turn) -> None:
        with self._lock:
            for turn in turns:
                self._messages += as_messages(turn, json_object)


class Tools(list[dict[str, Any]]):
    """The tools on offer: a list of OpenAI function descriptions, to be sent to a model, that can also be called.

    Whatever is called becomes part of the conversation. A call that fails is no exception but a result whose text is
    the error, except for ``tools["name"](...)``.
    """

    def __init__(self, chat: Chat, descriptions: Iterable[Mapping[str, Any]]) -> None:
        """Takes the tools in."""
        super().__init__(copy.deepcopy(dict(description)) for description in descriptions)
        self._chat = chat
        self._known = len(self)

    def refresh(self) -> None:
        """Takes in the tools that were found since the last time."""
        tools = self._chat.tools
        self.extend(copy.deepcopy(dict(description)) for description in tools[self._known :])
        self._known = len(tools)

    @property
    def names(self) -> list[str]:
        """Names of the tools, as the agent is shown them."""
        return [str(description["function"]["name"]) for description in self]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolResult:
        """Calls a tool and waits for its result."""
        return self.call_many([(name, arguments)])[0]

    def call_many(self, calls: Iterable[Call], text: str = "") -> list[ToolResult]:
        """Calls several tools at once, as a model does that makes parallel calls."""
        asked = list(map(requested, calls))
        results = list(self._chat.submit(asked, text).result()) if asked else []
        self.refresh()
        return results

    async def acall(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolResult:
        """As `call`, for ``async`` code."""
        results = await asyncio.wrap_future(self._chat.submit([requested((name, arguments))]))
        self.refresh()
        return results[0]

    @overload
    def __getitem__(self, key: str) -> "ToolFunction": ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, key: str | SupportsIndex | slice) -> "ToolFunction | dict[str, Any] | list[dict[str, Any]]":
        if not isinstance(key, str):
            return super().__getitem__(key)
        for description in self:
            if description["function"]["name"] == key:
                return ToolFunction(self, description["function"])
        raise KeyError(f"there is no tool {key!r}; there are {', '.join(self.names) or 'none'}")

    def __reduce__(self) -> Any:
        # Copies, and what is sent to another process, are descriptions without a conversation behind them.
        return list, (list(self),)


class ToolFunction:
    """One tool as a function.

    Attributes:
        name: Its name.
        description: What it does.
        parameters: JSON schema of its arguments.
    """

    def __init__(self, tools: Tools, function: Mapping[str, Any]) -> None:
        """Makes a function of a description."""
        self._tools = tools
        self.name = self.__name__ = str(function["name"])
        self.description = self.__doc__ = str(function.get("description", ""))
        self.parameters: Mapping[str, Any] = function.get("parameters", {})

    def __call__(self, /, **arguments: Any) -> str:
        """Calls the tool."""
        result = self._tools.call(self.name, arguments)
        if result.is_error:
            raise ToolFailedError(result.text)
        return result.text


def requested(call: Call) -> RequestedCall:
    """Understands one call; an id that was not given is empty."""
    entry = as_mapping(call)
    if entry is not None:
        return calls_of({"tool_calls": [entry]}, {})[0]
    name, arguments = cast("tuple[str, Any]", call)
    if not isinstance(arguments, Mapping):
        return RequestedCall("", name, arguments_of(arguments))
    try:
        # What is not JSON could not be told to anybody else.
        return RequestedCall("", name, json.loads(json.dumps(dict(arguments), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the arguments of {name} are not JSON: {error}") from None
