"""Evaluates gates on runs."""

from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.analysis.compare import difference, mean_of, refusal
from tool_sandbox.analysis.comparison import MetricDifference, PairwiseComparison, RunComparison, interval_text
from tool_sandbox.analysis.gates import ABOVE, BELOW, BREAKS, DROPS, Gate
from tool_sandbox.analysis.metric import Metric, RunMetric
from tool_sandbox.analysis.pairing import StoredRun
from tool_sandbox.analysis.registry import share_of_successes
from tool_sandbox.analysis.statistics.intervals import UNKNOWN, Interval
from tool_sandbox.analysis.statistics.paired import least_flip_p_value
from tool_sandbox.helpers.counting import counted
from tool_sandbox.records.result import Result
from tool_sandbox.runner.summary import counted_categories
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.errors import ConfigurationError

_ROUNDING = 1e-9
"""Differences that are none: 0.8 less 0.78 is not more than 0.02."""

_TOO_FEW = (
    "too few families (or base scenarios of one family), or no variation between them, for a test of significance"
)


@attrs.frozen
class GateResult:
    """What a gate says about a run.

    Attributes:
        gate: The gate.
        label: Of the run.
        passed: Whether it holds.
        reason: What was measured, or why nothing could be.
    """

    gate: Gate
    label: str
    passed: bool
    reason: str


def categories_of(runs: Iterable[StoredRun]) -> list[str]:
    """Categories that count a conversation of a run, each once."""
    found = dict.fromkeys(
        name for run in runs for result in run.results for name in counted_categories(result["categories"])
    )
    return list(found)


def evaluate_gates(gates: Sequence[Gate], comparison: RunComparison) -> list[GateResult]:
    """Evaluates gates on each run but the baseline, or on the only run there is.

    Where more conversations than the comparison allows ended as infrastructure errors, only gates about such rates can
    be evaluated.
    """
    rate = comparison.max_infrastructure_rate
    if not comparison.others:
        for gate in gates:
            if gate.needs_baseline:
                raise ConfigurationError(f"gate {gate.text!r} needs a baseline: name two runs, the baseline first")
        run = comparison.baseline
        return [_absolute(gate, run, comparison.confidence, rate) for gate in gates]
    return [
        _relative(gate, comparison, run, pairwise, rate)
        if gate.needs_baseline
        else _absolute(gate, run, comparison.confidence, rate)
        for run, pairwise in zip(comparison.others, comparison.pairwise, strict=True)
        for gate in gates
    ]


def _doubt(gate: Gate, runs: Sequence[StoredRun], max_rate: float) -> str | None:
    """Why a gate cannot be evaluated on some runs. What a run as a whole is measured by shows its faults itself."""
    for run in runs:
        if len(run.results) < run.planned:
            return f"{run.label} is incomplete: {len(run.results)} of {counted(run.planned, 'conversation')} played"
        if not isinstance(gate.metric, RunMetric) and (refused := refusal(run, max_rate)) is not None:
            return refused
    return None


def _says_nothing(gate: Gate, interval: Interval) -> bool:
    """Whether an interval cannot show anything, however large the difference: that would always pass."""
    return gate.significantly and (
        interval.clusters < 2 or (interval.method == UNKNOWN and abs(interval.estimate) > _ROUNDING)
    )


def _absolute(gate: Gate, run: StoredRun, confidence: float, max_rate: float) -> GateResult:
    doubt = _doubt(gate, [run], max_rate)
    if doubt is not None or gate.metric is None:
        return _unevaluated(gate, run.label, doubt or "it needs a baseline")
    if isinstance(gate.metric, RunMetric):
        value = gate.metric.of_results(_in_category(run.results, gate.category))
        low, high, told = value, value, f"{value}" if value is None else f"{value:.4g}"
    else:
        scenarios = [
            tuple(filter(is_evaluated, trials)) for trials in run.trials.values() if _is_in(trials[0], gate.category)
        ]
        mean = mean_of(gate.metric, scenarios, confidence, kind=run.clustered_by)
        over = _over(mean, len(scenarios))
        if mean and _says_nothing(gate, mean):
            return _unevaluated(gate, run.label, _TOO_FEW)
        value = mean.estimate if mean else None
        low, high = (mean.low, mean.high) if mean and gate.significantly else (value, value)
        told = f"{mean.estimate:.4g} {interval_text(mean, '.4g')}".rstrip() + over if mean else ""
    if value is None or low is None or high is None:
        return _unevaluated(gate, run.label, _unknown(gate.metric, run.label))
    fails = (gate.kind == BELOW and high < gate.threshold - _ROUNDING) or (
        gate.kind == ABOVE and low > gate.threshold + _ROUNDING
    )
    return GateResult(gate, run.label, not fails, f"{gate.metric.name} is {told}")


def _relative(
    gate: Gate, comparison: RunComparison, run: StoredRun, pairwise: PairwiseComparison, max_rate: float
) -> GateResult:
    doubt = _doubt(gate, [comparison.baseline, run], max_rate)
    pairs = [pair for pair in pairwise.pairing.pairs if gate.category is None or gate.category in pair.categories]
    if doubt is None and not pairs and not isinstance(gate.metric, RunMetric):
        doubt = f"{comparison.baseline.label} and {run.label} have no such scenario in common that both evaluated"
    if doubt is not None:
        return _unevaluated(gate, run.label, doubt)
    if gate.kind == BREAKS or gate.metric is None:
        names = {(pair.name, pair.seed) for pair in pairs}
        broken = [change for change in pairwise.broken if (change.name, change.seed) in names]
        first = f" (the first: {broken[0].name})" if broken else ""
        reason = f"{len(broken)} of {counted(len(pairs), 'scenario')} broke{first}"
        if len(pairs) <= gate.threshold:
            return _unevaluated(
                gate, run.label, f"of {counted(len(pairs), 'scenario')} never more than {gate.threshold:g} break"
            )
        if (breakable := sum(share_of_successes(pair.before) > 0 for pair in pairs)) <= gate.threshold:
            reason += f"; the baseline succeeds in {breakable}, so this could not fail"
        return GateResult(gate, run.label, len(broken) <= gate.threshold, reason)
    if isinstance(gate.metric, Metric):
        found = difference(gate.metric, pairs, comparison.confidence, kind=pairwise.pairing.clustered_by)
        if found is None:
            return _unevaluated(gate, run.label, _unknown(gate.metric, f"{comparison.baseline.label} and {run.label}"))
        baseline = comparison.baseline.trials.values()
        told = _moved(gate, run.label, found.before, found.after, found)
        over = _over(found.test.interval, sum(_is_in(trials[0], gate.category) for trials in baseline))
        return attrs.evolve(told, reason=told.reason + over)
    values = [gate.metric.of_results(_in_category(each.results, gate.category)) for each in (comparison.baseline, run)]
    if values[0] is None or values[1] is None:
        return _unevaluated(gate, run.label, _unknown(gate.metric, f"{comparison.baseline.label} and {run.label}"))
    return _moved(gate, run.label, values[0], values[1], None)


def _moved(gate: Gate, label: str, before: float, after: float, found: MetricDifference | None) -> GateResult:
    """Whether a metric moved too far; ``found`` has its interval, if there is one."""
    direction = -1 if gate.kind == DROPS else 1
    limit = gate.threshold
    if gate.is_relative:
        if before == 0 and after != 0:
            return _unevaluated(gate, label, f"the baseline is 0, so {after:.4g} is no percentage of it")
        limit = gate.threshold * abs(before)
    moved = direction * (after - before)
    if found is not None and gate.significantly:
        interval = found.test.interval
        if _says_nothing(gate, interval) or least_flip_p_value(interval.clusters) >= 1 - interval.confidence:
            return _unevaluated(gate, label, _TOO_FEW)
        moved = interval.low if direction == 1 else -interval.high
        # With few families an interval can exclude what the sign-flip test, which assumes less, does not.
        if found.test.p_flip >= 1 - interval.confidence:
            moved = min(moved, 0.0)
    told = f"{before:.4g} before, {after:.4g} now, {after - before:+.4g}"
    if gate.is_relative and before:
        told += f" or {(after - before) / abs(before):+.1%}"
    if found is not None:
        told = f"{told} {interval_text(found.test.interval, '+.4g')}".rstrip()
    if gate.metric is not None and limit >= (before if direction == -1 else gate.metric.bounds[1] - before):
        told += f"; from {before:.4g} it cannot {'drop' if direction == -1 else 'rise'} by more, so this could not fail"
    name = gate.metric.name if gate.metric else gate.kind
    return GateResult(gate, label, moved <= limit + _ROUNDING, f"{name}: {told}")


def _in_category(results: Sequence[Result], category: str | None) -> list[Result]:
    return [result for result in results if _is_in(result, category)]


def _is_in(result: Result, category: str | None) -> bool:
    return category is None or category in counted_categories(result["categories"])


def _over(interval: Interval | None, scenarios: int) -> str:
    """How many scenarios a number is over, where those are not all."""
    return f", over {interval.n} of {scenarios} scenarios" if interval is not None and interval.n < scenarios else ""


def _unevaluated(gate: Gate, label: str, why: str) -> GateResult:
    return GateResult(gate, label, False, f"cannot be evaluated: {why}")


def _unknown(what: Metric | RunMetric, where: str) -> str:
    if isinstance(what, Metric) and what.trials > 1:
        return f"{what.name} needs scenarios with {what.trials} evaluated trials in {where}"
    if what.name == "strict_success":
        return f"not every conversation of {where} is scored by the strict profile; use success"
    return f"{what.name} is not known for every conversation of {where}"
