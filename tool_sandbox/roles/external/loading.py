"""Finds a custom agent in Python: in a file (``path/to/file.py:MyAgent``), or by an entry point.

Paths start from the directory in which a command is given, and are stored as they were written: ``resume`` and
``retry`` are to be given in the same directory. A file is imported once a process, with its own directory first on
``sys.path`` as Python has it for a script, so that it finds what lies beside it. Two agents that have different
modules of the same name beside them cannot be in one sweep.
"""

import functools
import hashlib
import importlib.util
import re
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.naming import split_choice
from tool_sandbox.models.parameters import refuse_keys
from tool_sandbox.models.plug_ins import described, load_offer, offer, shown
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.agent import ExternalAgent
from tool_sandbox.roles.external.loop import LoopAgent, check_kind
from tool_sandbox.roles.external.loop_driver import Target, check_parameters
from tool_sandbox.roles.role_spec import ENTRY_POINTS, RoleSpec, parameters_of, read_options
from tool_sandbox.world.errors import ConfigurationError, ToolSandboxError, UnknownNameError

_IN_FILE = re.compile(r"(?P<file>.*\.py)(?::(?P<name>.*))?", re.DOTALL)
_UNSAFE = re.compile(r"[^\w.=-]+")
_LONGEST_LABEL = 80
_TIME = "turn_timeout_s"
_importing = threading.RLock()


@attrs.frozen
class Found:
    """What a choice means.

    Attributes:
        name: What messages call it.
        label: A short name, fit for a directory.
        thing: The class or function.
        about: What ``run.json`` is to say of it beside its name.
    """

    name: str
    label: str
    thing: Any
    about: Mapping[str, Any]


def resolve(choice: str) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """Finds the agent that a choice means."""
    name, options = split_choice(choice)
    refuse_keys(options, "have the agent read it from the environment")
    in_file = _IN_FILE.fullmatch(name)
    found = _in_file(in_file["file"], in_file["name"] or "") if in_file else _by_entry_point(name)
    check_kind(found.name, found.thing)
    if isinstance(found.thing, type) and issubclass(found.thing, BaseRole):
        return _role(found, options)
    return _loop(found, options)


def _loop(found: Found, options: Mapping[str, str]) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    is_class = isinstance(found.thing, type)
    parameters = parameters_of(found.thing, 0 if is_class else 2)
    if not is_class and not any(option in parameters for option in options):
        # Before its options, so that a function of another kind is not asked for arguments of its own.
        check_parameters(found.name, functools.partial(found.thing, **dict.fromkeys(_required(parameters))))
    timing = parameters_of(LoopAgent)[_TIME]
    own = {key: text for key, text in options.items() if key != _TIME or key in parameters}
    values = read_options(found.name, parameters, own)
    time = read_options(found.name, {_TIME: timing}, {key: text for key, text in options.items() if key == _TIME})
    target = Target(found.name, found.thing, values)
    return _spec(found, options, LoopAgent), lambda: LoopAgent(target, about=found.about, **time)


def _required(parameters: Mapping[str, Any]) -> list[str]:
    kinds = ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
    return [name for name, one in parameters.items() if one.default is one.empty and one.kind.name in kinds]


def _role(found: Found, options: Mapping[str, str]) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """A role in the sense of this package, which is taken as it is."""
    role: type[BaseRole] = found.thing
    if role.role_type is not RoleType.AGENT:
        plays = "no party" if role.role_type is None else f"the {role.role_type.lower()}"
        raise ConfigurationError(f"{found.name} plays {plays}, not the agent: see its role_type")
    values = read_options(found.name, parameters_of(role), options)

    def make() -> BaseRole:
        try:
            return role(**values)
        except ToolSandboxError:
            raise
        except Exception as error:
            raise ConfigurationError(f"{found.name} cannot be created: {described(error, None)}") from error

    return _spec(found, options, role), make


def _spec(found: Found, options: Mapping[str, str], role: type[BaseRole]) -> RoleSpec:
    label = "_".join([found.label, *(f"{option}={value}" for option, value in options.items())])
    return RoleSpec(
        _UNSAFE.sub("-", label)[:_LONGEST_LABEL],
        "an agent of your own, in Python",
        {"agent": f"{role.__module__}:{role.__qualname__}"},
        is_external=issubclass(role, ExternalAgent),
    )


def _in_file(path: str, name: str) -> Found:
    file = Path(path).expanduser()
    if not file.is_file():
        beside = suggest(file.name, [entry.name for entry in file.parent.glob("*.py")]) if file.parent.is_dir() else []
        where = "" if file.is_absolute() else f" in {Path.cwd()}, where this command is given"
        raise UnknownNameError(f"there is no file {path}{where}.", [str(file.parent / entry) for entry in beside])
    module = import_file(file)
    found = vars(module).get(name)
    if not name or found is None:
        known = _agents_of(module)
        problem = f"{path} has no {name!r}" if name else f"{path} has to be followed by the name of a class or function"
        offer = f"write {path}:{known[0]}" if len(known) == 1 else f"there are {', '.join(known)}" if known else ""
        raise UnknownNameError(f"{problem}{'; ' if offer else ''}{offer}.", suggest(name, known) if name else ())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Found(f"{path}:{name}", f"{file.stem}.{name}", found, {"sha256": digest})


def _agents_of(module: ModuleType) -> list[str]:
    """What in a file may be meant: classes that answer, and functions, that were not imported from elsewhere."""
    own = {
        name: thing
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_") and callable(thing)
    }
    return [name for name, thing in own.items() if not isinstance(thing, type) or hasattr(thing, "respond")]


def import_file(file: Path) -> ModuleType:
    """Imports a file under a name of its own; once a process, wherever it is asked for."""
    file = file.resolve()
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:12]
    stem = re.sub(r"\W", "_", file.stem)
    name = f"tool_sandbox_agent_{stem}_{digest}"
    with _importing:
        module = sys.modules.get(name)
        return _imported(name, file) if module is None else module


def _imported(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{shown(file)} is not a Python file that can be imported")
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    module = importlib.util.module_from_spec(spec)
    # Before it is run, as the import system does: what it defines looks for its module there.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise ConfigurationError(f"cannot import {shown(file)}: {described(error, file.parent)}") from error
    return module


def _by_entry_point(name: str) -> Found:
    point = offer(ENTRY_POINTS, name, "an agent")
    about = {} if point.dist is None else {"package": point.dist.name, "version": point.dist.version}
    return Found(name, name, load_offer(point, "agent"), about)
