"""One conversation whose models are asked from outside: a question, an answer, the next question, and the record.

This is all that the door to Inspect needs of the engine. The engine plays in a thread of its own and waits there while
a model thinks; `Conversation.start`, `answer` and `stop` are called from whatever thread, one after the other.
"""

import contextvars
import queue
import tempfile
import threading
from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.conversation.execution_context import RoleType, new_context
from tool_sandbox.integrations.inspect.kept import Kept
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.messages import ModelReply, ModelRequest, Turn, Usage
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.session import Party, Price
from tool_sandbox.play.record import RECORD_FILE
from tool_sandbox.play.trajectory_files import stored_context
from tool_sandbox.records.result import Result
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.roles.model_history import to_turns
from tool_sandbox.roles.model_user import ModelUser
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import Player, ScenarioSource
from tool_sandbox.runner.request import Request
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

NAME = "inspect"
"""Under which name the models of Inspect are counted."""


@attrs.frozen
class Setting:
    """What is played.

    Attributes:
        episode: The conversation.
        models: Party to the name of the model that plays it.
        agent: The agent where no model plays it.
        user: The user where no model plays it, ``None`` for the usual one.
        profile: Rules that replace those of the scenario.
        services: Backend of the search tools.
        tools: What the agent is offered: ``all`` or ``search``.
    """

    episode: Episode
    models: Mapping[Party, str] = attrs.field(factory=dict)
    agent: str = "Oracle"
    user: str | None = None
    profile: str | None = None
    services: str = "offline"
    tools: str = "all"


@attrs.frozen
class Question:
    """A party's model is to answer.

    Attributes:
        party: Whose model it is.
        request: What it is asked.
    """

    party: Party
    request: ModelRequest


@attrs.frozen(slots=False)
class Ending:
    """The conversation is over.

    Attributes:
        result: How it ended and what it scored.
        kept: All there is to keep of it.
        most: The messages that it might have, or the turns of a party.
        counts_turns: Whether it is the turns that are limited.
    """

    result: Result
    kept: Kept
    most: int
    counts_turns: bool

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation as the agent saw it at the end, without its instruction; empty if it never began."""
        world = self.kept.part("execution_context")
        if world is None:
            return ()
        with new_context(stored_context(world, Path(RECORD_FILE))):
            messages = BaseRole.get_messages()
        seen = [(place, each) for place, each in enumerate(messages) if RoleType.AGENT in (each.visible_to or ())]
        return to_turns(seen, RoleType.AGENT)


class Conversation:
    """Plays one conversation."""

    def __init__(self, setting: Setting) -> None:
        """One that has not begun."""
        self._setting = setting
        self._events: queue.SimpleQueue[Question | Ending | BaseException] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[ModelReply | ToolSandboxError] = queue.SimpleQueue()
        self._stop: ToolSandboxError | None = None
        self._is_asking = False
        self._ending: Ending | None = None
        self._most: tuple[int, bool] = (0, False)

    def start(self) -> Question | Ending:
        """Begins, and waits until a model is to answer or all is over.

        Raises:
            ConfigurationError: There is no such scenario or user, or something that is needed is missing.
        """
        threading.Thread(target=contextvars.Context().run, args=(self._run,), name=NAME, daemon=True).start()
        return self._next()

    def answer(self, reply: ModelReply) -> Question | Ending:
        """Gives the answer of the model that was asked last."""
        self._answers.put(reply)
        return self._next()

    def stop(self, error: ToolSandboxError) -> Ending | None:
        """Has who waits for an answer fail with an error, which says what that means for the score.

        Returns:
            The end, ``None`` of what has not begun or could not be played at all.
        """
        self._stop = error
        if self._is_asking:
            self._answers.put(error)
            self._next()
        return self._ending

    def _next(self) -> Question | Ending:
        event = self._events.get()
        self._is_asking = isinstance(event, Question)
        if isinstance(event, BaseException):
            raise event
        if isinstance(event, Ending):
            self._ending = event
        return event

    def _run(self) -> None:
        try:
            self._events.put(self._played())
        except BaseException as error:
            self._events.put(error)

    def _played(self) -> Ending:
        setting, episode = self._setting, self._setting.episode
        run = Request(
            agent=_Factory(self, "agent", setting.models["agent"]) if "agent" in setting.models else setting.agent,
            user=_Factory(self, "user", setting.models["user"]) if "user" in setting.models else setting.user,
            scenarios=[episode.scenario_name],
            seed=[episode.seed],
            profile=setting.profile,
            services=setting.services,
            tools=setting.tools,
        ).prepare()
        with tempfile.TemporaryDirectory(prefix="tool_sandbox_") as folder:
            result = Player(
                run.agent.factory,
                run.user.factory,
                partial(self._built, run.source),
                Path(folder),
                run.description["suite"],
                has_published_files=False,
                wiring=attrs.evolve(run.wiring, price=partial(_price, run.wiring.price)),
                audits_user=True,
            )(episode)
            record = (Path(folder) / "trajectories" / episode.directory / RECORD_FILE).read_bytes()
        description = {**run.description, "package_version": __version__}
        return Ending(result, Kept(description, record), *self._most)

    def _built(self, source: ScenarioSource, episode: Episode) -> "Scenario":
        scenario = source(episode)
        turns = scenario.max_turns
        self._most = (scenario.max_messages, False) if turns is None else (turns, True)
        return scenario

    def ask(self, party: Party, request: ModelRequest) -> ModelReply:
        """Asks the model of a party; called in the thread of the conversation."""
        if self._stop is not None:
            raise self._stop
        self._events.put(Question(party, request))
        answer = self._answers.get()
        if isinstance(answer, ToolSandboxError):
            raise answer
        return answer


class _Provider(Provider):
    """A model that somebody else asks, retries included."""

    name: ClassVar[str] = NAME

    def __init__(self, model: str, party: Party, conversation: Conversation) -> None:
        super().__init__(model)
        self._party: Party = party
        self.conversation = conversation

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        return {"request": request}

    def send(self, **wire: Any) -> Any:
        return self.conversation.ask(self._party, wire["request"])

    def read(self, answer: Any) -> ModelReply:
        reply: ModelReply = answer
        return reply

    def explain(self, error: Exception) -> None:
        return None


def _price(known: Price, provider: str, model: str, usage: Usage) -> float | None:
    """What tokens cost of a model whose name begins with its vendor, as Inspect has it."""
    vendor, _, name = model.partition("/")
    return known(vendor, name, usage) if provider == NAME and name else known(provider, model, usage)


@attrs.frozen
class _Factory:
    """Makes the role of a party."""

    conversation: Conversation
    party: Party
    model_name: str

    @property
    def __name__(self) -> str:
        return f"{NAME}/{self.model_name}"

    def __call__(self) -> ModelAgent | ModelUser:
        # Whoever asks the model waits and retries, and says so.
        policy = RetryPolicy(retries=0, notice_s=float("inf"))
        provider = _Provider(self.model_name, self.party, self.conversation)
        return ModelAgent(provider, policy) if self.party == "agent" else ModelUser(provider, policy)
