"""pass@k and pass^k are what their papers say, and unbiased."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.analysis.statistics.estimators import fisher_p_value, pass_at_k, pass_hat_k


@st.composite
def trials(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 60))
    return n, draw(st.integers(0, n))


def _codex(n: int, c: int, k: int) -> float:
    """The program of figure 3 in Chen et al. 2021, without NumPy."""
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


@given(trials(), st.data())
def test_pass_at_k_is_that_of_the_paper(counts: tuple[int, int], data: st.DataObject) -> None:
    n, c = counts
    k = data.draw(st.integers(1, n))
    assert pass_at_k(n, c, k) == pytest.approx(_codex(n, c, k), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "hat"), [(5, 3, 2, 0.9, 0.3), (8, 4, 4, 69 / 70, 1 / 70), (4, 1, 4, 1, 0)]
)
def test_values_that_can_be_counted_by_hand(n: int, c: int, k: int, at: float, hat: float) -> None:
    assert pass_at_k(n, c, k) == at
    assert pass_hat_k(n, c, k) == hat


@pytest.mark.parametrize("n", range(1, 7))
def test_both_count_subsets_of_the_trials(n: int) -> None:
    for c, k in itertools.product(range(n + 1), range(1, n + 1)):
        subsets = list(itertools.combinations([True] * c + [False] * (n - c), k))
        assert pass_at_k(n, c, k) == sum(map(any, subsets)) / len(subsets)
        assert pass_hat_k(n, c, k) == sum(map(all, subsets)) / len(subsets)


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_both_are_unbiased(p: Fraction) -> None:
    n = 6
    weights = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    for k in range(1, n + 1):
        at = float(sum(weight * Fraction(pass_at_k(n, c, k)) for c, weight in enumerate(weights)))
        hat = float(sum(weight * Fraction(pass_hat_k(n, c, k)) for c, weight in enumerate(weights)))
        assert at == pytest.approx(float(1 - (1 - p) ** k), rel=1e-14)
        assert hat == pytest.approx(float(p**k), rel=1e-14)


@given(trials())
def test_more_trials_help_once_and_hurt_always(counts: tuple[int, int]) -> None:
    n, c = counts
    at, hat = ([estimate(n, c, k) for k in range(1, n + 1)] for estimate in (pass_at_k, pass_hat_k))
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == hat[0] == c / n
    assert all(0 <= low <= high <= 1 for low, high in zip(hat, at, strict=True))


def test_many_trials_are_exact() -> None:
    assert pass_at_k(10_000, 1, 100) == 0.01
    assert pass_hat_k(10_000, 9_999, 100) == 0.99


@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 4), (3, 1, 0), (0, 0, 1)])
def test_k_is_limited_by_the_trials(n: int, c: int, k: int) -> None:
    for estimator in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="k is from 1 to the number of trials"):
            estimator(n, c, k)


def test_impossible_counts() -> None:
    with pytest.raises(ValueError, match="4 successes in 3 trials"):
        pass_at_k(3, 4, 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((2, 2), (0, 2), 1 / 3),
        ((3, 3), (0, 3), 0.1),
        ((4, 4), (0, 4), 1 / 35),
        ((2, 2), (1, 2), 1),
        ((5, 5), (1, 5), 1 / 21),
    ],
)
def test_a_scenario_that_falls_is_as_surprising_as_counted_by_hand(
    before: tuple[int, int], after: tuple[int, int], expected: float
) -> None:
    assert fisher_p_value(before, after) == fisher_p_value(after, before) == pytest.approx(expected)


@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.05, 0.95))
def test_two_equal_agents_are_called_different_no_oftener_than_promised(n: int, m: int, chance: float) -> None:
    def likelihood(won: int, trials: int) -> float:
        return math.comb(trials, won) * chance**won * (1 - chance) ** (trials - won)

    tables = [(won, now) for won in range(n + 1) for now in range(m + 1)]
    wrong = sum(likelihood(w, n) * likelihood(v, m) for w, v in tables if fisher_p_value((w, n), (v, m)) < 0.05)
    assert wrong < 0.05
