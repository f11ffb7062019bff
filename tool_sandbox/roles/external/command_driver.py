"""What both ways of running a custom command have in common: workspace, process, log, and how it fails."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.models.faults import one_line
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.cli_log import EventLog
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess, Executor, Limits, Workspace
    from tool_sandbox.integrations.mcp import ToolEndpoint

_ENDING_S = 5.0
_FOR_PYTHON = {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
"""A line that stays in the buffer of a Python program looks like silence."""


@attrs.frozen
class Plan:
    """What a command agent is to run.

    Attributes:
        argv: The command, split into words.
        executor: Where it runs.
        limits: What it may use.
        timeout_s: Seconds that a turn may take.
        environment: Variables that it was promised.
        uses_mcp: Whether it gets the tools over MCP.
        secrets: Texts that must not be written down.
    """

    argv: tuple[str, ...]
    executor: "Executor"
    limits: "Limits"
    timeout_s: float
    environment: Mapping[str, str]
    uses_mcp: bool = False
    secrets: tuple[str, ...] = ()


class CommandDriver(Driver):
    """Runs a command in one conversation.

    Attributes:
        plan: What to run.
        brief: What the agent is told.
        bridge: Where it calls tools.
        log: What it printed.
        endpoint: Where it finds the tools over MCP, ``None`` if it does not.
        workspace: Its private directory.
    """

    brief: Brief
    bridge: ToolBridge
    log: EventLog

    def __init__(self, plan: Plan) -> None:
        """A driver that has started nothing."""
        self.plan = plan
        self.endpoint: ToolEndpoint | None = None
        self.workspace: Workspace | None = None
        self._running: AgentProcess | None = None
        self._is_cancelled = False

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes the workspace, and the endpoint if it is wanted."""
        from tool_sandbox.integrations.executors import Workspace

        self.brief, self.bridge = brief, bridge
        self.workspace = Workspace()
        if self.plan.uses_mcp:
            from tool_sandbox.roles.external.mcp_bridge import open_endpoint

            self.endpoint = open_endpoint(self.tools_for(bridge))
        token = (self.endpoint.token,) if self.endpoint is not None else ()
        self.log = EventLog(session.log, (*self.plan.secrets, *token))

    def tools_for(self, bridge: ToolBridge) -> ToolBridge:
        """The bridge that calls over MCP go to."""
        return bridge

    def start(
        self, argv: Sequence[str], files: Mapping[str, str] | None = None, *, stdin: bool = True
    ) -> "AgentProcess":
        """Starts a process in the workspace."""
        from tool_sandbox.integrations.executors import Command

        assert self.workspace is not None  # noqa: S101 - made when the conversation began
        environment = {**_FOR_PYTHON, **self.plan.environment, **self._mcp_variables()}
        command = Command(tuple(argv), environment, files or {}, stdin=stdin)
        process = self.plan.executor.start(command, self.workspace, self.plan.limits)
        self._running = process
        if self._is_cancelled:
            process.kill()
        return process

    def _mcp_variables(self) -> dict[str, str]:
        if self.endpoint is None:
            return {}
        url = self.plan.executor.reach(self.endpoint.url)
        return {"TOOL_SANDBOX_MCP_URL": url, "TOOL_SANDBOX_MCP_TOKEN": self.endpoint.token}

    def heard(self, process: "AgentProcess", until: float) -> str | None:
        """The next line that a process prints."""
        from tool_sandbox.integrations.executors import ProcessTimeoutError

        left = until - time.monotonic()
        if left <= 0:
            raise ProcessTimeoutError("the agent has used up its time")
        return process.read_line(left)

    @contextlib.contextmanager
    def failing_as(self, process: "AgentProcess") -> Iterator[None]:
        """Has errors of a process say what it had to say itself."""
        from tool_sandbox.integrations.executors import ProcessEndedError, ProcessTimeoutError

        try:
            yield
        except ProcessEndedError:
            raise self.ended(process) from None
        except ProcessTimeoutError:
            raise AgentError(
                f"the agent did not answer within {self.plan.timeout_s:g} s{self._tail(process)}"
            ) from None

    def ended(self, process: "AgentProcess") -> AgentError | InfrastructureError | ConfigurationError:
        """The error for a process that has ended where it should have answered."""
        from tool_sandbox.integrations.executors import ProcessLimitError, ProcessTimeoutError

        try:
            code = process.wait(_ENDING_S)
        except ProcessTimeoutError:
            return AgentError(f"the agent closed its output before it answered{self._tail(process)}")
        except ProcessLimitError as error:
            return error
        return self.failed(process, code, f"the agent ended before it answered, with exit code {code}")

    def failed(
        self, process: "AgentProcess", code: int, words: str
    ) -> AgentError | InfrastructureError | ConfigurationError:
        """The error for a process by its exit code."""
        tail = self._tail(process)
        if self.plan.executor.name == "docker" and code in _OF_DOCKER:
            kind, says = _OF_DOCKER[code]
            return kind(f"{says}{tail}")
        return AgentError(words + tail)

    def _tail(self, process: "AgentProcess") -> str:
        lines = [line for line in self.log.clean(process.stderr_tail).splitlines() if line.strip()]
        tail = one_line(" ".join(lines[-_TAIL_LINES:]), _LONGEST_TAIL)
        return f"; its last words: {tail}" if tail else ""

    def cancel(self) -> None:
        """Kills the process."""
        self._is_cancelled = True
        if self._running is not None:
            self._running.kill()

    def close(self) -> None:
        """Kills the process, and gives endpoint and workspace back."""
        if self._running is not None:
            self._running.kill()
            self._running = None
        if self.endpoint is not None:
            from tool_sandbox.roles.external.mcp_bridge import close_endpoint

            close_endpoint(self.endpoint)
            self.endpoint = None
        if self.workspace is not None:
            self.workspace.close()
            self.workspace = None


_TAIL_LINES, _LONGEST_TAIL = 2, 300
_OF_DOCKER: Mapping[int, tuple[type[InfrastructureError] | type[ConfigurationError], str]] = {
    125: (InfrastructureError, "docker could not run the container"),
    126: (ConfigurationError, "the command cannot be run in the image"),
    127: (ConfigurationError, "there is no such command in the image"),
}
"""Exit codes that are those of ``docker run`` itself. An agent that ends with one of them is misunderstood."""
