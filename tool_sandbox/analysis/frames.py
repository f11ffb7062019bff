"""A run as Polars frames, whose columns and dtypes never depend on the data.

Every frame begins with ``run`` (name of the run) and, but for ``floors``, ``directory`` (the conversation in it); those
two join them, and with ``message_index`` what belongs to one message. ``SCHEMAS`` has all of them by name.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tool_sandbox.analysis.schemas import (
    CONVERSATIONS,
    FLOORS,
    MESSAGES,
    MILESTONES,
    MODEL,
    PARTIES,
    SCHEMAS,
    TOOL_CALLS,
    USAGE,
    WORLD_CHANGES,
    Schema,
)
from tool_sandbox.analysis.scored import ScoredNode
from tool_sandbox.analysis.views import ConversationView, MessageView
from tool_sandbox.analysis.world_changes import WorldChange
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.runner.floor import Floors
from tool_sandbox.runner.lineage import split_name

__all__ = [
    "CONVERSATIONS",
    "FLOORS",
    "MESSAGES",
    "MILESTONES",
    "SCHEMAS",
    "TOOL_CALLS",
    "WORLD_CHANGES",
    "conversations_frame",
    "floors_frame",
    "view_frames",
]

Row = dict[str, Any]


def conversations_frame(run: str, results: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """One row per conversation."""
    return _frame((_conversation(run, result) for result in results), CONVERSATIONS)


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
    makers = {
        "messages": _messages,
        "tool_calls": _tool_calls,
        "milestones": _milestones,
        "world_changes": _world_changes,
    }
    rows: dict[str, list[Row]] = {name: [] for name in makers}
    for view in views:
        keys = {"run": run, "directory": view.result["directory"]}
        for name, make in makers.items():
            rows[name].extend({**keys, **row} for row in make(view))
    return {name: _frame(rows[name], SCHEMAS[name]) for name in makers}


def _frame(rows: Iterable[Row], schema: Schema) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    for row in rows:
        for name, values in columns.items():
            values.append(row.get(name))
    # What an older or foreign run has in another type is taken over where it can be, else it is null.
    return pl.DataFrame([pl.Series(name, values, schema[name], strict=False) for name, values in columns.items()])


def _conversation(run: str, result: Mapping[str, Any]) -> Row:
    base_name, augmentation = split_name(result["name"])
    findings = result.get("user_findings")
    effects = result.get("side_effects")
    usage = result.get("usage") or {}
    return {
        **result,
        "run": run,
        "base_name": result.get("base_name") or base_name,
        "family": result.get("family") or result.get("base_name") or base_name,
        "augmentation": result.get("augmentation") or augmentation,
        "side_effects": None if effects is None else len(effects),
        "user_findings": None if findings is None else [finding["kind"] for finding in findings],
        **{f"{party}_{name}": (usage.get(party) or {}).get(name) for party in PARTIES for name in USAGE},
    }


def _messages(view: ConversationView) -> Iterator[Row]:
    for message in view.messages:
        yield {
            "message_index": message.index,
            "is_opening": message.index < view.opening,
            "sender": message.sender,
            "recipient": message.recipient,
            "text": message.text,
            "tool": message.call.tool if message.call else message.answer.tool if message.answer else None,
            "error": message.answer.error if message.answer else None,
            "changes": len(message.changes),
            "milestones": list(message.milestones),
            "minefields": list(message.minefields),
            **{name: getattr(message.model, name, None) for name in MODEL},
        }


def _tool_calls(view: ConversationView) -> Iterator[Row]:
    answers: dict[int, MessageView] = {
        message.answer.call_index: message
        for message in view.messages
        if message.answer is not None and message.answer.call_index is not None
    }
    doubtful = {index for message in view.messages for index in message.changed_by}
    for message in view.messages:
        call, answer = message.call, answers.get(message.index)
        if call is None or message.sender == RoleType.SYSTEM:
            continue
        given = answer.answer if answer is not None else None
        yield {
            "message_index": message.index,
            "answer_index": None if answer is None else answer.index,
            "caller": message.sender,
            "call_id": call.id,
            "name": call.name,
            "tool": call.tool,
            "arguments": json.dumps(call.arguments, ensure_ascii=False),
            "result": None if given is None else given.result,
            "error": None if given is None else given.error,
            "changes": 0 if answer is None else None if answer.index in doubtful else len(answer.changes),
        }


def _milestones(view: ConversationView) -> Iterator[Row]:
    nodes: Sequence[tuple[str, Sequence[ScoredNode]]] = (("milestone", view.milestones), ("minefield", view.minefields))
    for kind, found in nodes:
        for node in found:
            reasons = [node.why, *(check.why for check in node.checks)]
            yield {
                "kind": kind,
                "number": node.index,
                "name": node.name,
                "weight": node.weight,
                "after": node.after,
                "similarity": node.similarity,
                "message_index": node.message_index,
                "text": "; ".join(check.text for check in node.checks) or None,
                "why": "; ".join(filter(None, reasons)) or None,
                "checks": [
                    {name: getattr(check, name) for name in ("database", "text", "similarity", "why", "message_index")}
                    for check in node.checks
                ],
            }


def _world_changes(view: ConversationView) -> Iterator[Row]:
    for message in view.messages:
        for change in message.changes:
            yield {"message_index": message.index, **_change(change)}


def _change(change: WorldChange) -> Row:
    return {
        "database": change.database,
        "kind": change.kind,
        "key": change.key,
        "columns": list(change.columns),
        "before": None if change.before is None else json.dumps(change.before, ensure_ascii=False),
        "after": None if change.after is None else json.dumps(change.after, ensure_ascii=False),
    }
