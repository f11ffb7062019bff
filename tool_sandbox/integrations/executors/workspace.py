"""The private directory of one conversation.

The agent can write into it between two of our own accesses, links to other places included. So every path is walked
from the top, directory by directory, and no link is followed.

All directories of a process are in one, which a small program removes as soon as the process is gone, however it ended.
"""

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tool_sandbox.world.errors import AgentError, InfrastructureError

HOME, WORK, TEMPORARY = "home", "work", "tmp"
_TOPS = (HOME, WORK, TEMPORARY)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Workspace:
    """A temporary directory that several processes of the same conversation share.

    Attributes:
        root: The directory, which no other user may enter.
    """

    def __init__(self) -> None:
        """Makes the directory."""
        try:
            self.root = Path(tempfile.mkdtemp(prefix="agent_", dir=shelter()))
            for name in _TOPS:
                (self.root / name).mkdir(0o700)
        except OSError as error:
            raise InfrastructureError(f"no temporary directory for an agent: {error}") from error

    @property
    def home(self) -> Path:
        """What the agent takes for the home of its user."""
        return self.root / HOME

    @property
    def work(self) -> Path:
        """Where the agent is started."""
        return self.root / WORK

    @property
    def temporary(self) -> Path:
        """Where the agent keeps temporary files."""
        return self.root / TEMPORARY

    def place(self, path: str) -> Path:
        """Where a file is."""
        return self.root.joinpath(*_parts(path))

    def write(self, path: str, text: str) -> Path:
        """Writes a file that no other user may read, with the directories above it."""
        *directories, name = _parts(path)
        try:
            parent = self._enter(directories, make=True)
            try:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=parent)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
                with os.fdopen(
                    os.open(name, flags, 0o600, dir_fd=parent), "w", encoding="utf-8", errors="replace"
                ) as file:
                    file.write(text)
            finally:
                os.close(parent)
        except OSError as error:
            raise AgentError(f"the agent's {path} cannot be written: {error.strerror}") from error
        return self.place(path)

    def read(self, path: str, largest: int) -> str | None:
        """Reads a file that the agent has written."""
        *directories, name = _parts(path)
        try:
            parent = self._enter(directories, make=False)
            try:
                descriptor = os.open(name, os.O_RDONLY | _FILE, dir_fd=parent)
            finally:
                os.close(parent)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise AgentError(f"the agent's {path} is not a plain file")
                data = file.read(largest + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise AgentError(f"the agent's {path} cannot be read: {error.strerror}") from error
        if len(data) > largest:
            raise AgentError(f"the agent's {path} is larger than {largest} bytes")
        return data.decode(errors="replace")

    def _enter(self, directories: list[str], *, make: bool) -> int:
        """Opens a directory from the top down; a link anywhere on the way is an error."""
        current = os.open(self.root, _DIRECTORY)
        for name in directories:
            try:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=current)
                inner = os.open(name, _DIRECTORY, dir_fd=current)
            finally:
                os.close(current)
            current = inner
        return current

    def close(self) -> None:
        """Removes the directory with all that is in it."""
        shutil.rmtree(self.root, onerror=_retry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_REMOVE = (
    'exec 3<&0; (read -r _ <&3; for _ in 1 2 3 4 5 6 7 8; do chmod -R u+rwx "$0"; rm -rf "$0" && exit; sleep 1; done) &'
)
"""Waits for the end of its input, which is never closed; what is still being ended may write in the meantime. In the
background, so that what ends a process together with its children, as Ray does, does not end this too."""

_shelters: "dict[tuple[int, str], tuple[Path, subprocess.Popen[bytes] | None]]" = {}
_sheltering = threading.Lock()


def shelter() -> Path:
    """A directory for what this process makes, which is removed once the process is gone, however it ended."""
    with _sheltering:
        place = os.getpid(), tempfile.gettempdir()
        found, _ = _shelters.get(place, (None, None))
        if found is None or not found.is_dir():
            found = Path(tempfile.mkdtemp(prefix="tool_sandbox_agents_"))
            _shelters[place] = found, _remover(found)
        return found


def _remover(directory: Path) -> "subprocess.Popen[bytes] | None":
    if os.name != "posix":
        return None
    remover = subprocess.Popen(  # noqa: S603 - our own program; the path is an argument
        ("/bin/sh", "-c", _REMOVE, str(directory)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.defpath},
        # Control-C is not for it.
        start_new_session=True,
    )
    remover.wait()
    return remover


def _after_fork() -> None:
    """A lock that another thread held during the fork would never be released."""
    global _sheltering
    _sheltering = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _parts(path: str) -> tuple[str, ...]:
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if path.startswith("/") or not parts or ".." in parts or "\0" in path:
        raise ValueError(f"{path!r} is not a path within a workspace")
    return parts if parts[0] in _TOPS and len(parts) > 1 else (WORK, *parts)


def _retry(function: Callable[..., Any], path: str, _: object) -> None:
    """Removes what an agent has locked; what then is still there stays, because nothing depends on it."""
    with contextlib.suppress(OSError):
        for locked in (Path(path).parent, Path(path)):
            if not locked.is_symlink() and locked.is_dir():
                locked.chmod(0o700)
        if function in (os.open, os.scandir, os.listdir):
            shutil.rmtree(path, ignore_errors=True)
        else:
            function(path)
