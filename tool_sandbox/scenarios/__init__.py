"""The scenario suite: base scenarios, their augmentations, and seeded instances of both.

Nothing is built before it is asked for. `list_scenarios` describes what there is, `get_scenario` and
`named_scenarios` build it.
"""

import difflib
import functools
import hashlib
import importlib
import json
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.conversation.tool_discovery import ToolBackend, get_all_tools
from tool_sandbox.scenarios.prompts import USER_INSTRUCTION
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.tool import ToolFunction

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scenarios.augmentations import Augmentation
    from tool_sandbox.scenarios.build import Base
    from tool_sandbox.scenarios.definition import Definition

__all__ = [
    "SUITE_VERSION",
    "USER_INSTRUCTION",
    "ScenarioInfo",
    "content_hash",
    "get_scenario",
    "list_scenarios",
    "named_scenarios",
    "suite_identity",
]

SUITE_VERSION = "2.7.0"
"""Raised whenever a scenario, a milestone or a tool description changes in a way that can move a score."""

TIERS = {"core": "tool_sandbox.scenarios.families", "hard": "tool_sandbox.scenarios.hard"}
"""Tier of the suite to the package whose modules hold its base scenarios, one family a module.

Modules of the hard tier stand in a package for each axis of difficulty.
"""


@attrs.frozen
class ScenarioInfo:
    """What can be said about a scenario without building its world.

    Attributes:
        name: Name of the scenario.
        base_name: Name of the base scenario that it is a variant of.
        family: Group of base scenarios that share a task.
        augmentation: How the base scenario is offered.
        categories: Tags by which results are averaged.
        goal: The task in one sentence.
        tier: Part of the suite that it belongs to: ``"core"`` or ``"hard"``.
        axis: What makes it hard, empty in the core tier.
    """

    name: str
    base_name: str
    family: str
    augmentation: str
    categories: tuple[ScenarioCategories, ...]
    goal: str
    tier: str = "core"
    axis: str = ""


@functools.cache
def _definitions(tier: str = "core") -> dict[str, "Definition"]:
    from tool_sandbox.scenarios.definition import Definition

    package = importlib.import_module(TIERS[tier])
    found: dict[str, Definition] = {}
    for module in sorted(pkgutil.walk_packages(package.__path__, f"{TIERS[tier]}."), key=lambda module: module.name):
        members = vars(importlib.import_module(module.name))
        found.update((name, member) for name, member in members.items() if isinstance(member, Definition))
    return found


@functools.cache
def _index(tier: str, *, opt_in: bool = False) -> dict[str, tuple["Definition", "Augmentation"]]:
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS, OPT_IN

    index: dict[str, tuple[Definition, Augmentation]] = {}
    for name, definition in _definitions(tier).items():
        suiting = _shapes(tier)[name]["opt_in"] if opt_in else ()
        for augmentation in (*AUGMENTATIONS, *(each for each in OPT_IN if each.name in suiting)):
            index[name + augmentation.suffix] = definition, augmentation
    return index


SHAPES_FILE = Path(__file__).with_name("shapes.json")
"""Of each tier the shapes of its base scenarios, with its content hash; ``scripts/make_floors.py`` writes it."""


def shapes_of(tier: str) -> dict[str, dict[str, list[str]]]:
    """What follows from the tasks of a tier's base scenarios: their categories, and opt-in augmentations that suit.

    All tasks are drawn for it, which takes seconds.
    """
    from tool_sandbox.scenarios.augmentations import OPT_IN

    tasks = ((definition, definition.task()) for definition in _definitions(tier).values())
    return {
        definition.name: {
            "categories": [str(category) for category in definition.categories(task)],
            "opt_in": [augmentation.name for augmentation in OPT_IN if augmentation.suits(definition, task)],
        }
        for definition, task in tasks
    }


@functools.cache
def _shapes(tier: str) -> dict[str, dict[str, list[str]]]:
    """The shapes that are shipped, unless the suite has changed since."""
    shipped = json.loads(SHAPES_FILE.read_text(encoding="utf-8")).get(tier) if SHAPES_FILE.exists() else None
    return shipped["shapes"] if shipped and shipped["content_hash"] == content_hash(tier) else shapes_of(tier)


@functools.cache
def _infos(tier: str, *, opt_in: bool) -> tuple[ScenarioInfo, ...]:
    tags = {name: {*shape["categories"]} for name, shape in _shapes(tier).items()}
    return tuple(
        ScenarioInfo(
            name=name,
            base_name=definition.name,
            family=definition.family,
            augmentation=augmentation.name,
            categories=tuple(
                category for category in ScenarioCategories if category in {*tags[definition.name], *augmentation.tags}
            ),
            goal=definition.goal,
            tier=tier,
            axis=definition.axis,
        )
        for name, (definition, augmentation) in _index(tier, opt_in=opt_in).items()
    )


def list_scenarios(tier: str = "core", *, opt_in: bool = False) -> list[ScenarioInfo]:
    """Describes every scenario of a tier without building any.

    Raises:
        UnknownNameError: There is no such tier.
    """
    if tier not in TIERS:
        raise UnknownNameError(f"there is no tier {tier!r:.40}.", difflib.get_close_matches(tier, TIERS) or TIERS)
    return list(_infos(tier, opt_in=opt_in))


def named_scenarios(
    preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT,
    *,
    names: Iterable[str] | None = None,
    seed: int = 0,
) -> "dict[str, Scenario]":
    """Builds scenarios: those of the core tier where no names are given."""
    from tool_sandbox.scenarios.build import build

    wanted = list(_index("core")) if names is None else list(dict.fromkeys(names))
    by_base: dict[Definition, list[Augmentation]] = {}
    for name in wanted:
        definition, augmentation = _entry(name)
        by_base.setdefault(definition, []).append(augmentation)
    built: dict[str, Scenario] = {}
    for definition, augmentations in by_base.items():
        built |= build(definition, augmentations, seed=seed, preferred_tool_backend=preferred_tool_backend)
    return {name: built[name] for name in wanted}


def _entry(name: str) -> tuple["Definition", "Augmentation"]:
    known: list[str] = []
    for opt_in in (False, True):
        for tier in TIERS:
            index = _index(tier, opt_in=opt_in)
            if name in index:
                return index[name]
            known += index
    raise UnknownNameError(f"there is no scenario {name!r}.", difflib.get_close_matches(name, known, n=3))


def scenario_to_play(name: str, seed: int, backend: ToolBackend) -> "Scenario":
    """Builds one scenario for a run, in which the augmentations of a base scenario come one after another."""
    definition, augmentation = _entry(name)
    return _base(definition, seed, backend, tuple(get_all_tools(backend).values())).augmented(augmentation)


@functools.lru_cache(maxsize=16)
def _base(definition: "Definition", seed: int, backend: ToolBackend, known: tuple[ToolFunction, ...]) -> "Base":
    """The base of scenarios; ``known`` are all the tools that there are."""
    from tool_sandbox.scenarios.build import Base

    return Base.of(definition, seed, backend)


def get_scenario(name: str, seed: int = 0) -> "Scenario":
    """Builds one scenario."""
    return named_scenarios(names=[name], seed=seed)[name]


SCORED = (
    "scenarios",
    "tools",
    "apps",
    "scoring",
    "answers/facts",
    "answers/grounding",
    "answers/dialogue.py",
    "fidelity/texts.py",
    "world/script.py",
    "roles/scripted_user.py",
)
"""Parts of the package that decide what a task is and what it scores, in the order of the fingerprint."""


def is_hard(name: str) -> bool:
    """Whether a scenario of the suite belongs to the hard tier."""
    try:
        return name not in _index("core") and _entry(name)[0].tier == "hard"
    except UnknownNameError:
        # It was one of another version.
        return False


@functools.cache
def content_hash(tier: str = "core") -> str:
    """Fingerprint of a tier: definitions, tools and their data, and the rules of scoring.

    That of the core tier is the same whatever the hard one consists of.
    """
    package = resources.files("tool_sandbox")
    digest = hashlib.sha256()
    for path in SCORED:
        for name, file in _sources(package.joinpath(*path.split("/")), path):
            if tier == "core" and name.startswith("scenarios/hard/"):
                continue
            digest.update(name.encode() + b"\0" + file.read_text(encoding="utf-8").encode() + b"\0")
    return digest.hexdigest()


def suite_identity(names: Iterable[str]) -> dict[str, str]:
    """What tells the suite that scenarios are from from other versions of it: version and fingerprint."""
    tier = "hard" if any(map(is_hard, names)) else "core"
    return {"version": SUITE_VERSION, "content_hash": content_hash(tier)}


def _sources(entry: "Traversable", path: str) -> "Iterator[tuple[str, Traversable]]":
    """A source or data file, or all of them below a folder, with their paths, in order."""
    if entry.is_dir():
        for inner in sorted(entry.iterdir(), key=lambda inner: inner.name):
            yield from _sources(inner, f"{path}/{inner.name}")
    elif entry.name.endswith((".py", ".csv")):
        yield path, entry
