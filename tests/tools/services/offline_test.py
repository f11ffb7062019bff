"""The offline world: real places, and generated weather, quotes and rates that are consistent."""

import csv
import datetime
import json
import math
import subprocess
import sys
import zoneinfo
from importlib import resources
from typing import Any

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.tools.services import (
    SearchService,
    create_service,
    currency,
    gazetteer,
    places,
    stocks,
    weather,
)
from tool_sandbox.tools.services.lookups import (
    AddressLookup,
    CurrencyLookup,
    Lookup,
    PlaceLookup,
    RequestLookup,
    StockLookup,
    WeatherLookup,
)
from tool_sandbox.tools.services.offline import OfflineService
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError, UnknownNameError
from tool_sandbox.world.validators import CURRENCY_CODES

NOW = 1_750_000_000.0
DEVICE = (37.334606, -122.009102)
GRAND_CANYON = (36.23686, -112.19147)
times = st.floats(3.2e8, 2.5e9)
latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180)


def body(lookup: Lookup[Any]) -> dict[str, Any]:
    return OfflineService().body(lookup, NOW)


def names(query: str, point: tuple[float, float] = DEVICE) -> list[str]:
    return [site.name for site in places.find(query, *point, 4)]


def streets(query: str, point: tuple[float, float] = DEVICE) -> list[str]:
    return [getattr(site, "street", "") for site in places.find(query, *point, 4)]


# Service -------------------------------------------------------------------------------------


def test_is_a_service() -> None:
    assert isinstance(create_service("offline"), SearchService)
    assert create_service("offline").mode == "offline"


def test_unknown_requests() -> None:
    for url, params in [
        ("https://example.com/other", {}),
        (WeatherLookup.URL, {"q": "Cupertino", "days": 1}),
        (PlaceLookup.URL, {}),
    ]:
        with pytest.raises(InfrastructureError):
            body(RequestLookup(url, params))


@pytest.mark.parametrize(
    "lookup",
    [
        AddressLookup(*DEVICE),
        PlaceLookup("Apple Park", *DEVICE),
        WeatherLookup(*DEVICE, 3),
        StockLookup("Apple"),
        CurrencyLookup(3, "USD", "CNY"),
    ],
    ids=lambda lookup: type(lookup).__name__,
)
def test_a_request_is_answered_like_its_lookup(lookup: Lookup[Any]) -> None:
    request = RequestLookup(lookup.url, lookup.params)
    assert request.known() == lookup
    assert OfflineService().ask(request, NOW) == body(lookup)
    assert lookup.read(body(lookup))


def test_unknown_mode() -> None:
    with pytest.raises(UnknownNameError):
        create_service("online")
    with pytest.raises(ConfigurationError, match="RAPID_API_KEY"):
        create_service("rapidapi")
    with pytest.raises(ConfigurationError, match="path"):
        create_service("replay")


def test_same_answers_in_another_process() -> None:
    program = """
import json, sys
from tool_sandbox.tools.services import create_service
from tool_sandbox.tools.services.lookups import CurrencyLookup, StockLookup, WeatherLookup
service = create_service("offline")
lookups = [WeatherLookup(48.85, 2.35, 13), StockLookup("Apple"), CurrencyLookup(3, "USD", "CNY")]
print(json.dumps([service.body(lookup, 1750000000.0) for lookup in lookups]))
"""
    environment = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
    lookups = [WeatherLookup(48.85, 2.35, 13), StockLookup("Apple"), CurrencyLookup(3, "USD", "CNY")]
    assert json.loads(done.stdout) == [body(lookup) for lookup in lookups]


def test_data_is_loaded_on_demand() -> None:
    program = """
import sys
import tool_sandbox.tools
heavy = {"pint", "holidays", "phonenumbers", "geographiclib", "httpx2", "typeguard"} & set(sys.modules)
assert not heavy, heavy
assert "tool_sandbox.tools.services.gazetteer" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# Places --------------------------------------------------------------------------------------


def test_apple_park_record() -> None:
    record = OfflineService().ask(PlaceLookup("Apple Park", *DEVICE), NOW)[0]
    expected = {
        "name": "Apple Park",
        "full_address": "Apple Park, One Apple Park Way, Cupertino, CA 95014",
        "phone_number": "+14089961010",
        "latitude": 37.334643799999995,
        "longitude": -122.008972,
        "city": "Cupertino, CA",
        "timezone": "America/Los_Angeles",
        "website": "http://www.apple.com/",
    }
    assert {key: record[key] for key in expected} == expected
    assert {"state", "types", "rating", "review_count", "price_level", "working_hours", "description"} <= set(record)
    assert {"business_id", "place_id", "place_link", "verified", "photos"} <= set(record)


@pytest.mark.parametrize(
    ("query", "latitude", "longitude", "tolerance"),
    [
        ("Golden Gate Bridge", 37.8199, -122.4786, 0.01),
        ("Grand Canyon", 36.23686, -112.19147, 0.5),
        ("Whole Foods Stevens Creek", 37.323498, -122.039665, 0.001),
        ("Whole Foods on McKinley Ave, Sunnyvale", 37.3738083, -122.0314225, 0.001),
        ("Eiffel Tower", 48.8584, 2.2945, 0.001),
        ("Sydney Opera House", -33.8568, 151.2153, 0.001),
    ],
)
def test_positions(query: str, latitude: float, longitude: float, tolerance: float) -> None:
    site = places.find(query, *DEVICE, 4)[0]
    assert abs(site.latitude - latitude) <= tolerance
    assert abs(site.longitude - longitude) <= tolerance


def test_branches_are_told_apart_and_sorted_by_distance() -> None:
    assert streets("Whole Foods")[:2] == ["20955 Stevens Creek Blvd", "200 W McKinley Ave"]
    assert len(set(streets("Whole Foods"))) == 4
    found = places.find("Starbucks", *DEVICE, 4)
    distances = [gazetteer.distance_km(*DEVICE, site) for site in found]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("the Golden Gate Bridge in San Francisco, California", "Golden Gate Bridge"),
        ("Goldn Gate Brige", "Golden Gate Bridge"),
        ("WholeFoods", "Whole Foods Market"),
        ("Apple Park Cupertino", "Apple Park"),
        ("nearest airport", "San Jose Mineta International Airport"),
        ("SFO", "San Francisco International Airport"),
        ("park", "Memorial Park"),
        ("Paris", "Paris"),
        ("paris france", "Paris"),
        ("louvre", "Louvre Museum"),
        ("musee d'orsay", "Musée d'Orsay"),
        ("São Paulo", "Sao Paulo"),
        ("St Louis", "St. Louis"),
    ],
)
def test_first_match(query: str, first: str) -> None:
    assert names(query)[0] == first


@pytest.mark.parametrize("query", ["", " ", "?!", "...", "the", "qwertyzxcv", "zzz zzz", "12345678", "\x00", "🦆"])
def test_nonsense_finds_nothing(query: str) -> None:
    assert names(query) == []


def test_kinds_are_local() -> None:
    assert names("coffee shop", (0.0, -150.0)) == []
    assert names("museum", (48.86, 2.34))[0] == "Louvre Museum"


@given(query=st.text(max_size=60), latitude=latitudes, longitude=longitudes)
def test_any_query(query: str, latitude: float, longitude: float) -> None:
    assert len(places.find(query, latitude, longitude, 4)) <= 4


def test_every_place_is_found_by_its_name_and_street() -> None:
    for place in gazetteer.places():
        query = f"{place.name} {place.street} {place.city}"
        assert place in places.find(query, place.latitude, place.longitude, 4), query


def test_addresses() -> None:
    def address(latitude: float, longitude: float) -> str | None:
        return OfflineService().ask(AddressLookup(latitude, longitude), NOW)

    assert address(*DEVICE) == "One Apple Park Way, Cupertino, CA 95014, USA"
    assert address(37.3230, -122.0200) == "Cupertino, CA, USA"
    assert address(48.8600, 2.3500) == "Paris, France"
    assert address(35.6586, 139.7454) == "4-2-8 Shibakoen, Minato City, Tokyo, 105-0011, Japan"
    for nobody in [(90.0, 0.0), (-90.0, 0.0), (0.0, -150.0), (30.0, -45.0), (-50.0, 100.0)]:
        assert address(*nobody) is None


# Data ----------------------------------------------------------------------------------------


def test_data_is_sound() -> None:
    assert len(gazetteer.places()) >= 150
    assert len(gazetteer.cities()) >= 300
    for site in (*gazetteer.places(), *gazetteer.cities()):
        zoneinfo.ZoneInfo(site.timezone)
        assert -90 <= site.latitude <= 90
        assert -180 <= site.longitude <= 180
    for place in gazetteer.places():
        assert place.types
        if place.phone_number is not None:
            parsed = phonenumbers.parse(place.phone_number)
            assert phonenumbers.is_valid_number(parsed)
            assert phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164) == place.phone_number


def test_chains_have_branches() -> None:
    counts: dict[str, int] = {}
    for place in gazetteer.places():
        counts[place.name] = counts.get(place.name, 0) + 1
    assert sum(count >= 3 for count in counts.values()) >= 8


def test_data_files_have_full_rows() -> None:
    for file in resources.files("tool_sandbox.tools.services").joinpath("data").iterdir():
        if file.name.endswith(".csv"):
            rows = list(csv.reader(file.read_text(encoding="utf-8").splitlines()))
            assert {len(row) for row in rows} == {len(rows[0])}, file.name


# Weather -------------------------------------------------------------------------------------


@given(latitude=latitudes, longitude=longitudes, now=times)
def test_weather_is_consistent(latitude: float, longitude: float, now: float) -> None:
    body = weather.forecast(latitude, longitude, days=14, now=now)
    if "error" in body:
        return
    assert len(body["forecast"]["forecastday"]) == 14
    for day in (entry["day"] for entry in body["forecast"]["forecastday"]):
        assert -80 < day["mintemp_c"] <= day["avgtemp_c"] <= day["maxtemp_c"] < 55
        assert day["maxtemp_f"] == pytest.approx(day["maxtemp_c"] * 9 / 5 + 32, abs=0.051)
        assert bool(day["totalprecip_mm"]) == bool(day["daily_will_it_rain"] or day["daily_will_it_snow"])
        assert 0 <= day["avghumidity"] <= 100
    today, current = body["forecast"]["forecastday"][0]["day"], body["current"]
    assert today["mintemp_c"] <= current["temp_c"] <= today["maxtemp_c"]


@pytest.mark.parametrize("point", [DEVICE, GRAND_CANYON])
def test_weather_of_scenarios(point: tuple[float, float]) -> None:
    days = weather.forecast(*point, days=14, now=NOW)["forecast"]["forecastday"]
    assert len(days) == 14


def test_weather_is_dated_by_the_place() -> None:
    new_year = datetime.datetime(2024, 12, 31, 20, tzinfo=datetime.UTC).timestamp()
    for point, date in ((DEVICE, "2024-12-31"), ((35.68, 139.69), "2025-01-01")):
        body = weather.forecast(*point, days=2, now=new_year)
        assert body["forecast"]["forecastday"][0]["date"] == date
        assert body["location"]["localtime"].startswith(date)


def test_days_agree_between_forecasts() -> None:
    first = weather.forecast(*DEVICE, days=5, now=NOW)["forecast"]["forecastday"]
    later = weather.forecast(*DEVICE, days=5, now=NOW + 2 * 86_400)["forecast"]["forecastday"]
    assert first[2:] == later[:3]


def test_seasons() -> None:
    def mean(point: tuple[float, float], month: int) -> float:
        now = datetime.datetime(2024, month, 1, 12, tzinfo=datetime.UTC).timestamp()
        days = weather.forecast(*point, days=14, now=now)["forecast"]["forecastday"]
        return sum(float(day["day"]["avgtemp_c"]) for day in days) / len(days)

    new_york, sydney, singapore = (40.71, -74.01), (-33.87, 151.21), (1.35, 103.82)
    assert mean(new_york, 7) - mean(new_york, 1) > 8
    assert mean(sydney, 1) - mean(sydney, 7) > 5
    assert abs(mean(singapore, 7) - mean(singapore, 1)) < 8
    assert mean(singapore, 1) > mean((64.15, -21.94), 7)


def test_no_weather_in_the_ocean() -> None:
    assert weather.forecast(0.0, -150.0, days=1, now=NOW)["error"]["code"] == 1006


def test_sun_and_moon() -> None:
    def astro(point: tuple[float, float], *date: int) -> dict[str, Any]:
        now = datetime.datetime(*date, 12, tzinfo=datetime.UTC).timestamp()  # type: ignore[arg-type,misc]
        return dict(weather.forecast(*point, days=1, now=now)["forecast"]["forecastday"][0]["astro"])

    def minutes(clock: str) -> int:
        moment = datetime.datetime.strptime(clock, "%I:%M %p")
        return moment.hour * 60 + moment.minute

    london = astro((51.5074, -0.1278), 2024, 6, 21)
    assert abs(minutes(london["sunrise"]) - minutes("04:43 AM")) <= 8
    assert abs(minutes(london["sunset"]) - minutes("09:21 PM")) <= 8
    assert astro((69.65, 18.96), 2024, 6, 21)["sunset"] == "No sunset"
    assert astro((51.5, -0.1), 2024, 11, 1)["moon_phase"] == "New Moon"
    assert astro((51.5, -0.1), 2024, 11, 15)["moon_phase"] == "Full Moon"
    assert astro((51.5, -0.1), 2024, 11, 15)["moon_illumination"] >= 97


# Stocks --------------------------------------------------------------------------------------


def quote(query: str, now: float = NOW) -> dict[str, Any] | None:
    found = stocks.search(query, now=now)["data"]["stock"]
    return found[0] if found else None


@pytest.mark.parametrize("query", ["Apple", "AAPL", "aapl", "apple inc.", "Apple stock price", "Aple", "AAPL:NASDAQ"])
def test_apple(query: str) -> None:
    stock = quote(query)
    assert stock is not None
    assert (stock["symbol"], stock["currency"], stock["exchange"]) == ("AAPL:NASDAQ", "USD", "NASDAQ")


@pytest.mark.parametrize("query", ["Zorblax Industries", "", "a", "inc", "stock", "???", "my neighbour's bakery"])
def test_unknown_companies(query: str) -> None:
    assert quote(query) is None


def test_every_stock_is_found() -> None:
    for row in gazetteer.read_table("stocks.csv"):
        for query in (row["symbol"], row["name"]):
            stock = quote(query)
            assert stock is not None
            assert stock["symbol"] == f"{row['symbol']}:{row['exchange']}"


@given(now=times)
def test_quotes_are_consistent(now: float) -> None:
    for query in ("Apple", "Toyota", "Volkswagen"):
        stock = quote(query, now)
        assert stock is not None
        assert stock["price"] > 0
        assert stock["change"] == pytest.approx(stock["price"] - stock["previous_close"], abs=0.006)
        assert stock["change_percent"] == pytest.approx(stock["change"] / stock["previous_close"] * 100, abs=0.01)
        assert abs(stock["change_percent"]) < 15
        assert stock["last_update_utc"] <= datetime.datetime.fromtimestamp(now, datetime.UTC).strftime(
            "%Y-%m-%d %H:%M:%S"
        )


def test_markets_rest_at_weekends() -> None:
    def at(day: int, hour: int) -> dict[str, Any]:
        moment = datetime.datetime(2025, 6, day, hour, tzinfo=zoneinfo.ZoneInfo("America/New_York"))
        stock = quote("Apple", moment.timestamp())
        assert stock is not None
        return stock

    friday, saturday, sunday, early_monday, monday = at(13, 18), at(14, 12), at(15, 12), at(16, 8), at(16, 12)
    assert friday["price"] == saturday["price"] == sunday["price"] == early_monday["price"]
    assert monday["previous_close"] == friday["price"]


# Currencies ----------------------------------------------------------------------------------


@given(day=st.integers(3600, 29_000))
def test_rates_are_positive_for_all_codes(day: int) -> None:
    for code in CURRENCY_CODES:
        rate = currency.per_usd(code, day)
        assert rate > 0
        assert math.isfinite(rate)


@given(
    codes=st.lists(st.sampled_from(sorted(CURRENCY_CODES)), min_size=3, max_size=3),
    amount=st.floats(0.01, 1e9),
    now=times,
)
def test_no_arbitrage(codes: list[str], amount: float, now: float) -> None:
    def convert(value: float, source: str, target: str) -> float:
        return float(currency.convert(value, source, target, now=now)["result"]["convertedAmount"])

    first, second, third = codes
    direct = convert(amount, first, third)
    assert convert(convert(amount, first, second), second, third) == pytest.approx(direct, rel=1e-12)
    assert convert(convert(amount, first, second), second, first) == pytest.approx(amount, rel=1e-12)
    assert convert(amount, first, first) == amount


@given(day=st.integers(3600, 29_000), code=st.sampled_from(["EUR", "JPY", "CNY", "GBP", "INR", "BRL"]))
def test_rates_move_slowly(day: int, code: str) -> None:
    assert currency.per_usd(code, day + 1) == pytest.approx(currency.per_usd(code, day), rel=0.02)


def test_pegs_hold() -> None:
    for day in (19_000, 20_000, 21_000):
        assert currency.per_usd("AED", day) == 3.6725
        assert currency.per_usd("XOF", day) / currency.per_usd("EUR", day) == pytest.approx(603.5 / 0.92)


def test_unknown_currency() -> None:
    assert "result" not in currency.convert(1.0, "USD", "ABC", now=NOW)
