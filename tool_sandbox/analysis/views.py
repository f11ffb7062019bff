"""One conversation as a reader wants it: messages, calls, changes of the world, and what was scored where.

Everything comes from the stored files. What an older run did not write is ``None``.
"""

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.model_turns import ModelTurn, model_calls_by_message
from tool_sandbox.analysis.scored import ScoredNode, matches_by_message, read_nodes
from tool_sandbox.analysis.stored import StoredConversation, is_private
from tool_sandbox.analysis.tool_use import CallBook, EnvironmentAnswer, EnvironmentCall, is_to_environment, read_call
from tool_sandbox.analysis.world_changes import WorldChange, world_changes
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import is_within_code
from tool_sandbox.helpers.printable import printable
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.events import EVENTS
from tool_sandbox.world.state import OWN
from tool_sandbox.world.table import INDEX_COLUMN


@attrs.frozen
class MessageView:
    """One message.

    Attributes:
        index: Its index in the log.
        sender: Who sent it.
        recipient: Who has to answer.
        text: What it says, with a call what was said beside it; ``None`` for nothing.
        visible_to: Who sees it, ``None`` if not given.
        call: What it asks the execution environment for.
        answer: What the execution environment answers.
        changes: What is different in the world after it.
        happened: What the world did by itself meanwhile, in words; it is part of what is different.
        changed_by: Answers to parallel calls, one or more of which made the changes, where a run of an older version
            does not say which; empty where it was this message alone.
        milestones: Numbers of the milestones that matched here.
        minefields: Numbers of the minefields that matched here.
        model: What the turn took that begins here.
    """

    index: int
    sender: str
    recipient: str
    text: str | None
    visible_to: list[str] | None
    call: EnvironmentCall | None = None
    answer: EnvironmentAnswer | None = None
    changes: tuple[WorldChange, ...] = ()
    happened: tuple[str, ...] = ()
    changed_by: tuple[int, ...] = ()
    milestones: tuple[int, ...] = ()
    minefields: tuple[int, ...] = ()
    model: ModelTurn | None = None


@attrs.frozen
class ConversationView:
    """One conversation.

    Attributes:
        result: Its result.
        goal: The user's task, else the first thing the user said.
        tools: Names of the tools, as the agent saw them.
        messages: All messages but demonstrations that only the simulated user sees.
        milestones: What should happen.
        minefields: What must not happen.
        opening: Index of the first message of the conversation proper; what comes before sets the scene.
        clock: When and in which ``zone`` the world begins (``start``), ``None`` for that of a machine.
    """

    result: Mapping[str, Any]
    goal: str
    tools: list[str]
    messages: tuple[MessageView, ...]
    milestones: tuple[ScoredNode, ...]
    minefields: tuple[ScoredNode, ...]
    opening: int
    clock: Mapping[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """The view as JSON values, with ``side_effects`` as in the result."""
        return {**_as_json(self), "side_effects": list(self.result.get("side_effects") or ())}


def _as_json(value: Any) -> Any:
    """An object as a dict of its fields, a tuple as a list; what came out of a JSON file stays as it is."""
    if attrs.has(type(value)):
        return {name: _as_json(getattr(value, name)) for name in type(value).__slots__ if name != "__weakref__"}
    if type(value) is tuple or (type(value) is list and value and attrs.has(type(value[0]))):
        return [_as_json(item) for item in value]
    return value


def read_conversation(run: Path, directory: str) -> ConversationView:
    """Reads one conversation of a run."""
    stored = StoredConversation.find(Path(run), directory)
    try:
        milestones, minefields = (read_nodes(kind, stored) for kind in ("milestone", "minefield"))
        return ConversationView(
            result=stored.result,
            goal=stored.goal,
            tools=stored.tools,
            messages=tuple(_messages(stored, milestones, minefields)),
            milestones=milestones,
            minefields=minefields,
            opening=stored.opening,
            clock=stored.extensions.get("clock"),
        )
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        told = printable(f"{type(error).__name__}: {error}"[:200])
        raise ConfigurationError(f"{stored.path} is damaged: {told}") from error


def _messages(
    stored: StoredConversation, milestones: Sequence[ScoredNode], minefields: Sequence[ScoredNode]
) -> list[MessageView]:
    states: Mapping[str, Mapping[str, Any]] = stored.extensions.get("batch_states", {})
    changes = world_changes(stored.world_rows, states, stored.app_tables)
    matched, mined = matches_by_message(milestones), matches_by_message(minefields)
    rows = [row for row in stored.message_rows if not is_private(row)]
    opening, texts, book = stored.opening, stored.extensions.get("message_texts", {}), CallBook()
    # What an agent's code calls is part of the turn in which the model wrote the code.
    turns = [row for row in rows if not is_within_code(row["sender"], row["recipient"], row["visible_to"])]
    proper = [(row[INDEX_COLUMN], row["sender"]) for row in turns if row[INDEX_COLUMN] >= opening]
    models = model_calls_by_message(proper, stored.read("model_calls") or {})
    messages = []
    for row in rows:
        index, call, answer = row[INDEX_COLUMN], None, None
        text = row["content"]
        if is_to_environment(row):
            call, text = read_call(row), texts.get(str(index))
            book.add(index, row["sender"], call)
        elif row["sender"] == RoleType.EXECUTION_ENVIRONMENT:
            answer, text = book.answer(row), None
        messages.append(
            MessageView(
                index=index,
                sender=row["sender"],
                recipient=row["recipient"],
                text=text,
                visible_to=row["visible_to"],
                call=call,
                answer=answer,
                changes=tuple(one for one in changes.get(index, ()) if not one.database.startswith(OWN)),
                happened=tuple(_happened(changes.get(index, ()))),
                milestones=matched.get(index, ()),
                minefields=mined.get(index, ()),
                model=models.get(index),
            )
        )
    batches = (entries for databases in states.values() for entries in databases.values())
    return _without_false_claims(messages, {entry["answer"] for entries in batches for entry in entries})


def _happened(changes: Sequence[WorldChange]) -> Iterator[str]:
    """What the events did that are done now and were not before."""
    for one in changes:
        if one.database == EVENTS.name and one.after is not None and one.after["state"] == "done":
            yield str(one.after["told"] or one.after["kind"])


def _without_false_claims(messages: list[MessageView], known: Container[int]) -> list[MessageView]:
    """Older runs kept no state between parallel calls: what all of them changed stands at the first one's answer."""
    places = {message.index: place for place, message in enumerate(messages)}
    for place, message in enumerate(messages):
        if not message.changes or message.index in known:
            continue
        rest = itertools.dropwhile(_is_within_code, messages[place:]) if message.call else messages[place:]
        batch = list(itertools.takewhile(lambda one: one.answer is not None and not _is_within_code(one), rest))
        if len(batch) < 2:
            continue
        # A tool that fails changes nothing; code may have, before it failed.
        able = [one for one in batch if one.answer and (one.answer.error is None or one.answer.tool is None)] or batch
        is_certain = len(able) == 1
        messages[place] = attrs.evolve(message, changes=())
        owner = places[(able if is_certain else batch)[0].index]
        messages[owner] = attrs.evolve(
            messages[owner],
            changes=(*message.changes, *messages[owner].changes),
            changed_by=() if is_certain else tuple(one.index for one in able),
        )
    return messages


def _is_within_code(message: MessageView) -> bool:
    return is_within_code(message.sender, message.recipient, message.visible_to)
