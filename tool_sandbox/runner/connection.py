"""Connects the models of a run: prices, budget, cache, replay."""

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.messages import Usage
from tool_sandbox.models.prices import load_prices
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import public_url
from tool_sandbox.models.session import Party, Price
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.casting import Cast
from tool_sandbox.runner.usage import PARTIES
from tool_sandbox.runner.wiring import Wiring
from tool_sandbox.world.errors import ConfigurationError

_PACKAGES = ("anthropic", "google-genai", "httpx2", "openai")


def connect_models(
    agent: Cast,
    user: Cast,
    budget: Budget,
    cache: Path | None,
    prices: Path | None,
    judge: Provider | None = None,
) -> tuple[Wiring, Mapping[Party, Provider], dict[str, Any]]:
    """Finds the models of a run and checks what is asked of them.

    Returns:
        What connects the models, party to the model that plays it, and what ``run.json`` says of all this.
    """
    parties: dict[Party, Cast] = {"agent": agent, "user": user}
    models = {party: cast.provider for party, cast in parties.items() if cast.provider is not None}
    if judge is not None:
        models["judge"] = judge
    replays = {party: cast.replay for party, cast in parties.items() if cast.replay is not None}
    wiring = Wiring(cache if models else None, replays, meter=BudgetMeter(budget))
    described = {
        "models": {party: _describe_model(models.get(party)) for party in PARTIES},
        "sdk_versions": _sdk_versions() if models else {},
        "prices": None,
        "cache": None if wiring.cache is None else str(wiring.cache),
        "budget": {"usd": budget.usd, "tokens": budget.tokens},
    }
    if not models:
        # An agent with a loop of its own says itself what it has used.
        return wiring, models, described
    from tool_sandbox.models.wiretap import WireSettings

    table = load_prices(prices)
    _check_budget(budget, table, {party: models[party] for party in models if party not in replays}, prices)
    WireSettings(cache).check()
    file = None if prices is None else str(prices)
    described["prices"] = {"date": str(table.date), "version": table.version, "file": file}
    return attrs.evolve(wiring, price=table), models, described


def _describe_model(provider: Provider | None) -> dict[str, Any] | None:
    """What ``run.json`` says of a model: provider, id, settings, address."""
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


def _sdk_versions() -> dict[str, str]:
    """Versions of the packages that talk to providers, of those that are installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _check_budget(budget: Budget, price: Price, models: Mapping[str, Provider], prices: Path | None) -> None:
    """Refuses a budget in dollars that cannot be kept because a price is unknown."""
    if budget.usd is None:
        return
    for party, provider in models.items():
        if price(provider.name, provider.model, Usage(input_tokens=1, output_tokens=1)) is None:
            where = f"add it to {prices}" if prices else "add it with --prices FILE"
            raise ConfigurationError(
                f"--budget needs the price of {party} {provider.name}/{provider.model}, which is not known: {where}, "
                "or limit the run by --max-tokens-total"
            )
