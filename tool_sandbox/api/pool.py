"""Many conversations at once, in one process or on a cluster."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self, overload

from tool_sandbox.api.actions import Action, ActionError, read_action
from tool_sandbox.api.env import Env
from tool_sandbox.api.observation import Observation
from tool_sandbox.api.rewards import Reward
from tool_sandbox.api.stage import Choices, Stage, check_seed
from tool_sandbox.runner.cluster import cluster_of
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.api.far_worlds import FarWorlds
    from tool_sandbox.api.stage import Scenarios


class EnvPool:
    """Worlds that are stepped together.

    The tasks are drawn in order: every scenario with the first seed, then every scenario with the next, and so on.

        pool = EnvPool(["wifi_off", "get_wifi"], size=8)
        observations = pool.reset()
        observations = pool.step([agent(observation) for observation in observations])

    Attributes:
        envs: The worlds, each an `Env`; on a cluster what stands for one, with its observation, ``rewind``, ``score``
            and ``render``.
    """

    def __init__(
        self,
        scenarios: "Scenarios",
        size: int = 256,
        *,
        seed: int = 0,
        auto_reset: bool = False,
        threads: int = 1,
        user: "str | Callable[..., Any] | None" = None,
        profile: str | None = None,
        suite: str | None = None,
        services: str = "offline",
        tools: str = "all",
        reward: str = "score",
        discount: float = 1.0,
        executor: str = "local",
        address: str | None = None,
    ) -> None:
        """Checks the arguments; `reset` starts the conversations.

        Args:
            scenarios: Names, patterns, or scenarios.
            size: Number of worlds.
            seed: The first seed. Scenarios that are objects have one world each, whatever the seed.
            auto_reset: Whether a world that is over begins its next task with the next `step`, which ignores its
                action, as the vector environments of Gymnasium do it.
            threads: Worlds that are stepped at the same time; more than one where a model plays the user.
            user: As for `Env`, and so are the others.
            profile: Scoring rules.
            suite: A suite from elsewhere, whose code is run.
            services: Backend of the search tools.
            tools: ``all`` or ``search``.
            reward: ``score`` or ``dense``.
            discount: Of the learner, for ``dense``.
            executor: ``ray`` to have the worlds on a Ray cluster, one worker a core; ``threads`` are those of a worker.
            address: Of the cluster, ``HOST:PORT`` or ``auto``; by default one is started on this machine.

        Raises:
            ConfigurationError: There is no such scenario, user or cluster, or an argument makes no sense.
        """
        check_seed(seed)
        _check_numbers(size=size, threads=threads)
        choices = Choices(user=user, profile=profile, suite=suite, services=services, tools=tools)
        self._stage = Stage.set_up(scenarios, choices, seed if seed else None)
        self._seed, self._auto_reset, self._threads = seed, auto_reset, threads
        self._next_task = 0
        self._far: FarWorlds | None = None
        self.envs: list[Any] = []
        cluster = cluster_of(executor, address)
        if cluster is None:
            self.envs = [Env._on(self._stage, reward=reward, discount=discount) for _ in range(size)]
            return
        # What most pools have no need of.
        from tool_sandbox.api import far_worlds

        Reward(reward, discount)
        how: dict[str, Any] = {"threads": threads, "reward": reward, "discount": discount}
        self._far = far_worlds.FarWorlds(scenarios, self._stage, size, cluster, seed=seed if seed else None, **how)
        self.envs = self._far.envs

    @classmethod
    def forked(cls, env: Env, size: int, *, threads: int = 1) -> Self:
        """A pool of forks of one world: group rollouts from one state.

        Args:
            env: The world, whose conversation is in progress; it stays as it is.
            size: Number of forks.
            threads: As for a pool.

        Raises:
            ConfigurationError: No conversation is in progress, or an argument makes no sense.
        """
        _check_numbers(size=size, threads=threads)
        pool = cls.__new__(cls)
        pool._stage, pool._seed, pool._auto_reset, pool._threads = env._stage, 0, False, threads
        pool._next_task, pool._far = 0, None
        pool.envs = [env.fork() for _ in range(size)]
        return pool

    def __len__(self) -> int:
        return len(self.envs)

    @property
    def observations(self) -> list[Observation]:
        """What the agent was shown last in each world, without rewards."""
        return [env.observation for env in self.envs]

    def reset(self) -> list[Observation]:
        """Begins a new conversation in every world, with the next tasks.

        Raises:
            ScenarioError: A scenario cannot be built.
        """
        if self._far is not None:
            return self._far.begin({place: self._task() for place in range(len(self.envs))})
        return [env._begin(self._stage, *self._task()) for env in self.envs]

    def _task(self) -> tuple[str, int | None]:
        """What is played next."""
        names = self._stage.names
        again, place = divmod(self._next_task, len(names))
        self._next_task += 1
        return names[place], self._seed + again if self._stage.takes_seed else None

    @overload
    def step(self, actions: Sequence[Action | None]) -> list[Observation]: ...
    @overload
    def step(self, actions: Mapping[int, Action]) -> dict[int, Observation]: ...
    def step(
        self, actions: Sequence[Action | None] | Mapping[int, Action]
    ) -> list[Observation] | dict[int, Observation]:
        """Acts in several worlds.

        Args:
            actions: One action for each world, ``None`` for those that are over or have to wait; or world to action.

        Returns:
            What the agent is shown in every world, or in those that were named.

        Raises:
            ConfigurationError: There is no such world, or its conversation is over or has not begun; or it is no list
                and no dictionary.
            AgentError: One of the actions is none. Nothing has happened in any world.
        """
        if not isinstance(actions, Mapping):
            if isinstance(actions, str) or not isinstance(actions, Sequence):
                told = f"actions are a list, or a dictionary from world to action, not {actions!r:.40}"
                raise ConfigurationError(told)
            if len(actions) != len(self.envs):
                raise ConfigurationError(f"{len(actions)} actions for {len(self.envs)} worlds; use None for no action")
            named = {place: action for place, action in enumerate(actions) if action is not None}
            over = [place for place, env in enumerate(self.envs) if self._auto_reset and env.is_over]
            stepped = self._step(dict.fromkeys(over, "") | named)
            return [stepped.get(place, env.observation) for place, env in enumerate(self.envs)]
        return self._step(actions)

    def _step(self, actions: Mapping[int, Action]) -> dict[int, Observation]:
        over, moves = [], []
        for place, action in actions.items():
            env = self._env(place)
            if env.is_over and self._auto_reset:
                over.append(place)
                continue
            try:
                moves.append((place, env, *env._checked(read_action(action))))
            except (ActionError, ConfigurationError) as error:
                raise type(error)(f"world {place}: {error}") from None
        if self._far is not None:
            found = self._far.move({place: self._task() for place in over} | {move[0]: move[2:] for move in moves})
            return {place: found[place] for place in actions}
        if self._threads == 1 or len(moves) < 2:
            made = [env._make(act, taken) for _, env, act, taken in moves]
        else:
            with ThreadPoolExecutor(min(self._threads, len(moves))) as threads:
                made = list(threads.map(lambda move: move[1]._make(*move[2:]), moves))
        found = {place: self.envs[place]._begin(self._stage, *self._task()) for place in over}
        found |= {place: observation for (place, *_), observation in zip(moves, made, strict=True)}
        return {place: found[place] for place in actions}

    def fork(self, source: int, into: Iterable[int]) -> None:
        """Puts forks of one world in the place of others.

        Args:
            source: The world that is forked, which stays as it is.
            into: The worlds that make way.

        Raises:
            ConfigurationError: There is no such world, or its conversation has not begun.
        """
        places = list(into)
        for place in (source, *places):
            self._env(place)
        if self._far is not None:
            self._far.fork(source, places)
            return
        for place in places:
            self.envs[place] = self._env(source).fork()

    def _env(self, place: int) -> Any:
        if not isinstance(place, int) or not 0 <= place < len(self.envs):
            raise ConfigurationError(f"there is no world {place!r:.40}; there are 0 to {len(self.envs) - 1}")
        return self.envs[place]

    def close(self) -> None:
        """Abandons all conversations."""
        if self._far is not None:
            self._far.close()
            return
        for env in self.envs:
            env.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _check_numbers(**given: Any) -> None:
    for name, number in given.items():
        if not isinstance(number, int) or number < 1:
            raise ConfigurationError(f"{name} has to be a positive whole number, not {number!r:.40}")
