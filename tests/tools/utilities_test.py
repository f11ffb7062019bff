"""Time, units, distances and holidays."""

import datetime
import math
import time
import zoneinfo
from collections.abc import Callable, Iterator
from typing import Any

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pint.errors import DimensionalityError, UndefinedUnitError

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.tools import _units
from tool_sandbox.tools.setting import set_wifi_status
from tool_sandbox.tools.utilities import (
    calculate_lat_lon_distance,
    datetime_info_to_timestamp,
    get_current_timestamp,
    search_holiday,
    seconds_to_hours_minutes_seconds,
    shift_timestamp,
    timestamp_diff,
    timestamp_to_datetime_info,
    unit_conversion,
)
from tool_sandbox.world.clock import SystemClock
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.validators import MAX_TIMESTAMP, MIN_TIMESTAMP

ZONES = ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland"]
timestamps = st.floats(MIN_TIMESTAMP, MAX_TIMESTAMP)


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, make_world: Any) -> Iterator[str]:
    """A device in a zone while the machine is in another."""
    monkeypatch.setenv("TZ", "America/St_Johns")
    time.tzset()
    with new_context(make_world(zone=request.param)):
        yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(params=ZONES)
def machine_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A device that shares the machine's clock and zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    with new_context(ExecutionContext(clock=SystemClock())):
        yield request.param
    monkeypatch.undo()
    time.tzset()


# Time ----------------------------------------------------------------------------------------


def test_now(world: ExecutionContext) -> None:
    assert get_current_timestamp() == world.now()


def test_datetime_info_in_zone(zone: str) -> None:
    moment = datetime.datetime(2025, 6, 15, 12, 30, 5, tzinfo=zoneinfo.ZoneInfo(zone))
    info = {"year": 2025, "month": 6, "day": 15, "hour": 12, "minute": 30, "second": 5}
    assert datetime_info_to_timestamp(**info) == moment.timestamp()
    assert timestamp_to_datetime_info(moment.timestamp()) == {**info, "isoweekday": 7}


def test_datetime_info_in_zone_of_machine(machine_zone: str) -> None:
    moment = datetime.datetime(2025, 1, 6, 23, 30, 5, tzinfo=zoneinfo.ZoneInfo(machine_zone))
    info = {"year": 2025, "month": 1, "day": 6, "hour": 23, "minute": 30, "second": 5}
    assert datetime_info_to_timestamp(**info) == moment.timestamp()
    assert timestamp_to_datetime_info(moment.timestamp()) == {**info, "isoweekday": 1}


@given(timestamp=st.integers(int(MIN_TIMESTAMP) + 1, int(MAX_TIMESTAMP) - 1))
def test_datetime_info_round_trip(timestamp: int) -> None:
    with new_context(ExecutionContext()):
        info = timestamp_to_datetime_info(timestamp)
        del info["isoweekday"]
        # An hour that exists twice is read as the first of the two.
        assert abs(datetime_info_to_timestamp(**info) - timestamp) in (0.0, 3600.0)


@pytest.mark.parametrize(
    "change",
    [{"month": 13}, {"month": 0}, {"day": 32}, {"month": 2, "day": 30}, {"hour": 24}, {"minute": -1}, {"second": 60}]
    + [{"year": year} for year in (0, -1, 1970, 2060, 9999, 10**30)],
)
def test_no_such_date(world: ExecutionContext, change: dict[str, int]) -> None:
    info = {"year": 2025, "month": 6, "day": 15, "hour": 12, "minute": 0, "second": 0}
    with pytest.raises(ValueError, match=r"\w"):
        datetime_info_to_timestamp(**{**info, **change})


@pytest.mark.parametrize("value", [True, 1.0, "2", None])
def test_dates_are_whole_numbers(world: ExecutionContext, value: Any) -> None:
    with pytest.raises(TypeError):
        datetime_info_to_timestamp(2025, 6, 15, 12, 0, value)


@pytest.mark.parametrize("timestamp", [0, MIN_TIMESTAMP - 1, MAX_TIMESTAMP + 1, 1.75e12, math.inf, math.nan])
def test_timestamps_outside_the_window(world: ExecutionContext, timestamp: float) -> None:
    with pytest.raises(ValueError, match="timestamp"):
        timestamp_to_datetime_info(timestamp)
    with pytest.raises(ValueError, match="timestamp"):
        shift_timestamp(timestamp)


def in_los_angeles(*parts: int, fold: int = 0) -> float:
    return datetime.datetime(*parts, tzinfo=zoneinfo.ZoneInfo("America/Los_Angeles"), fold=fold).timestamp()  # type: ignore[arg-type,misc]


def test_times_that_do_not_exist_or_exist_twice(world: ExecutionContext) -> None:
    gap = datetime_info_to_timestamp(2025, 3, 9, 2, 30, 0)
    assert timestamp_to_datetime_info(gap)["hour"] == 3
    assert datetime_info_to_timestamp(2025, 11, 2, 1, 30, 0) == in_los_angeles(2025, 11, 2, 1, 30)


def test_shift_over_a_clock_change(world: ExecutionContext) -> None:
    evening = in_los_angeles(2025, 3, 8, 20, 0)
    assert shift_timestamp(evening, days=1) == in_los_angeles(2025, 3, 9, 20, 0) == evening + 82_800
    assert shift_timestamp(evening, hours=24) == evening + 86_400
    assert shift_timestamp(evening, weeks=1, days=-7, minutes=5, seconds=-1) == evening + 299
    second_half_past_one = in_los_angeles(2025, 11, 2, 1, 30, fold=1)
    assert shift_timestamp(second_half_past_one, seconds=0) == second_half_past_one


@given(timestamp=timestamps, hours=st.integers(-1000, 1000), seconds=st.integers(-(10**6), 10**6))
def test_shift_by_elapsed_time(timestamp: float, hours: int, seconds: int) -> None:
    expected = timestamp + 3600 * hours + seconds
    with new_context(ExecutionContext()):
        if MIN_TIMESTAMP <= expected <= MAX_TIMESTAMP:
            assert shift_timestamp(timestamp, hours=hours, seconds=seconds) == expected
        else:
            with pytest.raises(ValueError, match="result"):
                shift_timestamp(timestamp, hours=hours, seconds=seconds)


@pytest.mark.parametrize("shift", [{"weeks": 10**18}, {"days": -(10**30)}, {"seconds": 10**300}, {"weeks": 5000}])
def test_shift_out_of_range(world: ExecutionContext, shift: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="result"):
        shift_timestamp(world.now(), **shift)


def test_diff(world: ExecutionContext) -> None:
    now = world.now()
    assert timestamp_diff(now, now + 90_061) == {"days": 1, "seconds": 3661}
    assert timestamp_diff(now, now - 1) == {"days": -1, "seconds": 86_399}
    before = in_los_angeles(2025, 3, 8, 20, 0)
    assert timestamp_diff(before, before + 86_400) == {"days": 1, "seconds": 0}
    with pytest.raises(ValueError, match="range"):
        timestamp_diff(1e300, 0)


@pytest.mark.parametrize(
    ("seconds", "parts"),
    [(0, (0, 0, 0)), (3661.9, (1, 1, 1)), (90_000, (25, 0, 0)), (59.999, (0, 0, 59)), (1e9, (277_777, 46, 40))],
)
def test_durations(zone: str, seconds: float, parts: tuple[int, ...]) -> None:
    assert tuple(seconds_to_hours_minutes_seconds(seconds).values()) == parts
    assert list(seconds_to_hours_minutes_seconds(seconds)) == ["hour", "minute", "second"]


@pytest.mark.parametrize("seconds", [-1, -1e-9, math.inf, math.nan])
def test_impossible_durations(world: ExecutionContext, seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        seconds_to_hours_minutes_seconds(seconds)


# Units ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def registry() -> Any:
    return pint.UnitRegistry()


@pytest.mark.parametrize(
    ("amount", "source", "target", "result"),
    [
        (1, "kilometer", "mile", 0.621371192237334),
        (1, "gallon", "liters", 3.785411783999999),
        (1, "pounds", "kg", 0.4535923700000001),
        (1, "K", "degC", -272.15),
    ],
)
def test_reference_conversions(world: ExecutionContext, amount: float, source: str, target: str, result: float) -> None:
    assert unit_conversion(amount, source, target) == result


def test_temperature_within_tolerance(world: ExecutionContext) -> None:
    assert unit_conversion(0, "celsius", "fahrenheit") == pytest.approx(32, abs=1e-9)
    assert unit_conversion(25.0, "Celsius", "Fahrenheit") == pytest.approx(77, abs=1e-9)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("meter", "foot"),
        ("mph", "km/h"),
        ("miles per hour", "meter / second"),
        ("meter / second ** 2", "ft/s^2"),
        ("m²", "square feet"),
        ("meter cubed", "liter"),
        ("°C", "K"),
        ("1/s", "Hz"),
        ("kWh", "joule"),
        ("(kg * m) / s**2", "newton"),
        ("MB", "gigabyte"),
    ],
)
def test_plain_results_are_those_of_pint(world: ExecutionContext, registry: Any, source: str, target: str) -> None:
    for amount in (0, 1, 12.5, -3.25, 1e20):
        assert unit_conversion(amount, source, target) == registry.Quantity(amount, source).to(target).magnitude


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("C", "F", 68.0),
        ("degrees Celsius", "degrees Fahrenheit", 68.0),
        ("° C", "deg F", 68.0),
        ("degree_celsius", "K", 293.15),
        ("Centigrade", "Kelvin", 293.15),
    ],
)
def test_temperature_spellings_in_strict(strict: ExecutionContext, source: str, target: str, expected: float) -> None:
    assert unit_conversion(20, source, target) == pytest.approx(expected, abs=1e-9)


def test_spellings_in_published(published: ExecutionContext) -> None:
    assert unit_conversion(0, "degrees Celsius", "degrees Fahrenheit") == 0.0
    with pytest.raises(DimensionalityError):
        unit_conversion(20, "C", "F")


@pytest.mark.parametrize("unit", ["US gallon", "us gallons", "US liquid gallon", "American gallon"])
def test_an_american_unit_is_no_unit_times_microseconds(strict: ExecutionContext, unit: str) -> None:
    assert unit_conversion(1, unit, "liters") == 3.785411783999999


def test_single_letters_beside_other_units(strict: ExecutionContext) -> None:
    assert unit_conversion(1, "C", "mC") == pytest.approx(1000)
    assert unit_conversion(3, "Nautical Miles", "KM") == pytest.approx(5.556)


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9*meter",
        "meter**99",
        "meter**9**9**9",
        "(meter**9)**9",
        "((m)²)²",
        "m²²²²²",
        "m²**9**9",
        "dozen squared squared squared squared squared squared",
        "dozen cubed cubed cubed cubed cubed",
        "square square square square meter",
        "square dozen**9",
        "dozen**-9**9",
        "meter*" * 60 + "meter",
        "meter/0",
        "2 meter",
        "meter + 1",
        "__import__('os')",
        "lambda: 0",
        "",
        " ",
        "()",
        "((((",
        "no_such_unit",
        "meter**",
        "**9",
        "1e999 m",
        "m\x00",
        "🦆",
    ],
)
def test_what_is_no_unit(world: ExecutionContext, expression: str) -> None:
    with pytest.raises(UndefinedUnitError):
        unit_conversion(1, expression, "meter")
    with pytest.raises(UndefinedUnitError):
        unit_conversion(1, "meter", expression)


def test_impossible_amounts(world: ExecutionContext) -> None:
    with pytest.raises(DimensionalityError):
        unit_conversion(1, "meter", "kg")
    for amount in (math.nan, math.inf, 10**400):
        with pytest.raises(ValueError, match="finite"):
            unit_conversion(amount, "km", "m")
    with pytest.raises(ValueError, match=r"finite|large"):
        unit_conversion(1e308, "km", "m")
    with pytest.raises(TypeError):
        unit_conversion(True, "km", "m")


@given(
    expression=st.lists(
        st.sampled_from(
            ["m", "km", "dozen", "s", "²", "**", "^", "9", "-1", "*", "/", "(", ")", " ", "squared", "square"]
        ),
        max_size=25,
    ).map("".join)
)
def test_expressions_are_bounded(expression: str) -> None:
    try:
        result = _units.convert(1.0, expression, "meter", strict=True)
    except (UndefinedUnitError, DimensionalityError, ValueError):
        return
    assert math.isfinite(result)


# Distances -----------------------------------------------------------------------------------


def test_distance(world: ExecutionContext) -> None:
    assert calculate_lat_lon_distance(37.334606, -122.009102, 37.8199, -122.4786) == 67.97851262172776
    assert calculate_lat_lon_distance(0, 0, 0, 0) == 0.0
    assert calculate_lat_lon_distance(90, 0, -90, 0) == pytest.approx(20003.93, abs=0.01)


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize(
    ("value", "error"), [(181.0, ValueError), (math.nan, ValueError), (True, TypeError), ("1", TypeError)]
)
def test_distance_errors(world: ExecutionContext, position: int, value: Any, error: type[Exception]) -> None:
    arguments: list[Any] = [0.0, 0.0, 0.0, 0.0]
    arguments[position] = value
    with pytest.raises(error):
        calculate_lat_lon_distance(*arguments)


# Holidays ------------------------------------------------------------------------------------


def date_of(timestamp: float | None, zone: str = "America/Los_Angeles") -> tuple[int, int, int] | None:
    if timestamp is None:
        return None
    moment = datetime.datetime.fromtimestamp(timestamp, zoneinfo.ZoneInfo(zone))
    assert (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    return moment.year, moment.month, moment.day


@pytest.mark.parametrize(
    ("name", "month", "day"),
    [
        ("christmas", 12, 25),
        ("thanksgiving day", 11, 28),
        ("Thanksgiving", 11, 28),
        ("Labor Day", 9, 2),
        ("Juneteenth", 6, 19),
        ("Columbus Day", 10, 14),
    ],
)
def test_holidays(world: ExecutionContext, name: str, month: int, day: int) -> None:
    assert date_of(search_holiday(name, 2024)) == (2024, month, day)


def test_unknown_holidays_in_published(published: ExecutionContext) -> None:
    assert [search_holiday(name, 2024) for name in ("Good Friday", "Easter", "", "4th of July", "Xyzzy")] == [None] * 5


def test_ties_and_odd_years_in_published(published: ExecutionContext) -> None:
    assert date_of(search_holiday("Christmas Day", 2022)) == (2022, 12, 26)
    assert date_of(search_holiday("New Year's Day", 2021)) == (2021, 12, 31)
    assert [search_holiday("Christmas", year) for year in (0, 1500)] == [None, None]
    with pytest.raises(ValueError, match="year"):
        search_holiday("Christmas", 9999)


@pytest.mark.parametrize(
    ("name", "year", "date"),
    [
        ("Christmas Day", 2022, (2022, 12, 25)),
        ("christmas", 2022, (2022, 12, 25)),
        ("Independence Day", 2027, (2027, 7, 4)),
        ("New Year's Day", 2021, (2021, 1, 1)),
        ("New Year's Day", 2023, (2023, 1, 1)),
        ("4th of July", 2024, (2024, 7, 4)),
        ("MLK", 2024, (2024, 1, 15)),
        ("Presidents' Day", 2024, (2024, 2, 19)),
        ("Halloween", 2024, (2024, 10, 31)),
        ("Easter", 2024, (2024, 3, 31)),
        ("Thanksgivng", 2024, (2024, 11, 28)),
        ("day", 2024, None),
        ("a", 2024, None),
        ("holiday", 2024, None),
        ("Bastille", 2024, None),
    ],
)
def test_holidays_in_strict(strict: ExecutionContext, name: str, year: int, date: tuple[int, int, int] | None) -> None:
    assert date_of(search_holiday(name, year)) == date


@pytest.mark.parametrize("year", [0, 1500, 9999, -5, 10**30])
def test_odd_years_in_strict(strict: ExecutionContext, year: int) -> None:
    with pytest.raises(ValueError, match="year"):
        search_holiday("Christmas", year)


def test_default_year_and_zone(zone: str) -> None:
    assert date_of(search_holiday("christmas"), zone) == (2025, 12, 25)


def test_default_year_is_that_of_the_device(make_world: Callable[..., ExecutionContext]) -> None:
    new_years_eve = datetime.datetime(2024, 12, 31, 20, tzinfo=datetime.UTC).timestamp()
    for name, year in (("America/Los_Angeles", 2024), ("Pacific/Auckland", 2025)):
        with new_context(make_world(Profile.STRICT, name, new_years_eve)):
            assert date_of(search_holiday("Labor Day"), name)[0] == year  # type: ignore[index]


def test_holiday_errors(world: ExecutionContext) -> None:
    with pytest.raises(TypeError):
        search_holiday("Christmas", True)
    set_wifi_status(False)
    with pytest.raises(ConnectionError):
        search_holiday("Christmas", 2024)
