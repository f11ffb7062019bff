"""Time, units, distances and holidays."""

import datetime
import functools
from typing import Any

from tool_sandbox.tools import _holidays, _store, _units
from tool_sandbox.tools.setting import get_wifi_status
from tool_sandbox.world.device import current_device
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import (
    bounded,
    typechecked,
    validate_latitude,
    validate_longitude,
    validate_not_bool,
    validate_range,
    validate_timestamp,
)



def _timestamp(moment: datetime.datetime) -> float:
    """POSIX time of a datetime in the device's zone, checked against the window of accepted times."""
    try:
        timestamp = moment.timestamp()
    except (OverflowError, OSError):
        raise ValueError("the result is outside the supported range of time") from None
    validate_timestamp(timestamp, "the result", float)
    return timestamp


@register_as_tool()
@typechecked
def get_current_timestamp() -> float:
    """Tell the current time.

    Returns:
        POSIX timestamp in seconds.
    """
    return current_device().now()


@register_as_tool()
@typechecked
@bounded
def timestamp_to_datetime_info(timestamp: float) -> dict[str, int]:
    """Turn a timestamp into date and time on the clock of this device.

    Args:
        timestamp: POSIX timestamp in seconds.

    Returns:
        Year, month, day, hour, minute, second and isoweekday, which is 1 on Monday and 7 on Sunday.

    Raises:
        ValueError: The timestamp is out of range.
    """
    validate_timestamp(timestamp, "timestamp", float)
    moment = datetime.datetime.fromtimestamp(timestamp, current_device().timezone)
    names = ("year", "month", "day", "hour", "minute", "second")
    return {**{name: getattr(moment, name) for name in names}, "isoweekday": moment.isoweekday()}


@register_as_tool()
@typechecked
@bounded
def datetime_info_to_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float:
    """Turn date and time on the clock of this device into a timestamp.

    Where clocks go forward, a time that does not exist counts as if they had not gone forward yet. Where they go
    back, a time that exists twice is the first of the two.

    Args:
        year: Year with four digits, 1980 to 2049.
        month: Month, 1 to 12.
        day: Day of the month, 1 to 31.
        hour: Hour, 0 to 23.
        minute: Minute, 0 to 59.
        second: Second, 0 to 59.

    Returns:
        POSIX timestamp in seconds.

    Raises:
        ValueError: There is no such date or time, or it is out of range.
    """
    validate_not_bool(year=year, month=month, day=day, hour=hour, minute=minute, second=second)
    # datetime raises OverflowError instead of ValueError for numbers beyond the machine's integers.
    validate_range(year, "year", min_val=datetime.MINYEAR, max_val=datetime.MAXYEAR)
    validate_range(month, "month", min_val=1, max_val=12)
    validate_range(day, "day", min_val=1, max_val=31)
    validate_range(hour, "hour", min_val=0, max_val=23)
    validate_range(minute, "minute", min_val=0, max_val=59)
    validate_range(second, "second", min_val=0, max_val=59)
    return _timestamp(datetime.datetime(year, month, day, hour, minute, second, tzinfo=current_device().timezone))


@register_as_tool()
@typechecked
@bounded
def shift_timestamp(
    timestamp: float, weeks: int = 0, days: int = 0, hours: int = 0, minutes: int = 0, seconds: int = 0
) -> float:
    """Move a timestamp by an amount of time, which may be negative.

    Weeks and days keep the time on the clock of this device even where clocks change. Hours, minutes and seconds are
    elapsed time.

    Args:
        timestamp: POSIX timestamp in seconds.
        weeks: Number of weeks to add.
        days: Number of days to add.
        hours: Number of hours to add.
        minutes: Number of minutes to add.
        seconds: Number of seconds to add.

    Returns:
        The new POSIX timestamp in seconds.

    Raises:
        ValueError: The timestamp or the result is out of range.
    """
    validate_not_bool(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    validate_timestamp(timestamp, "timestamp", float)
    shifted = float(timestamp)
    try:
        if weeks or days:
            moment = datetime.datetime.fromtimestamp(timestamp, current_device().timezone)
            shifted = (moment + datetime.timedelta(weeks=weeks, days=days)).timestamp()
        shifted += datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds).total_seconds()
    except (OverflowError, ValueError, OSError):
        raise ValueError("the result is outside the supported range of time") from None
    validate_timestamp(shifted, "the result", float)
    return shifted


@register_as_tool()
@typechecked
@bounded
def timestamp_diff(timestamp_0: float, timestamp_1: float) -> dict[str, int]:
    """Tell how much time passes from one timestamp to another. It is negative if the second one is earlier.

    Args:
        timestamp_0: POSIX timestamp in seconds from which to count.
        timestamp_1: POSIX timestamp in seconds up to which to count.

    Returns:
        Whole days of 24 hours, rounded down, and the remaining seconds, 0 to 86399.

    Raises:
        ValueError: The difference is out of range.
    """
    try:
        moments = [datetime.datetime.fromtimestamp(value, datetime.UTC) for value in (timestamp_0, timestamp_1)]
    except (OverflowError, ValueError, OSError):
        raise ValueError("the timestamps are outside the supported range of time") from None
    difference = moments[1] - moments[0]
    return {"days": difference.days, "seconds": difference.seconds}


@register_as_tool()
@typechecked
@bounded
def seconds_to_hours_minutes_seconds(seconds: float) -> dict[str, int]:
    """Turn a duration into hours, minutes and seconds. Hours are not limited to a day.

    Args:
        seconds: Duration in seconds, not negative.

    Returns:
        Hour, minute and second, the last one rounded down.

    Raises:
        ValueError: The duration is negative.
    """
    validate_range(seconds, "seconds", min_val=0)
    minute, second = divmod(int(seconds), 60)
    hour, minute = divmod(minute, 60)
    return {"hour": hour, "minute": minute, "second": second}


@register_as_tool()
@typechecked
@bounded
def unit_conversion(amount: float, from_unit: str, to_unit: str) -> float:
    """Convert an amount from one unit to another, for example of length, weight, volume, speed or temperature.

    Args:
        amount: Amount to convert.
        from_unit: Unit of the amount, for example kilometer, mph, or meter / second ** 2.
        to_unit: Unit to convert to.

    Returns:
        The amount in the new unit.

    Raises:
        pint.errors.UndefinedUnitError: A unit is unknown.
        pint.errors.DimensionalityError: The units measure different things.
        ValueError: The amount or the result is not a finite number.
    """
    return _units.convert(amount, from_unit, to_unit, strict=_store.is_strict())


@functools.cache
def _earth() -> Any:
    """The WGS-84 ellipsoid in kilometres."""
    from geographiclib.geodesic import Geodesic

    return Geodesic(6378.137, 1 / 298.257223563)


@register_as_tool()
@typechecked
@bounded
def calculate_lat_lon_distance(latitude_0: float, longitude_0: float, latitude_1: float, longitude_1: float) -> float:
    """Compute the shortest distance between two points on the surface of the earth.

    Args:
        latitude_0: Latitude of the first point in degrees, between -90 and 90.
        longitude_0: Longitude of the first point in degrees, between -180 and 180.
        latitude_1: Latitude of the second point in degrees, between -90 and 90.
        longitude_1: Longitude of the second point in degrees, between -180 and 180.

    Returns:
        Distance in kilometers.

    Raises:
        ValueError: A coordinate is out of range.
    """
    validate_latitude(latitude_0, "latitude_0", float)
    validate_longitude(longitude_0, "longitude_0", float)
    validate_latitude(latitude_1, "latitude_1", float)
    validate_longitude(longitude_1, "longitude_1", float)
    # Karney's solution of the inverse geodesic problem, J. Geodesy 87 (2013), 43-55.
    earth = _earth()
    return float(earth.Inverse(latitude_0, longitude_0, latitude_1, longitude_1, earth.DISTANCE)["s12"])


@register_as_tool()
@typechecked
@bounded
def search_holiday(holiday_name: str, year: int | None = None) -> float | None:
    """Find the date of a holiday in the United States by its name. Needs wifi.

    Args:
        holiday_name: Name of the holiday.
        year: Year with four digits. The current year if left out.

    Returns:
        POSIX timestamp in seconds of the beginning of that day on the clock of this device, or None if there is no
        such holiday.

    Raises:
        ConnectionError: Wifi is off.
        ValueError: The year is out of range.
    """
    validate_not_bool(year=year)
    if not get_wifi_status():
        raise ConnectionError("wifi is off, holidays cannot be looked up")
    context = current_device()
    if year is None:
        year = datetime.datetime.fromtimestamp(context.now(), context.timezone).year
    find = _holidays.strict_date if _store.is_strict() else _holidays.published_date
    date = find(holiday_name, year)
    if date is None:
        return None
    return datetime.datetime(date.year, date.month, date.day, tzinfo=context.timezone).timestamp()
