"""A role that can be chosen by name: what it is, what it needs, and how it is made from a choice with options."""

import importlib
import importlib.util
import inspect
import os
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.naming import split_options
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

Kind = Literal["agent", "user"]

ENTRY_POINTS = "tool_sandbox.agents"
"""Group of entry points under which other packages offer agents by name."""

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


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
    """

    name: str
    description: str
    classes: Mapping[Kind, str]
    needs: tuple[Requirement, ...] = ()
    fixed: Mapping[str, Any] = attrs.field(factory=dict)
    model: str | None = None
    is_external: bool = False
    is_program: bool = False

    @property
    def kind(self) -> frozenset[Kind]:
        """The parties it can play."""
        return frozenset(self.classes)

    def load(self, kind: Kind) -> type[BaseRole]:
        """Imports its class.

        Args:
            kind: Which party.

        Returns:
            The class.
        """
        module, _, name = self.classes[kind].partition(":")
        role: type[BaseRole] = getattr(importlib.import_module(module), name)
        return role

    def factory(self, kind: Kind, options: Mapping[str, str]) -> Callable[[], BaseRole]:
        """Checks a choice and says how to make the role.

        Args:
            kind: Which party.
            options: Option to value, as written.

        Returns:
            What makes a new role each time.

        Raises:
            UnknownNameError: It has no such option.
            ConfigurationError: A value of the wrong type.
        """
        role = self.load(kind)
        parameters = inspect.signature(role).parameters
        values = dict(self.fixed)
        for option, text in options.items():
            if option not in parameters or option in self.fixed:
                known = [name for name in parameters if name not in self.fixed]
                offer = f"it takes {', '.join(known)}" if known else "it takes none"
                raise UnknownNameError(f"{self.name} has no option {option!r}; {offer}.", suggest(option, known))
            values[option] = _convert(self.name, option, text, parameters[option].annotation)
        return lambda: role(**values)


def parse_choice(choice: str) -> tuple[str, dict[str, str]]:
    """Splits a choice into the name and the options.

    Args:
        choice: ``Name`` or ``Name:option=value,option=value``.

    Returns:
        The name, and option to value as written.

    Raises:
        ConfigurationError: The options have another form, or one is given twice. The message quotes no values.
    """
    name, colon, rest = choice.strip().partition(":")
    return name, split_options(name, rest if colon else None)


def _convert(role: str, option: str, text: str, annotation: Any) -> Any:
    # `int | None` takes an integer, too.
    wanted = next((part for part in typing.get_args(annotation) if part is not type(None)), annotation)
    try:
        if wanted is bool:
            return _FLAGS[text.lower()]
        return wanted(text) if wanted in (int, float) else text
    except (KeyError, ValueError):
        name = "true or false" if wanted is bool else "a number" if wanted is float else "a whole number"
        raise ConfigurationError(f"option {option} of {role} has to be {name}, got {text!r}") from None
