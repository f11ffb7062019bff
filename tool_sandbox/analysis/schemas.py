"""Columns and dtypes of the frames of a run; they never depend on the data."""

from typing import Any

import polars as pl

from tool_sandbox.records.usage import PartyUsage
from tool_sandbox.runner.frame import RESULT, dtype_of

Schema = dict[str, Any]

_KEYS: Schema = {"run": pl.String, "directory": pl.String}
_USED = dtype_of(PartyUsage).to_schema()
USAGE: Schema = {
    name: _USED[name] for name in ("model", "calls", "input_tokens", "output_tokens", "latency_s", "wait_s", "cost_usd")
}
PARTIES = ("agent", "user")
MODEL: Schema = {
    "latency_s": pl.Float64,
    "wait_s": pl.Float64,
    "input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "cost_usd": pl.Float64,
    "stop": pl.String,
    "failures": pl.Int64,
}
"""What a turn of a model took, in the row of its first message."""

_OF_A_RESULT = (
    *("name", "base_name", "family", "augmentation", "categories", "seed", "trial", "profile", "outcome", "evaluated"),
    *("fault", "reason", "success", "similarity", "milestone_similarity", "minefield_similarity", "minefield_hit"),
    *("turn_count", "total_turn_count", "tool_calls", "tool_errors", "invalid_calls"),
)
CONVERSATIONS: Schema = {
    **_KEYS,
    **{name: RESULT[name] for name in _OF_A_RESULT},
    "side_effects": pl.Int64,
    "user_findings": pl.List(pl.String),
    **{f"{party}_{name}": dtype for party in PARTIES for name, dtype in USAGE.items()},
}
"""One row per conversation."""

MESSAGES: Schema = {
    **_KEYS,
    "message_index": pl.Int64,
    "is_opening": pl.Boolean,
    "sender": pl.String,
    "recipient": pl.String,
    "text": pl.String,
    "tool": pl.String,
    "error": pl.String,
    "changes": pl.Int64,
    "milestones": pl.List(pl.Int64),
    "minefields": pl.List(pl.Int64),
    **MODEL,
}
"""One row per message."""

TOOL_CALLS: Schema = {
    **_KEYS,
    "message_index": pl.Int64,
    "answer_index": pl.Int64,
    "caller": pl.String,
    "call_id": pl.String,
    "name": pl.String,
    "tool": pl.String,
    "arguments": pl.String,
    "result": pl.String,
    "error": pl.String,
    "changes": pl.Int64,
}
"""One row per call of a tool, ``arguments`` as JSON."""

MILESTONES: Schema = {
    **_KEYS,
    "kind": pl.String,
    "number": pl.Int64,
    "name": pl.String,
    "weight": pl.Float64,
    "after": pl.List(pl.Int64),
    "similarity": pl.Float64,
    "message_index": pl.Int64,
    "text": pl.String,
    "why": pl.String,
    "checks": pl.List(
        pl.Struct(
            {
                "database": pl.String,
                "text": pl.String,
                "similarity": pl.Float64,
                "why": pl.String,
                "message_index": pl.Int64,
            }
        )
    ),
}
"""One row per milestone or minefield, ``kind`` says which."""

WORLD_CHANGES: Schema = {
    **_KEYS,
    "message_index": pl.Int64,
    "database": pl.String,
    "kind": pl.String,
    "key": pl.String,
    "columns": pl.List(pl.String),
    "before": pl.String,
    "after": pl.String,
}
"""One row per row of the world that a message added, removed or updated, ``before`` and ``after`` as JSON."""

FLOORS: Schema = {
    "run": pl.String,
    "name": pl.String,
    "seed": pl.Int64,
    "agent": pl.String,
    "similarity": pl.Float64,
}
"""One row per scenario, seed and agent that does nothing useful, see ``tool_sandbox.runner.floor``."""

SCHEMAS: dict[str, Schema] = {
    "conversations": CONVERSATIONS,
    "messages": MESSAGES,
    "tool_calls": TOOL_CALLS,
    "milestones": MILESTONES,
    "world_changes": WORLD_CHANGES,
    "floors": FLOORS,
}
"""Name of each frame to its columns and dtypes."""
