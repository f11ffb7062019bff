"""What this package logs: nothing unless asked, and never a key.

All loggers are below ``tool_sandbox``; ``tool_sandbox.agent`` tells what agents with a loop of their own do, and
``tool_sandbox.tool`` what tools do. Progress and results are no log: they are what a command prints.
"""

import logging
import re
import sys
import threading
from enum import IntEnum
from typing import TextIO

from tool_sandbox.helpers.printable import printable_lines
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.redaction import REDACTED, keys_in_use, redact
from tool_sandbox.world.errors import UnknownNameError

ROOT = "tool_sandbox"
SDKS = ("anthropic", "httpcore", "httpx", "httpx2", "mcp", "openai", "uvicorn")
"""Loggers that would write down requests, headers included, on levels below ``WARNING``."""

_HEADER = re.compile(
    r"(?P<name>\b(?:(?:proxy-)?authorization|(?:x-(?:goog-)?)?api-key|(?:set-)?cookie)['\"]?\s*[:=,]\s*(?:b(?=['\"]))?)"
    r"(?P<value>'[^'\n]*'|\"[^\"\n]*\"|[^'\"\s][^\n'\"]*)",
    re.IGNORECASE,
)
_lock = threading.Lock()


class LogLevel(IntEnum):
    """How much is logged."""

    DEBUG = logging.DEBUG
    INFO = logging.INFO
    WARNING = logging.WARNING
    ERROR = logging.ERROR
    CRITICAL = logging.CRITICAL


def set_logging(
    level: LogLevel | int | str = LogLevel.WARNING,
    stream: TextIO | None = None,
    *,
    show_time: bool = False,
    show_level: bool = True,
) -> None:
    """Writes what this package logs to a stream. A second call replaces the first.

    Loggers of the SDKs that ask models are set to ``WARNING``, unless they have a level already.

    Args:
        level: From which level on: a `LogLevel`, its name in any case, or a number.
        stream: Where to, by default ``sys.stderr`` as it is whenever something is logged.
        show_time: Whether lines begin with the time of the machine.
        show_level: Whether they name the level and the logger.

    Raises:
        UnknownNameError: There is no such level.
    """
    number = _number(level)
    handler = _Handler(stream)
    handler.setLevel(number)
    handler.setFormatter(_Formatter(show_time=show_time, show_level=show_level))
    with _lock:
        root = logging.getLogger(ROOT)
        for former in [former for former in root.handlers if isinstance(former, _Handler)]:
            root.removeHandler(former)
        root.addHandler(handler)
        root.setLevel(number)
        for name in SDKS:
            logger = logging.getLogger(name)
            if logger.level == logging.NOTSET:
                logger.setLevel(logging.WARNING)


def _number(level: LogLevel | int | str) -> int:
    names = list(LogLevel.__members__)
    if isinstance(level, str) and level.strip().upper() in names:
        return LogLevel[level.strip().upper()]
    if isinstance(level, int) and not isinstance(level, bool) and level >= 0:
        return int(level)
    hint = suggest(level, names) if isinstance(level, str) else ()
    raise UnknownNameError(f"there is no log level {level!r}; choose one of {', '.join(names)}, or a number.", hint)


class _Handler(logging.StreamHandler[TextIO]):
    """Writes to a stream, or to whatever is ``sys.stderr`` at the time."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream)
        self._follows_stderr = stream is None

    def emit(self, record: logging.LogRecord) -> None:
        if self._follows_stderr:
            # Within the lock of the handler, which the caller holds.
            self.stream = sys.stderr
        super().emit(record)


class _Formatter(logging.Formatter):
    """One record as text without keys, in which nothing moves the cursor."""

    def __init__(self, *, show_time: bool, show_level: bool) -> None:
        parts = ["%(asctime)s"] if show_time else []
        parts += ["%(levelname)s %(name)s:"] if show_level else []
        super().__init__(" ".join([*parts, "%(message)s"]))

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(without_secrets(super().format(record)))


def without_secrets(text: str) -> str:
    """A text without keys, tokens, and the values of headers that hold credentials.

    Args:
        text: What is to be logged, tracebacks included.
    """
    return _HEADER.sub(_emptied, redact(text, keys_in_use()))


def _emptied(match: re.Match[str]) -> str:
    quote = match["value"][0] if match["value"][0] in "'\"" else ""
    return f"{match['name']}{quote}{REDACTED}{quote}"
