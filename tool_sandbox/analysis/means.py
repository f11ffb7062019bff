"""Means of a frame of conversations, with intervals that respect what is correlated."""

from typing import Any, get_type_hints

import polars as pl

from tool_sandbox.analysis.frames import CONVERSATIONS
from tool_sandbox.analysis.statistics.intervals import AMOUNT, SHARE, clustered_mean
from tool_sandbox.records.declaring import Share
from tool_sandbox.records.result import Result

_SHARES = {name for name, hint in get_type_hints(Result, include_extras=True).items() if hint in (Share, bool)}


def means(conversations: pl.DataFrame, *by: str, of: str = "similarity", confidence: float = 0.95) -> pl.DataFrame:
    """Means of a column, for the whole or by groups.

    Variants of one task are not independent, so the intervals are clustered by family (within a family, or where there
    is only one, by base scenario), see ``tool_sandbox.analysis.statistics.intervals.clustered_mean``. Conversations
    that say nothing about the agent (``evaluated`` is false) and those without a value are left out.
    """
    counted = conversations.filter(pl.col("evaluated").fill_null(value=True), pl.col(of).is_not_null())
    schema: dict[str, Any] = {
        **{name: conversations.schema[name] for name in by},
        **dict.fromkeys(("estimate", "low", "high"), pl.Float64),
        **dict.fromkeys(("n", "clusters"), pl.Int64),
    }
    # As in ``clustering.clustered_by``, and within a family.
    cluster = "base_name" if "family" in by or counted["family"].n_unique() == 1 else "family"
    groups = counted.partition_by(by, as_dict=True).items() if by else [((), counted)] if len(counted) else []
    rows = []
    for key, group in groups:
        interval = clustered_mean(
            group[of].cast(pl.Float64).to_list(),
            group[cluster].to_list(),
            confidence,
            bounds=SHARE if of in _SHARES else AMOUNT if of in CONVERSATIONS else None,
        )
        ends = [end if abs(end) != float("inf") else None for end in (interval.low, interval.high)]
        rows.append((*key, interval.estimate, *ends, interval.n, interval.clusters))
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sort(by, nulls_last=True) if by else frame
