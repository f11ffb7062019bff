"""How numbers of a run and their intervals are written."""

from typing import Literal

from tool_sandbox.analysis.statistics.intervals import UNKNOWN
from tool_sandbox.helpers.counting import counted
from tool_sandbox.records.metrics import Estimate, Group

FLOOR_TITLES = {"refusing": "refusing", "request_blind": "request-blind"}
"""Agents that need no skill, for people."""

NOTHING = "-"


def shown(name: str, value: float | None) -> str:
    """A value of a metric: a share in per cent, anything else with its digits."""
    if value is None:
        return NOTHING
    digits = _digits(name)
    return f"{value:.1%}" if digits is None else f"{value:,.{digits}f}"


def interval_text(name: str, estimate: Estimate, kind: Literal["analytic", "bootstrap"] = "analytic") -> str:
    """The interval of a mean, shares in per cent without the sign; empty where nothing is known."""
    ends = estimate if kind == "analytic" else estimate["bootstrap"]
    if ends is None or ends["low"] is None or ends["high"] is None or estimate["method"] == UNKNOWN:
        return ""
    digits = _digits(name)
    low, high = (f"{end * 100:.1f}" if digits is None else f"{end:,.{digits}f}" for end in (ends["low"], ends["high"]))
    return f"[{low}, {high}]"


def open_text(group: Group) -> str:
    """How many conversations depend on unclear answers."""
    return (
        f"OPEN: {counted(group['open'], 'conversation')} with a score that depends on unclear answers, which count as "
        "not stated; to decide them: tool_sandbox review RUN"
    )


def settled_text(group: Group) -> str:
    """How many conversations are scored by what a model decided."""
    return f"JUDGED: {counted(group['settled_by_judge'], 'conversation')} with an unclear answer that a model decided"


def trust(group: Group, confidence: float) -> str | None:
    """What intervals rest on, in one line."""
    from tool_sandbox.analysis.clustering import BASE_SCENARIO, clusters_text

    estimate = group["estimates"]["success"]
    if estimate is None:
        return None
    clusters = estimate["clusters"]
    if clusters == 1:
        return "no interval: one base scenario says nothing about others"
    limits = ", for that family only" if group["clustered_by"] == BASE_SCENARIO else ""
    return f"{confidence * 100:g} % intervals from {clusters_text(group['clustered_by'], clusters)}{limits}"


def _digits(name: str) -> int | None:
    """Digits behind the point, ``None`` for a share in per cent."""
    from tool_sandbox.analysis.registry import METRICS

    return None if METRICS[name].is_percentage else METRICS[name].digits
