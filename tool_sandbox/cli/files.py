"""Files that a person asked for by a flag."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tool_sandbox.common.errors import ConfigurationError


@contextmanager
def asked_for(path: str | Path) -> Iterator[None]:
    """Has a failure to write a file end the program in one line.

    Args:
        path: The file.

    Raises:
        ConfigurationError: It cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {error.strerror or error}") from error
