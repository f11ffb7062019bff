"""Intervals against textbooks, SciPy, and what holds for all of them."""

import math
import random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tool_sandbox.analysis.statistics.distributions import normal_cdf, student_t_quantile
from tool_sandbox.analysis.statistics.intervals import (
    BOOTSTRAP,
    EFFECTIVE_CLUSTERS,
    ROBUST_T,
    ROBUST_WILSON,
    SHARE,
    UNKNOWN,
    Bounds,
    ClusterSums,
    Interval,
    bootstrap_intervals,
    clustered_mean,
    standard_error,
)

VALUES = st.lists(st.tuples(st.floats(0, 1, width=16), st.integers(0, 6)), min_size=2, max_size=40)

# Lohr, Sampling: Design and Analysis, example 5.2: grades in 5 suites of 4 students, drawn from 100 suites.
GRADES = [
    *(3.08, 2.60, 3.44, 3.04),
    *(2.36, 3.04, 3.28, 2.68),
    *(2.00, 2.56, 2.52, 1.88),
    *(3.00, 2.88, 3.44, 3.64),
    *(2.68, 1.92, 3.28, 3.20),
]
SUITES = [suite for suite in range(5) for _ in range(4)]

# Scheaffer, Mendenhall & Ott, Elementary Survey Sampling, example 8.2: residents and their total income in thousands in
# 25 blocks, drawn from 415.
RESIDENTS = (8, 12, 4, 5, 6, 6, 7, 5, 8, 3, 2, 6, 5, 10, 9, 3, 6, 5, 5, 4, 6, 8, 7, 3, 8)
INCOMES = (
    *(96, 121, 42, 65, 52, 40, 75, 65, 45, 50, 85, 43, 54),
    *(49, 53, 50, 32, 22, 45, 37, 51, 30, 39, 47, 41),
)


def test_standard_error_of_equal_clusters_is_that_of_a_textbook() -> None:
    data = ClusterSums.of(GRADES, SUITES)
    assert round(data.mean, 3) == 2.826
    # The book has a finite population of suites.
    assert round(standard_error(data) * math.sqrt(1 - 5 / 100), 3) == 0.164


def test_standard_error_of_unequal_clusters_is_that_of_a_textbook() -> None:
    data = ClusterSums(tuple(map(float, INCOMES)), RESIDENTS)
    assert round(data.mean * 1000) == 8801
    assert round(2 * standard_error(data) * math.sqrt(1 - 25 / 415) * 1000) == 1617


def _random(count: int, clusters: int, seed: int = 1) -> tuple[list[float], list[int]]:
    draw = random.Random(seed)
    level = [draw.random() for _ in range(clusters)]
    placed = [draw.randrange(clusters) for _ in range(count)]
    return [(level[cluster] + draw.random()) / 2 for cluster in placed], placed


def test_standard_error_is_that_of_adding_error_bars_to_evals() -> None:
    values, clusters = _random(200, 9)
    mean = sum(values) / len(values)
    pairs = sum(
        (a - mean) * (b - mean)
        for a, cluster_a in zip(values, clusters, strict=True)
        for b, cluster_b in zip(values, clusters, strict=True)
        if cluster_a == cluster_b
    )
    published = math.sqrt(pairs) / len(values)
    assert standard_error(ClusterSums.of(values, clusters)) == pytest.approx(published * math.sqrt(9 / 8))


def test_one_value_a_cluster_gives_the_classic_interval() -> None:
    values, _ = _random(25, 5)
    interval = clustered_mean(values, range(25), 0.9)
    classic = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((classic.low, classic.high), rel=1e-9)
    assert interval.method == ROBUST_T
    assert (interval.n, interval.clusters) == (25, 25)


def test_ends_of_a_share_are_those_that_the_mean_is_just_compatible_with() -> None:
    """Wilson's ends solve ``|mean - end| = t * sqrt(end * (1 - end) / n)``."""
    values, clusters = _random(300, 20)
    data = ClusterSums.of(values, clusters)
    interval = clustered_mean(values, clusters, bounds=SHARE)
    effective = data.mean * (1 - data.mean) / standard_error(data) ** 2
    for end in (interval.low, interval.high):
        assert abs(data.mean - end) == pytest.approx(
            student_t_quantile(0.975, data.freedom) * math.sqrt(end * (1 - end) / effective)
        )
    assert interval.method == ROBUST_WILSON


def bootstrap_mean(values: Any, clusters: Any, *, bounds: Bounds | None = None, **more: Any) -> Interval:
    return bootstrap_intervals([ClusterSums.of(values, clusters)], bounds=[bounds], **more)[0]


def test_bootstrap_is_the_bca_interval_of_scipy_at_the_widened_level() -> None:
    values, clusters = _random(400, 30)
    data = ClusterSums.of([value**4 for value in values], clusters)
    widened = math.sqrt(30 / 29) * student_t_quantile(0.975, data.freedom)
    reference = stats.bootstrap(
        (data.sums, data.counts),
        lambda sums, counts, axis: sums.sum(axis) / counts.sum(axis),
        paired=True,
        confidence_level=2 * normal_cdf(widened) - 1,
        n_resamples=20_000,
        method="BCa",
        rng=1,
    ).confidence_interval
    interval = bootstrap_mean([value**4 for value in values], clusters, resamples=20_000)
    assert (interval.low, interval.high) == pytest.approx(tuple(reference), abs=0.02 * (reference.high - reference.low))
    assert interval.method == BOOTSTRAP


def test_without_failures_the_interval_is_the_exact_one_of_the_families() -> None:
    interval = clustered_mean([1.0] * 430, [number % 43 for number in range(430)], bounds=SHARE)
    exact = stats.binomtest(43, 43).proportion_ci(0.95, "exact")
    assert (interval.low, interval.high) == pytest.approx((exact.low, exact.high))
    assert interval.method == EFFECTIVE_CLUSTERS
    # The rule of three is its one-sided form.
    one_sided = clustered_mean([0.0] * 43, range(43), 0.9, bounds=SHARE)
    assert one_sided.high == pytest.approx(3 / 43, rel=0.05)


def test_degrees_of_freedom_are_those_of_the_sum_of_squares_of_independent_values() -> None:
    """Satterthwaite: twice the squared expectation over the variance, here from the covariance of the deviations."""
    counts = (1, 2, 3, 5, 40)
    total = sum(counts)
    covariance = [
        [one * ((place == other) - two / total) for other, two in enumerate(counts)] for place, one in enumerate(counts)
    ]
    trace = sum(covariance[place][place] for place in range(len(counts)))
    expected = trace**2 / sum(entry**2 for row in covariance for entry in row)
    assert ClusterSums((0.0,) * 5, counts).freedom == pytest.approx(expected)
    assert ClusterSums((0.0,) * 7, (3,) * 7).freedom == pytest.approx(6)
    assert ClusterSums((0.0,), (3,)).freedom == 0
    assert ClusterSums((0.0, 0.0), (10**12, 1)).freedom == 1


def test_unequal_families_count_for_fewer() -> None:
    clusters = [0] * 90 + list(range(1, 11))
    interval = clustered_mean([1.0] * 100, clusters, bounds=SHARE)
    assert interval.low < 0.1, "nine tenths of the values are one family"


@pytest.mark.parametrize("mean", [clustered_mean, bootstrap_mean])
def test_what_does_not_vary_shows_nothing(mean) -> None:  # type: ignore[no-untyped-def]
    assert mean([2.0] * 6, [1, 1, 2, 2, 3, 3]).method == UNKNOWN
    one_cluster = mean([0.0, 1.0, 1.0], ["a"] * 3, bounds=SHARE)
    assert (one_cluster.low, one_cluster.high, one_cluster.method) == (0, 1, UNKNOWN)
    assert math.isinf(mean([1.0, 5.0], ["a"] * 2).high)
    changed = mean([0.0] * 10, range(10), bounds=(-1.0, 1.0))
    assert changed.low == -changed.high < 0


@pytest.mark.parametrize("mean", [clustered_mean, bootstrap_mean])
def test_nothing_has_no_mean(mean) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="no values"):
        mean([], [])
    with pytest.raises(ValueError, match="2 values, but 1 clusters"):
        mean([1.0, 2.0], ["a"])


@given(VALUES, st.randoms(use_true_random=False))
def test_order_does_not_matter(pairs: list[tuple[float, int]], order: random.Random) -> None:
    shuffled = list(pairs)
    order.shuffle(shuffled)
    for mean in (clustered_mean, lambda *given, **kept: bootstrap_mean(*given, resamples=50, **kept)):
        assert mean(*zip(*pairs, strict=True), bounds=SHARE) == mean(*zip(*shuffled, strict=True), bounds=SHARE)


@given(VALUES)
def test_intervals_hold_the_mean_and_stay_in_bounds(pairs: list[tuple[float, int]]) -> None:
    values, clusters = zip(*pairs, strict=True)
    analytic = clustered_mean(values, clusters, bounds=SHARE)
    assert 0 <= analytic.low <= analytic.estimate + 1e-9
    assert analytic.estimate - 1e-9 <= analytic.high <= 1
    drawn = bootstrap_mean(values, clusters, resamples=50, bounds=SHARE)
    assert 0 <= drawn.low <= drawn.high <= 1


@given(VALUES, st.integers(2, 5))
def test_more_of_the_same_in_each_cluster_shows_nothing_new(pairs: list[tuple[float, int]], times: int) -> None:
    values, clusters = zip(*pairs, strict=True)
    once = clustered_mean(values, clusters, bounds=SHARE)
    more = clustered_mean(values * times, clusters * times, bounds=SHARE)
    assert (more.low, more.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert bootstrap_mean(values * times, clusters * times, resamples=50).low == pytest.approx(
        bootstrap_mean(values, clusters, resamples=50).low, abs=1e-9
    )


@given(VALUES, st.floats(0.5, 0.98), st.floats(0.001, 0.01))
def test_more_confidence_is_wider(pairs: list[tuple[float, int]], confidence: float, more: float) -> None:
    values, clusters = zip(*pairs, strict=True)
    narrow, wide = (clustered_mean(values, clusters, each, bounds=SHARE) for each in (confidence, confidence + more))
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


def test_seed_decides() -> None:
    values, clusters = _random(100, 12)
    assert bootstrap_mean(values, clusters, seed=3) == bootstrap_mean(values, clusters, seed=3)
    assert bootstrap_mean(values, clusters, seed=3) != bootstrap_mean(values, clusters, seed=4)


def test_parts_without_a_denominator_are_left_out() -> None:
    data = ClusterSums.of_parts([(1.0, 4), (0.0, 0), (2.0, 6)], ["a", "b", "c"])
    assert data == ClusterSums((1.0, 2.0), (4, 6))
    assert ClusterSums.of_parts([(0.0, 0)], ["a"]) is None


@given(VALUES)
def test_effective_clusters_are_at_most_the_clusters(pairs: list[tuple[float, int]]) -> None:
    data = ClusterSums.of(*zip(*pairs, strict=True))
    assume(len(data.counts) > 1)
    assert 1 <= data.effective_clusters <= len(data.counts) + 1e-9
