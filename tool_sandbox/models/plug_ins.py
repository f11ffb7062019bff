"""Code of other packages: what is offered by entry point, and what went wrong with it, in one line."""

import importlib.util
import traceback
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.faults import one_line
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

_OURS = Path(__file__).parents[1]


def is_importable(name: str) -> bool:
    """Whether a module is installed, without importing anything but parent packages."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def offered(group: str) -> dict[str, list[EntryPoint]]:
    """Name to what installed packages offer under it, most of the time one thing."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, []).append(point)
    return found


def offer(group: str, name: str, what: str) -> EntryPoint:
    """The one offer of a name."""
    known = offered(group)
    if name not in known:
        raise UnknownNameError(f"no installed package offers {what} {name!r}.", suggest(name, sorted(known)))
    points = known[name]
    if len({point.value for point in points}) > 1:
        packages = sorted({point.dist.name for point in points if point.dist is not None})
        raise ConfigurationError(f"several packages offer {what} {name!r}: {', '.join(packages)}")
    return points[0]


def load_offer(point: EntryPoint, what: str) -> Any:
    """Imports what is offered."""
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        package = "" if point.dist is None else f" of {point.dist.name}"
        raise ConfigurationError(
            f"{what} {point.name!r}{package} ({point.value}) cannot be loaded: {described(error, None)}"
        ) from error


def described(error: BaseException, home: Path | None) -> str:
    """An exception in one line: its type, its message, and the place in the code that is to be looked at."""
    name = type(error).__name__
    if isinstance(error, SyntaxError):
        is_placed = error.filename and error.lineno
        told, place = error.msg, f"{shown(Path(str(error.filename)))}:{error.lineno}" if is_placed else ""
    else:
        told, place = words_of(error), _place(error, home)
    return f"{name}{': ' if told else ''}{told}{f' ({place})' if place else ''}"


def words_of(error: BaseException) -> str:
    """The message of an exception in one line, empty where it cannot be read."""
    try:
        return one_line(str(error))
    except BaseException:
        return ""


def _place(error: BaseException, home: Path | None) -> str:
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    theirs = [(file, line) for file, line in frames if _OURS not in file.parents]
    if home is not None:
        inside = [(file, line) for file, line in theirs if home in file.parents and not _is_installed(file, home)]
        theirs = inside or theirs
    if not theirs:
        return ""
    file, line = theirs[-1]
    return f"{shown(file)}:{line}"


def _is_installed(file: Path, home: Path) -> bool:
    """Whether a file belongs to a package that is installed below the folder (in a virtual environment, say)."""
    return "site-packages" in file.relative_to(home).parts


def shown(file: Path) -> Path:
    """A file, relative to the current directory where possible."""
    return file.relative_to(Path.cwd()) if Path.cwd() in file.parents else file
