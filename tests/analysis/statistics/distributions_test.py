"""Distributions against published tables, SciPy, and what holds for all of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tool_sandbox.analysis.statistics.distributions import (
    normal_cdf,
    normal_quantile,
    student_t_cdf,
    student_t_quantile,
)

PROBABILITIES = st.floats(1e-6, 1 - 1e-6)
DEGREES = st.one_of(st.integers(1, 400).map(float), st.floats(0.5, 1e4))

# Rows of the table of Student's distribution as printed in textbooks: degrees of freedom to upper tail to value.
TABLE = {
    1: {0.10: 3.078, 0.05: 6.314, 0.025: 12.706, 0.01: 31.821, 0.005: 63.657},
    2: {0.10: 1.886, 0.05: 2.920, 0.025: 4.303, 0.01: 6.965, 0.005: 9.925},
    5: {0.10: 1.476, 0.05: 2.015, 0.025: 2.571, 0.01: 3.365, 0.005: 4.032},
    10: {0.10: 1.372, 0.05: 1.812, 0.025: 2.228, 0.01: 2.764, 0.005: 3.169},
    30: {0.10: 1.310, 0.05: 1.697, 0.025: 2.042, 0.01: 2.457, 0.005: 2.750},
    120: {0.10: 1.289, 0.05: 1.658, 0.025: 1.980, 0.01: 2.358, 0.005: 2.617},
    math.inf: {0.10: 1.282, 0.05: 1.645, 0.025: 1.960, 0.01: 2.326, 0.005: 2.576},
}


@pytest.mark.parametrize("degrees", TABLE)
def test_quantiles_are_those_of_the_printed_table(degrees: float) -> None:
    assert {tail: round(-student_t_quantile(tail, degrees), 3) for tail in TABLE[degrees]} == TABLE[degrees]


def test_normal_distribution_is_that_of_the_printed_table() -> None:
    assert [round(normal_cdf(z), 4) for z in (-1.96, 0, 1, 1.645, 2.58)] == [0.0250, 0.5, 0.8413, 0.9500, 0.9951]
    assert round(normal_quantile(0.975), 6) == 1.959964


@given(st.floats(-40, 40), DEGREES)
def test_student_t_is_that_of_scipy(t: float, degrees: float) -> None:
    assert student_t_cdf(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), rel=1e-8, abs=1e-300)


@given(PROBABILITIES, DEGREES)
def test_student_t_quantile_is_that_of_scipy(probability: float, degrees: float) -> None:
    assert student_t_quantile(probability, degrees) == pytest.approx(
        stats.t.ppf(probability, degrees), rel=1e-7, abs=1e-8
    )


@given(PROBABILITIES, DEGREES)
def test_quantile_inverts_the_distribution(probability: float, degrees: float) -> None:
    assert student_t_cdf(student_t_quantile(probability, degrees), degrees) == pytest.approx(probability, rel=1e-9)


@given(st.floats(-1e6, 1e6), DEGREES)
def test_student_t_is_symmetric(t: float, degrees: float) -> None:
    assert student_t_cdf(t, degrees) + student_t_cdf(-t, degrees) == pytest.approx(1, abs=1e-12)


def test_ends() -> None:
    assert student_t_cdf(math.inf, 3) == 1
    assert student_t_cdf(-math.inf, 3) == 0


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, math.nan])
def test_a_quantile_needs_a_probability(probability: float) -> None:
    for quantile in (normal_quantile, lambda p: student_t_quantile(p, 3)):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            quantile(probability)


def test_parameters_are_positive() -> None:
    with pytest.raises(ValueError, match="degrees of freedom are positive"):
        student_t_cdf(1, 0)


def test_at_the_border_of_both_expansions_rounding_does_not_matter() -> None:
    """Both 1.41... and its complement lie beyond the border there, each by a rounding error."""
    t, degrees = 1.414213562373095, 3.999999999999999
    assert student_t_cdf(-t, degrees) == pytest.approx(stats.t.cdf(-t, degrees), rel=1e-9)
