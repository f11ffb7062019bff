"""Tables over the results of a run."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tool_sandbox.analysis.data_loading import extract_scenario_results

__all__ = ["extract_aggregated_stats", "extract_meta_stats", "extract_scenario_results"]


def extract_meta_stats(scenarios_df: pl.DataFrame) -> pl.DataFrame:
    """Counts over a whole run."""
    count = len(scenarios_df)
    turns = int(scenarios_df["turn_count"].sum())
    row = {
        "num_scenarios": count,
        "num_exceptions": int(scenarios_df["traceback"].is_not_null().sum()),
        "total_num_turn_counts": turns,
        "normalized_total_num_turn_counts": turns / count if count else None,
    }
    dtypes = [pl.Int64, pl.Int64, pl.Int64, pl.Float64]
    return pl.DataFrame([row], schema=dict(zip(row, dtypes, strict=True)))


def extract_aggregated_stats(results: Mapping[str, Any]) -> pl.DataFrame:
    """Means per category."""
    rows = [
        {"category": category, "similarity": float(means["similarity"]), "turn_count": float(means["turn_count"])}
        for category, means in results["category_aggregated_results"].items()
    ]
    return pl.DataFrame(rows, schema={"category": pl.String, "similarity": pl.Float64, "turn_count": pl.Float64})
