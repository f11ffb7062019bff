"""The metrics of a run as data, computed by ``tool_sandbox.analysis.metrics``."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.analysis.statistics.intervals import Interval
from tool_sandbox.records.metrics import EstimateRecord, MetricsRecord, PassRecord
from tool_sandbox.runner.schema import schema_of
from tool_sandbox.world.outcome import Outcome

METRICS_FORMAT = 1
"""Version of the layout of `Metrics.as_dict`, raised when a reader has to change."""


def metrics_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `Metrics.as_dict`."""
    return schema_of(MetricsRecord)


@attrs.frozen
class Estimate:
    """A mean with its intervals.

    Attributes:
        analytic: From the cluster-robust standard error.
        bootstrap: From drawing whole clusters, ``None`` where that was not asked for.
    """

    analytic: Interval
    bootstrap: Interval | None = None

    @property
    def mean(self) -> float:
        """The mean itself."""
        return self.analytic.estimate

    def as_dict(self) -> EstimateRecord:
        """JSON values; an end that is not known is null."""
        return {
            "mean": self.mean,
            "low": _finite(self.analytic.low),
            "high": _finite(self.analytic.high),
            "method": self.analytic.method,
            "bootstrap": None
            if self.bootstrap is None
            else {"low": _finite(self.bootstrap.low), "high": _finite(self.bootstrap.high)},
            "n": self.analytic.n,
            "clusters": self.analytic.clusters,
        }


@attrs.frozen
class PassEstimate:
    """pass@k or pass^k for one k.

    Attributes:
        estimate: Mean over scenarios and seeds, ``None`` if none has enough trials.
        left_out: Scenarios and seeds with fewer than k trials that count.
    """

    estimate: Estimate | None
    left_out: int

    def as_dict(self) -> PassRecord:
        """JSON values."""
        return {"estimate": None if self.estimate is None else self.estimate.as_dict(), "left_out": self.left_out}


@attrs.frozen
class Headline:
    """Whether there is a number that a run can be known by, and what it could be at least and at most.

    Attributes:
        value: The mean over the conversations that count, ``None`` if it is refused.
        low: The mean over all that were played if each excluded one had earned nothing.
        high: The same if each had earned everything.
        reason: Why it is refused.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None


@attrs.frozen
class Spread:
    """Where the values of a quantity lie.

    Attributes:
        median: Half of them are below.
        p95: 95 % are below.
        n: Number of values.
    """

    median: float
    p95: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread | None":
        """The spread of some values (quantiles by linear interpolation), ``None`` if there are none."""
        if not values:
            return None
        p95 = statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]
        return cls(statistics.median(values), p95, len(values))


@attrs.frozen
class Group:
    """The numbers of a whole run or of a part of it.

    Attributes:
        conversations: Conversations that were played.
        evaluated: Those of them that count in means.
        open: Those of them whose score depends on an unclear reading.
        settled_by_judge: Those of them in which a model decided an unclear reading.
        units: Scenarios and seeds.
        clustered_by: What intervals treat as drawn at random: ``family``, or ``base_scenario`` within a family and
            where all results are of one.
        trials: Most trials of one scenario and seed.
        outcomes: Outcome to number of conversations.
        estimates: Name of a quantity to its mean, ``None`` if no conversation knows it.
        pass_at_k: k to the chance of at least one success in k trials.
        pass_hat_k: k to the chance of k successes in k trials.
        headlines: Of each of ``HEADLINES``.
        floors: Name of a floor agent to its mean of each of ``HEADLINES``; ``None`` where floors are not known.
        latency: Seconds of the agent's model per conversation.
        cost_usd: Cost of all evaluated conversations whose cost is known.
    """

    conversations: int
    evaluated: int
    open: int
    settled_by_judge: int
    units: int
    clustered_by: str
    trials: int
    outcomes: Mapping[str, int]
    estimates: Mapping[str, Estimate | None]
    pass_at_k: Mapping[int, PassEstimate]
    pass_hat_k: Mapping[int, PassEstimate]
    headlines: Mapping[str, Headline]
    floors: Mapping[str, Mapping[str, float | None]] | None
    latency: Spread | None
    cost_usd: float | None

    @property
    def infrastructure_errors(self) -> int:
        """Conversations that ended as infrastructure errors."""
        return self.outcomes.get(Outcome.INFRASTRUCTURE_ERROR, 0)

    @property
    def scenario_errors(self) -> int:
        """Conversations that ended as scenario errors."""
        return self.outcomes.get(Outcome.SCENARIO_ERROR, 0)

    @property
    def user_errors(self) -> int:
        """Conversations that ended as user errors."""
        return self.outcomes.get(Outcome.USER_ERROR, 0)

    def as_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "conversations": self.conversations,
            "evaluated": self.evaluated,
            "open": self.open,
            "settled_by_judge": self.settled_by_judge,
            "units": self.units,
            "clustered_by": self.clustered_by,
            "trials": self.trials,
            "outcomes": dict(self.outcomes),
            "infrastructure_error_rate": self.infrastructure_errors / self.conversations if self.conversations else 0.0,
            "user_error_rate": self.user_errors / self.conversations if self.conversations else 0.0,
            "headlines": {name: attrs.asdict(headline) for name, headline in self.headlines.items()},
            "floors": None if self.floors is None else {agent: dict(means) for agent, means in self.floors.items()},
            "estimates": {name: estimate and estimate.as_dict() for name, estimate in self.estimates.items()},
            "pass_at_k": {str(k): each.as_dict() for k, each in self.pass_at_k.items()},
            "pass_hat_k": {str(k): each.as_dict() for k, each in self.pass_hat_k.items()},
            "latency": self.latency and attrs.asdict(self.latency),
            "cost_usd": self.cost_usd,
        }


@attrs.frozen
class Metrics:
    """The numbers of a run.

    Attributes:
        overall: Of all conversations.
        groups: ``category``, ``augmentation`` and ``family`` to the name of each part to its numbers.
        confidence: Of all intervals.
        max_infrastructure_rate: Share of infrastructure errors above which headlines are refused.
        planned: Conversations that the run was to have, ``None`` if that is not known.
        calls: Seconds of each single call of the agent's model, ``None`` if they were not read.
    """

    overall: Group
    groups: Mapping[str, Mapping[str, Group]]
    confidence: float
    max_infrastructure_rate: float
    planned: int | None = None
    calls: Spread | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "format": METRICS_FORMAT,
            "confidence": self.confidence,
            "max_infrastructure_rate": self.max_infrastructure_rate,
            "planned": self.planned,
            "call_latency": self.calls and attrs.asdict(self.calls),
            "overall": self.overall.as_dict(),
            "groups": {
                grouping: {name: group.as_dict() for name, group in groups.items()}
                for grouping, groups in self.groups.items()
            },
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
