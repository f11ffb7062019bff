"""Starts one agent, and sees to it that nothing of it is left; the program of a small process of its own.

Started as a script by `launching`, with nothing but the standard library. It ends the agent and everything that the
agent has started when it is told to, when the agent's first process ends, and when the process that wants the agent is
gone, however that ended. On Linux orphans of the agent become children of this process, so that none gets away by
forking twice; elsewhere the agent's process group is all that can be found.

Over one socket it gets the job (length, then the data) and single letters, and says what happened: a word and a number
on a line. Only modules that load quickly are used, because a run starts hundreds of these.
"""

import contextlib
import ctypes
import marshal
import os
import resource
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_LENGTH_BYTES = 4
_CHECK_MS = 1000
_QUICK_S, _ENDING_S, _EPILOGUE_S = 0.05, 15.0, 20.0


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _receive(control: int) -> "dict[str, Any]":
    def read(count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(control, min(count - len(data), 65_536))
            if not part:
                os._exit(1)
            data += part
        return data

    # From the process that has started this one, and so from the same Python.
    job: dict[str, Any] = marshal.loads(read(int.from_bytes(read(_LENGTH_BYTES), "big")))  # noqa: S302
    return job


def _send(control: int, word: str, number: int | None) -> None:
    with contextlib.suppress(OSError):
        os.write(control, f"{word} {'?' if number is None else number}\n".encode())


def _become_agent(job: "dict[str, Any]", supervisor: int, failure: int) -> None:
    """Turns the calling process into the agent; on failure says why and ends."""
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(1)
        # What this Python has changed for itself.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            # Where the machine runs out of memory, the agent goes first.
            file.write("1000")
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_bytes"], job["file_bytes"]))
        os.chdir(job["directory"])
        os.execvpe(job["argv"][0], job["argv"], job["environment"])  # noqa: S606 - no shell is what is wanted
    except (OSError, ValueError) as error:
        os.write(failure, f"{getattr(error, 'errno', None) or 22}".encode())
    finally:
        os._exit(127)


def _start(job: "dict[str, Any]") -> tuple[int, int]:
    """Starts the agent."""
    supervisor = os.getpid()
    read, write = os.pipe()
    main = os.fork()
    if main == 0:
        _become_agent(job, supervisor, write)
    os.close(write)
    said = os.read(read, 16)
    os.close(read)
    return main, int(said or 0)


def _let_go() -> None:
    """Closes the agent's own pipes here, so that their end is seen once the agent is gone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _reap(main: int) -> tuple[bool, int | None]:
    """Collects what has ended."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False, code
        if pid == 0:
            return True, code
        if pid == main:
            code = os.waitstatus_to_exitcode(status)


def _descendants(root: int) -> list[int]:
    """All processes below one, by the table of the kernel; none where there is no such table."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):
        for entry in os.listdir("/proc"):  # noqa: PTH208 - pathlib would be a slow import here
            if entry.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                    children.setdefault(parent, []).append(int(entry))
    found: list[int] = []
    below = [root]
    while below:
        below = [child for pid in below for child in children.get(pid, ())]
        found += below
    return found


def _kill(main: int, code: int | None) -> int | None:
    """Ends the agent and all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(main, signal.SIGKILL)
    begin = time.monotonic()
    pause = 0.001
    while (passed := time.monotonic() - begin) < _ENDING_S:
        left, ended = _reap(main)
        code = ended if ended is not None else code
        if not left:
            return code
        if passed > _QUICK_S:
            # Processes that have left the group. One that forks faster than this kills is met again in the next round.
            for pid in _descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return code


def _watch(control: int, wakeup: int, main: int) -> int | None:
    """Waits until the agent ends or is to be ended."""
    parent = os.getppid()
    poller = select.poll()
    for descriptor in (control, wakeup):
        poller.register(descriptor, select.POLLIN)
    # Started again by somebody else means that who has started this process is gone, even if a copy of its end of
    # the socket lives on in another process.
    while os.getppid() == parent:
        ready = {descriptor for descriptor, _ in poller.poll(_CHECK_MS)}
        if wakeup in ready and signal.SIGTERM in os.read(wakeup, 4096):
            return None
        if control in ready:
            try:
                told = os.read(control, 64)
            except OSError:
                # Closed there before all was read.
                return None
            if not told or b"K" in told:
                return None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(main, signal.SIGTERM)
        _, code = _reap(main)
        if code is not None:
            return code
    return None


def _finish(job: "dict[str, Any]") -> None:
    """Runs the program that ends what lives elsewhere, a container for example."""
    import subprocess  # a slow import, and rarely needed

    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(  # noqa: S603 - given by who has started this
            job["epilogue"],
            env=job["environment"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_EPILOGUE_S,
            check=False,
        )


def main() -> None:
    """Runs one agent to its end."""
    control = int(sys.argv[1])
    os.set_inheritable(control, False)
    job = _receive(control)
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    agent, error = _start(job)
    if error:
        _send(control, "failed", error)
        os._exit(0)
    _let_go()
    # Keeps the agent from looking into this process or changing it.
    _prctl(_PR_SET_DUMPABLE, 0)
    _send(control, "started", agent)
    ended = _watch(control, wakeup, agent)
    code = _kill(agent, ended)
    if ended is None and job["epilogue"]:
        _finish(job)
    _send(control, "ended", code)
    os._exit(0)


if __name__ == "__main__":
    main()
