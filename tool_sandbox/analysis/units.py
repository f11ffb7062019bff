"""Conversations added up by scenario and seed."""

from collections import Counter
from collections.abc import Iterable, Sequence

import attrs

from tool_sandbox.analysis.metric import Part
from tool_sandbox.analysis.registry import METRICS, latency_s
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import augmentation_of, axis_of, base_name_of, family_of, place_of, tier_of
from tool_sandbox.runner.summary import counted_categories
from tool_sandbox.runner.verdicts import failure_mode_of, is_evaluated, is_open, is_settled_by_judge, is_success


@attrs.define
class TrialGroup:
    """A scenario with its seed: what the trials of a run repeat.

    Attributes:
        name: Name of the scenario.
        seed: Seed of its world.
        family: Group of scenarios that share a task.
        base_name: Scenario that it is an augmentation of.
        augmentation: How it is offered.
        tier: Part of the suite that it belongs to.
        axis: What makes it hard, empty outside the hard tier.
        categories: Categories that count it.
        outcomes: Outcome to number of its trials.
        evaluated: Trials that count in means.
        successes: Successes among them.
        open: Those of them whose score depends on an unclear reading.
        settled_by_judge: Those of them in which a model decided an unclear reading.
        failure_modes: Failure mode to number of its trials.
        parts: Name of each of ``METRICS`` to its numerator and denominator over the evaluated trials.
        latencies: Seconds of the agent's model in each evaluated trial.
    """

    name: str
    seed: int
    family: str
    base_name: str
    augmentation: str
    tier: str
    axis: str
    categories: Sequence[str]
    outcomes: Counter[str] = attrs.field(factory=Counter)
    evaluated: int = 0
    successes: int = 0
    open: int = 0
    settled_by_judge: int = 0
    failure_modes: Counter[str] = attrs.field(factory=Counter)
    parts: dict[str, Part] = attrs.field(factory=lambda: dict.fromkeys(METRICS, (0.0, 0)))
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
        if (mode := failure_mode_of(result)) is not None:
            self.failure_modes[mode] += 1
        self.open += is_open(result)
        self.settled_by_judge += is_settled_by_judge(result)
        for name, metric in METRICS.items():
            if (part := metric.part(result)) is not None:
                total, count = self.parts[name]
                self.parts[name] = total + part[0], count + part[1]
        if (latency := latency_s.value(result)) is not None:
            self.latencies.append(latency)


def units_of(results: Iterable[Result]) -> list[TrialGroup]:
    """Adds results up by scenario and seed."""
    groups: dict[tuple[str, int], list[Result]] = {}
    for result in sorted(results, key=place_of):
        groups.setdefault(place_of(result)[:2], []).append(result)
    return [_unit(*place, group) for place, group in groups.items()]


def _unit(name: str, seed: int, trials: Sequence[Result]) -> TrialGroup:
    # A trial whose scenario could not be built knows nothing of it.
    known = next((trial for trial in trials if trial["categories"]), trials[0])
    unit = TrialGroup(
        name,
        seed,
        family_of(known),
        base_name_of(known),
        augmentation_of(known),
        tier_of(known),
        axis_of(known),
        counted_categories(known["categories"]),
    )
    for trial in trials:
        unit.add(trial)
    return unit
