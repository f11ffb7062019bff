"""Search tools: places, weather, stocks and currencies, answered by a search service."""

from collections.abc import Mapping
from typing import Any, TypeVar

from tool_sandbox.tools import _store
from tool_sandbox.tools.services import SearchService, default_service
from tool_sandbox.tools.services.lookups import (
    AddressLookup,
    CurrencyLookup,
    Lookup,
    PlaceLookup,
    RequestLookup,
    StockLookup,
    Weather,
    WeatherLookup,
)
from tool_sandbox.tools.setting import get_current_location, get_location_service_status, get_wifi_status
from tool_sandbox.world.device import current_device
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import (
    bounded,
    typechecked,
    validate_currency_code,
    validate_latitude,
    validate_longitude,
    validate_not_bool,
    validate_range,
)

_Answer = TypeVar("_Answer")

MAX_FORECAST_DAYS = 13
"""Last day of the weather forecast, counted from today."""

_PLACE_KEYS_DROPPED = frozenset({"business_id", "place_id", "place_link", "verified", "photos"})

_WEATHER_KEYS_RENAMED = {
    "temp_c": "current_temperature",
    "feelslike_c": "perceived_temperature",
    "vis_km": "visibility_distance",
    "wind_kph": "wind_speed",
    "maxtemp_c": "max_temperature",
    "mintemp_c": "min_temperature",
    "avgtemp_c": "average_temperature",
    "maxwind_kph": "max_wind_speed",
    "avgvis_km": "average_visibility_distance",
    "pressure_mb": "barometric_pressure",
    "avghumidity": "average_humidity",
}
_WEATHER_KEYS_DROPPED = frozenset(
    {
        *("temp_f", "feelslike_f", "vis_miles", "wind_mph", "maxtemp_f", "mintemp_f", "avgtemp_f"),
        *("maxwind_mph", "avgvis_miles", "pressure_in"),
        *("precip_mm", "precip_in", "totalprecip_mm", "totalprecip_in"),
    }
)


# Requests ------------------------------------------------------------------------------------


@typechecked
@bounded
def maybe_get_current_lat_lon(latitude: float | None = None, longitude: float | None = None) -> tuple[float, float]:
    """The given point, or the position of the device if none is given.

    Args:
        latitude: Latitude in degrees.
        longitude: Longitude in degrees.

    Returns:
        Latitude and longitude in degrees.

    Raises:
        ValueError: Only one of them is given, or one is out of range.
        PermissionError: None is given and location service is off.
    """
    validate_latitude(latitude, "latitude", float | None)
    validate_longitude(longitude, "longitude", float | None)
    if latitude is not None and longitude is not None:
        return latitude, longitude
    if latitude is not None or longitude is not None:
        raise ValueError("give both latitude and longitude, or none of them to use the position of this device")
    if not get_location_service_status():
        raise PermissionError("location service is off, the position of this device is not available")
    location = get_current_location()
    return location["latitude"], location["longitude"]


def _require_wifi() -> None:
    if not get_wifi_status():
        raise ConnectionError("wifi is off, searching needs it")


def _is_searchable(query: str) -> bool:
    """Whether a query has a letter or digit; without one there is nothing to send."""
    return any(map(str.isalnum, query))


def rapid_api_get_request(url: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Sends a request to the search service of the current world.

    Args:
        url: Address at the provider.
        params: Query parameters.
        headers: Not used: the host follows from the address, and the key is the service's own.

    Returns:
        The provider's JSON object.

    Raises:
        ConnectionError: Wifi is off.
        PermissionError: The live service has no key.
        InfrastructureError: The service failed.
    """
    return _ask(RequestLookup(url, params))


def _ask(lookup: Lookup[_Answer]) -> _Answer:
    """Asks the search service of the current world, which needs wifi."""
    _require_wifi()
    device = current_device()
    service: SearchService = device.services if device.services is not None else default_service()
    return service.ask(lookup, device.now())


# Tools ---------------------------------------------------------------------------------------


@register_as_tool()
@typechecked
@bounded
def search_lat_lon(latitude: float, longitude: float) -> str | None:
    """Find the address of a point. Needs wifi.

    Args:
        latitude: Latitude of the point in degrees, between -90 and 90.
        longitude: Longitude of the point in degrees, between -180 and 180.

    Returns:
        The address, or None if there is none.

    Raises:
        ConnectionError: Wifi is off.
        ValueError: A coordinate is out of range.
    """
    validate_latitude(latitude, "latitude", float)
    validate_longitude(longitude, "longitude", float)
    return _ask(AddressLookup(latitude, longitude))


@register_as_tool()
@typechecked
@bounded
def search_location_around_lat_lon(
    location: str, latitude: float | None = None, longitude: float | None = None
) -> list[dict[str, Any]]:
    """Find places by name or kind, near a point or, without one, near this device. Needs wifi.

    Without a point it needs location service too.

    Args:
        location: Name or kind of the place, with street or city if known.
        latitude: Latitude of the point in degrees, between -90 and 90.
        longitude: Longitude of the point in degrees, between -180 and 180.

    Returns:
        Up to four places with name, address, phone number, coordinates and other details, an empty list if there are
        none.

    Raises:
        ConnectionError: Wifi is off.
        PermissionError: No point is given and location service is off.
        ValueError: A coordinate is out of range, or only one of them is given.
    """
    lat, lon = maybe_get_current_lat_lon(latitude, longitude)
    _require_wifi()
    if not _is_searchable(location):
        return []
    return [
        {key: value for key, value in place.items() if key not in _PLACE_KEYS_DROPPED}
        for place in _ask(PlaceLookup(location, lat, lon))
    ]


def _reduced_weather(weather: Weather) -> dict[str, Any]:
    """One flat dictionary of a day's weather, in metric units."""
    units = {"temperature_unit": "Celsius", "distance_unit": "Kilometer"}
    merged = weather.day | weather.astro | weather.location | units | weather.current
    return {
        _WEATHER_KEYS_RENAMED.get(key, key): value for key, value in merged.items() if key not in _WEATHER_KEYS_DROPPED
    }


@register_as_tool()
@typechecked
@bounded
def search_weather_around_lat_lon(
    days: int = 0, latitude: float | None = None, longitude: float | None = None
) -> dict[str, Any] | None:
    """Find the weather of today or of one of the next days, at a point or, without one, at this device. Needs wifi.

    Without a point it needs location service too.

    Args:
        days: Number of days from today, 0 for today, at most 13.
        latitude: Latitude of the point in degrees, between -90 and 90.
        longitude: Longitude of the point in degrees, between -180 and 180.

    Returns:
        Temperatures in degrees Celsius, distances in kilometers and other details, or None if nothing is known. The
        current temperature is included for today only.

    Raises:
        ConnectionError: Wifi is off.
        PermissionError: No point is given and location service is off.
        ValueError: A number is out of range, or only one coordinate is given.
    """
    validate_not_bool(days=days)
    lat, lon = maybe_get_current_lat_lon(latitude, longitude)
    validate_range(days, "days", min_val=0, max_val=MAX_FORECAST_DAYS if _store.is_strict() else None)
    weather = _ask(WeatherLookup(lat, lon, days))
    return None if weather is None else _reduced_weather(weather)


@register_as_tool()
@typechecked
@bounded
def search_stock(query: str) -> dict[str, Any] | None:
    """Find the stock of a company and its price. Needs wifi.

    Args:
        query: Name of the company, or symbol of its stock.

    Returns:
        Symbol, name, exchange, price, currency, change and other details, or None if there is no such stock.

    Raises:
        ConnectionError: Wifi is off.
    """
    _require_wifi()
    if not _is_searchable(query):
        return None
    stock = _ask(StockLookup(query))
    return None if stock is None else {**stock, "symbol": stock["symbol"].partition(":")[0]}


@register_as_tool()
@typechecked
@bounded
def convert_currency(amount: float | int, from_currency_code: str, to_currency_code: str) -> float:
    """Convert an amount of money to another currency at the current rate. Needs wifi.

    Args:
        amount: Amount of money, not negative.
        from_currency_code: Code of the currency of the amount, three letters of ISO 4217 such as USD.
        to_currency_code: Code of the currency to convert to, three letters of ISO 4217 such as EUR.

    Returns:
        The amount in the other currency.

    Raises:
        ConnectionError: Wifi is off.
        ValueError: The amount is negative, a code is unknown, or the result is too large.
        RuntimeError: There is no rate.
    """
    validate_not_bool(amount=amount)
    validate_range(amount, "amount", min_val=0)
    validate_currency_code(from_currency_code)
    validate_currency_code(to_currency_code)
    source, target = from_currency_code.strip().upper(), to_currency_code.strip().upper()
    result = _ask(CurrencyLookup(amount, source, target))
    if result is None:
        raise RuntimeError(f"there is no exchange rate from {source} to {target}")
    validate_range(result, "the converted amount", min_val=0)
    return result
