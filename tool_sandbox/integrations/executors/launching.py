"""Starts a program under the care of a supervisor."""

import contextlib
import marshal
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.integrations.executors.command import Limits
from tool_sandbox.integrations.executors.process import MARKER, AgentProcess
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_LENGTH_BYTES = 4
_START_S = 60.0


@attrs.frozen
class Launch:
    """A program as it is to be started on this machine.

    Attributes:
        argv: The program and its arguments.
        environment: All its variables.
        directory: Where it is started.
        workspace: Directory of the conversation.
        stdin: Whether it is written to.
        epilogue: Program that ends what it has left elsewhere; run when it did not end by itself.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    directory: Path
    workspace: Path
    stdin: bool = False
    epilogue: Sequence[str] = ()


def launch(what: Launch, limits: Limits) -> AgentProcess:
    """Starts a program, with a supervisor that outlives this process for as long as it takes to end the program."""
    mark = secrets.token_hex(16)
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            supervisor = _start_supervisor(theirs.fileno(), stdin=what.stdin)
    except (OSError, ValueError) as error:
        ours.close()
        raise InfrastructureError(f"no process could be started for an agent: {error}") from error
    job = {
        "argv": list(what.argv),
        "environment": {**what.environment, MARKER: mark},
        "directory": str(what.directory),
        "file_bytes": limits.disk_bytes,
        "epilogue": list(what.epilogue),
    }
    try:
        failure = _hand_over(ours, job)
    except OSError as error:
        _give_up(supervisor, ours)
        raise InfrastructureError(f"no process could be started for an agent: {error}") from error
    if failure is not None:
        _give_up(supervisor, ours)
        raise ConfigurationError(f"{what.argv[0]} cannot be started: {os.strerror(failure)}")
    return AgentProcess(supervisor, ours, mark, limits, what.workspace)


def _start_supervisor(channel: int, *, stdin: bool) -> "subprocess.Popen[bytes]":
    # Nothing of this environment: the agent can look at that of its parent.
    environment = {name: os.environ[name] for name in _LIBRARIES if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - our own program; the agent's is handed over the socket
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_SUPERVISOR), str(channel)],
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pass_fds=(channel,),
        cwd="/",
        env=environment,
        start_new_session=True,
    )


def _hand_over(control: socket.socket, job: Mapping[str, Any]) -> int | None:
    """Sends the job, and waits until the program runs."""
    data = marshal.dumps(dict(job))
    control.settimeout(_START_S)
    control.sendall(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    answer = b""
    while not answer.endswith(b"\n"):
        # Byte by byte, so that what follows is left for the process.
        part = control.recv(1)
        if not part:
            raise OSError("its supervisor has ended")
        answer += part
    word, number = answer.split()
    return int(number) if word == b"failed" else None


def _give_up(supervisor: "subprocess.Popen[bytes]", control: socket.socket) -> None:
    control.close()
    for pipe in (supervisor.stdin, supervisor.stdout, supervisor.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        supervisor.wait(_START_S)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
