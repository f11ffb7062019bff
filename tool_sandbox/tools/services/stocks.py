"""Offline stock quotes: real companies, generated prices of the last trading day."""

import datetime
import functools
import math
import zoneinfo
from typing import Any

import attrs
from rapidfuzz import fuzz, utils

from tool_sandbox.tools.services._noise import drift
from tool_sandbox.tools.services.gazetteer import read_table

_GENERIC_WORDS = frozenset(
    [
        *("ag", "asa", "class", "co", "company", "corp", "corporation", "group", "holding", "holdings", "inc"),
        *("incorporated", "limited", "ltd", "nv", "of", "plc", "price", "quote", "s", "sa", "se", "share", "shares"),
        *("stock", "stocks", "the", "ticker"),
    ]
)
_MIN_RATIO = 85.0
_WHOLE_UNIT_CURRENCIES = frozenset({"JPY", "KRW"})
_FRIDAY = 4


@attrs.frozen
class _Exchange:
    """Where stocks are traded: country, time zone and hours of trade on a weekday."""

    country_code: str
    timezone: str
    opens: datetime.time
    closes: datetime.time


def _exchange(country_code: str, timezone: str, opens: str, closes: str) -> _Exchange:
    return _Exchange(country_code, timezone, datetime.time.fromisoformat(opens), datetime.time.fromisoformat(closes))


_EXCHANGES = {
    "NASDAQ": _exchange("us", "America/New_York", "09:30", "16:00"),
    "NYSE": _exchange("us", "America/New_York", "09:30", "16:00"),
    "TSE": _exchange("ca", "America/Toronto", "09:30", "16:00"),
    "LON": _exchange("gb", "Europe/London", "08:00", "16:30"),
    "EPA": _exchange("fr", "Europe/Paris", "09:00", "17:30"),
    "ETR": _exchange("de", "Europe/Berlin", "09:00", "17:30"),
    "AMS": _exchange("nl", "Europe/Amsterdam", "09:00", "17:30"),
    "SWX": _exchange("ch", "Europe/Zurich", "09:00", "17:30"),
    "CPH": _exchange("dk", "Europe/Copenhagen", "09:00", "17:00"),
    "TYO": _exchange("jp", "Asia/Tokyo", "09:00", "15:00"),
    "KRX": _exchange("kr", "Asia/Seoul", "09:00", "15:30"),
    "HKG": _exchange("hk", "Asia/Hong_Kong", "09:30", "16:00"),
    "SHA": _exchange("cn", "Asia/Shanghai", "09:30", "15:00"),
    "NSE": _exchange("in", "Asia/Kolkata", "09:15", "15:30"),
    "ASX": _exchange("au", "Australia/Sydney", "10:00", "16:00"),
    "BVMF": _exchange("br", "America/Sao_Paulo", "10:00", "17:00"),
}


@attrs.frozen
class _Stock:
    symbol: str
    exchange: str
    name: str
    price: float
    currency: str
    names: tuple[str, ...]


def _telling_words(text: str) -> str:
    """A name without what all names of companies have in common."""
    words = utils.default_process(text.replace("'", "")).split()
    return " ".join(word for word in words if word not in _GENERIC_WORDS)


@functools.cache
def _stocks() -> tuple[_Stock, ...]:
    stocks = []
    for row in read_table("stocks.csv"):
        names = [row["name"], *filter(None, row["aliases"].split(";"))]
        telling = tuple(map(_telling_words, names))
        stocks.append(
            _Stock(row["symbol"], row["exchange"], row["name"], float(row["price"]), row["currency"], telling)
        )
    return tuple(stocks)


def _score(query: str, name: str) -> float:
    """Similarity of two names, 0-100; words of a longer name count as the name."""
    ratio = fuzz.ratio(query, name)
    return max(ratio, _MIN_RATIO) if set(query.split()) <= set(name.split()) else ratio


def _find(query: str) -> _Stock | None:
    symbol = query.strip().upper().partition(":")[0]
    for stock in _stocks():
        if stock.symbol == symbol:
            return stock
    wanted = _telling_words(query)
    if len(wanted) < 2:
        return None
    scored = [(max(_score(wanted, name) for name in stock.names), stock) for stock in _stocks()]
    score, stock = max(scored, key=lambda pair: pair[0])
    return stock if score >= _MIN_RATIO else None


def _price(stock: _Stock, day: datetime.date) -> float:
    """Price of a day: the listed one, moved by a few months', a few weeks' and a few days' drift."""
    time, key = day.toordinal(), f"{stock.symbol}:{stock.exchange}"
    move = 0.2 * drift(time, 120, "stock", key) + 0.05 * drift(time, 12, "stock", key) + 0.03 * drift(time, 1, key)
    return round(stock.price * math.exp(move), 0 if stock.currency in _WHOLE_UNIT_CURRENCIES else 2)


def _weekday_before(day: datetime.date) -> datetime.date:
    day -= datetime.timedelta(days=1)
    return day - datetime.timedelta(days=max(0, day.weekday() - _FRIDAY))


def _last_trading_day(moment: datetime.datetime, exchange: _Exchange) -> datetime.date:
    """The newest weekday on which trade had begun; holidays of exchanges are not known here."""
    day = moment.date()
    return day if day.weekday() <= _FRIDAY and moment.time() >= exchange.opens else _weekday_before(day)


def _quote(stock: _Stock, now: float) -> dict[str, Any]:
    exchange = _EXCHANGES[stock.exchange]
    zone = zoneinfo.ZoneInfo(exchange.timezone)
    moment = datetime.datetime.fromtimestamp(now, zone)
    day = _last_trading_day(moment, exchange)
    opens = datetime.datetime.combine(day, exchange.opens, zone)
    closes = datetime.datetime.combine(day, exchange.closes, zone)
    price, previous = _price(stock, day), _price(stock, _weekday_before(day))
    offset = moment.utcoffset()
    return {
        "symbol": f"{stock.symbol}:{stock.exchange}",
        "name": stock.name,
        "type": "stock",
        "price": price,
        "change": round(price - previous, 2),
        "change_percent": round((price - previous) / previous * 100, 4),
        "previous_close": previous,
        "last_update_utc": min(moment, closes).astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S"),
        "currency": stock.currency,
        "exchange": stock.exchange,
        "exchange_open": opens.strftime("%Y-%m-%d %H:%M:%S"),
        "exchange_close": closes.strftime("%Y-%m-%d %H:%M:%S"),
        "timezone": exchange.timezone,
        "utc_offset_sec": int(offset.total_seconds()) if offset is not None else 0,
        "country_code": exchange.country_code,
    }


def search(query: str, *, now: float) -> dict[str, Any]:
    """Body of a search for a stock by symbol or name.

    Args:
        query: Symbol, or name of a company, possibly misspelt or with words such as "stock".
        now: POSIX time in seconds.

    Returns:
        The body, at most one quote under ``data.stock``.
    """
    stock = _find(query)
    return {"status": "OK", "data": {"type": "stock", "stock": [] if stock is None else [_quote(stock, now)]}}
