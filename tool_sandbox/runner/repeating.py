"""What a stored run may not decide: it runs code, reads a variable, or names an address, a file or a folder.

A run directory can come from anybody. Whatever `run.json` says of that kind only takes effect when the person who goes
on with the run says it again; that is compared before anything is imported, started or asked.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.runner.replaying import PREFIX, Kind
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.roles.role_spec import RoleSpec


def check_repeated(path: Path, stored: Mapping[str, Any], given: Mapping[str, Any], *, anyway: bool = False) -> None:
    """Refuses to go on with a run that would act by itself."""
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
    parties: tuple[Kind, ...] = ("agent", "user")
    for party in parties:
        choice = given.get(party)
        # Another address of the same model is fine; whether it is the same is compared when it is known.
        if anyway or not isinstance(choice, str) or _looked_up(choice, party) is not None:
            continue
        if (now := without_credentials(choice)) != (was := stored[party]):
            told = printable(f"the {party} was {was} and is {now}")
            raise ConfigurationError(f"the new scores would not be comparable: {told} (use --anyway)")


def acting(stored: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a run that must be given again, by the names of their flags."""
    services = stored["services"].get("choice") or stored["services"]["mode"]
    found = {
        "agent": None if is_plain(stored["agent"], "agent") else stored["agent"],
        "user": None if is_plain(stored["user"], "user") else stored["user"],
        "judge": None if stored.get("judge") is None or is_plain(stored["judge"], "agent") else stored["judge"],
        "services": services if ":" in services else None,
        "cache": stored.get("cache"),
        "prices": (stored.get("prices") or {}).get("file"),
    }
    return {flag: value for flag, value in found.items() if value is not None}


def as_flags(needed: Mapping[str, str]) -> str:
    """The settings to give again as flags, each with a space before it; empty if there are none."""
    return printable("".join(f" --{flag} {shlex.quote(value)}" for flag, value in needed.items()))


def _looked_up(choice: str, kind: Kind) -> "RoleSpec | None":
    """Who a choice means, ``None`` for one that runs code: a command, a file, a package, a class, or a replay."""
    from tool_sandbox.roles.registry import look_up

    try:
        spec = None if choice.startswith(PREFIX) else look_up(choice, kind)
    except ConfigurationError:
        # It was given in Python, or belongs to a package that is not installed.
        return None
    return None if spec is None or spec.is_external or spec.writes_code else spec


def is_plain(choice: str, kind: Kind) -> bool:
    """Whether a party is a model at its usual address, or a role that only computes."""
    from tool_sandbox.models.naming import split_choice

    if (spec := _looked_up(choice, kind)) is None or spec.model is None:
        return spec is not None
    name, options = split_choice(spec.model)
    if (provider := PROVIDERS.get(name.partition("/")[0])) is None:
        return False
    # A number, a flag or one of a few words leads nowhere; any other text might.
    known = {parameter.name: parameter for parameter in provider.load(options).parameters}
    return all(name in known and (known[name].choices or known[name].kind != "text") for name in options)
