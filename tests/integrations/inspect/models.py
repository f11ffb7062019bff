"""Models of Inspect that answer from a script, and tasks that are played with them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval as play
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolCall

from tool_sandbox.integrations.inspect.tasks import core

Reply = str | Sequence[tuple[str, Mapping[str, Any]]]
"""A text, or calls."""

Brain = Callable[[list[ChatMessage]], Reply]
"""What a model says to a conversation."""


def output_of(reply: Reply, number: int = 0) -> ModelOutput:
    """A reply as a model of Inspect gives it."""
    if isinstance(reply, str):
        message, stop = ChatMessageAssistant(content=reply), "stop"
    else:
        calls = [ToolCall(f"call_{number}_{place}", name, dict(given)) for place, (name, given) in enumerate(reply)]
        message, stop = ChatMessageAssistant(content="", tool_calls=calls), "tool_calls"
    usage = ModelUsage(input_tokens=10, output_tokens=2, total_tokens=12)
    return ModelOutput(model="script", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)  # type: ignore[arg-type]


def model_of(brain: Brain) -> Model:
    """A model that says what a function says."""

    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        return output_of(brain(messages), said(messages))

    return get_model("mockllm/script", custom_outputs=answer)


def said(messages: list[ChatMessage]) -> int:
    """How often the model has spoken."""
    return sum(isinstance(message, ChatMessageAssistant) for message in messages)


def late(reply: Callable[[list[ChatMessage]], Awaitable[ModelOutput]]) -> Model:
    """A model whose answers take time, in every version of Inspect."""

    class Late(ModelAPI):
        async def generate(self, input: list[ChatMessage], *rest: Any, **more: Any) -> ModelOutput:
            return await reply(input)

    return Model(modelapi("late")(Late)("late"), GenerateConfig(max_connections=8))  # type: ignore[call-arg]


def script(*replies: Reply) -> Brain:
    """Says one thing after the other, and the last again and again."""
    return lambda messages: replies[min(said(messages), len(replies) - 1)]


def played(folder: Path, model: Model, scenarios: Any = "wifi_off", *, task: Any = None, **options: Any) -> EvalLog:
    """The log of a task."""
    given = {name: options.pop(name) for name in ("seed", "user", "profile") if name in options}
    (log,) = play(
        task or core(scenarios=scenarios, **given),
        model=model,
        display="none",
        log_dir=str(folder / "logs"),
        **{"fail_on_error": False, "log_realtime": False, **options},
    )
    return log


def sample(log: EvalLog) -> EvalSample:
    """The one sample of a log."""
    assert log.samples is not None
    (only,) = log.samples
    return only
