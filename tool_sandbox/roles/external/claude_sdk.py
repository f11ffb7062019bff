"""The Claude Agent SDK as the agent under test, with the sandbox's tools in this process or over MCP."""

import asyncio
import importlib.metadata
import importlib.util
import json
import threading
from collections import deque
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import attrs

from tool_sandbox.integrations.mcp.tools import ServedTools
from tool_sandbox.models.messages import RequestedCall, ToolResult
from tool_sandbox.models.plug_ins import is_importable
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.claude_code import CONFIG, ClaudeCodeAgent, ClaudeDriver
from tool_sandbox.roles.external.claude_events import ClaudeTurn, ModelFailedError
from tool_sandbox.roles.external.cli_agent import SERVER
from tool_sandbox.roles.external.cli_log import as_object
from tool_sandbox.roles.external.program import first, one_of
from tool_sandbox.world.errors import AgentError, MissingRequirementError, ToolSandboxError

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient

    from tool_sandbox.integrations.executors import AgentProcess
    from tool_sandbox.roles.external.claude_transport import ProcessTransport

PACKAGE = "claude-agent-sdk"

INTERRUPT_S = 3.0
"""Seconds that the agent has to stop once it was interrupted."""

T = TypeVar("T")

_NET_S = 60.0
_CLOSING_S = 20.0


def check_installed() -> None:
    """Makes sure that the SDK is there."""
    if not is_importable("claude_agent_sdk"):
        raise MissingRequirementError(f"claude-sdk needs the package {PACKAGE}: pip install 'tool_sandbox[claude-sdk]'")


class ClaudeSdkDriver(ClaudeDriver):
    """Holds one client, in an event loop in a thread of its own: the client is bound to its loop."""

    def __init__(self, agent: ClaudeCodeAgent, is_in_process: bool) -> None:
        """A driver without a client."""
        super().__init__(agent)
        self._is_in_process = is_in_process
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._client: ClaudeSDKClient | None = None
        self._transport: ProcessTransport | None = None
        self._reply: Reply | None = None
        self._is_connected = False
        self._heard: deque[dict[str, Any]] = deque()
        self._returned = threading.Event()
        self._returned.set()

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes the workspace and the loop; the program starts with the first turn."""
        check_installed()
        super().open(brief, bridge, session)
        self._thread = threading.Thread(target=self._loop.run_forever, name="claude-sdk-loop", daemon=True)
        self._thread.start()

    def _uses_mcp(self) -> bool:
        return not self._is_in_process

    def _turn(self, text: str) -> Reply:
        self._returned.clear()
        turn = ClaudeTurn(self.name, SERVER, self._tools, self._account, needed=self._needed)
        try:
            return self._wait(self._ask(text, turn), self.agent.turn_timeout_s + _NET_S)
        except ModelFailedError as error:
            raise self._provider_failed(str(error), error.status) from None
        finally:
            self._returned.set()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    async def _ask(self, text: str, turn: ClaudeTurn) -> Reply:
        if self._client is None or self._transport is None:
            self._client, self._transport = self._make_client()
        # The SDK would wait for a program that is gone.
        ended = asyncio.ensure_future(self._transport.ended.wait())
        driving = asyncio.ensure_future(self._drive(self._client, text, turn))
        try:
            await asyncio.wait((driving, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            driving.cancel()
        problem = driving.exception() if driving.done() and not driving.cancelled() else None
        if isinstance(problem, ToolSandboxError | ModelFailedError):
            raise problem
        # What the program itself has said is more exact than what the SDK makes of it.
        if (reply := self._reply or self._read(turn)) is not None:
            return reply
        if self._transport.failure is not None:
            raise self._transport.failure
        if problem is None or self._transport.ended.is_set():
            raise await asyncio.to_thread(self._died)
        words = self._words(f"the SDK failed ({type(problem).__name__})", str(problem))
        # What the program said has led to it, as far as anybody can tell.
        raise AgentError(words) from problem

    async def _drive(self, client: "ClaudeSDKClient", text: str, turn: ClaudeTurn) -> None:
        """Has the client go on until there is a reply, or no more to come."""
        self._reply = None
        if not self._is_connected:
            await client.connect()
            self._is_connected = True
        await client.query(text)
        async for _ in client.receive_response():
            self._reply = self._read(turn)
            if self._reply is not None:
                return

    def _read(self, turn: ClaudeTurn) -> Reply | None:
        while self._heard:
            reply = turn.take(self._heard.popleft())
            if reply is not None:
                self._account = turn.account
                return reply
        return None

    def _make_client(self) -> "tuple[ClaudeSDKClient, ProcessTransport]":
        from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

        from tool_sandbox.roles.external.claude_transport import ProcessTransport

        def start() -> "AgentProcess":
            return self._start((self._program, *self._arguments()), self._files(), self._variables())

        transport = ProcessTransport(start, self._take_line)
        servers: Any = {SERVER: self._server()}
        # What the user says is no command of the program, and names no files.
        options = ClaudeAgentOptions(mcp_servers=servers, verbatim_prompts=True)
        return ClaudeSDKClient(options, transport), transport

    def _take_line(self, line: str) -> dict[str, Any] | None:
        """Understands a line of the program; what passes between it and the SDK alone is not kept."""
        message = as_object(line)
        if message is not None and str(message.get("type")).startswith("control_"):
            return message
        self._log.add(line)
        if message is not None:
            self._heard.append(message)
        return message

    def _server(self) -> dict[str, Any]:
        if not self._is_in_process:
            return super()._server()

        def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
            return first(self._bridge.submit([RequestedCall("", name, arguments)]))

        # The SDK's own server would judge the arguments before the sandbox does.
        return {"type": "sdk", "name": SERVER, "instance": ServedTools(self._bridge.tools, call).server()}

    def _files(self) -> dict[str, str]:
        if not self._is_in_process:
            return super()._files()
        return {CONFIG: json.dumps({"mcpServers": {SERVER: {"type": "sdk", "name": SERVER}}})}

    def _variables(self) -> dict[str, str]:
        return {
            **super()._variables(),
            "CLAUDE_CONFIG_DIR": self._place("home/.claude"),
            # As the SDK sets them.
            "CLAUDE_AGENT_SDK_VERSION": importlib.metadata.version(PACKAGE),
            "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
        }

    def cancel(self) -> None:
        """Interrupts the agent, and kills the program should that not help."""
        if self._client is not None and not self._returned.is_set():
            with suppress(Exception):
                self._wait(self._client.interrupt(), INTERRUPT_S)
            self._returned.wait(INTERRUPT_S)
        super().cancel()

    def close(self) -> None:
        """Ends the client, its program and its loop."""
        if self._thread is not None:
            with suppress(Exception):
                if self._client is not None:
                    self._wait(self._client.disconnect(), _CLOSING_S)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_CLOSING_S)
            self._thread = None
        if not self._loop.is_running():
            self._loop.close()
        super().close()


WAYS = ("in-process", "mcp")
"""How the agent reaches the tools."""


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class ClaudeSdkAgent(ClaudeCodeAgent):
    """Plays the agent with a ``ClaudeSDKClient``: the loop of Claude Code, driven from Python.

    Attributes:
        cli_path: Where the program is, the SDK's own or one on the PATH if ``None``.
    """

    provider_name: ClassVar[str] = "claude-sdk"
    how_to_get: ClassVar[str] = "pip install 'tool_sandbox[claude-sdk]'"
    place: ClassVar[str] = "cli_path"

    untold: ClassVar[tuple[str, ...]] = ("kill_after_s", "of_its_own", "cli_path")

    _executor: str = attrs.field(default="subprocess", init=False)
    image: str | None = attrs.field(default=None, init=False)
    binary: str = attrs.field(default="claude", init=False)
    _way: str = attrs.field(default="process", init=False, alias="session")
    bare: bool = attrs.field(default=True, init=False)
    _own: str = attrs.field(default="", init=False, alias="of_its_own")
    _reach: str = attrs.field(default="in-process", alias="tools", validator=one_of(*WAYS))
    cli_path: str | None = None

    def __attrs_post_init__(self) -> None:
        self.binary = self.cli_path or self.binary
        super().__attrs_post_init__()

    @property
    def is_in_process(self) -> bool:
        """Whether the agent reaches the tools in this process."""
        return self._reach == "in-process"

    def describe(self) -> Mapping[str, Any]:
        """The versions of the SDK and of its program, and how it is isolated."""
        check_installed()
        return super().describe()

    def more(self) -> Mapping[str, Any]:
        """What it says as a program, and the version of the SDK."""
        return {**super().more(), "sdk_version": importlib.metadata.version(PACKAGE)}

    def find(self) -> str | None:
        """Where the program is: the one that was named, the SDK's own, or one on the PATH."""
        return (None if self.cli_path else self.bundled()) or super().find()

    @property
    def fixed_tools(self) -> str:
        """Why the tools of a conversation cannot become more, empty over MCP."""
        return "the SDK does not learn of new tools in its own process; choose tools=mcp" if self.is_in_process else ""

    def make_driver(self) -> Driver:
        """Makes what holds a client in a new conversation."""
        return ClaudeSdkDriver(self, self.is_in_process)
