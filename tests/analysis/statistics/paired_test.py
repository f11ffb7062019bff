import itertools
import math
import random
import statistics

import pytest
from scipy import stats

from tool_sandbox.analysis.statistics.paired import (
    DIFFERENCE_OF_SHARES,
    detectable,
    holm,
    paired_test,
    sign_flip_p_value,
)


def test_without_clusters_it_is_the_paired_t_test() -> None:
    draws = random.Random(1)
    differences = [draws.gauss(0.3, 1) for _ in range(30)]
    ours = paired_test(differences, range(30))
    theirs = stats.ttest_1samp(differences, 0)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    low, high = theirs.confidence_interval(0.95)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((low, high))


def test_equal_clusters_count_once_each() -> None:
    """With clusters of one size the test is that of the cluster means (Cameron & Miller 2015, section II)."""
    draws = random.Random(2)
    means = [draws.gauss(0.2, 1) for _ in range(12)]
    differences = [mean for mean in means for _ in range(7)]
    ours = paired_test(differences, [number for number in range(12) for _ in range(7)])
    assert ours.p_value == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-9)


def test_interval_excludes_zero_just_where_the_p_value_is_small() -> None:
    draws = random.Random(3)
    seen = set()
    for _ in range(200):
        shift = draws.uniform(-0.5, 0.5)
        test = paired_test(
            [draws.gauss(shift, 1) for _ in range(60)], [number // 3 for number in range(60)], resamples=1
        )
        excludes = test.interval.low > 0 or test.interval.high < 0
        assert excludes == (test.p_value < 0.05)
        seen.add(excludes)
    assert seen == {True, False}


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_few_clusters_are_flipped_in_every_way(count: int) -> None:
    draws = random.Random(count)
    sums = [draws.gauss(0.5, 1) for _ in range(count)]
    patterns = list(itertools.product((1, -1), repeat=count))
    totals = [abs(sum(sign * part for sign, part in zip(signs, sums, strict=True))) for signs in patterns]
    expected = sum(total >= abs(sum(sums)) - 1e-9 for total in totals) / len(patterns)
    assert sign_flip_p_value(sums) == pytest.approx(expected)


def test_many_clusters_are_flipped_at_random_with_a_seed() -> None:
    draws = random.Random(4)
    sums = [draws.gauss(0.4, 1) for _ in range(40)]
    p_value = sign_flip_p_value(sums, seed=7)
    assert p_value == sign_flip_p_value(sums, seed=7) != sign_flip_p_value(sums, seed=8)
    theirs = stats.permutation_test(
        (sums,), lambda values, axis: values.mean(axis=axis), permutation_type="samples", n_resamples=9999, rng=1
    )
    assert p_value == pytest.approx(theirs.pvalue, abs=0.015)


def test_p_value_of_flips_is_never_zero() -> None:
    assert sign_flip_p_value([1.0] * 40) == pytest.approx(1 / 10_000)
    assert sign_flip_p_value([1.0] * 6) == pytest.approx(2 / 2**6)


def test_identical_runs_differ_by_nothing_and_are_not_called_certain() -> None:
    test = paired_test([0.0] * 100, [number % 20 for number in range(100)], bounds=DIFFERENCE_OF_SHARES)
    assert (test.interval.estimate, test.p_value, test.p_flip) == (0, 1, 1)
    # 0 of 20 families: Clopper-Pearson says that up to 17 % may be different.
    assert test.interval.high == pytest.approx(stats.beta.ppf(0.975, 1, 20)) == pytest.approx(test.smallest)
    assert test.interval.low == -test.interval.high


def test_the_same_drop_everywhere_is_tested_by_flips_alone() -> None:
    test = paired_test([-1.0] * 10, range(10), bounds=DIFFERENCE_OF_SHARES)
    assert test.interval.estimate == -1
    assert test.p_value == test.p_flip == pytest.approx(2 / 2**10)


def test_one_family_says_nothing() -> None:
    test = paired_test([-1.0, 0.0, -1.0], ["a", "a", "a"], bounds=DIFFERENCE_OF_SHARES)
    assert (test.interval.low, test.interval.high) == (-1, 1)
    assert test.p_value == 1


def _clustered(draws: random.Random, families: int) -> tuple[list[float], list[int]]:
    """Differences of successes without a true difference, correlated within families of unequal sizes."""
    values: list[float] = []
    clusters: list[int] = []
    for family in range(families):
        tendency = draws.gauss(0, 0.25)
        for _ in range(draws.choice((4, 8, 16))):
            first = draws.random() < 0.6 + tendency / 2
            second = draws.random() < 0.6 - tendency / 2
            values.append(float(second) - float(first))
            clusters.append(family)
    return values, clusters


@pytest.mark.parametrize("families", [10, 40])
def test_false_alarms_are_as_frequent_as_promised(families: int) -> None:
    draws = random.Random(5)
    trials = 1_000
    alarms = naive = 0
    for _ in range(trials):
        values, clusters = _clustered(draws, families)
        test = paired_test(values, clusters, resamples=1)
        alarms += test.p_value < 0.05
        error = statistics.stdev(values) / math.sqrt(len(values))
        naive += abs(test.interval.estimate) > 1.96 * error
    # Three standard errors of a share of 5 % in 1,000 trials are 2 points.
    assert 0.03 <= alarms / trials <= 0.075
    assert naive / trials > 0.1, "the simulation is correlated, or it would show nothing"


def test_false_alarms_of_flips() -> None:
    draws = random.Random(6)
    alarms = 0
    for _ in range(1_000):
        values, clusters = _clustered(draws, 12)
        sums = [sum(value for value, each in zip(values, clusters, strict=True) if each == one) for one in range(12)]
        alarms += sign_flip_p_value(sums) < 0.05
    assert 0.03 <= alarms / 1_000 <= 0.07


def test_holm_against_the_published_steps() -> None:
    # Holm 1979: 4 * 0.005, then 3 * 0.01, 2 * 0.03, and 0.04, which may not fall below 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_detectable_difference_is_that_of_the_textbook() -> None:
    # Bloom 1995: 2.8 standard errors for many degrees of freedom.
    assert detectable(1.0, 100_000) == pytest.approx(2.80, abs=0.005)
    assert detectable(1.0, 0) == math.inf
