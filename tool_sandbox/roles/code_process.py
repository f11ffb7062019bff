"""Runs code that an agent or a simulated user wrote, in a separate and limited process.

A fresh process serves one message and is killed afterwards; state between messages is the journal
of the console, which is replayed first. The process gets an empty environment, a temporary
directory, limits on time, memory, output and files, and the layers of `LAYERS` that the kernel
allows (`code_process_limits`, `code_process_calls`); `CodeResult.layers` says which held.

The code owns its process: it can find the channel and send what it likes. With that it can end its
own message with any output, error and variables, and call the tools that it may call anyway, no
more of them. It cannot hide a call, which is logged here before it is answered, nor say that a
layer held, which is told before any code runs. `code_process_messages` bounds and checks what
comes; a message that it does not take ends the code with an error and is never a fault of ours.

What no layer stops: the code sees the clock, the name of the machine and the random numbers of the
system. What each missing layer leaves open is told in docs/test-your-agent.md.
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.conversation import wire
from tool_sandbox.conversation.console import Console, JournalEntry
from tool_sandbox.helpers.untrusted import LARGEST_MESSAGE, fault_of_arguments
from tool_sandbox.integrations.executors.workspace import shelter
from tool_sandbox.roles import code_process_messages as messages
from tool_sandbox.roles.code_process_messages import (
    CodeCall,
    CodeError,
    CodeFinished,
    CompileError,
    Message,
    Misbehaved,
    Started,
    read_message,
)
from tool_sandbox.world.errors import InfrastructureError, ToolSandboxError

__all__ = ["LAYERS", "STARTING_SECONDS", "CodeError", "CodeLimits", "CodeResult", "CompileError", "run_code"]

_WORKER = Path(__file__).with_name("code_process_worker.py")
_HEADER_BYTES = 4

LAYERS = {
    "limits": "CPU time, memory, size and number of files",
    "namespaces": "own users, IPC and an empty network",
    "root": "a root directory in which there is nothing but the standard library and shared libraries",
    "scratch": "a small working directory in memory",
    "capabilities": "no privileges, even for root",
    "files": "Landlock: no other files can be read, written or listed",
    "calls": "seccomp: no processes, sockets, signals, and no changes of owners, modes, times and attributes",
}
"""What each layer gives, in the order in which they are put on."""

STARTING_SECONDS = 60.0
"""Time in which the process has to be there, on a machine where many others run. Not part of what the code may take."""

CallTool = Callable[[str, list[Any], dict[str, Any]], Any]
"""Runs a tool by name with positional and keyword arguments; what it raises, the code sees."""


@attrs.frozen
class CodeLimits:
    """Bounds on one piece of code.

    Attributes:
        wall_seconds: Time until the process is killed, the tools it calls included. Rebuilding the state of earlier
            messages may take as long again.
        cpu_seconds: CPU time until the kernel ends the process; twice that where a state has to be rebuilt.
        memory_bytes: Address space.
        file_bytes: Size of any file it writes.
        source_characters: Length of the code.
        output_characters: Printed text that is kept.
        message_bytes: One message from the process.
        tool_calls: Number of tools it may call.
        without: Layers that are left out, to see what the others hold.
        landlock: Newest version of Landlock that is used, likewise.
    """

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * 2**20
    file_bytes: int = 2**20
    source_characters: int = 100_000
    output_characters: int = 65_536
    message_bytes: int = LARGEST_MESSAGE
    tool_calls: int = 200
    without: tuple[str, ...] = ()
    landlock: int = 2**16


@attrs.frozen
class CodeResult:
    """What became of one piece of code.

    Attributes:
        output: What it printed, cut at the limit.
        error: The exception, limit or crash that ended it, ``None`` if it ran to its end.
        compile_error: Set if it does not compile; then nothing ran.
        incomplete: Whether it is the beginning of a longer block; then nothing ran.
        entry: What to add to the console's journal, ``None`` if nothing ran to a known state.
        layers: Protections that held, by the names of `LAYERS`.
    """

    output: str = ""
    error: CodeError | None = None
    compile_error: CompileError | None = None
    incomplete: bool = False
    entry: JournalEntry | None = None
    layers: tuple[str, ...] = ()


def run_code(
    source: str,
    console: Console,
    tools: Mapping[str, Callable[..., Any]],
    call_tool: CallTool,
    limits: CodeLimits | None = None,
    *,
    module: str | None = None,
    shows_last_value: bool = False,
) -> CodeResult:
    """Runs code in a process of its own and waits for it."""
    limits = limits or CodeLimits()
    if os.name != "posix":
        return CodeResult(error=CodeError("NotImplementedError", "code can be run on Linux and macOS only"))
    if len(source) > limits.source_characters:
        text = f"the code is {len(source)} characters long; the limit is {limits.source_characters}"
        return CodeResult(error=CodeError("ValueError", text))
    try:
        source.encode()
    except UnicodeEncodeError as error:
        return CodeResult(compile_error=CompileError("ValueError", f"the code is not valid Unicode: {error.reason}"))
    modules: dict[str, list[str]] = {}
    for name, tool in tools.items():
        modules.setdefault(module or tool.__module__, []).append(name)
    is_rebuilt = any(entry.source for entry in console.journal)
    job = {
        "source": source,
        "shows_last_value": shows_last_value,
        "journal": [entry.as_json() for entry in console.journal],
        "tools": modules,
        "output_characters": limits.output_characters,
        "message_bytes": limits.message_bytes,
        "limits": {
            "cpu_seconds": limits.cpu_seconds * (2 if is_rebuilt else 1),
            "memory_bytes": limits.memory_bytes,
            "file_bytes": limits.file_bytes,
            "without": limits.without,
            "landlock": limits.landlock,
        },
    }
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(dir=shelter(), ignore_cleanup_errors=True))
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        with theirs:
            process = _start(theirs.fileno(), directory)
        stack.callback(_end, process)
        conversation = _Conversation(ours, limits, call_tool)
        try:
            return conversation.hold(job, console.plain_names())
        except Misbehaved as reason:
            _end(process)
            return CodeResult(error=_cause(process, str(reason)), layers=conversation.layers)


def _start(channel: int, directory: str) -> "subprocess.Popen[bytes]":
    # No site packages, no user directory, no script directory on the path, no byte code written; a
    # fixed hash seed keeps the order of sets reproducible. This is `-I` without its random hashing.
    command = [sys.executable, "-s", "-S", "-P", "-B", str(_WORKER), str(channel)]
    environment = {"PYTHONHASHSEED": "0", "HOME": directory, "LC_ALL": "C.UTF-8"}
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        # Where a Python is built as a shared library, it is found through these.
        if name in os.environ:
            environment[name] = os.environ[name]
    try:
        return subprocess.Popen(  # noqa: S603 - our own program; nothing from a model is in the command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(channel,),
            cwd=directory,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise InfrastructureError(f"the process for an agent's code could not be started: {error}") from error


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kills the process with its whole group, and collects it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _cause(process: "subprocess.Popen[bytes]", reason: str) -> CodeError:
    if process.returncode == -signal.SIGXCPU:
        return CodeError("TimeoutError", "the code used up its CPU time and was stopped")
    if reason.startswith("time:"):
        return CodeError("TimeoutError", reason.removeprefix("time:"))
    return CodeError("RuntimeError", reason)


class _Conversation:
    """The exchange of messages with one process."""

    def __init__(self, channel: socket.socket, limits: CodeLimits, call_tool: CallTool) -> None:
        self._channel = channel
        self._limits = limits
        self._call_tool = call_tool
        self._deadline = time.monotonic() + STARTING_SECONDS
        self._secret = secrets.token_hex(16)
        self._outcomes: list[dict[str, Any]] = []
        self._called = 0
        self.layers: tuple[str, ...] = ()

    def hold(self, job: dict[str, Any], known_names: set[str]) -> CodeResult:
        """Sends the job and answers calls until the process reports its end."""
        try:
            self._send(job)
            # The answer comes before any of the code has run, so that it cannot be forged.
            started = self._receive()
            if not isinstance(started, Started):
                raise Misbehaved("it did not say that it has started")
        except Misbehaved as reason:
            problem = f"the process for an agent's code did not start, or took longer than {STARTING_SECONDS:g} seconds"
            raise InfrastructureError(problem) from reason
        self.layers = started.layers
        self._deadline = time.monotonic() + self._limits.wall_seconds
        is_ready = False
        while True:
            match self._receive():
                case messages.READY if not is_ready:
                    # The state of earlier messages is rebuilt.
                    is_ready = True
                    self._deadline = time.monotonic() + self._limits.wall_seconds
                case CodeCall() as call:
                    self._send(self._answer(call))
                case messages.INCOMPLETE:
                    return CodeResult(incomplete=True, layers=self.layers)
                case CompileError() as error:
                    return CodeResult(compile_error=error, layers=self.layers)
                case CodeFinished() as done:
                    return self._result(done, job["source"], known_names)
                case _:
                    raise Misbehaved("the code broke the protocol of its process")

    def _result(self, done: CodeFinished, source: str, known_names: set[str]) -> CodeResult:
        cut = f"\n[output cut after {self._limits.output_characters} characters]" if done.is_cut else ""
        entry = JournalEntry(
            kind="code",
            source="" if done.is_complete else source,
            outcomes=tuple(self._outcomes),
            values=done.values,
            removed=tuple(sorted(known_names - done.names)),
        )
        return CodeResult(output=done.output + cut, error=done.error, entry=entry, layers=self.layers)

    def _answer(self, call: CodeCall) -> dict[str, Any]:
        if len(self._outcomes) >= self._limits.tool_calls:
            raise Misbehaved(f"the code called more than {self._limits.tool_calls} tools")
        self._called += call.size
        fault = fault_of_arguments([call.arguments, call.keywords])
        if self._called > LARGEST_MESSAGE:
            fault = f"arguments of more than {LARGEST_MESSAGE:,} bytes in one program"
        try:
            if fault is not None:
                raise ValueError(f"the call of {call.name} has {fault}")
            outcome = {"result": wire.encode(self._call_tool(call.name, call.arguments, call.keywords))}
        except (ToolSandboxError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            # Besides exceptions: panics of native libraries, which derive from BaseException.
            outcome = {"error": _describe(error)}
        self._outcomes.append(outcome)
        return outcome

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"secret": self._secret, **message}).encode()
        self._wait()
        try:
            self._channel.sendall(len(data).to_bytes(_HEADER_BYTES, "big") + data)
        except TimeoutError as error:
            raise self._too_late() from error
        except OSError as error:
            raise Misbehaved("the process that ran the code ended early") from error

    def _receive(self) -> Message:
        size = int.from_bytes(self._read(_HEADER_BYTES), "big")
        if size > self._limits.message_bytes:
            raise Misbehaved("the code produced too much data")
        return read_message(self._read(size), self._secret, self._limits.output_characters)

    def _read(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            self._wait()
            try:
                part = self._channel.recv(min(count - len(parts), 65_536))
            except TimeoutError as error:
                raise self._too_late() from error
            except OSError:
                part = b""
            if not part:
                raise Misbehaved("the process that ran the code ended before the code did")
            parts += part
        return bytes(parts)

    def _wait(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._too_late()
        self._channel.settimeout(left)

    def _too_late(self) -> Misbehaved:
        return Misbehaved(f"time:the code ran longer than {self._limits.wall_seconds:g} seconds and was stopped")


def _describe(error: BaseException) -> dict[str, str]:
    kind = type(error)
    base = next(parent.__name__ for parent in kind.__mro__ if parent.__module__ == "builtins")
    return {"module": kind.__module__, "name": kind.__qualname__, "base": base, "message": str(error)}
