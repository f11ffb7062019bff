"""A run as Polars frames, whose columns and dtypes never depend on the data.

Every frame begins with ``run`` (name of the run) and, but for ``floors``, ``directory`` (the conversation in it); those
two join them, and with ``message_index`` what belongs to one message. ``SCHEMAS`` has all of them by name.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_type_hints

import attrs
import polars as pl

from tool_sandbox.analysis.model_turns import ModelTurn
from tool_sandbox.analysis.scored import CheckView, ScoredNode
from tool_sandbox.analysis.views import ConversationView, MessageView
from tool_sandbox.analysis.world_changes import WorldChange
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.records.usage import PartyUsage
from tool_sandbox.runner.floor import Floors
from tool_sandbox.runner.frame import RESULT, dtype_of
from tool_sandbox.runner.lineage import augmentation_of, base_name_of, family_of, tier_of
from tool_sandbox.runner.verdicts import failure_mode_of

Schema = dict[str, Any]
Columns = dict[str, tuple[Any, Callable[..., Any]]]
"""Name to dtype, and to what makes the cell out of what a row is made of."""

_KEYS: Schema = {"run": pl.String, "directory": pl.String}
_PARTIES = ("agent", "user")
_USED = dtype_of(PartyUsage).to_schema()
_USAGE = ("model", "calls", "input_tokens", "output_tokens", "latency_s", "wait_s", "cost_usd")

_OF_A_RESULT = (
    *("name", "base_name", "family", "augmentation", "tier", "axis", "categories", "seed", "trial", "profile"),
    *("outcome", "evaluated"),
    *("fault", "reason", "success", "similarity", "milestone_similarity", "minefield_similarity", "minefield_hit"),
    *("turn_count", "total_turn_count", "tool_calls", "tool_errors", "invalid_calls"),
)
CONVERSATIONS: Schema = {
    **_KEYS,
    **{name: RESULT[name] for name in _OF_A_RESULT},
    "failure_mode": pl.String,
    "side_effects": pl.Int64,
    "user_findings": pl.List(pl.String),
    **{f"{party}_{name}": _USED[name] for party in _PARTIES for name in _USAGE},
}
"""One row per conversation."""

FLOORS: Schema = {
    "run": pl.String,
    "name": pl.String,
    "seed": pl.Int64,
    "agent": pl.String,
    "similarity": pl.Float64,
}
"""One row per scenario, seed and agent that does nothing useful, see ``tool_sandbox.runner.floor``."""


def _fields(kind: type, *names: str) -> Columns:
    """Columns that are fields of the object that a row is made of, the last one where it is made of several."""

    def field(name: str) -> Callable[..., Any]:
        return lambda *made_of: getattr(made_of[-1], name)

    hints = get_type_hints(kind)
    return {name: (dtype_of(hints[name]), field(name)) for name in names}


def _of_model(name: str) -> Callable[..., Any]:
    return lambda view, message: getattr(message.model, name, None)


def _text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


_MESSAGES: Columns = {
    "message_index": (pl.Int64, lambda view, message: message.index),
    "is_opening": (pl.Boolean, lambda view, message: message.index < view.opening),
    **_fields(MessageView, "sender", "recipient", "text"),
    "tool": (pl.String, lambda view, message: getattr(message.call or message.answer, "tool", None)),
    "error": (pl.String, lambda view, message: message.answer.error if message.answer else None),
    "changes": (pl.Int64, lambda view, message: len(message.changes)),
    **_fields(MessageView, "milestones", "minefields"),
    # What a turn of a model took, in the row of its first message.
    **{name: (dtype_of(hint), _of_model(name)) for name, hint in get_type_hints(ModelTurn).items()},
}
_TOOL_CALLS: Columns = {
    "message_index": (pl.Int64, lambda message, answer, is_doubtful: message.index),
    "answer_index": (pl.Int64, lambda message, answer, is_doubtful: answer and answer.index),
    "caller": (pl.String, lambda message, answer, is_doubtful: message.sender),
    "call_id": (pl.String, lambda message, answer, is_doubtful: message.call.id),
    "name": (pl.String, lambda message, answer, is_doubtful: message.call.name),
    "tool": (pl.String, lambda message, answer, is_doubtful: message.call.tool),
    "arguments": (pl.String, lambda message, answer, is_doubtful: _text(message.call.arguments)),
    "result": (pl.String, lambda message, answer, is_doubtful: answer and answer.answer.result),
    "error": (pl.String, lambda message, answer, is_doubtful: answer and answer.answer.error),
    "changes": (
        pl.Int64,
        lambda message, answer, is_doubtful: 0 if answer is None else None if is_doubtful else len(answer.changes),
    ),
}
_MILESTONES: Columns = {
    "kind": (pl.String, lambda kind, node: kind),
    "number": (pl.Int64, lambda kind, node: node.index),
    **_fields(ScoredNode, "name", "weight", "after", "similarity", "message_index"),
    "text": (pl.String, lambda kind, node: "; ".join(check.text for check in node.checks) or None),
    "why": (
        pl.String,
        lambda kind, node: "; ".join(filter(None, [node.why, *(check.why for check in node.checks)])) or None,
    ),
    "checks": (pl.List(dtype_of(CheckView)), lambda kind, node: list(map(attrs.asdict, node.checks))),
}
_WORLD_CHANGES: Columns = {
    "message_index": (pl.Int64, lambda message, change: message.index),
    **_fields(WorldChange, "database", "kind", "key", "columns"),
    "before": (pl.String, lambda message, change: _text(change.before)),
    "after": (pl.String, lambda message, change: _text(change.after)),
}


def _called(view: ConversationView) -> Iterator[tuple[MessageView, MessageView | None, bool]]:
    """The calls of tools, each with the message that answers it, and whether what that changed is not known."""
    answers = {message.answer.call_index: message for message in view.messages if message.answer is not None}
    doubtful = {index for message in view.messages for index in message.changed_by}
    for message in view.messages:
        if message.call is not None and message.sender != RoleType.SYSTEM:
            answer = answers.get(message.index)
            yield message, answer, answer is not None and answer.index in doubtful


_OF_VIEWS: Mapping[str, tuple[Columns, Callable[[ConversationView], Iterable[tuple[Any, ...]]]]] = {
    "messages": (_MESSAGES, lambda view: ((view, message) for message in view.messages)),
    "tool_calls": (_TOOL_CALLS, _called),
    "milestones": (
        _MILESTONES,
        lambda view: [
            (kind, node)
            for kind, nodes in (("milestone", view.milestones), ("minefield", view.minefields))
            for node in nodes
        ],
    ),
    "world_changes": (
        _WORLD_CHANGES,
        lambda view: ((message, change) for message in view.messages for change in message.changes),
    ),
}
"""Frame to its columns, and to what its rows are made of: messages, calls of tools with arguments and changed rows with
cells as JSON, milestones and minefields, ``kind`` says which."""

SCHEMAS: dict[str, Schema] = {
    "conversations": CONVERSATIONS,
    **{
        frame: _KEYS | {name: dtype for name, (dtype, _) in columns.items()}
        for frame, (columns, _) in _OF_VIEWS.items()
    },
    "floors": FLOORS,
}
"""Name of each frame to its columns and dtypes."""


def conversations_frame(run: str, results: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """One row per conversation."""
    return _frame((_conversation(run, result) for result in results), CONVERSATIONS)


def _conversation(run: str, result: Mapping[str, Any]) -> dict[str, Any]:
    findings, effects, usage = result.get("user_findings"), result.get("side_effects"), result.get("usage") or {}
    return {
        **result,
        "run": run,
        "base_name": base_name_of(result),
        "family": family_of(result),
        "augmentation": augmentation_of(result),
        "tier": tier_of(result),
        "failure_mode": failure_mode_of(result),
        "side_effects": None if effects is None else len(effects),
        "user_findings": None if findings is None else [finding["kind"] for finding in findings],
        **{f"{party}_{name}": (usage.get(party) or {}).get(name) for party in _PARTIES for name in _USAGE},
    }


def floors_frame(run: str, floors: Floors | None) -> pl.DataFrame:
    """One row per scenario, seed and agent of the floor."""
    scores = {} if floors is None else floors.scores
    rows = (
        {"run": run, "name": name, "seed": seed, "agent": agent, "similarity": similarity}
        for agent, found in scores.items()
        for (name, seed), similarity in found.items()
    )
    return _frame(rows, FLOORS)


def view_frames(run: str, views: Iterable[ConversationView]) -> dict[str, pl.DataFrame]:
    """The frames that need more than the results, by name."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _OF_VIEWS}
    for view in views:
        keys = {"run": run, "directory": view.result["directory"]}
        for name, (columns, parts) in _OF_VIEWS.items():
            for made_of in parts(view):
                rows[name].append(keys | {column: cell(*made_of) for column, (_, cell) in columns.items()})
    return {name: _frame(rows[name], SCHEMAS[name]) for name in _OF_VIEWS}


def _frame(rows: Iterable[Mapping[str, Any]], schema: Schema) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    for row in rows:
        for name, values in columns.items():
            values.append(row.get(name))
    # What an older or foreign run has in another type is taken over where it can be, else it is null.
    return pl.DataFrame([pl.Series(name, values, schema[name], strict=False) for name, values in columns.items()])
