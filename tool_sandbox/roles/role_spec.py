"""A role that can be chosen by name: what it is, what it needs, and how it is made from a choice with options."""

import importlib
import importlib.util
import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.models.naming import split_options
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.role_options import parameters_of, read_options

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
        """Whether it is there, without importing anything but parent packages."""
        if self.kind == "variable":
            return bool(os.environ.get(self.name))
        if self.kind == "provider":
            return not PROVIDERS[self.name].missing()
        try:
            return importlib.util.find_spec(self.name) is not None
        except ModuleNotFoundError:
            return False

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
