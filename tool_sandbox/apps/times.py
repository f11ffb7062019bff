"""Moments and dates of a world, as the tools of apps take, keep and show them: ISO 8601 in the zone of the device."""

import datetime
import functools
import re
from typing import TypeVar, cast

from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NotGiven

OptionalText = TypeVar("OptionalText", bound=str | NotGiven | None)
"""A text where one was given, else the mark of a parameter that was left out, or nothing."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
FIRST_YEAR, LAST_YEAR = 1970, 2099


def as_moment(seconds: float, zone: datetime.tzinfo | None = None) -> str:
    """A POSIX time as a text, in whole seconds and in the zone of the world, or in a given one."""
    zone = current_device().timezone if zone is None else zone
    # The zone of the machine may change, so what is told in it is not kept.
    return _written.__wrapped__(int(seconds), zone) if zone is None else _written(int(seconds), zone)


@functools.lru_cache(maxsize=16384)
def _written(seconds: int, zone: datetime.tzinfo | None) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).astimezone(zone).isoformat()


def now() -> str:
    """The present moment of the world."""
    return as_moment(current_device().now())


def today() -> str:
    """The present date of the world."""
    return now()[:10]


@functools.lru_cache(maxsize=65536)
def seconds_of(moment: str | None) -> float:
    """POSIX time of a text that a column of moments holds, endlessly late for an empty cell."""
    return float("inf") if moment is None else datetime.datetime.fromisoformat(moment).timestamp()


def checked_moment(value: OptionalText, name: str) -> OptionalText:
    """A moment that a caller gave, as it is kept.

    Args:
        value: ``2025-05-14T10:24`` in the zone of the world, or with an offset; ``None`` and `NOT_GIVEN` pass.
        name: Name of the parameter, for the message.

    Raises:
        ValueError: It is no moment, there is no such time on that day, or it is out of range.
    """
    if not isinstance(value, str):
        return value
    if not _MOMENT.fullmatch(value):
        raise ValueError(f"{name} must be a date and time such as 2025-05-14T10:24, got {value[:40]!r}")
    try:
        given = datetime.datetime.fromisoformat(value)
        _check_year(given.year, name)
        local = given if given.tzinfo else given.replace(tzinfo=current_device().timezone)
        kept = as_moment(local.timestamp())
    except (OverflowError, OSError) as error:
        raise ValueError(f"{name} is out of range: {value!r}") from error
    except ValueError as error:
        raise ValueError(f"{name}: {error}, got {value!r}") from None
    if given.tzinfo is None and datetime.datetime.fromisoformat(kept).replace(tzinfo=None) != given:
        raise ValueError(f"{name}: {value} does not exist, clocks go forward then")
    return cast(OptionalText, kept)


def checked_date(value: OptionalText, name: str) -> OptionalText:
    """A date that a caller gave; ``None`` and `NOT_GIVEN` pass.

    Raises:
        ValueError: It is no date, or out of range.
    """
    if not isinstance(value, str):
        return value
    if not _DATE.fullmatch(value):
        raise ValueError(f"{name} must be a date such as 2025-05-14, got {value[:40]!r}")
    try:
        _check_year(datetime.date.fromisoformat(value).year, name)
    except ValueError as error:
        raise ValueError(f"{name}: {error}, got {value!r}") from None
    return value


def _check_year(year: int, name: str) -> None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"the year must be from {FIRST_YEAR} to {LAST_YEAR}")
