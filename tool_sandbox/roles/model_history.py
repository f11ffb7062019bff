"""The conversation so far, as one party's model has to be told it."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from enum import Enum, auto
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.messages import Message, tool_call_as_seen
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Turn, UserTurn

PYTHON = "python"
"""Name under which code that is not a tool call appears in a history."""

Entry = tuple[int, Message]
"""Index in the log, and message."""


@attrs.frozen
class Remembered:
    """A reply of a model and the messages that were made of it.

    Attributes:
        messages: The messages, in order.
        raw: The provider's own form of the reply.
    """

    messages: tuple[Message, ...]
    raw: tuple[Any, ...]


@attrs.frozen
class KnownTurn:
    """A turn that was worked out before, and what it was made of.

    Attributes:
        messages: Its messages, in order.
        before: Ids of the calls that it answers, if it holds results.
        raw: The provider's own form of it.
        turn: The turn.
    """

    messages: tuple[Message, ...]
    before: tuple[str, ...]
    raw: tuple[Any, ...]
    turn: Turn


class _Kind(Enum):
    HEARD = auto()
    SAID = auto()
    CALL = auto()
    RESULT = auto()
    OTHER = auto()


def to_turns(
    entries: Sequence[Entry],
    me: RoleType,
    remembered: Mapping[int, Remembered] | None = None,
    known: MutableMapping[int, KnownTurn] | None = None,
) -> tuple[Turn, ...]:
    """Turns messages into what a model is told."""
    turns: list[Turn] = []
    for kind, group in itertools.groupby(entries, key=lambda entry: _kind(entry[1], me)):
        for part in _parts(kind, list(group)):
            turns.append(_turn(kind, part, turns, remembered or {}, known if known is not None else {}))
    return tuple(turns)


def _kind(message: Message, me: RoleType) -> _Kind:
    if message.sender is me:
        return _Kind.CALL if message.recipient is RoleType.EXECUTION_ENVIRONMENT else _Kind.SAID
    if message.recipient is not me or message.sender is RoleType.SYSTEM:
        return _Kind.OTHER
    return _Kind.RESULT if message.sender is RoleType.EXECUTION_ENVIRONMENT else _Kind.HEARD


def _parts(kind: _Kind, group: list[Entry]) -> Iterator[list[Entry]]:
    """Calls and results of one batch stay together, other messages are turns of their own."""
    if kind in (_Kind.CALL, _Kind.RESULT):
        yield group
    elif kind is not _Kind.OTHER:
        yield from ([entry] for entry in group)


def _turn(
    kind: _Kind,
    part: list[Entry],
    turns: Sequence[Turn],
    remembered: Mapping[int, Remembered],
    known: MutableMapping[int, KnownTurn],
) -> Turn:
    first, messages = part[0][0], tuple(message for _, message in part)
    memory = remembered.get(first) if kind in (_Kind.SAID, _Kind.CALL) else None
    raw = memory.raw if memory is not None and memory.messages == messages else ()
    asked = turns[-1] if kind is _Kind.RESULT and turns else None
    before = tuple(call.id for call in asked.calls) if isinstance(asked, AssistantTurn) else ()
    then = known.get(first)
    if then is not None and then.messages == messages and then.before == before and then.raw is raw:
        return then.turn
    turn = _new_turn(kind, part, before, raw)
    known[first] = KnownTurn(messages, before, raw, turn)
    return turn


def _new_turn(kind: _Kind, part: list[Entry], before: Sequence[str], raw: tuple[Any, ...]) -> Turn:
    if kind is _Kind.HEARD:
        return UserTurn(part[0][1].content)
    if kind is _Kind.RESULT:
        return ResultsTurn(_in_order(part, before))
    if kind is _Kind.SAID:
        return AssistantTurn(part[0][1].content, (), raw)
    text = "\n".join(filter(None, (message.text for _, message in part)))
    return AssistantTurn(text, tuple(requested_call(index, message) for index, message in part), raw)


def _in_order(part: Iterable[Entry], call_ids: Sequence[str]) -> tuple[ToolResult, ...]:
    # A parallel batch is answered in the order in which it was carried out.
    place = {call_id: number for number, call_id in enumerate(call_ids)}
    results = [
        ToolResult(
            _call_id(index, message),
            message.openai_function_name or PYTHON,
            message.content,
            message.tool_call_exception is not None,
        )
        for index, message in part
    ]
    if len(results) == len(call_ids) and not {result.call_id for result in results} <= place.keys():
        # Calls of a person at the terminal have no ids.
        results = [attrs.evolve(result, call_id=call_id) for result, call_id in zip(results, call_ids, strict=True)]
    return tuple(sorted(results, key=lambda result: place.get(result.call_id, len(place))))


def _call_id(index: int, message: Message) -> str:
    return message.openai_tool_call_id if message.openai_tool_call_id is not None else f"call_{index}"


def requested_call(index: int, message: Message) -> RequestedCall:
    """The tool call in a message, as the party made it."""
    call = tool_call_as_seen(message)
    if call is None:
        return RequestedCall(
            _call_id(index, message), message.openai_function_name or PYTHON, {"code": message.content}
        )
    arguments = call.arguments if isinstance(call.arguments, dict | str) else repr(call.arguments)
    return RequestedCall(_call_id(index, message), call.name, arguments)
