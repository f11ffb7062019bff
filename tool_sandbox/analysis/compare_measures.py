"""What ``tool_sandbox.analysis.compare`` compares runs by, and gates name: each measure of the trials of one scenario.

(The means of one run are of ``tool_sandbox.analysis.metrics_quantities``.)
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.analysis.statistics.estimators import pass_at_k, pass_hat_k
from tool_sandbox.analysis.statistics.intervals import AMOUNT, SHARE, Bounds
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.result import Result
from tool_sandbox.runner.usage import used
from tool_sandbox.runner.verdicts import is_contradicted, is_evaluated, is_success
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.profile import Profile


@attrs.frozen
class Measure:
    """Something that is measured of every conversation.

    Attributes:
        name: As in gates and files.
        aim: 1 where more is better, -1 where less is, 0 where neither.
        of_trials: Its value for the evaluated trials of one scenario, ``None`` if it is not known.
        bounds: What no value can be below or above.
        trials: Trials that a scenario needs; one with fewer is left out.
        digits: Digits behind the point, in tables.
    """

    name: str
    aim: int
    of_trials: Callable[[Sequence[Result]], float | None]
    bounds: Bounds
    trials: int = 1
    digits: int = 3


@attrs.frozen
class RunMeasure:
    """Something that is measured of a run as a whole, without an interval.

    Attributes:
        name: As in gates and files.
        of_results: Its value for all results of a run, ``None`` if it is not known.
        bounds: What it cannot be below or above.
    """

    name: str
    of_results: Callable[[Sequence[Result]], float | None]
    bounds: Bounds = SHARE


def share_of_successes(trials: Sequence[Result]) -> float:
    """Share of the trials of a scenario, at least one, that succeeded."""
    return sum(map(is_success, trials)) / len(trials)


def measure(name: str) -> Measure | RunMeasure:
    """Finds a measure.

    Args:
        name: Its name, or another that is used for it; ``pass^3`` and ``pass@3`` for any number.

    Raises:
        UnknownNameError: There is none.
    """
    known = name.lower()
    known = _OTHER_NAMES.get(known, known)
    if (repeated := re.fullmatch(r"pass([\^@])([1-9]\d{0,3})", known)) is not None:
        return pass_measure(repeated[1], int(repeated[2]))
    found = MEASURES.get(known) or RUN_MEASURES.get(known)
    if found is None:
        names = [*MEASURES, *RUN_MEASURES, "pass^3", "pass@3"]
        close = dict.fromkeys(_OTHER_NAMES.get(each, each) for each in suggest(name, [*names, *_OTHER_NAMES]))
        raise UnknownNameError(f"there is no metric {name!r}; there are {', '.join(names)}.", close)
    return found


def pass_measure(kind: str, k: int) -> Measure:
    """Whether all (``^``) or any (``@``) of k trials succeed, estimated without bias.

    Args:
        kind: ``^`` or ``@``.
        k: Number of trials.
    """
    estimate = pass_hat_k if kind == "^" else pass_at_k

    def of_trials(trials: Sequence[Result]) -> float | None:
        return estimate(len(trials), sum(map(is_success, trials)), k) if len(trials) >= k else None

    return Measure(f"pass{kind}{k}", 1, of_trials, SHARE, trials=k)


def _mean(value: Callable[[Result], float | None]) -> Callable[[Sequence[Result]], float | None]:
    """The mean over trials; not known if it is not known of one."""

    def of_trials(trials: Sequence[Result]) -> float | None:
        values = [each for each in map(value, trials) if each is not None]
        return math.fsum(values) / len(values) if values and len(values) == len(trials) else None

    return of_trials


def _strict_success(result: Result) -> float | None:
    return float(is_success(result)) if result.get("profile") == Profile.STRICT else None


def _number(key: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda result: result.get(key)


def _any(key: str) -> Callable[[Mapping[str, Any]], float | None]:
    """Whether there is something in a list, or a flag is up."""
    return lambda result: None if result.get(key) is None else float(bool(result[key]))


def _unsupported(result: Result) -> float | None:
    findings = result.get("unsupported")
    return None if findings is None else float(len(findings))


def _contradicted(result: Result) -> float | None:
    return None if result.get("unsupported") is None else float(is_contradicted(result))


def _used(*keys: str) -> Callable[[Result], float | None]:
    """Sum of what the models of all parties used; a party that is no model uses nothing."""

    def of_result(result: Result) -> float | None:
        if "usage" not in result:
            return None
        values: list[Any] = [usage.get(key) for usage in used(result) for key in keys]
        return None if None in values else math.fsum(values)

    return of_result


def _agent_latency(result: Result) -> float | None:
    if "usage" not in result:
        return None
    usage: Mapping[str, Any] | None = (result["usage"] or {}).get("agent")
    return 0.0 if usage is None else usage.get("latency_s")


def has_models(results: Sequence[Result]) -> bool:
    """Whether a party was a model in any of them; what is no model costs nothing that were worth a number."""
    return any(usage is not None for result in results for usage in (result.get("usage") or {}).values())


def _total_cost(results: Sequence[Result]) -> float | None:
    costs = [_used("cost_usd")(result) for result in results]
    return None if None in costs else math.fsum(cost for cost in costs if cost is not None)


def _infrastructure_rate(results: Sequence[Result]) -> float | None:
    failed = sum(result.get("outcome") == Outcome.INFRASTRUCTURE_ERROR for result in results)
    return failed / len(results) if results else None


def _excluded_rate(results: Sequence[Result]) -> float | None:
    return sum(not is_evaluated(result) for result in results) / len(results) if results else None


MEASURES: Mapping[str, Measure] = {
    each.name: each
    for each in (
        Measure("strict_success", 1, _mean(_strict_success), SHARE),
        Measure("success", 1, share_of_successes, SHARE),
        Measure("similarity", 1, _mean(_number("similarity")), SHARE),
        Measure("turn_count", -1, _mean(_number("turn_count")), AMOUNT, digits=2),
        Measure("tool_calls", 0, _mean(_number("tool_calls")), AMOUNT, digits=2),
        Measure("tool_errors", -1, _mean(_number("tool_errors")), AMOUNT),
        Measure("invalid_calls", -1, _mean(_number("invalid_calls")), AMOUNT),
        Measure("side_effects", -1, _mean(_any("side_effects")), SHARE),
        Measure("minefields", -1, _mean(_any("minefield_hit")), SHARE),
        Measure("unsupported", -1, _mean(_unsupported), AMOUNT),
        Measure("contradicted", -1, _mean(_contradicted), SHARE),
        Measure("user_findings", -1, _mean(_any("user_findings")), SHARE),
        Measure("cost_usd", -1, _mean(_used("cost_usd")), AMOUNT, digits=5),
        Measure("input_tokens", -1, _mean(_used("input_tokens")), AMOUNT, digits=0),
        Measure("output_tokens", -1, _mean(_used("output_tokens")), AMOUNT, digits=0),
        Measure("tokens", -1, _mean(_used("input_tokens", "output_tokens")), AMOUNT, digits=0),
        Measure("latency", -1, _mean(_agent_latency), AMOUNT, digits=2),
    )
}
"""Name to measure: ``side_effects``, ``minefields``, ``contradicted`` and ``user_findings`` are the share of
conversations with any, the counts and sums are means per conversation, ``latency`` is the seconds for which the agent's
model was waited for."""

RUN_MEASURES: Mapping[str, RunMeasure] = {
    each.name: each
    for each in (
        RunMeasure("infrastructure_rate", _infrastructure_rate),
        RunMeasure("excluded_rate", _excluded_rate),
        RunMeasure("total_cost_usd", _total_cost, AMOUNT),
    )
}
"""Share of conversations that ended as an infrastructure error, that count in no mean, and what all together cost."""

_OTHER_NAMES: Mapping[str, str] = {
    "success_rate": "success",
    "score": "similarity",
    "partial_score": "similarity",
    "turns": "turn_count",
    "cost": "cost_usd",
    "total_cost": "total_cost_usd",
    "latency_s": "latency",
    "infrastructure_errors": "infrastructure_rate",
    "minefield_hit": "minefields",
}
