"""The roles that can be chosen by name, on the command line and from Python.

A role is one entry of `ROLES`; nothing of it is imported before it is made. A choice is written
``Name`` or ``Name:option=value,option=value``, where the options are the parameters of its class.
"""

import importlib
import importlib.util
import inspect
import os
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.common.errors import ConfigurationError, UnknownNameError
from tool_sandbox.roles.base_role import BaseRole

Kind = Literal["agent", "user"]

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@attrs.frozen
class Requirement:
    """Something a role cannot do without.

    Attributes:
        name: Name of an environment variable or of a Python package.
        kind: Which of the two.
        install: What to install for a package, its name by default.
    """

    name: str
    kind: Literal["variable", "package"] = "variable"
    install: str | None = None

    def is_met(self) -> bool:
        """Whether it is there, without importing anything but parent packages."""
        if self.kind == "variable":
            return bool(os.environ.get(self.name))
        try:
            return importlib.util.find_spec(self.name) is not None
        except ModuleNotFoundError:
            return False

    def __str__(self) -> str:
        if self.kind == "variable":
            return f"environment variable {self.name}"
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
    """

    name: str
    description: str
    classes: Mapping[Kind, str]
    needs: tuple[Requirement, ...] = ()
    fixed: Mapping[str, Any] = attrs.field(factory=dict)

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


ROLES: dict[str, RoleSpec] = {
    spec.name: spec
    for spec in (
        RoleSpec(
            "Oracle",
            "plays the reference solution; error_rate and seed add mistakes",
            {"agent": "tool_sandbox.roles.oracle_agent:OracleAgent"},
        ),
        RoleSpec(
            "Unhelpful",
            "refuses everything: the floor of the benchmark",
            {"agent": "tool_sandbox.roles.unhelpful_agent:UnhelpfulAgent"},
        ),
        RoleSpec(
            "Cli",
            "you, at this terminal",
            {"agent": "tool_sandbox.roles.cli_role:CliAgent", "user": "tool_sandbox.roles.cli_role:CliUser"},
        ),
        RoleSpec(
            "Scripted",
            "follows the user script of the scenario",
            {"user": "tool_sandbox.roles.scripted_user:ScriptedUser"},
        ),
    )
}
"""Name to role. To add one, add an entry."""


def role_names(kind: Kind) -> list[str]:
    """Names of the roles that can play a party, in the order of the table."""
    return [name for name, spec in ROLES.items() if kind in spec.kind]


def missing_requirements(spec: RoleSpec) -> list[Requirement]:
    """What a role needs and does not find here; empty if it is ready to use."""
    return [need for need in spec.needs if not need.is_met()]


def resolve_role(choice: str, kind: Kind) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """Finds the role that a choice on the command line means, and checks that it can be used.

    Args:
        choice: ``Name`` or ``Name:option=value,option=value``.
        kind: Which party it is to play.

    Returns:
        The role, and what makes a new one of it each time.

    Raises:
        UnknownNameError: There is no such role or option.
        ConfigurationError: A value of the wrong type, or something it needs is missing.
    """
    name, options = parse_choice(choice)
    spec = ROLES.get(name)
    if spec is None or kind not in spec.kind:
        names = role_names(kind)
        problem = f"there is no {kind} {name!r}" if spec is None else f"{name} cannot play the {kind}"
        raise UnknownNameError(f"{problem}; choose one of {', '.join(names)}.", suggest(name, names))
    if missing := missing_requirements(spec):
        raise ConfigurationError(f"{kind} {name} needs {' and '.join(map(str, missing))}")
    return spec, spec.factory(kind, options)


def parse_choice(choice: str) -> tuple[str, dict[str, str]]:
    """Splits a choice into the name and the options.

    Args:
        choice: ``Name`` or ``Name:option=value,option=value``.

    Returns:
        The name, and option to value as written.

    Raises:
        ConfigurationError: The text has another form, or names an option twice.
    """
    name, colon, rest = choice.strip().partition(":")
    options: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = (text.strip() for text in part.partition("="))
        if not option or not equals:
            raise ConfigurationError(f"{choice!r} is not of the form Name:option=value,option=value")
        if option in options:
            raise ConfigurationError(f"{choice!r} gives the option {option!r} twice")
        options[option] = value
    return name, options


def suggest(name: str, known: Iterable[str]) -> list[str]:
    """Known names that are close to a wrong one, best first, at most three."""
    from rapidfuzz import fuzz, process, utils

    hits = process.extract(
        name, list(known), scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=60, limit=3
    )
    return [hit for hit, _, _ in hits]


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
