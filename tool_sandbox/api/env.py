"""A conversation that is played step by step: an observation, an action, the next observation."""

import copy
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tool_sandbox.api.actions import Action, read_action
from tool_sandbox.api.moment import Moment
from tool_sandbox.api.observation import Observation
from tool_sandbox.api.rewards import Reward
from tool_sandbox.api.stage import Choices, Stage
from tool_sandbox.helpers.counting import counted
from tool_sandbox.models.messages import ModelReply
from tool_sandbox.world.errors import AgentError, ConfigurationError, ConversationStoppedError

if TYPE_CHECKING:
    from tool_sandbox.api.playing import OneScenario
    from tool_sandbox.api.stage import Task

PATIENCE_S = 7 * 24 * 3600.0
"""Seconds that a turn may take unless something else is asked for."""


class Env:
    """One scenario, to be played as the agent, step by step.

    The conversation is the same as in a run: the same user, world, limits and score. It is played in the thread of the
    caller, and nothing is written to the disk. Several can be played at once, each from one thread at a time.

        with Env("wifi_off") as env:
            observation = env.reset()
            observation = env.step([("set_wifi_status", {"on": False})])
            observation = env.step("Wifi is off.")

    `fork` and `rewind` take microseconds: nothing is copied that does not change.
    """

    def __init__(
        self,
        scenario: "OneScenario",
        *,
        user: "str | Callable[..., Any] | None" = None,
        seed: int | None = None,
        profile: str | None = None,
        suite: str | Path | None = None,
        services: str = "offline",
        tools: str = "all",
        turn_timeout_s: float = PATIENCE_S,
        reward: str = "score",
        discount: float = 1.0,
    ) -> None:
        """Checks the arguments; `reset` starts the conversation.

        Args:
            scenario: Name of a scenario, a `Scenario`, or a function with `scenario`.
            user: The user, ``Scripted`` by default; as for `run`, a function ``(messages) -> text or None`` too.
            seed: Seed of the world, by default 0.
            profile: Scoring rules.
            suite: A suite from elsewhere, whose code is run.
            services: Backend of the search tools, as for `run`.
            tools: ``all``, or ``search`` for a search tool with which the agent finds the others.
            turn_timeout_s: Seconds that the agent has from a message of the user to its answer; then the conversation
                ends as ``model_error``.
            reward: ``score``, which is paid at the end, or ``dense``, the same with a share of it after every action:
                the reward is shaped by the score so far as a potential, so that what is best stays best.
            discount: Factor by which a reward is worth less an action later, as the learner has it; for ``dense``.

        Raises:
            ConfigurationError: There is no such scenario or user, or something that is needed is missing.
        """
        stage = Stage.set_up(
            scenario, Choices(user=user, profile=profile, suite=suite, services=services, tools=tools), seed
        )
        self._arrange(_one(stage), seed, turn_timeout_s, reward, discount)

    @classmethod
    def _on(cls, stage: Stage, *, reward: str, discount: float) -> Self:
        """One of several on the same stage."""
        env = cls.__new__(cls)
        env._arrange(stage, None, PATIENCE_S, reward, discount)
        return env

    def _arrange(self, stage: Stage, seed: int | None, turn_timeout_s: float, reward: str, discount: float) -> None:
        if not isinstance(turn_timeout_s, int | float) or not 0 < turn_timeout_s < math.inf:
            raise ConfigurationError(f"turn_timeout_s has to be a number of seconds above 0, not {turn_timeout_s!r}")
        self._timeout_s = turn_timeout_s
        self._reward = Reward(reward, discount)
        self._stage, self._seed = stage, seed
        self._task: Task | None = None
        self._built: tuple[Stage, str, int | None] | None = None
        self._moment: Moment | None = None
        self._deadline = math.inf

    def reset(self, scenario: "OneScenario | None" = None, seed: int | None = None) -> Observation:
        """Starts a new conversation, and abandons one in progress.

        Args:
            scenario: What is played from now on, by default what was played before.
            seed: Seed of the world from now on, by default the one before.

        Returns:
            What the agent is shown first.

        Raises:
            ConfigurationError: There is no such scenario or seed.
            ScenarioError: The scenario cannot be built.
        """
        stage = self._stage if scenario is None else _one(Stage.set_up(scenario, self._stage.choices))
        if seed is None and stage.takes_seed:
            seed = self._seed
        return self._begin(stage, stage.names[0], seed)

    def _begin(self, stage: Stage, name: str, seed: int | None) -> Observation:
        """Starts a conversation; what cannot be built leaves the one in progress alone."""
        wanted = (stage, name, seed)
        if self._task is None or self._built != wanted:
            self._task = stage.task(name, seed)
        self._stage, self._seed, self._built = stage, seed, wanted
        return self._go_to(Moment.first(stage, self._task))

    def step(self, action: Action) -> Observation:
        """Acts as the agent.

        Args:
            action: A text for the user, which ends the turn of the agent and is answered by the user; calls of tools,
                as a list of pairs of name and arguments, which are made at once; or an assistant message of OpenAI or
                Anthropic, be it a dictionary or the object of an SDK.

        Returns:
            What the agent is shown next, with the reward; once it is ``done``, with the score.

        Raises:
            ConfigurationError: No conversation is in progress.
            AgentError: The action is none of these, or its arguments are not JSON. Nothing has happened: another action
                can be made.
        """
        return self._make(*self._checked(read_action(action)))

    def stop(self, error: ConversationStoppedError) -> Observation:
        """Ends the conversation because the agent cannot go on, or may not; what was played until now is scored.

        Args:
            error: Why, which also says what the outcome is: a `ModelError`, `AgentError`, `LimitReachedError`, ...

        Raises:
            ConfigurationError: No conversation is in progress.
        """
        return self._follow(error, self._unfinished().taken)

    def _checked(self, reply: ModelReply) -> tuple[ModelReply, int]:
        """An action that can be made now, and the characters of all actions with it."""
        return reply, self._unfinished().taken_with(reply)

    def _unfinished(self) -> Moment:
        moment = self._current()
        if moment.result is not None:
            raise ConfigurationError("the conversation is over; reset() starts one, rewind() takes it back")
        return moment

    def _make(self, act: ModelReply, taken: int) -> Observation:
        """Makes an action that was checked."""
        slow = AgentError(f"env: the agent took longer than {self._timeout_s:g} s to answer")
        return self._follow(slow if time.monotonic() > self._deadline else act, taken, is_turn_over=not act.calls)

    def _follow(
        self, act: ModelReply | ConversationStoppedError, taken: int, *, is_turn_over: bool = True
    ) -> Observation:
        moment = self._current()
        following = moment.after(act, taken)
        return self._go_to(following, self._reward.between(moment, following), is_turn_over=is_turn_over)

    def _go_to(self, moment: Moment, reward: float = 0.0, *, is_turn_over: bool = True) -> Observation:
        self._moment = moment
        if is_turn_over:
            self._deadline = time.monotonic() + self._timeout_s
        return Observation(moment, reward)

    def _current(self) -> Moment:
        if self._moment is None:
            raise ConfigurationError("no conversation is in progress; reset() starts one")
        return self._moment

    @property
    def takes_seed(self) -> bool:
        """Whether another seed is another world: a scenario that is an object has only one."""
        return self._stage.takes_seed

    @property
    def is_over(self) -> bool:
        """Whether the conversation has begun and ended."""
        return self._moment is not None and self._moment.result is not None

    @property
    def observation(self) -> Observation:
        """What the agent was shown last, without a reward.

        Raises:
            ConfigurationError: No conversation is in progress.
        """
        return Observation(self._current())

    def fork(self) -> Self:
        """A second environment that goes on by itself from here; what is done in one is not seen in the other.

        Raises:
            ConfigurationError: No conversation is in progress.
        """
        self._current()
        return copy.copy(self)

    def rewind(self, to_message: int) -> Observation:
        """Takes the conversation back to where a message of it was the last one that the agent had seen.

        Args:
            to_message: Its position in ``observation.messages``, from 0.

        Returns:
            What the agent was shown then.

        Raises:
            ConfigurationError: The agent did not act after this message, or no conversation is in progress.
        """
        places = {moment.message_count - 1: moment for moment in self._current().path()}
        if not isinstance(to_message, int) or to_message not in places:
            told = ", ".join(map(str, sorted(places)))
            raise ConfigurationError(f"the agent did not act after message {to_message!r:.20}, but after {told}")
        return self._go_to(places[to_message])

    def score(self) -> float:
        """The score if the conversation ended now, from 0 to 1; ``observation.info`` says why.

        Raises:
            ConfigurationError: No conversation is in progress, or it failed through no fault of the agent.
        """
        score = Observation(self._current()).info["score"]
        if score is None:
            raise ConfigurationError("the conversation failed, so that it has no score")
        return score

    def render(self) -> str:
        """The conversation from the first message of the user, as a text for people, with calls, results and traces."""
        from tool_sandbox.play.trajectory_files import message_lines

        context = self._current().context
        return "\n".join(message_lines(context, max(0, context.first_user_sandbox_message_index)))

    def close(self) -> None:
        """Abandons the conversation; `reset` starts another."""
        self._moment = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _one(stage: Stage) -> Stage:
    if (count := len(stage.names)) != 1:
        raise ConfigurationError(f"{stage.given!r:.80} matches {counted(count, 'scenario')}; an Env plays one")
    return stage
