"""Amounts of money: whole numbers of minor units, so that nothing is ever rounded."""

from tool_sandbox.world.validators import CURRENCY_CODES

_DECIMALS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
}
"""Digits after the point, where these are not two (ISO 4217)."""


def decimals(currency: str) -> int:
    """Digits after the point of amounts in a currency of ISO 4217."""
    return next((digits for digits, codes in _DECIMALS.items() if currency in codes.split()), 2)


def as_money(amount: int, currency: str) -> str:
    """An amount in minor units as people write it: ``1234`` and ``"USD"`` give ``"12.34 USD"``."""
    places = decimals(currency)
    digits = str(abs(amount)).rjust(places + 1, "0")
    units = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"{'-' if amount < 0 else ''}{units} {currency}"


def checked_currency(code: str, name: str = "currency") -> str:
    """A currency code in capitals.

    Raises:
        ValueError: It is unknown.
    """
    known = code.strip().upper()
    if known not in CURRENCY_CODES:
        raise ValueError(f"{name} must be a three-letter code such as USD, got {code[:20]!r}")
    return known
