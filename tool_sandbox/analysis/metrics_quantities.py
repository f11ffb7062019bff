"""What ``tool_sandbox.analysis.metrics`` has means of, and conversations added up by scenario and seed.

(What runs are compared by, and gates name, is in ``tool_sandbox.analysis.compare_measures``.)
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.analysis.statistics.intervals import AMOUNT, SHARE, Bounds
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import base_name_of, family_of, split_name
from tool_sandbox.runner.summary import counted_categories
from tool_sandbox.runner.usage import used
from tool_sandbox.runner.verdicts import is_contradicted, is_evaluated, is_open, is_settled_by_judge, is_success

if TYPE_CHECKING:
    from tool_sandbox.models.session import Party

Part = tuple[float, int]
"""What a conversation adds to the numerator and to the denominator of a mean."""


@attrs.frozen
class MetricQuantity:
    """Something that has a mean over conversations.

    Attributes:
        name: Key in ``metrics.json``.
        title: The same for people.
        value: Its share of a mean; ``None`` where a result does not know.
        bounds: `SHARE` or `AMOUNT`.
        digits: Digits behind the point, ``None`` for what is written in per cent.
    """

    name: str
    title: str
    value: Callable[[Result], Part | None]
    bounds: Bounds
    digits: int | None = None

    @property
    def is_percentage(self) -> bool:
        """Whether people write it in per cent."""
        return self.digits is None


def _number(key: str) -> Callable[[Mapping[str, Any]], Part | None]:
    def value(result: Mapping[str, Any]) -> Part | None:
        number = result.get(key)
        return None if number is None else (float(number), 1)

    return value


def _usage(party: "Party", key: str, per: str | None = None) -> Callable[[Result], Part | None]:
    """What one party used per conversation, or per another count."""

    def value(result: Result) -> Part | None:
        usages: Iterable[Mapping[str, Any]] = used(result, [party])
        for usage in usages:
            if usage.get(key) is not None:
                return float(usage[key]), 1 if per is None else int(usage[per])
        return None

    return value


def _success(result: Result) -> Part:
    return float(is_success(result)), 1


def _tool_error_rate(result: Result) -> Part | None:
    calls, errors = result.get("tool_calls"), result.get("tool_errors")
    return None if calls is None or errors is None else (float(errors), int(calls))


def _side_effects(result: Result) -> Part | None:
    effects = result.get("side_effects")
    return None if effects is None else (float(bool(effects)), 1)


def _minefield_hit(result: Result) -> Part | None:
    hit = result.get("minefield_hit")
    if hit is None:
        hit = bool(result.get("minefield_similarity"))
    return float(hit), 1


def _unsupported(result: Result) -> Part | None:
    findings = result.get("unsupported")
    return None if findings is None else (float(len(findings)), 1)


def _contradicted(result: Result) -> Part | None:
    return None if result.get("unsupported") is None else (float(is_contradicted(result)), 1)


def _user_findings(result: Result) -> Part | None:
    findings = result.get("user_findings")
    return None if findings is None else (float(bool(findings)), 1)


def _cost(result: Result) -> Part | None:
    """List price of agent and user together, unknown if one of them has none."""
    costs = [usage.get("cost_usd") for usage in used(result, ("agent", "user"))]
    known = [cost for cost in costs if cost is not None]
    return (float(sum(known)), 1) if known and len(known) == len(costs) else None


QUANTITIES = (
    MetricQuantity("success", "success rate", _success, SHARE),
    MetricQuantity("similarity", "partial score", _number("similarity"), SHARE, 3),
    MetricQuantity("turn_count", "turns", _number("turn_count"), AMOUNT, digits=2),
    MetricQuantity("tool_calls", "tool calls", _number("tool_calls"), AMOUNT, digits=2),
    MetricQuantity("tool_errors", "tool errors", _number("tool_errors"), AMOUNT, digits=3),
    MetricQuantity("tool_error_rate", "errors per call", _tool_error_rate, SHARE),
    MetricQuantity("invalid_calls", "invalid calls", _number("invalid_calls"), AMOUNT, digits=3),
    MetricQuantity("side_effects", "side effects", _side_effects, SHARE),
    MetricQuantity("minefield_hit", "minefields hit", _minefield_hit, SHARE),
    MetricQuantity("unsupported", "unsupported statements", _unsupported, AMOUNT, digits=3),
    MetricQuantity("contradicted", "contradicted by the world", _contradicted, SHARE),
    MetricQuantity("user_findings", "user at fault", _user_findings, SHARE),
    MetricQuantity("latency_s", "model seconds", _usage("agent", "latency_s"), AMOUNT, digits=2),
    MetricQuantity("call_latency_s", "seconds per call", _usage("agent", "latency_s", "calls"), AMOUNT, digits=3),
    MetricQuantity("input_tokens", "tokens in", _usage("agent", "input_tokens"), AMOUNT, digits=0),
    MetricQuantity("output_tokens", "tokens out", _usage("agent", "output_tokens"), AMOUNT, digits=0),
    MetricQuantity("cost_usd", "cost in USD", _cost, AMOUNT, digits=4),
)
"""All of them; success first, as the number that a run is known by, and similarity as the published one."""

HEADLINES = ("success", "similarity")
"""Quantities that excluded conversations would change, and that floors are known of."""


@attrs.define
class TrialGroup:
    """A scenario with its seed: what the trials of a run repeat.

    Attributes:
        name: Name of the scenario.
        seed: Seed of its world.
        family: Group of scenarios that share a task.
        base_name: Scenario that it is an augmentation of.
        augmentation: How it is offered.
        categories: Categories that count it.
        outcomes: Outcome to number of its trials.
        evaluated: Trials that count in means.
        successes: Successes among them.
        open: Those of them whose score depends on an unclear reading.
        settled_by_judge: Those of them in which a model decided an unclear reading.
        sums: Numerator of each of `QUANTITIES` over the evaluated trials.
        counts: Denominator of each.
        latencies: Seconds of the agent's model in each evaluated trial.
    """

    name: str
    seed: int
    family: str
    base_name: str
    augmentation: str
    categories: Sequence[str]
    outcomes: Counter[str] = attrs.field(factory=Counter)
    evaluated: int = 0
    successes: int = 0
    open: int = 0
    settled_by_judge: int = 0
    sums: list[float] = attrs.field(factory=lambda: [0.0] * len(QUANTITIES))
    counts: list[int] = attrs.field(factory=lambda: [0] * len(QUANTITIES))
    latencies: list[float] = attrs.field(factory=list)

    @property
    def trials(self) -> int:
        """Trials that were played."""
        return self.outcomes.total()

    def add(self, result: Result) -> None:
        """Counts one trial."""
        self.outcomes[str(result.get("outcome"))] += 1
        if not is_evaluated(result):
            return
        self.evaluated += 1
        self.successes += is_success(result)
        self.open += is_open(result)
        self.settled_by_judge += is_settled_by_judge(result)
        for number, quantity in enumerate(QUANTITIES):
            part = quantity.value(result)
            if part is not None:
                self.sums[number] += part[0]
                self.counts[number] += part[1]
        usage = (result.get("usage") or {}).get("agent")
        if usage is not None:
            self.latencies.append(usage["latency_s"])


def units_of(results: Iterable[Result]) -> list[TrialGroup]:
    """Adds results up by scenario and seed.

    Args:
        results: Results of conversations, in any order. Older ones without a family are counted as their own.

    Returns:
        The units, by name and seed.
    """
    groups: dict[tuple[str, int], list[Result]] = {}
    for result in sorted(results, key=_order):
        groups.setdefault(_order(result)[:2], []).append(result)
    return [_unit(*place, group) for place, group in groups.items()]


def _order(result: Result) -> tuple[str, int, int]:
    return result["name"], result.get("seed") or 0, result.get("trial") or 0


def _unit(name: str, seed: int, trials: Sequence[Result]) -> TrialGroup:
    # A trial whose scenario could not be built knows nothing of it.
    known = next((trial for trial in trials if trial["categories"]), trials[0])
    unit = TrialGroup(
        name,
        seed,
        family_of(known),
        base_name_of(known),
        known.get("augmentation") or split_name(name)[1],
        counted_categories(known["categories"]),
    )
    for trial in trials:
        unit.add(trial)
    return unit
