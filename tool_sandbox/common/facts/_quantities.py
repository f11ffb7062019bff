"""Numbers with units: "20 °C", "$4.50", "5 ft 11 in", "2 hours and 5 minutes", "12-13 km"."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from tool_sandbox.common.facts._numerals import Numeral, numerals
from tool_sandbox.common.facts._units import DEGREES, UNITS, Unit, unit_pattern

_PREFIX = re.compile(
    r"(?<![a-z])(?P<symbol>(?:us|ca|au|nz|hk|mx) ?\$|(?<!')[cars]\$|[$€£¥₹₩₽₪฿₱₫₺]|(?:usd|eur|gbp|cny|rmb|jpy|cad"
    r"|aud|nzd"
    r"|hkd|sgd|mxn|chf|inr|krw|sek"
    r"|nok|dkk|pln|czk|huf|brl|rub|zar|ils|thb|php|idr|myr|vnd|aed|sar|bgn|ron|isk))[ ]?[-~]?$"
)
_GAP = re.compile(r"[ -]?(?:full |whole )?")
_AND_A_HALF = re.compile(r" and a half\b")
_RANGE = re.compile(r"\s?(?:-|to|and)\s?")
_BETWEEN = re.compile(r"\b(?:between|from) $")
_JOINT = re.compile(r"\s?,?\s?(?:and|&)?\s?")
_COMPOUND = {"time", "length", "mass"}
_HUNDREDTHS = frozenset(("cent", "cents", "pence"))
_FOLLOWER = re.compile(r"[ -]?([a-z']+)")
_COUNTED = re.compile(r" (?:[a-z'-]{1,20} ){0,3}$")


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
    return _join_ranges(text, _join_cents(_join_compounds(text, found)))


def _with_unit(text: str, numeral: Numeral, expected: Unit | None) -> Quantity | None:
    prefix = _PREFIX.search(text, max(0, numeral.start - 6), numeral.start)
    start = prefix.start() if prefix else numeral.start
    gap = _GAP.match(text, numeral.end)
    behind = gap.end() if gap else numeral.end
    pattern = unit_pattern(expected)
    match = pattern.match(text, behind) or pattern.match(text, numeral.end)
    if match:
        named = _resolve(match.lastgroup or "", expected)
        if (
            named.name != "inch"
            or match.group() != "in"
            or not re.match(r" (?:the|a|an|my|your|[a-z]+ (?:is|was))\b|\s?\d", text[match.end() : match.end() + 30])
        ):
            half = _AND_A_HALF.match(text, match.end())
            value, step, end = (
                (numeral.value + 0.5, 0.1, half.end()) if half else (numeral.value, numeral.step, match.end())
            )
            return Quantity(start, end, value, step, named)
    if numeral.is_article:
        return None
    if prefix:
        before = unit_pattern(expected).match(prefix["symbol"])
        return Quantity(
            start,
            numeral.end,
            numeral.value,
            numeral.step,
            _resolve(before.lastgroup or "", expected) if before else Unit("money", "money"),
        )
    follower = _FOLLOWER.match(text, numeral.end)
    return Quantity(start, numeral.end, numeral.value, numeral.step, None, follower=follower[1] if follower else "")


def _resolve(group: str, expected: Unit | None) -> Unit:
    name = group.rstrip("_")
    if name in UNITS:
        return UNITS[name]
    if expected and name in ("counted", f"any_{expected.dimension}"):
        return expected
    return DEGREES if name == "degrees" else Unit(name, name)


def _join_compounds(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    joined: list[Quantity] = []
    for amount in found:
        last = joined[-1] if joined else None
        if (
            last
            and last.unit
            and (unit := amount.unit or _implied(last.unit))
            and unit.dimension == last.unit.dimension
            and unit.dimension in _COMPOUND
            and unit.factor < _smallest(last).factor
            and 0 <= amount.value * unit.factor < _smallest(last).factor + 1e-9
            and (joint := _JOINT.fullmatch(text, last.end, amount.start))
            and (amount.unit or not joint.group().strip())
        ):
            value = last.value + amount.value * unit.scale(last.unit)
            leading = last.leading or (last.value, last.unit)
            joined[-1] = Quantity(
                last.start, amount.end, value, amount.step * unit.scale(last.unit), last.unit, leading
            )
        else:
            joined.append(amount)
    return joined


def _join_cents(found: Sequence[Quantity]) -> list[Quantity]:
    """Joins an amount of money with its hundredths, as in 48 dollars and 75 cents."""
    joined: list[Quantity] = []
    for amount in found:
        last = joined[-1] if joined else None
        near = last is not None and 0 <= amount.start - last.end <= len(" and ")
        if last and near and last.unit and amount.follower in _HUNDREDTHS and 0 <= amount.value < 100:
            joined[-1] = attrs.evolve(last, end=amount.end, value=last.value + amount.value / 100, step=0.01)
        else:
            joined.append(amount)
    return joined


def _implied(unit: Unit) -> Unit | None:
    """The smaller unit that goes without saying: 5'11, 2h30."""
    return UNITS[{"foot": "inch", "hour": "minute"}[unit.name]] if unit.name in ("foot", "hour") else None


def _smallest(amount: Quantity) -> Unit:
    if amount.leading is None or amount.unit is None:
        return amount.unit or DEGREES
    return Unit("part", amount.unit.dimension, amount.step * amount.unit.factor)


def _join_ranges(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    joined: list[Quantity] = []
    for amount in found:
        last = joined[-1] if joined else None
        if (
            last
            and last.upper is None
            and (not last.unit or not amount.unit or last.unit == amount.unit)
            and not last.follower.startswith(("and", "or"))
            and last.value < amount.value
            and (link := _RANGE.fullmatch(text, last.end, amount.start))
            and (
                link.group().strip() in ("-", "to")
                or (link.group().strip() == "and" and _BETWEEN.search(text, max(0, last.start - 9), last.start))
            )
        ):
            joined[-1] = attrs.evolve(
                last, end=amount.end, upper=amount.value, unit=amount.unit or last.unit, follower=amount.follower
            )
        else:
            joined.append(amount)
    return joined
