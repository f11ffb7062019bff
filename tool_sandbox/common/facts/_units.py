"""Units of measure as answers write them.

A table and not pint: answers use some fifty units under colloquial names ("miles per hour", "bucks", "°"), a registry
of thousands would have to be taught those names and costs 0.2 s to load. Factors are exact by definition (international
yard and pound, US customary volumes).
"""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.errors import ScenarioError


@attrs.frozen
class Unit:
    """A unit of measure.

    Attributes:
        name: Canonical name.
        dimension: Units of one dimension convert into one another; every currency is a dimension of its own.
        factor: Size in the base unit of the dimension.
        offset: Added to an amount before the factor applies (temperatures).
    """

    name: str
    dimension: str
    factor: float = 1.0
    offset: float = 0.0

    def convert(self, amount: float, target: Unit) -> float:
        """An amount of this unit in another unit of the same dimension."""
        return (amount + self.offset) * self.factor / target.factor - target.offset

    def scale(self, target: Unit) -> float:
        """Size of one step of this unit in another unit, offsets left out."""
        return self.factor / target.factor


# dimension -> unit -> (factor, offset, names, symbols that mean it only where this dimension is expected); where one
# name starts with another ("km/h", "km"), the longer one comes first.
_TABLE: dict[str, dict[str, tuple[float, float, str, str]]] = {
    "speed": {
        "metre_per_second": (1.0, 0.0, "met(?:er|re)s? per second|m/s|mps", ""),
        "kilometre_per_hour": (1 / 3.6, 0.0, "kilomet(?:er|re)s? (?:per|an) hour|km ?/ ?h(?:r|our)?|kmh|kph", ""),
        "mile_per_hour": (0.44704, 0.0, "miles? (?:per|an) hour|mi ?/ ?h(?:r|our)?|mph", ""),
        "knot": (1852 / 3600, 0.0, "knots?|kts?|nautical miles? (?:per|an) hour", "kn"),
    },
    "pressure": {
        "hectopascal": (1.0, 0.0, "hpa|hectopascals?|millibars?|mbar|mb", ""),
        "inch_of_mercury": (33.86389, 0.0, "inhg|inches of mercury", ""),
    },
    "temperature": {
        "celsius": (1.0, 273.15, "°c|° c|degrees? (?:celsius|centigrade|c)|celsius|centigrade|degc|deg c", "c"),
        "fahrenheit": (5 / 9, 459.67, "°f|° f|degrees? fahrenheit|fahrenheit|degrees? f|degf|deg f", "f"),
        "kelvin": (1.0, 0.0, "kelvins?|degrees? kelvin|°k|° k|degrees? k", "k"),
    },
    "volume": {
        "litre": (1.0, 0.0, "lit(?:er|re)s?|ltrs?", "l"),
        "millilitre": (0.001, 0.0, "millilit(?:er|re)s?|ml|cc", ""),
        "gallon": (3.785411784, 0.0, "(?:us )?gallons?|gals?\\.?", ""),
        "quart": (0.946352946, 0.0, "(?:us )?quarts?|qts?", ""),
        "pint": (0.473176473, 0.0, "(?:us )?pints?", "pt"),
        "cup": (0.2365882365, 0.0, "(?:us )?cups?", "c"),
        "fluid_ounce": (0.0295735295625, 0.0, "(?:us )?fl(?:uid|\\.)? ?(?:ounces?|oz)\\.?", ""),
        "tablespoon": (0.01478676478125, 0.0, "tablespoons?|tbsps?\\.?", ""),
        "teaspoon": (0.00492892159375, 0.0, "teaspoons?|tsps?\\.?", ""),
    },
    "length": {
        "metre": (1.0, 0.0, "met(?:er|re)s?", "m"),
        "kilometre": (1000.0, 0.0, "kilomet(?:er|re)s?|kms?|klicks?", ""),
        "centimetre": (0.01, 0.0, "centimet(?:er|re)s?|cms?", ""),
        "millimetre": (0.001, 0.0, "millimet(?:er|re)s?|mm", ""),
        "mile": (1609.344, 0.0, "(?:statute )?miles?|mi", ""),
        "nautical_mile": (1852.0, 0.0, "nautical miles?|nmi|nm", ""),
        "yard": (0.9144, 0.0, "yards?|yds?", ""),
        "foot": (0.3048, 0.0, "feet|foot|ft\\.?", "'"),
        "inch": (0.0254, 0.0, "inch(?:es)?", "in|\""),
    },
    "mass": {
        "kilogram": (1.0, 0.0, "kilogram(?:me)?s?|kilos?|kgs?", ""),
        "gram": (0.001, 0.0, "gram(?:me)?s?", "gr?"),
        "tonne": (1000.0, 0.0, "tonnes?|metric tons?", "t"),
        "pound": (0.45359237, 0.0, "pounds?|lbs?\\.?", ""),
        "ounce": (0.028349523125, 0.0, "ounces?|oz\\.?", ""),
        "stone": (6.35029318, 0.0, "stones?", "st"),
    },
    "time": {
        "second": (1.0, 0.0, "seconds?|secs?\\.?", "s"),
        "minute": (60.0, 0.0, "minutes?|mins?\\.?", "m"),
        "hour": (3600.0, 0.0, "hours?|hrs?\\.?", "h"),
        "day": (86400.0, 0.0, "(?:calendar |full |whole )?days?", "d"),
        "week": (604800.0, 0.0, "(?:full )?weeks?|wks?", "w"),
    },
    "percent": {"percent": (1.0, 0.0, "%|percent|per cent|pct", "")},
    "angle": {"degree": (1.0, 0.0, "", "°|degrees?")},
}  # fmt: skip

_CODES = """
usd eur gbp cny jpy cad aud nzd hkd sgd mxn chf inr krw sek nok dkk isk pln czk huf brl rub zar ils thb php idr myr vnd
aed sar bgn ron
"""
_CURRENCIES = {code: code for code in _CODES.split()} | {
    "usd": r"usd|us ?\$|(?:u\.?s\.?|american|united states) dollars?",
    "eur": "eur|€|euros?",
    "gbp": "gbp|£|(?:british )?pounds? sterling|british pounds?|quid",
    "cny": "cny|cn ?¥|rmb|(?:chinese )?yuan|renminbi|元",
    "jpy": "jpy|jp ?¥|(?:japanese )?yen|円",
    "cad": r"cad|ca ?\$|c\$|canadian dollars?",
    "aud": r"aud|au ?\$|a\$|australian dollars?",
    "nzd": r"nzd|nz ?\$|new zealand dollars?",
    "hkd": r"hkd|hk ?\$|hong kong dollars?",
    "sgd": r"sgd|s\$|singapore dollars?",
    "mxn": r"mxn|mx ?\$|mexican pesos?",
    "chf": "chf|(?:swiss )?francs?|sfr",
    "inr": "inr|₹|(?:indian )?rupees?",
    "krw": "krw|₩|(?:south )?(?:korean )?won",
}
# Names of several currencies: one of them where it is expected.
_SHARED = {
    "dollar": (r"\$|dollars?|bucks?", "usd cad aud nzd hkd sgd"),
    "peso": ("pesos?", "mxn php"),
    "yen_sign": ("¥", "jpy cny"),
    "krona": (r"kr\.?|kron(?:a|or|e|er|ur)", "sek nok dkk isk"),
    "sterling": ("pounds?", "gbp"),
}
CURRENCY_SIGN = rf"(?:us|ca|au|nz|hk|mx) ?\$|(?<!')[cars]\$|[$€£¥₹₩]|{'|'.join(_CURRENCIES)}|rmb"
"""Matches what may stand in front of an amount of money."""

UNITS: dict[str, Unit] = {
    name: Unit(name, dimension, factor, offset)
    for dimension, units in _TABLE.items()
    for name, (factor, offset, _, _) in units.items()
} | {code: Unit(code, code) for code in _CURRENCIES}
DEGREES = Unit("degrees", "degrees")


def unit(name: str) -> Unit:
    """A unit by its name, symbol or plural, or a currency by its code.

    Any other word counts things ("contacts").

    Raises:
        ScenarioError: Not a word.
    """
    if not isinstance(name, str):
        raise ScenarioError(f"a unit is a word such as 'km'; got {name!r}")
    key = name.strip().lower()
    if key in UNITS:
        return UNITS[key]
    for units in _TABLE.values():
        for known, (_, _, names, symbols) in units.items():
            if key and re.fullmatch(f"{names}|{symbols}", key):
                return UNITS[known]
    if not re.fullmatch(r"[a-z][a-z ._-]*", key):
        raise ScenarioError(f"not a unit: {name!r}")
    return Unit(key, f"count of {key}")


@functools.lru_cache(maxsize=64)
def unit_pattern(expected: Unit | None) -> re.Pattern[str]:
    """Matches a unit behind (or, for currencies, before) a number in normalised text; group names are unit names.

    Short symbols such as ``m`` or ``k`` count only in the dimension that is expected. The group ``any`` is whatever
    means the expected unit here and may mean another one elsewhere.
    """
    dimension = expected.dimension if expected else ""
    names = dict(_CURRENCIES)
    for shared, (words, codes) in _SHARED.items():
        if dimension in codes.split():
            names["any"] = words
        elif shared != "sterling":
            names[shared] = words
    for each, units in _TABLE.items():
        for name, (_, _, anywhere, here) in units.items():
            names[name] = "|".join(filter(None, (anywhere, here if each == dimension else "")))
    if expected and dimension.startswith("count of "):
        names["any"] = rf"{re.escape(expected.name.removesuffix('s'))}s?"
    names["degrees"] = "°|degrees?|deg"
    groups = "|".join(f"(?P<{name}>{words})" for name, words in names.items() if words)
    return re.compile(rf"(?:{groups})(?![a-z])(?![23]\b)")


def unit_of(match: re.Match[str], expected: Unit | None) -> Unit:
    """The unit that a match of the pattern is."""
    name = match.lastgroup or ""
    if expected and name == "any":
        return expected
    return DEGREES if name == "degrees" else UNITS.get(name) or Unit(name, name)
