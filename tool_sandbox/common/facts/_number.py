"""Numbers with and without units, and lengths of time."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document
from tool_sandbox.common.facts._judge import Mention
from tool_sandbox.common.facts._moments import masked
from tool_sandbox.common.facts._quantities import Quantity, quantities
from tool_sandbox.common.facts._reading import as_terms, require_bound
from tool_sandbox.common.facts._trace import FromTrace
from tool_sandbox.common.facts._units import UNITS, Unit, unit
from tool_sandbox.common.facts._values import ValueFact

_EPSILON = 1e-9
_FREE_WORDS = """
and or but in at on for as with right now today currently outside is are was which so from to per by total altogether
overall there here until till left away exactly approximately about the a an this that then while because degrees
according based rounded using when if remaining ahead more rather actually sorry i it you your my we not only just
respectively each
"""
_FREE = frozenset(("", *_FREE_WORDS.split()))
_SAYS_VALUE = re.compile(
    r"(?:\b(?:is|are|was|were|be|of|to|equals?|at|about|around|approximately|exactly|roughly|or|rather|it's"
    r"|that's|got|than|and|not|actually|now|just|nearly|almost)|[:=~(,]|--|^)[ $€£¥~]{0,3}$"
)

# "56.8 degrees, half a degree milder than today".
_COMPARED = re.compile(
    r" (?:more|less|fewer|(?:warm|cold|cool|mild|hott|high|low|long|short|furth|farth|clos|near|cheap|fast|slow)er)\b"
)
_CLOCK_DURATION = re.compile(r"(?<![\w:])(\d{1,4}):([0-5]\d):([0-5]\d)(?![\w:]| ?[ap]m\b)")
# "3 degrees colder than today's low of 47.7".
_COMPARED_WITH = re.compile(r"\bthan (?:[a-z']+ ){2,6}$")
_BESIDE = 12
_OR = re.compile(r"\bor \w* ?$")


def _tuple_of_numbers(values: float | Sequence[float]) -> tuple[float, ...]:
    return (float(values),) if isinstance(values, (int, float)) else tuple(float(value) for value in values)


@attrs.frozen
class Number(ValueFact):
    """A figure, with a unit if it has one.

    **Which figures are right.** With neither ``tolerance`` nor ``relative``, an answer may round: it is right if it
    differs from ``value`` by at most half of one in the last place it prints, but nobody may round coarser than to a
    whole number, and to a whole number only where ``value`` is a whole number or at least 10 in size ("7" is wrong for
    7.46, "7.5" is right; "68" is right for 68.36; "15k" is wrong for 14,800, "14.8k" is right). With a tolerance, the
    difference may be as large as the larger of ``tolerance`` (in ``unit``) and ``relative * |value|``, and printing
    fewer digits excuses nothing.

    **Units.** Amounts of another dimension are ignored. Amounts in another unit of the same dimension are converted
    ("20 °C" states 68 °F); beside a right figure in the expected unit they may be rounded or converted from that
    rounded figure. A figure without a unit counts as being in the expected one unless it counts something else ("3
    places"). A number of days may be followed by hours ("38 days and 4 hours" states 38 days). ``None`` as unit accepts
    any. Units are those of temperature, length, mass, volume, speed, time, pressure, per cent, currencies (codes,
    names, symbols; never converted), and any other word counts things ("contact").

    Dates, times of day, phone numbers, identifiers and numbers in ``context`` are never read as the figure. A range is
    right only if both ends are.

    Args:
        value: The expected figure, or where to take it from.
        unit: Unit of ``value``; ``None`` for a plain number.
        tolerance: Largest absolute difference, in ``unit``.
        relative: Largest difference as a share of ``value``.
        about: Terms that name what the figure is of ("low", "minimum"); needed when a text may hold several figures of
            one kind.
        context: Other figures that may appear (the inputs of a conversion), in any unit.
        in_unit: Whether a figure in another unit of the dimension does not suffice.
    """

    value: float | FromTrace
    unit: str | None = attrs.field(default=None)
    tolerance: float | None = None
    relative: float | None = None
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)
    context: tuple[float, ...] = attrs.field(default=(), converter=_tuple_of_numbers)
    in_unit: bool = False

    @unit.validator
    def _check_unit(self, _: object, name: str | None) -> None:
        if name is not None:
            unit(name)

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount that could be this figure, judged."""
        value = self._value()
        expected = unit(self.unit) if self.unit is not None else None
        plain = masked(document.text, digit_runs=abs(value) < 1e6, coordinates=expected is not None)
        found = quantities(plain, expected)
        direct = [amount for amount in found if self._is_said(amount, expected)]
        same = [amount for amount in found if amount.unit == expected]
        verdicts = [self._verdict(document, amount, expected, direct, same) for amount in found]
        if not direct and (False, expected) in [
            (right, each.unit) for right, each in zip(verdicts, found, strict=True)
        ]:
            # A wrong figure in the expected unit is the answer, whatever a figure in another unit says.
            verdicts = [right and None for right in verdicts]
        return [
            Mention(
                each.start, each.end, right, None, (each.value, each.step) if each.unit in (None, expected) else None
            )
            for right, each in zip(verdicts, found, strict=True)
        ]

    def _value(self) -> float:
        value = require_bound(self, self.value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ScenarioError(f"{type(self).__name__} takes a number, got {value!r}")
        return float(value)

    def _verdict(
        self, document: Document, amount: Quantity, expected: Unit | None, direct: list[Quantity], same: list[Quantity]
    ) -> bool | None:
        """Whether an amount is the figure; ``None`` if it is of something else or may stand beside a ``direct`` one."""
        if self._is_said(amount, expected):
            return True
        is_figure = amount.unit or _SAYS_VALUE.search(document.text, max(0, amount.start - 24), amount.start)
        if not is_figure or not _is_of_kind(amount, expected) or self._in_context(amount):
            return None
        if _COMPARED_WITH.search(document.text, max(0, amount.start - 60), amount.start):
            return None
        if _COMPARED.match(document.text, amount.end) and not _OR.search(document.text, 0, amount.start):
            return None
        if not expected or not amount.unit or amount.unit.name in (expected.name, "degrees"):
            is_rounded = amount.leading and direct and abs(amount.value - self._value()) <= 1
            return None if is_rounded else False
        if not direct:
            return self._fits(amount, expected) and not self.in_unit
        again = any(
            _is_conversion(amount, each, expected) for each in (self._value(), *(each.value for each in direct))
        )
        return None if again or not any(_are_side_by_side(amount, each) for each in same) else False

    def _in_context(self, amount: Quantity) -> bool:
        return any(
            abs(amount.value - number) <= max(_EPSILON, _EPSILON * abs(number)) + amount.step / 2 * (amount.step < 1)
            for number in self.context
        )

    def _is_said(self, amount: Quantity, expected: Unit | None) -> bool:
        """Whether an amount is the value in its own unit, or in one that is joined with it, as in "5 ft 11 in"."""
        if amount.unit is None and expected and expected.name == expected.dimension:
            # No list of currencies has all their names: what else stands behind the right figure is one.
            return self._fits(amount, expected)
        if expected and not (amount.unit is None and expected.dimension.startswith("count of")):
            is_other = amount.unit and amount.unit.dimension == expected.dimension and amount.unit != expected
            if not _is_of_kind(amount, expected) or (is_other and (self.in_unit or not amount.leading)):
                return False
        return self._fits(amount, expected)

    def _fits(self, amount: Quantity, expected: Unit | None) -> bool:
        shown, step, value = amount.value, amount.step, self._value()
        if expected and amount.unit and amount.unit.dimension == expected.dimension:
            shown, step = amount.unit.convert(shown, expected), step * amount.unit.scale(expected)
        ends = (shown,) if amount.upper is None else (shown, amount.upper)
        return all(self._is_close(end, step, value) for end in ends) or amount.leading == (value, expected)

    def _is_close(self, shown: float, step: float, value: float) -> bool:
        slack = max(_EPSILON, 1e-12 * abs(value))
        if self.tolerance is not None or self.relative is not None:
            slack += max(self.tolerance or 0.0, (self.relative or 0.0) * abs(value))
        elif step <= 0.5 or abs(value) >= 10 or abs(value - round(value)) <= slack:
            slack += min(step, 1.0) / 2
        return abs(shown - value) <= slack


def _are_side_by_side(amount: Quantity, other: Quantity) -> bool:
    """Whether two amounts stand so close that the one says the other again."""
    return max(amount.start - other.end, other.start - amount.end) <= _BESIDE


def _is_conversion(amount: Quantity, value: float, expected: Unit) -> bool:
    """Whether an amount is a value, said again in another unit, rounded."""
    again = expected.convert(value, amount.unit or expected)
    return abs(amount.value - again) <= max(amount.step / 2, 0.02 * abs(again)) + _EPSILON


def _is_of_kind(amount: Quantity, expected: Unit | None) -> bool:
    """Whether an amount is of the expected dimension; one without a unit is, if it counts nothing named behind it."""
    if amount.unit is None:
        return amount.follower in _FREE
    if expected is None or amount.unit.dimension == expected.dimension:
        return True
    return amount.unit.name == "degrees" and expected.dimension in ("temperature", "angle")


@attrs.frozen
class AnyNumber(ValueFact):
    """Any figure in a unit of the dimension of ``unit``; for ``Absent``: no figure was invented.

    Args:
        unit: Any unit of the dimension, e.g. ``"celsius"``, or a currency.
        about: Terms that name what the figure is of.
    """

    unit: str
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount of the dimension."""
        expected = unit(self.unit)
        plain = masked(document.text, digit_runs=True, coordinates=True)
        return [
            Mention(amount.start, amount.end, True)
            for amount in quantities(plain, expected)
            if amount.unit and _is_of_kind(amount, expected)
        ]


@attrs.frozen
class Duration(ValueFact):
    """A length of time.

    For example "2 hours, 5 minutes and 3 seconds", "2h 5m 3s", "2:05:03", "an hour and a half", "38 days". Without a
    tolerance an answer may leave out what is smaller than the last unit it names, if that is at most 2 % of the whole.

    Args:
        value: The length; seconds, or a tool result holding seconds or a mapping of (weeks, days, hours, minutes,
            seconds; singular or plural).
        tolerance: Largest difference.
        about: Terms that name what takes this long.
    """

    value: datetime.timedelta | float | FromTrace
    tolerance: datetime.timedelta | None = None
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def mentions(self, document: Document) -> list[Mention]:
        """Every length of time, judged."""
        expected, second = length_of(require_bound(self, self.value)), UNITS["second"]
        found = [
            (each.start, each.end, each.unit.convert(each.value, second), each.step * each.unit.factor)
            for each in quantities(document.text, second)
            if each.unit and each.unit.dimension == "time"
        ]
        for match in _CLOCK_DURATION.finditer(document.text):
            hours, minutes, seconds = map(float, match.groups())
            found.append((*match.span(), (hours * 60 + minutes) * 60 + seconds, 1.0))
        return [Mention(start, end, self._is_right(abs(shown - expected), step)) for start, end, shown, step in found]

    def _is_right(self, difference: float, step: float) -> bool:
        if self.tolerance is not None:
            return difference <= self.tolerance.total_seconds() + 1e-6
        return difference < max(step, 1e-5) and difference <= 0.02 * abs(length_of(self.value)) + 1e-6


def length_of(value: Any) -> float:
    """A length of time in seconds, given as such, as a timedelta or as a mapping of units."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, dict):
        parts = [(unit(name), float(amount)) for name, amount in value.items()]
        return sum(each.factor * amount for each, amount in parts if each.dimension == "time")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScenarioError(f"not a length of time: {value!r}")
    return float(value)
