"""The solver: plays one conversation, whose agent is the model that Inspect evaluates."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from typing import Literal, TypeVar

import anyio
import anyio.to_thread
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import SampleLimitEvent, ToolEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, Model, get_model, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo
from inspect_ai.util import LimitExceededError
from rich.markup import escape

from tool_sandbox.integrations.inspect.conversation import Conversation, Ending, Question, Setting
from tool_sandbox.integrations.inspect.kept import KEY
from tool_sandbox.integrations.inspect.messages import Chat, reply_of, tool_infos
from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.session import Party
from tool_sandbox.runner.plan import Episode
from tool_sandbox.world.errors import (
    ConfigurationError,
    InfrastructureError,
    LimitReachedError,
    ScenarioError,
    ToolSandboxError,
)
from tool_sandbox.world.outcome import Outcome

USER = "user"
"""The role whose model plays the user: ``--model-role user=...``."""

played: ContextVar[Setting] = ContextVar("played")
"""The conversation that a model is asked in."""

T = TypeVar("T")


@solver
def conversation(
    user: str | None = None, profile: str | None = None, services: str = "offline", tools: str = "all"
) -> Solver:
    """Plays the conversation of a sample of this package.

    Args:
        user: Who plays the user: a name as for ``--user``. By default the model of the role ``user`` if there is one,
            else the scripted user.
        profile: Rules of the scoring that replace those of the scenarios.
        services: What stands behind the search tools, as for ``--services``.
        tools: What the agent is offered, as for ``--tools``.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        models: dict[Party, Model] = {"agent": get_model()}
        if user is None and USER in model_roles():
            models["user"] = get_model(role=USER)
        names = {party: str(model) for party, model in models.items()}
        setting = Setting(episode_of(state), names, user=user, profile=profile, services=services, tools=tools)
        played.set(setting)
        await _Playing(state, models, Conversation(setting)).play()
        return state

    return solve


@contextmanager
def in_one_line() -> Iterator[None]:
    """Has Inspect say what is wrong with a task or a model in one line, before it plays."""
    try:
        yield
    except ConfigurationError as error:
        raise PrerequisiteError(escape(str(error))) from error


def episode_of(state: TaskState) -> Episode:
    """Which conversation a sample and an epoch of it are."""
    told, trial = state.metadata, state.epoch - 1
    if "scenario" not in told:
        raise ScenarioError(f"sample {state.sample_id} is none of tool_sandbox: its metadata name no scenario")
    label = f"{state.sample_id}{f'__trial_{trial}' if trial else ''}"
    return Episode(told["scenario"], told["seed"], trial, label)


class _Playing:
    """A conversation that goes on, and what Inspect is shown of it."""

    def __init__(self, state: TaskState, models: dict[Party, Model], conversation: Conversation) -> None:
        self._state, self._models, self._conversation = state, models, conversation
        self._chats: dict[Party, Chat] = {party: Chat() for party in models}
        self._tools: tuple[object, list[ToolInfo]] = ((), [])
        # The conversations of a run wait for each other nowhere but at their models.
        self._limiter = anyio.CapacityLimiter(1)

    async def play(self) -> None:
        try:
            event = await self._in_thread(self._conversation.start)
            while isinstance(event, Question):
                reply = await self._answer(event)
                event = await self._in_thread(partial(self._conversation.answer, reply))
        except BaseException as error:
            with anyio.CancelScope(shield=True):
                ending = await self._in_thread(partial(self._conversation.stop, _meaning(error)))
            if ending is not None:
                self._keep(ending)
            raise
        self._keep(event)
        self._end_as(event)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    async def _answer(self, question: Question) -> ModelReply:
        party, chat = question.party, self._chats[question.party]
        fresh = chat.hear(question.request)
        if party == "agent":
            self._show(fresh)
        output = await self._models[party].generate(chat.messages, self._described(question))
        chat.say(output)
        if party == "agent":
            self._state.output = output
            self._state.messages = chat.messages
        return reply_of(output)

    def _described(self, question: Question) -> list[ToolInfo]:
        tools = question.request.tools
        if question.party != "agent":
            return tool_infos(tools)
        if self._tools[0] != tools:
            self._tools = tools, tool_infos(tools)
        return self._tools[1]

    def _show(self, fresh: Sequence[ChatMessage]) -> None:
        """Has Inspect see what the agent sees, and what its calls have done."""
        messages = self._chats["agent"].messages
        spoken = [message for message in messages if isinstance(message, ChatMessageAssistant)]
        calls = {call.id: call for message in spoken for call in message.tool_calls or ()}
        for message in fresh:
            if isinstance(message, ChatMessageTool) and (call := calls.get(message.tool_call_id or "")) is not None:
                transcript()._event(_event_of(call, message))
        self._state.messages = messages

    def _keep(self, ending: Ending) -> None:
        self._state.store.set(KEY, ending.kept.as_dict())
        # They may be more than Inspect allows.
        with suppress(LimitExceededError):
            self._show(self._chats["agent"].hear(ModelRequest("", ending.turns)))

    def _end_as(self, ending: Ending) -> None:
        """Has Inspect retry what failed through no fault of the agent, and show that our own limit was reached."""
        result = ending.result
        outcome = result["outcome"]
        if outcome == Outcome.INFRASTRUCTURE_ERROR:
            raise InfrastructureError(f"{result['fault']}: {result['reason']}")
        if outcome == Outcome.MAX_MESSAGES:
            # What Inspect calls a turn is one of the agent alone.
            kind: Literal["custom", "message"] = "custom" if ending.counts_turns else "message"
            most, counted = ending.most, "turns" if ending.counts_turns else "messages"
            told = f"the conversation has reached the {most} {counted} that it may have"
            transcript()._event(SampleLimitEvent(type=kind, limit=most, message=told))
            raise LimitExceededError(kind, value=most, limit=most, message=told)


def _event_of(call: ToolCall, answer: ChatMessageTool) -> ToolEvent:
    """A call that the world has answered, as an event of the transcript."""
    return ToolEvent(
        id=call.id,
        function=call.function,
        arguments=call.arguments,
        view=call.view,
        result=answer.text,
        error=answer.error,
        completed=datetime.now(UTC),
        message_id=answer.id,
    )


def _meaning(error: BaseException) -> ToolSandboxError:
    """What it means for the score that a model was not asked or did not answer."""
    if isinstance(error, ToolSandboxError):
        return error
    if isinstance(error, LimitExceededError):
        return LimitReachedError(one_line(f"Inspect: {error}"))
    if isinstance(error, Exception):
        return InfrastructureError(one_line(f"Inspect: {type(error).__name__}: {error}"))
    return LimitReachedError("Inspect ended the conversation: a limit of time, or an interrupt")
