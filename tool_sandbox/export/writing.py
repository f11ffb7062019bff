"""Writes files whole: what is there is complete, and what was there stays until then."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tool_sandbox.play.trajectory_files import TEMPORARY
from tool_sandbox.world.errors import ConfigurationError

Target = Path | BinaryIO
"""Where something is written: a path, or a stream such as standard output."""


@contextmanager
def written_whole(target: Target) -> Iterator[BinaryIO]:
    """Opens a file to be written bit by bit, which takes its name once it is complete.

    Args:
        target: The file, whose directory is made when missing; or a stream, which is written as it is.

    Raises:
        ConfigurationError: It cannot be written.
    """
    if not isinstance(target, Path):
        yield target
        return
    if target.is_dir():
        raise ConfigurationError(f"{target} is a directory; give the name of a file")
    temporary = target.with_name(f".{secrets.token_hex(8)}{TEMPORARY}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
        temporary.replace(target)
    except OSError as error:
        raise ConfigurationError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def json_line(value: Any) -> bytes:
    """A line of a file of JSON lines."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"
