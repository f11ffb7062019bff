"""What the value of an option may be: what is read from Python, from a file and from a command line."""

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.records.declaring import Amount, Positive, ProfileName, Whole, WholeText
from tool_sandbox.world.profile import Profile

_LONGEST = 60


@attrs.frozen
class Kind:
    """What a value of an option may be.

    Attributes:
        words: What it has to be, in words.
        read: Makes a value of what Python or a file says; raises a ``ValueError`` or ``TypeError`` for anything else.
        plural: What a list of such values is a list of.
        convert: Makes a number or path of a word of the command line, ``None`` where it stays a text.
        metavar: What stands for the value in the help of a flag.
        choices: The texts that are possible, empty for others.
        record: Type of the value in the files of a run.
    """

    words: str
    read: Callable[[Any], Any]
    plural: str = ""
    convert: Callable[[str], Any] | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    record: Any = str

    def parse(self, text: str) -> Any:
        """Reads a word of a command line.

        Args:
            text: The word.

        Raises:
            ValueError: It is something else.
        """
        return self.read(text if self.convert is None else self.convert(text))


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    text = str(value) if isinstance(value, datetime.date | datetime.time) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def list_of(words: str, read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads a list with at least one entry.

    Args:
        words: What its entries are.
        read: Reads one.
    """

    def read_list(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise TypeError(f"has to be a list of {words}, not {shown(value)}")
        if not value:
            raise ValueError(f"is an empty list; it has to be a list of {words}, at least one")
        return tuple(map(read_entry, value))

    def read_entry(entry: Any) -> Any:
        try:
            return read(entry)
        except (TypeError, ValueError) as error:
            raise ValueError(str(error) or f"has to be a list of {words}, and {shown(entry)} is none") from None

    return read_list


def read_text(value: Any) -> str:
    """Takes any text that is not blank.

    Raises:
        ValueError: It is none; without a text, as for all that read one value.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _positive(value: Any) -> int:
    if _whole(value) < 1:
        raise ValueError
    return int(value)


def _amount(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise ValueError
    return float(value)


def seconds_of(duration: str) -> float:
    """Seconds of a duration such as ``90m``.

    Args:
        duration: A number and ``s``, ``m``, ``h`` or ``d``.

    Raises:
        ValueError: It is something else.
    """
    if (found := re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", duration)) is None:
        raise ValueError
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]


def _duration(value: Any) -> str:
    seconds_of(read_text(value))
    return str(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _path(value: Any) -> Path:
    return Path(read_text(str(value) if isinstance(value, Path) else value))


def folder(text: str) -> Path:
    """The path of a folder, or an address of one.

    Raises:
        ValueError: It is an address that lacks a part. As a path, which has no double slash, it would be another place.
    """
    if _CUT_OFF.fullmatch(text):
        raise ValueError
    return Path(text)


_CUT_OFF = re.compile(r"(?:file|local)://[^/].*|[A-Za-z][\w+.-]+://", re.DOTALL)
"""An address that names nothing, or a machine where its path should begin."""


def _time(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime.datetime) else read_text(value)


def _one_of(*choices: str, record: Any = str) -> Kind:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    words = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Kind(words, read, choices=choices, record=record)


TEXT = Kind("a text", read_text, "texts", metavar="NAME")
WHOLE = Kind("a whole number", _whole, "whole numbers", int, "N", record=Whole)
POSITIVE = Kind("a positive whole number", _positive, convert=int, metavar="N", record=Positive)
AMOUNT = Kind("an amount in US dollars", _amount, convert=float, metavar="USD", record=Amount)
DURATION = Kind("a duration such as 90m or 24h", _duration, metavar="TIME")
FLAG = Kind("true or false", _flag, record=bool)
FILE = Kind("the path of a file", _path, convert=Path, metavar="FILE")
DIRECTORY = Kind("the path of a directory", _path, convert=Path, metavar="DIR")
OUTPUT = Kind("a directory or a whole address, such as s3://BUCKET/NAME", _path, convert=folder, metavar="DIR")
TIER = _one_of("core", "hard")
PROFILE = _one_of(*map(str, Profile), record=ProfileName)
MODEL = Kind("the name of a model", read_text, metavar="MODEL")
SERVICE = Kind("offline, rapidapi, record:PATH or replay:PATH", read_text, metavar="WHAT")
BACKEND = attrs.evolve(TEXT, record=WholeText)
SUITE = Kind("a path, or the name of an installed module", read_text, metavar="PATH")
EXECUTOR = _one_of("local", "ray")
TOOLS = _one_of("all", "search")
CLOCK = _one_of("frozen", "ticking", "system")
TIME = Kind("a time such as 2026-03-14T09:30", _time, metavar="TIME")
