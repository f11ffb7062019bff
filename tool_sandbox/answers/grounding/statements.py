"""The check of all that an agent told its user in a conversation."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.answers.facts._document import parse
from tool_sandbox.answers.facts._reading import Fact
from tool_sandbox.answers.grounding.beyond import impossible_claims
from tool_sandbox.answers.grounding.binding import row_values
from tool_sandbox.answers.grounding.claims import false_claims
from tool_sandbox.answers.grounding.deeds import false_deeds
from tool_sandbox.answers.grounding.evidence import Evidence
from tool_sandbox.answers.grounding.finding import Finding
from tool_sandbox.answers.grounding.labelled import labelled_values
from tool_sandbox.answers.grounding.lookups import false_lookups
from tool_sandbox.answers.grounding.statement import Statement
from tool_sandbox.answers.grounding.stored import contradicted_statements
from tool_sandbox.answers.grounding.switches import settings
from tool_sandbox.answers.grounding.values import unsupported_values
from tool_sandbox.answers.grounding.world import World
from tool_sandbox.conversation.execution_context import DatabaseNamespace

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext

_PART = 8_000
"""Characters of a text that are checked together, at most: what a model sends may be of any length."""

_OF_ROWS = frozenset(("search_contacts", "search_messages", "search_reminder"))


_READERS: tuple[Callable[[Statement], Iterator[Finding]], ...] = (
    unsupported_values,
    settings,
    contradicted_statements,
    false_deeds,
    false_claims,
    false_lookups,
    impossible_claims,
    row_values,
    labelled_values,
)


def check_statements(context: "ExecutionContext", wanted: Iterable[Fact] = ()) -> list[Finding]:
    """Finds what nothing supports in the texts of the agent to the user."""
    return list(_findings(context, tuple(wanted)))


def _findings(context: "ExecutionContext", wanted: tuple[Fact, ...]) -> Iterator[Finding]:
    since = start = context.first_user_sandbox_message_index
    shown = Evidence(context.timezone, context.clock.now(start), context.clock.now(start))
    others: list[Any] = []
    words: list[str] = []
    calls: list[tuple[str, Mapping[str, Any]]] = []
    results: list[tuple[str, Any]] = []
    errors: list[str] = []
    attempted: list[str] = []
    names = context.get_agent_to_execution_facing_tool_name()
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            if index >= start and (row["sender"], row["recipient"]) == ("AGENT", "USER"):
                shown.now = context.clock.now(index)
                world = World(context, index, since)
                for text in _parts(row["content"] or ""):
                    said = Statement(
                        text, parse(text), shown, others, words, calls, results, errors, attempted, world, wanted
                    )
                    for reader in _READERS:
                        yield from (_placed(finding, said, index) for finding in reader(said))
            if (row["sender"], row["recipient"]) == ("USER", "AGENT"):
                since = index
                words.append(row["content"] or "")
            if (row["sender"], row["recipient"]) == ("AGENT", "EXECUTION_ENVIRONMENT"):
                attempted.append(row["content"] or "")
            if row["recipient"] != "AGENT":
                continue
            if row["sender"] != "EXECUTION_ENVIRONMENT":
                values: list[Any] = [row["content"] or ""]
                others += values
            else:
                traces = [json.loads(trace) for trace in row["tool_trace"] or ()]
                for trace in traces:
                    shown.fields.setdefault(trace["tool_name"], []).append(trace["result"])
                calls += [(trace["tool_name"], trace["arguments"]) for trace in traces]
                results += [(trace["tool_name"], trace["result"]) for trace in traces]
                errors += [row["tool_call_exception"]] if row["tool_call_exception"] else []
                if not traces and (tool := row["openai_function_name"]):
                    # Of a call that failed only the tool is on record, by the name that the agent knows.
                    calls.append((names.get(tool, tool), {}))
                values = [row["tool_call_exception"] or ""]
                values += [trace[part] for trace in traces for part in ("arguments", "result")]
                others += values if not {trace["tool_name"] for trace in traces} & _OF_ROWS else ()
                shown.converted |= {value for value in values if isinstance(value, float)}
            for value in values:
                shown.take(value)


def _placed(finding: Finding, said: Statement, index: int) -> Finding:
    """A finding with the message and the sentence that it is in."""
    start = said.document.text.find(finding.said)
    begin, stop = said.sentence(start) if start >= 0 else (0, len(said.document.text))
    return attrs.evolve(finding, message=index, sentence=said.document.text[begin:stop].strip())


def _parts(text: str) -> Iterator[str]:
    """A text, cut behind lines, else sentences, where it is long."""
    begin = 0
    while len(text) - begin > _PART:
        stop = begin + _PART
        cut = max(text.rfind("\n", begin, stop), text.rfind(". ", begin, stop)) + 1
        yield text[begin : cut or stop]
        begin = cut or stop
    yield text[begin:]
