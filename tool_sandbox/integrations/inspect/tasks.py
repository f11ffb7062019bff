"""The tasks of Inspect: one for each tier of the suite."""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from tool_sandbox.integrations.inspect.scorer import evaluation
from tool_sandbox.integrations.inspect.solver import conversation, in_one_line
from tool_sandbox.runner.plan import Episode, make_plan
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.tiers import select_in
from tool_sandbox.scenarios import SUITE_VERSION, ScenarioInfo, content_hash

Names = str | list[str] | None
Seeds = int | list[int] | None
"""One, or a list; Inspect makes a list of what stands between commas."""

T = TypeVar("T")


@task
def core(
    scenarios: Names = None,
    tag: Names = None,
    family: Names = None,
    augmentation: Names = None,
    seed: Seeds = None,
    user: str | None = None,
    profile: str | None = None,
    services: str = "offline",
    tools: str = "all",
) -> Task:
    """The core tier: a user and an agent talk, the agent calls tools, and the whole trajectory is scored.

    Args:
        scenarios: Names or patterns of scenarios; by default all.
        tag: Categories, of which a scenario has to have one.
        family: Families of scenarios.
        augmentation: How the scenarios are offered; ``no_distraction_tools`` for as they are.
        seed: Seeds of the worlds, by default 0; each makes samples of its own.
        user: Who plays the user, see the solver ``conversation``.
        profile: Rules of the scoring, ``strict`` or ``published``.
        services: What stands behind the search tools.
        tools: What the agent is offered: ``all``, or ``search`` for a search tool that finds the others.
    """
    chosen = _chosen("core", scenarios, tag, family, augmentation)
    return _task("core", chosen, _seeds(seed), user=user, profile=profile, services=services, tools=tools)


@task
def hard(
    scenarios: Names = None,
    axis: Names = None,
    family: Names = None,
    augmentation: Names = None,
    seed: Seeds = None,
    user: str | None = None,
    profile: str | None = None,
    services: str = "offline",
    tools: str = "all",
) -> Task:
    """The hard tier: long tasks over several apps, which strong agents fail for reasons of their own.

    Args:
        scenarios: Names or patterns of scenarios; by default all.
        axis: What makes the scenarios hard, such as ``planning``.
        family: Families of scenarios.
        augmentation: How the scenarios are offered; ``no_distraction_tools`` for as they are.
        seed: Seeds of the worlds, by default 0; each makes samples of its own.
        user: Who plays the user, see the solver ``conversation``.
        profile: Rules of the scoring, ``strict`` or ``published``.
        services: What stands behind the search tools.
        tools: What the agent is offered: ``all``, or ``search`` for a search tool that finds the others.
    """
    chosen = _chosen("hard", scenarios, None, family, augmentation, axis)
    return _task("hard", chosen, _seeds(seed), user=user, profile=profile, services=services, tools=tools)


def _chosen(
    tier: str, scenarios: Names, tag: Names, family: Names, augmentation: Names, axis: Names = None
) -> list[ScenarioInfo]:
    with in_one_line():
        return select_in(tier, _listed(scenarios), _listed(tag), _listed(family), _listed(augmentation), _listed(axis))


def _task(tier: str, infos: Sequence[ScenarioInfo], seeds: Sequence[Any], **choices: Any) -> Task:
    by_name = {info.name: info for info in infos}
    with in_one_line():
        # As every conversation will, but before there is one.
        Request(scenarios=list(by_name)[:1], seed=list(seeds), **choices).prepare()
    samples = [_sample(by_name[episode.scenario_name], episode) for episode in make_plan(by_name, seeds)]
    return Task(
        dataset=MemoryDataset(samples, name=f"ToolSandbox {tier} {SUITE_VERSION}"),
        solver=conversation(**choices),
        scorer=evaluation(),
        version=SUITE_VERSION,
        metadata={"tier": tier, "suite_version": SUITE_VERSION, "suite_hash": content_hash(tier)},
    )


def _sample(info: ScenarioInfo, episode: Episode) -> Sample:
    return Sample(
        id=episode.label,
        input=info.goal,
        metadata={
            "scenario": info.name,
            "family": info.family,
            "base_name": info.base_name,
            "augmentation": info.augmentation,
            "tier": info.tier,
            "axis": info.axis or None,
            "categories": [str(category) for category in info.categories],
            "seed": episode.seed,
            "suite_version": SUITE_VERSION,
        },
    )


def _seeds(given: Seeds) -> list[Any]:
    """The seeds; what stands between commas comes as texts."""
    listed: list[Any] = _listed(given) or [0]
    return [int(each) if isinstance(each, str) and _WHOLE.fullmatch(each) else each for each in listed]


_WHOLE = re.compile(r"-?[0-9]{1,20}")


def _listed(given: T | list[T] | None) -> list[T]:
    if given is None:
        return []
    return list(given) if isinstance(given, list) else [given]
