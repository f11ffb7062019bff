"""Lengths of time."""

from __future__ import annotations

import datetime
import re
from typing import Any

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge
from tool_sandbox.common.facts._quantities import quantities
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms, require_bound
from tool_sandbox.common.facts._trace import FromTrace
from tool_sandbox.common.facts._units import UNITS

_CLOCK_DURATION = re.compile(r"(?<![\w:])(\d{1,4}):([0-5]\d):([0-5]\d)(?![\w:]| ?[ap]m\b)")


@attrs.frozen
class Duration(FactBase):
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

    def read(self, text: str) -> Reading:
        """What a text says about the length of time."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every length of time, judged."""
        expected = _length(require_bound(self, self.value))
        second = UNITS["second"]
        found = [
            (amount.start, amount.end, amount.unit.convert(amount.value, second), amount.step * amount.unit.factor)
            for amount in quantities(document.text, second)
            if amount.unit and amount.unit.dimension == "time"
        ]
        for match in _CLOCK_DURATION.finditer(document.text):
            hours, minutes, seconds = map(int, match.groups())
            found.append((match.start(), match.end(), hours * 3600.0 + minutes * 60 + seconds, 1.0))
        return [Mention(start, end, self._is_right(shown, step, expected)) for start, end, shown, step in found]

    def _is_right(self, shown: float, step: float, expected: float) -> bool:
        if self.tolerance is not None:
            return abs(shown - expected) <= self.tolerance.total_seconds() + 1e-6
        return abs(shown - expected) <= min(step, 0.02 * abs(expected)) + 1e-6 and abs(shown - expected) < max(
            step, 1e-5
        )


def _length(value: Any) -> float:
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, dict):
        return sum(
            float(amount) * UNITS[name.removesuffix("s")].factor
            for name, amount in value.items()
            if name.removesuffix("s") in UNITS and UNITS[name.removesuffix("s")].dimension == "time"
        )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScenarioError(f"not a length of time: {value!r}")
    return float(value)
