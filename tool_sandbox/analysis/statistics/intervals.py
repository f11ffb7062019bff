"""Confidence intervals for means of results that come in clusters.

Scenarios of one task, and trials of one scenario, are not independent: what varies independently is the family of
scenarios. Both kinds of interval therefore treat the families as drawn at random, each with all of its results.
"""

import functools
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter

import attrs

from tool_sandbox.analysis.statistics.distributions import normal_cdf, normal_quantile, student_t_quantile

SHARE = (0.0, 1.0)
"""Bounds of a share, a success or a similarity."""

AMOUNT = (0.0, math.inf)
"""Bounds of a count, a time or a cost."""

RESAMPLES = 2_000

ROBUST_T = "cluster-robust t"
ROBUST_WILSON = "cluster-robust Wilson"
BOOTSTRAP = "cluster bootstrap BCa"
EFFECTIVE_CLUSTERS = "exact binomial on effective clusters"
"""Where all values are equal: they do not show how much they vary, only how many independent ones there are."""

UNKNOWN = "none"
"""Too few clusters, or no variation in a quantity without bounds: the data say nothing about the error."""

Bounds = tuple[float, float]
Draw = Callable[[Sequence[float]], Sequence[float]]
"""Picks what was drawn out of what belongs to each cluster."""


@attrs.frozen
class Interval:
    """An estimate and how far it can be trusted.

    Attributes:
        estimate: The mean.
        low: Lower end, ``-inf`` if nothing is known.
        high: Upper end, ``inf`` if nothing is known.
        confidence: Probability that such an interval covers the true mean, 0.95 for example.
        method: How it was computed.
        n: Number of values.
        clusters: Number of clusters they are in.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    n: int
    clusters: int


@attrs.frozen
class ClusterSums:
    """Values added up by cluster: all that an interval needs to know of them.

    Attributes:
        sums: Sum of the values of each cluster.
        counts: Number of values of each cluster, positive.
    """

    sums: tuple[float, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence[float], clusters: Sequence[Hashable]) -> "ClusterSums":
        """Adds values up."""
        data = cls.of_parts([(value, 1) for value in values], clusters)
        if data is None:
            raise ValueError("there are no values")
        return data

    @classmethod
    def of_parts(cls, parts: Sequence[tuple[float, int]], clusters: Sequence[Hashable]) -> "ClusterSums | None":
        """Adds parts of a mean up."""
        if len(parts) != len(clusters):
            raise ValueError(f"there are {len(parts)} values, but {len(clusters)} clusters")
        members: dict[Hashable, list[float]] = {}
        counts: Counter[Hashable] = Counter()
        for (part, count), cluster in zip(parts, clusters, strict=True):
            if count:
                members.setdefault(cluster, []).append(part)
                counts[cluster] += count
        names = sorted(members, key=str)
        sums = tuple(math.fsum(members[name]) for name in names)
        return cls(sums, tuple(counts[name] for name in names)) if names else None

    @property
    def mean(self) -> float:
        """Mean of all values, each of the same weight."""
        return math.fsum(self.sums) / sum(self.counts)

    @property
    def effective_clusters(self) -> float:
        """Number of equal clusters that weigh as much: ``(sum n)^2 / sum n^2`` (Kish 1965, Survey Sampling)."""
        return sum(self.counts) ** 2 / sum(count * count for count in self.counts)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the `standard_error`: ``G - 1`` for equal clusters, fewer for unequal ones.

        The variance is a sum of squared deviations, to which large clusters add most. Satterthwaite 1946 gives it the
        degrees of freedom of the chi-square distribution with the same mean and variance; as Bell & McCaffrey 2002
        ("Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples") they are worked out for
        independent values, here for the plain deviations. With the shares ``h_g = n_g / N`` and ``s_k = sum h_g^k``
        they are ``(1 - s_2)^2 / (sum (h_g * (1 - h_g))^2 + s_2^2 - s_4)``; 0 for a single cluster.
        """
        if len(self.counts) < 2:
            return 0.0
        number = sum(self.counts)
        shares = [count / number for count in self.counts]
        spread = math.fsum(share * (1 - share) for share in shares)
        own = math.fsum((share * (1 - share)) ** 2 for share in shares)
        others = math.fsum(share**2 for share in shares) ** 2 - math.fsum(share**4 for share in shares)
        return min(max(1.0, spread**2 / (own + max(0.0, others))), len(shares) - 1.0)


def clustered_mean(
    values: Sequence[float], clusters: Sequence[Hashable], confidence: float = 0.95, *, bounds: Bounds | None = None
) -> Interval:
    """Mean with the interval of its cluster-robust standard error, see `clustered_interval`."""
    return clustered_interval(ClusterSums.of(values, clusters), confidence, bounds=bounds)


def standard_error(data: ClusterSums) -> float:
    """Cluster-robust standard error of a mean.

    With the deviation ``e_g = sum_g - mean * n_g`` of each of ``G`` clusters, and ``N`` values in total, it is
    ``sqrt(G / (G - 1) * sum e_g^2) / N``: the linearised variance of a ratio of cluster totals (Cochran 1977, Sampling
    Techniques, chapter 6), which is also that of Liang & Zeger 1986 for a mean, with the correction of Cameron &
    Miller 2015, "A Practitioner's Guide to Cluster-Robust Inference", section VI. Miller 2024, "Adding Error Bars to
    Evals" (arXiv 2411.00640), recommends it for language models, there without the correction.
    """
    number = len(data.counts)
    if number < 2:
        return math.inf
    mean = data.mean
    squares = math.fsum((total - mean * count) ** 2 for total, count in zip(data.sums, data.counts, strict=True))
    return math.sqrt(number / (number - 1) * squares) / sum(data.counts)


def clustered_interval(data: ClusterSums, confidence: float = 0.95, *, bounds: Bounds | None = None) -> Interval:
    """Mean with the interval of its `standard_error` and Student's t with ``freedom`` degrees of freedom.

    A share near 0 or 1 is not spread evenly around its mean, and plus and minus a multiple of the error covers too
    seldom. Shares therefore get the interval of Wilson 1927 for as many independent values as would have the same
    error, ``mean * (1 - mean) / error^2``; of eight kinds that Franco, Little, Louis & Slud 2019 compare ("Comparative
    Study of Confidence Intervals for Proportions in Complex Sample Surveys", J. Survey Statistics and Methodology 7) it
    is one of the two that they recommend. They use the normal quantile, and find that clustering makes it too narrow.
    """
    mean, error = data.mean, standard_error(data)
    if not _varies(data, error):
        return unvaried(data, confidence, bounds=bounds)
    t = student_t_quantile((1 + confidence) / 2, data.freedom)
    if bounds != SHARE:
        return _interval(data, mean - t * error, mean + t * error, confidence, ROBUST_T, bounds)
    effective = mean * (1 - mean) / error**2
    shrinkage = 1 + t * t / effective
    centre = (mean + t * t / (2 * effective)) / shrinkage
    reach = t * math.sqrt(error**2 + (t / (2 * effective)) ** 2) / shrinkage
    return _interval(data, centre - reach, centre + reach, confidence, ROBUST_WILSON, bounds)


def unvaried(data: ClusterSums, confidence: float = 0.95, *, bounds: Bounds | None = None) -> Interval:
    """The interval where values do not show how much they vary.

    An agent that succeeds in each of 43 families has not shown that it always does. Were a share ``p`` of such families
    different, none of ``m`` would show it with probability ``(1 - p)^m``; the bound of Clopper & Pearson 1934 is the
    ``p`` at which this is half of what the confidence leaves. For ``m`` stands the effective number of clusters. The
    mean can then be off by ``p`` times the way to either bound.
    """
    mean = data.mean
    if bounds is None or not all(map(math.isfinite, bounds)):
        return _interval(data, -math.inf, math.inf, confidence, UNKNOWN, None)
    if len(data.counts) < 2:
        return _interval(data, -math.inf, math.inf, confidence, UNKNOWN, bounds)
    share = unseen_share(data, confidence)
    low, high = mean - share * (mean - bounds[0]), mean + share * (bounds[1] - mean)
    return _interval(data, low, high, confidence, EFFECTIVE_CLUSTERS, bounds)


def unseen_share(data: ClusterSums, confidence: float = 0.95) -> float:
    """The share of clusters that may be otherwise although none is seen to be, see `unvaried`."""
    share: float = 1 - ((1 - confidence) / 2) ** (1 / data.effective_clusters)
    return share


def bootstrap_intervals(
    data: Sequence[ClusterSums],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    *,
    bounds: Sequence[Bounds | None],
) -> list[Interval]:
    """Means of several quantities with bootstrap intervals, from the same draws where they have as many clusters.

    Clusters are drawn with replacement, as many as there are, each with all of its values (the pairs cluster bootstrap,
    Cameron, Gelbach & Miller 2008). The interval is the bias-corrected and accelerated one (Efron 1987, "Better
    Bootstrap Confidence Intervals"), with the acceleration from leaving out each cluster in turn (Efron & Tibshirani
    1993, equation 14.15): plain percentiles cover a share near 0 or 1 too seldom. Its levels are widened for few
    clusters as Hesterberg 2015 does for percentiles ("What Teachers Should Know About the Bootstrap"): a bootstrap is
    too narrow by ``sqrt((G - 1) / G)``, and uses the normal quantile where Student's t belongs.
    """
    return [
        _bootstrap(each, _draws(len(each.counts), resamples, seed), confidence, limits)
        for each, limits in zip(data, bounds, strict=True)
    ]


@functools.lru_cache(maxsize=8)
def _draws(number: int, resamples: int, seed: int) -> tuple[Draw, ...]:
    """The same draws for all quantities over as many clusters: making them takes most of the time."""
    generator = random.Random(seed)
    if number < 2:
        return ()
    return tuple(itemgetter(*generator.choices(range(number), k=number)) for _ in range(resamples))


def _bootstrap(data: ClusterSums, draws: Sequence[Draw], confidence: float, bounds: Bounds | None) -> Interval:
    if not _varies(data, standard_error(data)):
        return unvaried(data, confidence, bounds=bounds)
    sums, counts = data.sums, data.counts
    means = sorted(sum(draw(sums)) / sum(draw(counts)) for draw in draws)
    shift, acceleration = _bias(means, data.mean), _acceleration(data)
    number = len(sums)
    widened = math.sqrt(number / (number - 1)) * student_t_quantile((1 + confidence) / 2, data.freedom)
    ends = []
    for quantile in (-widened, widened):
        moved = shift + quantile
        ends.append(_quantile(means, normal_cdf(shift + moved / (1 - acceleration * moved))))
    return _interval(data, ends[0], ends[1], confidence, BOOTSTRAP, bounds)


def _bias(means: Sequence[float], mean: float) -> float:
    """Normal quantile of the share of the resampled means below the mean, of which equal ones count half."""
    below = sum(each < mean for each in means) + sum(each == mean for each in means) / 2
    return normal_quantile(min(max(below, 0.5), len(means) - 0.5) / len(means))


def _acceleration(data: ClusterSums) -> float:
    total, number = math.fsum(data.sums), sum(data.counts)
    left = [(total - part) / (number - count) for part, count in zip(data.sums, data.counts, strict=True)]
    centre = math.fsum(left) / len(left)
    squares = math.fsum((centre - each) ** 2 for each in left)
    cubes = math.fsum((centre - each) ** 3 for each in left)
    return cubes / (6 * squares**1.5) if squares else 0.0


def _quantile(ordered: Sequence[float], probability: float) -> float:
    """The quantile of sorted values, interpolated (Hyndman & Fan 1996, definition 6)."""
    position = min(max(probability * (len(ordered) + 1) - 1, 0), len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def _varies(data: ClusterSums, error: float) -> bool:
    """Whether clusters differ by more than rounding."""
    return len(data.counts) > 1 and error > 1e-12 * max(1.0, abs(data.mean))


def _interval(
    data: ClusterSums, low: float, high: float, confidence: float, method: str, bounds: Bounds | None
) -> Interval:
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return Interval(data.mean, low, high, confidence, method, sum(data.counts), len(data.counts))
