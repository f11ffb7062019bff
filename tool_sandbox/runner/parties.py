"""Who plays in a run, as far as models are concerned: what `run.json` says of them, and what they may cost."""

import hashlib
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.models.messages import Usage
from tool_sandbox.models.redaction import public_url
from tool_sandbox.models.session import Price
from tool_sandbox.play.opening import read_text
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.casting import Cast
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from tool_sandbox.models.provider import Provider
    from tool_sandbox.roles.base_role import BaseRole

_PACKAGES = ("anthropic", "google-genai", "httpx2", "openai")
_CREDENTIALS = re.compile(r"//[^/@\s,]*@")


@attrs.frozen
class Instruction:
    """What the agent is told in every scenario.

    Attributes:
        text: The text, ``None`` for that of each scenario.
    """

    text: str | None = None

    def describe(self) -> dict[str, Any]:
        """What ``run.json`` says of it: version of the built-in text, or the replacement itself, and its SHA-256."""
        from tool_sandbox.scenarios.prompts import AGENT_INSTRUCTION, AGENT_INSTRUCTION_VERSION

        version = AGENT_INSTRUCTION_VERSION if self.text is None else None
        told = AGENT_INSTRUCTION if self.text is None else self.text
        return {"version": version, "sha256": hashlib.sha256(told.encode()).hexdigest(), "text": self.text}


def read_instruction(path: "Path") -> str:
    """Reads what the agent is to be told in place of every scenario's instruction.

    Raises:
        ConfigurationError: The file cannot be read or is empty.
    """
    text = read_text(path, what="the system prompt ").strip()
    if not text:
        raise ConfigurationError(f"the system prompt {path} is empty")
    return text


def without_credentials(text: str) -> str:
    """A choice or an address without the user and password that an address can hold.

    Args:
        text: Text as it was given on the command line.
    """
    return _CREDENTIALS.sub("//", text)


def probe(cast: Cast) -> "Provider | None":
    """The model behind a party.

    One role is made to find out, and torn down; classes that are no models are left alone.

    Args:
        cast: The party.

    Returns:
        The model, ``None`` if there is none.
    """
    from tool_sandbox.roles.model_role import ModelRole

    factory = cast.factory
    if cast.is_local or cast.is_interactive or (isinstance(factory, type) and not issubclass(factory, ModelRole)):
        return None
    make: Callable[[], BaseRole] = factory
    role = make()
    role.teardown()
    return role.provider if isinstance(role, ModelRole) else None


def describe_model(provider: "Provider | None") -> dict[str, Any] | None:
    """What ``run.json`` says of a model: provider, id, settings, address.

    Args:
        provider: The model, ``None`` for a party without one.
    """
    if provider is None:
        return None
    address = provider.endpoint.base_url
    return {
        "provider": provider.name,
        "model": provider.model,
        "settings": dict(provider.settings),
        "base_url": None if address is None else public_url(address),
        "timeout_s": provider.endpoint.timeout_s,
    }


def sdk_versions() -> dict[str, str]:
    """Versions of the packages that talk to providers, of those that are installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def check_budget(budget: Budget, price: Price, models: "Mapping[str, Provider]", prices: "Path | None") -> None:
    """Refuses a budget in dollars that cannot be kept because a price is unknown.

    Args:
        budget: What the run may spend.
        price: What tokens cost.
        models: Party to its model; without parties that cost nothing.
        prices: The user's own price table, for the message.

    Raises:
        ConfigurationError: A model has no price.
    """
    if budget.usd is None:
        return
    for party, provider in models.items():
        if price(provider.name, provider.model, Usage(input_tokens=1, output_tokens=1)) is None:
            where = f"add it to {prices}" if prices else "add it with --prices FILE"
            raise ConfigurationError(
                f"--budget needs the price of {party} {provider.name}/{provider.model}, which is not known: {where}, "
                "or limit the run by --max-tokens-total"
            )
