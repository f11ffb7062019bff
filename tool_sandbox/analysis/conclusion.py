"""What a comparison says, in words."""

import math
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.analysis.clustering import BASE_SCENARIO, clusters_text
from tool_sandbox.analysis.statistics.intervals import UNKNOWN, Interval
from tool_sandbox.analysis.statistics.paired import least_flip_p_value

if TYPE_CHECKING:
    from tool_sandbox.analysis.compare import Change, Comparison, Difference, Versus

BETTER, WORSE, SAME, UNSEEN, UNCLEAR, REFUSED = "better", "worse", "same", "no difference seen", "unclear", "none"
"""Kinds of a verdict."""


@attrs.frozen
class Conclusion:
    """The verdict on a run.

    Attributes:
        kind: One of ``better``, ``worse``, ``same``, ``no difference seen``, ``unclear`` and ``none``.
        text: In words, one line.
    """

    kind: str
    text: str


def conclusion(comparison: "Comparison", versus: "Versus") -> Conclusion:
    """Says whether a run is better or worse than the baseline.

    A difference is called one only if the adjusted p-value of both tests is below ``1 - confidence``.

    Args:
        comparison: The comparison.
        versus: One of its runs.
    """
    label, baseline = versus.label, comparison.baseline.label
    if versus.refusal is not None:
        return Conclusion(REFUSED, f"no verdict on {label}: {versus.refusal}")
    found = versus.differences[versus.headline]
    alpha = 1 - comparison.confidence
    what = versus.headline.replace("_", " ")
    told = f"{what} {found.change:+.3f} {interval_text(found.test.interval, '+.3f')}, {p_text(found.test.p_value)}"
    kind, clusters = versus.pairing.clustered_by, found.test.interval.clusters
    if clusters < 2:
        only = f"there is only {clusters_text(kind, clusters)}"
        return Conclusion(UNCLEAR, f"cannot tell whether {label} differs from {baseline}: {only}; {told}")
    if kind == BASE_SCENARIO:
        told += f", from {clusters_text(kind, clusters)}"
    if found.p_adjusted < alpha:
        kind = BETTER if found.change > 0 else WORSE
        return Conclusion(kind, f"{label} is {kind} than {baseline}: {told}")
    if found.test.p_value < alpha:
        why = f"{p_text(found.p_adjusted)} by the sign-flip test or after correction for several runs"
        return Conclusion(UNCLEAR, f"unclear whether {label} differs from {baseline}: {told}, but {why}")
    return _no_difference(label, baseline, what, told, found, versus.pairing.clustered_by)


def _no_difference(label: str, baseline: str, what: str, told: str, found: "Difference", kind: str) -> Conclusion:
    smallest = found.test.smallest
    if not found.test.moved:
        return Conclusion(
            SAME,
            f"{label} and {baseline} are the same: {what} is equal in all {found.test.interval.n} scenarios; that "
            f"excludes, with {found.test.interval.confidence:.0%} confidence, only differences above {smallest:.3f}",
        )
    if least_flip_p_value(found.test.interval.clusters) >= 1 - found.test.interval.confidence:
        few = clusters_text(kind, found.test.interval.clusters)
        return Conclusion(UNCLEAR, f"cannot tell whether {label} differs from {baseline}: {few} are too few; {told}")
    limit = f"differences below {smallest:.3f} would not have been seen: tool_sandbox power"
    return Conclusion(UNSEEN, f"no difference seen between {label} and {baseline}: {told}; {limit}")


def ranking_text(comparison: "Comparison") -> str:
    """What the ranking of a comparison is over."""
    success = comparison.ranking[0].success
    if success is None:
        return "no scenario was evaluated by all runs, so they are not ranked"
    return f"over the {success.n:,} scenarios that all runs evaluated"


def interval_text(interval: Interval, digits: str) -> str:
    """An interval in brackets, ``?`` for an end that is not known; nothing at all if neither is."""
    if interval.method == UNKNOWN and math.isinf(interval.low):
        return ""
    ends = [format(end, digits) if math.isfinite(end) else "?" for end in (interval.low, interval.high)]
    return f"[{', '.join(ends)}]"


def drop_text(change: "Change", alpha: float) -> str:
    """How much a scenario fell, and whether that is within noise: chance alone may do it."""
    noise = "" if change.p_value < alpha else ", within noise"
    return f"dropped from {change.before:.0%} to {change.after:.0%}{noise}: {p_text(change.p_value)}"


def p_text(p_value: float) -> str:
    """A p-value as in papers."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"
