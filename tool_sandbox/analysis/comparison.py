"""A comparison of runs as data, in words, and as JSON."""

import math
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.analysis.clustering import BASE_SCENARIO, clusters_text
from tool_sandbox.analysis.pairing import Pairing, StoredRun
from tool_sandbox.analysis.registry import totals
from tool_sandbox.analysis.statistics.intervals import UNKNOWN, Interval
from tool_sandbox.analysis.statistics.paired import PairedTest, least_flip_p_value

FORMAT = 2
"""Version of the layout of `RunComparison.as_dict`, raised when a reader has to change."""

BETTER, WORSE, SAME, UNSEEN, UNCLEAR, REFUSED = "better", "worse", "same", "no difference seen", "unclear", "none"
"""Kinds of a verdict."""


@attrs.frozen
class MetricDifference:
    """What one metric is in both runs, over the scenarios that both evaluated.

    Attributes:
        metric: Its name.
        before: Mean in the baseline.
        after: Mean in the other run.
        test: The difference, with interval and p-values.
        p_adjusted: Adjusted by Holm's method: over all scenarios the larger p-value of both tests, for the number of
            runs; in a category that of the t-test, for the number of categories (the sign flips of two or three
            families cannot show anything).
    """

    metric: str
    before: float
    after: float
    test: PairedTest
    p_adjusted: float

    @property
    def change(self) -> float:
        """``after`` less ``before``."""
        return self.test.interval.estimate


@attrs.frozen
class ScenarioChange:
    """A scenario that succeeds more or less often in one run than in the other.

    Attributes:
        name: Of the scenario.
        seed: Seed of its world.
        family: Group of the scenario.
        before: Share of the trials of the baseline that succeeded.
        after: Likewise of the other run.
        similarity: Difference of the mean scores.
        directory: Where the first evaluated trial of the other run is.
        p_value: Of the shares, see ``fisher_p_value``; not corrected for the number of scenarios.
    """

    name: str
    seed: int
    family: str
    before: float
    after: float
    similarity: float
    directory: str
    p_value: float

    def is_one(self, direction: int, alpha: float) -> bool:
        """Whether a scenario broke (-1) or was fixed (1): most trials turned over, or more did than chance explains."""
        turned = (self.before - 0.5) * direction < 0 < (self.after - 0.5) * direction
        return turned or ((self.after - self.before) * direction > 0 and self.p_value < alpha)


@attrs.frozen
class PairwiseComparison:
    """One run compared with the baseline.

    Attributes:
        label: Of the run.
        pairing: The scenarios that both have.
        headline: Name of the metric that the verdict is about, ``strict_success`` where both runs are scored so.
        differences: Metric to difference, of those that are known for every conversation.
        unknown: Metrics that are not known for every conversation.
        categories: Category to the differences of success and similarity in it, ``ALL_CATEGORIES`` left out.
        broken: Scenarios that broke, the largest drop first, see `ScenarioChange.is_one`.
        fixed: Scenarios that were fixed, the largest gain first.
        dropped: Scenarios that succeed less often and did not break: chance alone may do that.
        warnings: Why the comparison is doubtful or partial, one line each.
        refusal: Why there is no verdict, ``None`` if there is one.
    """

    label: str
    pairing: Pairing
    headline: str
    differences: Mapping[str, MetricDifference]
    unknown: tuple[str, ...]
    categories: Mapping[str, tuple[MetricDifference, MetricDifference]]
    broken: tuple[ScenarioChange, ...]
    fixed: tuple[ScenarioChange, ...]
    dropped: tuple[ScenarioChange, ...]
    warnings: tuple[str, ...]
    refusal: str | None


@attrs.frozen
class RankedRun:
    """Place of a run among all that are compared, over the scenarios that all evaluated.

    Attributes:
        label: Of the run.
        success: Mean success with its interval, ``None`` if no scenario is common to all.
        similarity: Likewise of the score.
        clustered_by: What the intervals treat as drawn at random.
    """

    label: str
    success: Interval | None
    similarity: Interval | None
    clustered_by: str


@attrs.frozen
class RunComparison:
    """Several runs that are compared.

    Attributes:
        baseline: The run that the others are compared with.
        others: The other runs.
        pairwise: Each of the others compared with the baseline.
        ranking: All runs, the best first.
        confidence: Of all intervals.
        max_infrastructure_rate: Share of infrastructure errors above which a run gets no verdict.
    """

    baseline: StoredRun
    others: tuple[StoredRun, ...]
    pairwise: tuple[PairwiseComparison, ...]
    ranking: tuple[RankedRun, ...]
    confidence: float
    max_infrastructure_rate: float

    @property
    def runs(self) -> tuple[StoredRun, ...]:
        """All runs, the baseline first."""
        return (self.baseline, *self.others)

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON values; an end of an interval that is not known is null."""
        return {
            "format": FORMAT,
            "confidence": self.confidence,
            "baseline": self.baseline.label,
            "runs": [
                {"label": run.label, "path": run.path.name, "planned": run.planned, "played": len(run.results)}
                | totals(run.results)
                for run in self.runs
            ],
            "ranking": [
                {
                    "label": standing.label,
                    "clustered_by": standing.clustered_by,
                    "success": standing.success and interval_as_dict(standing.success),
                    "similarity": standing.similarity and interval_as_dict(standing.similarity),
                }
                for standing in self.ranking
            ],
            "versus": [_pairwise(self, pairwise) for pairwise in self.pairwise],
        }


@attrs.frozen
class Conclusion:
    """The verdict on a run.

    Attributes:
        kind: One of ``better``, ``worse``, ``same``, ``no difference seen``, ``unclear`` and ``none``.
        text: In words, one line.
    """

    kind: str
    text: str


def conclusion(comparison: RunComparison, pairwise: PairwiseComparison) -> Conclusion:
    """Says whether a run is better or worse than the baseline.

    A difference is reported only if the adjusted p-value of both tests is below ``1 - confidence``.
    """
    label, baseline = pairwise.label, comparison.baseline.label
    if pairwise.refusal is not None:
        return Conclusion(REFUSED, f"no verdict on {label}: {pairwise.refusal}")
    found = pairwise.differences[pairwise.headline]
    alpha = 1 - comparison.confidence
    what = pairwise.headline.replace("_", " ")
    told = f"{what} {found.change:+.3f} {interval_text(found.test.interval, '+.3f')}, {p_text(found.test.p_value)}"
    kind, clusters = pairwise.pairing.clustered_by, found.test.interval.clusters
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
    return _no_difference(label, baseline, what, told, found, pairwise.pairing.clustered_by)


def _no_difference(label: str, baseline: str, what: str, told: str, found: MetricDifference, kind: str) -> Conclusion:
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
    limit = f"differences below {smallest:.3f} could not have been detected: tool_sandbox power"
    return Conclusion(UNSEEN, f"no difference detected between {label} and {baseline}: {told}; {limit}")


def ranking_text(comparison: RunComparison) -> str:
    """What the ranking of a comparison is over."""
    success = comparison.ranking[0].success
    if success is None:
        return "no scenario was evaluated by all runs, so they are not ranked"
    return f"over the {success.n:,} scenarios that all runs evaluated"


def mean_text(mean: Interval | None) -> str:
    """A mean of a ranking with its interval."""
    return f"{mean.estimate:.3f} {interval_text(mean, '.3f')}" if mean else "-"


def interval_text(interval: Interval, digits: str) -> str:
    """An interval in brackets, ``?`` for an end that is not known; nothing at all if neither is."""
    if interval.method == UNKNOWN and math.isinf(interval.low):
        return ""
    ends = [format(end, digits) if math.isfinite(end) else "?" for end in (interval.low, interval.high)]
    return f"[{', '.join(ends)}]"


def drop_text(change: ScenarioChange, alpha: float) -> str:
    """How much a scenario fell, and whether that is within noise: chance alone may do it."""
    noise = "" if change.p_value < alpha else ", within noise"
    return f"dropped from {change.before:.0%} to {change.after:.0%}{noise}: {p_text(change.p_value)}"


def p_text(p_value: float) -> str:
    """A p-value as in papers."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"


def interval_as_dict(interval: Interval) -> dict[str, Any]:
    """An interval as JSON values; an end that is not known is null."""
    return {key: finite(value) for key, value in attrs.asdict(interval).items()}


def finite(value: Any) -> Any:
    """The same value, null for an infinite number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _pairwise(comparison: RunComparison, pairwise: PairwiseComparison) -> dict[str, Any]:
    found = conclusion(comparison, pairwise)
    pairing = pairwise.pairing
    return {
        "label": pairwise.label,
        "verdict": found.kind,
        "text": found.text,
        "headline": pairwise.headline,
        "compared": len(pairing.pairs),
        "clustered_by": pairing.clustered_by,
        "only_in_baseline": list(pairing.only_before),
        "only_in_run": list(pairing.only_after),
        "not_evaluated": list(pairing.not_evaluated),
        "incomparable": list(pairing.incomparable),
        "warnings": list(pairwise.warnings),
        "differences": {name: _difference(each) for name, each in pairwise.differences.items()},
        "unknown": list(pairwise.unknown),
        "categories": {
            category: {each.metric: _difference(each) for each in row} for category, row in pairwise.categories.items()
        },
        "broken": [attrs.asdict(change) for change in pairwise.broken],
        "fixed": [attrs.asdict(change) for change in pairwise.fixed],
        "dropped": [attrs.asdict(change) for change in pairwise.dropped],
    }


def _difference(each: MetricDifference) -> dict[str, Any]:
    return {
        "before": each.before,
        "after": each.after,
        "difference": interval_as_dict(each.test.interval),
        "p_value": each.test.p_value,
        "p_sign_flip": each.test.p_flip,
        "p_adjusted": each.p_adjusted,
        "smallest_seen": finite(each.test.smallest),
    }
