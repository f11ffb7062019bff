"""What a metric is; ``tool_sandbox.analysis.registry`` has all of them."""

import math
from collections.abc import Callable, Sequence
from typing import Literal

import attrs

from tool_sandbox.analysis.statistics.intervals import AMOUNT, SHARE, Bounds
from tool_sandbox.records.result import Result
from tool_sandbox.runner.verdicts import is_success

Part = tuple[float, int]
"""What a conversation adds to the numerator and to the denominator of a mean."""

Better = Literal["higher", "lower", "neither"]


@attrs.frozen
class BaseMetric:
    """What every metric says of itself.

    Attributes:
        name: In files, gates and tables.
        meaning: What it is, in words.
        unit: ``share`` (of conversations, or of calls) and ``score`` are from 0 to 1; all else is not negative.
        better: Whether a higher or a lower value is.
    """

    name: str
    meaning: str
    unit: str
    better: Better

    @property
    def bounds(self) -> Bounds:
        """What no value can be below or above."""
        return SHARE if self.unit in ("share", "score") else AMOUNT


@attrs.frozen
class Metric(BaseMetric):
    """Something that is measured of every conversation, and has a mean over several.

    Attributes:
        part: Its share of a mean: nothing (0, 0) where there is nothing that could be measured, a call or a model, and
            ``None`` where a result does not know.
        title: The name for people, in the table of ``metrics``; empty where it has no row there.
        digits: Digits behind the point.
        is_compared: Whether it has a row in the tables of ``compare``.
        trials: Trials that a scenario needs to be compared; one with fewer is left out.
    """

    part: Callable[[Result], Part | None]
    title: str = ""
    digits: int = 3
    is_compared: bool = True
    trials: int = 1

    @property
    def is_percentage(self) -> bool:
        """Whether the table of ``metrics`` has it in per cent."""
        return self.unit == "share"

    def value(self, result: Result) -> float | None:
        """Its value for one conversation, ``None`` where there is none or it is not known."""
        part = self.part(result)
        return part[0] / part[1] if part and part[1] else None

    def of_trials(self, trials: Sequence[Result]) -> float | None:
        """Its mean over trials of a scenario, 0 where there is nothing to measure, ``None`` if one does not know it."""
        parts = [part for part in map(self.part, trials) if part is not None]
        if not parts or len(parts) < len(trials):
            return None
        return math.fsum(total for total, _ in parts) / (sum(count for _, count in parts) or 1)


@attrs.frozen
class PassMetric(Metric):
    """Whether all or any of some trials succeed, estimated without bias.

    Attributes:
        estimate: The estimator, of ``tool_sandbox.analysis.statistics.estimators``.
    """

    estimate: Callable[[int, int, int], float] = attrs.field(kw_only=True)

    def of_trials(self, trials: Sequence[Result]) -> float | None:
        """The estimate from trials of a scenario, ``None`` if they are too few."""
        count = len(trials)
        return self.estimate(count, sum(map(is_success, trials)), self.trials) if count >= self.trials else None


@attrs.frozen
class RunMetric(BaseMetric):
    """Something that is measured of a run as a whole, without an interval.

    Attributes:
        of_results: Its value for all results of a run, ``None`` if it is not known.
    """

    of_results: Callable[[Sequence[Result]], float | None]
