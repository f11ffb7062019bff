"""Where the scenarios of a run come from."""

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.play.opening import read_text
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import ScenarioSource
from tool_sandbox.scenarios.prompts import AGENT_INSTRUCTION, AGENT_INSTRUCTION_VERSION
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.tools.services import SearchService


@attrs.frozen
class SuiteSource:
    """Builds the scenarios of the suite of this package, one when it is needed.

    Attributes:
        preferred_tool_backend: Backend of tools that have several.
        profile: Rules that replace those of the scenarios, ``None`` to keep them.
        services: Backend of the search tools: ``offline``, ``rapidapi``, ``record:PATH`` or ``replay:PATH``.
    """

    preferred_tool_backend: str = "DEFAULT"
    profile: Profile | None = None
    services: str = "offline"

    def __call__(self, episode: Episode) -> "Scenario":
        """Builds the scenario of an episode."""
        from tool_sandbox.scenarios import scenario_to_play

        scenario = scenario_to_play(episode.scenario_name, episode.seed, ToolBackend(self.preferred_tool_backend))
        apply_choices(scenario, self.profile, self.services)
        return scenario


def apply_choices(scenario: "Scenario", profile: Profile | None, services: str) -> None:
    """Gives a scenario what was chosen for the run in place of its own."""
    if profile is not None:
        scenario.starting_context.profile = profile
        scenario.evaluation = attrs.evolve(scenario.evaluation, profile=profile)
    if services != "offline":
        from tool_sandbox.tools.services.wrapping import WrappingService

        service, own = search_service(services), scenario.starting_context.services
        scenario.starting_context.services = own.over(service) if isinstance(own, WrappingService) else service


@attrs.frozen
class InstructedSource:
    """Scenarios of another source whose agent is told something else.

    Attributes:
        source: Builds the scenarios.
        text: What the agent is told in place of its instruction.
    """

    source: ScenarioSource
    text: str

    def __call__(self, episode: Episode) -> "Scenario":
        """Builds the scenario of an episode."""
        return with_instruction(self.source(episode), self.text)


@attrs.frozen
class SearchedSource:
    """Scenarios of another source whose agent has to find the tools.

    Attributes:
        source: Builds the scenarios.
    """

    source: ScenarioSource

    def __call__(self, episode: Episode) -> "Scenario":
        """Builds the scenario of an episode."""
        return with_tool_search(self.source(episode))


def describe_instruction(text: str | None) -> dict[str, Any]:
    """What ``run.json`` says of what the agent is told: version of the built-in text, or its replacement; SHA-256."""
    told = AGENT_INSTRUCTION if text is None else text
    version = AGENT_INSTRUCTION_VERSION if text is None else None
    return {"version": version, "sha256": hashlib.sha256(told.encode()).hexdigest(), "text": text}


def read_instruction(path: Path) -> str:
    """Reads what the agent is to be told in place of every scenario's instruction."""
    text = read_text(path, what="the system prompt ").strip()
    if not text:
        raise ConfigurationError(f"the system prompt {path} is empty")
    return text


def with_instruction(scenario: "Scenario", text: str) -> "Scenario":
    """A scenario whose agent is told something else."""
    import polars as pl

    context = scenario.starting_context.fork()
    log = context._dbs[DatabaseNamespace.SANDBOX]
    told = (pl.col("sender") == RoleType.SYSTEM) & (pl.col("recipient") == RoleType.AGENT)
    first = log.filter(told)["sandbox_message_index"].min()
    if first is None:
        raise ScenarioError(f"scenario {scenario.name!r} has no instruction of the agent that could be replaced")
    content = pl.when(told & (pl.col("sandbox_message_index") == first)).then(pl.lit(text)).when(told).then(pl.lit(""))
    context._dbs[DatabaseNamespace.SANDBOX] = log.with_columns(content.otherwise(pl.col("content")).alias("content"))
    return attrs.evolve(scenario, starting_context=context)


def with_tool_search(scenario: "Scenario") -> "Scenario":
    """A scenario whose agent is offered a search tool, with which it finds the tools."""
    context = scenario.starting_context.fork()
    context.offer_by_search()
    return attrs.evolve(scenario, starting_context=context)


@attrs.frozen
class GivenScenarios:
    """Scenarios that already exist, by name. The seed of an episode has no meaning for them.

    Attributes:
        scenarios: Name to scenario.
    """

    scenarios: Mapping[str, "Scenario"]

    def __call__(self, episode: Episode) -> "Scenario":
        """Returns the scenario of an episode."""
        return self.scenarios[episode.scenario_name]


@functools.cache
def search_service(specification: str) -> "SearchService":
    """Makes what stands behind the search tools, one object per process."""
    from tool_sandbox.tools.services import create_service

    mode, _, path = specification.partition(":")
    if path and mode not in ("record", "replay"):
        raise ConfigurationError(f"search service {mode!r} takes no path, got {specification!r}")
    return create_service(mode, path=Path(path) if path else None)
