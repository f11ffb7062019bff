"""A comparison as JSON."""

import math
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.analysis.compare_measures import RUN_MEASURES
from tool_sandbox.analysis.conclusion import conclusion
from tool_sandbox.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from tool_sandbox.analysis.compare import Comparison, Difference, Versus
    from tool_sandbox.analysis.pairing import StoredRun

FORMAT = 1


def comparison_as_dict(comparison: "Comparison") -> dict[str, Any]:
    """Everything of a comparison as JSON values.

    Args:
        comparison: The comparison.

    Returns:
        ``format``, ``confidence``, ``runs`` (the baseline first), ``baseline``, ``ranking``, and ``versus``: for each
        other run the verdict in words, counts of what was compared, differences, categories, and what broke.
    """
    return {
        "format": FORMAT,
        "confidence": comparison.confidence,
        "baseline": comparison.baseline.label,
        "runs": [_run(run) for run in comparison.runs],
        "ranking": [
            {
                "label": standing.label,
                "clustered_by": standing.clustered_by,
                "success": standing.success and interval_as_dict(standing.success),
                "similarity": standing.similarity and interval_as_dict(standing.similarity),
            }
            for standing in comparison.ranking
        ],
        "versus": [_versus(comparison, versus) for versus in comparison.versus],
    }


def interval_as_dict(interval: Interval) -> dict[str, Any]:
    """An interval as JSON values; an end that is not known is null."""
    return {key: finite(value) for key, value in attrs.asdict(interval).items()}


def finite(value: Any) -> Any:
    """The same value, null for an infinite number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _run(run: "StoredRun") -> dict[str, Any]:
    totals = {name: each.of_results(run.results) for name, each in RUN_MEASURES.items()}
    return {"label": run.label, "path": run.path.name, "planned": run.planned, "played": len(run.results), **totals}


def _versus(comparison: "Comparison", versus: "Versus") -> dict[str, Any]:
    found = conclusion(comparison, versus)
    pairing = versus.pairing
    return {
        "label": versus.label,
        "verdict": found.kind,
        "text": found.text,
        "headline": versus.headline,
        "compared": len(pairing.pairs),
        "clustered_by": pairing.clustered_by,
        "only_in_baseline": list(pairing.only_before),
        "only_in_run": list(pairing.only_after),
        "not_evaluated": list(pairing.not_evaluated),
        "incomparable": list(pairing.incomparable),
        "warnings": list(versus.warnings),
        "differences": {name: _difference(each) for name, each in versus.differences.items()},
        "unknown": list(versus.unknown),
        "categories": {
            category: {each.measure: _difference(each) for each in row} for category, row in versus.categories.items()
        },
        "broken": [attrs.asdict(change) for change in versus.broken],
        "fixed": [attrs.asdict(change) for change in versus.fixed],
        "dropped": [attrs.asdict(change) for change in versus.dropped],
    }


def _difference(each: "Difference") -> dict[str, Any]:
    return {
        "before": each.before,
        "after": each.after,
        "difference": interval_as_dict(each.test.interval),
        "p_value": each.test.p_value,
        "p_sign_flip": each.test.p_flip,
        "p_adjusted": each.p_adjusted,
        "smallest_seen": finite(each.test.smallest),
    }
