"""The roles that can be chosen by name, on the command line and from Python.

A role is one entry of `ROLES`; nothing of it is imported before it is made. A choice is written
``Name`` or ``Name:option=value,option=value``, where the options are the parameters of its class. A model is chosen as
``provider/model`` (`tool_sandbox.models.naming`), with the options of its provider.
"""

import importlib
import importlib.util
import inspect
import os
import re
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.common.errors import ConfigurationError, UnknownNameError
from tool_sandbox.common.suggestions import suggest
from tool_sandbox.models import catalogue
from tool_sandbox.models.naming import choose_model, is_asked, is_model, split_choice
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.published import PublishedRole, published_roles

Kind = Literal["agent", "user"]

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


def _published(role: PublishedRole) -> RoleSpec:
    classes: dict[Kind, str] = {"agent": role.agent}
    if role.user is not None:
        classes["user"] = role.user
    needs = (Requirement(role.model.partition("/")[0], "provider"),)
    fixed = {"model_name": role.fixed} if role.fixed else {}
    return RoleSpec(role.name, role.description, classes, needs, fixed, role.model)


def _external(name: str, description: str, place: str, *needs: Requirement, is_program: bool = True) -> RoleSpec:
    classes: dict[Kind, str] = {"agent": f"tool_sandbox.roles.external.{place}"}
    return RoleSpec(name, description, classes, needs, is_external=True, is_program=is_program)


_EXTERNAL = (
    _external(
        "claude-code",
        "the Claude Code command line, with the sandbox's tools over MCP and none of its own",
        "claude_code:ClaudeCodeAgent",
    ),
    _external(
        "codex",
        "the Codex command line, likewise",
        "codex:CodexAgent",
    ),
    _external(
        "gemini-cli",
        "the Gemini command line, likewise",
        "gemini_cli:GeminiCliAgent",
    ),
    _external(
        "claude-sdk",
        "the Claude Agent SDK, with the sandbox's tools in this process",
        "claude_sdk:ClaudeSdkAgent",
        Requirement("claude_agent_sdk", "package", "tool_sandbox[claude-sdk]"),
    ),
    _external(
        "managed-agents",
        "an agent whose loop runs at Anthropic (Managed Agents), with the sandbox's tools as custom tools",
        "managed_agents:ManagedAgent",
        Requirement("anthropic", "provider"),
        is_program=False,
    ),
)

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
        *_EXTERNAL,
        *map(_published, published_roles()),
    )
}
"""Name to role. To add one, add an entry."""


def role_names(kind: Kind) -> list[str]:
    """Names of the roles that can play a party, in the order of the table."""
    return [name for name, spec in ROLES.items() if kind in spec.kind]


def missing_requirements(spec: RoleSpec) -> list[Requirement]:
    """What a role needs whatever its options are, and does not find here."""
    return [need for need in spec.needs if not need.is_met()]


def missing_here(spec: RoleSpec) -> list[str]:
    """Everything that a role without options needs and does not find here; empty if it is ready to use.

    A program is looked for and not started.
    """
    missing = list(map(str, missing_requirements(spec)))
    if not missing and spec.is_program:
        # What it says itself before a run.
        role: Any = spec.load("agent")
        missing += role().missing()
    return missing


def resolve_role(choice: str, kind: Kind) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """Finds the role that a choice on the command line means, and checks that it can be used.

    Args:
        choice: ``Name`` or ``provider/model``, with options (``:option=value,option=value``) or without.
        kind: Which party it is to play.

    Returns:
        The role, and what makes a new one of it each time.

    Raises:
        UnknownNameError: There is no such role, provider or option.
        ConfigurationError: A value of the wrong type, a model that is retired, or something it needs is missing.
    """
    if _COMMAND.match(choice.strip()):
        raise ConfigurationError(f'to run a program as the agent, write: --agent "command: {choice.strip()}"')
    if is_model(choice):
        return model_role(choice, kind)
    if (resolve := _special(choice, kind)) is not None:
        return resolve(choice)
    name, options = parse_choice(choice)
    spec = ROLES.get(name)
    if spec is None or kind not in spec.kind:
        raise _unknown(name, kind)
    if spec.model is not None:
        if options or not is_asked():
            return model_role(published_choice(spec.model, options), kind)
        provider, _, model = split_choice(spec.model)[0].partition("/")
        catalogue.refuse_retired(provider, model)
    if missing := missing_requirements(spec):
        raise ConfigurationError(f"{kind} {name} needs {' and '.join(map(str, missing))}")
    return spec, spec.factory(kind, options)


_COMMAND = re.compile(r"(?:python[\d.]*|node|deno|sh|bash|uv|npx)\s")
"""How a command begins that was meant to be one."""

_SPECIAL: Mapping[str, str] = {
    r"command\s*[:(]": "tool_sandbox.roles.external.command:resolve",
    r"code:": "tool_sandbox.roles.code_agent:resolve",
    r"[^:]*\.py(?::|\s*$)": "tool_sandbox.roles.external.loading:resolve",
}
"""How choices of agents begin that are no names, and what finds the role that is meant."""

_Resolve = Callable[[str], tuple[RoleSpec, Callable[[], BaseRole]]]


def _special(choice: str, kind: Kind) -> _Resolve | None:
    if kind != "agent":
        return None
    place = next((place for start, place in _SPECIAL.items() if re.match(start, choice.strip())), None)
    if place is None:
        name = parse_choice(choice)[0]
        if name in ROLES or not _is_entry_point(name):
            return None
        place = "tool_sandbox.roles.external.loading:resolve"
    module, _, function = place.partition(":")
    resolve: _Resolve = getattr(importlib.import_module(module), function)
    return resolve


ENTRY_POINTS = "tool_sandbox.agents"
"""Group of entry points under which other packages offer agents by name."""


def _is_entry_point(name: str) -> bool:
    from importlib.metadata import entry_points

    return bool(entry_points(group=ENTRY_POINTS, name=name))


def model_role(choice: str, kind: Kind, *, offline: bool = False) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """The role of a model, in a conversation of any scenario.

    Args:
        choice: ``provider/model``, with options or without.
        kind: Which party it is to play.
        offline: The answers of the model are stored; see `choose_model`.

    Returns:
        The role, and what makes a new one of it each time.

    Raises:
        UnknownNameError: There is no such provider or option.
        ConfigurationError: The model cannot be used; see `tool_sandbox.models.naming.resolve_model`.
    """
    chosen = choose_model(choice, offline=offline)
    spec = RoleSpec(split_choice(choice)[0], PROVIDERS[chosen.provider.name].description, _MODEL_ROLES, model=choice)
    # Both classes take the same arguments, which `BaseRole` knows nothing of.
    role: Any = spec.load(kind)
    return spec, lambda: role(chosen.provider, chosen.policy)


_MODEL_ROLES: Mapping[Kind, str] = {
    "agent": "tool_sandbox.roles.model_agent:ModelAgent",
    "user": "tool_sandbox.roles.model_user:ModelUser",
}


def model_choice(choice: str, kind: Kind) -> str | None:
    """The model that a choice means or stands for.

    Args:
        choice: ``Name`` or ``provider/model``, with options or without.
        kind: Which party it is to play.

    Returns:
        ``provider/model`` with its options, ``None`` if no model plays the role.

    Raises:
        UnknownNameError: There is no such role.
        ConfigurationError: The options have another form.
    """
    if is_model(choice):
        return choice
    if (resolve := _special(choice, kind)) is not None:
        return resolve(choice)[0].model
    name, options = parse_choice(choice)
    spec = ROLES.get(name)
    if spec is None or kind not in spec.kind:
        raise _unknown(name, kind)
    return None if spec.model is None else published_choice(spec.model, options)


def published_choice(model: str, options: Mapping[str, str]) -> str:
    """The choice that a published name with options is short for.

    Args:
        model: The choice that the name stands for.
        options: Option to value, as written; ``model`` puts another model in place of the published one.

    Returns:
        ``provider/model:option=value,...``
    """
    name, own = split_choice(model)
    given = own | dict(options)
    if "model" in given:
        name = f"{name.partition('/')[0]}/{given.pop('model')}"
    return name + (":" + ",".join(f"{option}={value}" for option, value in given.items()) if given else "")


def _unknown(name: str, kind: Kind) -> UnknownNameError:
    names = role_names(kind)
    if name == "Deterministic":
        # A name of the published command line that never had a class behind it.
        stand_in = "Oracle" if kind == "agent" else "Scripted"
        return UnknownNameError(f"{name} was never implemented; {stand_in} is the {kind} that does without a model.")
    problem = f"there is no {kind} {name!r}" if name not in ROLES else f"{name} cannot play the {kind}"
    ids = [f"{provider}/{name}" for provider in catalogue.providers_of(name)]
    close = ids or suggest(name, [*names, *(f"{provider}/MODEL" for provider in PROVIDERS if provider == name)])
    return UnknownNameError(f"{problem}; choose one of {', '.join(names)}, or provider/model.", close)


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
