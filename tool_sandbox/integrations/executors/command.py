"""What is started, what it may use, and how it fails."""

from collections.abc import Mapping

import attrs

from tool_sandbox.world.errors import AgentError

MIB = 2**20


class ProcessLimitError(AgentError):
    """The process of an agent used more than it may use, and was killed."""


class ProcessTimeoutError(ProcessLimitError, TimeoutError):
    """The process of an agent did not do something in time. It still runs."""


class ProcessEndedError(AgentError, BrokenPipeError):
    """The process of an agent does not take any more input: it has ended, or closed it."""


@attrs.frozen
class Limits:
    """What the process of an agent may use, with all that it starts. How long a turn takes is for others to limit.

    Attributes:
        memory_bytes: Resident memory.
        output_bytes: What it prints, errors included.
        line_bytes: One line of that.
        kill_after_s: Seconds that it has to end by itself once it was asked to.
        processes: Processes at once.
        disk_bytes: What is in its workspace, looked at every few seconds; the kernel holds each file to that, too.
    """

    memory_bytes: int = 4096 * MIB
    output_bytes: int = 64 * MIB
    line_bytes: int = 8 * MIB
    kill_after_s: float = 5.0
    processes: int = 512
    disk_bytes: int = 1024 * MIB


@attrs.frozen
class Command:
    """A program to start.

    Attributes:
        argv: The program and its arguments; never given to a shell.
        environment: Variables that it needs, beside those that an executor gives to every program.
        files: Texts to be written into the workspace before it starts; see `Workspace.write` for the paths.
        stdin: Whether it is written to; otherwise it reads an empty input.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = attrs.field(factory=dict)
    files: Mapping[str, str] = attrs.field(factory=dict)
    stdin: bool = False


def size(count: int) -> str:
    """A number of bytes for people, such as ``512 MiB``."""
    return f"{count / MIB:g} MiB" if count >= MIB else f"{count} bytes"
