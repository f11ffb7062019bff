"""Who may write into a run directory: only one process and its workers.

A process that plays holds a lock on ``RUN/.lock``, which the operating system frees when the process ends, killed or
not; ``RUN/.holder.json`` says who that is. Each worker process holds a lock of its own (``RUN/.worker-*.lock``), so a
directory is not given away while workers of a killed process still end. Who claims the copy of a run at an address
holds the run there as well, see ``tool_sandbox.runner.leases``.
"""

import contextlib
import datetime
import os
import platform
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from tool_sandbox.helpers.orphans import end_with_parent, is_orphan
from tool_sandbox.helpers.printable import printable
from tool_sandbox.play.opening import check_no_links, read_json
from tool_sandbox.play.trajectory_files import TEMPORARY, write_json
from tool_sandbox.runner.remote import copy_with
from tool_sandbox.world.errors import ConfigurationError

LOCK_FILE = ".lock"
HOLDER_FILE = ".holder.json"
WORKERS = ".worker-*.lock"

PATIENCE_S = 1.0
"""How long a process is given that is about to end, because it was just killed."""

ORPHANS_S = 10.0
"""How long workers of a killed process are given. They need milliseconds, unless the machine is very busy."""

_POLL_S = 0.02


@contextlib.contextmanager
def claim(path: Path) -> Iterator[None]:
    """Holds a run directory, so that no other process plays into it. The thread that holds it may claim it again."""
    if not path.is_dir():
        raise ConfigurationError(f"cannot lock {path / LOCK_FILE}: there is no such directory")
    # One object a directory, so that the same thread can claim it twice: a resumption does, and what it plays with.
    lock = FileLock(path / LOCK_FILE, is_singleton=True)
    is_outermost = not lock.is_locked
    if is_outermost:
        check_no_links(path)
    try:
        lock.acquire(timeout=PATIENCE_S, poll_interval=_POLL_S)
    except Timeout:
        raise ConfigurationError(
            f"{path} is being played by another process{_holder(path)}; wait for it or stop it"
        ) from None
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"cannot lock {path / LOCK_FILE}: {reason}; use a file system that supports locks"
        ) from error
    try:
        if is_outermost:
            _wait_for_orphans(path)
            for file in path.glob(f".*{TEMPORARY}"):
                file.unlink(missing_ok=True)
            _note_holder(path)
        with _at_address(path) if is_outermost else contextlib.nullcontext():
            yield
    finally:
        if is_outermost:
            with contextlib.suppress(OSError):
                (path / HOLDER_FILE).unlink(missing_ok=True)
            _remove_free_locks(path)
        lock.release()


def _at_address(path: Path) -> contextlib.AbstractContextManager[None]:
    """Holds a run at its address, too, if it has one."""
    copy = copy_with(path)
    return contextlib.nullcontext() if copy is None else copy.holding(path)


def check_free(paths: Iterable[Path]) -> None:
    """Refuses directories that another process holds, before anybody is told that they are played."""
    for path in paths:
        with claim(path):
            pass


def is_tidy(path: Path) -> bool:
    """Whether no process holds a run directory, or has been killed while it held it."""
    return not ((path / HOLDER_FILE).exists() or any(path.glob(WORKERS)) or any(path.glob(f".*{TEMPORARY}")))


@contextlib.contextmanager
def taking_part(paths: Iterable[Path]) -> Iterator[None]:
    """Lets a worker process write into directories that its parent holds, for as long as the parent lives."""
    end_with_parent()
    with contextlib.ExitStack() as held:
        for path in paths:
            lock = FileLock(path / WORKERS.replace("*", uuid.uuid4().hex))
            held.enter_context(lock.acquire(timeout=ORPHANS_S, poll_interval=_POLL_S))
        # A live worker has a parent that held the directory when the locks were taken; no other claimed it.
        if is_orphan():
            os._exit(1)
        yield


def _wait_for_orphans(path: Path) -> None:
    """Waits for workers of a process that was killed."""
    deadline = time.monotonic() + ORPHANS_S
    while _remove_free_locks(path):
        if time.monotonic() > deadline:
            raise ConfigurationError(f"worker processes of an ended process still write to {path}; stop them")
        time.sleep(_POLL_S)


def _remove_free_locks(path: Path) -> int:
    """Removes the locks of workers that have ended."""
    alive = 0
    for file in path.glob(WORKERS):
        try:
            with FileLock(file, timeout=0):
                file.unlink(missing_ok=True)
        except Timeout:
            alive += 1
        except OSError:
            continue  # gone meanwhile, or of a system that removes no open file
    return alive


def _note_holder(path: Path) -> None:
    since = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    # Only for the message to others: a disk that is full fails where the run is written.
    with contextlib.suppress(OSError):
        write_json(path / HOLDER_FILE, {"pid": os.getpid(), "host": platform.node(), "since": since}, indent=2)


def _holder(path: Path) -> str:
    try:
        holder = read_json(path / HOLDER_FILE, path)
        return printable(f" (pid {holder['pid']} on {holder['host']} since {holder['since']})")
    except (ConfigurationError, TypeError, KeyError):
        return ""
