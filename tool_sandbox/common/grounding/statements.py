"""The check of all that an agent told its user in a conversation."""

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.common.execution_context import DatabaseNamespace
from tool_sandbox.common.facts._document import parse
from tool_sandbox.common.grounding.evidence import Evidence, shown_in
from tool_sandbox.common.grounding.finding import Finding
from tool_sandbox.common.grounding.stored import contradicted_statements
from tool_sandbox.common.grounding.values import unsupported_values

if TYPE_CHECKING:
    from tool_sandbox.common.execution_context import ExecutionContext


def check_statements(context: "ExecutionContext") -> list[Finding]:
    """Finds what nothing supports in the texts of the agent to the user.

    Args:
        context: The world after the conversation, with its history; not modified.

    Returns:
        Findings in the order of the messages.
    """
    return list(_findings(context))


def _findings(context: "ExecutionContext") -> Iterator[Finding]:
    start = context.first_user_sandbox_message_index
    shown = Evidence(context.timezone, context.clock.now(start))
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            if index >= start and (row["sender"], row["recipient"]) == ("AGENT", "USER"):
                text = row["content"] or ""
                document = parse(text)
                shown.now = context.clock.now(index)
                world = functools.cache(functools.partial(_stored, context, index, shown))
                for finding in unsupported_values(text, document, shown, world):
                    yield attrs.evolve(finding, message=index)
                for finding in contradicted_statements(document, context, index):
                    yield attrs.evolve(finding, message=index)
            for value in shown_in(row):
                shown.take(value)


def _stored(context: "ExecutionContext", index: int, shown: Evidence) -> Evidence:
    """What the tables hold at a message, and held when the conversation began."""
    stored = Evidence(shown.zone, shown.now)
    for namespace in DatabaseNamespace:
        if namespace is not DatabaseNamespace.SANDBOX:
            for moment in (context.first_user_sandbox_message_index, index):
                stored.take(context.get_table(namespace, moment).dicts())
    return stored
