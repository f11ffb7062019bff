"""A role that can be chosen by name: what it is, what it needs, and how it is made from a choice with options."""

import importlib
import importlib.util
import inspect
import math
import os
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from tool_sandbox.models.naming import split_options
from tool_sandbox.models.parameters import Parameter, read_parameters
from tool_sandbox.models.plug_ins import is_importable
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.errors import ConfigurationError

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parameters_of(thing: Callable[..., Any], skip: int = 0) -> dict[str, inspect.Parameter]:
    """The parameters of a class or function, by name."""
    try:
        signature = inspect.signature(thing, eval_str=True)
    except (TypeError, ValueError):
        return {}
    except Exception:
        # An annotation that only a type checker can read.
        signature = inspect.signature(thing)
    return dict(list(signature.parameters.items())[skip:])


def read_options(name: str, parameters: Mapping[str, inspect.Parameter], options: Mapping[str, str]) -> dict[str, Any]:
    """Turns options as they were written into arguments."""
    known = {key: parameter for key, parameter in parameters.items() if parameter.kind in _NAMED}
    others = [key for key in options if key not in known]
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    taken = [_as_option(parameter) for parameter in known.values()]
    taken += [Parameter(key, "") for key in others if takes_all]
    values = read_parameters(name, taken, options)
    missing = [key for key, parameter in known.items() if parameter.default is parameter.empty and key not in options]
    if missing:
        example = ",".join(f"{key}=..." for key in missing)
        raise ConfigurationError(f"{name} needs the option {' and '.join(missing)}: write {name}:{example}")
    return {key: _typed(value, known[key]) if key in known else value for key, value in values.items()}


def _as_option(parameter: inspect.Parameter) -> Parameter:
    wanted = _wanted(parameter)
    if typing.get_origin(wanted) is typing.Literal:
        return Parameter(parameter.name, "", choices=tuple(map(str, typing.get_args(wanted))))
    if wanted is bool:
        return Parameter(parameter.name, "", "flag")
    if wanted in (int, float):
        # Any number but NaN; what makes sense, the class says itself.
        return Parameter(parameter.name, "", "whole number" if wanted is int else "number", maximum=math.inf)
    return Parameter(parameter.name, "")


def _typed(value: Any, parameter: inspect.Parameter) -> Any:
    """A value of the type that is written there, where that is more than a text, a number or a flag."""
    wanted = _wanted(parameter)
    if typing.get_origin(wanted) is typing.Literal:
        return next(choice for choice in typing.get_args(wanted) if str(choice) == value)
    return Path(value) if wanted is Path else value


def _wanted(parameter: inspect.Parameter) -> Any:
    """The type that an option is to have: that of the annotation, else that of the default."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return type(parameter.default) if isinstance(parameter.default, bool | int | float | Path) else str
    if typing.get_origin(annotation) is typing.Literal:
        return annotation
    # `int | None` takes an integer, too.
    return next((part for part in typing.get_args(annotation) if part is not type(None)), annotation)


Kind = Literal["agent", "user"]

ENTRY_POINTS = "tool_sandbox.agents"
"""Group of entry points under which other packages offer agents by name."""


@attrs.frozen
class Requirement:
    """Something a role cannot do without.

    Attributes:
        name: Name of an environment variable or of a Python package; what a provider needs, in words.
        kind: Which of these.
        install: What to install for a package, its name by default.
    """

    name: str
    kind: Literal["variable", "package", "provider"] = "variable"
    install: str | None = None

    def is_met(self) -> bool:
        """Whether it is there."""
        if self.kind == "variable":
            return bool(os.environ.get(self.name))
        if self.kind == "provider":
            return not PROVIDERS[self.name].missing()
        return is_importable(self.name)

    def __str__(self) -> str:
        if self.kind == "variable":
            return f"environment variable {self.name}"
        if self.kind == "provider":
            spec = PROVIDERS[self.name]
            return " and ".join(spec.missing()) or f"{spec.name} ({', '.join(spec.keys)})"
        return f"Python package {self.install or self.name}"


@attrs.frozen
class RoleSpec:
    """A role that can be chosen.

    Attributes:
        name: Name to choose it by.
        description: What it is, in one line.
        classes: Where its class is (``module:Class``), for each kind of party it can play.
        needs: What has to be there to use it.
        fixed: Arguments of the class that belong to this name and are not options.
        model: The choice (``provider/model`` with options) that it stands for, ``None`` if no model plays it.
        is_external: Whether it has a loop of its own (``tool_sandbox.roles.external``), and so waits for others.
        is_program: Whether it runs a program, which with its options decides what else is needed.
        is_interactive: Whether a person plays it at the terminal.
        needs_solution: Whether it plays the reference solution of a scenario.
        repeats_itself: Whether it says the same again to the same messages, so that a replay needs nothing stored.
        writes_code: Whether a model calls tools from Python that it writes.
    """

    name: str
    description: str
    classes: Mapping[Kind, str]
    needs: tuple[Requirement, ...] = ()
    fixed: Mapping[str, Any] = attrs.field(factory=dict)
    model: str | None = None
    is_external: bool = False
    is_program: bool = False
    is_interactive: bool = False
    needs_solution: bool = False
    repeats_itself: bool = False
    writes_code: bool = False

    @property
    def is_local(self) -> bool:
        """Whether it computes its answers, rather than waiting for a model, a program or a person."""
        return self.model is None and not self.needs and not self.is_external and not self.is_interactive

    @property
    def kind(self) -> frozenset[Kind]:
        """The parties it can play."""
        return frozenset(self.classes)

    def load(self, kind: Kind) -> type[BaseRole]:
        """Imports its class."""
        module, _, name = self.classes[kind].partition(":")
        role: type[BaseRole] = getattr(importlib.import_module(module), name)
        return role

    def factory(self, kind: Kind, options: Mapping[str, str]) -> Callable[[], BaseRole]:
        """Checks a choice and says how to make the role."""
        role = self.load(kind)
        parameters = {name: one for name, one in parameters_of(role).items() if name not in self.fixed}
        values = {**self.fixed, **read_options(self.name, parameters, options)}
        return lambda: role(**values)


def parse_choice(choice: str) -> tuple[str, dict[str, str]]:
    """Splits a choice into the name and the options."""
    name, colon, rest = choice.strip().partition(":")
    return name, split_options(name, rest if colon else None)
