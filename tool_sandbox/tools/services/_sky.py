"""Sun and moon: rising, setting and phases, to the few minutes that a weather report needs."""

import datetime
import math
from typing import Any

_SYNODIC_MONTH = 29.530588853
_NEW_MOON_ORDINAL = 730_125.76
"""Instant of the new moon of 2000-01-06 18:14 UTC as a proleptic ordinal."""

_SUNRISE_ALTITUDE = math.radians(-0.833)
"""Altitude of the sun's centre at sunrise: refraction and half its diameter."""

_PHASES = (
    "New Moon",
    "Waxing Crescent",
    "First Quarter",
    "Waxing Gibbous",
    "Full Moon",
    "Waning Gibbous",
    "Last Quarter",
    "Waning Crescent",
)


def _declination(date: datetime.date) -> float:
    """Declination of the sun in radians (Cooper 1969)."""
    return math.radians(23.44) * math.sin(2 * math.pi * (284 + date.timetuple().tm_yday) / 365)


def noon_height(latitude: float, date: datetime.date) -> float:
    """Sine of the sun's altitude at noon, 0 if it stays below the horizon."""
    return max(0.0, math.cos(math.radians(latitude) - _declination(date)))


def _half_day_hours(latitude: float, date: datetime.date) -> float:
    """Hours from sunrise to noon: 0 in polar night, 12 at midnight sun."""
    phi, delta = math.radians(latitude), _declination(date)
    cosine = (math.sin(_SUNRISE_ALTITUDE) - math.sin(phi) * math.sin(delta)) / max(
        1e-9, math.cos(phi) * math.cos(delta)
    )
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) / 15


def _solar_noon(longitude: float, date: datetime.date) -> datetime.datetime:
    """Instant of the sun's highest point, with the equation of time."""
    angle = 2 * math.pi * (date.timetuple().tm_yday - 81) / 364
    equation = 9.87 * math.sin(2 * angle) - 7.53 * math.cos(angle) - 1.5 * math.sin(angle)
    midnight = datetime.datetime.combine(date, datetime.time(), datetime.UTC)
    return midnight + datetime.timedelta(hours=12 - longitude / 15, minutes=-equation)


def is_day(latitude: float, longitude: float, moment: datetime.datetime) -> bool:
    """Whether the sun is up.

    Args:
        latitude: Degrees.
        longitude: Degrees.
        moment: An aware datetime on the clock of the place.

    Returns:
        True between sunrise and sunset.
    """
    half = datetime.timedelta(hours=_half_day_hours(latitude, moment.date()))
    return abs(moment - _solar_noon(longitude, moment.date())) <= half


def astro(latitude: float, longitude: float, date: datetime.date, zone: datetime.tzinfo) -> dict[str, Any]:
    """The provider's block on sun and moon for a date.

    The moon is taken to rise later than the sun by its share of the synodic month.

    Args:
        latitude: Degrees.
        longitude: Degrees.
        date: Date on the clock of the place.
        zone: Time zone of the place.

    Returns:
        Times as ``07:05 AM``, phase and illumination in percent.
    """
    noon, half = _solar_noon(longitude, date), _half_day_hours(latitude, date)
    age = (date.toordinal() + 0.5 - _NEW_MOON_ORDINAL) % _SYNODIC_MONTH / _SYNODIC_MONTH

    def clock(hours_from_noon: float) -> str:
        return (noon + datetime.timedelta(hours=hours_from_noon)).astimezone(zone).strftime("%I:%M %p")

    return {
        "sunrise": clock(-half) if 0 < half < 12 else "No sunrise",
        "sunset": clock(half) if 0 < half < 12 else "No sunset",
        "moonrise": clock(-6 + 24 * age),
        "moonset": clock(6 + 24 * age),
        "moon_phase": _PHASES[round(8 * age) % 8],
        "moon_illumination": round(50 * (1 - math.cos(2 * math.pi * age))),
    }
