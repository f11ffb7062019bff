"""Where in an app something stands, for errors of its author."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tool_sandbox.world.errors import ConfigurationError

_OURS = tuple(str(path) for path in Path(__file__).parent.glob("*.py"))


def calling_place() -> str:
    """File and line of the code of an app that is being run, empty if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file not in _OURS and not file.startswith("<"):
            return shown(file, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def place_of(function: Callable[..., Any]) -> str:
    """File and line of the definition of a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else shown(code.co_filename, code.co_firstlineno)


def shown(file: str, line: int) -> str:
    """A place, relative to the current directory where possible."""
    path = Path(file)
    return f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}:{line}"


def placed_error(line: str, place: str | None = None) -> ConfigurationError:
    """An error of an app's author, with the place that is to be looked at."""
    place = calling_place() if place is None else place
    return ConfigurationError(f"{place}: {line}" if place else line)
