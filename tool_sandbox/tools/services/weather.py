"""Offline weather: generated for a place and a date, plausible for latitude, height and season."""

import datetime
import math
import zoneinfo
from typing import Any

import attrs

from tool_sandbox.tools.services import _sky
from tool_sandbox.tools.services._noise import drift, uniform
from tool_sandbox.tools.services.gazetteer import City, Place, nearest_city, nearest_place, region_names

FORECAST_DAYS = 14
"""Days of a forecast, today included; requests for more get this many."""

_MAX_SITE_KM = 300.0
"""A point further than this from every known place has no weather."""

_MAX_ELEVATION_KM = 60.0
_LAPSE_RATE = 6.0 / 1000
"""Degrees Celsius that a metre of height takes away."""

_RAIN_WETNESS = 0.68
_NO_LOCATION = {"error": {"code": 1006, "message": "No matching location found."}}
_COMPASS = ("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW")


@attrs.frozen
class _Spot:
    """Where the weather is: a cell of a tenth of a degree.

    Attributes:
        latitude: Degrees, rounded.
        longitude: Degrees, rounded.
        elevation: Metres above sea level.
    """

    latitude: float
    longitude: float
    elevation: float

    @property
    def key(self) -> str:
        """Name of the cell in generated numbers."""
        return f"{self.latitude},{self.longitude}"


@attrs.frozen
class _Day:
    """Generated weather of one date, in metric units.

    Attributes:
        low: Lowest temperature, degrees Celsius.
        mean: Average temperature.
        high: Highest temperature.
        wetness: 0 for a clear, 1 for the wettest sky.
        wind: Strongest wind, kilometres per hour.
        wind_degree: Direction that it comes from.
        pressure: Hectopascal at sea level.
    """

    low: float
    mean: float
    high: float
    wetness: float
    wind: float
    wind_degree: int
    pressure: float

    @property
    def precipitation(self) -> float:
        """Rain or melted snow, millimetres."""
        return round(max(0.0, self.wetness - _RAIN_WETNESS) * 60, 1)

    @property
    def humidity(self) -> int:
        """Relative humidity, percent."""
        return round(40 + 50 * self.wetness)

    @property
    def visibility(self) -> float:
        """Kilometres."""
        return round(10 - 5 * max(0.0, self.wetness - _RAIN_WETNESS), 1)


def _day(spot: _Spot, date: datetime.date) -> _Day:
    """Climate by latitude, season and height, plus spells of a few days and a few weeks."""
    time, degrees = date.toordinal(), abs(spot.latitude)
    # The warmest day is about 19 July north of the equator and half a year later south of it.
    season = math.cos(2 * math.pi * (date.timetuple().tm_yday - 200) / 365.25) * math.copysign(1, spot.latitude)
    climate = 28 - 0.0075 * degrees**2 + 0.2 * degrees * season - _LAPSE_RATE * max(0.0, spot.elevation)
    mean = climate + 3 * drift(time, 4, spot.key, "spell") + 2 * drift(time, 19, spot.key, "weeks")
    wetness = (drift(time, 2.5, spot.key, "wet") + 1) / 2
    half = 6.5 - 3.5 * wetness
    return _Day(
        low=round(mean - half, 1),
        mean=round(mean, 1),
        high=round(mean + half, 1),
        wetness=wetness,
        wind=round(6 + 24 * uniform(spot.key, time, "wind"), 1),
        wind_degree=int(360 * uniform(spot.key, time, "direction")),
        pressure=round(1013 + 12 * drift(time, 5, spot.key, "pressure") - 8 * wetness),
    )


def _condition(day: _Day, *, night: bool = False) -> dict[str, Any]:
    """Text and code of the provider for a sky."""
    if day.wetness >= _RAIN_WETNESS:
        strength = min(2, int((day.wetness - _RAIN_WETNESS) / (1 - _RAIN_WETNESS) * 3))
        if day.mean < 0:
            return {
                "text": ("Light snow", "Moderate snow", "Heavy snow")[strength],
                "code": (1213, 1219, 1225)[strength],
            }
        return {"text": ("Light rain", "Moderate rain", "Heavy rain")[strength], "code": (1183, 1189, 1195)[strength]}
    if day.wetness < 0.3:
        return {"text": "Clear" if night else "Sunny", "code": 1000}
    if day.wetness < 0.45:
        return {"text": "Partly cloudy", "code": 1003}
    return {"text": "Cloudy", "code": 1006} if day.wetness < 0.57 else {"text": "Overcast", "code": 1009}


def _fahrenheit(celsius: float) -> float:
    return round(celsius * 9 / 5 + 32, 1)


def _miles(kilometres: float) -> float:
    return round(kilometres / 1.609344, 1)


def _inches(millimetres: float) -> float:
    return round(millimetres / 25.4, 2)


def _temperatures(name: str, celsius: float) -> dict[str, float]:
    return {f"{name}_c": celsius, f"{name}_f": _fahrenheit(celsius)}


def _day_part(day: _Day, spot: _Spot, date: datetime.date) -> dict[str, Any]:
    wet, snow = day.precipitation > 0, day.mean < 0
    chance = round(100 * max(0.0, min(1.0, (day.wetness - 0.4) / 0.5)))
    return {
        **_temperatures("maxtemp", day.high),
        **_temperatures("mintemp", day.low),
        **_temperatures("avgtemp", day.mean),
        "maxwind_mph": _miles(day.wind),
        "maxwind_kph": day.wind,
        "totalprecip_mm": day.precipitation,
        "totalprecip_in": _inches(day.precipitation),
        # A millimetre of water is about a centimetre of snow.
        "totalsnow_cm": day.precipitation if snow else 0.0,
        "avgvis_km": day.visibility,
        "avgvis_miles": _miles(day.visibility),
        "avghumidity": day.humidity,
        "daily_will_it_rain": int(wet and not snow),
        "daily_chance_of_rain": 0 if snow else chance,
        "daily_will_it_snow": int(wet and snow),
        "daily_chance_of_snow": chance if snow else 0,
        "condition": _condition(day),
        "uv": float(round(11 * _sky.noon_height(spot.latitude, date) * (1 - 0.6 * day.wetness))),
    }


def _current(day: _Day, spot: _Spot, moment: datetime.datetime) -> dict[str, Any]:
    """Weather of the moment: coldest at three in the morning, warmest at three in the afternoon."""
    hour = moment.hour + moment.minute / 60
    swing = math.cos(2 * math.pi * (hour - 15) / 24)
    temperature = round(min(day.high, max(day.low, day.mean + (day.high - day.low) / 2 * swing)), 1)
    wind = round(day.wind * 0.7, 1)
    feels = round(temperature - wind * 0.1 if temperature < 12 else temperature + max(0.0, day.humidity - 60) * 0.04, 1)
    light = _sky.is_day(spot.latitude, spot.longitude, moment)
    updated = moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
    return {
        "last_updated_epoch": int(updated.timestamp()),
        "last_updated": updated.strftime("%Y-%m-%d %H:%M"),
        **_temperatures("temp", temperature),
        "is_day": int(light),
        "condition": _condition(day, night=not light),
        "wind_mph": _miles(wind),
        "wind_kph": wind,
        "wind_degree": day.wind_degree,
        "wind_dir": _COMPASS[round(day.wind_degree / 22.5) % 16],
        "pressure_mb": float(day.pressure),
        "pressure_in": _inches(day.pressure * 0.75006),
        "precip_mm": round(day.precipitation / 24, 1),
        "precip_in": _inches(day.precipitation / 24),
        "humidity": day.humidity,
        "cloud": round(100 * day.wetness),
        **_temperatures("feelslike", feels),
        "vis_km": day.visibility,
        "vis_miles": _miles(day.visibility),
        "uv": float(round(11 * _sky.noon_height(spot.latitude, moment.date()) * (1 - 0.6 * day.wetness)))
        if light
        else 0.0,
        "gust_mph": _miles(day.wind * 1.2),
        "gust_kph": round(day.wind * 1.2, 1),
    }


def _site_at(latitude: float, longitude: float) -> City | Place | None:
    """The known place or city nearest to a point, if there is one in the area."""
    candidates: tuple[tuple[float, City | Place], ...] = (
        nearest_place(latitude, longitude),
        nearest_city(latitude, longitude),
    )
    distance, site = min(candidates, key=lambda pair: pair[0])
    return site if distance <= _MAX_SITE_KM else None


def _elevation(latitude: float, longitude: float) -> float:
    distance, city = nearest_city(latitude, longitude)
    return city.elevation if distance <= _MAX_ELEVATION_KM else 0.0


def _location(site: City | Place, latitude: float, longitude: float, moment: datetime.datetime) -> dict[str, Any]:
    return {
        "name": site.city if isinstance(site, Place) else site.name,
        "region": region_names().get((site.country, site.region), site.region),
        "country": "United States of America" if site.country == "USA" else site.country,
        "lat": round(latitude, 2),
        "lon": round(longitude, 2),
        "tz_id": site.timezone,
        "localtime_epoch": int(moment.timestamp()),
        "localtime": moment.strftime("%Y-%m-%d %H:%M"),
    }


def forecast(latitude: float, longitude: float, *, days: int, now: float) -> dict[str, Any]:
    """Body of a forecast, dated by the clock of the place.

    Args:
        latitude: Degrees.
        longitude: Degrees.
        days: Number of days, today included; at most `FORECAST_DAYS` are given.
        now: POSIX time in seconds.

    Returns:
        The body, or the provider's error body for a point without any place in the area.
    """
    site = _site_at(latitude, longitude)
    if site is None:
        return {"error": dict(_NO_LOCATION["error"])}
    zone = zoneinfo.ZoneInfo(site.timezone)
    moment = datetime.datetime.fromtimestamp(now, zone)
    # Adding 0.0 turns a negative zero, which has a text form of its own, into zero.
    spot = _Spot(round(latitude, 1) + 0.0, round(longitude, 1) + 0.0, _elevation(latitude, longitude))
    today = moment.date()
    dates = [today + datetime.timedelta(days=offset) for offset in range(min(days, FORECAST_DAYS))]
    return {
        "location": _location(site, latitude, longitude, moment),
        "current": _current(_day(spot, today), spot, moment),
        "forecast": {
            "forecastday": [
                {
                    "date": date.isoformat(),
                    "date_epoch": int(datetime.datetime.combine(date, datetime.time(), datetime.UTC).timestamp()),
                    "day": _day_part(_day(spot, date), spot, date),
                    "astro": _sky.astro(spot.latitude, spot.longitude, date, zone),
                    "hour": [],
                }
                for date in dates
            ]
        },
    }
