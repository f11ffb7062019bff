"""What the search tools look up: each lookup knows its request to the provider and what the answer says."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import urlsplit

import attrs

from tool_sandbox.world.errors import InfrastructureError

Body = dict[str, Any]
"""JSON object that a provider sends."""

Record = dict[str, Any]
"""JSON object about one thing, with whatever keys the provider has."""

_Answer_co = TypeVar("_Answer_co", covariant=True)


def _dig(body: Any, *path: str | int) -> Any:
    """Value at a path in a JSON body, ``None`` where the path ends early."""
    for step in path:
        if isinstance(step, str):
            body = body.get(step) if isinstance(body, dict) else None
        else:
            body = body[step] if isinstance(body, list) and step < len(body) else None
    return body


def _records(value: Any) -> list[Record]:
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []


def _point(text: str) -> tuple[float, float]:
    latitude, longitude = text.split(",")
    return float(latitude), float(longitude)


@attrs.frozen
class Lookup(ABC, Generic[_Answer_co]):
    """Something to look up, with the type of its answer.

    Attributes:
        URL: Address at the provider.
        TOOL: Search tool that asks.
        HAS_RECORDS: Whether answers consist of records, which have room for a text.
    """

    URL: ClassVar[str]
    TOOL: ClassVar[str]
    HAS_RECORDS: ClassVar[bool] = False

    @property
    def url(self) -> str:
        """Address that is asked."""
        return self.URL

    @property
    @abstractmethod
    def params(self) -> dict[str, Any]:
        """Query parameters of the request."""

    @abstractmethod
    def read(self, body: Body) -> _Answer_co:
        """What a body says; a body without an answer is none."""

    def records(self, body: Body) -> list[Record]:
        """The records in a body, to be changed in place."""
        return []


@attrs.frozen
class AddressLookup(Lookup[str | None]):
    """Address of a point."""

    URL = "https://trueway-geocoding.p.rapidapi.com/ReverseGeocode"
    TOOL = "search_lat_lon"

    latitude: float
    longitude: float

    @property
    def params(self) -> dict[str, Any]:
        """The point, and the language of the answer."""
        return {"location": f"{self.latitude},{self.longitude}", "language": "en"}

    def read(self, body: Body) -> str | None:
        """The address, ``None`` if there is none."""
        address = _dig(body, "results", 0, "address")
        return address if isinstance(address, str) else None


@attrs.frozen
class PlaceLookup(Lookup[list[Record]]):
    """Places by name or kind around a point, at most ``limit``."""

    URL = "https://maps-data.p.rapidapi.com/searchmaps.php"
    TOOL = "search_location_around_lat_lon"
    HAS_RECORDS = True

    query: str
    latitude: float
    longitude: float
    limit: int = 4

    @property
    def params(self) -> dict[str, Any]:
        """Query, point, limit, country and language."""
        point = {"lat": self.latitude, "lng": self.longitude}
        return {"query": self.query, **point, "limit": self.limit, "country": "us", "lang": "en"}

    def read(self, body: Body) -> list[Record]:
        """The places."""
        places = _dig(body, "data")
        return _records(places[: self.limit]) if isinstance(places, list) else []

    def records(self, body: Body) -> list[Record]:
        """The places."""
        return _records(body.get("data"))


@attrs.frozen
class Weather:
    """Weather of a day at a point.

    Attributes:
        day: Figures of the whole day.
        astro: Sun and moon.
        location: Where and when.
        current: Figures of the moment, empty for a later day.
    """

    day: Record
    astro: Record
    location: Record
    current: Record


@attrs.frozen
class WeatherLookup(Lookup[Weather | None]):
    """Weather at a point, today or so many days later."""

    URL = "https://weatherapi-com.p.rapidapi.com/forecast.json"
    TOOL = "search_weather_around_lat_lon"
    HAS_RECORDS = True

    latitude: float
    longitude: float
    days_ahead: int = 0

    @property
    def params(self) -> dict[str, Any]:
        """The point, and the number of days, today included."""
        return {"q": f"{self.latitude}, {self.longitude}", "days": self.days_ahead + 1}

    def read(self, body: Body) -> Weather | None:
        """The weather of the day, ``None`` if a part of it is missing."""
        forecast = _dig(body, "forecast", "forecastday", self.days_ahead)
        current = _dig(body, "current") if self.days_ahead == 0 else {}
        parts = (_dig(forecast, "day"), _dig(forecast, "astro"), _dig(body, "location"), current)
        return Weather(*parts) if all(isinstance(part, dict) for part in parts) else None

    def records(self, body: Body) -> list[Record]:
        """The place that the weather is about."""
        return _records([body.get("location")])


@attrs.frozen
class StockLookup(Lookup[Record | None]):
    """Stock of a company, by its name or symbol."""

    URL = "https://real-time-finance-data.p.rapidapi.com/search"
    TOOL = "search_stock"
    HAS_RECORDS = True

    query: str

    @property
    def params(self) -> dict[str, Any]:
        """The query."""
        return {"query": self.query}

    def read(self, body: Body) -> Record | None:
        """The first stock, ``None`` if there is none with a symbol."""
        stock = _dig(body, "data", "stock", 0)
        return stock if isinstance(stock, dict) and isinstance(stock.get("symbol"), str) else None

    def records(self, body: Body) -> list[Record]:
        """The stocks."""
        return _records(_dig(body, "data", "stock"))


@attrs.frozen
class CurrencyLookup(Lookup[float | None]):
    """An amount of money in another currency; currencies are codes of ISO 4217."""

    URL = "https://currency-converter18.p.rapidapi.com/api/v1/convert"
    TOOL = "convert_currency"

    amount: float
    source: str
    target: str

    @property
    def params(self) -> dict[str, Any]:
        """Codes and amount."""
        return {"from": self.source, "to": self.target, "amount": self.amount}

    def read(self, body: Body) -> float | None:
        """The amount in the other currency, ``None`` if there is no rate."""
        try:
            return float(_dig(body, "result", "convertedAmount"))
        except (TypeError, ValueError):
            return None


LOOKUPS = (AddressLookup, PlaceLookup, WeatherLookup, StockLookup, CurrencyLookup)
"""All kinds of lookups."""

_READERS: dict[str, Callable[[Mapping[str, Any]], Lookup[Any]]] = {
    AddressLookup.URL: lambda sent: AddressLookup(*_point(sent["location"])),
    PlaceLookup.URL: lambda sent: PlaceLookup(
        str(sent["query"]), float(sent["lat"]), float(sent["lng"]), int(sent.get("limit", 4))
    ),
    WeatherLookup.URL: lambda sent: WeatherLookup(*_point(sent["q"]), int(sent["days"]) - 1),
    StockLookup.URL: lambda sent: StockLookup(str(sent["query"])),
    CurrencyLookup.URL: lambda sent: CurrencyLookup(float(sent["amount"]), str(sent["from"]), str(sent["to"])),
}
"""Address to what makes a lookup of the parameters that were sent there."""


@attrs.frozen
class RequestLookup(Lookup[Body]):
    """A request as somebody wrote it, to whatever address."""

    TOOL = "rapid_api_get_request"

    address: str
    parameters: Mapping[str, Any]

    @property
    def url(self) -> str:
        """The given address."""
        return self.address

    @property
    def params(self) -> dict[str, Any]:
        """The given parameters."""
        return dict(self.parameters)

    def read(self, body: Body) -> Body:
        """The body itself."""
        return body

    def known(self) -> Lookup[Any]:
        """The lookup that this request makes.

        Raises:
            InfrastructureError: It is not one of a search tool.
        """
        parts = urlsplit(self.address)
        read = _READERS.get(f"https://{parts.netloc}{parts.path}")
        if read is None:
            raise InfrastructureError(f"the offline search service has no answer for {parts.netloc}{parts.path}")
        try:
            return read(self.parameters)
        except (KeyError, ValueError, OverflowError) as error:
            raise InfrastructureError(f"not a request to {parts.netloc}{parts.path}: {error!r}") from error
