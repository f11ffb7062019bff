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


# dimension -> unit -> (factor, offset, names, symbols that mean it only where this dimension is expected)
_TABLE: dict[str, dict[str, tuple[float, float, str, str]]] = {
    "temperature": {
        "celsius": (1.0, 273.15, "°c|° c|degrees? (?:celsius|centigrade|c)|celsius|centigrade|degc|deg c", "c"),
        "fahrenheit": (5 / 9, 459.67, "°f|° f|degrees? fahrenheit|fahrenheit|degrees? f|degf|deg f", "f"),
        "kelvin": (1.0, 0.0, "kelvins?|degrees? kelvin|°k|° k|degrees? k", "k"),
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
        "milligram": (1e-6, 0.0, "milligrams?|mg", ""),
        "tonne": (1000.0, 0.0, "tonnes?|metric tons?", "t"),
        "pound": (0.45359237, 0.0, "pounds?|lbs?\\.?", ""),
        "ounce": (0.028349523125, 0.0, "ounces?|oz\\.?", ""),
        "stone": (6.35029318, 0.0, "stones?", "st"),
    },
    "volume": {
        "litre": (1.0, 0.0, "lit(?:er|re)s?|ltrs?", "l"),
        "millilitre": (0.001, 0.0, "millilit(?:er|re)s?|ml|cc", ""),
        "centilitre": (0.01, 0.0, "centilit(?:er|re)s?|cl", ""),
        "decilitre": (0.1, 0.0, "decilit(?:er|re)s?|dl", ""),
        "gallon": (3.785411784, 0.0, "(?:us )?gallons?|gals?\\.?", ""),
        "quart": (0.946352946, 0.0, "(?:us )?quarts?|qts?", ""),
        "pint": (0.473176473, 0.0, "(?:us )?pints?", "pt"),
        "cup": (0.2365882365, 0.0, "(?:us )?cups?", "c"),
        "fluid_ounce": (0.0295735295625, 0.0, "(?:us )?fl(?:uid|\\.)? ?(?:ounces?|oz)\\.?", ""),
        "tablespoon": (0.01478676478125, 0.0, "tablespoons?|tbsps?\\.?", ""),
        "teaspoon": (0.00492892159375, 0.0, "teaspoons?|tsps?\\.?", ""),
    },
    "speed": {
        "metre_per_second": (1.0, 0.0, "met(?:er|re)s? per second|m/s|mps", ""),
        "kilometre_per_hour": (1 / 3.6, 0.0, "kilomet(?:er|re)s? (?:per|an) hour|km ?/ ?h(?:r|our)?|kmh|kph", ""),
        "mile_per_hour": (0.44704, 0.0, "miles? (?:per|an) hour|mi ?/ ?h(?:r|our)?|mph", ""),
        "knot": (1852 / 3600, 0.0, "knots?|kts?|nautical miles? (?:per|an) hour", "kn"),
        "foot_per_second": (0.3048, 0.0, "feet per second|ft/s|fps", ""),
    },
    "time": {
        "second": (1.0, 0.0, "seconds?|secs?\\.?", "s"),
        "millisecond": (0.001, 0.0, "milliseconds?|ms", ""),
        "minute": (60.0, 0.0, "minutes?|mins?\\.?", "m"),
        "hour": (3600.0, 0.0, "hours?|hrs?\\.?", "h"),
        "day": (86400.0, 0.0, "(?:calendar |full |whole )?days?", "d"),
        "week": (604800.0, 0.0, "(?:full )?weeks?|wks?", "w"),
    },
    "percent": {"percent": (1.0, 0.0, "%|percent|per cent|pct", "")},
    "pressure": {
        "hectopascal": (1.0, 0.0, "hpa|hectopascals?|millibars?|mbar|mb", ""),
        "inch_of_mercury": (33.86389, 0.0, "inhg|inches of mercury", ""),
    },
    "angle": {"degree": (1.0, 0.0, "", "°|degrees?")},
}  # fmt: skip

_CURRENCIES = {
    "usd": "usd|us ?\\$|u\\.?s\\.? dollars?|american dollars?|united states dollars?",
    "eur": "eur|€|euros?",
    "gbp": "gbp|£|(?:british )?pounds? sterling|british pounds?|quid",
    "cny": "cny|cn ?¥|rmb|(?:chinese )?yuan|renminbi|元",
    "jpy": "jpy|jp ?¥|(?:japanese )?yen|円",
    "cad": "cad|ca ?\\$|c\\$|canadian dollars?",
    "aud": "aud|au ?\\$|a\\$|australian dollars?",
    "nzd": "nzd|nz ?\\$|new zealand dollars?",
    "hkd": "hkd|hk ?\\$|hong kong dollars?",
    "sgd": "sgd|s\\$|singapore dollars?",
    "mxn": "mxn|mx ?\\$|mexican pesos?",
    "chf": "chf|(?:swiss )?francs?|sfr",
    "inr": "inr|₹|(?:indian )?rupees?",
    "krw": "krw|₩|(?:south )?(?:korean )?won",
    "sek": "sek|swedish kron(?:a|or)",
    "nok": "nok|norwegian kron(?:e|er)",
    "dkk": "dkk|danish kron(?:e|er)",
    "isk": "isk|icelandic kronur?",
    "pln": "pln|zlotys?|zloty",
    "czk": "czk|czech korun(?:a|y)|korunas?",
    "huf": "huf|forints?",
    "try": "(?<=\\d )try|turkish liras?|₺",
    "brl": "brl|r\\$|(?:brazilian )?reais|brazilian reals?",
    "rub": "rub|₽|rubles?|roubles?",
    "zar": "zar|(?:south african )?rands?",
    "ils": "ils|₪|shekels?",
    "thb": "thb|฿|(?:thai )?baht",
    "php": "php|₱|philippine pesos?",
    "idr": "idr|rupiahs?",
    "myr": "myr|ringgits?",
    "vnd": "vnd|₫|dong",
    "aed": "aed|dirhams?",
    "sar": "sar|saudi riyals?|riyals?",
    "bgn": "bgn|(?:bulgarian )?lev(?:a|s)?",
    "ron": "ron|(?:romanian )?lei",
}
_AMBIGUOUS_CURRENCIES = {
    "dollar": (r"\$|dollars?|bucks?", ("usd", "cad", "aud", "nzd", "hkd", "sgd")),
    "peso": ("pesos?", ("mxn", "php")),
    "yen_sign": ("¥", ("jpy", "cny")),
    "krona": ("kr\\.?|kron(?:a|or|e|er|ur)", ("sek", "nok", "dkk", "isk")),
    "pound_currency": ("pounds?", ("gbp",)),
}
_SYNONYM_PAIRS = """
c=celsius, f=fahrenheit, k=kelvin, degc=celsius, degf=fahrenheit, °c=celsius, °f=fahrenheit, m=metre, km=kilometre,
cm=centimetre, mm=millimetre, mi=mile, ft=foot, in=inch, meter=metre, kilometer=kilometre, centimeter=centimetre,
yd=yard, nmi=nautical_mile, nautical mile=nautical_mile, kg=kilogram, g=gram, lb=pound, oz=ounce, l=litre,
liter=litre, ml=millilitre, km/h=kilometre_per_hour, kph=kilometre_per_hour, mph=mile_per_hour, m/s=metre_per_second,
s=second, min=minute, h=hour, d=day, %=percent, hpa=hectopascal, milliliter=millilitre, tbsp=tablespoon, tsp=teaspoon,
fl oz=fluid_ounce, degree=degree, degrees=degree
"""
_SYNONYMS = dict(pair.strip().split("=") for pair in _SYNONYM_PAIRS.split(","))

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
    key = _SYNONYMS.get(key, key)
    for candidate in (key, key.removesuffix("s"), key.replace(" ", "_")):
        if candidate in UNITS:
            return UNITS[candidate]
    if not re.fullmatch(r"[a-z][a-z ._-]*", key):
        raise ScenarioError(f"not a unit: {name!r}")
    return Unit(key, f"count of {key}")


# Where one name starts with another ("km/h", "km"), the longer one must be tried first.
_ORDER = ("speed", "pressure", "temperature", "volume", "length", "mass", "time", "percent", "angle")


@functools.lru_cache(maxsize=64)
def unit_pattern(expected: Unit | None) -> re.Pattern[str]:
    """Matches a unit behind (or, for currencies, before) a number in normalised text; group names are unit names.

    Short symbols such as ``m`` or ``k`` count only in the dimension that is expected.
    """
    dimension = expected.dimension if expected else None
    names: list[tuple[str, str]] = []
    for each in _ORDER:
        for name, (_, _, anywhere, here) in _TABLE[each].items():
            parts = [anywhere] if anywhere else []
            parts += [here] if here and each == dimension else []
            if parts:
                names.append((name, "|".join(parts)))
    names = list(_CURRENCIES.items()) + names
    if dimension in _CURRENCIES:
        for words, codes in _AMBIGUOUS_CURRENCIES.values():
            names.append((f"any_{dimension}" if dimension in codes else f"other_{codes[0]}", words))
    else:
        names += [("dollar", r"\$|dollars?|bucks?"), ("yen_sign", "¥"), ("degrees", "°|degrees?")]
    if dimension == "temperature":
        names = [pair for pair in names if pair[0] != "degrees"] + [("degrees", "°|degrees?|deg")]
    if expected and dimension and dimension.startswith("count of "):
        names.append(("counted", rf"{re.escape(expected.name.removesuffix('s'))}s?"))
    seen: dict[str, int] = {}
    groups = []
    for name, words in names:
        seen[name] = seen.get(name, 0) + 1
        groups.append(f"(?P<{name}{'_' * (seen[name] - 1)}>{words})")
    return re.compile(rf"(?:{'|'.join(groups)})(?![a-z])(?![23]\b)")
