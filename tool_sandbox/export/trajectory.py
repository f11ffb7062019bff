"""One conversation in a form that all formats are made from."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.model_turns import ModelTurn, model_calls_by_message
from tool_sandbox.analysis.stored import StoredConversation, is_private
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.conversation.messages import is_within_code
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.export.rewards import turn_rewards
from tool_sandbox.helpers.printable import printable
from tool_sandbox.play.graded_conversation import SeenTurn, seen_by_agent
from tool_sandbox.play.trajectory_files import stored_context
from tool_sandbox.runner.lineage import base_name_of, family_of, split_name
from tool_sandbox.runner.verdicts import is_success
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.table import INDEX_COLUMN


@attrs.frozen
class Entry:
    """A message as the agent saw it.

    Attributes:
        message: The message in the format of OpenAI's chat completions, without a key that has no value.
        index: Index in the log of the first message that it consists of.
        weight: 1 for what the agent said, else 0. A demonstration that was there before the user's first message is not
            what the agent said.
        reward: What the turn added to the score, ``None`` unless the agent said it.
        error: Text of the error that a tool answered with.
        code_calls: What the agent's code called, where the message says what came of code: id, name, arguments,
            content, is_error.
        model: What the model took for it, ``None`` if that is not known, or no model said it.
    """

    message: Mapping[str, Any]
    index: int
    weight: int = 0
    reward: float | None = None
    error: str | None = None
    code_calls: Sequence[Mapping[str, Any]] = ()
    model: ModelTurn | None = None

    @property
    def role(self) -> str:
        """Who says it: system, user, assistant or tool."""
        return str(self.message["role"])

    @property
    def calls(self) -> Sequence[Mapping[str, Any]]:
        """The tool calls in it."""
        calls: Sequence[Mapping[str, Any]] = self.message.get("tool_calls", ())
        return calls


@attrs.frozen
class Trajectory:
    """A conversation.

    Attributes:
        entries: Its messages.
        tools: The tools on offer as OpenAI's function descriptions, as the agent saw them.
        metadata: What it was, and how it ended; see `METADATA`.
        result: Its result.
        run: What its run was asked to do.
        clock: When the world begins, as a POSIX time, ``None`` for that of a machine.
    """

    entries: tuple[Entry, ...]
    tools: Sequence[Mapping[str, Any]]
    metadata: Mapping[str, Any]
    result: Mapping[str, Any]
    run: Mapping[str, Any]
    clock: float | None

    @property
    def score(self) -> float:
        """The score, from 0 to 1."""
        return float(self.result["similarity"])


METADATA: Mapping[str, type] = {
    "run": str,
    "directory": str,
    "scenario": str,
    "base_name": str,
    "family": str,
    "augmentation": str,
    "seed": int,
    "trial": int,
    "agent": str,
    "user": str,
    "profile": str,
    "outcome": str,
    "success": bool,
    "score": float,
    "suite_version": str,
    "suite_hash": str,
    "package_version": str,
}
"""What is said about a conversation, and its types; a value that is not known is ``None``."""


def read_trajectory(run: Path, description: Mapping[str, Any], directory: str) -> Trajectory | None:
    """Reads a conversation.

    Args:
        run: Directory of the run.
        description: What the run was asked to do.
        directory: Name of the conversation's directory.

    Returns:
        The conversation, ``None`` if nothing was played.

    Raises:
        ConfigurationError: There is none of that name, or a file is damaged.
    """
    stored = StoredConversation.find(run, directory)
    if not stored.message_rows:
        return None
    try:
        context = _messages_only(stored)
        return Trajectory(
            entries=tuple(_entries(stored, seen_by_agent(context))),
            tools=_tools(context),
            metadata=_metadata(run, description, stored.result),
            result=stored.result,
            run=description,
            clock=stored.context.get("extensions", {}).get("clock", {}).get("start"),
        )
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        told = printable(f"{type(error).__name__}: {error}"[:200])
        raise ConfigurationError(f"{stored.path} is damaged: {told}") from error


def _messages_only(stored: StoredConversation) -> ExecutionContext:
    """The world without its tables, which is all that messages and tools need, and several times as fast."""
    rows = {name: rows for name, rows in stored.context["_dbs"].items() if name == DatabaseNamespace.SANDBOX}
    return stored_context({**stored.context, "_dbs": rows}, stored.path)


def _entries(stored: StoredConversation, turns: Sequence[SeenTurn]) -> Iterator[Entry]:
    rows = {row[INDEX_COLUMN]: row for row in stored.message_rows}
    opening = stored.opening
    said = [min(turn.indices) for turn in turns if _is_said(turn, opening)]
    rewards = dict(zip(said, turn_rewards(stored.result, stored.read("evaluation"), said), strict=True))
    models = _model_turns(stored)
    for turn in turns:
        index = min(turn.indices)
        yield Entry(
            message=turn.entry,
            index=index,
            weight=int(index in rewards),
            reward=rewards.get(index),
            error=rows[turn.indices[-1]]["tool_call_exception"] if turn.entry["role"] == "tool" else None,
            code_calls=turn.calls,
            model=models.get(index),
        )


def _is_said(turn: SeenTurn, opening: int) -> bool:
    return turn.entry["role"] == "assistant" and min(turn.indices) >= opening


def _model_turns(stored: StoredConversation) -> dict[int, ModelTurn]:
    opening = stored.opening
    proper = [
        (row[INDEX_COLUMN], row["sender"])
        for row in stored.message_rows
        if row[INDEX_COLUMN] >= opening
        and not is_private(row)
        and not is_within_code(row["sender"], row["recipient"], row["visible_to"])
    ]
    return model_calls_by_message(proper, stored.read("model_calls") or {})


def _tools(context: ExecutionContext) -> Sequence[Mapping[str, Any]]:
    if unknown := {*(context.tool_allow_list or ())} - context.name_to_tool.keys():
        raise ConfigurationError(
            f"tools of the run are not known here ({', '.join(sorted(unknown))}); give the suite that has them, or "
            "export the run from the Python program that registers them"
        )
    with new_context(context):
        return convert_to_openai_tools(context.get_tools_of(RoleType.AGENT))


def _metadata(run: Path, description: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    suite = result.get("suite") or description.get("suite") or {}
    return {
        "run": run.resolve().name,
        "directory": result["directory"],
        "scenario": result["name"],
        "base_name": base_name_of(result),
        "family": family_of(result),
        "augmentation": result.get("augmentation") or split_name(result["name"])[1],
        "seed": result.get("seed", 0),
        "trial": result.get("trial", 0),
        "agent": description.get("agent"),
        "user": description.get("user"),
        "profile": result.get("profile"),
        "outcome": result.get("outcome"),
        "success": is_success(result),
        "score": float(result["similarity"]),
        "suite_version": suite.get("version"),
        "suite_hash": suite.get("content_hash"),
        "package_version": description.get("package_version"),
    }
