"""The offline search service: the providers' answers from shipped data, for the world's own date."""

import functools
from typing import Any

from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.lookups import (
    AddressLookup,
    Body,
    CurrencyLookup,
    Lookup,
    PlaceLookup,
    RequestLookup,
    StockLookup,
    WeatherLookup,
)
from tool_sandbox.world.errors import InfrastructureError

DATA_VERSION = "1"
"""Changes whenever an answer to an old request changes."""


class OfflineService(SearchService):
    """Answers every lookup of the search tools without key, network or state.

    Places and cities are real; weather, quotes and exchange rates are generated for the date of the
    world. The same lookup at the same time of the world has the same answer on every machine.
    """

    mode = "offline"
    version = DATA_VERSION

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers in the shape of the provider.

        Raises:
            InfrastructureError: It is not a lookup of the search tools.
        """
        # The data is loaded when the first lookup needs it.
        from tool_sandbox.tools.services import currency, places, stocks, weather

        match lookup:
            case AddressLookup():
                return places.reverse_geocode(float(lookup.latitude), float(lookup.longitude))
            case PlaceLookup():
                point = float(lookup.latitude), float(lookup.longitude)
                return places.search(lookup.query, *point, limit=lookup.limit)
            case WeatherLookup():
                point = float(lookup.latitude), float(lookup.longitude)
                return weather.forecast(*point, days=lookup.days_ahead + 1, now=now)
            case StockLookup():
                return stocks.search(lookup.query, now=now)
            case CurrencyLookup():
                return currency.convert(float(lookup.amount), lookup.source, lookup.target, now=now)
            case RequestLookup():
                return self.body(lookup.known(), now)
        raise InfrastructureError(f"the offline search service has no answer for a {type(lookup).__name__}")


@functools.cache
def default_service() -> OfflineService:
    """The offline service, which keeps no state and is therefore shared."""
    return OfflineService()
