"""Runs the programs of agents as processes of this machine."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.integrations.executors.command import Command, Limits
from tool_sandbox.integrations.executors.environment import base_environment, without_proxy
from tool_sandbox.integrations.executors.launching import Launch, launch
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace
from tool_sandbox.world.errors import ConfigurationError


@attrs.frozen
class LocalExecutor:
    """Starts programs as they are, or with a home, a working directory and an environment of their own.

    Attributes:
        name: ``none`` or ``subprocess``.
        is_isolated: Whether programs are kept apart from this user's settings, files and variables.
    """

    name: str = "subprocess"
    is_isolated: bool = True

    def start(self, command: Command, workspace: Workspace, limits: Limits) -> AgentProcess:
        """Starts a program; see `Executor.start`."""
        for path, text in command.files.items():
            workspace.write(path, text)
        directory = workspace.work if self.is_isolated else Path.cwd()
        environment = {**self._base(workspace), **command.environment}
        return launch(Launch(command.argv, environment, directory, workspace.root, command.stdin), limits)

    def _base(self, workspace: Workspace) -> dict[str, str]:
        if not self.is_isolated:
            return {**os.environ, **without_proxy(os.environ)}
        home, temporary = str(workspace.home), str(workspace.temporary)
        return {**base_environment(os.environ), "HOME": home, "TMPDIR": temporary, "PWD": str(workspace.work)}

    def reach(self, url: str) -> str:
        """The address as it is."""
        return url

    def path(self, workspace: Workspace, path: str) -> str:
        """Where the file is."""
        return str(workspace.place(path))

    def check(self) -> None:
        """Looks whether this is a system whose processes can be ended for certain."""
        if os.name != "posix":
            raise ConfigurationError(f"the executor {self.name} works on Linux and macOS only; use executor=docker")

    def find(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A command line that means the same in any directory."""
        program = argv[0]
        found = shutil.which(program)
        if found is None:
            what = "it cannot be run" if Path(program).is_file() else "there is no such program"
            where = f"{Path(program).absolute()}" if "/" in program else f"{program} on the PATH"
            raise ConfigurationError(f"cannot start the agent: {what}: {where}")
        if not self.is_isolated:
            return tuple(argv)
        # A name on the PATH stays what it is: some programs look at the name by which they were called.
        first = str(Path(found).absolute()) if "/" in program or not Path(found).is_absolute() else program
        return (first, *(str(Path(word).absolute()) if _is_file(word) else word for word in argv[1:]))

    def describe(self) -> Mapping[str, Any]:
        """What ``run.json`` says of it."""
        return {"name": self.name}


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False
