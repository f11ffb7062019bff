"""Runs the programs of agents in containers, with the ``docker`` command.

The command line is all there is to it, so no package is needed. Keys are never on it: ``docker`` takes the values of
named variables from its own environment.
"""

import csv
import io
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import attrs

from tool_sandbox.integrations.executors.command import Command, Limits
from tool_sandbox.integrations.executors.launching import Launch, launch
from tool_sandbox.integrations.executors.process import AgentProcess
from tool_sandbox.integrations.executors.workspace import Workspace
from tool_sandbox.world.errors import ConfigurationError

HOME, WORK, TEMPORARY = "/home/agent", "/work", "/tmp"  # noqa: S108 - within the container
HOST = "host.docker.internal"
LABEL = "tool_sandbox.agent"

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - looked for, not listened on
_CLIENT = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH")
_CLIENT_ALSO = ("DOCKER_API_VERSION", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK")
_IMAGE = re.compile(r"[A-Za-z0-9][\w./:@+-]{0,254}\Z", re.ASCII)
_CHECK_S = 60.0


@attrs.frozen
class DockerExecutor:
    """Starts each program in a new container, which sees the workspace and nothing else of this machine's files.

    Attributes:
        image: Image of the containers; it has to be on this machine.
        platform: System of this machine, as ``sys.platform`` names it.
        name: ``docker``.
    """

    image: str = attrs.field()
    platform: str = sys.platform
    name: str = "docker"

    @image.validator
    def _check_image(self, _: object, image: str) -> None:
        if not _IMAGE.match(image):
            raise ConfigurationError(f"{image!r} is not the name of a docker image")

    @property
    def shares_network(self) -> bool:
        """Whether containers are in the network of this machine, where its own addresses are the right ones."""
        return self.platform.startswith("linux")

    def start(self, command: Command, workspace: Workspace, limits: Limits) -> AgentProcess:
        """Starts a program; see `Executor.start`."""
        for path, text in command.files.items():
            workspace.write(path, text)
        container = f"tool_sandbox_{secrets.token_hex(8)}"
        argv = self.argv(command, workspace, limits, container)
        # A container outlives the client that has started it.
        remove = ("docker", "rm", "--force", container)
        environment = {**client_environment(os.environ), **_handed_over(command.environment)}
        return launch(Launch(argv, environment, workspace.root, workspace.root, command.stdin, remove), limits)

    def argv(self, command: Command, workspace: Workspace, limits: Limits, container: str) -> tuple[str, ...]:
        """The command line that starts a container."""
        memory, disk = str(limits.memory_bytes), str(limits.disk_bytes)
        plain = {"HOME": HOME, "TMPDIR": TEMPORARY, "TZ": "UTC", **_plain(command.environment)}
        return (
            *("docker", "run", "--rm", "--interactive", "--init", "--pull", "never"),
            *("--name", container, "--label", f"{LABEL}={container}"),
            *("--memory", memory, "--memory-swap", memory, "--pids-limit", str(limits.processes)),
            *("--security-opt", "no-new-privileges", "--cap-drop", "ALL", "--log-driver", "none"),
            *("--ulimit", f"fsize={disk}", "--read-only"),
            *("--tmpfs", f"{TEMPORARY}:rw,nosuid,nodev,mode=1777,size={disk}"),
            *("--mount", _mount(workspace.home, HOME), "--mount", _mount(workspace.work, WORK), "--workdir", WORK),
            *_user(),
            *(("--network", "host") if self.shares_network else ("--add-host", f"{HOST}:host-gateway")),
            *(word for name, value in plain.items() for word in ("--env", f"{name}={value}")),
            *(word for name in _handed_over(command.environment) for word in ("--env", name)),
            *("--entrypoint", command.argv[0], self.image, *command.argv[1:]),
        )

    def reach(self, url: str) -> str:
        """An address on this machine as it is called within the container."""
        return url if self.shares_network else rewrite_host(url)

    def path(self, workspace: Workspace, path: str) -> str:
        """Where the file is within the container."""
        top, *parts = workspace.place(path).relative_to(workspace.root).parts
        return "/".join(({"home": HOME, "work": WORK}.get(top, TEMPORARY), *parts))

    def check(self) -> None:
        """Looks whether a daemon answers and has the image."""
        if shutil.which("docker") is None:
            raise ConfigurationError("the executor docker needs the program docker on the PATH")
        done = _docker("version", "--format", "{{.Server.Version}}")
        if done.returncode != 0:
            raise ConfigurationError(f"the executor docker finds no daemon that answers: {_last_line(done.stderr)}")
        self._image_id()

    def _image_id(self) -> str:
        done = _docker("image", "inspect", "--format", "{{.Id}}", self.image)
        if done.returncode != 0:
            hint = f"get it with: docker pull {self.image}"
            raise ConfigurationError(f"there is no docker image {self.image} on this machine; {hint}")
        return done.stdout.strip()

    def find(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The command line as it is: what it names is within the image."""
        return tuple(argv)

    def describe(self) -> Mapping[str, Any]:
        """What ``run.json`` says of it: the image by name and by content."""
        return {"name": self.name, "image": self.image, "image_id": self._image_id()}


def rewrite_host(url: str) -> str:
    """An address of this machine by the name that it has within a container."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return url
    if host not in _LOCAL_HOSTS:
        return url
    credentials, at, _ = parts.netloc.rpartition("@")
    place = HOST if port is None else f"{HOST}:{port}"
    return urlunsplit(parts._replace(netloc=f"{credentials}{at}{place}"))


def client_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """What the ``docker`` command needs to find its daemon."""
    return {name: ours[name] for name in (*_CLIENT, *_CLIENT_ALSO) if name in ours}


def _handed_over(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that go through the environment of the client."""
    return {name: value for name, value in environment.items() if name not in _plain(environment)}


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that would change what the client does; none of them is secret."""
    return {name: value for name, value in environment.items() if name in _CLIENT or name in _CLIENT_ALSO}


def _mount(source: Path, target: str) -> str:
    # The option is a line of CSV, so that a comma in a path needs quotes.
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(("type=bind", f"source={source}", f"target={target}"))
    return line.getvalue()


def _user() -> tuple[str, ...]:
    # What the agent writes has to be ours, so that it can be removed.
    return ("--user", f"{os.getuid()}:{os.getgid()}") if hasattr(os, "getuid") else ()


def _docker(*words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(  # noqa: S603 - no shell; the image was checked
            ("docker", *words),  # noqa: S607 - wherever the user has it
            env=client_environment(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_CHECK_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ConfigurationError(f"docker {words[0]} did not answer within {_CHECK_S:g} s") from None
    except OSError as error:
        raise ConfigurationError(f"docker cannot be run: {error.strerror}") from error


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it gave no reason"
