"""What a search service is: the requests of the search tools, and the object that answers them."""

import datetime
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable
from urllib.parse import urlsplit

REVERSE_GEOCODE_URL = "https://trueway-geocoding.p.rapidapi.com/ReverseGeocode"
"""Address of a point: parameters ``location`` (``lat,lon``) and ``language``."""

SEARCH_PLACES_URL = "https://maps-data.p.rapidapi.com/searchmaps.php"
"""Places around a point: parameters ``query``, ``lat``, ``lng``, ``limit``, ``country`` and ``lang``."""

FORECAST_URL = "https://weatherapi-com.p.rapidapi.com/forecast.json"
"""Weather at a point: parameters ``q`` (``lat, lon``) and ``days`` (today included)."""

SEARCH_STOCKS_URL = "https://real-time-finance-data.p.rapidapi.com/search"
"""Quote of a company: parameter ``query``."""

CONVERT_CURRENCY_URL = "https://currency-converter18.p.rapidapi.com/api/v1/convert"
"""Exchange of an amount: parameters ``from``, ``to`` and ``amount``."""


@runtime_checkable
class SearchService(Protocol):
    """Answers the requests of the search tools.

    Attributes:
        mode: Kind of service, recorded in results.
        version: Version of its data or code, recorded in results.
    """

    @property
    def mode(self) -> str:
        """Kind of service."""

    @property
    def version(self) -> str:
        """Version of data or code."""

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers a request with the JSON object that the provider would send.

        Args:
            url: One of the addresses of this module.
            params: Query parameters.
            headers: Headers without the key.
            now: POSIX time of the world in seconds.
            timezone: Zone of the device, ``None`` for that of the machine.

        Returns:
            A fresh dictionary.

        Raises:
            InfrastructureError: The service failed.
        """


class RequestKey(NamedTuple):
    """A request as it is remembered: without headers, parameters as sorted text.

    Attributes:
        url: Host and path.
        params: Parameters in the order of their names.
    """

    url: str
    params: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, url: str, params: Mapping[str, Any]) -> "RequestKey":
        """Key of a request; numbers that are equal give the same key.

        Args:
            url: Address.
            params: Query parameters.

        Returns:
            The key.
        """
        parts = urlsplit(url)
        texts = sorted((name, _text(value)) for name, value in params.items())
        return cls(f"{parts.hostname or ''}{parts.path}".lower(), tuple(texts))


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return " ".join(str(value).split())
