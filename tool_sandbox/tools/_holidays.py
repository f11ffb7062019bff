"""Finding a United States holiday by name."""

import datetime
import functools
from typing import NamedTuple

from rapidfuzz import fuzz, utils

MIN_YEAR = 1800
"""First year for which holidays are looked up."""

MAX_YEAR = 2100
"""Last year for which holidays are looked up."""

_MIN_SCORE = 90.0
_MIN_QUERY_LETTERS = 3
_OBSERVED = "(observed)"

_ALIASES = {
    "4th of july": "independence day",
    "fourth of july": "independence day",
    "july 4th": "independence day",
    "july fourth": "independence day",
    "mlk": "martin luther king jr day",
    "mlk day": "martin luther king jr day",
    "presidents day": "washington s birthday",
    "president s day": "washington s birthday",
    "indigenous peoples day": "columbus day",
    "turkey day": "thanksgiving day",
    "xmas": "christmas day",
    "xmas day": "christmas day",
    "easter": "easter sunday",
    "st patrick s day": "saint patrick s day",
    "st patricks day": "saint patrick s day",
}
"""Popular to official names, both without punctuation and in lower case."""

_GENERIC_WORDS = frozenset({"day", "holiday", "national", "the", "us"})


class Holiday(NamedTuple):
    """One name of one day."""

    date: datetime.date
    name: str


@functools.lru_cache(maxsize=64)
def _public_holidays(year: int) -> tuple[Holiday, ...]:
    """Federal holidays by date, days that are taken off instead included, names of one day joined."""
    import holidays

    return tuple(Holiday(date, name) for date, name in sorted(holidays.country_holidays("US", years=year).items()))


@functools.lru_cache(maxsize=64)
def _all_holidays(year: int) -> tuple[Holiday, ...]:
    """Federal holidays first, then days that are celebrated but not taken off; one entry a name."""
    import holidays

    public = [Holiday(day.date, name) for day in _public_holidays(year) for name in day.name.split("; ")]
    unofficial = holidays.country_holidays("US", years=year, categories=("unofficial",))
    others = [Holiday(date, name) for date, names in sorted(unofficial.items()) for name in names.split("; ")]
    return (*public, *(day for day in others if day not in public))


def _plain(name: str) -> str:
    return " ".join(utils.default_process(name).split())


def published_date(query: str, year: int) -> datetime.date | None:
    """The best partial match among federal holidays, the latest date among equals.

    Args:
        query: Name of a holiday.
        year: Calendar year.

    Returns:
        Its date, ``None`` if nothing matches well enough or no holidays are known for the year.

    Raises:
        ValueError: The year is not one of the calendar.
    """
    if not datetime.MINYEAR <= year < datetime.MAXYEAR:
        if year == 0:
            return None
        raise ValueError(f"year must be between {MIN_YEAR} and {MAX_YEAR}, got {year}")
    scored = [
        (fuzz.partial_ratio(query, day.name, processor=utils.default_process), day.date)
        for day in _public_holidays(year)
    ]
    score, date = max(scored, default=(0.0, None))
    return date if score > _MIN_SCORE else None


def strict_date(query: str, year: int) -> datetime.date | None:
    """The holiday that is meant.

    Among names that match well the exact one wins, then the day itself over the day that is taken
    off instead, then the more similar name, then federal holidays, then the earlier date.

    Args:
        query: Official or popular name of a holiday, at least three letters.
        year: Calendar year, `MIN_YEAR` to `MAX_YEAR`.

    Returns:
        Its date, ``None`` if nothing matches well enough.

    Raises:
        ValueError: The year is outside the range.
    """
    if not MIN_YEAR <= year <= MAX_YEAR:
        raise ValueError(f"year must be between {MIN_YEAR} and {MAX_YEAR}, got {year}")
    wanted = _plain(query)
    wanted = _ALIASES.get(wanted, wanted)
    if sum(map(str.isalpha, wanted)) < _MIN_QUERY_LETTERS or _GENERIC_WORDS.issuperset(wanted.split()):
        return None
    best: tuple[tuple[bool, bool, float, int], datetime.date] | None = None
    for position, day in enumerate(_all_holidays(year)):
        name = _plain(day.name)
        if fuzz.partial_ratio(wanted, name) <= _MIN_SCORE:
            continue
        rank = (name == wanted, _OBSERVED not in day.name, fuzz.ratio(wanted, name), -position)
        if best is None or rank > best[0]:
            best = rank, day.date
    return best[1] if best else None
