"""Units of measure as answers write them.

A table and not pint, which would have to be taught the colloquial names and takes 0.2 s to load. Factors are exact by
definition (international yard and pound, US customary volumes).
"""

import functools
import re

import attrs

from tool_sandbox.world.errors import ScenarioError


@attrs.frozen
class Unit:
    """A unit of measure; every currency is a dimension of its own.

    ``words`` match its names, and ``here`` those that mean it only where its dimension is expected. An amount plus
    ``offset`` (of temperatures), times ``factor``, is the amount in the base unit of the dimension.
    """

    name: str
    dimension: str
    factor: float = 1.0
    words: str = attrs.field(default="", eq=False)
    here: str = attrs.field(default="", eq=False)
    offset: float = 0.0

    def convert(self, amount: float, target: "Unit") -> float:
        """An amount of this unit in another unit of the same dimension."""
        return (amount + self.offset) * self.factor / target.factor - target.offset

    def scale(self, target: "Unit") -> float:
        """Size of one step of this unit in another unit, offsets left out."""
        return self.factor / target.factor


# Where one name starts with another ("km/h", "km"), the longer one comes first.
_MEASURES = (
    Unit("metre_per_second", "speed", 1, "met(?:er|re)s? per second|m/s|mps"),
    Unit("kilometre_per_hour", "speed", 1 / 3.6, "kilomet(?:er|re)s? (?:per|an) hour|km ?/ ?h(?:r|our)?|kmh|kph"),
    Unit("mile_per_hour", "speed", 0.44704, "miles? (?:per|an) hour|mi ?/ ?h(?:r|our)?|mph"),
    Unit("knot", "speed", 1852 / 3600, "knots?|kts?|nautical miles? (?:per|an) hour", "kn"),
    Unit("hectopascal", "pressure", 1, "hpa|hectopascals?|millibars?|mbar|mb"),
    Unit("inch_of_mercury", "pressure", 33.86389, "inhg|inches of mercury"),
    Unit("celsius", "temperature", 1, "(?:°|deg|degrees?) ?(?:celsius|centigrade|c)|celsius|centigrade", "c", 273.15),
    Unit("fahrenheit", "temperature", 5 / 9, "(?:°|deg|degrees?) ?(?:fahrenheit|f)|fahrenheit", "f", 459.67),
    Unit("kelvin", "temperature", 1, "(?:°|deg|degrees?) ?(?:kelvin|k)|kelvins?", "k"),
    Unit("litre", "volume", 1, "lit(?:er|re)s?|ltrs?", "l"),
    Unit("millilitre", "volume", 0.001, "millilit(?:er|re)s?|ml|cc"),
    Unit("gallon", "volume", 3.785411784, r"(?:us )?gallons?|gals?\.?"),
    Unit("quart", "volume", 0.946352946, "(?:us )?quarts?|qts?"),
    Unit("pint", "volume", 0.473176473, "(?:us )?pints?", "pt"),
    Unit("cup", "volume", 0.2365882365, "(?:us )?cups?", "c"),
    Unit("fluid_ounce", "volume", 0.0295735295625, r"(?:us )?fl(?:uid|\.)? ?(?:ounces?|oz)\.?"),
    Unit("tablespoon", "volume", 0.01478676478125, r"tablespoons?|tbsps?\.?"),
    Unit("teaspoon", "volume", 0.00492892159375, r"teaspoons?|tsps?\.?"),
    Unit("metre", "length", 1, "met(?:er|re)s?", "m"),
    Unit("kilometre", "length", 1000, "kilomet(?:er|re)s?|kms?|klicks?"),
    Unit("centimetre", "length", 0.01, "centimet(?:er|re)s?|cms?"),
    Unit("millimetre", "length", 0.001, "millimet(?:er|re)s?|mm"),
    Unit("mile", "length", 1609.344, "(?:statute )?miles?|mi"),
    Unit("nautical_mile", "length", 1852, "nautical miles?|nmi|nm"),
    Unit("yard", "length", 0.9144, "yards?|yds?"),
    Unit("foot", "length", 0.3048, r"feet|foot|ft\.?", "'"),
    Unit("inch", "length", 0.0254, "inch(?:es)?", 'in|"'),
    Unit("kilogram", "mass", 1, "kilogram(?:me)?s?|kilos?|kgs?"),
    Unit("gram", "mass", 0.001, "gram(?:me)?s?", "gr?"),
    Unit("tonne", "mass", 1000, "tonnes?|metric tons?", "t"),
    Unit("pound", "mass", 0.45359237, r"pounds?|lbs?\.?"),
    Unit("ounce", "mass", 0.028349523125, r"ounces?|oz\.?"),
    Unit("stone", "mass", 6.35029318, "stones?", "st"),
    Unit("second", "time", 1, r"seconds?|secs?\.?", "s"),
    Unit("minute", "time", 60, r"minutes?|mins?\.?", "m"),
    Unit("hour", "time", 3600, r"hours?|hrs?\.?", "h"),
    Unit("day", "time", 86400, "(?:calendar )?days?", "d"),
    Unit("week", "time", 604800, "weeks?|wks?", "w"),
    Unit("percent", "percent", 1, "%|percent|per cent|pct"),
    Unit("degree", "angle", 1, "", "°|degrees?"),
)
_DOLLARS = {"cad": "canadian", "aud": "australian", "nzd": "new zealand", "hkd": "hong kong", "sgd": "singapore"}
_CODES = "dkk isk pln czk huf rub zar ils thb php idr myr vnd aed sar bgn ron sek nok"
_CURRENCIES = {
    **{code: code for code in _CODES.split()},
    **{code: rf"{code}|{code[:2]} ?\$|{code[0]}\$|{name} dollars?" for code, name in _DOLLARS.items()},
    "usd": r"usd|us ?\$|(?:u\.?s\.?|american|united states) dollars?",
    "eur": "eur|€|euros?",
    "gbp": "gbp|£|(?:british )?pounds? sterling|british pounds?|quid",
    "cny": "cny|cn ?¥|rmb|(?:chinese )?yuan|renminbi|元",
    "jpy": "jpy|jp ?¥|(?:japanese )?yen|円",
    "mxn": r"mxn|mx ?\$|mexican pesos?",
    "chf": "chf|(?:swiss )?francs?|sfr",
    "brl": r"brl|r\$|(?:brazilian )?rea(?:l|is)",
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
    "degrees": ("°|degrees?|deg", ""),
}
CURRENCY_SIGN = rf"(?:us|ca|au|nz|hk|mx) ?\$|(?<!')[cars]\$|[$€£¥₹₩]|{'|'.join(_CURRENCIES)}|rmb"
"""Matches what may stand in front of an amount of money."""

UNITS: dict[str, Unit] = {
    code: Unit(code, code, 1, words, "|".join(shared for shared, codes in _SHARED.values() if code in codes))
    for code, words in _CURRENCIES.items()
} | {each.name: each for each in _MEASURES}
DEGREES = Unit("degrees", "degrees")


def unit(name: str) -> Unit:
    """A unit by its name, symbol or plural, or a currency by its code; any other word counts things ("contacts")."""
    key = name.strip().lower() if isinstance(name, str) else ""
    known = (each for each in _MEASURES if key and re.fullmatch(f"{each.words}|{each.here}", key))
    if found := UNITS.get(key) or next(known, None):
        return found
    if not re.fullmatch(r"[a-z][a-z ._-]*", key):
        raise ScenarioError(f"a unit is a word such as 'km'; got {name!r}")
    return Unit(key, f"count of {key}", 1, f"{re.escape(key.removesuffix('s'))}s?")


@functools.lru_cache(maxsize=64)
def unit_pattern(expected: Unit | None) -> re.Pattern[str]:
    """Matches a unit behind (or, for currencies, before) a number in normalised text; group names are unit names.

    Short symbols such as ``m`` count only in the expected dimension; the group ``counted`` is a unit of things.
    """
    dimension = expected.dimension if expected else ""
    names = {each.name: (each.words, each.here if each.dimension == dimension else "") for each in UNITS.values()}
    if expected and dimension.startswith("count of "):
        names["counted"] = expected.words, ""
    names |= {name: (words, "") for name, (words, _) in _SHARED.items()}
    groups = "|".join(f"(?P<{name}>{'|'.join(filter(None, words))})" for name, words in names.items() if any(words))
    return re.compile(rf"(?:{groups})(?![a-z])(?![23]\b)")


def unit_of(match: re.Match[str], expected: Unit | None) -> Unit:
    """The unit that a match of the pattern is."""
    name = match.lastgroup or ""
    return expected if expected and name == "counted" else UNITS.get(name) or Unit(name, name)
