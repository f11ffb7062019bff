"""What conversations of an environment are made from: scenarios, the user, and how its models are connected."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from tool_sandbox.api.playing import chosen_scenarios
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.play.blame import scenario_code
from tool_sandbox.roles.directed_agent import DirectedAgent
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.runner.plan import Episode, make_plan
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.wiring import Wires
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.api.playing import OneScenario
    from tool_sandbox.models.session import Party
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.roles.base_role import BaseRole
    from tool_sandbox.runner.run import PreparedRun

    Scenarios = OneScenario | Iterable[OneScenario] | Mapping[str, Scenario]


@attrs.frozen(kw_only=True)
class Choices:
    """What holds for every scenario of an environment; see `Env` for what each means."""

    user: "str | Callable[..., Any] | None" = None
    profile: str | None = None
    suite: str | Path | None = None
    services: str = "offline"
    tools: str = "all"


@attrs.frozen
class Task:
    """One conversation to play.

    Attributes:
        scenario: What is played; never changed.
        episode: Its name and seed.
    """

    scenario: "Scenario"
    episode: Episode


@attrs.frozen(eq=False)
class Stage:
    """Where conversations are played.

    Attributes:
        given: The scenarios as they were asked for.
        choices: What holds for all of them.
        prepared: The same, checked and planned.
    """

    given: "Scenarios"
    choices: Choices
    prepared: "PreparedRun"

    @classmethod
    def set_up(cls, scenarios: "Scenarios", choices: Choices, seed: int | None = None) -> Self:
        """Checks what is asked for.

        Raises:
            ConfigurationError: There is no such scenario or user, or something that is needed is missing.
        """
        request = Request(
            agent=DirectedAgent,
            user=choices.user,
            scenarios=chosen_scenarios(scenarios),
            seed=None if seed is None else [seed],
            profile=choices.profile,
            suite=None if choices.suite is None else str(choices.suite),
            services=choices.services,
            tools=choices.tools,
        )
        return cls(scenarios, choices, request.prepare())

    @property
    def names(self) -> list[str]:
        """Names of the scenarios, in order."""
        return [episode.scenario_name for episode in self.prepared.episodes]

    @property
    def takes_seed(self) -> bool:
        """Whether another seed is another world: scenarios that are objects have one only."""
        chosen = chosen_scenarios(self.given)
        return chosen is None or not isinstance(chosen, Mapping)

    def task(self, name: str, seed: int | None = None) -> Task:
        """Builds a scenario.

        Raises:
            ConfigurationError: There is no such seed.
            ScenarioError: The scenario cannot be built.
        """
        episode = next(each for each in self.prepared.episodes if each.scenario_name == name)
        if seed is not None and seed != episode.seed:
            check_seed(seed)
            if self.choices.suite is not None or not self.takes_seed:
                # A suite knows whether it has seeds.
                return Stage.set_up(self.given, self.choices, seed).task(name)
            (episode,) = make_plan([name], [seed])
        with scenario_code():
            return Task(self.prepared.source(episode), episode)

    def cast(self, episode: Episode) -> "tuple[dict[RoleType, BaseRole], Wires]":
        """The parties of a conversation; a user that is a model is connected."""
        roles: dict[RoleType, BaseRole] = {
            RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
            RoleType.USER: self.prepared.user.factory(),
            RoleType.AGENT: DirectedAgent(),
        }
        for role in roles.values():
            role.begin_trial(episode.trial)
        parties: Mapping[Party, BaseRole] = {"agent": roles[RoleType.AGENT], "user": roles[RoleType.USER]}
        return roles, self.prepared.wiring.connect(parties, episode)


def check_seed(seed: Any) -> None:
    """Refuses what is no seed."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigurationError(f"seed has to be a whole number, not {seed!r:.40}")
