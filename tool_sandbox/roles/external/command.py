"""Plays the agent with a custom command: ``--agent "command: python my_agent.py"``.

Options stand in parentheses: ``command(executor=docker,image=mine,timeout_s=60): my_agent``. The command is split into
words as a shell would, but never given to one. A command with ``{prompt_file}`` in it is started again for every turn
(`one_shot`); any other speaks JSON lines (`json_lines`).
"""

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, ClassVar

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.integrations.mcp.tools import check_installed
from tool_sandbox.models.redaction import REDACTED, environment_secrets, given_secrets, redact
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.agent import Driver
from tool_sandbox.roles.external.command_driver import Commanded
from tool_sandbox.roles.external.json_lines_messages import PROTOCOL
from tool_sandbox.roles.external.program import positive
from tool_sandbox.roles.role_spec import RoleSpec, parse_choice
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

NAME = "command"
FORM = "command: PROGRAM ARGUMENTS, or command(option=value,option=value): PROGRAM ARGUMENTS"

_CHOICE = re.compile(r"\s*command\s*(?:\((?P<options>[^()]*)\))?\s*:(?P<command>.*)", re.DOTALL)
_PROMPT = "{prompt_file}"
PLACEHOLDERS = (_PROMPT, "{mcp_config}", "{output_file}")
"""Words of a command that a path is put in place of."""

_VARIABLE = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_SECRET_OPTION = re.compile(r"-{0,2}[\w-]*(?:key|token|secret|password|passwd|credential)s?\Z", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST_LABEL = 60
_GRACE_S = 5.0
"""The driver gives up before the role does, because it knows what the agent has written as errors."""


def resolve(choice: str) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """Finds what a choice means."""
    match = _CHOICE.fullmatch(choice)
    if match is None:
        raise ConfigurationError(f"an agent that is a command is written {FORM}")
    command = match["command"].strip()
    for word in re.findall(r"\{[a-z]\w*\}", command):
        # Other words in braces are the program's business.
        if word not in PLACEHOLDERS and (close := suggest(word, PLACEHOLDERS)):
            known = ", ".join(PLACEHOLDERS)
            raise UnknownNameError(f"the command of the agent has {word}; what is filled in is {known}.", close)
    if public_command(command) != command:
        # It is written to run.json, from which a run is resumed.
        raise ConfigurationError(
            "the command of the agent contains what looks like a key or a password; have it read an environment "
            "variable, which command(env=NAME): ... passes on"
        )
    options = parse_choice(f"{NAME}:{match['options']}")[1] if (match["options"] or "").strip() else {}
    spec = RoleSpec(
        _label(split_command(command)),
        "a command of your own, which speaks JSON lines or reads a prompt file",
        {"agent": f"{__name__}:CommandAgent"},
        fixed={"command": command},
        is_external=True,
    )
    return spec, spec.factory("agent", options)


def split_command(command: str) -> tuple[str, ...]:
    """The words of a command line."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigurationError(f"the command of the agent cannot be split into words: {error}") from None
    if not words or not words[0]:
        raise ConfigurationError(f"there is no command; write {FORM}")
    return words


def _label(words: Sequence[str]) -> str:
    """A short name of a command: its program, or the script that is given to it."""
    script = next((word for word in words if PurePath(word).suffix in (".py", ".js", ".ts", ".sh", ".rb")), words[0])
    stem = _UNSAFE.sub("-", PurePath(script).stem).strip("-.") or "agent"
    return f"{NAME}_{stem}"[:_LONGEST_LABEL]


def public_command(command: str, secrets: Sequence[str] = ()) -> str:
    """A command as it was typed, without what looks like a secret."""
    hidden = list(secrets)
    words = split_command(command)
    for word, following in zip(words, (*words[1:], ""), strict=True):
        name, equals, value = word.partition("=")
        if _SECRET_OPTION.match(name):
            value = value if equals else following if word.startswith("-") else ""
            # Leaves out words and numbers: an option can end in "tokens" and mean a limit.
            hidden += environment_secrets({"SECRET": value})
    for secret in sorted(filter(None, hidden), key=len, reverse=True):
        command = command.replace(secret, REDACTED)
    return redact(command, environment_secrets(os.environ))


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class CommandAgent(Commanded):
    """Plays the agent with a command.

    Attributes:
        command: The command as it was typed.
        env: Names of variables of this environment that it is to have.
        mcp: Whether it gets the tools over MCP, as one that is started for every turn does.
    """

    is_a_model: ClassVar[bool] = False
    provider_name: ClassVar[str] = NAME

    command: str
    kill_after_s: float = attrs.field(default=5.0, validator=positive)
    env: str = ""
    mcp: bool = False

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.turn_timeout_s = self.timeout_s + _GRACE_S
        self.argv, self.environment = split_command(self.command), _variables(self.env)
        self.model_name = _label(self.argv)
        self.is_one_shot = any(_PROMPT in word for word in self.argv)
        self.mcp = self.mcp or self.is_one_shot

    def describe(self) -> Mapping[str, Any]:
        """The command without secrets, how it is run, and within which limits."""
        executor = self.executor()
        executor.check()
        executor.find(self.argv)
        if self.mcp:
            check_installed()
        return {
            "name": NAME,
            "command": public_command(self.command, self.secrets),
            "form": "one-shot" if self.is_one_shot else "json-lines",
            "protocol": None if self.is_one_shot else PROTOCOL,
            "executor": dict(executor.describe()),
            "limits": {"turn_s": self.timeout_s, **attrs.asdict(self.limits)},
            "environment": sorted(self.environment),
            "mcp": self.mcp,
        }

    def make_driver(self) -> Driver:
        """Makes what runs the command in a new conversation."""
        from tool_sandbox.roles.external.json_lines import JsonLinesDriver
        from tool_sandbox.roles.external.one_shot import OneShotDriver

        return OneShotDriver(self) if self.is_one_shot else JsonLinesDriver(self)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that it is passed, and the keys of this environment."""
        return (*given_secrets(self.environment), *environment_secrets(os.environ))


def _variables(names: str) -> dict[str, str]:
    """The variables of this environment that the agent is to have."""
    wanted = [name.strip() for name in names.split("+")] if names.strip() else []
    for name in wanted:
        if not _VARIABLE.match(name):
            raise ConfigurationError(f"option env of {NAME} is written env=NAME+NAME, got {names!r}")
        if name not in os.environ:
            raise ConfigurationError(f"the environment variable {name}, which the agent is to have, is not set")
    return {name: os.environ[name] for name in wanted}
