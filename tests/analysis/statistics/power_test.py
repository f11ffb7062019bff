import math
import random

import pytest

from tool_sandbox.analysis.statistics.paired import paired_test
from tool_sandbox.analysis.statistics.power import (
    Noise,
    families_needed,
    noise_of_assumptions,
    noise_of_pairs,
    noise_of_run,
    smallest_difference,
    trials_needed,
)

FAMILIES, EACH = 30, 6
CLUSTERS = [family for family in range(FAMILIES) for _ in range(EACH)]
FAMILY, SCENARIO, TRIAL = 0.03, 0.15, 0.5
"""Standard deviations of the difference between families and scenarios, and of one trial of one agent."""

TRUE = Noise(
    FAMILY**2 / FAMILIES + SCENARIO**2 / (FAMILIES * EACH), 2 * TRIAL**2, FAMILIES, FAMILIES * EACH, measured_trials=4
)


def play(draws: random.Random, trials: int, difference: float) -> tuple[list[list[float]], list[list[float]]]:
    """Trials of two agents, of which the second is better by a difference that varies."""
    before, after = [], []
    tendencies = [draws.gauss(0, FAMILY) for _ in range(FAMILIES)]
    for family in CLUSTERS:
        centre = draws.gauss(0, 1)
        shift = difference + tendencies[family] + draws.gauss(0, SCENARIO)
        before.append([draws.gauss(centre, TRIAL) for _ in range(trials)])
        after.append([draws.gauss(centre + shift, TRIAL) for _ in range(trials)])
    return before, after


def share_found(trials: int, difference: float, repetitions: int = 400) -> float:
    draws = random.Random(1)
    found = 0
    for _ in range(repetitions):
        before, after = play(draws, trials, difference)
        moved = [sum(now) / trials - sum(then) / trials for then, now in zip(before, after, strict=True)]
        found += paired_test(moved, CLUSTERS, resamples=1).p_value < 0.05
    return found / repetitions


def test_the_number_of_trials_gives_the_promised_power() -> None:
    difference = smallest_difference(TRUE, 3) * 1.0001
    assert trials_needed(TRUE, difference) == 3
    # Two standard errors of a share of 80 % in 400 repetitions are 4 points.
    assert share_found(3, difference) == pytest.approx(0.8, abs=0.05)
    assert share_found(1, difference) < 0.6


def test_noise_is_found_again_in_what_was_played() -> None:
    draws = random.Random(2)
    found = [noise_of_pairs(*play(draws, 12, 0.1), CLUSTERS) for _ in range(40)]
    assert sum(each.trial for each in found) / 40 == pytest.approx(TRUE.trial, rel=0.03)
    assert sum(each.fixed for each in found) / 40 == pytest.approx(TRUE.fixed, rel=0.25)
    assert {each.measured_trials for each in found} == {12}
    errors = [each.standard_error(10) for each in found]
    assert sum(errors) / 40 == pytest.approx(TRUE.standard_error(10), rel=0.06)


def test_success_of_assumptions_is_that_of_binary_results() -> None:
    """Each scenario has its probability, alike within a family; trials are drawn from it."""
    noise = noise_of_assumptions(0.5, scenarios=200, families=40, icc=0.4, family_icc=0.1, correlation=0.5)
    draws = random.Random(3)
    estimates = []
    for _ in range(400):
        total = 0.0
        for _ in range(40):
            common, own = draws.gauss(0, math.sqrt(0.0125)), [draws.gauss(0, math.sqrt(0.0125)) for _ in range(2)]
            for _ in range(5):
                shared, alone = draws.gauss(0, math.sqrt(0.0375)), [draws.gauss(0, math.sqrt(0.0375)) for _ in range(2)]
                chances = [0.5 + common + own[agent] + shared + alone[agent] for agent in range(2)]
                total += (draws.random() < chances[1]) - (draws.random() < chances[0])
        estimates.append(total / 200)
    spread = math.sqrt(sum(each**2 for each in estimates) / len(estimates))
    assert noise.standard_error(1) == pytest.approx(spread, rel=0.1)


def test_one_run_is_assumed_to_meet_one_like_it() -> None:
    draws = random.Random(4)
    _, results = play(draws, 4, 0)
    alike, strange = noise_of_run(results, CLUSTERS, 1.0), noise_of_run(results, CLUSTERS, 0.0)
    assert alike.fixed == 0
    assert strange.fixed == pytest.approx(2 * noise_of_run(results, CLUSTERS, 0.5).fixed)
    assert alike.trial == strange.trial == pytest.approx(2 * TRIAL**2, rel=0.15)


def test_one_trial_cannot_be_split_and_says_so() -> None:
    before, after = play(random.Random(5), 1, 0)
    noise = noise_of_pairs(before, after, CLUSTERS)
    assert not noise.is_split_known
    moved = [now[0] - then[0] for then, now in zip(before, after, strict=True)]
    assert smallest_difference(noise, 1) == pytest.approx(paired_test(moved, CLUSTERS).smallest)


def test_present_design_sees_what_the_test_says() -> None:
    before, after = play(random.Random(6), 2, 0)
    noise = noise_of_pairs(before, after, CLUSTERS)
    moved = [sum(now) / 2 - sum(then) / 2 for then, now in zip(before, after, strict=True)]
    assert smallest_difference(noise, 2) == pytest.approx(paired_test(moved, CLUSTERS).smallest)


def test_needed_numbers_are_the_smallest() -> None:
    limit = smallest_difference(TRUE, 1_000)
    assert trials_needed(TRUE, limit * 0.99) is None
    for difference in (limit * 1.05, limit * 1.5, limit * 3):
        trials = trials_needed(TRUE, difference)
        assert trials is not None
        assert smallest_difference(TRUE, trials) <= difference
        assert trials == 1 or smallest_difference(TRUE, trials - 1) > difference
    families = families_needed(TRUE, limit / 2, 2)
    assert families is not None
    assert smallest_difference(TRUE, 2, families) <= limit / 2 < smallest_difference(TRUE, 2, families - 1)
    assert families_needed(TRUE, 1e-9, 1) is None


def test_one_family_sees_nothing() -> None:
    assert smallest_difference(Noise(0.1, 0.1, 1, 10), 5) == math.inf
