"""Headline numbers of a run, in the shape in which the page draws them."""

from collections.abc import Sequence
from typing import Any

from tool_sandbox.analysis.metrics import measure
from tool_sandbox.analysis.pairing import Common
from tool_sandbox.records.metrics import Estimate, Group
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import REFUSING, REQUEST_BLIND, Floors
from tool_sandbox.world.outcome import Outcome

_METRICS = {"success": "success", "score": "similarity"}
_FLOOR_NAMES = {REFUSING: "an agent that refuses everything", REQUEST_BLIND: "an agent that never reads the request"}


def figures(results: Sequence[Result], floors: Floors | None) -> dict[str, Any]:
    """Scores with intervals, and what they have to be read against."""
    whole = measure(results, floors=floors, by=(), bootstrap=False)["overall"]
    refusals = [headline["reason"] for headline in whole["headlines"].values() if headline["reason"] is not None]
    return {
        **{name: _estimate(whole, metric) for name, metric in _METRICS.items()},
        "bounds": {
            name: [whole["headlines"][metric]["low"], whole["headlines"][metric]["high"]]
            for name, metric in _METRICS.items()
        },
        "clustered_by": whole["clustered_by"],
        "excluded": whole["conversations"] - whole["evaluated"],
        "infrastructure": whole["outcomes"].get(Outcome.INFRASTRUCTURE_ERROR, 0),
        "refusal": refusals[0] if refusals else None,
        "floors": [
            {
                "name": _FLOOR_NAMES.get(agent, agent),
                **{name: means[metric] for name, metric in _METRICS.items()},
            }
            for agent, means in (whole["floors"] or {}).items()
        ],
        "passes": [
            {
                "k": int(k),
                "any": _interval(whole["pass_at_k"][k]["estimate"]),
                "all": _interval(whole["pass_hat_k"][k]["estimate"]),
            }
            for k in sorted(whole["pass_at_k"], key=int)
        ],
    }


def common_figures(runs: Sequence[Sequence[Result]], common: Common) -> dict[str, Any] | None:
    """What runs that did not all play the same can be ranked by."""
    if common.text is None:
        return None
    return {
        "text": common.text,
        "scenarios": len(common.places),
        "runs": [
            {"left_out": left_out, **figures(common.of(results), None)}
            for results, left_out in zip(runs, common.left_out, strict=True)
        ],
    }


def _estimate(whole: Group, metric: str) -> dict[str, float | None] | None:
    """The headline with its interval; ``None`` where it is refused."""
    return None if whole["headlines"][metric]["value"] is None else _interval(whole["estimates"][metric])


def _interval(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    ends = [None if end is None else round(end, 6) for end in (estimate["low"], estimate["high"])]
    return {"estimate": round(estimate["mean"], 6), "low": ends[0], "high": ends[1]}
