"""What an executor is, and how one is chosen."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.integrations.executors.command import MIB, Command, Limits
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace
from tool_sandbox.world.errors import AgentError, ConfigurationError, UnknownNameError

EXECUTORS = ("none", "subprocess", "docker")
"""Names to choose from: with this user's own settings and files, apart from them, in a container."""


class Executor(Protocol):
    """A place where the processes of agents run. Has no state of its own: one serves any number of conversations."""

    @property
    def name(self) -> str:
        """One of `EXECUTORS`."""
        ...

    def start(self, command: Command, workspace: Workspace, limits: Limits) -> AgentProcess:
        """Starts a program."""
        ...

    def reach(self, url: str) -> str:
        """An address on this machine as the program has to be told it."""
        ...

    def path(self, workspace: Workspace, path: str) -> str:
        """Where the program finds a file of its workspace."""
        ...

    def check(self) -> None:
        """Looks whether programs can be started here."""
        ...

    def find(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A command line with the places of files that the person who typed it meant."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What ``run.json`` says of it."""
        ...


def make_executor(choice: str, image: str | None = None) -> Executor:
    """Makes an executor."""
    from tool_sandbox.integrations.executors.docker import DockerExecutor
    from tool_sandbox.integrations.executors.local import LocalExecutor

    if choice not in EXECUTORS:
        message = f"there is no executor {choice!r}; choose one of {', '.join(EXECUTORS)}."
        raise UnknownNameError(message, suggest(choice, EXECUTORS))
    if choice == "docker":
        if not image:
            raise ConfigurationError("the executor docker needs an image: image=NAME")
        return DockerExecutor(image)
    if image:
        raise ConfigurationError(f"the executor {choice} has no image; an image goes with executor=docker")
    return LocalExecutor(choice, is_isolated=choice == "subprocess")


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
