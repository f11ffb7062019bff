"""Offline exchange rates: a table of round figures that drifts slowly with the date."""

import functools
import math
from typing import Any

from tool_sandbox.tools.services._noise import drift
from tool_sandbox.tools.services.gazetteer import read_table

_SECONDS_PER_DAY = 86_400
_SLOW_SWING, _SLOW_DAYS = 0.04, 180.0
_FAST_SWING, _FAST_DAYS = 0.006, 5.0


@functools.cache
def _table() -> dict[str, tuple[float, float, str]]:
    """Code to units for one US dollar, swing, and the currency it is pegged to."""
    return {
        row["code"]: (float(row["per_usd"]), float(row["swing"]), row["pegged_to"]) for row in read_table("rates.csv")
    }


def per_usd(code: str, day: int) -> float:
    """Units of a currency for one US dollar.

    Args:
        code: ISO 4217 code.
        day: Days since 1970 in UTC.

    Returns:
        A positive rate.

    Raises:
        KeyError: There is no rate for this code.
    """
    base, swing, anchor = _table()[code]
    if anchor:
        return base * per_usd(anchor, day) / _table()[anchor][0]
    move = _SLOW_SWING * drift(day, _SLOW_DAYS, "rate", code) + _FAST_SWING * drift(
        day, _FAST_DAYS, "rate", code, "fast"
    )
    return base * math.exp(swing * move)


def convert(amount: float, from_code: str, to_code: str, *, now: float) -> dict[str, Any]:
    """Body of a conversion at the rate of the day, free of arbitrage because all rates go through the dollar.

    Args:
        amount: Amount in the first currency.
        from_code: ISO 4217 code.
        to_code: ISO 4217 code.
        now: POSIX time in seconds.

    Returns:
        The body, the amount under ``result`` unless there is no rate.
    """
    day = math.floor(now / _SECONDS_PER_DAY)
    try:
        rate = per_usd(to_code, day) / per_usd(from_code, day)
    except KeyError as error:
        return {"success": False, "validationMessage": [f"unknown currency {error.args[0]}"]}
    result = {"from": from_code, "to": to_code, "amountToConvert": amount, "convertedAmount": amount * rate}
    return {"success": True, "validationMessage": [], "result": result}
