"""The roles that can be chosen by name, on the command line and from Python.

A role is one entry of `ROLES`; nothing of it is imported before it is made. A choice is written
``Name`` or ``Name:option=value,option=value``, where the options are the parameters of its class. A model is chosen as
``provider/model`` (`tool_sandbox.models.naming`), with the options of its provider.
"""

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models import catalogue
from tool_sandbox.models.naming import choose_model, is_asked, is_model, split_choice
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.published import published_roles
from tool_sandbox.roles.role_spec import ENTRY_POINTS, Kind, Requirement, RoleSpec, parse_choice
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError


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
        *published_roles(),
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
