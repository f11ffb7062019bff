"""Numbers with and without units, and lengths of time."""

import datetime
import re
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._judge import Mention
from tool_sandbox.answers.facts._moments import masked
from tool_sandbox.answers.facts._quantities import Quantity, quantities
from tool_sandbox.answers.facts._reading import require_bound
from tool_sandbox.answers.facts._units import UNITS, Unit, unit
from tool_sandbox.answers.facts._values import FromTrace, ValueFact
from tool_sandbox.world.errors import ScenarioError

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
# "warmer, by about 5.6 degrees (3.1 ...)".
_BY = re.compile(r"\b(?:more|less|fewer|[a-z]{3,8}er)\b[^;\n]{0,12}\bby [^;\n]{0,30}$")
# "3 degrees colder than today's low of 47.7".
_COMPARED_WITH = re.compile(r"\bthan (?:[a-z']+ ){2,6}$")
# "12 of the 28 dates".
_OF = r" (?:out )?of (?:all |the |these |those |my |your |our )*"
_PART, _WHOLE = re.compile(_OF), re.compile(rf"\d{_OF}$")
_BESIDE = 12
_OR = re.compile(r"\bor \w* ?$")


def _tuple_of_numbers(values: float | Sequence[float]) -> tuple[float, ...]:
    return (float(values),) if isinstance(values, (int, float)) else tuple(float(value) for value in values)


@attrs.frozen
class Number(ValueFact):
    """A figure, with a unit if it has one.

    An answer may round by half of one in the last place it prints, but no coarser than to a whole number, and to a
    whole number only where ``value`` is one or at least 10 in size ("7" is wrong for 7.46, "7.5" is right; "15k" is
    wrong for 14,800, "14.8k" is right). With ``tolerance`` or ``relative`` the difference may be as large as the larger
    of ``tolerance`` and ``relative * |value|``, and printing fewer digits excuses nothing.

    Amounts of another dimension are ignored, those in another unit of the same dimension are converted ("20 °C" states
    68 °F); beside a right figure in the expected unit they may be rounded. A figure without a unit counts as being in
    the expected one unless it counts something else ("3 places"). Dates, times of day, phone numbers, identifiers and
    numbers in ``context`` are never read as the figure. A range is right only if both ends are.

    Args:
        value: The expected figure, or where to take it from.
        unit: Unit of ``value``: of temperature, length, mass, volume, speed, time or pressure, per cent, or the code of
            a currency (never converted); any other word counts things ("contact"). ``None`` accepts any.
        tolerance: Largest absolute difference, in ``unit``.
        relative: Largest difference as a share of ``value``.
        context: Other figures that may appear (the inputs of a conversion), in any unit.
        in_unit: Whether a figure in another unit of the dimension does not suffice.
    """

    value: float | FromTrace
    unit: str | None = attrs.field(default=None, validator=lambda _fact, _field, name: name is None or unit(name))
    tolerance: float | None = None
    relative: float | None = None
    context: tuple[float, ...] = attrs.field(default=(), converter=_tuple_of_numbers)
    in_unit: bool = False

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount that could be this figure, judged."""
        value = self._value()
        expected = unit(self.unit) if self.unit is not None else None
        found = quantities(masked(document.text, digit_runs=abs(value) < 1e6, coordinates=bool(expected)), expected)
        direct = [amount for amount in found if self._is_said(amount, expected)]
        same = [amount for amount in found if amount.unit == expected]
        judged = [(amount, self._verdict(document, amount, expected, direct, same)) for amount in found]
        if not direct and any(right is False and amount.unit == expected for amount, right in judged):
            # A wrong figure in the expected unit is the answer, whatever a figure in another unit says.
            judged = [(amount, right and None) for amount, right in judged]
        figures = [(each.value, each.step) if each.unit in (None, expected) else None for each in found]
        return [Mention(m.start, m.end, right, None, at) for (m, right), at in zip(judged, figures, strict=True)]

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
        text, start = document.text, amount.start
        if amount.unit is None and (part := _PART.match(text, amount.end)):
            whole = next((each for each in same if each.start == part.end()), None)
            if whole is not None and not self._fits(whole, expected):
                return False
        is_figure = amount.unit or _SAYS_VALUE.search(text, max(0, start - 24), start)
        is_difference = _COMPARED.match(text, amount.end) and not _OR.search(text, 0, start)
        is_by = _BY.search(text, max(0, start - 60), start)
        is_whole = _WHOLE.search(text, max(0, start - 30), start)
        is_other = is_whole or is_difference or is_by or _COMPARED_WITH.search(text, max(0, start - 60), start)
        if not is_figure or is_other or not _is_of_kind(amount, expected):
            return None
        rounded = amount.step / 2 * (amount.step < 1)
        told = [amount.value]
        if expected and amount.unit and amount.unit.dimension == expected.dimension:
            told.append(amount.unit.convert(amount.value, expected))
        if any(abs(each - known) <= _EPSILON * max(1, abs(known)) + rounded for each in told for known in self.context):
            return None
        if not expected or not amount.unit or amount.unit.name in (expected.name, "degrees"):
            is_rounded = amount.leading and direct and abs(amount.value - self._value()) <= 1
            return None if is_rounded else False
        if not direct:
            return self._fits(amount, expected) and not self.in_unit
        again = [expected.convert(value, amount.unit) for value in (self._value(), *(each.value for each in direct))]
        is_again = any(abs(amount.value - each) <= max(amount.step / 2, 0.02 * abs(each)) + _EPSILON for each in again)
        is_beside = any(max(amount.start - each.end, each.start - amount.end) <= _BESIDE for each in same)
        return False if is_beside and not is_again else None

    def _is_said(self, amount: Quantity, expected: Unit | None) -> bool:
        """Whether an amount is the value in its own unit, or in one that is joined with it, as in "5 ft 11 in"."""
        is_kind_open = expected is None or (
            # No list of currencies has all their names: what else stands behind the right figure is one.
            amount.unit is None and (expected.name == expected.dimension or expected.dimension.startswith("count of"))
        )
        is_other = amount.unit and expected and amount.unit.dimension == expected.dimension and amount.unit != expected
        if is_other and (self.in_unit or not amount.leading):
            return False
        return (is_kind_open or _is_of_kind(amount, expected)) and self._fits(amount, expected)

    def _fits(self, amount: Quantity, expected: Unit | None) -> bool:
        shown, step, value = amount.value, amount.step, self._value()
        if expected and amount.unit and amount.unit.dimension == expected.dimension:
            shown, step = amount.unit.convert(shown, expected), step * amount.unit.scale(expected)
        slack = max(_EPSILON, 1e-12 * abs(value))
        if self.tolerance is not None or self.relative is not None:
            slack += max(self.tolerance or 0.0, (self.relative or 0.0) * abs(value))
        elif step <= 0.5 or abs(value) >= 10 or abs(value - round(value)) <= slack:
            slack += min(step, 1.0) / 2
        ends = (shown, shown if amount.upper is None else amount.upper)
        return all(abs(end - value) <= slack for end in ends) or amount.leading == (value, expected)


def _is_of_kind(amount: Quantity, expected: Unit | None) -> bool:
    """Whether an amount is of the expected dimension; one without a unit is, if it counts nothing named behind it."""
    if amount.unit is None:
        return amount.follower in _FREE
    if expected is None or amount.unit.dimension == expected.dimension:
        return True
    return amount.unit.name == "degrees" and expected.dimension in ("temperature", "angle")


@attrs.frozen
class AnyNumber(ValueFact):
    """Any figure in a unit of the dimension of ``unit``, said of ``about``; for ``Absent``: none was invented."""

    unit: str

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount of the dimension."""
        expected = unit(self.unit)
        found = quantities(masked(document.text, digit_runs=True, coordinates=True), expected)
        return [Mention(each.start, each.end, True) for each in found if each.unit and _is_of_kind(each, expected)]


@attrs.frozen
class Duration(ValueFact):
    """A length of time.

    For example "2h 5m 3s", "2:05:03", "an hour and a half", "38 days". Without a tolerance an answer may leave out what
    is smaller than the last unit it names, if that is at most 2 % of the whole.

    Args:
        value: The length, in seconds or as a mapping of units to numbers if a tool gives it.
        tolerance: Largest difference.
    """

    value: datetime.timedelta | float | FromTrace
    tolerance: datetime.timedelta | None = None

    def mentions(self, document: Document) -> list[Mention]:
        """Every length of time, judged."""
        second = UNITS["second"]
        found = quantities(document.text, second)
        for match in _CLOCK_DURATION.finditer(document.text):
            hours, minutes, seconds = map(float, match.groups())
            found.append(Quantity(*match.span(), (hours * 60 + minutes) * 60 + seconds, 1.0, second))
        return [Mention(m.start, m.end, self._fits(m, m.unit)) for m in found if m.unit and m.unit.dimension == "time"]

    def _fits(self, said: Quantity, said_in: Unit) -> bool:
        length = length_of(require_bound(self, self.value))
        difference = abs(said.value * said_in.factor - length)
        if self.tolerance is not None:
            return difference <= self.tolerance.total_seconds() + 1e-6
        return difference < max(said.step * said_in.factor, 1e-5) and difference <= 0.02 * abs(length) + 1e-6


def length_of(value: Any) -> float:
    """A length of time in seconds, given as such, as a timedelta or as a mapping of units."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, dict):
        return sum(
            unit(name).factor * float(amount) for name, amount in value.items() if unit(name).dimension == "time"
        )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScenarioError(f"not a length of time: {value!r}")
    return float(value)
