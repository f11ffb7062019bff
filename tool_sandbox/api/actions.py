"""What an agent may do in an environment, in any form that it comes in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from tool_sandbox.models.anthropic_reply import to_reply
from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import ModelReply, RequestedCall, StopReason
from tool_sandbox.models.openai_message import calls_of
from tool_sandbox.models.plain import plain
from tool_sandbox.roles.external.agent import LONGEST_TEXT
from tool_sandbox.roles.external.loop_replies import ReplyError, as_mapping, read_reply
from tool_sandbox.roles.external.loop_tools import requested
from tool_sandbox.roles.model_agent import DECLINED
from tool_sandbox.roles.model_role import callable_calls
from tool_sandbox.world.errors import AgentError


class SdkObject(Protocol):
    """A message of an SDK."""

    def model_dump(self) -> dict[str, Any]:
        """The message as a dictionary."""


Action = str | Mapping[str, Any] | Sequence[Any] | SdkObject
"""A text for the user; calls, as pairs of name and arguments; an assistant message of OpenAI or Anthropic, as a
dictionary or as the object of the SDK; or the content blocks or ``tool_calls`` of one."""

_WANTED = (
    "a text for the user, a list of calls (pairs of name and arguments), or an assistant message of OpenAI or Anthropic"
)


class ActionError(AgentError, TypeError):
    """An action that cannot be read; nothing has happened."""


def read_action(action: Any) -> ModelReply:
    """Understands an action.

    Returns:
        Its text and its calls, with the ids that they came with; of a text that is no call, what the user hears.

    Raises:
        ActionError: It is none, its arguments are not JSON, or it is too large.
    """
    try:
        reply = _read(action)
    except (ReplyError, MalformedReplyError) as error:
        told = str(error).removeprefix("returned ").replace("it has to return", "it has to be")
        raise ActionError(f"the action cannot be read: {told}") from None
    if (text := plain(reply.text)) is not reply.text:
        reply = attrs.evolve(reply, text=text)
    if reply.stop in (StopReason.REFUSAL, StopReason.BLOCKED):
        # Calls beside a refusal are not carried out.
        text = reply.text or (DECLINED if reply.stop is StopReason.BLOCKED else "")
        reply = attrs.evolve(reply, text=text, calls=())
    if len(reply.text) > LONGEST_TEXT:
        raise ActionError(f"the action has {len(reply.text):,} characters of text; at most {LONGEST_TEXT:,} are taken")
    return reply


def size_of(calls: Sequence[RequestedCall], text: str) -> int:
    """Characters of an action, which stay in memory.

    Raises:
        ActionError: The arguments of a call are not JSON.
    """
    try:
        given = [call.arguments if isinstance(call.arguments, str) else dict(call.arguments) for call in calls]
        return len(json.dumps(given)) + len(text) + sum(len(call.name) for call in calls)
    except (TypeError, ValueError, RecursionError) as error:
        raise ActionError(f"the arguments of {calls[0].name} are not JSON: {error}") from None


def own_calls(reply: ModelReply, taken: frozenset[str]) -> tuple[tuple[RequestedCall, ...], tuple[Any, ...]]:
    """The calls of an action, such that each can be answered, and the provider's own form of it if that still fits.

    Args:
        reply: The action.
        taken: Ids of the calls before it in the conversation, which none of its own may have.
    """
    ids, number = set(taken), len(taken)
    calls = []
    for call in reply.calls:
        call_id = call.id
        while not call_id or call_id in ids:
            call_id, number = f"call_{number}", number + 1
        ids.add(call_id)
        calls.append(call if call_id == call.id else RequestedCall(call_id, call.name, call.arguments, call.caller))
    is_changed = any(new is not old for new, old in zip(calls, reply.calls, strict=True))
    raw = () if reply.raw is None or is_changed else (reply.raw,)
    if reply.stop in (StopReason.MAX_TOKENS, StopReason.OTHER):
        # A call that may be incomplete is not carried out.
        return callable_calls(attrs.evolve(reply, calls=tuple(calls)), len(taken))[1], raw
    return tuple(calls), raw


def _read(action: Any) -> ModelReply:
    if isinstance(action, str):
        return ModelReply(action)
    message = as_mapping(action)
    if message is not None:
        return _read_message(message)
    if not isinstance(action, list | tuple):
        name = type(action).__name__
        raise ActionError(f"an action is {_WANTED}; this is an object of the type {name}")
    if len(action) == 2 and isinstance(action[0], str) and isinstance(action[1], Mapping):
        action = [action]
    entries = [as_mapping(entry) for entry in action]
    if entries and all(entry is not None for entry in entries):
        if all("function" in entry or "custom" in entry for entry in entries if entry is not None):
            return ModelReply(calls=calls_of({"tool_calls": entries}, {}))
        return _read_message({"role": "assistant", "content": entries})
    return ModelReply(calls=tuple(map(_call, action)))


def _call(pair: Any) -> RequestedCall:
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
        raise ActionError(f"a call is a pair of name and arguments, not {pair!r:.80}")
    if not isinstance(pair[1], Mapping | str | None):
        raise ActionError(f"the arguments of {pair[0]} are a dictionary or JSON text, not {pair[1]!r:.80}")
    try:
        return requested((pair[0], pair[1]))
    except TypeError as error:
        raise ActionError(str(error)) from None


def _read_message(message: Mapping[str, Any]) -> ModelReply:
    if not _is_anthropic(message):
        return attrs.evolve(read_reply(message)[0], raw=None)
    if message.get("role", "assistant") != "assistant":
        raise ActionError(f"an action is {_WANTED}; this is a message of the role {message.get('role')!r}")
    content = message.get("content")
    blocks = [as_mapping(block) or block for block in content] if isinstance(content, list | tuple) else content
    plain_message = {"stop_reason": "end_turn", **{name: value for name, value in message.items() if value is not None}}
    return to_reply(plain({**plain_message, "content": blocks}), None)


def _is_anthropic(message: Mapping[str, Any]) -> bool:
    """Whether a message has content blocks of Anthropic; one of texts alone reads the same in both ways."""
    content = message.get("content")
    if not isinstance(content, list | tuple) or message.get("tool_calls"):
        return False
    kinds = {getattr(block, "type", None) or (as_mapping(block) or {}).get("type") for block in content}
    return message.get("type") == "message" or not kinds <= {"text", "refusal"}
