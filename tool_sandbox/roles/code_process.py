"""Runs code that an agent or a simulated user wrote, in a separate and limited process.

A fresh process serves one message and is killed afterwards; state between messages is the journal
of the console, which is replayed first. The process gets an empty environment, a temporary
directory, limits on time, memory, output and files, and where the kernel allows no network, no
other processes and no files but the standard library (`code_process_limits`). Its messages are
JSON that is checked; tools that the code calls run here, through the caller's dispatch.

What does not hold everywhere: on a kernel without user namespaces, Landlock and seccomp (or on
macOS) the code can read files that the user can read, open connections, and start processes that
outlive it only by leaving their process group. `CodeResult.layers` says what held. The standard
library's clocks and random numbers are those of the machine.
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

from tool_sandbox.common import _wire
from tool_sandbox.common.console import Console, JournalEntry
from tool_sandbox.common.errors import InfrastructureError, ToolSandboxError

_WORKER = Path(__file__).with_name("code_process_worker.py")
_HEADER_BYTES = 4

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
    """

    wall_seconds: float = 10.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * 2**20
    file_bytes: int = 2**20
    source_characters: int = 100_000
    output_characters: int = 65_536
    message_bytes: int = 4 * 2**20
    tool_calls: int = 200


@attrs.frozen
class CodeError:
    """An exception that ended the code.

    Attributes:
        name: Qualified name of its class.
        message: Its text, possibly empty or of several lines.
        module: Module of the class.
    """

    name: str
    message: str
    module: str = "builtins"


@attrs.frozen
class CompileError:
    """Why the code does not compile.

    Attributes:
        name: Name of the exception class.
        message: Its text.
        line: Line number from 1, ``None`` if unknown.
        column: Column from 1, ``None`` if unknown.
        text: The offending source line, ``None`` if unknown.
    """

    name: str
    message: str
    line: int | None = None
    column: int | None = None
    text: str | None = None


@attrs.frozen
class CodeResult:
    """What became of one piece of code.

    Attributes:
        output: What it printed, cut at the limit.
        error: The exception, limit or crash that ended it, ``None`` if it ran to its end.
        compile_error: Set if it does not compile; then nothing ran.
        incomplete: Whether it is the beginning of a longer block; then nothing ran.
        entry: What to add to the console's journal, ``None`` if nothing ran to a known state.
        layers: Protections that held, by the names of `code_process_limits.restrict`.
    """

    output: str = ""
    error: CodeError | None = None
    compile_error: CompileError | None = None
    incomplete: bool = False
    entry: JournalEntry | None = None
    layers: tuple[str, ...] = ()


class _Misbehaved(Exception):  # noqa: N818 - an event, not an error of ours
    """The process broke a limit or the protocol, or died."""


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
    """Runs code in a process of its own and waits for it.

    Args:
        source: The code.
        console: Holds the state that earlier messages left. Not modified.
        tools: Name to tool, for the names and modules under which the code finds them.
        call_tool: Runs the tools that the code calls.
        limits: Bounds, the defaults of `CodeLimits` if omitted.
        module: Module from which the code can import the tools, their own by default.
        shows_last_value: Whether the value of an expression at the end is printed, unless it is ``None``.

    Returns:
        Output and error; what goes wrong inside the process is never raised.

    Raises:
        InfrastructureError: The process could not be started or did not come up, or `call_tool` raised one.
    """
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
        },
    }
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="code_", ignore_cleanup_errors=True))
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        with theirs:
            process = _start(theirs.fileno(), directory)
        stack.callback(_end, process)
        conversation = _Conversation(ours, limits, call_tool)
        try:
            return conversation.hold(job, console.plain_names())
        except _Misbehaved as reason:
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
        self.layers: tuple[str, ...] = ()

    def hold(self, job: dict[str, Any], known_names: set[str]) -> CodeResult:
        """Sends the job and answers calls until the process reports its end."""
        try:
            self._send(job)
            # The answer comes before any of the code has run, so that it cannot be forged.
            self.layers = tuple(self._receive()["layers"])
        except _Misbehaved as reason:
            problem = f"the process for an agent's code did not start, or took longer than {STARTING_SECONDS:g} seconds"
            raise InfrastructureError(problem) from reason
        self._deadline = time.monotonic() + self._limits.wall_seconds
        is_ready = False
        while True:
            message = self._receive()
            try:
                match message["kind"]:
                    case "ready" if not is_ready:
                        # The state of earlier messages is rebuilt.
                        is_ready = True
                        self._deadline = time.monotonic() + self._limits.wall_seconds
                    case "call":
                        self._send(self._answer(message))
                    case "incomplete":
                        return CodeResult(incomplete=True, layers=self.layers)
                    case "invalid":
                        return CodeResult(compile_error=self._compile_error(message), layers=self.layers)
                    case "done":
                        return self._result(message, job["source"], known_names)
                    case kind:
                        raise _Misbehaved(f"the code sent an unknown message {str(kind)[:40]!r}")
            except ToolSandboxError:
                raise
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
                raise _Misbehaved("the code broke the protocol of its process") from error

    def _result(self, message: dict[str, Any], source: str, known_names: set[str]) -> CodeResult:
        output = str(message["output"])[: self._limits.output_characters]
        if message["cut"]:
            output += f"\n[output cut after {self._limits.output_characters} characters]"
        error = message["error"]
        if error is not None:
            text = str(error["message"])[: self._limits.output_characters]
            error = CodeError(str(error["name"])[:200], text, str(error["module"])[:200])
        entry = JournalEntry(
            kind="code",
            source="" if message["complete"] is True else source,
            outcomes=tuple(self._outcomes),
            values={str(name): _wire.decode(value) for name, value in message["values"].items()},
            removed=tuple(sorted(known_names.difference(map(str, message["names"])))),
        )
        return CodeResult(output=output, error=error, entry=entry, layers=self.layers)

    def _compile_error(self, message: dict[str, Any]) -> CompileError:
        line, column, text = message["line"], message["column"], message["text"]
        return CompileError(
            name=str(message["name"])[:200],
            message=str(message["message"])[: self._limits.output_characters],
            line=int(line) if line is not None else None,
            column=int(column) if column is not None else None,
            text=str(text)[: self._limits.output_characters] if text is not None else None,
        )

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if len(self._outcomes) >= self._limits.tool_calls:
            raise _Misbehaved(f"the code called more than {self._limits.tool_calls} tools")
        name = str(message["name"])
        args, kwargs = (_valid_texts(_wire.decode(part)) for part in message["arguments"])
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise TypeError("arguments of a call are a list and a dict")
        try:
            outcome = {"result": _wire.encode(self._call_tool(name, args, {str(key): kwargs[key] for key in kwargs}))}
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
            raise _Misbehaved("the process that ran the code ended early") from error

    def _receive(self) -> dict[str, Any]:
        size = int.from_bytes(self._read(_HEADER_BYTES), "big")
        if size > self._limits.message_bytes:
            raise _Misbehaved("the code produced too much data")
        data = self._read(size)
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise _Misbehaved("the code broke the protocol of its process") from error
        if not isinstance(message, dict) or message.get("secret") != self._secret:
            raise _Misbehaved("the code broke the protocol of its process")
        return message

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
                raise _Misbehaved("the process that ran the code ended before the code did")
            parts += part
        return bytes(parts)

    def _wait(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._too_late()
        self._channel.settimeout(left)

    def _too_late(self) -> _Misbehaved:
        return _Misbehaved(f"time:the code ran longer than {self._limits.wall_seconds:g} seconds and was stopped")


def _valid_texts(value: Any) -> Any:
    """A plain value whose texts are Unicode: as in a direct call, a lone surrogate becomes a question mark."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list() | tuple() | set() | frozenset():
            return type(value)(map(_valid_texts, value))
        case dict():
            return {_valid_texts(key): _valid_texts(item) for key, item in value.items()}
    return value


def _describe(error: BaseException) -> dict[str, str]:
    kind = type(error)
    base = next(parent.__name__ for parent in kind.__mro__ if parent.__module__ == "builtins")
    return {"module": kind.__module__, "name": kind.__qualname__, "base": base, "message": str(error)}
