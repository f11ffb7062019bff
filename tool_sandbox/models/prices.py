"""What tokens cost: list prices with the day from which each holds, in ``data/prices.json`` or a custom file."""

import datetime
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.catalogue import today
from tool_sandbox.models.messages import Usage
from tool_sandbox.play.opening import read_text
from tool_sandbox.world.errors import ConfigurationError

_MILLION = 1_000_000
_DEAREST = 1_000_000
_KINDS = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")


@attrs.frozen
class Rates:
    """USD per million tokens, ``None`` where the price is unknown.

    Attributes:
        input: Tokens of the prompt that the cache is not concerned with.
        output: Tokens of the reply, reasoning included.
        cache_read: Tokens of the prompt that were read from the cache.
        cache_write_5m: Tokens of the prompt that were written to a cache of five minutes.
        cache_write_1h: Tokens of the prompt that were written to a cache of one hour.
    """

    input: float | None
    output: float | None
    cache_read: float | None = None
    cache_write_5m: float | None = None
    cache_write_1h: float | None = None

    def cost(self, usage: Usage) -> float | None:
        """USD for the tokens of one call, ``None`` if some of them have no price."""
        written = usage.cache_write_tokens + usage.cache_write_1h_tokens
        # A server that counts cached tokens apart would make this negative.
        plain = max(0, usage.input_tokens - usage.cached_tokens - written)
        counts = (
            plain,
            usage.output_tokens,
            usage.cached_tokens,
            usage.cache_write_tokens,
            usage.cache_write_1h_tokens,
        )
        total = 0.0
        for count, rate in zip(counts, attrs.astuple(self), strict=True):
            if count and rate is None:
                return None
            total += count * (rate or 0.0)
        return total / _MILLION


@attrs.frozen
class ModelPrice:
    """The price of a model from some day on.

    Attributes:
        provider: Who serves it.
        names: Its id and its other names.
        valid_from: First day on which it holds.
        rates: The price of ordinary prompts.
        above: Prompt sizes, ascending, and the price of a call whose prompt has more tokens.
        source: Where it is stated, in the words of the file.
    """

    provider: str
    names: tuple[str, ...]
    valid_from: datetime.date
    rates: Rates
    above: tuple[tuple[int, Rates], ...] = ()
    source: str = ""

    def cost(self, usage: Usage) -> float | None:
        """USD for the tokens of one call, ``None`` if some of them have no price."""
        tiers = [rates for size, rates in self.above if usage.input_tokens > size]
        return (tiers[-1] if tiers else self.rates).cost(usage)


def read_price_file(text: str, file: str) -> tuple[list[ModelPrice], str]:
    """Reads a price file."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{file} is not JSON: {error}") from error
    try:
        top = _Place("", content)
        prices = top.get("prices", list)
        sources = top.get("sources", dict, {}).value
        entries = [_price(place, sources) for place in prices.items()]
        return entries, str(top.get("version", str, "").value)
    except _BadPlaceError as error:
        raise ConfigurationError(f"{file}: {error}") from None


class _BadPlaceError(Exception):
    """Something in a price file has not the form that it has to have."""


@attrs.frozen
class _Place:
    """A value of a price file, and where it stands."""

    path: str
    value: Any

    def get(self, key: str, kind: type, default: Any = None) -> "_Place":
        """An entry of this object, which has to be of a kind; required where there is no default."""
        if not isinstance(self.value, dict):
            raise _BadPlaceError(f"{self.path or 'the file'} has to be an object")
        where = f"{self.path}.{key}" if self.path else key
        value = self.value.get(key, default)
        if value is None:
            raise _BadPlaceError(f"{where} is missing")
        if not isinstance(value, kind):
            names = {list: "a list", dict: "an object", str: "a text", int: "a whole number"}
            raise _BadPlaceError(f"{where} has to be {names[kind]}")
        return _Place(where, value)

    def items(self) -> "Iterator[_Place]":
        return (_Place(f"{self.path}[{number}]", value) for number, value in enumerate(self.value))

    def allow(self, keys: Sequence[str]) -> None:
        """Refuses what has no meaning here: a misspelt price must not be taken for an unknown one."""
        if isinstance(self.value, dict) and (unknown := sorted(set(self.value) - set(keys))):
            raise _BadPlaceError(f"{self.path} has no {unknown[0]!r}; it takes {', '.join(keys)}")

    def rates(self, base: Mapping[str, float | None]) -> dict[str, float | None]:
        """Prices of this object; what is left out is as in ``base``."""
        rates = dict(base)
        for kind in _KINDS:
            value = self.value.get(kind, base.get(kind))
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (is_number and 0 <= value <= _DEAREST):
                raise _BadPlaceError(f"{self.path}.{kind} has to be a number from 0 to {_DEAREST:,}, or null")
            rates[kind] = None if value is None else float(value)
        return rates


def _price(place: _Place, sources: Mapping[str, str]) -> ModelPrice:
    model = str(place.get("model", str).value)
    place.allow(("provider", "model", "aliases", "valid_from", "above", "source", *_KINDS))
    aliases = place.get("aliases", list, []).value
    if not all(isinstance(alias, str) for alias in aliases):
        raise _BadPlaceError(f"{place.path}.aliases has to be a list of texts")
    valid_from = place.get("valid_from", str)
    try:
        day = datetime.date.fromisoformat(valid_from.value)
    except ValueError:
        raise _BadPlaceError(f"{valid_from.path} has to be a date such as 2026-11-21") from None
    rates = place.rates({})
    tiers = []
    for tier in place.get("above", list, []).items():
        size = tier.get("prompt_tokens", int).value
        tier.allow(("prompt_tokens", *_KINDS))
        tiers.append((size, Rates(**tier.rates(rates))))
    source = str(place.get("source", str, "").value)
    return ModelPrice(
        provider=str(place.get("provider", str).value),
        names=(model, *aliases),
        valid_from=day,
        rates=Rates(**rates),
        above=tuple(sorted(tiers, key=lambda tier: tier[0])),
        source=sources.get(source, source),
    )


_DATE_SUFFIX = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})\Z")


@attrs.frozen
class PriceTable:
    """Prices on one day; called like `tool_sandbox.models.session.Price`.

    Attributes:
        entries: All prices, of all days.
        date: The day whose prices hold.
        version: Names the state of the data, and the custom file if there is one.
    """

    entries: tuple[ModelPrice, ...] = attrs.field(repr=False)
    date: datetime.date
    version: str

    def __call__(self, provider: str, model: str, usage: Usage) -> float | None:
        """Price of the tokens of one call."""
        price = self.price(provider, model)
        return None if price is None else price.cost(usage)

    def price(self, provider: str, model: str) -> ModelPrice | None:
        """The price of a model on the day of this table, ``None`` if there is none."""
        model = model.rpartition("/")[2] if provider == "google" else model
        for name in dict.fromkeys((model, _DATE_SUFFIX.sub("", model))):
            known = [entry for entry in self.entries if entry.provider == provider and name in entry.names]
            if known:
                # An entry of the full name decides, also where it holds not yet: the undated one may be dearer.
                holding = [entry for entry in known if entry.valid_from <= self.date]
                return max(holding, key=lambda entry: entry.valid_from, default=None)
        return None

    def at(self, date: datetime.date) -> "PriceTable":
        """The prices of another day."""
        return attrs.evolve(self, date=date)


def load_prices(path: Path | None = None, date: datetime.date | None = None) -> PriceTable:
    """Reads the price table."""
    text = (resources.files(__package__) / "data" / "prices.json").read_text("utf-8")
    entries, version = read_price_file(text, "prices.json")
    if path is not None:
        text = read_text(path, what="prices from ")
        own, own_version = read_price_file(text, str(path))
        replaced = {(entry.provider, name) for entry in own for name in entry.names}
        kept = [entry for entry in entries if not any((entry.provider, name) in replaced for name in entry.names)]
        entries = [*own, *kept]
        version += f"+{own_version or 'own'}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return PriceTable(tuple(entries), date or today(), version)
