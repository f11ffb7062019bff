"""What a custom loop in Python may answer, and how it is read."""

from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import ModelReply, StopReason, Usage
from tool_sandbox.models.openai_message import calls_of, content_of, stop_of, usage_of
from tool_sandbox.models.plain import count, usd

EXPECTED = "the text for the user, or an assistant message: a dictionary with content, tool_calls, or both"


class ReplyError(ValueError):
    """What was returned is no reply; one line that says what would be."""


def read_reply(value: Any) -> tuple[ModelReply, float | None]:
    """Reads what a loop returned."""
    if isinstance(value, str):
        return ModelReply(value), None
    answer = as_mapping(value)
    if answer is None:
        raise ReplyError(f"returned {_kind(value)}; it has to return {EXPECTED}")
    try:
        return _read(answer), _cost(answer.get("cost_usd"))
    except MalformedReplyError as error:
        raise ReplyError(f"returned a message that cannot be read: {error}") from None


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """A dictionary, or an object of an SDK as one; ``None`` for anything else."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) and not isinstance(value, type) else None
    return dumped if isinstance(dumped, Mapping) else None


def _read(answer: Mapping[str, Any]) -> ModelReply:
    message, finish = _message(answer)
    role = message.get("role", "assistant")
    if role != "assistant":
        raise ReplyError(f"returned a message of the role {role!r}; it has to return {EXPECTED}")
    if all(message.get(key) is None for key in ("content", "tool_calls", "function_call", "refusal")):
        keys = ", ".join(map(repr, answer)) or "nothing"
        raise ReplyError(f"returned a dictionary with {keys}; it has to return {EXPECTED}")
    text, refusal = content_of(message)
    entries = message.get("tool_calls")
    if isinstance(entries, list | tuple):
        # Entries may be objects of an SDK too.
        message = {**message, "tool_calls": [as_mapping(entry) for entry in entries]}
    calls = calls_of(message, {})
    model = answer.get("model")
    return ModelReply(
        text or refusal,
        calls,
        StopReason.REFUSAL if refusal else finish,
        usage=_usage(answer),
        served_model=model if isinstance(model, str) else None,
        request_id=answer["id"] if isinstance(answer.get("id"), str) else None,
    )


def _message(answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], StopReason]:
    """The message, and why the model stopped, of a message or a whole completion."""
    choices = answer.get("choices")
    if not choices:
        return answer, StopReason.END
    first = choices[0] if isinstance(choices, list | tuple) else None
    message = first.get("message") if isinstance(first, Mapping) else None
    if not isinstance(first, Mapping) or not isinstance(message, Mapping):
        raise ReplyError("returned a completion without a message in its first choice")
    return message, stop_of(first.get("finish_reason"))


_FIELDS = tuple(attrs.fields_dict(Usage))


def _usage(answer: Mapping[str, Any]) -> Usage | None:
    given = answer.get("usage")
    if given is None or isinstance(given, Usage):
        return given
    table = as_mapping(given)
    if table is not None and {"input_tokens", "output_tokens"} & table.keys():
        return Usage(**{name: count(table.get(name)) for name in _FIELDS})
    found = usage_of({"usage": table})
    if found is None:
        raise ReplyError(
            "returned a usage that cannot be read; it has to have prompt_tokens and completion_tokens, or "
            "input_tokens and output_tokens"
        )
    return found


def _cost(value: Any) -> float | None:
    if (cost := usd(value)) is None and value is not None:
        raise ReplyError(f"returned the cost_usd {value!r:.40}; it has to be a number of US dollars")
    return cost


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    hint = " (respond yields where it should return)" if name in ("generator", "async_generator") else ""
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}{hint}"
