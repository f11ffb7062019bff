"""What the search tools will answer at a moment, for tasks whose goal depends on it."""

from typing import TypeVar

from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.lookups import CurrencyLookup, Lookup, Record, StockLookup, Weather, WeatherLookup
from tool_sandbox.world.errors import ScenarioError

_Answer = TypeVar("_Answer")


def _answer(lookup: Lookup[_Answer | None], now: float) -> _Answer:
    answer = default_service().ask(lookup, now)
    if answer is None:
        raise ScenarioError(f"the search tools know nothing about {lookup}")
    return answer


def foreseen_weather(latitude: float, longitude: float, now: float, days_ahead: int = 0) -> Weather:
    """Weather at a point, so many days after a POSIX time."""
    return _answer(WeatherLookup(latitude, longitude, days_ahead), now)


def foreseen_stock(query: str, now: float) -> Record:
    """Stock of a company, by its name or symbol."""
    return _answer(StockLookup(query), now)


def foreseen_exchange(amount: float, source: str, target: str, now: float) -> float:
    """An amount of money in another currency."""
    return _answer(CurrencyLookup(amount, source, target), now)
