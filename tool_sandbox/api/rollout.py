"""A conversation that a model plays which is asked in another framework, behind OpenAI's chat completions."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread

from tool_sandbox.api.env import Env
from tool_sandbox.models.faults import FaultKind, one_line
from tool_sandbox.models.openai_errors import explain
from tool_sandbox.scenarios import SUITE_VERSION
from tool_sandbox.world.errors import (
    AgentError,
    ConversationStoppedError,
    InfrastructureError,
    LimitReachedError,
    ModelError,
    ModelRefusedError,
)

if TYPE_CHECKING:
    import openai

T = TypeVar("T")


class Rollout:
    """One conversation, beside others in the same event loop.

    Attributes:
        messages: The conversation as the model is shown it.
        rewards: What each action was worth.
    """

    def __init__(self, make: Callable[[], Env], instruction: str | None = None) -> None:
        """One that has not begun.

        Args:
            make: Makes its environment.
            instruction: What the model is told in place of the instruction of the scenario.
        """
        self._make, self._instruction = make, instruction
        self._env: Env | None = None
        self.messages: list[dict[str, Any]] = []
        self.rewards: list[float] = []
        # Conversations wait for each other nowhere but at their models.
        self._limiter = anyio.CapacityLimiter(1)

    async def play(self, client: "openai.AsyncOpenAI", model: str, limit: Callable[[], str | None]) -> None:
        """Plays to the end, or to where it is ended: what was played until then is scored.

        Args:
            client: Whom to ask.
            model: Which model.
            limit: Says which limit was reached, once requests are refused because of one.

        Raises:
            InfrastructureError: It has no score, through no fault of the model.
            APIError: The model could not be asked.
        """
        env = await self._in_thread(self._begun)
        try:
            while not env.is_over:
                await self._in_thread(self._act, env, await self._asked(env, client, model, limit))
        except asyncio.CancelledError:
            self._end(env, LimitReachedError("the conversation was ended before its time"))
            raise
        if env.observation.score is None:
            raise InfrastructureError(f"{env.observation.outcome}: {env.observation.reason}")

    def told(self) -> dict[str, Any]:
        """What the conversation is worth so far, and why; of what has not begun, nothing."""
        if self._env is None:
            return {}
        seen = self._env.observation
        return {
            **seen.info,
            "score": seen.score,
            "success": seen.success,
            "outcome": seen.outcome,
            "reason": None if seen.reason is None else one_line(seen.reason),
            "rewards": list(self.rewards),
            "suite_version": SUITE_VERSION,
        }

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    def _begun(self) -> Env:
        env = self._make()
        self.messages = env.reset().messages
        if self._instruction is not None:
            rest = [message for message in self.messages if message["role"] != "system"]
            self.messages = [{"role": "system", "content": self._instruction}, *rest]
        self._env = env
        return env

    async def _asked(
        self, env: Env, client: "openai.AsyncOpenAI", model: str, limit: Callable[[], str | None]
    ) -> "openai.types.chat.ChatCompletion | ConversationStoppedError":
        """The answer of the model, or why it has none for which nobody else is to blame."""
        import openai

        request: Any = {"model": model, **env.observation.as_openai(), "messages": self.messages}
        try:
            answer: openai.types.chat.ChatCompletion = await client.chat.completions.create(**request)
        except openai.APIStatusError as error:
            if (reached := limit()) is not None:
                return LimitReachedError(f"a limit was reached: {reached}")
            if (stopped := _fault_of_model(error)) is None:
                raise
            return stopped
        return answer

    def _act(self, env: Env, answer: Any) -> None:
        if isinstance(answer, ConversationStoppedError):
            return self._end(env, answer)
        try:
            seen = env.step(answer)
        except AgentError as error:
            return self._end(env, error)
        self.rewards.append(seen.reward)
        # The message as it came, so that its tokens stay what they were, if its calls are those that were made.
        own = seen.messages[-1 - len(seen.new_messages)]
        told = answer.choices[0].message.model_dump(mode="json")
        told = {name: value for name, value in told.items() if value not in (None, [])}
        self.messages += [told if _ids(told) == _ids(own) else own, *seen.new_messages]
        return None

    def _end(self, env: Env, error: ConversationStoppedError) -> None:
        if not env.is_over:
            self.rewards.append(env.stop(error).reward)


def _fault_of_model(error: "openai.APIStatusError") -> ConversationStoppedError | None:
    fault = explain(error, None)
    if fault is not None and fault.kind is FaultKind.CONTEXT_EXCEEDED:
        return ModelError(f"the conversation does not fit into the context: {fault.message}")
    if fault is not None and fault.kind is FaultKind.BLOCKED:
        return ModelRefusedError(f"the request was blocked: {fault.message}")
    return None


def _ids(message: dict[str, Any]) -> list[str]:
    return [call["id"] for call in message.get("tool_calls") or ()]
