"""Where the processes of agents run: as they are (``none``), apart (``subprocess``), or in containers (``docker``).

What holds everywhere: a process is ended with all that it has started, also when this process is killed; memory,
output and lines have limits; what it writes as errors is kept only at its end.

``subprocess`` keeps agents from finding settings, logins and keys by accident, and from disturbing one another. It is
no wall against malice: the agent is still this user, and can read what this user can read. ``docker`` is.
"""

from tool_sandbox.integrations.executors.command import (
    Command,
    Limits,
    ProcessEndedError,
    ProcessLimitError,
    ProcessTimeoutError,
)
from tool_sandbox.integrations.executors.executor import EXECUTORS, Executor, first_line, make_executor
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace

__all__ = [
    "EXECUTORS",
    "AgentProcess",
    "Command",
    "Executor",
    "Limits",
    "ProcessEndedError",
    "ProcessLimitError",
    "ProcessTimeoutError",
    "Workspace",
    "first_line",
    "make_executor",
]
