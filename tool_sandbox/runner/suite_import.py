"""Importing the modules of a suite beside our own, some of which have the same names.

The modules of a checkout of the published benchmark call themselves ``tool_sandbox.scenarios...``, as ours do. They are
imported under private names instead (``suite_tool_sandbox_scenarios...``), and their own ``import`` statements, now
and whenever they run later, are answered so that they find each other under the names they know. Nothing in
``sys.modules`` is replaced, so two suites, and ours, live side by side in one process.
"""

import builtins
import importlib
import importlib.util
import itertools
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any


class Overlay(ModuleType):
    """A module with some names replaced, and the rest as it is."""

    def __init__(self, module: ModuleType, **replacements: Any) -> None:
        """Lays names over a module."""
        super().__init__(module.__name__, module.__doc__)
        vars(self).update(replacements)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class SuiteModules(MetaPathFinder):
    """The modules of a package, imported once more under private names.

    Attributes:
        public: Name of the package, as its own modules call it.
        private: The name under which it is in ``sys.modules``.
    """

    def __init__(self, public: str, path: Path, stand_ins: Mapping[str, ModuleType]) -> None:
        """Makes a package importable under a private name; imports nothing yet."""
        self.public = public
        self.private = _free_name(f"suite_{public.replace('.', '_')}")
        self._path = path
        self._stand_ins = dict(stand_ins)
        self._stand_ins["importlib"] = Overlay(importlib, import_module=self._import_module)
        self._builtins = {**vars(builtins), "__import__": self._import}
        # Found from the first import on, also by modules that are imported while the suite is played.
        sys.meta_path.insert(0, self)

    def load(self, name: str = "") -> ModuleType:
        """Imports a module of the package."""
        return importlib.import_module(f"{self.private}.{name}" if name else self.private)

    def loaded(self) -> list[ModuleType]:
        """Modules of the package that have been imported, in the order of their names."""
        names = sorted(name for name in list(sys.modules) if _is_below(name, self.private))
        return [sys.modules[name] for name in names]

    def forget(self) -> None:
        """Takes the package out of the import system; what was imported from it lives on."""
        sys.meta_path.remove(self)
        for module in self.loaded():
            del sys.modules[module.__name__]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds a module of the package, for the import system."""
        if fullname == self.private:
            is_package = self._path.is_dir()
            file = self._path / "__init__.py" if is_package else self._path
            locations = [str(self._path)] if is_package else None
            loader = _Loader(fullname, str(file), self._builtins)
            return importlib.util.spec_from_file_location(
                fullname, file, loader=loader, submodule_search_locations=locations
            )
        if not fullname.startswith(f"{self.private}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path, self._builtins)
        return spec

    # What the package's own imports do ------------------------------------------------------

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Answers an ``import`` statement of the package; the signature is that of ``__import__``."""
        if level:
            name = self._absolute("." * level + name, (globals or {}).get("__package__") or "")
        if _is_below(name, self.public):
            private = self._to_private(name)
            if fromlist:
                return builtins.__import__(private, globals, locals, fromlist, 0)
            importlib.import_module(private)
            return self._see(self.public.partition(".")[0])
        module = builtins.__import__(name, globals, locals, _without(fromlist, self._child_of(name)), 0)
        return self._see(name if fromlist else module.__name__, module)

    def _import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Answers ``importlib.import_module`` in the package."""
        absolute = self._absolute(name, package or "") if name.startswith(".") else name
        if _is_below(absolute, self.public):
            return importlib.import_module(self._to_private(absolute))
        return self._see(absolute, importlib.import_module(absolute))

    def _see(self, name: str, module: ModuleType | None = None) -> ModuleType:
        """What a module looks like from inside the package."""
        if name == self.public:
            return sys.modules[self.private]
        if child := self._child_of(name):
            if name not in self._stand_ins:
                self._stand_ins[name] = Overlay(importlib.import_module(name))
            vars(self._stand_ins[name])[child] = importlib.import_module(self.private)
        return self._stand_ins.get(name) or module or importlib.import_module(name)

    def _child_of(self, name: str) -> str:
        """Last part of the public name if the package is directly below ``name``, else nothing."""
        parent, _, child = self.public.rpartition(".")
        return child if parent and parent == name else ""

    def _absolute(self, name: str, package: str) -> str:
        if _is_below(package, self.private):
            package = self.public + package[len(self.private) :]
        return importlib.util.resolve_name(name, package)

    def _to_private(self, name: str) -> str:
        return self.private + name[len(self.public) :]


class _Loader(SourceFileLoader):
    """Runs a module with the ``import`` statement of its suite, and leaves no files behind."""

    def __init__(self, fullname: str, path: str, suite_builtins: dict[str, Any]) -> None:
        super().__init__(fullname, path)
        self._builtins = suite_builtins

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self._builtins
        super().exec_module(module)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Writes no byte code: the folder is not ours."""


def _is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _without(names: Sequence[str] | None, left_out: str) -> tuple[str, ...]:
    # Something has to remain, or the statement would mean the outermost package.
    return tuple(name for name in names if name != left_out) or ("__name__",) if names else ()


def _free_name(name: str) -> str:
    taken = {*sys.modules, *(finder.private for finder in sys.meta_path if isinstance(finder, SuiteModules))}
    numbered = (name if number == 1 else f"{name}_{number}" for number in itertools.count(1))
    return next(candidate for candidate in numbered if candidate not in taken)
