"""The roles that can be chosen by name, on the command line and from Python.

A role is one entry of `ROLES`; nothing of it is imported before it is made. A choice is written
``Name`` or ``Name:option=value,option=value``, where the options are the parameters of its class. A model is chosen as
``provider/model`` (`tool_sandbox.models.naming`), with the options of its provider.
"""

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models import catalogue
from tool_sandbox.models.naming import choose_model, is_asked, is_model, split_choice, without_options
from tool_sandbox.models.plug_ins import offered
from tool_sandbox.models.providers import provider_names
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
    _external("codex", "the Codex command line, likewise", "codex:CodexAgent"),
    _external("gemini-cli", "the Gemini command line, likewise", "gemini_cli:GeminiCliAgent"),
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
            needs_solution=True,
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
            is_interactive=True,
        ),
        RoleSpec(
            "Scripted",
            "follows the user script of the scenario",
            {"user": "tool_sandbox.roles.scripted_user:ScriptedUser"},
            repeats_itself=True,
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


@attrs.frozen
class Form:
    """A way to write a choice that is no name of `ROLES`.

    Attributes:
        name: How it is listed.
        description: What is meant by it.
        start: How such a choice begins.
        place: What finds the role that is meant (``module:function``).
        prefix: What stands before the name of a model.
        writes_code: Whether that model calls tools from Python that it writes.
    """

    name: str
    description: str
    start: str
    place: str
    prefix: str | None = None
    writes_code: bool = False

    def find(self, choice: str, *, offline: bool) -> "Found":
        """The role that a choice of this form means."""
        module, _, name = self.place.partition(":")
        find: Any = getattr(importlib.import_module(module), name)
        found: Found = find(choice) if self.prefix is None else find(choice, offline=offline)
        return found


Found = tuple[RoleSpec, Callable[[], BaseRole]]
"""A role, and what makes a new one of it each time."""

FORMS = (
    Form(
        "FILE.py:NAME",
        "a class with respond(messages, tools), or a function, in a file of Python",
        r"[^:]*\.py(?::|\s*$)",
        "tool_sandbox.roles.external.loading:resolve",
    ),
    Form(
        '"command: PROGRAM ..."',
        "a program that speaks JSON lines, or takes a {prompt_file}",
        r"command\s*[:(]",
        "tool_sandbox.roles.external.command:resolve",
    ),
    Form(
        "code:PROVIDER/MODEL",
        "a model that writes Python code to call the tools",
        r"code:",
        "tool_sandbox.roles.code_agent:resolve",
        prefix="code:",
        writes_code=True,
    ),
)
"""The forms of agents; users have none but ``provider/model``."""

_OFFERED = Form("", "", "", "tool_sandbox.roles.external.loading:resolve")
"""A name under which another package offers an agent."""

_COMMAND = re.compile(r"(?:python[\d.]*|node|deno|sh|bash|uv|npx)\s")
"""How a command begins that was meant to be one."""


def resolve_role(choice: str, kind: Kind, *, offline: bool = False) -> Found:
    """Finds the role that a choice on the command line means, and checks that it can be used."""
    if _COMMAND.match(choice.strip()):
        raise ConfigurationError(f'to run a program as the agent, write: --agent "command: {choice.strip()}"')
    if (form := _form(choice, kind)) is not None:
        return form.find(choice, offline=offline)
    if is_model(choice):
        return _model_role(choice, kind, offline=offline)
    name, options = parse_choice(choice)
    spec = _named(name, kind)
    if spec.model is not None:
        if options or offline or not is_asked():
            return _model_role(published_choice(spec.model, options), kind, offline=offline)
        provider, _, model = split_choice(spec.model)[0].partition("/")
        catalogue.refuse_retired(provider, model)
    if missing := missing_requirements(spec):
        raise ConfigurationError(f"{kind} {name} needs {' and '.join(map(str, missing))}")
    return spec, spec.factory(kind, options)


def look_up(choice: str, kind: Kind) -> RoleSpec:
    """What a choice says of a role by its text alone: nothing is imported, started or asked that it names."""
    if (form := _form(choice, kind)) is not None:
        if form.prefix is None:
            return RoleSpec(choice, form.description, {kind: form.place}, is_external=True)
        model = choice.strip().removeprefix(form.prefix).strip()
        return RoleSpec(choice, form.description, {kind: form.place}, model=model, writes_code=form.writes_code)
    if is_model(choice):
        return RoleSpec(split_choice(choice)[0], "", _MODEL_ROLES, model=choice)
    name, options = parse_choice(choice)
    spec = _named(name, kind)
    return spec if spec.model is None else attrs.evolve(spec, model=published_choice(spec.model, options))


def writes_code(choice: str, kind: Kind) -> bool:
    """Whether a choice means a model that calls tools from Python that it writes, whether or not it can be used."""
    form = _form(choice, kind)
    return form is not None and form.writes_code


def path_name(choice: str) -> str | None:
    """A choice of a model without its options, as it can stand in a path; ``None`` where none is chosen by its id."""
    form, name = _form(choice, "agent"), split_choice(choice)[0]
    if form is None and is_model(choice):
        told = name
    elif form is not None and form.prefix is not None:
        told = f"{form.prefix.replace(':', '_')}{name.removeprefix(form.prefix)}"
    else:
        return None
    # Elsewhere a slash becomes a hyphen, which is frequent in the ids of models.
    return told.replace("/", "_")


def _form(choice: str, kind: Kind) -> Form | None:
    if kind != "agent":
        return None
    if (form := next((form for form in FORMS if re.match(form.start, choice.strip())), None)) is not None:
        return form
    name = without_options(choice)
    return None if name.partition(":")[0] in ROLES or is_model(name) or name not in offered(ENTRY_POINTS) else _OFFERED


def _named(name: str, kind: Kind) -> RoleSpec:
    spec = ROLES.get(name)
    if spec is None or kind not in spec.kind:
        raise _unknown(name, kind)
    return spec


def _model_role(choice: str, kind: Kind, *, offline: bool) -> Found:
    chosen = choose_model(choice, offline=offline)
    spec = RoleSpec(split_choice(choice)[0], chosen.spec.description, _MODEL_ROLES, model=choice)
    # Both classes take the same arguments, which `BaseRole` knows nothing of.
    role: Any = spec.load(kind)
    return spec, lambda: role(chosen.provider, chosen.policy)


_MODEL_ROLES: Mapping[Kind, str] = {
    "agent": "tool_sandbox.roles.model_agent:ModelAgent",
    "user": "tool_sandbox.roles.model_user:ModelUser",
}


def published_choice(model: str, options: Mapping[str, str]) -> str:
    """The choice that a published name with options is short for."""
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
    close = ids or suggest(name, [*names, *(f"{provider}/MODEL" for provider in provider_names() if provider == name)])
    return UnknownNameError(f"{problem}; choose one of {', '.join(names)}, or provider/model.", close)
