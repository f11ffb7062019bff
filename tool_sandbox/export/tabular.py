"""Conversations as a table, a row each, whose columns and dtypes never depend on the data."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from tool_sandbox.export.trajectory import METADATA, Entry, Trajectory

_DTYPES: Mapping[type, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}

_CALL = pl.Struct(
    {"id": pl.String, "type": pl.String, "function": pl.Struct({"name": pl.String, "arguments": pl.String})}
)
_MESSAGE = pl.Struct(
    {
        "role": pl.String,
        "content": pl.String,
        "tool_calls": pl.List(_CALL),
        "tool_call_id": pl.String,
        "name": pl.String,
        "error": pl.String,
        "weight": pl.Int64,
        "reward": pl.Float64,
    }
)

SCHEMA: Mapping[str, Any] = {
    **{name: _DTYPES[kind] for name, kind in METADATA.items()},
    "messages": pl.List(_MESSAGE),
    "tools": pl.String,
    "rewards": pl.List(pl.Float64),
}
"""Columns: the metadata, the messages as the agent saw them, the tools on offer as JSON, the reward of each turn of the
agent."""

_AT_ONCE = 500
"""Rows that are made into columns together, which takes far less memory than what they are made of."""


def conversations_table(trajectories: Iterable[Trajectory]) -> pl.DataFrame:
    """One row a conversation."""
    frames = [_frame(_whole(_row(trajectory)) for trajectory in some) for some in _in_batches(trajectories)]
    return pl.concat([_frame(()), *frames])


def _in_batches(trajectories: Iterable[Trajectory]) -> Iterator[Iterable[Trajectory]]:
    some: list[Trajectory] = []
    for trajectory in trajectories:
        some.append(trajectory)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    yield some


def _frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(SCHEMA), orient="row", strict=False)


def _whole(value: Any) -> Any:
    """A value whose texts have whole characters only, as tables need them; a model may say half a one."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def _row(trajectory: Trajectory) -> dict[str, Any]:
    return {
        **trajectory.metadata,
        "messages": [_message(entry) for entry in trajectory.entries],
        "tools": json.dumps(trajectory.tools, ensure_ascii=False),
        "rewards": [entry.reward for entry in trajectory.entries if entry.reward is not None],
    }


def _message(entry: Entry) -> dict[str, Any]:
    names = ("role", "content", "tool_calls", "tool_call_id", "name")
    message = {name: entry.message.get(name) for name in names}
    return {**message, "error": entry.error, "weight": entry.weight, "reward": entry.reward}
