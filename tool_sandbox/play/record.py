"""The one file that a conversation becomes, beside the three that the published benchmark has.

``record.jsonl`` is written whole, as the last file of its conversation: it is there, or the conversation is not over.
Its first line is the result; each further line is an object with one key, the name of a part: ``model_calls``,
``evaluation``, ``agent_events`` (one line per event) and ``exchanges`` (one line per exchange), and in long runs what
is otherwise in the published files. A reader of the result or of one part reads no further than that.

Runs of format 1 and 2 have a file for each part, as the published files still are, and ``result.json``. What reads
here reads both.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import attrs

from tool_sandbox.play.opening import LIMIT, open_regular, parse_json, read_bytes
from tool_sandbox.play.trajectory_files import PublishedFiles, make_directory, stored_context, write_bytes
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext

RECORD_FILE = "record.jsonl"
RESULT_FILE = "result.json"
"""What older runs have in its place."""

LARGEST = 16 * LIMIT
"""Bytes of a record, whose lines have `LIMIT` at most."""

ORDER = ("model_calls", "evaluation", "execution_context", "conversation", "agent_events", "exchanges")
"""Parts as they stand in a record: what is read most, first."""

PUBLISHED = ("execution_context", "conversation")
"""Parts that are files of their own, and in no record, wherever the published files are written."""

FILES = {part: f"{part}.json" for part in ORDER} | {part: f"{part}.jsonl" for part in ("agent_events", "exchanges")}
"""Part to the name of a file that has nothing else."""


_START = re.compile(rb'\{"(%s)":' % "|".join(ORDER).encode())

OLDER_FILES = (RESULT_FILE, *(FILES[part] for part in ORDER if part not in PUBLISHED))
"""What is in a record now."""


@attrs.frozen
class Record:
    """What is going to be in the file of a conversation."""

    _lines: dict[str, list[bytes]] = attrs.field(factory=dict, init=False)

    @classmethod
    def read(cls, directory: Path, within: Path) -> "Record":
        """Reads what is in the record of a conversation, or in the files of an older run, but for the result."""
        record = cls()
        for part in ORDER:
            if part in PUBLISHED and os.path.lexists(directory / FILES[part]):
                continue
            if FILES[part].endswith(".jsonl"):
                record.put_lines(part, (line for _, line in read_lines(directory, part, within)))
            elif (value := read_part(directory, part, within)) is not None:
                record.put(part, value)
        return record

    def put(self, part: str, value: Any) -> None:
        """Keeps a part, in the place of what was there; what has no JSON form is kept in words."""
        self._lines[part] = [_encoded(value)]

    def put_lines(self, part: str, lines: Iterable[bytes]) -> None:
        """Keeps a part of many lines, each JSON without a line break."""
        self._lines[part] = list(lines)

    def played(self, context: "ExecutionContext") -> None:
        """Keeps the world after a conversation, in the place of published files."""
        self.put("execution_context", context.to_dict(serialize_console=False))

    def graded(self, turns: list[dict[str, Any]]) -> None:
        """Keeps the graded conversation, likewise."""
        self.put("conversation", turns)

    def write(self, directory: Path, result: Any) -> None:
        """Writes the record into the directory of its conversation, which is made when missing."""
        parts = (b'{"%s":%s}' % (part.encode(), line) for part in ORDER for line in self._lines.get(part, ()))
        make_directory(directory)
        write_bytes(directory / RECORD_FILE, b"\n".join((_encoded(result), *parts, b"")))


def _encoded(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "backslashreplace")


def part_file(directory: Path, part: str) -> Path:
    """The file that a part of a conversation is in, which need not be there."""
    alone = directory / FILES[part]
    return alone if os.path.lexists(alone) else directory / RECORD_FILE


def result_file(directory: Path) -> Path:
    """The file that says that a conversation is over, which need not be there."""
    older = directory / RESULT_FILE
    return older if os.path.lexists(older) else directory / RECORD_FILE


def has_published_files(directory: Path) -> bool:
    """Whether the published files of a conversation stand in its directory."""
    return os.path.lexists(directory / FILES["execution_context"])


def read_result(file: Path, within: Path) -> Any:
    """Reads the result of a conversation from its `result_file`."""
    with _readable(file):
        if file.suffix == ".json":
            return _parsed(read_bytes(file, within), str(file))
        with open_regular(file, within, LARGEST) as opened:
            line = _line(opened, file)
            opened.seek(-1, os.SEEK_END) if line else None
            if opened.read(1) != b"\n":
                raise ConfigurationError(f"{file} is cut off")
            return _parsed(line, f"{file}:1")


def finished(run: Path) -> list[str]:
    """Names of the directories of a run in which there is a result, of whatever kind."""
    return [file.parent.name for name in (RECORD_FILE, RESULT_FILE) for file in run.glob(f"trajectories/*/{name}")]


def read_part(directory: Path, part: str, within: Path) -> Any:
    """Reads one part of a conversation."""
    for where, line in read_lines(directory, part, within):
        return _parsed(line, where)
    return None


def read_lines(directory: Path, part: str, within: Path) -> Iterator[tuple[str, bytes]]:
    """Reads the lines of one part of a conversation, without what stands around them."""
    file = part_file(directory, part)
    if file.name != RECORD_FILE:
        with _readable(file):
            content = read_bytes(file, within)
        if file.suffix == ".json":
            yield str(file), content
        else:
            yield from ((f"{file}:{n}", line) for n, line in enumerate(content.split(b"\n"), 1) if line.strip())
    elif os.path.lexists(file):
        with _readable(file), open_regular(file, within, LARGEST) as opened:
            number, _ = 1, _line(opened, file)
            while line := _line(opened, file):
                number += 1
                start = _START.match(line)
                if start is None or not line.endswith(b"}\n"):
                    raise ConfigurationError(f"{file}:{number}: damaged: it is no part of a conversation")
                if start[1] == part.encode():
                    yield f"{file}:{number}", line[start.end() : -2]


def unpack(directory: Path, within: Path) -> None:
    """Writes the three published files of a conversation whose record has them."""
    if has_published_files(directory):
        return
    turns, world = (read_part(directory, part, within) for part in ("conversation", "execution_context"))
    if world is not None:
        if turns is not None:
            PublishedFiles(directory).graded(turns)
        PublishedFiles(directory).played(stored_context(world, directory / RECORD_FILE))


def _line(opened: BinaryIO, file: Path) -> bytes:
    line = opened.readline(LIMIT + 1)
    if len(line) > LIMIT:
        raise ConfigurationError(f"{file} has a line of more than {LIMIT // 2**20} MB")
    return line


def _parsed(data: bytes, where: str) -> Any:
    try:
        return parse_json(data.decode())
    except ValueError as error:
        raise ConfigurationError(f"{where} is not a JSON file: {error}") from error


@contextlib.contextmanager
def _readable(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"cannot read {file}: {error.strerror or error}") from error
