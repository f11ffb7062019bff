"""The one place where files are opened that others may have written: those of a run, and those named by a flag.

Only regular files, none larger than a limit, and within a folder no link on the way: a FIFO or a device would hang the
program or fill its memory, and a link leads to files that are none of the folder's.
"""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from tool_sandbox.world.errors import ConfigurationError

LIMIT = 64 * 2**20
"""Bytes of a file. That of a conversation has some hundred thousand, the summary of 2,432 five million."""

_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FILE |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_HAS_DIRECTORIES = os.open in os.supports_dir_fd and bool(_NO_LINK)


def read_bytes(path: Path, within: Path | None = None, limit: int = LIMIT) -> bytes:
    """Reads a regular file."""
    with open_regular(path, within, limit) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise _too_large(path, limit)
    return data


def open_regular(path: Path, within: Path | None = None, limit: int = LIMIT) -> BinaryIO:
    """Opens a regular file to be read, see `read_bytes`; it may grow beyond the limit meanwhile."""
    descriptor = os.open(path, _FILE) if within is None else _open_within(path, within)
    file = open(descriptor, "rb")  # noqa: PTH123, SIM115 - a descriptor is no path, and the caller closes it
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if found.st_size > limit:
            raise _too_large(path, limit)
    except BaseException:
        file.close()
        raise
    return file


def _too_large(path: Path, limit: int) -> OSError:
    return OSError(errno.EFBIG, f"it has more than {limit // 2**20} MB", str(path))


def read_text(path: Path, within: Path | None = None, what: str = "") -> str:
    """Reads a UTF-8 text."""
    try:
        return read_bytes(path, within).decode()
    except OSError as error:
        raise ConfigurationError(f"cannot read {what}{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"cannot read {what}{path}: it is not UTF-8") from error


def read_json(path: Path, within: Path | None = None) -> Any:
    """Reads a JSON file of which all numbers are finite, and whole ones have 64 bits at most."""
    text = read_text(path, within)
    try:
        return parse_json(text)
    except ValueError as error:
        raise ConfigurationError(f"{path} is not a JSON file: {error}") from error


def parse_json(text: str) -> Any:
    """Decodes JSON as `read_json` does."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def check_no_links(folder: Path) -> None:
    """Refuses a folder that is going to be written into if anything in it leads elsewhere, or is no file at all."""

    def refuse(error: OSError) -> NoReturn:
        raise ConfigurationError(f"cannot read {error.filename}: {error.strerror or error}") from error

    for parent, folders, files in os.walk(folder, onerror=refuse):
        for name in folders + files:
            try:
                mode = (Path(parent) / name).lstat().st_mode
            except FileNotFoundError:
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise ConfigurationError(
                    f"{Path(parent) / name} is a link or no regular file: {folder} cannot be written into safely"
                )


def _open_within(path: Path, within: Path) -> int:
    """Opens a file below a folder, one step after the other, so that nothing can be exchanged for a link meanwhile."""
    steps = path.relative_to(within).parts
    if not steps or ".." in steps:
        raise OSError(errno.EINVAL, "it is outside of its folder", str(path))
    if not _HAS_DIRECTORIES:
        for number in range(len(steps)):
            if within.joinpath(*steps[: number + 1]).is_symlink():
                raise OSError(errno.ELOOP, "it is reached over a link", str(path))
        return os.open(path, _FILE)
    current = os.open(within, _DIRECTORY)
    try:
        for number, step in enumerate(steps):
            flags = _FILE if number == len(steps) - 1 else _DIRECTORY
            try:
                inner = os.open(step, flags | _NO_LINK, dir_fd=current)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and _is_link(step, current):
                    raise OSError(errno.ELOOP, "it is reached over a link", str(path)) from error
                if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a socket
                    raise OSError(errno.EINVAL, "it is no regular file", str(path)) from error
                raise OSError(error.errno, error.strerror, str(path)) from error
            os.close(current)
            current = inner
    except BaseException:
        os.close(current)
        raise
    return current


def _is_link(name: str, parent: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def _whole(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= (number := int(text)) < 2**64:
        raise ValueError(f"{text[:40]} is too large a number")
    return number
