"""Which calls of tools are missing, in words."""

import json
from typing import TYPE_CHECKING, Any

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType
from tool_sandbox.conversation.messages import parse_tool_call
from tool_sandbox.runner.explanation.gaps import Shortfall, differing, messages, quoted, shortened
from tool_sandbox.scoring.side_effects import matches

if TYPE_CHECKING:
    from tool_sandbox.scenarios.checks import Called, Failed


def _calls(context: ExecutionContext, tool: str) -> list[tuple[int, dict[str, Any], Any, str | None]]:
    """Calls of a tool by the agent: message of the answer, arguments, result, error."""
    asked: dict[str | None, Any] = {}
    found = []
    for index, row in messages(context):
        if row["sender"] == RoleType.AGENT and row["recipient"] == RoleType.EXECUTION_ENVIRONMENT:
            asked[row["openai_tool_call_id"]] = _parsed(row["content"] or "")
        elif row["sender"] == RoleType.EXECUTION_ENVIRONMENT and row["recipient"] == RoleType.AGENT:
            if row["tool_call_exception"] is not None:
                call = asked.get(row["openai_tool_call_id"])
                if call is not None and call.name == tool and isinstance(call.arguments, dict):
                    found.append((index, call.arguments, None, row["tool_call_exception"]))
                continue
            for trace in map(json.loads, row["tool_trace"] or ()):
                if trace["tool_name"] == tool:
                    found.append((index, trace["arguments"], trace["result"], None))
    return found


def _parsed(content: str) -> Any:
    try:
        return parse_tool_call(content)
    except ValueError:
        return None


def call_missing(check: "Called", context: ExecutionContext, index: int) -> Shortfall:
    """Says how the closest call of a tool differs from the demanded one."""
    calls = _calls(context, check.tool)
    done = [call for call in calls if call[3] is None]
    if not done:
        if calls:
            return Shortfall(f"{check.tool} failed: {shortened(calls[-1][3] or '')}", calls[-1][0])
        return Shortfall(f"{check.tool} was never called", index)
    place, arguments, result, _ = min(reversed(done), key=lambda call: len(differing(check.arguments, call[1])))
    if gaps := differing(check.arguments, arguments):
        return Shortfall(f"{check.tool} was called with {', '.join(gaps)}", place)
    if check.result is None or matches(check.result, result):
        return Shortfall(f"{check.tool} was called, but not with what would have been needed", place)
    return Shortfall(f"{check.tool} gave {quoted(result)}", place)


def failure_missing(check: "Failed", context: ExecutionContext, index: int) -> Shortfall:
    """Says how a tool that should have failed was used instead."""
    calls = _calls(context, check.tool)
    if not calls:
        return Shortfall(f"{check.tool} was never called", index)
    if failed := [call for call in calls if call[3] is not None]:
        gaps = differing(check.arguments, failed[-1][1])
        return Shortfall(f"{check.tool} failed with {', '.join(gaps)}", failed[-1][0])
    return Shortfall(f"{check.tool} did not fail", calls[-1][0])
