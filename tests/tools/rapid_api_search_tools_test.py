"""Search tools: order of checks, what is sent, and how bodies are reduced."""

import json
from typing import Any

import attrs
import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.tools.rapid_api_search_tools import (
    convert_currency,
    maybe_get_current_lat_lon,
    rapid_api_get_request,
    search_lat_lon,
    search_location_around_lat_lon,
    search_stock,
    search_weather_around_lat_lon,
)
from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.lookups import Lookup
from tool_sandbox.tools.services.rapid_api import RapidApiService
from tool_sandbox.tools.setting import set_location_service_status, set_wifi_status
from tool_sandbox.world.errors import InfrastructureError
from tool_sandbox.world.profile import Profile


@attrs.define
class Canned(SearchService):
    """A service that remembers requests and answers with one body."""

    answer: Any
    requests: list[tuple[str, dict[str, Any]]] = attrs.field(factory=list)
    mode: str = "canned"
    version: str = "1"

    def body(self, lookup: Lookup[Any], now: float) -> Any:
        self.requests.append((lookup.url, lookup.params))
        return self.answer


CALLS = [
    (search_lat_lon, (37.33, -122.01)),
    (search_location_around_lat_lon, ("Apple Park", 37.33, -122.01)),
    (search_weather_around_lat_lon, (0, 37.33, -122.01)),
    (search_stock, ("Apple",)),
    (convert_currency, (1, "USD", "EUR")),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_wifi_is_needed(world: ExecutionContext, tool: Any, arguments: tuple[Any, ...]) -> None:
    assert tool(*arguments)
    set_wifi_status(False)
    with pytest.raises(ConnectionError):
        tool(*arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "host", "params"),
    [
        (
            search_lat_lon,
            (37.5, -122.25),
            "trueway-geocoding.p.rapidapi.com",
            {"location": "37.5,-122.25", "language": "en"},
        ),
        (
            search_location_around_lat_lon,
            ("Park", 37.5, -122.25),
            "maps-data.p.rapidapi.com",
            {"query": "Park", "lat": 37.5, "lng": -122.25, "limit": 4, "country": "us", "lang": "en"},
        ),
        (
            search_weather_around_lat_lon,
            (2, 37.5, -122.25),
            "weatherapi-com.p.rapidapi.com",
            {"q": "37.5, -122.25", "days": 3},
        ),
        (search_stock, ("Apple",), "real-time-finance-data.p.rapidapi.com", {"query": "Apple"}),
    ],
)
def test_requests(world: ExecutionContext, tool: Any, arguments: Any, host: str, params: dict[str, Any]) -> None:
    world.services = Canned({})
    assert not tool(*arguments)
    url, sent = world.services.requests[0]
    assert (url.split("/")[2], sent) == (host, params)


def test_currency_request(world: ExecutionContext) -> None:
    world.services = Canned({"result": {"convertedAmount": "7.25"}})
    assert convert_currency(1, "usd", " cny ") == 7.25
    assert world.services.requests[0][1] == {"from": "USD", "to": "CNY", "amount": 1}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"results": None, "data": None, "forecast": None, "result": None},
        {"results": [], "data": [], "forecast": {"forecastday": []}, "result": {}},
        {"results": [{}], "data": {"stock": [{"symbol": None}]}, "result": {"convertedAmount": "lots"}},
        {"results": [None], "data": {"stock": [None]}, "result": {"convertedAmount": None}},
        {"results": "x", "data": 5, "forecast": {"forecastday": [{"day": {}}]}, "result": [1]},
        {"message": "You are not subscribed to this API."},
    ],
)
def test_bodies_without_an_answer(world: ExecutionContext, body: dict[str, Any]) -> None:
    world.services = Canned(body)
    assert search_lat_lon(0.0, 0.0) is None
    assert search_location_around_lat_lon("Park") == []
    assert search_weather_around_lat_lon() is None
    assert search_stock("Apple") is None
    with pytest.raises(RuntimeError, match="USD to EUR"):
        convert_currency(1, "USD", "EUR")


def test_place_reduction(world: ExecutionContext) -> None:
    kept = {"name": "A", "phone_number": None, "state": "Open", "something_new": [1]}
    dropped = {"business_id": 1, "place_id": 2, "place_link": 3, "verified": 4, "photos": 5}
    world.services = Canned({"data": [{**dropped, **kept}, "noise"]})
    assert search_location_around_lat_lon("A") == [kept]


def test_stock_reduction(world: ExecutionContext) -> None:
    world.services = Canned({"data": {"stock": [{"symbol": "AAPL:NASDAQ", "price": 1.5, "new": 2}, {"symbol": "B"}]}})
    assert search_stock("Apple") == {"symbol": "AAPL", "price": 1.5, "new": 2}


def weather_body() -> dict[str, Any]:
    day = {"maxtemp_c": 30.0, "maxtemp_f": 86.0, "mintemp_c": 10.0, "avgtemp_c": 20.0, "maxwind_kph": 9.0}
    day |= {"maxwind_mph": 5.6, "totalprecip_mm": 0.0, "totalprecip_in": 0.0, "avgvis_km": 10.0, "avgvis_miles": 6.0}
    day |= {"mintemp_f": 50.0, "avgtemp_f": 68.0, "avghumidity": 50, "uv": 6.0, "condition": {"text": "Sunny"}}
    current = {"temp_c": 21.5, "temp_f": 70.7, "feelslike_c": 21.0, "feelslike_f": 69.8, "vis_km": 16.0}
    current |= {"vis_miles": 9.0, "wind_kph": 7.0, "wind_mph": 4.3, "pressure_mb": 1015.0, "pressure_in": 29.97}
    current |= {"precip_mm": 0.0, "precip_in": 0.0, "uv": 5.0}
    days = [{"date": f"2025-06-1{number}", "day": day, "astro": {"sunrise": "05:46 AM"}} for number in range(5, 7)]
    return {"location": {"name": "Cupertino"}, "current": current, "forecast": {"forecastday": days}}


def test_weather_reduction(world: ExecutionContext) -> None:
    world.services = Canned(weather_body())
    later = {
        "max_temperature": 30.0,
        "min_temperature": 10.0,
        "average_temperature": 20.0,
        "max_wind_speed": 9.0,
        "average_visibility_distance": 10.0,
        "average_humidity": 50,
        "uv": 6.0,
        "condition": {"text": "Sunny"},
        "sunrise": "05:46 AM",
        "name": "Cupertino",
        "temperature_unit": "Celsius",
        "distance_unit": "Kilometer",
    }
    now = {
        "current_temperature": 21.5,
        "perceived_temperature": 21.0,
        "visibility_distance": 16.0,
        "wind_speed": 7.0,
        "barometric_pressure": 1015.0,
        "uv": 5.0,
    }
    assert search_weather_around_lat_lon(1) == later
    assert search_weather_around_lat_lon() == {**later, **now}
    assert search_weather_around_lat_lon(2) is None


def test_weather_trace_holds_defaults(world: ExecutionContext) -> None:
    search_weather_around_lat_lon()
    trace = json.loads(world.get_table(DatabaseNamespace.SANDBOX).column("tool_trace")[-1][-1])
    assert trace["arguments"] == {"days": 0, "latitude": None, "longitude": None}


def test_order_of_checks(world: ExecutionContext) -> None:
    set_wifi_status(False)
    set_location_service_status(False)
    for tool in (search_location_around_lat_lon, search_weather_around_lat_lon):
        first: Any = "Park" if tool is search_location_around_lat_lon else -1
        with pytest.raises(TypeError):
            tool(first, latitude="x", longitude=0.0)
        with pytest.raises(ValueError, match="latitude"):
            tool(first, latitude=91.0)
        with pytest.raises(ValueError, match="both"):
            tool(first, latitude=1.0)
        with pytest.raises(PermissionError):
            tool(first)
    with pytest.raises(ValueError, match="days"):
        search_weather_around_lat_lon(-1, 1.0, 1.0)
    with pytest.raises(ValueError, match="currency"):
        convert_currency(1, "USD", "€")
    with pytest.raises(ConnectionError):
        search_weather_around_lat_lon(1, 1.0, 1.0)
    with pytest.raises(ConnectionError):
        search_stock(" ")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((True, "USD", "EUR"), TypeError),
        (("1", "USD", "EUR"), TypeError),
        ((1, None, "EUR"), TypeError),
        ((-1, "USD", "EUR"), ValueError),
        ((float("nan"), "USD", "EUR"), ValueError),
        ((10**400, "USD", "EUR"), ValueError),
        ((1, "dollars", "EUR"), ValueError),
        ((1, "USD", "$"), ValueError),
    ],
)
def test_currency_errors(world: ExecutionContext, arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        convert_currency(*arguments)


@pytest.mark.parametrize("days", [True, 1.0, "1", None])
def test_days_are_whole_numbers(world: ExecutionContext, days: Any) -> None:
    with pytest.raises(TypeError):
        search_weather_around_lat_lon(days)


def test_horizon_of_the_forecast(world: ExecutionContext) -> None:
    assert search_weather_around_lat_lon(13) is not None
    for days in (14, 10**6):
        if world.profile is Profile.STRICT:
            with pytest.raises(ValueError, match="13"):
                search_weather_around_lat_lon(days)
        else:
            assert search_weather_around_lat_lon(days) is None


def test_blank_queries_are_not_sent(world: ExecutionContext) -> None:
    world.services = Canned({})
    assert search_stock("") is None
    assert search_location_around_lat_lon(" ?! ") == []
    assert world.services.requests == []


def test_current_position(world: ExecutionContext) -> None:
    assert maybe_get_current_lat_lon() == (37.334606, -122.009102)
    assert maybe_get_current_lat_lon(1, 2.0) == (1, 2.0)
    with pytest.raises(ValueError, match="both"):
        maybe_get_current_lat_lon(longitude=1.0)
    set_location_service_status(False)
    assert maybe_get_current_lat_lon(0.0, 0.0) == (0.0, 0.0)
    with pytest.raises(PermissionError):
        maybe_get_current_lat_lon()


def test_live_service_without_key(world: ExecutionContext) -> None:
    world.services = RapidApiService(None)
    with pytest.raises(PermissionError):
        search_stock("Apple")


def test_unknown_address(world: ExecutionContext) -> None:
    with pytest.raises(InfrastructureError):
        rapid_api_get_request("https://example.com/", {}, {})


def test_requests_of_other_tools_are_sent_as_they_are(world: ExecutionContext) -> None:
    world.services = Canned({"any": "thing"})
    assert rapid_api_get_request("https://example.com/", {"q": 1}, {}) == {"any": "thing"}
    assert world.services.requests == [("https://example.com/", {"q": 1})]
