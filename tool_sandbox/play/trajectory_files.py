r"""Writes what a conversation leaves behind: the readable log, the world with its history, the graded conversation.

Every file appears whole or not at all: it is written beside its destination and then renamed. Texts are UTF-8;
lone surrogates, which UTF-8 cannot hold, are written as ``\udXXX`` escapes, so they survive in JSON.
"""

import contextlib
import json
import math
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from json.encoder import encode_basestring
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.helpers.printable import printable
from tool_sandbox.world.errors import ConfigurationError, StorageError

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext
    from tool_sandbox.scoring import Evaluation, EvaluationResult

_NOTE = "Messages of this trajectory, in order. Few-shot examples that only the user sees are left out."

TEMPORARY = ".tmp"
"""How the names of files end that are still being written; they begin with a dot."""

Default = Callable[[Any], Any]
"""Gives a JSON form to a value that has none."""

Guard = Callable[[Path], AbstractContextManager[None]]
"""What a file has to be written within."""

Cleaner = Callable[[bytes], bytes]
"""Takes out of the content of a file what must not be written."""

_guard: ContextVar[Guard] = ContextVar("guard", default=lambda path: nullcontext())
_cleaner: ContextVar[Cleaner] = ContextVar("cleaner", default=lambda content: content)
_memory: ContextVar[tuple[Path, dict[Path, bytes]] | None] = ContextVar("memory", default=None)

_SCALARS = frozenset({str, int, float, bool, type(None)})
_SIMPLE: dict[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
}
"""How the scalars look that need no care; numbers with a fraction do."""


@contextmanager
def guarded(guard: Guard) -> Iterator[None]:
    """Has every file that the current context writes pass a guard, which may refuse it or take note of a failure."""
    token = _guard.set(guard)
    try:
        yield
    finally:
        _guard.reset(token)


@contextmanager
def cleaned(cleaner: Cleaner) -> Iterator[None]:
    """Has every file that the current context writes cleaned first."""
    token = _cleaner.set(cleaner)
    try:
        yield
    finally:
        _cleaner.reset(token)


@contextmanager
def in_memory(root: Path) -> Iterator[dict[Path, bytes]]:
    """Keeps in memory what the current context writes below a root, which need not exist: path to content, in order."""
    files: dict[Path, bytes] = {}
    token = _memory.set((root, files))
    try:
        yield files
    finally:
        _memory.reset(token)


def _kept_files(path: Path) -> dict[Path, bytes] | None:
    memory = _memory.get()
    return memory[1] if memory is not None and path.is_relative_to(memory[0]) else None


def make_directory(path: Path) -> None:
    """Makes a directory, with those above it, unless it is there."""
    if _kept_files(path) is not None:
        return
    with _guard.get()(path):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(error.errno, error.strerror or str(error), str(path)) from error


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a whole file atomically, replacing what was there.

    Safe against a crash of the process and against other writers of the same path; a power failure may lose the
    newest files, because nothing is forced to the disk.
    """
    data = _cleaner.get()(data)
    if (kept := _kept_files(path)) is not None:
        kept[path] = data
        return
    # Not longer than the names of the files themselves: a path has a limit.
    temporary = path.with_name(f".{secrets.token_hex(8)}{TEMPORARY}")
    with _guard.get()(path):
        try:
            with open(temporary, "wb", buffering=0) as file:  # noqa: PTH123 - Path.open takes twice as long
                rest = memoryview(data)
                # A disk that is filling up takes a part of what it is given before it takes nothing.
                while rest:
                    rest = rest[file.write(rest) :]
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise StorageError(error.errno, error.strerror or str(error), str(path)) from error
            raise


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 text file atomically, see ``write_bytes``."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_json(path: Path, value: Any, indent: int, default: Default | None = None) -> None:
    """Writes a JSON file atomically, see ``write_bytes`` and ``to_json``."""
    write_text(path, to_json(value, indent, default))


def to_json(value: Any, indent: int, default: Default | None = None) -> str:
    """Gives the text of ``json.dumps(value, indent=indent, ensure_ascii=False)``, several times faster.

    A number that is not finite, which JSON does not have, becomes null. The standard library indents in pure Python.
    Here only containers that hold other containers are walked; the rest, which is nearly everything in a table of rows,
    goes through the C encoder with the line breaks as separators.
    """
    parts: list[str] = []
    try:
        try:
            _append_json(parts, value, indent, 0, default)
        except ValueError:
            parts.clear()
            _append_json(parts, _finite(value), indent, 0, default)
    except RecursionError as error:
        raise ValueError("cannot write a value that contains itself as JSON") from error
    return "".join(parts)


@cache
def _flat_encoder(width: int, default: Default | None = None) -> json.JSONEncoder:
    separators = (",\n" + " " * width, ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=separators, default=default)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _append_json(parts: list[str], value: Any, indent: int, level: int, default: Default | None) -> None:
    if (encode := _SIMPLE.get(type(value))) is not None:
        parts.append(encode(value))
        return
    is_mapping = isinstance(value, dict)
    if not value or not (is_mapping or isinstance(value, list | tuple)):
        parts.append(_flat_encoder(0, default).encode(value))
        return
    width = indent * (level + 1)
    opening, closing = "{}" if is_mapping else "[]"
    if _SCALARS.issuperset(map(type, value.values() if is_mapping else value)):
        inner = _flat_encoder(width).encode(value)[1:-1]
        parts.append(f"{opening}\n{' ' * width}{inner}\n{' ' * (width - indent)}{closing}")
        return
    parts.append(opening)
    separator = "\n" + " " * width
    for item in value.items() if is_mapping else value:
        parts.append(separator)
        if is_mapping:
            key, item = item
            parts.append(f"{encode_basestring(key)}: " if type(key) is str else _odd_key(key))
        _append_json(parts, item, indent, level + 1, default)
        separator = ",\n" + " " * width
    parts.append(f"\n{' ' * (width - indent)}{closing}")


def _odd_key(key: Any) -> str:
    """A key that is not plain text, by the rules of the encoder (numbers, flags and None become text)."""
    return _flat_encoder(0).encode({key: 0})[1:-1].removesuffix("0")


def write_pretty_print(context: "ExecutionContext", path: Path) -> None:
    """Writes ``pretty_print.txt``: the message log for people, with indices, exceptions and tool traces."""
    write_text(path, "\n".join([_NOTE, "", *message_lines(context)]) + "\n")


def message_lines(context: "ExecutionContext", first: int = 0) -> Iterator[str]:
    """The message log for people from a message on: indices, parties, contents, exceptions and traces."""
    from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType

    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            visible_to = row["visible_to"]
            if index < first or visible_to == [RoleType.USER]:
                continue
            header = f"[{index}] {row['sender']} -> {row['recipient']}"
            if row["openai_function_name"] is not None:
                header += f"  {printable(row['openai_function_name'])}"
            if visible_to is not None and set(visible_to) != {row["sender"], row["recipient"]}:
                header += f"  (visible to {', '.join(visible_to)})"
            yield header
            yield from _indented("", row["content"])
            yield from _indented("exception: ", row["tool_call_exception"])
            for trace in row["tool_trace"] or ():
                yield from _indented("trace: ", trace)
            yield ""


def _indented(label: str, text: str | None) -> Iterator[str]:
    if text is not None:
        for line in f"{label}{text}".splitlines():
            yield f"    {printable(line)}"


def write_execution_context(context: "ExecutionContext", path: Path) -> None:
    """Writes ``execution_context.json``: the world with its whole history, as ``ExecutionContext.to_dict`` gives it.

    The interpreter's namespace, which has no JSON form, is left out.
    """
    write_json(path, context.to_dict(serialize_console=False), indent=4)


def stored_context(value: Any, path: Path) -> "ExecutionContext":
    """The world that `write_execution_context` wrote. Nothing that a file says of an interpreter is taken over."""
    from tool_sandbox.conversation.execution_context import ExecutionContext

    try:
        return ExecutionContext.from_dict({**value, "interactive_console": None})
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        told = printable(f"{type(error).__name__}: {error}"[:200])
        raise ConfigurationError(f"{path} is not a stored conversation ({told})") from None


def conversation_turns(
    context: "ExecutionContext", score: "EvaluationResult", evaluation: "Evaluation"
) -> list[dict[str, Any]]:
    """What the agent saw and did, with database updates and matched milestones, as in ``conversation.json``."""
    from tool_sandbox.play.message_conversion import serialize_to_conversation

    graded, mines = evaluation.milestone_matcher, evaluation.minefield_matcher
    return serialize_to_conversation(context, score, graded.milestones, mines.milestones)


@attrs.frozen
class PublishedFiles:
    """The three files that a conversation has in the published layout.

    Attributes:
        directory: Directory of the conversation, which exists.
    """

    directory: Path

    def played(self, context: "ExecutionContext") -> None:
        """Writes ``pretty_print.txt`` and ``execution_context.json``."""
        write_pretty_print(context, self.directory / "pretty_print.txt")
        write_execution_context(context, self.directory / "execution_context.json")

    def graded(self, turns: list[dict[str, Any]]) -> None:
        """Writes ``conversation.json``, see `conversation_turns`."""
        # A milestone may hold anything (a date, a set). What has no JSON form is written in words: the score has been
        # computed, and must not be lost over its description.
        write_json(self.directory / "conversation.json", turns, indent=2, default=str)
