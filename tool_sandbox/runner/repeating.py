"""What a stored run may not decide: it runs code, reads a variable, or names an address, a file or a folder.

A run directory can come from anybody. Whatever `run.json` says of that kind only takes effect when the person who goes
on with the run says it again; that is compared before anything is imported, started or asked.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.parties import without_credentials
from tool_sandbox.runner.replaying import PREFIX
from tool_sandbox.world.errors import ConfigurationError


def check_repeated(path: Path, stored: Mapping[str, Any], given: Mapping[str, Any], *, anyway: bool = False) -> None:
    """Refuses to go on with a run that would act by itself.

    Args:
        path: Its directory, for the message.
        stored: Its description.
        given: What the person said, by the names of the flags; ``None`` for nothing.
        anyway: Whether another program than that of the run may play.

    Raises:
        ConfigurationError: A setting must be given again (the message says which), or differs.
    """
    needed = acting(stored)
    if missing := as_flags({flag: value for flag, value in needed.items() if given.get(flag) is None}):
        raise ConfigurationError(
            f"{path}/run.json has settings that run code, read a variable, or name an address or a path; they are not "
            f"taken from a file; to use them, add:{missing}"
        )
    for flag in ("judge", "services"):
        if given.get(flag) is not None and given[flag] != needed.get(flag):
            raise ConfigurationError(
                f"--{flag} can only repeat the setting of the run: {needed.get(flag) or 'leave it out'}"
            )
    for party in ("agent", "user"):
        choice = given.get(party)
        # Another address of the same model is fine; whether it is the same is compared when it is known.
        if anyway or not isinstance(choice, str) or not _is_program(choice):
            continue
        if (now := without_credentials(choice)) != (was := stored[party]):
            told = printable(f"the {party} was {was} and is {now}")
            raise ConfigurationError(f"the new scores would not be comparable: {told} (use --anyway)")


def acting(stored: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a run that must be given again, by the names of their flags.

    Args:
        stored: Description of the run.
    """
    services = stored["services"].get("choice") or stored["services"]["mode"]
    found = {
        "agent": None if is_plain(stored["agent"]) else stored["agent"],
        "user": None if is_plain(stored["user"]) else stored["user"],
        "judge": None if stored.get("judge") is None or is_plain(stored["judge"]) else stored["judge"],
        "services": services if ":" in services else None,
        "cache": stored.get("cache"),
        "prices": (stored.get("prices") or {}).get("file"),
    }
    return {flag: value for flag, value in found.items() if value is not None}


def as_flags(needed: Mapping[str, str]) -> str:
    """The settings to give again as flags, each with a space before it; empty if there are none."""
    return printable("".join(f" --{flag} {shlex.quote(value)}" for flag, value in needed.items()))


def _is_program(choice: str) -> bool:
    from tool_sandbox.models.naming import is_model
    from tool_sandbox.roles.registry import ROLES

    spec = ROLES.get(choice.strip().partition(":")[0])
    return choice.startswith(PREFIX) or (not is_model(choice) and (spec is None or spec.is_external))


def is_plain(choice: str) -> bool:
    """Whether a party is a model at its usual address, or a role that only computes.

    Args:
        choice: A choice as on the command line, from wherever it comes. Nothing is imported or read for it but what
            belongs to this package.
    """
    from tool_sandbox.models.naming import find_provider, is_model, split_choice
    from tool_sandbox.roles.registry import ROLES, published_choice
    from tool_sandbox.roles.role_spec import parse_choice

    if _is_program(choice):
        return False
    if not is_model(choice):
        name, options = parse_choice(choice)
        if (model := ROLES[name].model) is None:
            return True
        choice = published_choice(model, options)
    name, options = split_choice(choice)
    # A number, a flag or one of a few words leads nowhere; any other text might.
    known = {parameter.name: parameter for parameter in find_provider(name)[0].load(options).parameters}
    return all(name in known and (known[name].choices or known[name].kind != "text") for name in options)
