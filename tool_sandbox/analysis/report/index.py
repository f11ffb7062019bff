"""What the page knows before a conversation is opened: columns of a table, and a line with headline numbers per run."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.analysis.metrics import measure
from tool_sandbox.analysis.pairing import Common, in_common, key_of, labels
from tool_sandbox.analysis.registry import METRICS
from tool_sandbox.records.metrics import Estimate, Group
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import REFUSING, REQUEST_BLIND, Floors
from tool_sandbox.runner.lineage import augmentation_of, axis_of, base_name_of, family_of, tier_of
from tool_sandbox.runner.verdicts import failure_mode_of, is_evaluated, is_open, is_success
from tool_sandbox.world.outcome import Outcome

FORMAT = 1
"""Version of what the page reads."""

_EXACT = 2**53 - 1

_HEADLINES = {"success": "success", "score": "similarity"}
_FLOOR_NAMES = {REFUSING: "an agent that refuses everything", REQUEST_BLIND: "an agent that never reads the request"}
_COUNTS = ("turn_count", "tool_calls", "tool_errors", "invalid_calls")


@attrs.frozen
class RunSnapshot:
    """A run as far as it has been played.

    Attributes:
        identifier: Name of the run in links, unique on a page.
        description: Content of ``run.json``.
        results: What there is so far, in the order planned.
        figures: Its headline numbers, see ``figures``.
        label: What it is called in its sweep, if it belongs to one.
    """

    identifier: str
    description: Mapping[str, Any]
    results: Sequence[Result]
    figures: Mapping[str, Any]
    label: str | None = None


class _Names:
    """Numbers names in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, name: Any) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


def build_index(runs: Sequence[RunSnapshot], title: str) -> dict[str, Any]:
    """Describes runs and all their conversations."""
    names_of_runs = labels([run.label for run in runs], [run.description for run in runs])
    names = {
        kind: _Names()
        for kind in ("categories", "families", "augmentations", "tiers", "axes", "failures", "outcomes", "bases")
    }
    scenarios = _Names()
    rows: dict[str, list[Any]] = {}
    common = in_common([run.results for run in runs])
    for number, run in enumerate(runs):
        for result in run.results:
            for column, value in _row(number, result, names, scenarios).items():
                rows.setdefault(column, []).append(value)
            rows.setdefault("common", []).append(int(key_of(result) in common.places))
    return {
        "format": FORMAT,
        "title": title,
        "runs": [_run(run, label) for run, label in zip(runs, names_of_runs, strict=True)],
        "names": {kind: list(known.numbers) for kind, known in names.items()},
        "scenarios": {
            column: [scenario[position] for scenario in scenarios.numbers]
            for position, column in enumerate(("name", "base", "family", "augmentation", "tier", "axis", "categories"))
        },
        "rows": rows,
        "common": common_figures([run.results for run in runs], common),
        "goals": {},
        "details": None,
    }


def figures(results: Sequence[Result], floors: Floors | None) -> dict[str, Any]:
    """Scores with intervals, and what they have to be read against."""
    whole = measure(results, floors=floors, by=(), bootstrap=False)["overall"]
    refusals = [headline["reason"] for headline in whole["headlines"].values() if headline["reason"] is not None]
    return {
        **{name: _estimate(whole, metric) for name, metric in _HEADLINES.items()},
        "bounds": {
            name: [whole["headlines"][metric]["low"], whole["headlines"][metric]["high"]]
            for name, metric in _HEADLINES.items()
        },
        "clustered_by": whole["clustered_by"],
        "excluded": whole["conversations"] - whole["evaluated"],
        "infrastructure": whole["outcomes"].get(Outcome.INFRASTRUCTURE_ERROR, 0),
        "refusal": refusals[0] if refusals else None,
        "floors": [
            {
                "name": _FLOOR_NAMES.get(agent, agent),
                **{name: means[metric] for name, metric in _HEADLINES.items()},
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


def encode(value: Any) -> bytes:
    """JSON as a browser reads it, without spaces, as UTF-8; lone surrogates stay JSON escapes."""
    return json.dumps(_exact(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _exact(value: Any) -> Any:
    """A value in which what a browser would round to another number, or cannot read, is text."""
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    is_rounded = isinstance(value, int) and abs(value) > _EXACT
    return str(value) if is_rounded or (isinstance(value, float) and not math.isfinite(value)) else value


def _row(run: int, result: Result, names: Mapping[str, _Names], scenarios: _Names) -> dict[str, Any]:
    name, directory = str(result["name"]), str(result.get("directory") or result["name"])
    scenario = (
        name,
        names["bases"].number(base_name_of(result)),
        names["families"].number(family_of(result)),
        names["augmentations"].number(augmentation_of(result)),
        names["tiers"].number(tier_of(result)),
        names["axes"].number(axis_of(result)),
        tuple(names["categories"].number(str(category)) for category in result.get("categories") or ()),
    )
    used = {name: METRICS[name].value(result) for name in ("tokens", "cost_usd", "latency_s")}
    return {
        "run": run,
        "scenario": scenarios.number(scenario),
        # All but odd directories begin with the name of the scenario, so only the rest is kept.
        "directory": directory.removeprefix(name) if directory.startswith(name) else f"={directory}",
        "seed": result.get("seed") or 0,
        "trial": result.get("trial") or 0,
        "outcome": names["outcomes"].number(result.get("outcome") or "unknown"),
        "failure": names["failures"].number(failure_mode_of(result) or ""),
        "evaluated": int(is_evaluated(result)),
        "open": int(is_open(result)),
        "success": int(is_success(result)),
        "score": round(float(result["similarity"]), 4),
        **{column: result.get(column) or 0 for column in _COUNTS},
        "side_effects": len(result.get("side_effects") or ()),
        "minefield": int(bool(METRICS["minefield_hit"].value(result))),
        "findings": len(result.get("user_findings") or ()),
        **{name: None if value is None else round(value, 6) for name, value in used.items()},
    }


def _run(run: RunSnapshot, label: str) -> dict[str, Any]:
    described = run.description
    planned = len(described.get("episodes") or run.results)
    kept = ("agent", "user", "started", "profile", "seeds", "trials", "git_sha", "package_version", "python_version")
    return {
        "id": run.identifier,
        "label": label,
        **{key: described.get(key) for key in kept},
        "suite": described.get("suite"),
        "services": (described.get("services") or {}).get("choice"),
        "prompt": (described.get("instruction") or {}).get("version"),
        "planned": planned,
        "played": len(run.results),
        "figures": run.figures,
    }
