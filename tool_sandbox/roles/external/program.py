"""What agents have in common that are programs: options, and one workspace, endpoint and process a conversation."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.integrations.mcp import ToolEndpoint, shared_server
from tool_sandbox.models.messages import RequestedCall, ToolResult
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent
from tool_sandbox.roles.external.bridge import Results, ToolBridge
from tool_sandbox.roles.external.cli_log import EventLog
from tool_sandbox.world.errors import AgentError, ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess, Executor, Limits
    from tool_sandbox.integrations.mcp import ToolEndpoint
    from tool_sandbox.integrations.mcp.tools import Offer


@attrs.frozen
class Quirks:
    """What a program makes of tools that are served over MCP.

    Attributes:
        own_arguments: Arguments that it has its model give to every tool, for itself, and passes on nevertheless.
        structured: Whether it needs results as structured content as well.
    """

    own_arguments: frozenset[str] = frozenset()
    structured: bool = False


NO_QUIRKS = Quirks()


def open_endpoint(bridge: ToolBridge, quirks: Quirks = NO_QUIRKS) -> ToolEndpoint:
    """Serves the tools of a conversation on the server of this process."""

    def call(name: str, arguments: Mapping[str, Any]) -> "Future[ToolResult]":
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in bridge.tools}
        foreign = quirks.own_arguments - schemas.get(name, {}).get("properties", {}).keys()
        plain = {key: value for key, value in arguments.items() if key not in foreign}
        return first(bridge.submit([RequestedCall("", name, plain)]))

    return shared_server().open(offered(bridge), call, structured=quirks.structured)


def offered(bridge: ToolBridge) -> "Sequence[Mapping[str, Any]] | Offer":
    """The tools of a bridge, as a server takes them: what gives them, where they may become more."""
    return (lambda: bridge.tools) if bridge.grows else bridge.tools


def close_endpoint(endpoint: ToolEndpoint) -> None:
    """Ends the sessions of a conversation."""
    shared_server().close(endpoint)


def listed(endpoint: ToolEndpoint) -> int:
    """How often the agent has listed its tools: 0 says that it has not connected."""
    return shared_server().listed(endpoint)


def first(results: "Future[Results]") -> "Future[ToolResult]":
    """The only result of a batch of one call."""
    result: Future[ToolResult] = Future()

    def pass_on(done: "Future[Results]") -> None:
        if (error := done.exception()) is not None:
            result.set_exception(error)
        else:
            result.set_result(done.result()[0])

    results.add_done_callback(pass_on)
    return result


_MIB = 2**20


def positive(agent: object, option: "attrs.Attribute[Any]", value: float | None) -> None:
    """Refuses zero and less, and what is endless."""
    if value is not None and not 0 < value < math.inf:
        raise ConfigurationError(f"option {option.alias} has to be greater than 0, got {value:g}")


def one_of(*known: str) -> Any:
    """Refuses a value that an option cannot have."""

    def check(agent: object, option: "attrs.Attribute[Any]", value: str | None) -> None:
        if value is not None and value not in known:
            raise ConfigurationError(f"option {option.alias} has to be one of {', '.join(known)}, got {value!r}")

    return check


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class ProgramAgent(ExternalAgent):
    """Plays the agent with a program. Its attributes are the options of its name.

    Attributes:
        image: Image for the executor docker.
        timeout_s: Seconds that a turn may take, tools included.
        memory_mb: Memory of all its processes together.
        output_mb: What one process may print.
        kill_after_s: Seconds that it has to end by itself once it was asked to.
    """

    _executor: str = "subprocess"
    image: str | None = None
    timeout_s: float = attrs.field(default=600.0, validator=positive)
    memory_mb: int = attrs.field(default=4096, validator=positive)
    output_mb: int = attrs.field(default=64, validator=positive)
    kill_after_s: float = attrs.field(default=5.0, init=False)

    def __attrs_pre_init__(self) -> None:
        super().__init__()

    def __attrs_post_init__(self) -> None:
        self.turn_timeout_s = self.timeout_s
        self.executor()

    def executor(self) -> "Executor":
        """What runs the program."""
        from tool_sandbox.integrations.executors import make_executor

        return make_executor(self._executor, self.image)

    @property
    def limits(self) -> "Limits":
        """The limits of each of its processes."""
        from tool_sandbox.integrations.executors import Limits

        output = self.output_mb * _MIB
        return Limits(self.memory_mb * _MIB, output, min(output, Limits().line_bytes), self.kill_after_s)


class ProgramDriver(Driver):
    """Runs a program in one conversation.

    Attributes:
        agent: Whose driver it is.
        quirks: What the program makes of our tools.
    """

    quirks: ClassVar[Quirks] = NO_QUIRKS
    _log: EventLog

    def __init__(self, agent: ProgramAgent) -> None:
        """A driver that has started nothing."""
        self.agent = agent
        self.name = agent.provider_name
        self._process: AgentProcess | None = None
        self._endpoint: ToolEndpoint | None = None
        self._is_cancelled = False
        self._held = ExitStack()

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes the workspace, and the endpoint where it is wanted; a subclass says when the program starts."""
        from tool_sandbox.integrations.executors import Workspace

        self._brief, self._bridge = brief, bridge
        self._executor = self.agent.executor()
        secrets = self._secrets()
        self._workspace = self._held.enter_context(Workspace())
        self._held.callback(self._kill)
        if self._uses_mcp():
            self._endpoint = open_endpoint(bridge, self.quirks)
            self._held.callback(close_endpoint, self._endpoint)
            secrets = (*secrets, self._endpoint.token)
        self._log = EventLog(session.log, secrets)

    def _secrets(self) -> tuple[str, ...]:
        """What must not be written down, beside the token of the endpoint."""
        return self.agent.secrets

    def _uses_mcp(self) -> bool:
        """Whether the program gets the tools over MCP."""
        return True

    def _at(self) -> "ToolEndpoint":
        """Where the tools are over MCP."""
        assert self._endpoint is not None  # noqa: S101 - made when the conversation began
        return self._endpoint

    def _url(self) -> str:
        """The address of the tools as the program sees it."""
        return self._executor.reach(self._at().url)

    def _server(self) -> dict[str, Any]:
        """The endpoint in the form in which most programs want it."""
        return {"type": "http", "url": self._url(), "headers": dict(self._at().headers)}

    def _place(self, path: str) -> str:
        """Where the program finds a file of its workspace."""
        return self._executor.path(self._workspace, path)

    def _start(
        self, argv: Sequence[str], files: Mapping[str, str], variables: Mapping[str, str], *, stdin: bool = True
    ) -> "AgentProcess":
        """Starts the program in the workspace, in place of the one before."""
        from tool_sandbox.integrations.executors import Command

        self._end()
        if self._is_cancelled:
            raise AgentError(f"{self.name}: the turn was cancelled")
        command = Command(tuple(argv), variables, files, stdin=stdin)
        self._process = self._executor.start(command, self._workspace, self.agent.limits)
        if self._is_cancelled:
            self._process.kill()
        return self._process

    def _end(self) -> None:
        """Lets the program come to its end, if one runs, because it may still be writing something down."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def cancel(self) -> None:
        """Kills the program."""
        self._is_cancelled = True
        self._kill()

    def close(self) -> None:
        """Kills the program and removes what it has left."""
        self._held.close()
