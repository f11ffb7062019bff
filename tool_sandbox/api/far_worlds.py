"""The worlds of a pool on the machines of a Ray cluster.

A worker holds some worlds and plays them as a pool here would. What it sends is what the agent is shown; of a
conversation that goes on, only what is new.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

from tool_sandbox.api.env import Env
from tool_sandbox.api.moment import Moment, taken_with
from tool_sandbox.api.observation import Info, Observation
from tool_sandbox.api.stage import Choices, Stage
from tool_sandbox.models.messages import ModelReply, Turn
from tool_sandbox.records.result import Result
from tool_sandbox.runner.cluster import Cluster, environment
from tool_sandbox.runner.workers import ending, start
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

if TYPE_CHECKING:
    from tool_sandbox.api.stage import Scenarios

T = TypeVar("T")

Task = tuple[str, int | None]
"""Name of a scenario, and the seed of its world."""

Moves = Mapping[int, tuple[ModelReply, int] | Task]
"""World to an action that was checked, or to the task that it begins with."""


@attrs.frozen
class Opening:
    """What an agent is told before all else.

    Attributes:
        system: The instruction.
        tools: The tools on offer.
    """

    system: str
    tools: tuple[Mapping[str, Any], ...]


@attrs.frozen(kw_only=True)
class Sight:
    """What is to be seen of a moment of a conversation elsewhere.

    Attributes:
        opening: What stays the same; ``None`` if it was sent before.
        kept: Turns that were sent before.
        turns: The turns after them; all, once it has arrived.
        found: Tools on offer that were not at first.
        own: As in `Moment`, and so are the others.
        taken: Characters of all actions.
        new: Number of tools that came last; ``None`` before the agent has acted.
        result: How the conversation ended.
        info: What it is worth so far.
        reward: Of the last action.
    """

    opening: Opening | None
    kept: int
    turns: tuple[Turn, ...]
    found: tuple[Mapping[str, Any], ...]
    own: int
    taken: int
    new: int | None
    result: Result | None
    info: Info
    reward: float

    @property
    def before(self) -> bool | None:
        """Whether the agent has acted."""
        return None if self.new is None else True

    @property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """As for a `Moment`."""
        return (*(() if self.opening is None else self.opening.tools), *self.found)

    @property
    def new_tools(self) -> tuple[Mapping[str, Any], ...]:
        """As for a `Moment`."""
        return self.tools if self.new is None else self.found[len(self.found) - self.new :]

    def taken_with(self, act: ModelReply) -> int:
        """As for a `Moment`."""
        return taken_with(self.taken, act)


class FarObservation(Observation):
    """What the agent is shown of a world elsewhere."""

    @property
    def info(self) -> Info:
        """As of any observation; it was worked out where the world is."""
        return cast(Sight, cast(Any, self._moment)).info


@attrs.define(eq=False)
class FarEnv:
    """A world elsewhere, as its pool knows it.

    Attributes:
        worlds: All worlds of the pool.
        place: Its number.
    """

    worlds: "FarWorlds"
    place: int
    _sight: Sight | None = None

    @property
    def is_over(self) -> bool:
        """Whether the conversation has begun and ended."""
        return self._sight is not None and self._sight.result is not None

    @property
    def observation(self) -> Observation:
        """What the agent was shown last, without a reward."""
        return FarObservation(cast(Any, self._current()))

    def render(self) -> str:
        """The conversation as a text for people."""
        self._current()
        return str(self.worlds.ask(self.place, "render", self.place))

    def score(self) -> float:
        """The score if the conversation ended now."""
        self._current()
        return float(self.worlds.ask(self.place, "score", self.place))

    def rewind(self, to_message: int) -> Observation:
        """Takes the conversation back, as `Env.rewind` does."""
        self._current()
        return self.see(self.worlds.ask(self.place, "rewind", self.place, to_message))

    def see(self, sight: Sight) -> Observation:
        """Takes note of what has come of an action."""
        seen = self._sight
        opening = seen.opening if seen is not None and sight.opening is None else sight.opening
        turns = sight.turns if seen is None else (*seen.turns[: sight.kept], *sight.turns)
        self._sight = attrs.evolve(sight, opening=opening, turns=turns)
        return FarObservation(cast(Any, self._sight), sight.reward)

    def _checked(self, reply: ModelReply) -> tuple[ModelReply, int]:
        """An action that can be made now, and the characters of all actions with it."""
        if self.is_over:
            raise ConfigurationError("the conversation is over; reset() starts one, rewind() takes it back")
        return reply, self._current().taken_with(reply)

    def take_from(self, other: "FarEnv") -> None:
        """Goes on where another world is."""
        self._sight = other._current()

    def close(self) -> None:
        """Abandons the conversation."""
        self._sight = None

    def _current(self) -> Sight:
        if self._sight is None:
            raise ConfigurationError("no conversation is in progress; reset() starts one")
        return self._sight


class FarWorlds:
    """Worlds that are spread over workers, one per core."""

    def __init__(
        self, scenarios: "Scenarios", stage: Stage, size: int, cluster: Cluster, *, seed: int | None, **how: Any
    ) -> None:
        """Finds the cluster; workers are started with the first conversations.

        Args:
            scenarios: What is played.
            stage: The same, set up here.
            size: Number of worlds.
            cluster: Where they are.
            seed: Seed that the stage was set up with.
            **how: As for `_Worlds`.
        """
        cluster.connect()
        self._number = min(size, cluster.cores)
        make = functools.partial(_Worlds, scenarios, stage.choices, seed, **how)
        variables = environment(list(stage.prepared.models.values()))
        self._start: Callable[[], Any] = functools.partial(start, make, variables)
        self._actors: dict[int, Any] = {}
        self._homes = {place: place % self._number for place in range(size)}
        self.envs = [FarEnv(self, place) for place in range(size)]

    def ask(self, place: int, what: str, *told: Any) -> Any:
        """Asks the worker that has a world."""
        home = self._homes[place]
        return self._heard(home, self._sent(home, what, *told))

    def begin(self, tasks: Mapping[int, Task]) -> list[Observation]:
        """Begins new conversations; where a worker has ended, in a new one."""
        for place in tasks:
            self._homes[place] = place % self._number
        return list(self.move(tasks).values())

    def move(self, moves: Moves) -> dict[int, Observation]:
        """Acts in several worlds, or begins in them."""
        by_home: dict[int, dict[int, Any]] = {}
        for place, move in moves.items():
            by_home.setdefault(self._homes[place], {})[place] = move
        asked = {home: self._sent(home, "move", part) for home, part in by_home.items()}
        sights: dict[int, Sight] = {}
        for home, answer in asked.items():
            sights |= self._heard(home, answer)
        return {place: self.envs[place].see(sights[place]) for place in moves}

    def fork(self, source: int, into: Sequence[int]) -> None:
        """Puts forks of one world in the place of others, beside it."""
        for place in into:
            if self._homes[place] != self._homes[source]:
                self.ask(place, "drop", place)
        self.ask(source, "fork", source, list(into))
        for place in into:
            self._homes[place] = self._homes[source]
            self.envs[place].take_from(self.envs[source])

    def close(self) -> None:
        """Ends all workers."""
        for home in list(self._actors):
            ending(self._actors.pop(home))
        for env in self.envs:
            env.close()

    def _sent(self, home: int, what: str, *told: Any) -> Any:
        if home not in self._actors:
            self._actors[home] = self._start()
        return self._actors[home].do.remote((what, told))

    def _heard(self, home: int, answer: Any) -> Any:
        import ray

        try:
            return ray.get(answer)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError as error:
            self._actors.pop(home, None)
            for env in self.envs:
                if self._homes[env.place] == home:
                    env.close()
            told = "a worker of the pool ended, and its conversations with it; reset() starts others"
            raise InfrastructureError(told) from error


class _Worlds:
    """The worlds of one worker."""

    def __init__(
        self,
        scenarios: "Scenarios",
        choices: Choices,
        seed: int | None,
        *,
        threads: int,
        reward: str,
        discount: float,
    ) -> None:
        self._stage = Stage.set_up(scenarios, choices, seed)
        self._threads = threads
        self._new = functools.partial(Env._on, self._stage, reward=reward, discount=discount)
        self._envs: dict[int, Env] = {}
        self._sent: dict[int, Moment] = {}

    def __call__(self, asked: tuple[str, tuple[Any, ...]]) -> Any:
        what, told = asked
        return getattr(self, what)(*told)

    def move(self, moves: Moves) -> dict[int, Sight]:
        """Acts in worlds, several at a time if that is wanted."""
        threads = min(self._threads, len(moves))
        found: Iterable[Sight]
        if threads == 1:
            found = [self._move(place, move) for place, move in moves.items()]
        else:
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(self._move, moves, moves.values()))
        return dict(zip(moves, found, strict=True))

    def _move(self, place: int, move: tuple[ModelReply, int] | Task) -> Sight:
        first, second = move
        if isinstance(first, str):
            env = self._envs.setdefault(place, self._new())
            return self._sight(place, env._begin(self._stage, first, second))
        return self._sight(place, self._envs[place]._make(first, cast(int, second)))

    def rewind(self, place: int, to_message: int) -> Sight:
        """Takes a conversation back."""
        return self._sight(place, self._envs[place].rewind(to_message))

    def render(self, place: int) -> str:
        """A conversation as a text."""
        return self._envs[place].render()

    def score(self, place: int) -> float:
        """What a conversation is worth so far."""
        return self._envs[place].score()

    def fork(self, source: int, into: Sequence[int]) -> None:
        """Puts forks of one world in the place of others."""
        for place in into:
            self._envs[place], self._sent[place] = self._envs[source].fork(), self._sent[source]

    def drop(self, place: int) -> None:
        """Forgets a world."""
        self._envs.pop(place, None)
        self._sent.pop(place, None)

    def _sight(self, place: int, shown: Observation) -> Sight:
        moment = shown._moment
        is_next = moment.before is not None and moment.before is self._sent.get(place)
        kept = len(moment.before.turns) if is_next and moment.before is not None else 0
        self._sent[place] = moment
        opening = Opening(moment.opening.system, tuple(map(dict, moment.opening.tools)))
        return Sight(
            opening=None if is_next else opening,
            kept=kept,
            turns=moment.turns[kept:],
            found=tuple(map(dict, moment.tools[len(moment.opening.tools) :])),
            own=moment.own,
            taken=moment.taken,
            new=None if moment.before is None else len(moment.new_tools),
            result=moment.result,
            info=shown.info,
            reward=shown.reward,
        )
