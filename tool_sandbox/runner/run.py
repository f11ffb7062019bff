"""Plays a whole run: the one call behind the command line, and the way in for programs."""

import datetime
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.providers import usual_concurrency
from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.models.session import Party
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import RUN_FORMAT
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.casting import Cast
from tool_sandbox.runner.cluster import Cluster
from tool_sandbox.runner.connection import connect_models
from tool_sandbox.runner.plan import make_plan
from tool_sandbox.runner.player import RoleFactory, ScenarioSource
from tool_sandbox.runner.playing import MOST_AT_ONCE, Part, PreparedRun, connect, play_together
from tool_sandbox.runner.remote import begin, folder_for
from tool_sandbox.runner.selection import select
from tool_sandbox.runner.source import (
    GivenScenarios,
    InstructedSource,
    SearchedSource,
    SuiteSource,
    describe_instruction,
    search_service,
    with_tool_search,
)
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.runner.store import MOST_WITH_PUBLISHED_FILES, FinishedRun, RunDirectory
from tool_sandbox.runner.suites import LoadedSuiteSource, Suite
from tool_sandbox.scenarios import suite_identity
from tool_sandbox.version import __version__
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.judging import NamedJudge

__all__ = ["Part", "PreparedRun", "new_part", "play", "play_together", "prepare_run"]


def prepare_run(
    agent: str | RoleFactory = "Oracle",
    user: str | RoleFactory = "Scripted",
    scenarios: "Sequence[str] | Mapping[str, Scenario] | None" = None,
    *,
    suite: Suite | None = None,
    categories: Sequence[str] = (),
    seeds: Sequence[int] = (0,),
    trials: int = 1,
    profile: Profile | None = None,
    services: str = "offline",
    preferred_tool_backend: str = "DEFAULT",
    threads: int | None = None,
    processes: int | None = 1,
    budget: Budget | None = None,
    cache: Path | None = None,
    prices: Path | None = None,
    instruction: str | None = None,
    tools: str = "all",
    judge: str | None = None,
    cluster: Cluster | None = None,
    batch: bool = False,
    batch_patience: str | None = None,
) -> PreparedRun:
    """Checks the settings and plans what to play."""
    if preferred_tool_backend not in ToolBackend.__members__:
        raise UnknownNameError(f"there is no tool backend {preferred_tool_backend!r}.", list(ToolBackend))
    agent_cast, user_cast = Cast.find(agent, "agent"), Cast.find(user, "user")
    if isinstance(scenarios, Suite):
        suite, scenarios = scenarios, None
    if suite is not None:
        own = suite.request.profile, suite.request.services
        if (profile, services) not in (own, (None, "offline")):
            raise ConfigurationError("profile and services of a suite are chosen when it is loaded")
        profile, services = own
        preferred_tool_backend = suite.request.preferred_tool_backend
    source, names, identity = _what(
        scenarios, categories, suite, SuiteSource(preferred_tool_backend, profile, services)
    )
    if suite is not None:
        _check_suite(suite, names, seeds, agent_cast)
    if instruction is not None:
        source = InstructedSource(source, instruction)
    if tools == "search":
        if profile is Profile.PUBLISHED:
            raise ConfigurationError("tools search is for worlds of the corrected benchmark, not for profile published")
        if agent_cast.fixed_tools:
            raise ConfigurationError(f"{agent_cast.name} cannot play with tools search: {agent_cast.fixed_tools}")
        if agent_cast.provider is not None and agent_cast.provider.settings.get("tool_search"):
            raise ConfigurationError("tool_search of the provider is for --tools all: choose one of the two searches")
        given: Mapping[str, Scenario] = scenarios if isinstance(scenarios, Mapping) else suite or {}
        for name in set(names).intersection(given):
            with_tool_search(given[name])
        source = SearchedSource(source)
    if cluster is not None:
        if (processes or 1) > 1:
            raise ConfigurationError("processes are for executor local; on a cluster there is one worker per core")
        if agent_cast.is_interactive or user_cast.is_interactive:
            raise ConfigurationError("a person at the terminal cannot play on a cluster")
        processes = 1
    service = search_service(services)
    named_judge = _named_judge(judge)
    budget = budget or Budget()
    judging = None if named_judge is None else named_judge().provider
    wiring, models, connected = connect_models(agent_cast, user_cast, budget, cache, prices, judging)
    if batch or batch_patience is not None:
        from tool_sandbox.runner.batches import check_batches, policy_of

        wiring = attrs.evolve(wiring, batches=policy_of(batch, batch_patience))
        check_batches(wiring, models, processes=processes, is_cluster=cluster is not None)
        processes = 1
    description = {
        "agent": without_credentials(agent_cast.name),
        "user": without_credentials(user_cast.name),
        "agent_model": agent_cast.model_name,
        **({} if agent_cast.program is None else {"agent_program": agent_cast.program}),
        "user_model": user_cast.model_name,
        "seeds": list(seeds),
        "trials": trials,
        "profile": None if profile is None else str(profile),
        "services": {"mode": service.mode, "version": service.version, "choice": services},
        "preferred_tool_backend": preferred_tool_backend,
        "suite": identity,
        "instruction": describe_instruction(instruction),
        "tools": tools,
        "judge": None if judge is None else without_credentials(judge),
        "batch": batch,
        "batch_patience": batch_patience,
        **connected,
    }
    episodes = make_plan(names, seeds, trials)
    if threads is None:
        threads = (
            min(BATCHED_AT_ONCE, max(len(episodes), 1), *_suiting(agent_cast, user_cast))
            if batch
            else _usual_threads(agent_cast, user_cast, models, cluster)
        )
    return PreparedRun(
        agent_cast,
        user_cast,
        episodes,
        source,
        description,
        threads=threads,
        processes=processes or (usual_processes(threads) if models else 1),
        wiring=wiring,
        budget=budget,
        models=models,
        judge=named_judge,
        cluster=cluster,
    )


BATCHED_AT_ONCE = 1000
"""Default number of concurrent conversations whose requests go into batches: they only wait."""

CONVERSATIONS_EACH = 128
"""Conversations with models at once that keep one core busy."""


def usual_processes(threads: int) -> int:
    """Default number of processes for conversations with models."""
    return max(1, min(threads // CONVERSATIONS_EACH, os.cpu_count() or 1))


def _usual_threads(agent: Cast, user: Cast, models: Mapping[Party, Provider], cluster: Cluster | None) -> int:
    """Default number of concurrent conversations; a cluster takes fewer if it has less room."""
    if agent.is_local and user.is_local:
        return 1 if cluster is None else MOST_AT_ONCE
    own = _suiting(agent, user)
    return min([*own, *([usual_concurrency(model.name for model in models.values())] if models or not own else [])])


def _suiting(*casts: Cast) -> list[int]:
    """Conversations at once that suit the parties that say so, such as programs."""
    return [cast.concurrency for cast in casts if cast.concurrency is not None]


def _named_judge(choice: str | None) -> "NamedJudge | None":
    if choice is None:
        return None
    # What asks models brings an HTTP library with it.
    from tool_sandbox.runner.judging import NamedJudge

    return NamedJudge(choice)


def _what(
    scenarios: "Sequence[str] | Mapping[str, Scenario] | None",
    categories: Sequence[str],
    suite: Suite | None,
    own: SuiteSource,
) -> tuple[ScenarioSource, list[str], dict[str, Any] | None]:
    """Where the scenarios come from, their names, and what identifies their suite."""
    if isinstance(scenarios, Mapping):
        if not scenarios:
            raise ConfigurationError("no scenario is selected: there are none among those given")
        return GivenScenarios(scenarios), list(scenarios), None
    if suite is not None:
        names = [info.name for info in select(scenarios, categories, suite.infos)]
        return LoadedSuiteSource(suite.request, suite.content_hash), names, suite.identity
    names = [info.name for info in select(scenarios, categories)]
    return own, names, suite_identity(names)


def _check_suite(suite: Suite, names: Sequence[str], seeds: Sequence[int], agent: Cast) -> None:
    """Refuses what a suite from elsewhere may not be able to do, before the run starts."""
    suite.check_seeds(seeds)
    without = next((name for name in names if suite[name].solution is None), None)
    if agent.needs_solution and without is not None:
        raise ConfigurationError(
            f"scenario {without!r} of suite {suite.name} has no reference solution for {agent.name}; "
            "choose another agent (see: tool_sandbox agents)"
        )


def play(
    run: PreparedRun,
    output_dir: str | Path = "data",
    *,
    git_sha: str | None = None,
    on_start: Callable[[Path], None] | None = None,
    on_result: Callable[[Result], None] | None = None,
    stop: Stop | None = None,
) -> FinishedRun:
    """Plays a prepared run into a new directory.

    An interrupt (``KeyboardInterrupt``, or a request by ``stop``) ends the run early: the conversations that were
    finished are summed up, and ``FinishedRun.is_complete`` is false.
    """
    connect([run])
    started = datetime.datetime.now().astimezone()
    directory = RunDirectory.create(folder_for(output_dir), run.agent.label, run.user.label, started)
    part = new_part(run, directory, started, git_sha)
    if on_start is not None:
        on_start(directory.path)
    told = None if on_result is None else (lambda part, result: on_result(result))
    (played,) = play_together([part], concurrency=run.threads, processes=run.processes, stop=stop, on_result=told)
    return played


def new_part(run: PreparedRun, directory: RunDirectory, started: datetime.datetime, git_sha: str | None) -> Part:
    """Writes the ``run.json`` of a run that begins, for ``play_together`` to play it."""
    description = {
        "format": RUN_FORMAT,
        "started": started.isoformat(timespec="seconds"),
        "package_version": __version__,
        "python_version": platform.python_version(),
        **run.description,
        "git_sha": git_sha,
        "published_files": len(run.episodes) <= MOST_WITH_PUBLISHED_FILES,
        "episodes": [attrs.asdict(each, filter=attrs.filters.exclude("label")) for each in run.episodes],
    }
    directory.write_run(description)
    begin(directory.path)
    return Part(run, directory, description)
