"""Numbers with and without units."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge
from tool_sandbox.common.facts._masks import masked
from tool_sandbox.common.facts._quantities import Quantity, quantities
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms, require_bound
from tool_sandbox.common.facts._trace import FromTrace
from tool_sandbox.common.facts._units import Unit, unit

_EPSILON = 1e-9
_FREE_FOLLOWERS_WORDS = """
and or but in at on for as with right now today currently outside is are was which so from to per by total altogether
overall there here until till left away exactly approximately about the a an this that then while because degrees
according based rounded using when if remaining ahead more rather actually sorry i it you your my we not only just
respectively each
"""
_FREE_FOLLOWERS = frozenset(_FREE_FOLLOWERS_WORDS.split())
_SAYS_VALUE = re.compile(
    r"(?:\b(?:is|are|was|were|be|of|to|equals?|at|about|around|approximately|exactly|roughly|or|rather|it's"
    r"|that's|got|than|and|not|actually|now|just|nearly|almost)|[:=~(,]|--|^)[ $€£¥~]{0,3}$"
)

# "56.8 degrees, half a degree milder than today".
_COMPARED = re.compile(
    r" (?:more|less|fewer|(?:warm|cold|cool|mild|hott|high|low|long|short|furth|farth|clos|near|cheap|fast|slow)er)\b"
)
_OR = re.compile(r"\bor \w* ?$")


def _tuple_of_numbers(values: float | Sequence[float]) -> tuple[float, ...]:
    return (float(values),) if isinstance(values, (int, float)) else tuple(float(value) for value in values)


@attrs.frozen
class Number(FactBase):
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

    def read(self, text: str) -> Reading:
        """What a text says about this figure."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount that could be this figure, judged."""
        value = _as_number(self, require_bound(self, self.value))
        expected = unit(self.unit) if self.unit is not None else None
        plain = masked(document.text, digit_runs=abs(value) < 1e6, coordinates=expected is not None)
        found = quantities(plain, expected)
        direct = [amount.value for amount in found if self._is_right(amount, value, expected, direct=True)]
        verdicts = [self._verdict(document, amount, value, expected, direct) for amount in found]
        named = [
            verdict for amount, verdict in zip(found, verdicts, strict=True) if expected and amount.unit == expected
        ]
        if False in named and not direct:
            # A wrong figure in the expected unit is the answer, whatever a figure in another unit says.
            verdicts = [verdict and None for verdict in verdicts]
        return [
            Mention(amount.start, amount.end, verdict, figure=_figure(amount, expected))
            for amount, verdict in zip(found, verdicts, strict=True)
        ]

    def _verdict(
        self, document: Document, amount: Quantity, value: float, expected: Unit | None, direct: list[float]
    ) -> bool | None:
        if expected and amount.unit and not _same_kind(amount.unit, expected):
            return None
        if expected and not amount.unit and not _is_free(amount):
            return (
                True
                if expected.dimension.startswith("count of") and self._is_right(amount, value, expected, direct=True)
                else None
            )
        if self._is_right(amount, value, expected, direct=True):
            return True
        if self._in_context(amount):
            return None
        if _COMPARED.match(document.text, amount.end) and not _OR.search(document.text, 0, amount.start):
            return None
        if (
            expected
            and amount.unit
            and amount.leading
            and direct
            and abs(amount.unit.convert(amount.value, expected) - value) <= 1
        ):
            return None
        if expected and amount.unit and amount.unit.name not in (expected.name, "degrees"):
            if direct:
                return None if any(self._is_conversion(amount, each, expected) for each in (value, *direct)) else False
            return self._is_right(amount, value, expected, direct=False) and not self.in_unit
        if not amount.unit and not (
            _is_free(amount) and _SAYS_VALUE.search(document.text, max(0, amount.start - 24), amount.start)
        ):
            return None
        return False

    def _in_context(self, amount: Quantity) -> bool:
        return any(
            abs(amount.value - number) <= max(_EPSILON, _EPSILON * abs(number)) + amount.step / 2 * (amount.step < 1)
            for number in self.context
        )

    def _is_right(self, amount: Quantity, value: float, expected: Unit | None, *, direct: bool) -> bool:
        """Whether an amount is the value; ``direct`` excludes amounts in another unit."""
        shown, step = amount.value, amount.step
        if (
            expected
            and amount.unit
            and amount.unit.dimension == expected.dimension
            and amount.unit.name != expected.name
        ):
            if direct and (self.in_unit or not amount.leading):
                return False
            shown, step = amount.unit.convert(shown, expected), step * amount.unit.scale(expected)
        elif expected and amount.unit and not _same_kind(amount.unit, expected):
            return False
        ends = (shown,) if amount.upper is None else (shown, amount.upper)
        if all(self._is_close(end, step, value) for end in ends):
            return True
        return bool(
            expected and amount.leading and amount.leading[1].name == expected.name and amount.leading[0] == value
        )

    def _is_close(self, shown: float, step: float, value: float) -> bool:
        slack = max(_EPSILON, 1e-12 * abs(value))
        if self.tolerance is not None or self.relative is not None:
            return abs(shown - value) <= max(self.tolerance or 0.0, (self.relative or 0.0) * abs(value)) + slack
        if step > 0.5 and abs(value) < 10 and abs(value - round(value)) > slack:
            return abs(shown - value) <= slack
        return abs(shown - value) <= min(step, 1.0) / 2 + slack

    def _is_conversion(self, amount: Quantity, value: float, expected: Unit) -> bool:
        """Whether an amount is this value, said again in another unit, rounded."""
        again = expected.convert(value, amount.unit or expected)
        return abs(amount.value - again) <= max(amount.step / 2, 0.02 * abs(again)) + _EPSILON


def _figure(amount: Quantity, expected: Unit | None) -> tuple[float, float] | None:
    """Amount and step of a figure in the expected unit."""
    return (amount.value, amount.step) if amount.unit is None or amount.unit == expected else None


def _as_number(fact: FactBase, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScenarioError(f"{type(fact).__name__} takes a number, got {value!r}")
    return float(value)


def _same_kind(found: Unit, expected: Unit) -> bool:
    return found.dimension == expected.dimension or (
        found.name == "degrees" and expected.dimension in ("temperature", "angle")
    )


def _is_free(amount: Quantity) -> bool:
    """Whether a number without a unit counts nothing that is named behind it."""
    return not amount.follower or amount.follower in _FREE_FOLLOWERS


@attrs.frozen
class AnyNumber(FactBase):
    """Any figure in a unit of the dimension of ``unit``; for ``Absent``: no figure was invented.

    Args:
        unit: Any unit of the dimension, e.g. ``"celsius"``, or a currency.
        about: Terms that name what the figure is of.
    """

    unit: str
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """Stated if the text asserts any such figure."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every amount of the dimension."""
        expected = unit(self.unit)
        plain = masked(document.text, digit_runs=True, coordinates=True)
        return [
            Mention(amount.start, amount.end, True)
            for amount in quantities(plain, expected)
            if amount.unit and _same_kind(amount.unit, expected)
        ]
