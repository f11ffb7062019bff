"""Conversations, tools and replies as Inspect has them, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolCallError, ToolInfo, ToolParams

from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    Turn,
    Usage,
    UserTurn,
)

_STOPS: Mapping[str, StopReason] = {
    "stop": StopReason.END,
    "tool_calls": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_length": StopReason.CONTEXT_EXCEEDED,
    # What a provider did not say is no reason to leave calls out; Inspect carries them out, too.
    "unknown": StopReason.END,
}


class Chat:
    """The conversation as one party sees it. Messages that were there before stay the same objects, with their ids."""

    def __init__(self) -> None:
        """A conversation that has not begun."""
        self.messages: list[ChatMessage] = []

    def hear(self, request: ModelRequest) -> list[ChatMessage]:
        """Takes in what a party is asked.

        Returns:
            The messages that are new.
        """
        fresh: list[ChatMessage] = [ChatMessageSystem(content=request.system)] if request.system else []
        if not request.system and self.messages and isinstance(self.messages[0], ChatMessageSystem):
            fresh = self.messages[:1]
        for turn in request.turns:
            fresh += messages_of(turn)
        before = self.messages
        known = [old if _is_same(old, new) else new for old, new in zip(before, fresh, strict=False)]
        self.messages = known + fresh[len(known) :]
        ids = {message.id for message in before}
        return [message for message in self.messages if message.id not in ids]

    def say(self, output: ModelOutput) -> None:
        """Takes in what the party's model has answered."""
        if output.choices:
            self.messages = [*self.messages, output.message]


def messages_of(turn: Turn) -> list[ChatMessage]:
    """What a turn of a conversation is in Inspect: one message, or one for each result of a call."""
    if isinstance(turn, UserTurn):
        return [ChatMessageUser(content=turn.text)]
    if isinstance(turn, AssistantTurn):
        own = [raw for raw in turn.raw if isinstance(raw, ChatMessageAssistant)]
        return [*own] or [ChatMessageAssistant(content=turn.text, tool_calls=list(map(_call, turn.calls)) or None)]
    assert isinstance(turn, ResultsTurn)  # noqa: S101 - there are three kinds of turns
    return [
        ChatMessageTool(
            content=result.text,
            tool_call_id=result.call_id,
            function=result.name,
            error=ToolCallError("unknown", result.text) if result.is_error else None,
        )
        for result in turn.results
    ]


def _call(call: RequestedCall) -> ToolCall:
    if isinstance(call.arguments, str):
        return ToolCall(call.id, call.name, {}, parse_error=call.arguments)
    return ToolCall(call.id, call.name, dict(call.arguments))


def _is_same(old: ChatMessage, new: ChatMessage) -> bool:
    return old is new or _essence(old) == _essence(new)


def _essence(message: ChatMessage) -> tuple[Any, ...]:
    calls = getattr(message, "tool_calls", None) or ()
    return message.role, message.text, getattr(message, "tool_call_id", None), tuple(call.id for call in calls)


def tool_infos(tools: Sequence[Mapping[str, Any]]) -> list[ToolInfo]:
    """Tools in the format of OpenAI as Inspect describes them."""
    return [
        ToolInfo(
            name=tool["function"]["name"],
            description=tool["function"].get("description", ""),
            # Where nothing is said of further arguments, Inspect would forbid them.
            parameters=ToolParams.model_validate({"additionalProperties": None, **tool["function"]["parameters"]}),
        )
        for tool in tools
    ]


def reply_of(output: ModelOutput) -> ModelReply:
    """What a model of Inspect has answered."""
    if not output.choices:
        return ModelReply(stop_text=output.error or "", served_model=output.model or None)
    # Older versions have none.
    message, details = output.message, getattr(output.choices[0], "stop_details", None)
    return ModelReply(
        message.text,
        tuple(map(_requested, message.tool_calls or ())),
        _stop(output),
        stop_text=(details and details.explanation) or output.error or output.stop_reason,
        usage=None if output.usage is None else _usage(output.usage),
        served_model=output.model or None,
        request_id=getattr(output, "response_id", None),
        raw=message,
    )


def _requested(call: ToolCall) -> RequestedCall:
    return RequestedCall(call.id, call.function, call.arguments if call.parse_error is None else call.parse_error)


def _stop(output: ModelOutput) -> StopReason:
    if output.stop_reason == "content_filter":
        return StopReason.REFUSAL if output.message.text.strip() else StopReason.BLOCKED
    return _STOPS[output.stop_reason]


def _usage(usage: ModelUsage) -> Usage:
    read, written = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    return Usage(
        input_tokens=usage.input_tokens + read + written,
        cached_tokens=read,
        cache_write_tokens=written,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens or 0,
    )
