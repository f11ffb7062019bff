"""Asks a program one thing before the first conversation, such as its version."""

import time
from collections.abc import Callable, Sequence

from tool_sandbox.integrations.executors.command import MIB, Command, Limits
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace
from tool_sandbox.world.errors import AgentError, ConfigurationError

ANSWER_S = 60.0
"""Seconds that a program has to answer. Large ones start slowly on a busy machine."""

_LIMITS = Limits(output_bytes=MIB, line_bytes=MIB)


def first_line(start: Callable[[Command, Workspace, Limits], AgentProcess], argv: Sequence[str]) -> str:
    """Runs a program in a workspace of its own."""
    asked = " ".join(argv)
    deadline = time.monotonic() + ANSWER_S
    with Workspace() as workspace, start(Command(tuple(argv)), workspace, _LIMITS) as process:
        try:
            lines = []
            while (line := process.read_line(deadline - time.monotonic())) is not None:
                lines.append(line.strip())
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except AgentError as error:
            raise ConfigurationError(f"{asked}: {error}") from error
        if code != 0:
            reason = " ".join(process.stderr_tail.split())[-300:]
            raise ConfigurationError(f"{asked} failed with exit code {code}{': ' if reason else ''}{reason}")
    said = next(filter(None, lines), None)
    if said is None:
        raise ConfigurationError(f"{asked} printed nothing")
    return said
