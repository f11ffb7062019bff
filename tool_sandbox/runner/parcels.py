"""Files of a conversation on their way between machines that have no folder in common."""

import zlib
from collections.abc import Mapping
from pathlib import Path

from tool_sandbox.play.opening import read_bytes
from tool_sandbox.play.record import LARGEST
from tool_sandbox.play.trajectory_files import make_directory, write_bytes

Files = Mapping[str, bytes]
"""Name in the folder of a conversation to compressed content, in the order in which they were written. What is small
enough travels with a message, and needs no room in an object store."""


def pack(folder: Path, root: Path) -> Files:
    """The files of a folder below a root, with no link between them; none if there is no folder."""
    found = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns) if folder.is_dir() else []
    return packed({file: read_bytes(file, root, LARGEST) for file in found})


def packed(files: Mapping[Path, bytes]) -> Files:
    """The files of one folder, given with their content."""
    return {file.name: zlib.compress(content, 1) for file, content in files.items()}


def unpack(files: Files, folder: Path) -> None:
    """Writes the files."""
    make_directory(folder)
    for name, content in files.items():
        write_bytes(folder / name, zlib.decompress(content))
