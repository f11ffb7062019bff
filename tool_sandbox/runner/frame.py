"""The results of a run as one table."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

_PUBLISHED: dict[str, Any] = {
    "name": pl.String,
    "categories": pl.List(pl.String),
    "traceback": pl.String,
    "exception_type": pl.String,
    "milestone_similarity": pl.Float64,
    "minefield_similarity": pl.Float64,
    "similarity": pl.Float64,
    "turn_count": pl.Int64,
}
_MAPPINGS = ("milestone_mapping", "minefield_mapping")
_USAGE: dict[str, Any] = {
    "model": pl.String,
    "calls": pl.Int64,
    "attempts": pl.Int64,
    "retries": pl.Int64,
    "input_tokens": pl.Int64,
    "cached_tokens": pl.Int64,
    "cache_write_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "reasoning_tokens": pl.Int64,
    "paid_tokens": pl.Int64,
    "latency_s": pl.Float64,
    "wait_s": pl.Float64,
    "cost_usd": pl.Float64,
    "paid_usd": pl.Float64,
    "substituted": pl.Boolean,
}
_ADDED: dict[str, Any] = {
    "directory": pl.String,
    "seed": pl.Int64,
    "trial": pl.Int64,
    "profile": pl.String,
    "success": pl.Boolean,
    "minefield_hit": pl.Boolean,
    "outcome": pl.String,
    "total_turn_count": pl.Int64,
    "side_effects": pl.List(pl.String),
    "tool_calls": pl.Int64,
    "tool_errors": pl.Int64,
    "invalid_calls": pl.Int64,
    "fault": pl.String,
    "evaluated": pl.Boolean,
    "reason": pl.String,
    "usage": pl.Struct({party: pl.Struct(_USAGE) for party in ("agent", "user")}),
    "user_findings": pl.List(pl.String),
    "diverged": pl.Boolean,
    "family": pl.String,
    "base_name": pl.String,
    "augmentation": pl.String,
    "suite": pl.Struct({"version": pl.String, "content_hash": pl.String}),
    "scenario_hash": pl.Struct({"start": pl.String, "evaluation": pl.String}),
}


def scenario_results_frame(results: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Gives one row per conversation.

    Args:
        results: Entries as in a record or ``per_scenario_results``.

    Returns:
        The published columns, then those of this package unless the results come from a program that does not write
        them. Dtypes do not depend on the data, but for the mappings: a struct with one field a milestone number that
        occurs (``"0"`` at least), each a list of snapshot index and similarity, null where a scenario has no such
        milestone.
    """
    has_added = not results or any("outcome" in result for result in results)
    columns = [_column(results, name, dtype) for name, dtype in _PUBLISHED.items()]
    columns += [_mapping_column(results, name) for name in _MAPPINGS]
    if has_added:
        columns += [_column(results, name, dtype) for name, dtype in _ADDED.items()]
    return pl.DataFrame(columns)


def _column(results: Sequence[Mapping[str, Any]], name: str, dtype: Any) -> pl.Series:
    values = [result.get(name) for result in results]
    if name == "usage":
        values = [None if value is None else {party: _narrow(value.get(party)) for party in value} for value in values]
    elif name == "user_findings":
        values = [None if value is None else [str(finding["kind"]) for finding in value] for value in values]
    elif name == "diverged":
        replays = [result.get("replay") for result in results]
        values = [None if replay is None else bool(replay["divergences"]) for replay in replays]
    elif name == "side_effects":
        values = [None if value is None else [_in_words(effect) for effect in value] for value in values]
    elif dtype == pl.Float64:
        values = [None if value is None else float(value) for value in values]
    return pl.Series(name, _encodable(values), dtype=dtype)


def _encodable(value: Any) -> Any:
    """The same with ``?`` for every lone surrogate, which a model can write and UTF-8 cannot hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list | tuple):
        return [_encodable(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _encodable(each) for key, each in value.items()}
    return value


def _narrow(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The numbers of a party's usage; sums of floats may have come out whole."""
    if usage is None:
        return None
    values = {name: usage[name] for name in _USAGE}
    return {
        name: float(value) if _USAGE[name] == pl.Float64 and value is not None else value
        for name, value in values.items()
    }


def _in_words(side_effect: Any) -> str:
    return str(side_effect["description"]) if isinstance(side_effect, Mapping) else str(side_effect)


def _mapping_column(results: Sequence[Mapping[str, Any]], name: str) -> pl.Series:
    mappings = [result.get(name) or {} for result in results]
    numbers = sorted({0}.union(*(map(int, mapping) for mapping in mappings)))
    fields = [str(number) for number in numbers]
    dtype = pl.Struct({field: pl.List(pl.Float64) for field in fields})
    rows = [{field: _floats(mapping.get(field)) for field in fields} for mapping in mappings]
    return pl.Series(name, rows, dtype=dtype)


def _floats(match: Sequence[float] | None) -> list[float] | None:
    return None if match is None else [float(value) for value in match]
