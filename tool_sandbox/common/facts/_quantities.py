"""Numbers with units: "20 °C", "$4.50", "5 ft 11 in", "2 hours and 5 minutes", "12-13 km"."""

from __future__ import annotations

import functools
import re

import attrs

from tool_sandbox.common.facts._numerals import Numeral, numerals
from tool_sandbox.common.facts._spans import joined
from tool_sandbox.common.facts._units import CURRENCY_SIGN, UNITS, Unit, unit_of, unit_pattern

_PREFIX = re.compile(rf"(?<![a-z])(?P<symbol>{CURRENCY_SIGN})[ ]?[-~]?$")
_GAP = re.compile(r"[ -]?(?:full |whole )?")
_AND_A_HALF = re.compile(r" and a half\b")
_NO_INCH = re.compile(r" (?:the|a|an|my|your|[a-z]+ (?:is|was))\b|\s?\d")
_RANGE = re.compile(r"\s?(?P<word>-|to|and)\s?")
_BETWEEN = re.compile(r"\b(?:between|from) $")
_JOINT = re.compile(r"\s?,?\s?(?:and|&)?\s?(?:about |around |roughly |nearly |almost )?")
_COMPOUND = {"time", "length", "mass"}
_IMPLIED = {"foot": "inch", "hour": "minute"}
_HUNDREDTHS = frozenset(("cent", "cents", "pence"))
_FOLLOWER = re.compile(r"[ -]?([a-z']+)")


@attrs.frozen
class Quantity:
    """An amount in a text.

    Attributes:
        start: Offset of its first character, a currency sign in front of it included.
        end: Offset behind its unit.
        value: The amount in ``unit``.
        step: Value of one in the last written place, in ``unit``.
        unit: Unit of measure; ``None`` without one.
        leading: Amount of the first part alone when several were joined ("38 days and 4 hours"), else ``None``.
        follower: The word behind a number without a unit, as in "3 places"; empty if nothing follows.
        upper: Upper end of a range.
    """

    start: int
    end: int
    value: float
    step: float
    unit: Unit | None
    leading: tuple[float, Unit] | None = None
    follower: str = ""
    upper: float | None = None


def quantities(text: str, expected: Unit | None = None) -> list[Quantity]:
    """All amounts of a normalised text in order.

    Args:
        text: Normalised text.
        expected: The unit that is looked for; it decides what short symbols ("m", "k", "$") mean.
    """
    dimension = expected.dimension if expected else ""
    suffixes = frozenset("k" if dimension != "temperature" else "") | (
        frozenset(("m", "mn", "b", "bn")) if dimension in UNITS or not expected else frozenset()
    )
    found = [amount for numeral in numerals(text, suffixes) if (amount := _with_unit(text, numeral, expected))]
    for join in (_compound, _with_cents, _range):
        found = joined(found, functools.partial(join, text))
    return found


def _with_unit(text: str, numeral: Numeral, expected: Unit | None) -> Quantity | None:
    start, end, value, step = numeral.start, numeral.end, numeral.value, numeral.step
    pattern = unit_pattern(expected)
    prefix = _PREFIX.search(text, max(0, start - 6), start)
    start = prefix.start() if prefix else start
    gap = _GAP.match(text, end)
    match = (gap and pattern.match(text, gap.end())) or pattern.match(text, end)
    if match and not (match.group() == "in" and _NO_INCH.match(text, match.end())):
        unit = unit_of(match, expected)
        # "A Celsius reading" tells no temperature; "a degree" does.
        if numeral.is_article and unit.dimension == "temperature" and not match.group().startswith("degree"):
            return None
        half = _AND_A_HALF.match(text, match.end())
        value, step, end = (value + 0.5, 0.1, half.end()) if half else (value, step, match.end())
        return Quantity(start, end, value, step, unit)
    if numeral.is_article:
        return None
    if prefix:
        sign = pattern.match(prefix["symbol"])
        return Quantity(start, end, value, step, unit_of(sign, expected) if sign else Unit("money", "money"))
    follower = _FOLLOWER.match(text, end)
    return Quantity(start, end, value, step, None, follower=follower[1] if follower else "")


def _compound(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """An amount with its parts, as in "5 ft 11 in"; the smaller unit may go without saying: "5'11", "2h30"."""
    unit = amount.unit or (last.unit and UNITS.get(_IMPLIED.get(last.unit.name, "")))
    joint = _JOINT.fullmatch(text, last.end, amount.start)
    if not last.unit or not unit or not joint or (joint.group().strip() and not amount.unit):
        return None
    # In "2 h 5 min 3 s" the seconds are parts of a minute.
    whole = last.step * last.unit.factor if last.leading else last.unit.factor
    if unit.dimension != last.unit.dimension or unit.dimension not in _COMPOUND or unit.factor >= whole:
        return None
    if not 0 <= amount.value * unit.factor < whole + 1e-9:
        return None
    scale, leading = unit.scale(last.unit), last.leading or (last.value, last.unit)
    value = last.value + amount.value * scale
    return Quantity(last.start, amount.end, value, amount.step * scale, last.unit, leading)


def _with_cents(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """An amount of money with its hundredths, as in 48 dollars and 75 cents."""
    is_near = 0 <= amount.start - last.end <= len(" and ")
    if not (is_near and last.unit and amount.follower in _HUNDREDTHS and 0 <= amount.value < 100):
        return None
    return attrs.evolve(last, end=amount.end, value=last.value + amount.value / 100, step=0.01)


def _range(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """A range, as in "12-13 km"."""
    is_unit_the_same = not last.unit or not amount.unit or last.unit == amount.unit
    link = _RANGE.fullmatch(text, last.end, amount.start)
    if not link or not is_unit_the_same or last.upper is not None or last.value >= amount.value:
        return None
    if last.follower.startswith("and") or (
        link["word"] == "and" and not _BETWEEN.search(text, max(0, last.start - 9), last.start)
    ):
        return None
    unit = amount.unit or last.unit
    return attrs.evolve(last, end=amount.end, upper=amount.value, unit=unit, follower=amount.follower)
