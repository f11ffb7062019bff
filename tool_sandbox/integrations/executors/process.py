"""A running agent: lines to it, lines from it, and its end."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tool_sandbox.integrations.executors import watching
from tool_sandbox.integrations.executors.command import (
    Limits,
    ProcessEndedError,
    ProcessLimitError,
    ProcessTimeoutError,
    size,
)
from tool_sandbox.world.errors import AgentError

MARKER = "TOOL_SANDBOX_PROCESS"
"""Variable by which processes are known that have got away from their supervisor."""

STDERR_BYTES = 16_384
"""How much of the end of the error output is kept."""

WRITE_S = 60.0
"""Default number of seconds that a program has to take a line."""

_CHUNK = 65_536
_SLICE_S = 0.5
_ENDING_S = 45.0


class AgentProcess:
    """A program that runs, with everything that it has started.

    `kill` may be called from any thread; the other methods from one at a time. What the program prints is read while
    one of them waits, and at no other time: a program that prints much has to wait for us, not the other way round.
    """

    def __init__(
        self,
        supervisor: "subprocess.Popen[bytes]",
        control: socket.socket,
        mark: str,
        limits: Limits,
        workspace: Path,
    ) -> None:
        """A program that was just started."""
        self._supervisor = supervisor
        self._control = control
        self._mark = mark
        self._limits = limits
        self._lock = threading.RLock()
        self._is_killed = False
        self._breach: str | None = None
        self._code: int | None = None
        self._reports = bytearray()
        self._is_over = self._is_closed = False
        self._lines = bytearray()
        self._searched = 0
        self._printed = 0
        self._errors = bytearray()
        self._stdin, self._stdout, self._stderr = supervisor.stdin, supervisor.stdout, supervisor.stderr
        control.setblocking(False)
        for pipe in filter(None, (self._stdin, self._stdout, self._stderr)):
            os.set_blocking(pipe.fileno(), False)
        watching.add(supervisor.pid, limits, workspace, self.stop_for)

    @property
    def pid(self) -> int:
        """The supervisor's process, which is above all others of the agent."""
        return self._supervisor.pid

    @property
    def stderr_tail(self) -> str:
        """The end of what it has written as errors."""
        return bytes(self._errors).decode(errors="replace")

    @property
    def is_over(self) -> bool:
        """Whether it is known to have ended."""
        return self._is_over or self._is_killed

    def write_line(self, line: str, timeout_s: float = WRITE_S) -> None:
        """Writes a line to its standard input."""
        left = memoryview(line.encode(errors="replace") + b"\n")

        def is_written() -> bool:
            nonlocal left
            if self._stdin is None or self._is_killed:
                return True
            with contextlib.suppress(BlockingIOError):
                try:
                    left = left[os.write(self._stdin.fileno(), left) :]
                except BrokenPipeError:
                    self._stdin = _close(self._stdin)
            return not left

        with self._lock:
            if not self._exchange(is_written, timeout_s, writing=True):
                raise ProcessTimeoutError(f"the agent did not read its input for {timeout_s:g} s")
            self._check()
            if left:
                raise ProcessEndedError("the agent has ended, or closed its input")

    def close_stdin(self) -> None:
        """Ends its standard input."""
        with self._lock:
            self._stdin = _close(self._stdin)

    def read_line(self, timeout_s: float) -> str | None:
        """The next line that it prints."""
        with self._lock:
            if not self._exchange(self._has_line, timeout_s):
                raise ProcessTimeoutError(f"the agent printed nothing for {timeout_s:g} s")
            self._check()
            end = self._lines.find(b"\n")
            end = len(self._lines) if end < 0 else end + 1
            if end > self._limits.line_bytes:
                self._fail(f"printed a line of more than {size(self._limits.line_bytes)}")
            line = bytes(self._lines[:end])
            del self._lines[:end]
            self._searched = 0
        return line.decode(errors="replace").rstrip("\r\n") if line else None

    def wait(self, timeout_s: float) -> int:
        """Waits until it has ended."""
        with self._lock:
            if not self._exchange(lambda: self._is_over or self._is_killed, timeout_s):
                raise ProcessTimeoutError(f"the agent did not end within {timeout_s:g} s")
            self._check()
        return -signal.SIGKILL if self._code is None else self._code

    def stop(self) -> None:
        """Ends its input, gives it `Limits.kill_after_s` to end by itself, and kills what is left then."""
        if not self._is_killed:
            with contextlib.suppress(AgentError):
                self.close_stdin()
                self.wait(self._limits.kill_after_s)
        self.kill()

    def stop_for(self, reason: str) -> None:
        """Kills it because it has broken a limit; does not wait."""
        self._breach = self._breach or reason
        with contextlib.suppress(OSError):
            self._control.send(b"K")

    def kill(self) -> None:
        """Kills it with everything that it has started, and waits until that is gone. Does nothing the second time."""
        self._is_killed = True
        with contextlib.suppress(OSError):
            self._control.send(b"K")
        if not self._supervisor_ends(_ENDING_S):
            self._supervisor.kill()
        self._supervisor.wait()
        watching.remove(self.pid)
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._take_reports()
            if self._code is None:
                self._sweep()
            self._stdin, self._stdout, self._stderr = map(_close, (self._stdin, self._stdout, self._stderr))
            self._control.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def _supervisor_ends(self, timeout_s: float) -> bool:
        """Waits for the other end of the socket to close, which is quicker to see than the end of a process."""
        descriptor = self._control.fileno()
        if descriptor < 0:
            return True
        poller = select.poll()
        poller.register(descriptor, 0)
        return bool(poller.poll(timeout_s * 1000))

    def _fail(self, reason: str) -> None:
        self.stop_for(reason)
        self._check()

    def _check(self) -> None:
        if self._breach is not None:
            raise ProcessLimitError(f"the agent {self._breach}, and was stopped")

    def _has_line(self) -> bool:
        if self._stdout is None or self._is_killed or len(self._lines) > self._limits.line_bytes:
            return True
        found = self._lines.find(b"\n", self._searched) >= 0
        self._searched = 0 if found else len(self._lines)
        return found

    def _exchange(self, is_done: Callable[[], bool], timeout_s: float, *, writing: bool = False) -> bool:
        """Moves bytes until something is reached."""
        deadline = time.monotonic() + timeout_s
        while not is_done():
            left = deadline - time.monotonic()
            self._move(min(max(left, 0.0), _SLICE_S), writing=writing)
            if left <= 0:
                return is_done()
        return True

    def _move(self, timeout_s: float, *, writing: bool) -> None:
        takers: dict[int, Callable[[], None]] = {}
        poller = select.poll()
        for pipe, taker in ((self._stdout, self._take_output), (self._stderr, self._take_errors)):
            if pipe is not None:
                takers[pipe.fileno()] = taker
        if not self._is_over and not self._is_closed:
            takers[self._control.fileno()] = self._take_reports
        for descriptor in takers:
            poller.register(descriptor, select.POLLIN)
        if writing and self._stdin is not None:
            poller.register(self._stdin.fileno(), select.POLLOUT)
        for descriptor, _ in poller.poll(timeout_s * 1000):
            if descriptor in takers:
                takers[descriptor]()

    def _take_output(self) -> None:
        data = _read(self._stdout)
        if data == b"":
            self._stdout = _close(self._stdout)
        self._lines += data or b""
        self._count(data)

    def _take_errors(self) -> None:
        data = _read(self._stderr)
        if data == b"":
            self._stderr = _close(self._stderr)
        self._errors += data or b""
        del self._errors[:-STDERR_BYTES]
        self._count(data)

    def _count(self, data: bytes | None) -> None:
        self._printed += len(data or b"")
        if self._printed > self._limits.output_bytes:
            self._fail(f"printed more than {size(self._limits.output_bytes)}")

    def _take_reports(self) -> None:
        try:
            data = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._reports += data
        if b"\n" in self._reports or not data:
            self._is_over = True
            with contextlib.suppress(ValueError):
                # No number where the agent could not be ended, and no line where the supervisor was killed.
                self._code = int(self._reports.removeprefix(b"ended "))

    def _sweep(self) -> None:
        """Kills what has outlived its supervisor, which only happens where something has killed that."""
        wanted = f"{MARKER}={self._mark}".encode()
        for _ in range(20):
            found = [pid for pid in watching.processes() if wanted in _environment(pid)]
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not found:
                return


def _read(pipe: IO[bytes] | None) -> bytes | None:
    """What can be read now, ``None`` if that is nothing; empty at the end."""
    try:
        return b"" if pipe is None else os.read(pipe.fileno(), _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _close(pipe: IO[bytes] | None) -> IO[bytes] | None:
    """Closes a pipe, and returns what stands for a closed one."""
    if pipe is not None:
        with contextlib.suppress(OSError):
            pipe.close()
    return None


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
