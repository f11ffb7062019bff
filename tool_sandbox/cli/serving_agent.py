"""The agent of ``tool_sandbox serve``: a client that is connected over MCP."""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ToolResult, UserTurn
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.world.errors import AgentError

NAME = "mcp-client"
"""What the agent is called in results."""

REPLY = "reply_to_user"
"""Tool by which the client says something to the user."""

REPLY_TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": REPLY,
        "description": "Says something to the user and returns what the user answers, or the score once the "
        "conversation is over. Tools that are called between two replies belong to one turn.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string", "description": "What the user is told."}},
            "required": ["text"],
        },
    },
}

WEEK_S = 7 * 24 * 3600.0

Tools = Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]]]
"""The tools, or what gives them where they may become more."""

Connect = Callable[["ClientConnection", Tools, str], None]
"""Lets the client in, once: takes the connection, the tools and what the client is told."""


class ClientConnection:
    """Connects a client with its conversation: tools are called here, and replies to the user are passed on.

    The methods may be called from any thread.
    """

    def __init__(self, connect: Connect) -> None:
        """A connection that is not used yet."""
        self._connect = connect
        self._lock = threading.Lock()
        self._bridge: ToolBridge | None = None
        self._replies: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._asked: Future[ToolResult] | None = None
        self._left_over: list[tuple[str, Future[ToolResult]]] = []
        self._ending: str | None = None

    def hear(self, brief: Brief, bridge: ToolBridge, text: str) -> str:
        """Tells the client what the user says, and waits for its reply."""
        with self._lock:
            is_first, self._bridge = self._bridge is None, bridge
            asked, self._asked = self._asked, None
        if is_first:
            self._connect(self, _with_reply(bridge), instructions(brief, text))
        if asked is not None:
            asked.set_result(ToolResult("", REPLY, text))
        reply = self._replies.get()
        if reply is None:
            raise AgentError("the MCP client left before the conversation was over")
        return reply

    def call(self, name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        """Makes a call of the client."""
        answered: Future[ToolResult] = Future()
        with self._lock:
            refusal = self._refusal(name, arguments)
            bridge = self._bridge
            if refusal is None and name == REPLY:
                self._asked = answered
                self._replies.put(arguments["text"])
                return answered
        if refusal is not None or bridge is None:
            answered.set_result(ToolResult("", name, refusal or "the conversation has not begun yet", is_error=True))
            return answered
        calls = bridge.submit([RequestedCall("", name, arguments)])
        calls.add_done_callback(lambda done: self._pass_on(name, done, answered))
        return answered

    def leave(self) -> None:
        """The client has gone: what waits for its reply waits no longer."""
        self._replies.put(None)

    def finish(self, ending: str) -> None:
        """Answers what is still open, and everything that is called later."""
        with self._lock:
            self._ending = ending
            asked, self._asked = self._asked, None
            left_over, self._left_over = self._left_over, []
        if asked is not None:
            asked.set_result(ToolResult("", REPLY, ending))
        for name, answered in left_over:
            answered.set_result(ToolResult("", name, ending, is_error=True))

    def _refusal(self, name: str, arguments: Mapping[str, Any]) -> str | None:
        if self._ending is not None:
            return self._ending
        if self._asked is not None:
            return f"the user has not answered yet: wait for the result of {REPLY}"
        if name == REPLY and not isinstance(arguments.get("text"), str):
            return f"{REPLY} needs the argument text, a string"
        return None

    def _pass_on(self, name: str, done: "Future[tuple[ToolResult, ...]]", answered: "Future[ToolResult]") -> None:
        if done.exception() is None:
            answered.set_result(done.result()[0])
            return
        with self._lock:
            # A turn that ends without a reply was the last one: how the conversation ended is known in a moment.
            refusal = self._refusal(name, {"text": ""})
            if refusal is None:
                self._left_over.append((name, answered))
        if refusal is not None:
            answered.set_result(ToolResult("", name, refusal, is_error=True))


class ClientDriver(Driver):
    """Runs the agent by waiting for what the client does."""

    def __init__(self, client: ClientConnection) -> None:
        """A driver of the only conversation."""
        self._client = client

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Keeps what the client is told with the first message of the user."""
        self._brief, self._bridge = brief, bridge

    def turn(self, text: str) -> Reply:
        """Waits until the client replies to the user."""
        return Reply(self._client.hear(self._brief, self._bridge, text))

    def cancel(self) -> None:
        """Waits no longer."""
        self._client.leave()


class ClientAgent(ExternalAgent):
    """Lets an MCP client play the agent, with as much time as it likes."""

    provider_name = NAME
    model_name = NAME
    turn_timeout_s = WEEK_S
    concurrency = 1

    def __init__(self, client: ClientConnection) -> None:
        """An agent that has said nothing yet."""
        super().__init__()
        self._client = client

    def make_driver(self) -> Driver:
        """Makes what waits for the client."""
        return ClientDriver(self._client)


def _with_reply(bridge: ToolBridge) -> Tools:
    """The tools of the scenario, and that by which the client speaks to the user."""
    return (lambda: (*bridge.tools, REPLY_TOOL)) if bridge.grows else (*bridge.tools, REPLY_TOOL)


def instructions(brief: Brief, text: str) -> str:
    """What the client is told: the agent's standing instruction, the conversation so far, how to answer."""
    speakers = {UserTurn: "User", AssistantTurn: "You"}
    said = [
        f"{speakers[type(turn)]}: {turn.text}"
        for turn in brief.history
        if isinstance(turn, UserTurn | AssistantTurn) and turn.text
    ]
    how = f"Say everything to the user with the tool {REPLY}; its result is what the user answers."
    return "\n\n".join(part for part in (brief.system, how, *said, f"User: {text}") if part)
