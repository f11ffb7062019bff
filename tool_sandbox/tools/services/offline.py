"""The offline search service: the providers' answers from shipped data, for the world's own date."""

import datetime
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from tool_sandbox.tools.services import base
from tool_sandbox.world.errors import InfrastructureError

DATA_VERSION = "1"
"""Changes whenever an answer to an old request changes."""

Answer = Callable[[Mapping[str, Any], float], dict[str, Any]]


def _reverse_geocode(params: Mapping[str, Any], now: float) -> dict[str, Any]:
    from tool_sandbox.tools.services import places

    return places.reverse_geocode(*_point(params["location"]))


def _search_places(params: Mapping[str, Any], now: float) -> dict[str, Any]:
    from tool_sandbox.tools.services import places

    limit = int(params.get("limit", 4))
    return places.search(str(params["query"]), float(params["lat"]), float(params["lng"]), limit=limit)


def _forecast(params: Mapping[str, Any], now: float) -> dict[str, Any]:
    from tool_sandbox.tools.services import weather

    return weather.forecast(*_point(params["q"]), days=int(params["days"]), now=now)


def _search_stocks(params: Mapping[str, Any], now: float) -> dict[str, Any]:
    from tool_sandbox.tools.services import stocks

    return stocks.search(str(params["query"]), now=now)


def _convert_currency(params: Mapping[str, Any], now: float) -> dict[str, Any]:
    from tool_sandbox.tools.services import currency

    return currency.convert(float(params["amount"]), str(params["from"]), str(params["to"]), now=now)


def _point(text: str) -> tuple[float, float]:
    latitude, longitude = text.split(",")
    return float(latitude), float(longitude)


_ANSWERS: dict[tuple[str, str], Answer] = {
    (urlsplit(url).netloc, urlsplit(url).path): answer
    for url, answer in {
        base.REVERSE_GEOCODE_URL: _reverse_geocode,
        base.SEARCH_PLACES_URL: _search_places,
        base.FORECAST_URL: _forecast,
        base.SEARCH_STOCKS_URL: _search_stocks,
        base.CONVERT_CURRENCY_URL: _convert_currency,
    }.items()
}


class OfflineService:
    """Answers every request of the search tools without key, network or state.

    Places and cities are real; weather, quotes and exchange rates are generated for the date of the
    world. The same request at the same time of the world has the same answer on every machine.
    """

    mode = "offline"
    version = DATA_VERSION

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers a request.

        Args:
            url: One of the addresses in `base`.
            params: Query parameters.
            headers: Not used.
            now: POSIX time of the world in seconds.
            timezone: Not used: every place has its own zone.

        Returns:
            A body in the shape of the provider's.

        Raises:
            InfrastructureError: The address or the parameters are not those of the search tools.
        """
        parts = urlsplit(url)
        answer = _ANSWERS.get((parts.netloc, parts.path))
        if answer is None:
            raise InfrastructureError(f"the offline search service has no answer for {parts.netloc}{parts.path}")
        try:
            return answer(params, now)
        except (KeyError, ValueError, OverflowError) as error:
            raise InfrastructureError(f"not a request to {parts.netloc}{parts.path}: {error!r}") from error
