"""Intervals cover the truth as often as they say, where results of a family resemble each other."""

import math
import random

import pytest

from tool_sandbox.analysis.statistics.intervals import SHARE, ClusterSums, bootstrap_intervals, clustered_interval

SIZES = (*[3] * 4, *[4] * 8, *[5] * 8, *[6] * 7, *[8] * 3, *[10] * 5, 11, *[12] * 3, 13, 13, 15, 16)
"""Base scenarios of the 43 families of the suite."""

SIMULATIONS = 2_000
RESAMPLES = 400


def _outcomes(draw: random.Random, mean: float, correlation: float) -> ClusterSums:
    """Successes where the chance of each family is drawn from a beta distribution."""
    a, b = (share * (1 - correlation) / correlation for share in (mean, 1 - mean))
    chances = [draw.betavariate(a, b) for _ in SIZES]
    sums = [
        float(sum(draw.random() < chance for _ in range(size))) for chance, size in zip(chances, SIZES, strict=True)
    ]
    return ClusterSums(tuple(sums), SIZES)


def _naive_covers(data: ClusterSums, mean: float) -> bool:
    reach = 1.96 * math.sqrt(data.mean * (1 - data.mean) / sum(SIZES))
    return data.mean - reach <= mean <= data.mean + reach


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "correlation"), [(0.5, 0.2), (0.8, 0.3)])
def test_intervals_cover_and_the_naive_one_does_not(mean: float, correlation: float) -> None:
    draw = random.Random(f"{mean} {correlation}")
    analytic = bootstrap = naive = 0
    for number in range(SIMULATIONS):
        data = _outcomes(draw, mean, correlation)
        interval = clustered_interval(data, bounds=SHARE)
        analytic += interval.low <= mean <= interval.high
        interval = bootstrap_intervals([data], 0.95, RESAMPLES, number % 4, bounds=[SHARE])[0]
        bootstrap += interval.low <= mean <= interval.high
        naive += _naive_covers(data, mean)
    assert 0.925 < analytic / SIMULATIONS < 0.975
    assert 0.925 < bootstrap / SIMULATIONS < 0.975
    assert naive / SIMULATIONS < 0.85


def test_families_of_very_different_sizes_are_covered_too() -> None:
    sizes = (1, 1, 2, 3, 4, 6, 8, 11, 16, 30)
    draw, covered = random.Random(3), 0
    for _ in range(SIMULATIONS):
        chances = [draw.betavariate(4.5, 4.5) for _ in sizes]
        sums = [
            float(sum(draw.random() < chance for _ in range(size))) for chance, size in zip(chances, sizes, strict=True)
        ]
        interval = clustered_interval(ClusterSums(tuple(sums), sizes), bounds=SHARE)
        covered += interval.low <= 0.5 <= interval.high
    # With one degree of freedom less than there are families it is 0.90.
    assert 0.92 < covered / SIMULATIONS < 0.975


def test_a_quantity_without_bounds_is_covered_too() -> None:
    draw = random.Random(7)
    covered = 0
    for _ in range(SIMULATIONS):
        sums = [size * draw.gauss(5, 1) + math.sqrt(size) * draw.gauss(0, 2) for size in SIZES]
        interval = clustered_interval(ClusterSums(tuple(sums), SIZES))
        covered += interval.low <= 5 <= interval.high
    assert 0.925 < covered / SIMULATIONS < 0.975
