"""The metrics: what each is called and means, and how it is computed.

What ``metrics`` has means of, ``compare`` compares runs by, gates name and the report shows is declared here and
nowhere else: a function of a result, or of all results of a run, whose docstring is what people read of it.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tool_sandbox.analysis.metric import Better, Metric, Part, PassMetric, RunMetric
from tool_sandbox.analysis.statistics.estimators import pass_at_k, pass_hat_k
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.result import Result
from tool_sandbox.runner.usage import PARTIES, used
from tool_sandbox.runner.verdicts import is_contradicted, is_evaluated, is_success
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.models.session import Party


def metric(name: str) -> Metric | RunMetric:
    """Finds a metric.

    Args:
        name: Its name, or another that is used for it; ``pass^3`` and ``pass@3`` for any number.

    Raises:
        UnknownNameError: There is none.
    """
    known = _OTHER_NAMES.get(name.lower(), name.lower())
    if (repeated := re.fullmatch(r"pass([\^@])([1-9]\d{0,3})", known)) is not None:
        return pass_metric(repeated[1], int(repeated[2]))
    found = METRICS.get(known) or RUN_METRICS.get(known)
    if found is None:
        close = suggest(name, [*metric_names(), *_OTHER_NAMES])
        meant = dict.fromkeys(_OTHER_NAMES.get(each, each) for each in close)
        raise UnknownNameError(f"there is no metric {name!r}; there are {', '.join(metric_names())}.", meant)
    return found


def metric_names() -> list[str]:
    """Names of all metrics, with an example of each kind that has a number in its name."""
    return [*METRICS, *RUN_METRICS, "pass^3", "pass@3"]


def pass_metric(kind: str, k: int) -> PassMetric:
    """Whether all (``^``) or any (``@``) of k trials succeed.

    Args:
        kind: ``^`` or ``@``.
        k: Number of trials.
    """
    estimate, which = (pass_hat_k, "all") if kind == "^" else (pass_at_k, "any")
    meaning = f"Chance that {which} of {k} trials succeed"
    return PassMetric(f"pass{kind}{k}", meaning, "share", "higher", success.part, trials=k, estimate=estimate)


def share_of_successes(trials: Sequence[Result]) -> float:
    """Share of the trials of a scenario, at least one, that succeeded."""
    return sum(map(is_success, trials)) / len(trials)


def totals(results: Sequence[Result]) -> dict[str, float | None]:
    """What a run as a whole is measured by."""
    return {name: each.of_results(results) for name, each in RUN_METRICS.items()}


def has_models(results: Sequence[Result]) -> bool:
    """Whether a party was a model in any of them; what is no model costs nothing that were worth a number."""
    return any(used(result) for result in results)


_OTHER_NAMES: Mapping[str, str] = {
    "success_rate": "success",
    "score": "similarity",
    "partial_score": "similarity",
    "turns": "turn_count",
    "minefields": "minefield_hit",
    "latency": "latency_s",
    "cost": "cost_usd",
    "total_cost": "total_cost_usd",
    "infrastructure_errors": "infrastructure_rate",
}


def _metric(
    unit: str, better: Better, title: str = "", **choices: Any
) -> Callable[[Callable[[Result], Part | None]], Metric]:
    """Makes a function a metric of its name, described by its docstring."""
    return lambda part: Metric(*_described(part), unit, better, part, title, **choices)


def _run_metric(unit: str, better: Better) -> Callable[[Callable[[Sequence[Result]], float | None]], RunMetric]:
    return lambda of_results: RunMetric(*_described(of_results), unit, better, of_results)


def _described(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__name__, (function.__doc__ or "").removesuffix(".")


def _number(result: Mapping[str, Any], key: str) -> Part | None:
    return None if (number := result.get(key)) is None else (float(number), 1)


def _any(result: Mapping[str, Any], key: str) -> Part | None:
    """Whether there is something in a list, or a flag is up."""
    return None if (found := result.get(key)) is None else (float(bool(found)), 1)


def _used(result: Result, *keys: str, parties: "Sequence[Party]" = ("agent",), per: str | None = None) -> Part | None:
    """What the models of some parties used in a conversation; a party that is no model uses nothing."""
    if "usage" not in result:
        return None
    usages: list[Mapping[str, Any]] = [*used(result, parties)]
    values: list[Any] = [usage.get(key) for usage in usages for key in keys]
    if None in values:
        return None
    return math.fsum(values), int(bool(usages)) if per is None else sum(usage[per] for usage in usages)


@_metric("share", "higher", is_compared=False)
def strict_success(result: Result) -> Part | None:
    """Conversations with all points under the strict rules; not known under others."""
    return success.part(result) if result.get("profile") == Profile.STRICT else None


@_metric("share", "higher", "success rate")
def success(result: Result) -> Part | None:
    """Conversations with all points, under whichever rules."""
    return float(is_success(result)), 1


@_metric("score", "higher", "partial score")
def similarity(result: Result) -> Part | None:
    """The score, from 0 to 1: partial credit."""
    return _number(result, "similarity")


@_metric("turns", "lower", "turns", digits=2)
def turn_count(result: Result) -> Part | None:
    """Turns, as the published benchmark counts them."""
    return _number(result, "turn_count")


@_metric("calls", "neither", "tool calls", digits=2, is_compared=False)
def tool_calls(result: Result) -> Part | None:
    """Answered tool calls of the agent."""
    return _number(result, "tool_calls")


@_metric("calls", "lower", "tool errors")
def tool_errors(result: Result) -> Part | None:
    """Answered tool calls that failed."""
    return _number(result, "tool_errors")


@_metric("share", "lower", "errors per call", is_compared=False)
def tool_error_rate(result: Result) -> Part | None:
    """Answered tool calls that failed, of all: sum over sum."""
    calls, errors = result.get("tool_calls"), result.get("tool_errors")
    return None if calls is None or errors is None else (float(errors), calls)


@_metric("calls", "lower", "invalid calls", is_compared=False)
def invalid_calls(result: Result) -> Part | None:
    """Calls that could not even be tried."""
    return _number(result, "invalid_calls")


@_metric("share", "lower", "side effects")
def side_effects(result: Result) -> Part | None:
    """Conversations with a change that the scenario does not allow."""
    return _any(result, "side_effects")


@_metric("share", "lower", "minefields hit")
def minefield_hit(result: Result) -> Part | None:
    """Conversations in which something happened that must not."""
    return _any(result, "minefield_hit") or (float(bool(result.get("minefield_similarity"))), 1)


@_metric("statements", "lower", "unsupported statements")
def unsupported(result: Result) -> Part | None:
    """Statements to the user that nothing shown supports; not known where they were not checked."""
    findings = result.get("unsupported")
    return None if findings is None else (float(len(findings)), 1)


@_metric("share", "lower", "contradicted by the world")
def contradicted(result: Result) -> Part | None:
    """Conversations in which the user was told what the world contradicts; not known where that was not checked."""
    return None if result.get("unsupported") is None else (float(is_contradicted(result)), 1)


@_metric("share", "lower", "false by the judge")
def false_statements(result: Result) -> Part | None:
    """Conversations in which a judge holds words to the user for false; not known where no judge could say."""
    judge = result.get("judge")
    found = None if judge is None else judge.get("false_statements")
    return None if found is None else (float(bool(found)), 1)


@_metric("share", "lower", "user at fault")
def user_findings(result: Result) -> Part | None:
    """Audited conversations in which the simulated user did something wrong."""
    return _any(result, "user_findings")


@_metric("seconds", "lower", "model seconds", digits=2)
def latency_s(result: Result) -> Part | None:
    """Waiting for the agent's model."""
    return _used(result, "latency_s")


@_metric("seconds", "lower", "seconds per call", is_compared=False)
def call_latency_s(result: Result) -> Part | None:
    """Waiting for the agent's model, per call: sum over sum."""
    return _used(result, "latency_s", per="calls")


@_metric("tokens", "lower", "tokens in", digits=0, is_compared=False)
def input_tokens(result: Result) -> Part | None:
    """Prompts of the agent's model, cached ones included."""
    return _used(result, "input_tokens")


@_metric("tokens", "lower", "tokens out", digits=0, is_compared=False)
def output_tokens(result: Result) -> Part | None:
    """Replies of the agent's model, reasoning included."""
    return _used(result, "output_tokens")


@_metric("tokens", "lower", digits=0)
def tokens(result: Result) -> Part | None:
    """Prompts and replies of the agent's model."""
    return _used(result, "input_tokens", "output_tokens")


@_metric("USD", "lower", "cost in USD", digits=4)
def cost_usd(result: Result) -> Part | None:
    """List price of the models of agent and user; not known if one of them has none."""
    return _used(result, "cost_usd", parties=("agent", "user"))


@_run_metric("share", "lower")
def infrastructure_rate(results: Sequence[Result]) -> float | None:
    """Conversations that ended as an infrastructure error."""
    failed = sum(result.get("outcome") == Outcome.INFRASTRUCTURE_ERROR for result in results)
    return failed / len(results) if results else None


@_run_metric("share", "lower")
def excluded_rate(results: Sequence[Result]) -> float | None:
    """Conversations that count in no mean."""
    return sum(not is_evaluated(result) for result in results) / len(results) if results else None


@_run_metric("USD", "lower")
def total_cost_usd(results: Sequence[Result]) -> float | None:
    """List price of all models in all conversations, a judge's and excluded ones among them."""
    parts = [_used(result, "cost_usd", parties=PARTIES) for result in results]
    return None if None in parts else math.fsum(part[0] for part in parts if part is not None)


METRICS: Mapping[str, Metric] = {each.name: each for each in [*globals().values()] if isinstance(each, Metric)}
"""Name to metric of a conversation."""

RUN_METRICS: Mapping[str, RunMetric] = {
    each.name: each for each in [*globals().values()] if isinstance(each, RunMetric)
}
"""Name to metric of a run."""
