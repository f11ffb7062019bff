"""What is asked of a model and what it answers, the same for every provider."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs


@attrs.frozen
class RequestedCall:
    """A tool call as a model wrote it.

    Attributes:
        id: Id of the call, opaque.
        name: Name of the tool; not necessarily one that exists.
        arguments: Decoded arguments, or the text where the model wrote something else than a JSON object.
        caller: What made the call where it was not the model itself: the provider's word for its code execution.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | str
    caller: str | None = None


@attrs.frozen
class ToolResult:
    """The answer to one tool call.

    Attributes:
        call_id: Id of the call.
        name: Name of the tool as the model wrote it.
        text: Result, or error text.
        is_error: Whether the call failed.
    """

    call_id: str
    name: str
    text: str
    is_error: bool = False


@attrs.frozen
class UserTurn:
    """What the other party said."""

    text: str


@attrs.frozen
class AssistantTurn:
    """What the model said and called before.

    Attributes:
        text: Text to the other party, or beside the calls; may be empty.
        calls: Tool calls, in the order in which they were made.
        raw: The provider's own form of it, to be sent back unchanged; several where the provider paused in between,
            none where the turn did not come from this provider.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    raw: tuple[Any, ...] = ()


@attrs.frozen
class ResultsTurn:
    """The answers to all calls of the assistant turn before it, in the order of the calls."""

    results: tuple[ToolResult, ...]


Turn = UserTurn | AssistantTurn | ResultsTurn


@attrs.frozen
class ModelRequest:
    """One question to a model.

    Attributes:
        system: Standing instruction, empty for none.
        turns: The conversation, oldest first; several user turns can follow one another.
        tools: Tools that the model may call, in the format of OpenAI's chat completions, in the order to be shown.
    """

    system: str
    turns: tuple[Turn, ...]
    tools: tuple[Mapping[str, Any], ...] = ()


class StopReason(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    """The reply was cut off; its calls must not be carried out."""
    CONTEXT_EXCEEDED = "context_exceeded"
    """The model's context is full."""
    REFUSAL = "refusal"
    """The model declined in its own words, which are ``ModelReply.text``."""
    BLOCKED = "blocked"
    """The provider declined or filtered the reply; nothing of it is to be used."""
    PAUSE = "pause"
    """The provider wants the same conversation once more, with this reply appended."""
    OTHER = "other"
    """An unknown reason; its calls must not be carried out."""


@attrs.frozen
class Usage:
    """Tokens of one or more calls.

    Attributes:
        input_tokens: All tokens of the prompt, cached ones included.
        cached_tokens: Those of them that were read from the provider's cache.
        cache_write_tokens: Those of them that were written to a cache of five minutes.
        cache_write_1h_tokens: Those of them that were written to a cache of one hour.
        output_tokens: All tokens of the reply, reasoning included.
        reasoning_tokens: Those of them that were reasoning, 0 where the provider does not tell.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """The tokens of both."""
        mine, theirs = attrs.astuple(self), attrs.astuple(other)
        return Usage(*(a + b for a, b in zip(mine, theirs, strict=True)))

    def since(self, before: "Usage") -> "Usage":
        """What was used between two counts; all of it where the second one has begun anew."""
        pairs = list(zip(attrs.astuple(self), attrs.astuple(before), strict=True))
        return self if any(now < then for now, then in pairs) else Usage(*(now - then for now, then in pairs))


@attrs.frozen
class ModelReply:
    """What a model answered.

    Attributes:
        text: Text, empty if there is none; several blocks joined by line breaks.
        calls: Tool calls.
        stop: Why it stopped.
        stop_text: The provider's own word for that, with details such as the category of a refusal.
        usage: Tokens; ``None`` if the provider did not say.
        served_model: Model that answered by its own account, ``None`` if it did not say.
        request_id: Id of the request at the provider, ``None`` if there is none.
        raw: The provider's own form of the reply, for `AssistantTurn.raw`.
        hosted: Tools that the provider ran by itself, each as ``NAME: OUTCOME``; never executed here.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    stop: StopReason = StopReason.END
    stop_text: str = ""
    usage: Usage | None = None
    served_model: str | None = None
    request_id: str | None = None
    raw: Any = None
    hosted: tuple[str, ...] = ()
