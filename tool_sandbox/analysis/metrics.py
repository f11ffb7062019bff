"""What the results of a run add up to, with how far each number can be trusted (``docs/metrics.md``).

Scenarios of a family share one task, so intervals treat the families as what was drawn at random. Within one
family, and where all results are of one, it is the base scenarios.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.clustering import BASE_SCENARIO, clustered_by
from tool_sandbox.analysis.pairing import Common
from tool_sandbox.analysis.registry import METRICS
from tool_sandbox.analysis.statistics.estimators import pass_at_k, pass_hat_k
from tool_sandbox.analysis.statistics.intervals import (
    SHARE,
    Bounds,
    ClusterSums,
    Interval,
    bootstrap_intervals,
    clustered_interval,
)
from tool_sandbox.analysis.units import TrialGroup, units_of
from tool_sandbox.records.metrics import (
    GROUPINGS,
    HEADLINES,
    ClusterKind,
    Ends,
    Estimate,
    Group,
    Headline,
    Metrics,
    PassEstimate,
    Spread,
)
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import FLOORS, Floors, floors_of
from tool_sandbox.runner.schema import schema_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.summary import grouped
from tool_sandbox.runner.usage import used
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.outcome import Outcome

METRICS_FORMAT = 1
"""Version of the layout of `Metrics`, raised when a reader has to change."""

MAX_INFRASTRUCTURE_RATE = 0.05


def metrics_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `Metrics`, with what each metric means."""
    schema = schema_of(Metrics)
    estimates = schema["$defs"]["Group"]["properties"]["estimates"]
    known = estimates.pop("additionalProperties")
    estimates["properties"] = {
        name: {**known, "description": f"{metric.meaning} ({metric.unit})"} for name, metric in METRICS.items()
    }
    estimates |= {"required": [*METRICS], "additionalProperties": False}
    return schema


def measure(
    results: Iterable[Result],
    *,
    floors: Floors | None = None,
    ks: Sequence[int] | None = None,
    confidence: float = 0.95,
    max_infrastructure_rate: float = MAX_INFRASTRUCTURE_RATE,
    by: Sequence[str] = GROUPINGS,
    planned: int | None = None,
    call_latencies: Sequence[float] = (),
    bootstrap: bool = True,
) -> Metrics:
    """Computes the metrics of a run."""
    units = units_of(results)
    trials = max((unit.trials for unit in units), default=0)
    kind = clustered_by(unit.family for unit in units if unit.evaluated)
    if len({unit.tier for unit in units}) > 1:
        by = tuple(dict.fromkeys(("tier", *by)))
    builder = _Builder(floors, tuple(ks or range(1, trials + 1)), confidence, max_infrastructure_rate, bootstrap)
    parts: dict[str, Callable[[TrialGroup], Sequence[str]]] = {
        "tier": lambda unit: [unit.tier],
        "axis": lambda unit: [unit.axis] if unit.axis else [],
        "category": lambda unit: unit.categories[:-1],
        "augmentation": lambda unit: [unit.augmentation],
        "family": lambda unit: [unit.family],
    }
    return {
        "format": METRICS_FORMAT,
        "confidence": confidence,
        "max_infrastructure_rate": max_infrastructure_rate,
        "planned": planned,
        "call_latency": _spread(sorted(call_latencies)),
        "overall": builder.group(units, kind, is_whole=True),
        "groups": {
            grouping: {
                name: builder.group(members, BASE_SCENARIO if grouping == "family" else kind)
                for name, members in grouped(units, parts[grouping]).items()
            }
            for grouping in by
        },
    }


def measure_run(path: Path, common: Common | None = None, **choices: Any) -> Metrics:
    """Computes the metrics of a stored run, finished or not, with the floors of its scenarios."""
    summary = RunDirectory(path).summary()
    results = summary["per_scenario_results"]
    if common is not None:
        results = common.of(results)
    return measure(
        results,
        floors=floors_of(path),
        planned=summary["run"].get("planned"),
        call_latencies=list(_call_latencies(path, results)),
        **choices,
    )


def _call_latencies(path: Path, results: Iterable[Result]) -> Iterator[float]:
    """Seconds of each answered call of the agent's model, in conversations that count."""
    for result in results:
        if is_evaluated(result) and used(result, ["agent"]):
            calls = RunDirectory(path).read_part(result["directory"], "model_calls") or {}
            for call in calls.get("agent") or ():
                if call["stop"] is not None:
                    yield call["latency_s"]


def headline(
    results: Iterable[Result],
    max_infrastructure_rate: float = MAX_INFRASTRUCTURE_RATE,
    name: str = "success",
) -> Headline:
    """The number that a run is known by, or why there is none."""
    return _headline(units_of(results), name, max_infrastructure_rate)


@attrs.frozen
class _Builder:
    floors: Floors | None
    ks: Sequence[int]
    confidence: float
    max_infrastructure_rate: float
    bootstrap: bool

    def group(self, units: Sequence[TrialGroup], kind: ClusterKind, *, is_whole: bool = False) -> Group:
        clusters = [unit.base_name if kind == BASE_SCENARIO else unit.family for unit in units]
        wanted: dict[str, tuple[ClusterSums | None, Bounds | None, bool]] = {}
        for name, metric in METRICS.items():
            data = ClusterSums.of_parts([unit.parts[name] for unit in units], clusters)
            wanted[name] = data, metric.bounds, is_whole or name in HEADLINES
        for k in self.ks:
            for name, estimator in (("at", pass_at_k), ("hat", pass_hat_k)):
                parts = [
                    (estimator(unit.evaluated, unit.successes, k), 1) if unit.evaluated >= k else (0.0, 0)
                    for unit in units
                ]
                wanted[f"{name} {k}"] = ClusterSums.of_parts(parts, clusters), SHARE, is_whole
        estimates = self._estimates(wanted)
        outcomes = sum((unit.outcomes for unit in units), Counter[str]())
        conversations = outcomes.total()
        costs = [unit.parts["cost_usd"][0] for unit in units if unit.parts["cost_usd"][1]]

        def passes(name: str) -> dict[str, PassEstimate]:
            left_out = {k: sum(unit.evaluated < k for unit in units) for k in self.ks}
            return {str(k): {"estimate": estimates[f"{name} {k}"], "left_out": left_out[k]} for k in self.ks}

        return {
            "conversations": conversations,
            "evaluated": sum(unit.evaluated for unit in units),
            "open": sum(unit.open for unit in units),
            "settled_by_judge": sum(unit.settled_by_judge for unit in units),
            "units": len(units),
            "clustered_by": kind,
            "trials": max((unit.trials for unit in units), default=0),
            "outcomes": dict(sorted(outcomes.items())),
            "infrastructure_error_rate": outcomes[Outcome.INFRASTRUCTURE_ERROR] / max(conversations, 1),
            "user_error_rate": outcomes[Outcome.USER_ERROR] / max(conversations, 1),
            "failure_modes": dict(sorted(sum((unit.failure_modes for unit in units), Counter[str]()).items())),
            "headlines": {name: _headline(units, name, self.max_infrastructure_rate) for name in HEADLINES},
            "floors": self._floors(units),
            "estimates": {name: estimates[name] for name in METRICS},
            "pass_at_k": passes("at"),
            "pass_hat_k": passes("hat"),
            "latency": _spread(sorted(each for unit in units for each in unit.latencies)),
            "cost_usd": math.fsum(costs) if costs else None,
        }

    def _estimates(
        self, wanted: Mapping[str, tuple[ClusterSums | None, Bounds | None, bool]]
    ) -> dict[str, Estimate | None]:
        drawn = {
            name: (data, bounds)
            for name, (data, bounds, is_drawn) in wanted.items()
            if data and is_drawn and self.bootstrap
        }
        intervals = bootstrap_intervals(
            [data for data, _ in drawn.values()], self.confidence, bounds=[bounds for _, bounds in drawn.values()]
        )
        bootstrap = dict(zip(drawn, intervals, strict=True))
        return {
            name: None
            if data is None
            else _estimate(clustered_interval(data, self.confidence, bounds=bounds), bootstrap.get(name))
            for name, (data, bounds, _) in wanted.items()
        }

    def _floors(self, units: Sequence[TrialGroup]) -> dict[str, dict[str, float | None]] | None:
        if self.floors is None:
            return None
        places = [(unit.name, unit.seed) for unit in units]
        return {
            agent: {
                "success": self.floors.success_rate(agent, places),
                "similarity": self.floors.mean(agent, places),
            }
            for agent in FLOORS
        }


def _estimate(analytic: Interval, bootstrap: Interval | None) -> Estimate:
    return {
        "mean": analytic.estimate,
        **_ends(analytic),
        "method": analytic.method,
        "bootstrap": None if bootstrap is None else _ends(bootstrap),
        "n": analytic.n,
        "clusters": analytic.clusters,
    }


def _ends(interval: Interval) -> Ends:
    low, high = (end if math.isfinite(end) else None for end in (interval.low, interval.high))
    return {"low": low, "high": high}


def _spread(values: Sequence[float]) -> Spread | None:
    """Quantiles by linear interpolation."""
    if not values:
        return None
    p95 = statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]
    return {"median": statistics.median(values), "p95": p95, "n": len(values)}


def _headline(units: Sequence[TrialGroup], name: str, limit: float) -> Headline:
    total = math.fsum(unit.parts[name][0] for unit in units)
    evaluated, played = sum(unit.evaluated for unit in units), sum(unit.trials for unit in units)
    failed = sum(unit.outcomes[Outcome.INFRASTRUCTURE_ERROR] for unit in units)
    reason = _refusal(played, evaluated, failed, limit)
    return {
        "value": None if reason else total / evaluated,
        "low": total / played if played else None,
        "high": (total + played - evaluated) / played if played else None,
        "reason": reason,
    }


def refusal(results: Sequence[Result], max_infrastructure_rate: float = MAX_INFRASTRUCTURE_RATE) -> str | None:
    """Why a run gives no headline, the ``reason`` of `headline`."""
    failed = sum(result.get("outcome") == Outcome.INFRASTRUCTURE_ERROR for result in results)
    return _refusal(len(results), sum(map(is_evaluated, results)), failed, max_infrastructure_rate)


def _refusal(played: int, evaluated: int, failed: int, limit: float) -> str | None:
    if not played:
        return "nothing was played"
    if failed / played > limit:
        return f"{failed / played:.1%} infrastructure errors, more than {limit:.1%}"
    return None if evaluated else "no conversation counts"
