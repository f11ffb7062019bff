"""Agents of this package as models of Inspect, to try a task without a network: ``--model tool_sandbox/Oracle``."""

import functools
from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from tool_sandbox.integrations.inspect.conversation import Conversation, Ending, Setting
from tool_sandbox.integrations.inspect.messages import messages_of
from tool_sandbox.integrations.inspect.solver import in_one_line, played
from tool_sandbox.models.messages import AssistantTurn
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.runner.plan import Episode
from tool_sandbox.world.errors import ConfigurationError

_KEPT = 256
"""Conversations whose answers are remembered."""


@modelapi("tool_sandbox")
class Reference(ModelAPI):
    """Says what an agent of this package says that needs no model, such as the reference solution."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as in Inspect
        **options: Any,
    ) -> None:
        """Takes the name of the agent and its options, as ``-M error_rate=0.3``."""
        super().__init__(model_name, base_url, api_key, [], config)
        told = ",".join(f"{name}={value}" for name, value in options.items())
        self._agent = f"{model_name}:{told}" if told else model_name
        with in_one_line():
            resolve_role(self._agent, "agent")[1]()

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Gives the answer that is due."""
        setting = played.get(None)
        if setting is None:
            raise ConfigurationError("the models of tool_sandbox only play its own tasks")
        told = (setting.episode, setting.profile, setting.services, setting.tools)
        answers = await anyio.to_thread.run_sync(_answers, self._agent, *told)
        said = sum(isinstance(message, ChatMessageAssistant) for message in input)
        if said >= len(answers):
            raise ConfigurationError(f"{self._agent} has nothing more to say after {said} answers")
        (message,) = messages_of(answers[said])
        assert isinstance(message, ChatMessageAssistant)  # noqa: S101 - it was made of an AssistantTurn
        stop: StopReason = "tool_calls" if message.tool_calls else "stop"
        return ModelOutput(
            model=f"tool_sandbox/{self.model_name}",
            choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
            usage=ModelUsage(),
        )


@functools.lru_cache(_KEPT)
def _answers(agent: str, episode: Episode, profile: str | None, services: str, tools: str) -> tuple[AssistantTurn, ...]:
    """What an agent says in a conversation with the scripted user, from the first word to the last."""
    ending = Conversation(Setting(episode, agent=agent, profile=profile, services=services, tools=tools)).start()
    assert isinstance(ending, Ending)  # noqa: S101 - no model is asked
    return tuple(turn for turn in ending.turns if isinstance(turn, AssistantTurn))
