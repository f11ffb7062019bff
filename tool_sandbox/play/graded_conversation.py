"""A conversation as the agent saw it, annotated with what changed and what was scored.

Turns have the format of OpenAI's chat completions. A turn during which something happened has one
more key, ``<role>_details``, with any of ``database_update`` (namespace to rows of the snapshot that
was stored), ``milestone_matches`` and ``minefield_matches``. Matches at messages that the agent did
not see are collected in one last turn of the role ``evaluation``, each with its message index.

Tools that an agent's code called are no turns of their own, because the agent was told only what its code printed. They
are the ``calls`` in the details of the turn that says what came of the code, in order, and what happened during them
stands beside them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.conversation.messages import Message, is_within_code, to_openai_messages, tool_call_as_seen
from tool_sandbox.helpers.literals import to_literal
from tool_sandbox.world.table import Table, difference

if TYPE_CHECKING:
    from tool_sandbox.scoring import EvaluationResult, Milestone

_PARTNERS = (
    (RoleType.SYSTEM, RoleType.AGENT),
    (RoleType.USER, RoleType.AGENT),
    (RoleType.AGENT, RoleType.USER),
    (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT),
    (RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT),
)


def serialize_to_conversation(
    execution_context: ExecutionContext,
    evaluation_result: "EvaluationResult",
    milestones: "Sequence[Milestone]",
    minefields: "Sequence[Milestone]",
) -> list[dict[str, Any]]:
    """Builds the annotated conversation."""
    turns = seen_by_agent(execution_context)
    matches: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for kind, mapping, definitions in (
        ("milestone", evaluation_result.milestone_mapping, milestones),
        ("minefield", evaluation_result.minefield_mapping, minefields),
    ):
        _collect_matches(matches, kind, mapping, definitions)
    updates = _database_updates(execution_context)
    for turn in turns:
        details: dict[str, Any] = {"calls": turn.calls} if turn.calls else {}
        for index in turn.indices:
            if index in updates:
                details.setdefault("database_update", {}).update(updates[index])
            for key, found in matches.pop(index, {}).items():
                details.setdefault(key, []).extend(found)
        if details:
            turn.entry[f"{turn.entry['role']}_details"] = details
    entries = [turn.entry for turn in turns]
    return [*entries, _unplaced(matches)] if matches else entries


@attrs.frozen
class SeenTurn:
    """A turn of a conversation as the agent saw it.

    Attributes:
        entry: The turn in the format of OpenAI's chat completions.
        indices: Indices in the log of the messages that it consists of, those within code among them.
        calls: What the agent's code called, where the turn says what came of code: id, name, arguments, content,
            is_error.
    """

    entry: dict[str, Any]
    indices: tuple[int, ...]
    calls: list[dict[str, Any]]


def seen_by_agent(context: ExecutionContext) -> list[SeenTurn]:
    """The conversation as the agent saw it."""
    places, messages = _agent_messages(context)
    with new_context(context):
        entries, positions = to_openai_messages(_with_call_ids(messages))
        calls = [_calls(place) for place in places]
    return [
        SeenTurn(
            entry,
            tuple(index for position in found for index in (*places[position].within, places[position].index)),
            [call for position in found for call in calls[position]],
        )
        for entry, found in zip(entries, positions, strict=True)
    ]


@attrs.frozen
class _Place:
    """Where a message that the agent knows of stands.

    Attributes:
        index: Its index in the log.
        within: Calls and answers by index that lie before it if it says what came of code.
    """

    index: int
    within: Mapping[int, Message]


def _agent_messages(context: ExecutionContext) -> tuple[list[_Place], list[Message]]:
    places: list[_Place] = []
    messages: list[Message] = []
    within: dict[int, Message] = {}
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        for row in table.dicts():
            message = Message(**row)
            if is_within_code(message.sender, message.recipient, message.visible_to):
                within[index] = message
            elif (message.sender, message.recipient) in _PARTNERS and message.visible_to != [RoleType.USER]:
                places.append(_Place(index, within))
                messages.append(message.with_text(context.message_texts.get(index)))
                within = {}
    if within and places:
        # Something stopped the conversation in the midst of the code.
        places[-1] = _Place(places[-1].index, {**places[-1].within, **within})
    return places, messages


def _calls(place: _Place) -> list[dict[str, Any]]:
    """What code called, as the agent wrote it."""
    answers = {
        message.openai_tool_call_id: message
        for message in place.within.values()
        if message.sender is RoleType.EXECUTION_ENVIRONMENT
    }
    calls = []
    for asked in place.within.values():
        if asked.sender is not RoleType.AGENT or (call := tool_call_as_seen(asked)) is None:
            continue
        answer = answers.get(asked.openai_tool_call_id)
        calls.append(
            {
                "id": asked.openai_tool_call_id,
                "name": call.name,
                "arguments": to_literal(call.arguments),
                "content": None if answer is None else answer.content,
                "is_error": answer is not None and answer.tool_call_exception is not None,
            }
        )
    return calls


def _with_call_ids(messages: Iterable[Message]) -> list[Message]:
    """Gives typed code, and its results, the ids and names that a tool call has."""
    named: list[Message] = []
    waiting: list[tuple[str, str]] = []
    for position, message in enumerate(messages):
        if message.openai_tool_call_id is not None and message.openai_function_name is not None:
            named.append(message)
            continue
        changes: dict[str, Any] = {}
        if message.recipient is RoleType.EXECUTION_ENVIRONMENT:
            entry = to_openai_messages([message])[0][0]["tool_calls"][0]
            call_id = entry["id"] if entry["function"]["name"] != "python" else f"call_{position}"
            waiting.append((message.openai_tool_call_id or call_id, entry["function"]["name"]))
            changes = dict(zip(("openai_tool_call_id", "openai_function_name"), waiting[-1], strict=True))
        elif message.sender is RoleType.EXECUTION_ENVIRONMENT:
            call_id, name = waiting.pop(0) if waiting else (f"call_{position}", "python")
            changes = {
                "openai_tool_call_id": message.openai_tool_call_id or call_id,
                "openai_function_name": message.openai_function_name or name,
            }
        named.append(attrs.evolve(message, **changes).with_text(message.text) if changes else message)
    return named


def _collect_matches(
    matches: dict[int, dict[str, list[dict[str, Any]]]],
    kind: str,
    mapping: Mapping[int, tuple[int, float]],
    definitions: "Sequence[Milestone]",
) -> None:
    for number, (index, similarity) in mapping.items():
        match = {
            f"{kind}_index": number,
            kind: _describe(definitions[number]),
            f"{kind}_similarity": similarity,
        }
        matches.setdefault(index, {}).setdefault(f"{kind}_matches", []).append(match)


def _describe(milestone: "Milestone") -> dict[str, Any]:
    guarded, excluded = milestone.guardrail_database_list, milestone.guardrail_database_exclusion_list
    return {
        "snapshot_constraints": [constraint.to_dict() for constraint in milestone.snapshot_constraints],
        "guardrail_database_list": None if guarded is None else list(map(str, guarded)),
        "guardrail_database_exclusion_list": None if excluded is None else list(map(str, excluded)),
    }


def _database_updates(context: ExecutionContext) -> dict[int, dict[str, list[dict[str, Any]]]]:
    updates: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for name in context.table_names():
        before: Table | None = None
        for index, table in context.get_history(name):
            rows = table.dicts() if not table.schema.name else [] if before is None else _news(before, table)
            if rows or not table.schema.name:
                updates.setdefault(index, {})[str(name)] = rows
            before = table
    return updates


def _news(before: Table, table: Table) -> list[dict[str, Any]]:
    """Rows of a table of an app, which may be large, that are new or have changed."""
    start, _, end = difference(before, table)
    return list(map(table.schema.as_dict, table.rows[start:end]))


def _unplaced(matches: Mapping[int, Mapping[str, list[dict[str, Any]]]]) -> dict[str, Any]:
    details: dict[str, list[dict[str, Any]]] = {}
    for index, by_kind in sorted(matches.items()):
        for key, found in by_kind.items():
            details.setdefault(key, []).extend({"sandbox_message_index": index, **match} for match in found)
    return {"role": "evaluation", "content": "", "evaluation_details": details}
