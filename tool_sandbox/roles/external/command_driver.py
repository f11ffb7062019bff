"""What both ways of running a custom command have in common: workspace, process, log, and how it fails."""

import abc
import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tool_sandbox.models.faults import one_line
from tool_sandbox.roles.external.program import ProgramAgent, ProgramDriver
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess

_ENDING_S = 5.0
_FOR_PYTHON = {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
"""A line that stays in the buffer of a Python program looks like silence."""


class Commanded(ProgramAgent, abc.ABC):
    """An agent that is a command, as far as those who run it have to know it.

    Attributes:
        argv: Its words.
        environment: Variables that it was promised.
        mcp: Whether it gets the tools over MCP.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    mcp: bool


class CommandDriver(ProgramDriver):
    """Runs a command in one conversation."""

    agent: Commanded

    def _uses_mcp(self) -> bool:
        return self.agent.mcp

    def _argv(self) -> tuple[str, ...]:
        """The command, with the places of files that the person who typed it meant."""
        return self._executor.find(self.agent.argv)

    def run(self, argv: Sequence[str], files: Mapping[str, str] | None = None, *, stdin: bool = True) -> "AgentProcess":
        """Starts a process in the workspace."""
        variables = {**_FOR_PYTHON, **self.agent.environment}
        if self._endpoint is not None:
            variables |= {"TOOL_SANDBOX_MCP_URL": self._url(), "TOOL_SANDBOX_MCP_TOKEN": self._endpoint.token}
        return self._start(argv, files or {}, variables, stdin=stdin)

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
                f"the agent did not answer within {self.agent.timeout_s:g} s{self._tail(process)}"
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
        if self._executor.name == "docker" and code in _OF_DOCKER:
            kind, says = _OF_DOCKER[code]
            return kind(f"{says}{tail}")
        return AgentError(words + tail)

    def _tail(self, process: "AgentProcess") -> str:
        lines = [line for line in self._log.clean(process.stderr_tail).splitlines() if line.strip()]
        tail = one_line(" ".join(lines[-_TAIL_LINES:]), _LONGEST_TAIL)
        return f"; its last words: {tail}" if tail else ""


_TAIL_LINES, _LONGEST_TAIL = 2, 300
_OF_DOCKER: Mapping[int, tuple[type[InfrastructureError] | type[ConfigurationError], str]] = {
    125: (InfrastructureError, "docker could not run the container"),
    126: (ConfigurationError, "the command cannot be run in the image"),
    127: (ConfigurationError, "there is no such command in the image"),
}
"""Exit codes that are those of ``docker run`` itself. An agent that ends with one of them is misunderstood."""
