"""Whether two sets of paired results differ, where pairs come in clusters.

Both agents met the same scenarios, so each scenario gives one difference; what is common to both drops out. Scenarios
of a family are not independent, so the family is what counts as one observation.
"""

import math
import random
from collections.abc import Hashable, Sequence

import attrs

from tool_sandbox.analysis.statistics.distributions import student_t_cdf, student_t_quantile
from tool_sandbox.analysis.statistics.intervals import (
    ROBUST_T,
    Bounds,
    ClusterSums,
    Interval,
    clustered_interval,
    standard_error,
)

DIFFERENCE_OF_SHARES: Bounds = (-1.0, 1.0)
"""Bounds of the difference of two shares."""

RESAMPLES = 9_999
_MOST_FLIPPED = 14
"""Up to so many clusters all patterns of signs are tried."""

_TABLE = 8
"""Clusters whose signs are drawn together: their sums are looked up among 2^8."""


@attrs.frozen
class PairedTest:
    """A mean difference, and how surprising it were if there was none.

    Attributes:
        interval: The mean of the differences with its interval.
        p_value: Two-sided, of the cluster-robust paired t-test; where it has no standard error, that of the sign flips.
        p_flip: Two-sided, of the sign-flip test over clusters.
        smallest: Smallest true difference that such data would show with a power of 0.8, ``inf`` if they cannot show
            any.
        moved: Number of differences that are not 0.
    """

    interval: Interval
    p_value: float
    p_flip: float
    smallest: float
    moved: int

    @property
    def p_larger(self) -> float:
        """The larger of both p-values: below a level only if both tests see a difference."""
        return max(self.p_value, self.p_flip)


def paired_test(
    differences: Sequence[float],
    clusters: Sequence[Hashable],
    confidence: float = 0.95,
    *,
    bounds: Bounds | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> PairedTest:
    """Tests whether a mean difference is 0.

    The t-test divides the mean by its cluster-robust standard error and has the degrees of freedom of
    ``ClusterSums.freedom``, at most one less than there are clusters (Cameron & Miller 2015, "A Practitioner's Guide to
    Cluster-Robust Inference"; Miller 2024, "Adding Error Bars to Evals", arXiv 2411.00640, for paired differences of
    language models). Its interval excludes 0
    just where the p-value is below ``1 - confidence``.
    """
    data = ClusterSums.of(differences, clusters)
    interval = clustered_interval(data, confidence, bounds=bounds)
    p_flip = sign_flip_p_value(data.sums, resamples, seed)
    error = standard_error(data)
    moved = sum(each != 0 for each in differences)
    if interval.method != ROBUST_T:
        return PairedTest(interval, p_flip, p_flip, max(interval.high - data.mean, data.mean - interval.low), moved)
    freedom = data.freedom
    p_value = min(1.0, 2 * student_t_cdf(-abs(data.mean / error), freedom))
    return PairedTest(interval, p_value, p_flip, detectable(error, freedom, 1 - confidence), moved)


def detectable(error: float, freedom: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true difference that a two-sided t-test finds with some power.

    ``(t(1 - alpha/2) + t(power)) * error``: the multiple of the error of Bloom 1995 ("Minimum Detectable Effects",
    Evaluation Review 19), there with normal quantiles. Card et al. 2020 ("With Little Power Comes Great
    Responsibility", arXiv 2010.06595) say why it should be told.
    """
    if freedom < 1:
        return math.inf
    quantiles: float = student_t_quantile(1 - alpha / 2, freedom) + student_t_quantile(power, freedom)
    return quantiles * error


def sign_flip_p_value(sums: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Tests whether cluster totals are symmetric around 0, by changing their signs.

    If the two agents were the same, either could have been called the first in each cluster. The p-value is the share
    of the patterns of signs with a total at least as far from 0 (Fisher 1935, The Design of Experiments, section 21).
    Up to 14 clusters all patterns are tried; for more, some are drawn, and the observed one is counted with them
    (Phipson & Smyth 2010, "Permutation P-values Should Never Be Zero").
    """
    moved = [total for total in sums if total != 0]
    limit = abs(math.fsum(moved)) - 1e-9 * math.fsum(map(abs, moved))
    if len(moved) <= _MOST_FLIPPED:
        totals = _all_totals(moved)
        return sum(abs(total) >= limit for total in totals) / len(totals)
    generator = random.Random(seed)
    tables = [_all_totals(moved[start : start + _TABLE]) for start in range(0, len(moved), _TABLE)]
    draws = [generator.choices(table, k=resamples) for table in tables]
    extreme: int = sum(abs(sum(parts)) >= limit for parts in zip(*draws, strict=True))
    return (extreme + 1) / (resamples + 1)


def least_flip_p_value(clusters: int) -> float:
    """The smallest p-value of `sign_flip_p_value`: only the observed signs, and all others, are so far out."""
    return 2.0 ** (1 - clusters)


def _all_totals(sums: Sequence[float]) -> list[float]:
    """The total under each pattern of signs."""
    totals = [0.0]
    for part in sums:
        totals = [total + part for total in totals] + [total - part for total in totals]
    return totals


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values of several tests so that any of them is wrong with the stated probability at most.

    The step-down method of Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure": the smallest of ``m``
    is multiplied by ``m``, the next by ``m - 1`` and so on, none falls below the one before.
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted
