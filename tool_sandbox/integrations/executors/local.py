"""Runs the programs of agents as processes of this machine."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.integrations.executors.command import Command, Limits
from tool_sandbox.integrations.executors.launching import Launch, launch
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace
from tool_sandbox.world.errors import ConfigurationError

ALLOWED = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    }
)
"""Where programs and libraries are, how text is encoded, and how the network is reached; nothing that lets one in, but
for the password that the address of a proxy may hold."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def base_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The variables that every program gets."""
    base = {name: value for name, value in ours.items() if name in ALLOWED}
    if "LANG" not in base and "LC_ALL" not in base:
        base["LANG"] = "C.UTF-8"
    return {**base, "TZ": "UTC", **without_proxy(ours)}


def without_proxy(ours: Mapping[str, str]) -> dict[str, str]:
    """Has programs reach this machine directly, where a proxy is in use."""
    found = next((ours[name] for name in ("NO_PROXY", "no_proxy") if ours.get(name)), "")
    if not found and not any(name.lower().endswith("_proxy") and value for name, value in ours.items()):
        return {}
    hosts = [host.strip() for host in found.split(",") if host.strip()]
    value = ",".join(dict.fromkeys((*hosts, *_LOOPBACK)))
    return {"NO_PROXY": value, "no_proxy": value}


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
