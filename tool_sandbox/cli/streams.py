"""Standard streams that no command fails on: characters they cannot show, readers that are gone, streams not there."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from tool_sandbox.world.errors import StorageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STANDARD = range(3)


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Has the process write what can be written: an unknown character by its number, and nothing if there is no reader.

    A file that takes no more raises a ``StorageError``.
    """
    _open_closed()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _lasting(sys.stdout), _lasting(sys.stderr)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _open_closed() -> None:
    """Fills the places of closed streams, so that no file that is opened later is taken for one of them."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) in _STANDARD:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it stays open


def _lasting(stream: TextIO) -> TextIO:
    raw = getattr(stream.buffer, "raw", stream.buffer) if isinstance(stream, io.TextIOWrapper) else None
    if not isinstance(stream, io.TextIOWrapper) or type(raw) is not io.FileIO:
        return stream
    stream.flush()
    target = _Target(raw.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        target if raw is stream.buffer else io.BufferedWriter(target),
        stream.encoding,
        "backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Target(io.FileIO):
    """Drops everything after what could not be written."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            if self.fileno() == 1 and not isinstance(error, BrokenPipeError):
                raise StorageError(f"cannot write to standard output: {error.strerror}") from error
            # The reader (head, say) has seen enough, or is gone.
            return memoryview(data).nbytes
