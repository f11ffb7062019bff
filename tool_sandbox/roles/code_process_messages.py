"""What the process that runs an agent's code says: read, bounded and checked here, and nowhere else.

Whatever comes is the work of the agent's code, however little it looks like it: nothing but `Misbehaved` is raised.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from tool_sandbox.conversation import wire
from tool_sandbox.helpers.untrusted import read_json

_LONGEST_NAME = 200
_LARGEST_STATE = 2**20
_LARGEST_PLACE = 10**9


class Misbehaved(Exception):  # noqa: N818 - an event, not an error of ours
    """The process broke a limit or the protocol, or died."""


@attrs.frozen
class CodeError:
    """An exception that ended the code.

    Attributes:
        name: Qualified name of its class.
        message: Its text, possibly empty or of several lines.
        module: Module of the class.
    """

    name: str
    message: str
    module: str = "builtins"


@attrs.frozen
class CompileError:
    """Why the code does not compile.

    Attributes:
        name: Name of the exception class.
        message: Its text.
        line: Line number from 1, ``None`` if unknown.
        column: Column from 1, ``None`` if unknown.
        text: The offending source line, ``None`` if unknown.
    """

    name: str
    message: str
    line: int | None = None
    column: int | None = None
    text: str | None = None


@attrs.frozen
class Started:
    """The process is there, and none of the code has run.

    Attributes:
        layers: What restricts it.
    """

    layers: tuple[str, ...]


@attrs.frozen
class CodeCall:
    """The code calls a tool.

    Attributes:
        name: Name of it.
        arguments: Values without a name.
        keywords: Values with a name.
        size: Bytes that it came in.
    """

    name: str
    arguments: list[Any]
    keywords: dict[str, Any]
    size: int


@attrs.frozen
class CodeFinished:
    """The code has ended.

    Attributes:
        output: What it printed, cut at the limit.
        is_cut: Whether there was more.
        error: What ended it, ``None`` if it ran to its end.
        values: Plain variables.
        is_complete: Whether these alone are its state.
        names: All its variables.
    """

    output: str
    is_cut: bool
    error: CodeError | None
    values: Mapping[str, Any]
    is_complete: bool
    names: frozenset[str]


READY, INCOMPLETE = "ready", "incomplete"
"""The state that earlier messages left is there again; the code is the beginning of a longer block."""

Message = Started | CodeCall | CompileError | CodeFinished | str


def read_message(data: bytes, secret: str, longest_text: int) -> Message:
    """Reads one message."""
    try:
        value = read_json(data)
        if value["secret"] != secret:
            raise ValueError("secret")
        return _READERS[value["kind"]](value, longest_text, len(data))
    except Exception as error:
        raise Misbehaved("the code broke the protocol of its process") from error


def _started(value: dict[str, Any], longest: int, size: int) -> Started:
    return Started(tuple(_text(layer) for layer in value["layers"]))


def _call(value: dict[str, Any], longest: int, size: int) -> CodeCall:
    arguments, keywords = (_valid_texts(wire.decode(part)) for part in value["arguments"])
    if not isinstance(arguments, list) or not isinstance(keywords, dict):
        raise TypeError("arguments of a call are a list and a dict")
    named = {_text(name): each for name, each in keywords.items()}
    return CodeCall(_valid_texts(_text(value["name"]))[:_LONGEST_NAME], arguments, named, size)


def _compile_error(value: dict[str, Any], longest: int, size: int) -> CompileError:
    name, message = _text(value["name"])[:_LONGEST_NAME], _text(value["message"])[:longest]
    text = None if value["text"] is None else _text(value["text"])[:longest]
    return CompileError(name, message, _place(value["line"]), _place(value["column"]), text)


def _done(value: dict[str, Any], longest: int, size: int) -> CodeFinished:
    error, names = value["error"], frozenset(map(_text, value["names"]))
    if error is not None:
        name, module = (_text(error[part])[:_LONGEST_NAME] for part in ("name", "module"))
        error = CodeError(name, _text(error["message"])[:longest], module)
    if max(sum(map(len, names)), sum(len(json.dumps(item)) for item in value["values"].items())) > _LARGEST_STATE:
        raise ValueError("too much state")
    values = {name: wire.decode(each) for name, each in value["values"].items()}
    return CodeFinished(
        _text(value["output"])[:longest], value["cut"] is True, error, values, value["complete"] is True, names
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _place(value: Any) -> int | None:
    if value is not None and (type(value) is not int or not 0 <= value <= _LARGEST_PLACE):
        raise TypeError("a line or column is expected")
    return value


def _valid_texts(value: Any) -> Any:
    """A plain value whose texts are Unicode: as in a direct call, a lone surrogate becomes a question mark."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list() | tuple() | set() | frozenset():
            return type(value)(map(_valid_texts, value))
        case dict():
            return {_valid_texts(key): _valid_texts(item) for key, item in value.items()}
    return value


_READERS: Mapping[str, Callable[[dict[str, Any], int, int], Message]] = {
    "started": _started,
    READY: lambda value, longest, size: READY,
    "call": _call,
    INCOMPLETE: lambda value, longest, size: INCOMPLETE,
    "invalid": _compile_error,
    "done": _done,
}
