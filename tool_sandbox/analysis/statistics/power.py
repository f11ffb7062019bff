"""How much has to be played to see a difference between two agents.

The variance of a mean paired difference has two parts: one that stays however often each scenario is played (families
and scenarios suit one agent better than the other), and one that each further trial makes smaller (the same agent does
not always do the same). Miller 2024, "Adding Error Bars to Evals" (arXiv 2411.00640), derives this for questions that
are sampled several times; the smallest difference that is seen is that of ``paired.detectable``.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from statistics import variance

import attrs

from tool_sandbox.analysis.statistics.intervals import Bounds, ClusterSums, standard_error, unseen_share
from tool_sandbox.analysis.statistics.paired import detectable, least_flip_p_value

TRIALS = (1, 2, 3, 5, 10)
MOST_TRIALS = 1_000
MOST_FAMILIES = 100_000
CORRELATION = 0.5
"""Between the results of two agents on a scenario; Miller 2024 finds 0.3 to 0.7 for models, chance included."""

TRIAL_SHARE = 0.5
"""Of what scenarios of one trial vary by, how much is taken for chance."""

_ROUNDING = 1e-24
"""Variances that are none."""


@attrs.frozen
class Noise:
    """What a mean paired difference varies by.

    Attributes:
        fixed: Variance of the mean difference that stays with any number of trials.
        trial: Variance that one trial of both agents adds to the difference of a scenario.
        families: Number of families in the design.
        scenarios: Number of scenarios in the design, of all families.
        measured_trials: Trials a scenario that it was computed from, 0 for assumptions.
        is_split_known: Whether ``fixed`` and ``trial`` were told apart by data or assumed as such; if not, by
            `TRIAL_SHARE`.
        freedom: Degrees of freedom of a test in the design, ``None`` for families of the same size.
        unseen: Where nothing varied, the share of families that may be otherwise all the same (`unseen_share`):
            ``fixed`` and ``trial`` are what it leaves room for. Else ``None``.
    """

    fixed: float
    trial: float
    families: int
    scenarios: int
    measured_trials: int = 0
    is_split_known: bool = True
    freedom: float | None = None
    unseen: float | None = None

    def standard_error(self, trials: int, families: int | None = None) -> float:
        """Standard error of the mean difference."""
        spread = self.fixed + self.trial / (self.scenarios * trials)
        return math.sqrt(spread * self.families / (families or self.families))

    def freedom_of(self, families: int) -> float:
        """Degrees of freedom of a test with some number of families, of sizes that differ as now."""
        own = self.families - 1 if self.freedom is None else self.freedom
        return max(min(1.0, families - 1), (own + 1) * families / self.families - 1)


def smallest_difference(
    noise: Noise, trials: int, families: int | None = None, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Smallest true difference that is seen."""
    count = families or noise.families
    if least_flip_p_value(count) >= alpha:
        return math.inf
    return detectable(noise.standard_error(trials, count), noise.freedom_of(count), alpha, power)


def trials_needed(noise: Noise, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Trials of each scenario by each agent until a difference is seen."""
    if smallest_difference(noise, MOST_TRIALS, alpha=alpha, power=power) > difference:
        return None
    return _first(
        lambda trials: smallest_difference(noise, trials, alpha=alpha, power=power) <= difference, 1, MOST_TRIALS
    )


def families_needed(
    noise: Noise, difference: float, trials: int, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Families, each with as many scenarios as now, until a difference is seen."""
    if smallest_difference(noise, trials, MOST_FAMILIES, alpha=alpha, power=power) > difference:
        return None
    return _first(
        lambda count: smallest_difference(noise, trials, count, alpha=alpha, power=power) <= difference,
        2,
        MOST_FAMILIES,
    )


def noise_of_assumptions(
    success: float,
    *,
    scenarios: int,
    families: int,
    icc: float = 0.5,
    family_icc: float = 0.1,
    correlation: float = CORRELATION,
) -> Noise:
    """Variance of success rates that are not measured yet."""
    spread = success * (1 - success)
    of_families = 2 * (1 - correlation) * family_icc * spread
    of_scenarios = 2 * (1 - correlation) * (icc - family_icc) * spread
    fixed = of_families / families + of_scenarios / scenarios
    return Noise(fixed, 2 * (1 - icc) * spread, families, scenarios)


def noise_of_pairs(
    before: Sequence[Sequence[float]],
    after: Sequence[Sequence[float]],
    families: Sequence[Hashable],
    bounds: Bounds | None = None,
) -> Noise:
    """Noise of the difference between two agents that have played."""
    differences = [_mean(then) - _mean(now) for then, now in zip(after, before, strict=True)]
    trials = [min(len(first), len(second)) for first, second in zip(before, after, strict=True)]
    own, other = _trial_variance(before), _trial_variance(after)
    return _noise(differences, families, trials, None if own is None or other is None else own + other, bounds)


def noise_of_run(
    results: Sequence[Sequence[float]],
    families: Sequence[Hashable],
    correlation: float = CORRELATION,
    bounds: Bounds | None = None,
) -> Noise:
    """Noise of the difference between an agent that has played and another one like it."""
    means, trials = [_mean(each) for each in results], list(map(len, results))
    noise = _noise(means, families, trials, _trial_variance(results), bounds)
    return attrs.evolve(noise, fixed=2 * (1 - correlation) * noise.fixed, trial=2 * noise.trial)


def _noise(
    values: Sequence[float],
    families: Sequence[Hashable],
    trials: Sequence[int],
    trial: float | None,
    bounds: Bounds | None,
) -> Noise:
    """Splits the cluster-robust variance of a mean into what trials add to it and the rest."""
    data = ClusterSums.of(values, families)
    if len(data.counts) < 2:
        raise ValueError("there is one family of scenarios, or of one family one base scenario")
    each = len(values) / math.fsum(1 / count for count in trials)
    is_known = trial is not None
    if trial is None:
        trial = TRIAL_SHARE * variance(values) * each
    observed = standard_error(data) ** 2
    if observed + trial < _ROUNDING:
        return _unvaried(data, round(each), bounds)
    fixed = max(0.0, observed - trial / (len(values) * each))
    return Noise(fixed, trial, len(data.counts), len(values), round(each), is_known, data.freedom)


def _unvaried(data: ClusterSums, trials: int, bounds: Bounds | None) -> Noise:
    """The most that results may vary which were all the same: as many as may go unseen, as far off as they can be."""
    if bounds is None or not all(map(math.isfinite, bounds)):
        raise ValueError("all results are the same, so their variance is unknown")
    (low, high), mean, unseen = bounds, data.mean, unseen_share(data)
    spread = min(unseen * max(mean - low, high - mean) ** 2, (high - low) ** 2 / 4)
    fixed, trial = (1 - TRIAL_SHARE) * spread / data.effective_clusters, TRIAL_SHARE * spread
    return Noise(fixed, trial, len(data.counts), sum(data.counts), trials, False, data.freedom, unseen)


def _trial_variance(results: Sequence[Sequence[float]]) -> float | None:
    """Variance between the trials of a scenario, pooled; ``None`` if no scenario has two."""
    repeated = [trials for trials in results if len(trials) > 1]
    freedom = sum(len(trials) - 1 for trials in repeated)
    return math.fsum(variance(trials) * (len(trials) - 1) for trials in repeated) / freedom if freedom else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Smallest number for which something holds that holds from there on, up to ``high``."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
