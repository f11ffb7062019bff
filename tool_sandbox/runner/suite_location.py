"""Where a suite is: what a path or a module name on the command line means."""

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from tool_sandbox.play.opening import read_bytes
from tool_sandbox.world.errors import ConfigurationError

PUBLISHED = "tool_sandbox.scenarios"
"""Name by which the scenarios of the published benchmark know themselves."""

_PUBLISHED_FOLDER = Path(*PUBLISHED.split("."))
_MODULE_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_LARGEST = 2**30
"""Bytes of a file of a suite, which may come with data."""

_NO_SUITES = frozenset({"tests", "test", "docs", "examples", "setup", "conftest"})
"""Folders beside a package, and files beside a module, that are not meant."""


@attrs.frozen
class SuiteLocation:
    """A package of scenarios on the disk.

    Attributes:
        package: Name of the package, as its own modules call it.
        path: Its folder, or its only file.
        module: Module below the package that offers the scenarios, empty for the package itself.
    """

    package: str
    path: Path
    module: str = ""

    @property
    def name(self) -> str:
        """Name of the suite, the same wherever it lies."""
        return f"{self.package}.{self.module}" if self.module else self.package

    @property
    def content_hash(self) -> str:
        """Hexadecimal SHA-256 over names and contents of the files of the package."""
        digest = hashlib.sha256()
        for file in self._files():
            name = file.relative_to(self.path).as_posix() if file != self.path else file.name
            try:
                content = read_bytes(file, limit=_LARGEST)
            except OSError as error:
                raise ConfigurationError(f"cannot read {file}: {error.strerror or error}") from error
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()

    def _files(self) -> Iterator[Path]:
        if not self.path.is_dir():
            yield self.path
            return
        for file in sorted(self.path.rglob("*"), key=lambda file: file.relative_to(self.path).as_posix()):
            parts = file.relative_to(self.path).parts
            if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in parts):
                yield file


def locate(suite: str) -> SuiteLocation:
    """Finds the package that is meant."""
    # Not resolved: behind a link the package may have another name.
    path = Path(os.path.abspath(Path(suite).expanduser()))  # noqa: PTH100
    if path.exists():
        return _at(path, suite)
    if _MODULE_NAME.fullmatch(suite):
        return _installed(suite)
    raise ConfigurationError(f"there is no suite {suite!r}: no such file or folder")


def _at(path: Path, suite: str) -> SuiteLocation:
    for folder in (path / _PUBLISHED_FOLDER, path / _PUBLISHED_FOLDER.name, path):
        if _is_package(folder) and folder.parts[-2:] == _PUBLISHED_FOLDER.parts:
            return SuiteLocation(PUBLISHED, folder)
    if not path.is_dir():
        if not _is_module(path):
            raise ConfigurationError(f"suite {suite!r} is not a Python file that can be imported")
        return _below_its_package(path)
    if _is_package(path):
        return _below_its_package(path)
    inside = [folder for folder in sorted(path.iterdir()) if _is_package(folder) and folder.name not in _NO_SUITES]
    inside = inside or [file for file in sorted(path.glob("*.py")) if _is_module(file) and file.stem not in _NO_SUITES]
    if not inside and (path / "src").is_dir():
        return _at(path / "src", suite)
    if len(inside) == 1:
        return SuiteLocation(inside[0].stem, inside[0])
    found = f"several: {', '.join(entry.name for entry in inside)}" if inside else "none"
    raise ConfigurationError(f"suite {suite!r} should be a Python package or hold one, and holds {found}")


def _below_its_package(path: Path) -> SuiteLocation:
    """A module or package, as part of the outermost package around it, by whose name its modules find each other."""
    outermost, names = path, [path.stem]
    while _is_package(outermost.parent):
        outermost = outermost.parent
        names.insert(0, outermost.name)
    return SuiteLocation(names[0], outermost, ".".join(names[1:]))


def _is_module(file: Path) -> bool:
    return file.suffix == ".py" and file.stem.isidentifier()


def _is_package(folder: Path) -> bool:
    return folder.name.isidentifier() and (folder / "__init__.py").is_file()


def _installed(name: str) -> SuiteLocation:
    package, _, module = name.partition(".")
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise ConfigurationError(f"there is no suite {name!r}: neither a file or folder nor a Python package")
    file = Path(spec.origin)
    return SuiteLocation(package, file.parent if spec.submodule_search_locations else file, module)
