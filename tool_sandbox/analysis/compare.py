"""Compares runs: what differs, how significantly, and which scenarios broke or were fixed."""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from tool_sandbox.analysis import metrics
from tool_sandbox.analysis.clustering import BASE_SCENARIO, FAMILY, cluster_of, clustered_by
from tool_sandbox.analysis.comparison import (
    MetricDifference,
    PairwiseComparison,
    RankedRun,
    RunComparison,
    ScenarioChange,
)
from tool_sandbox.analysis.metric import Metric
from tool_sandbox.analysis.metrics import MAX_INFRASTRUCTURE_RATE
from tool_sandbox.analysis.pairing import Pair, Pairing, StoredRun, differing_settings, pair_up, read_runs
from tool_sandbox.analysis.registry import METRICS, pass_metric, share_of_successes
from tool_sandbox.analysis.statistics.estimators import fisher_p_value
from tool_sandbox.analysis.statistics.intervals import SHARE, Interval, clustered_mean
from tool_sandbox.analysis.statistics.paired import DIFFERENCE_OF_SHARES, holm, paired_test
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import family_of
from tool_sandbox.runner.summary import ALL_CATEGORIES, grouped
from tool_sandbox.runner.verdicts import is_evaluated, is_open, is_success
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

CONFIDENCE = 0.95


def compare(
    runs: Sequence[str | Path],
    *,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    max_infrastructure_rate: float = MAX_INFRASTRUCTURE_RATE,
) -> RunComparison:
    """Compares stored runs, scenario by scenario."""
    stored = read_runs([Path(run) for run in runs])
    if not stored:
        raise ConfigurationError("there is no run to compare")
    first = _find(stored, baseline) if baseline is not None else stored[0]
    others = tuple(run for run in stored if run is not first)
    pairwise = [_pairwise(first, run, confidence, max_infrastructure_rate) for run in others]
    ranking = _ranking(first, others, pairwise, confidence)
    return RunComparison(first, others, _adjusted(pairwise), ranking, confidence, max_infrastructure_rate)


def refusal(run: StoredRun, max_infrastructure_rate: float = MAX_INFRASTRUCTURE_RATE) -> str | None:
    """Why a run gives no headline, ``None`` if it does."""
    reason = metrics.refusal(run.results, max_infrastructure_rate)
    return None if reason is None else f"{reason} ({run.label})"


def difference(
    what: Metric, pairs: Iterable[Pair], confidence: float = CONFIDENCE, *, kind: str = FAMILY
) -> MetricDifference | None:
    """Compares one metric."""
    enough = [pair for pair in pairs if min(len(pair.before), len(pair.after)) >= what.trials]
    before = _values(what, [pair.before for pair in enough])
    after = _values(what, [pair.after for pair in enough])
    if before is None or after is None:
        return None
    test = paired_test(
        [now - then for then, now in zip(before, after, strict=True)],
        [cluster_of(pair.before[0], kind) for pair in enough],
        confidence,
        bounds=DIFFERENCE_OF_SHARES if what.bounds == SHARE else None,
    )
    count = len(enough)
    return MetricDifference(what.name, sum(before) / count, sum(after) / count, test, test.p_larger)


def mean_of(
    what: Metric, scenarios: Iterable[Sequence[Result]], confidence: float = CONFIDENCE, *, kind: str = FAMILY
) -> Interval | None:
    """Mean of a metric over scenarios with its interval."""
    enough = [trials for trials in scenarios if trials and len(trials) >= what.trials]
    values = _values(what, enough)
    if values is None:
        return None
    return clustered_mean(values, [cluster_of(trials[0], kind) for trials in enough], confidence, bounds=what.bounds)


def _values(what: Metric, scenarios: Sequence[Sequence[Result]]) -> list[float] | None:
    values = [value for value in map(what.of_trials, scenarios) if value is not None]
    return values if values and len(values) == len(scenarios) else None


def _find(stored: Sequence[StoredRun], wanted: str) -> StoredRun:
    for run in stored:
        if wanted == run.label or Path(wanted) == run.path or wanted == run.path.name:
            return run
    # A run of a sweep has a label of its own, and people know its agent.
    by_agent = [run for run in stored if wanted == run.description["agent"]]
    if len(by_agent) == 1:
        return by_agent[0]
    labels = [run.label for run in stored]
    raise UnknownNameError(f"there is no run {wanted!r}; there are {', '.join(labels)}.", suggest(wanted, labels))


def _pairwise(baseline: StoredRun, other: StoredRun, confidence: float, max_rate: float) -> PairwiseComparison:
    pairing = pair_up(baseline, other)
    repeated = min(max(map(len, run.trials.values()), default=1) for run in (baseline, other))
    wanted = [*METRICS.values(), *([pass_metric("^", repeated)] if repeated > 1 else [])]
    kind = pairing.clustered_by
    compared = {what.name: difference(what, pairing.pairs, confidence, kind=kind) for what in wanted}
    known = {name: found for name, found in compared.items() if found is not None}
    headline = "strict_success" if "strict_success" in known else "success"
    known.pop("success" if headline == "strict_success" else "strict_success", None)
    refused = refusal(baseline, max_rate) or refusal(other, max_rate)
    if refused is None and not pairing.pairs:
        refused = f"{baseline.label} and {other.label} have no scenario in common that both evaluated"
    changes = _changes(pairing.pairs)
    broken, fixed = (tuple(each for each in changes if each.is_one(way, 1 - confidence)) for way in (-1, 1))
    dropped = tuple(each for each in changes if each.after < each.before and not each.is_one(-1, 1 - confidence))
    return PairwiseComparison(
        other.label,
        pairing,
        headline,
        known,
        tuple(name for name, found in compared.items() if found is None),
        _categories(pairing, headline, confidence),
        broken,
        fixed,
        dropped,
        (*_warnings(baseline, other, pairing), *_open_text(baseline, other, pairing, headline)),
        refused,
    )


def _categories(
    pairing: Pairing, headline: str, confidence: float
) -> dict[str, tuple[MetricDifference, MetricDifference]]:
    groups = grouped(pairing.pairs, lambda pair: pair.categories)
    groups.pop(ALL_CATEGORIES, None)
    columns: list[list[MetricDifference]] = []
    for name in (headline, "similarity"):
        what, kind = METRICS[name], pairing.clustered_by
        column = [found for pairs in groups.values() if (found := difference(what, pairs, confidence, kind=kind))]
        columns.append(with_holm(column, [each.test.p_value for each in column]))
    return dict(zip(groups, zip(*columns, strict=True), strict=True)) if columns[0] else {}


def with_holm(differences: Sequence[MetricDifference], p_values: Sequence[float]) -> list[MetricDifference]:
    """The same differences with their p-values adjusted for each other."""
    return [attrs.evolve(each, p_adjusted=p) for each, p in zip(differences, holm(p_values), strict=True)]


def _adjusted(pairwise: Sequence[PairwiseComparison]) -> tuple[PairwiseComparison, ...]:
    """The same with p-values that are adjusted for the number of runs."""
    names = dict.fromkeys(name for each in pairwise for name in each.differences)
    found = [dict(each.differences) for each in pairwise]
    for name in names:
        holders = [differences for differences in found if name in differences]
        column = [each[name] for each in holders]
        adjusted = with_holm(column, [each.test.p_larger for each in column])
        for differences, each in zip(holders, adjusted, strict=True):
            differences[name] = each
    return tuple(attrs.evolve(each, differences=new) for each, new in zip(pairwise, found, strict=True))


def _changes(pairs: Iterable[Pair]) -> list[ScenarioChange]:
    found = []
    for pair in pairs:
        before, after = share_of_successes(pair.before), share_of_successes(pair.after)
        if before != after:
            scores = [sum(each["similarity"] for each in trials) / len(trials) for trials in (pair.before, pair.after)]
            where = str(pair.after[0].get("directory", pair.name))
            p_value = fisher_p_value(*((sum(map(is_success, each)), len(each)) for each in (pair.before, pair.after)))
            change = scores[1] - scores[0]
            found.append(ScenarioChange(pair.name, pair.seed, pair.family, before, after, change, where, p_value))
    found.sort(key=lambda change: (-abs(change.after - change.before), -abs(change.similarity), change.name))
    return found


def _warnings(baseline: StoredRun, other: StoredRun, pairing: Pairing) -> Iterable[str]:
    yield from differing_settings(baseline, other)
    for run in (baseline, other):
        if len(run.results) < run.planned:
            yield f"{run.label} is incomplete: {len(run.results)} of {counted(run.planned, 'conversation')} were played"
    for names, what in (
        (pairing.incomparable, "whose start or scoring differs in the other run"),
        (pairing.only_before, f"that only {baseline.label} has"),
        (pairing.only_after, f"that only {other.label} has"),
        (pairing.not_evaluated, "without an evaluated conversation in one of the runs"),
    ):
        if names:
            yield f"left out: {counted(len(names), 'scenario')} {what} (the first: {names[0]})"
    if pairing.clustered_by == BASE_SCENARIO:
        yield (
            "all scenarios are of one family, so intervals and tests are clustered by its base scenarios: they do not "
            "generalise to other families"
        )
    if pairing.unidentified:
        yield f"{counted(pairing.unidentified, 'scenario')} of unknown version, matched by name alone"


def _open_text(baseline: StoredRun, other: StoredRun, pairing: Pairing, headline: str) -> Iterator[str]:
    """How many conversations are open, and how much that could move the difference."""
    numbers = [
        sum(is_open(result) for pair in pairing.pairs for result in getattr(pair, side)) for side in ("before", "after")
    ]
    if not any(numbers):
        return
    # The difference is least where what is open went well before and badly now.
    least, most = (
        math.fsum(
            share_of_successes([_at_end(each, now) for each in pair.after])
            - share_of_successes([_at_end(each, 1 - now) for each in pair.before])
            for pair in pairing.pairs
        )
        / len(pairing.pairs)
        for now in (0, 1)
    )
    told = " and ".join(
        f"{counted(number, 'conversation')} of {run.label}"
        for number, run in zip(numbers, (baseline, other), strict=True)
    )
    what = headline.replace("_", " ")
    yield (
        f"open: {told} depend on unclear answers; by their decisions, the difference in {what} is "
        f"from {least:+.3f} to {most:+.3f}"
    )


def _at_end(result: Result, end: int) -> Result:
    """A result as it is at the lower (0) or the upper end (1) of its score, if it is open."""
    interval = result.get("score_interval")
    return {**result, "success": interval[end] == 1} if is_open(result) and interval else result


def _ranking(
    baseline: StoredRun, others: Sequence[StoredRun], pairwise: Sequence[PairwiseComparison], confidence: float
) -> tuple[RankedRun, ...]:
    first = baseline.trials
    common = dict.fromkeys(first)
    for each in pairwise:
        paired = {(pair.name, pair.seed) for pair in each.pairing.pairs}
        common = dict.fromkeys(key for key in common if key in paired)
    kind = clustered_by(family_of(first[key][0]) for key in common)
    standings = []
    for run in (baseline, *others):
        trials = run.trials
        scenarios = [tuple(filter(is_evaluated, trials[key])) for key in common]
        success, similarity = (
            mean_of(METRICS[name], scenarios, confidence, kind=kind) for name in ("success", "similarity")
        )
        standings.append(RankedRun(run.label, success, similarity, kind))
    standings.sort(key=lambda each: [-(mean.estimate if mean else -1) for mean in (each.success, each.similarity)])
    return tuple(standings)
