"""Files that a person asked for by a flag."""

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tool_sandbox.world.errors import ConfigurationError

STDOUT = "-"


class OutputFile:
    """A file to be written, as a ``type`` of an argument; ``-`` is standard output.

    Attributes:
        name: As it was typed.
    """

    def __init__(self, name: str) -> None:
        """A file that is not written yet.

        Raises:
            ArgumentTypeError: It is an address, which as a path would be a folder here.
        """
        if "://" in name:
            raise argparse.ArgumentTypeError(f"{name!r} is an address; give a file of this machine")
        self.name = name
        self.stream = sys.stdout

    @property
    def is_stdout(self) -> bool:
        """Whether it is standard output."""
        return self.name == STDOUT

    def __str__(self) -> str:
        return self.name

    def write(self, content: str | bytes) -> None:
        """Writes the whole file."""
        from tool_sandbox.play.trajectory_files import write_bytes

        data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
        if self.is_stdout:
            # As the file would be, whatever the encoding of the terminal.
            self.stream.flush()
            self.stream.buffer.write(data if data.endswith(b"\n") else data + b"\n")
        else:
            with asked_for(self.name):
                write_bytes(Path(self.name), data)


@contextmanager
def alone(arguments: argparse.Namespace) -> Iterator[None]:
    """Keeps what a command tells people from standard output while that is one of its files."""
    flags = [flag for flag, value in vars(arguments).items() if isinstance(value, OutputFile) and value.is_stdout]
    if len(flags) > 1:
        raise ConfigurationError(f"--{flags[0]} and --{flags[1]} cannot both be standard output (-)")
    with contextlib.redirect_stdout(io.StringIO()) if flags else contextlib.nullcontext():
        yield


@contextmanager
def asked_for(path: str | Path) -> Iterator[None]:
    """Has a failure to write a file end the program in one line."""
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {error.strerror or error}") from error
