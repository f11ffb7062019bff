"""What tokens cost: list prices with the day from which each holds, in ``data/prices.json`` or a custom file."""

import datetime
import hashlib
import re
from importlib import resources
from pathlib import Path

import attrs

from tool_sandbox.models.catalogue import today
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.price_file import ModelPrice, read_price_file
from tool_sandbox.play.opening import read_text

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
