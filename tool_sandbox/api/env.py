"""A conversation that is played step by step: an observation, an action, the next observation."""

import contextvars
import json
import queue
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.api.playing import chosen_scenarios
from tool_sandbox.helpers.counting import counted
from tool_sandbox.play.record import Record
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.records.result import Result
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.loop import LoopFactory, Target
from tool_sandbox.runner.player import RoleFactory, play_scenario
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.errors import AgentError, ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.scenarios.definition import Definition

Action = str | Mapping[str, Any] | Sequence[tuple[str, Mapping[str, Any]]]
"""A text for the user; calls, as pairs of name and arguments; or an assistant message in the format of OpenAI."""

PATIENCE_S = 7 * 24 * 3600.0
"""Seconds that a turn may take unless something else is asked for."""


_LEFT = object()
"""Stands in the place of an action after the caller has left."""


@attrs.frozen
class Observation:
    """What the agent is shown, and its score at the end.

    Attributes:
        messages: The conversation so far as chat messages in the format of OpenAI: what the agent is told, what the
            user said, its own texts and calls, their results. At the end it is what the agent saw last.
        tools: The tools on offer, as OpenAI function descriptions.
        done: Whether the conversation is over.
        score: What it scored, from 0 to 1; ``None`` while it goes on, and where it says nothing about the agent.
        success: Whether all was done that had to be, and nothing else; ``None`` likewise.
        outcome: How it ended (``completed``, ``max_messages``, ``model_error``, ...), ``None`` while it goes on.
        reason: Why it ended so, where that is known.
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    done: bool = False
    score: float | None = None
    success: bool | None = None
    outcome: str | None = None
    reason: str | None = None


class Env:
    """One scenario, to be played as the agent, step by step.

    The conversation is the same as in a run: the same user, world, limits and score. It is played in a thread of its
    own, and nothing is written to the disk. Several can be played at once, each from one thread at a time.

        with Env("wifi_off") as env:
            observation = env.reset()
            observation = env.step([("set_wifi_status", {"on": False})])
            observation = env.step("Wifi is off.")
    """

    def __init__(
        self,
        scenario: "str | Scenario | Definition",
        *,
        user: str | RoleFactory | type[BaseRole] | None = None,
        seed: int | None = None,
        profile: str | None = None,
        suite: str | Path | None = None,
        services: str = "offline",
        turn_timeout_s: float = PATIENCE_S,
    ) -> None:
        """Checks the arguments; `reset` starts the conversation.

        Args:
            scenario: Name of a scenario, a `Scenario`, or a function with `scenario`.
            user: The user, ``Scripted`` by default; as for `run`.
            seed: Seed of the world, by default 0.
            profile: Scoring rules.
            suite: A suite from elsewhere, whose code is run.
            services: Backend of the search tools, as for `run`.
            turn_timeout_s: Seconds that the agent has from a message of the user to its answer; then the conversation
                ends as ``model_error``.

        Raises:
            ConfigurationError: There is no such scenario or user, or something that is needed is missing.
        """
        self._timeout_s = turn_timeout_s
        request = Request(
            agent=_Channel().factory(turn_timeout_s),
            user=user,
            scenarios=chosen_scenarios(scenario),
            seed=None if seed is None else [seed],
            profile=profile,
            suite=None if suite is None else str(suite),
            services=services,
        )
        self._prepared = request.prepare()
        if (count := len(self._prepared.episodes)) > 1:
            raise ConfigurationError(f"{scenario!r:.80} matches {counted(count, 'scenario')}; an Env plays one")
        self._channel: _Channel | None = None
        self._leave: Callable[[], Any] | None = None
        self._last = Observation([], [], done=True)

    def reset(self) -> Observation:
        """Starts a new conversation, and ends one in progress.

        Returns:
            What the agent is shown first.

        Raises:
            ScenarioError: The scenario cannot be built.
        """
        self.close()
        (episode,) = self._prepared.episodes
        scenario = contextvars.copy_context().run(self._prepared.source, episode)
        self._channel = channel = _Channel()
        # An Env that is forgotten leaves no thread waiting, either.
        self._leave = weakref.finalize(self, channel.actions.put, _LEFT)
        agent, user, wiring = channel.factory(self._timeout_s), self._prepared.user.factory, self._prepared.wiring

        def play() -> None:
            record = Record()
            try:
                channel.events.put(
                    play_scenario(scenario, episode, agent, user, record, record, wiring=wiring, audits_user=True)
                )
            except BaseException as error:
                channel.events.put(error)

        threading.Thread(target=contextvars.Context().run, args=(play,), name="env", daemon=True).start()
        return self._next(channel)

    def step(self, action: Action) -> Observation:
        """Acts as the agent.

        Args:
            action: A text for the user, which ends the turn of the agent and is answered by the user; calls of tools,
                as a list of pairs of name and arguments, which are made at once; or an assistant message in the format
                of OpenAI, be it an object of an SDK. What is none of these ends the conversation, as it does for any
                agent.

        Returns:
            What the agent is shown next; with ``done`` the score.

        Raises:
            ConfigurationError: No conversation is in progress.
            TypeError: The arguments of a call are not JSON.
        """
        if self._channel is None or self._last.done:
            raise ConfigurationError("no conversation is in progress; reset() starts one")
        self._channel.actions.put(_reply(action))
        return self._next(self._channel)

    def close(self) -> None:
        """Ends the conversation in progress; `reset` starts another."""
        if self._leave is not None:
            self._leave()
        self._channel = self._leave = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _next(self, channel: "_Channel") -> Observation:
        try:
            event = channel.wait()
        except BaseException:
            # What comes now would be taken for the answer to the next action.
            self.close()
            raise
        if isinstance(event, BaseException):
            self._last = attrs.evolve(self._last, done=True)
            raise event
        self._last = event if isinstance(event, Observation) else _ended(self._last, event)
        return self._last


class _Channel:
    """Passes observations and actions between a conversation and its ``Env``."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Observation | Result | BaseException] = queue.SimpleQueue()
        self.actions: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def factory(self, turn_timeout_s: float) -> LoopFactory:
        return LoopFactory(Target("env", self._respond), turn_timeout_s)

    def _respond(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        self.events.put(Observation(messages, [dict(tool) for tool in tools]))
        action = self.actions.get()
        if action is _LEFT:
            raise AgentError("the environment was closed")
        return action

    def wait(self) -> Observation | Result | BaseException:
        while True:
            try:
                # With an end, so that an interrupt is noticed while a model plays the user.
                return self.events.get(timeout=1.0)
            except queue.Empty:
                continue


def _reply(action: Any) -> Any:
    """An action as a loop returns it."""
    if isinstance(action, str | Mapping) or not isinstance(action, Sequence):
        return action
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(dict(given))}}
        for number, (name, given) in enumerate(action)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _ended(last: Observation, result: Result) -> Observation:
    counts = is_evaluated(result)
    return attrs.evolve(
        last,
        done=True,
        score=float(result["similarity"]) if counts else None,
        success=bool(result["success"]) if counts else None,
        outcome=str(result["outcome"]),
        reason=result["reason"],
    )
