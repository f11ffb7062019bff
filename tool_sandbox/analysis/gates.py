"""Conditions under which a build fails, as people write them.

::

    strict_success drops by more than 0.02
    strict_success drops significantly by more than 0.02 in LONG_CHAIN
    cost_usd rises by more than 10%
    similarity is below 0.8
    infrastructure_rate is above 0.05
    any scenario breaks
    more than 3 scenarios break in ERROR_RECOVERY

What could never fail, or never pass, is refused. A gate that cannot be evaluated fails, and says why.
"""

import math
import re
from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.analysis.metric import Metric, RunMetric
from tool_sandbox.analysis.registry import metric
from tool_sandbox.analysis.statistics.intervals import SHARE, Bounds
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.world.errors import ConfigurationError

BREAKS = "breaks"
DROPS, RISES, BELOW, ABOVE = "drops", "rises", "is below", "is above"

_EXAMPLES = (
    '"strict_success drops by more than 0.02", "cost_usd rises by more than 10%", "similarity is below 0.8", '
    '"any scenario breaks" or "more than 3 scenarios break", each with "in CATEGORY" or "significantly" where wanted'
)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?%?", re.IGNORECASE)
_SPACED_PERCENT = re.compile(r"(?<=[0-9.])\s+%")
_MOVES = {"drops": DROPS, "drop": DROPS, "falls": DROPS, "rises": RISES, "rise": RISES, "grows": RISES}
_BREAK = {"break", "breaks"}


@attrs.frozen
class Gate:
    """A condition under which a build fails.

    Attributes:
        text: As it was written.
        kind: ``drops``, ``rises``, ``is below``, ``is above`` or ``breaks``.
        threshold: By how much or how many, not negative for a move.
        metric: What it is about, ``None`` for ``breaks``.
        is_relative: Whether the threshold is a share of the baseline.
        significantly: Whether the interval has to exclude the threshold.
        category: Only scenarios of this category, ``None`` for all.
    """

    text: str
    kind: str
    threshold: float
    metric: Metric | RunMetric | None = None
    is_relative: bool = False
    significantly: bool = False
    category: str | None = None

    @property
    def needs_baseline(self) -> bool:
        """Whether it compares two runs."""
        return self.kind in (DROPS, RISES, BREAKS)


def parse_gate(text: str, categories: Iterable[str]) -> Gate:
    """Reads a gate."""
    words = _SPACED_PERCENT.sub("%", text).split()
    words, category = _take_category(text, words, categories)
    lowered = [word.lower() for word in words]
    significantly = lowered.count("significantly") == 1
    if significantly:
        position = lowered.index("significantly")
        del words[position], lowered[position]
    if _BREAK & set(lowered):
        if significantly:
            raise _wrong(text, "significance cannot be required of scenarios that break")
        return Gate(text, BREAKS, _breaking(text, lowered), category=category)
    if not words:
        raise _wrong(text, "it says nothing")
    try:
        what = metric(words[0])
    except ConfigurationError as error:
        raise ConfigurationError(f"gate {text!r}: {error}") from None
    if significantly and isinstance(what, RunMetric):
        raise _wrong(text, f"{what.name} is one number per run, without an interval, so it has no significance")
    kind, threshold, is_percent = _condition(text, lowered[1:])
    is_relative = is_percent and kind in (DROPS, RISES)
    if is_percent and not is_relative and what.bounds != SHARE:
        raise _wrong(text, f"{what.name} is not a share; give a number, not a percentage")
    gate = Gate(text, kind, threshold, what, is_relative, significantly, category)
    if (never := _foregone(gate, what.bounds)) is not None:
        raise ConfigurationError(f"gate {text!r}: {never}")
    return gate


def _take_category(text: str, words: Sequence[str], categories: Iterable[str]) -> tuple[list[str], str | None]:
    lowered = [word.lower() for word in words]
    if "in" not in lowered:
        return list(words), None
    position = lowered.index("in")
    wanted = words[position + 1 : position + 2]
    if not wanted:
        raise _wrong(text, 'a category has to follow "in"')
    known = {name.lower(): name for name in categories}
    category = known.get(wanted[0].lower())
    if category is None:
        close = suggest(wanted[0], known.values())
        hint = f"Did you mean: {', '.join(close)}?" if close else f"There are {', '.join(sorted(known.values()))}."
        raise ConfigurationError(f"gate {text!r}: no scenario of these runs is in category {wanted[0]!r}. {hint}")
    return [*words[:position], *words[position + 2 :]], category


def _breaking(text: str, words: Sequence[str]) -> float:
    match words:
        case ["any" | "a", "scenario", "breaks"]:
            return 0
        case ["more", "than", number, "scenarios" | "scenario", "break" | "breaks"] if (
            number.isascii() and number.isdecimal() and len(number) < 10
        ):
            return int(number)
    raise _wrong(text, 'what breaks is written "any scenario breaks" or "more than 3 scenarios break"')


def _condition(text: str, words: Sequence[str]) -> tuple[str, float, bool]:
    match words:
        case ["is", "below" | "above" as side, number]:
            return (BELOW if side == "below" else ABOVE), *_number(text, number)
        case [move] if move in _MOVES:
            return _MOVES[move], 0.0, False
        case [move, "by", "more", "than", number] if move in _MOVES:
            threshold, is_percent = _number(text, number)
            if threshold < 0:
                raise _wrong(text, "a threshold must not be negative")
            return _MOVES[move], threshold, is_percent
    raise _wrong(text, f"cannot read {' '.join(words)!r}" if words else "the condition is missing")


def _number(text: str, word: str) -> tuple[float, bool]:
    if not _NUMBER.fullmatch(word) or not math.isfinite(float(word.rstrip("%"))):
        raise _wrong(text, f"{word!r} is not a number")
    is_percent = word.endswith("%")
    return float(word.rstrip("%")) / (100 if is_percent else 1), is_percent


def _foregone(gate: Gate, bounds: Bounds) -> str | None:
    """Why a gate on a metric with some bounds would say the same of all runs; ``None`` if it would not."""
    (low, high), limit, name = bounds, gate.threshold, gate.metric and gate.metric.name
    if gate.is_relative:
        is_open = gate.kind == RISES or limit < 1
        return None if is_open else f"nothing drops by more than {limit:.4g} times itself, so this can never fail"
    if gate.kind in (DROPS, RISES):
        if limit < high - low:
            return None
        told = f"{name} is a share, from 0 to 1, and never {gate.kind} by more than {limit:.4g}"
        return (
            f'{told}; write {limit / 100:.4g} for {limit:.4g} of a hundred, or "{limit:.4g}%" of the baseline\'s value'
        )
    if low < limit < high or limit == (high if gate.kind == BELOW else low):
        return None
    share = f"; {limit:.4g} of a hundred is {limit / 100:.4g}" if high < limit else ""
    is_never = (gate.kind == BELOW) == (limit <= low)
    reach = f"from {low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"
    return f"{name} is {reach}, so this {'never' if is_never else 'always'} fails{share}"


def _wrong(text: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"gate {text!r}: {why}; write {_EXAMPLES}")
