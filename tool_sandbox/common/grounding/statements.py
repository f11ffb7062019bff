"""The check of all that an agent told its user in a conversation."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common.execution_context import DatabaseNamespace
from tool_sandbox.common.facts._document import parse
from tool_sandbox.common.grounding.binding import row_values
from tool_sandbox.common.grounding.claims import false_claims
from tool_sandbox.common.grounding.deeds import false_deeds
from tool_sandbox.common.grounding.evidence import Evidence, shown_in
from tool_sandbox.common.grounding.finding import Finding
from tool_sandbox.common.grounding.labelled import labelled_values
from tool_sandbox.common.grounding.statement import Statement
from tool_sandbox.common.grounding.stored import contradicted_statements
from tool_sandbox.common.grounding.values import unsupported_values
from tool_sandbox.common.grounding.world import World

if TYPE_CHECKING:
    from tool_sandbox.common.execution_context import ExecutionContext

_OF_ROWS = frozenset(("search_contacts", "search_messages", "search_reminder"))


def check_statements(context: "ExecutionContext") -> list[Finding]:
    """Finds what nothing supports in the texts of the agent to the user.

    Args:
        context: The world after the conversation, with its history; not modified.

    Returns:
        Findings in the order of the messages.
    """
    return list(_findings(context))


def _findings(context: "ExecutionContext") -> Iterator[Finding]:
    since = start = context.first_user_sandbox_message_index
    shown, apart, told = (
        Evidence(context.timezone, context.clock.now(start), context.clock.now(start)) for _ in range(3)
    )
    calls: list[tuple[str, Mapping[str, Any]]] = []
    attempted: list[str] = []
    names = context.get_agent_to_execution_facing_tool_name()
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            if index >= start and (row["sender"], row["recipient"]) == ("AGENT", "USER"):
                text = row["content"] or ""
                document = parse(text)
                shown.now = apart.now = told.now = context.clock.now(index)
                said = Statement(text, document, shown, apart, told, calls, attempted, World(context, index, since))
                for finding in (
                    *unsupported_values(said),
                    *contradicted_statements(said),
                    *false_deeds(said),
                    *false_claims(said),
                    *row_values(said),
                    *labelled_values(said),
                ):
                    yield attrs.evolve(finding, message=index)
            if (row["sender"], row["recipient"]) == ("USER", "AGENT"):
                since = index
                told.take(row["content"] or "")
            calls += ((names.get(tool, tool), arguments) for tool, arguments in _calls(row))
            if (row["sender"], row["recipient"]) == ("AGENT", "EXECUTION_ENVIRONMENT"):
                attempted.append(row["content"] or "")
            is_of_rows = row["tool_trace"] and all(
                json.loads(each)["tool_name"] in _OF_ROWS for each in row["tool_trace"]
            )
            for value in shown_in(row):
                shown.take(value)
                if isinstance(value, float):
                    shown.converted.add(value)
                if not is_of_rows:
                    apart.take(value)


def _calls(row: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Calls that a result comes from; of one that failed only the tool is known."""
    traces = [json.loads(trace) for trace in row["tool_trace"] or ()]
    if row["recipient"] == "AGENT" and row["sender"] == "EXECUTION_ENVIRONMENT":
        yield from ((call["tool_name"], call["arguments"]) for call in traces)
        if not traces and row["openai_function_name"]:
            yield row["openai_function_name"], {}
