"""Keeps the files of a run whole: after it is summed up, or after a write has failed, nothing more is written."""

import errno
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

from tool_sandbox.world.errors import StorageError

PATIENCE_S = 2.0
"""Longest wait for a file that is being written while a gate closes."""


class WriteGate:
    """What every file of a run passes that a conversation writes. Sent to another process, it is open there.

    Attributes:
        error: The first write that failed; those after it fail likewise, so that no later file of a conversation
            says that the earlier ones are there.
    """

    def __init__(self, root: Path | None = None, marker: str | None = None) -> None:
        """Opens the gate."""
        self._root, self._marker = root, marker
        self._prefix = "" if root is None else f"{root}{os.sep}"
        self._condition = threading.Condition()
        self._writing = 0
        self._closed = False
        self.error: StorageError | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._root, self._marker)

    def __call__(self, path: Path) -> AbstractContextManager[None]:
        """What a file has to be written within."""
        return self if str(path).startswith(self._prefix) else nullcontext()

    def __enter__(self) -> None:
        with self._condition:
            if self._closed:
                raise StorageError(errno.EPERM, "the run is over", str(self._root))
            self._check()
            self._writing += 1

    def _check(self) -> None:
        if self.error is None and self._root is not None and self._marker is not None:
            marker = self._root / self._marker
            if not marker.exists():
                # Making the directory of a conversation would make that of the run again.
                self.error = StorageError(errno.ENOENT, f"{self._marker} is no longer there", str(self._root))
        if self.error is not None:
            raise StorageError(self.error.errno, self.error.strerror, self.error.filename)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with self._condition:
            self._writing -= 1
            if isinstance(error, StorageError) and self.error is None:
                self.error = error
            self._condition.notify_all()

    def close(self, patience_s: float = PATIENCE_S) -> None:
        """Lets nothing pass any more, and waits for what is passing."""
        with self._condition:
            self._closed = True
            self._condition.wait_for(lambda: not self._writing, patience_s)
