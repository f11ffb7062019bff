"""Watches over memory, processes and disk of all agents of this process, from one thread.

One look at the table of processes serves all agents, so that hundreds of them cost little more than one. The thread is
there only while agents are.
"""

import contextlib
import errno
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import attrs

from tool_sandbox.integrations.executors.command import Limits, size

INTERVAL_S = 0.25
DISK_INTERVAL_S = 2.0
_BLOCK = 4096

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PARENT, _RESIDENT = 1, 21
"""Places in ``/proc/PID/stat``, counted from the field behind the name."""


@attrs.frozen
class _Watched:
    limits: Limits
    workspace: Path
    stop: Callable[[str], None]


_lock = threading.Lock()
_watched: dict[int, _Watched] = {}
_thread: list[threading.Thread] = []
_wake = threading.Event()

Table = Mapping[int, tuple[int, int]]
"""Process to its parent and its resident bytes."""


def add(supervisor: int, limits: Limits, workspace: Path, stop: Callable[[str], None]) -> None:
    """Watches an agent from now on."""
    with _lock:
        _watched[supervisor] = _Watched(limits, workspace, stop)
        if not (_thread and _thread[0].is_alive()):
            _wake.clear()
            _thread[:] = [threading.Thread(target=_watch, name="agent-limits", daemon=True)]
            _thread[0].start()


def remove(supervisor: int) -> None:
    """Watches an agent no longer."""
    with _lock:
        _watched.pop(supervisor, None)
        if not _watched:
            _wake.set()


def _watch() -> None:
    next_look = 0.0
    while True:
        _wake.wait(INTERVAL_S)
        with _lock:
            if not _watched:
                _thread.clear()
                return
            _wake.clear()
            agents = dict(_watched)
        table = processes()
        for supervisor, tree in trees(table, agents).items():
            reason = judge(tree, table, agents[supervisor].limits)
            if reason is not None:
                agents[supervisor].stop(reason)
        begun = time.monotonic()
        if begun >= next_look:
            for agent in agents.values():
                if on_disk(agent.workspace, agent.limits.disk_bytes) > agent.limits.disk_bytes:
                    agent.stop(f"filled its directory with more than {size(agent.limits.disk_bytes)}, or hid its size")
            # However much there is to look at, it takes a small part of the time.
            now = time.monotonic()
            next_look = now + max(DISK_INTERVAL_S, 20 * (now - begun))


def on_disk(directory: Path, enough: int) -> int:
    """Bytes that a directory takes, at least a block for each entry; no link is followed."""
    total, left = 0, [str(directory)]
    while left and total <= enough:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    # It may be removed meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        total += max(entry.stat(follow_symlinks=False).st_blocks * 512, _BLOCK)
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    if total > enough:
                        break
        except OSError as error:
            total += enough + 1 if error.errno in (errno.EACCES, errno.ENAMETOOLONG) else 0
    return total


def judge(tree: Iterable[int], table: Table, limits: Limits) -> str | None:
    """What some processes use too much of, ``None`` if nothing."""
    pids = list(tree)
    if len(pids) > limits.processes:
        return f"ran more than {limits.processes} processes at once"
    resident = sum(table[pid][1] for pid in pids)
    # Memory that processes share was counted once for each; the slow way to count it right is for the few that matter.
    if resident > limits.memory_bytes and sum(_own_share(pid, table[pid][1]) for pid in pids) > limits.memory_bytes:
        return f"used more than {size(limits.memory_bytes)} of memory"
    return None


def trees(table: Table, roots: Iterable[int]) -> dict[int, list[int]]:
    """The processes below others."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: dict[int, list[int]] = {}
    for root in roots:
        below = found[root] = []
        level = children.get(root, [])
        while level:
            below += level
            level = [child for pid in level for child in children.get(pid, ())]
    return found


def processes() -> Table:
    """All processes of this machine, as far as they can be seen."""
    if not Path("/proc/self/stat").exists():
        return _by_ps()
    table = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - many times as fast as pathlib
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
                table[int(name)] = int(fields[_PARENT]), int(fields[_RESIDENT]) * _PAGE
    return table


def _by_ps() -> Table:
    # Systems without /proc have this program, with these options, in the same place.
    command = ["/bin/ps", "-axo", "pid=,ppid=,rss="]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = [line.split() for line in done.stdout.splitlines()]
    return {int(row[0]): (int(row[1]), int(row[2]) * 1024) for row in rows if len(row) == 3 and row[2].isdigit()}


def _own_share(pid: int, resident: int) -> int:
    """Resident memory of a process, with what it shares counted in part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, ValueError, StopIteration):
        return resident
