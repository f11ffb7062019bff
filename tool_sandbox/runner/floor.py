"""What needs no skill: the scores of two agents that cannot help, which any score has to be read against.

One refuses everything, the other never reads the request: it switches everything on, calls every reading tool once and
refuses then. Both play the scenarios and seeds of a run with the scripted user; their scores are kept in its directory.
"""

import contextlib
import contextvars
import functools
import json
import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.play.opening import read_json
from tool_sandbox.play.trajectory_files import write_json
from tool_sandbox.records.options import recorded
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.runner.lineage import split_name
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import ScenarioSource
from tool_sandbox.runner.schema import check_shape
from tool_sandbox.runner.source import InstructedSource, SearchedSource, SuiteSource
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.suites import LoadedSuiteSource
from tool_sandbox.runner.sweep_directory import SWEEP_FILE
from tool_sandbox.scenarios import content_hash, is_hard, suite_identity
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.run import PreparedRun

FLOOR_FILE = "floor.json"
FLOOR_FORMAT = 1
"""Version of the layout of the file, raised when a reader has to change."""

REFUSING = "refusing"
REQUEST_BLIND = "request_blind"
FLOORS = (REFUSING, REQUEST_BLIND)
"""Names of the agents."""

SHIPPED_FILE = Path(__file__).with_name("floors.json")
"""Floors of each tier in the worlds of seed 0, with its content hash; ``scripts/make_floors.py`` writes it."""

Place = tuple[str, int]
"""Name of a scenario, and the seed of its world."""


@attrs.frozen
class Floors:
    """Scores of the agents of `FLOORS`.

    Attributes:
        scores: Name of the agent to its similarity in each scenario and seed. What could not be played is missing.
    """

    scores: Mapping[str, Mapping[Place, float]]

    def mean(self, agent: str, places: Iterable[Place]) -> float | None:
        """Mean similarity over conversations."""
        return _mean(self._of(agent, places))

    def success_rate(self, agent: str, places: Iterable[Place]) -> float | None:
        """Share of the conversations that the agent wins, see `mean`."""
        return _mean([None if score is None else float(score == 1) for score in self._of(agent, places)])

    def _of(self, agent: str, places: Iterable[Place]) -> list[float | None]:
        known = self.scores.get(agent, {})
        return [known.get(place) for place in places]

    def as_dict(self) -> dict[str, Any]:
        """JSON values, as in ``floor.json``."""
        places = dict.fromkeys(place for scores in self.scores.values() for place in scores)
        rows = [
            {"name": name, "seed": seed} | {agent: scores.get((name, seed)) for agent, scores in self.scores.items()}
            for name, seed in places
        ]
        return {"format": FLOOR_FORMAT, "agents": list(self.scores), "scenarios": rows}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Floors":
        """Reads what `as_dict` gave."""
        return cls(
            {
                agent: {
                    (row["name"], row["seed"]): float(row[agent])
                    for row in stored["scenarios"]
                    if row[agent] is not None
                }
                for agent in stored["agents"]
            }
        )


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return statistics.fmean(known) if known and len(known) == len(scores) else None


def measure_floors(run: "PreparedRun", *, plays_all: bool = False) -> Floors | None:
    """What the agents of `FLOORS` score in the scenarios and seeds of a run.

    What ships with the suite is looked up, the rest, or all of it, is played without leaving files. Search tools are
    answered offline, whatever stands behind them in the run.
    """
    return _measure(run.source, run.episodes, ships=not plays_all)


@functools.cache
def _shipped(tier: str) -> Mapping[str, float] | None:
    """Scores above 0 that ship with a tier, by agent, scenario and tools; ``None`` where it is another version."""
    stored = json.loads(SHIPPED_FILE.read_text(encoding="utf-8")).get(tier)
    return stored["scores"] if stored and stored["content_hash"] == content_hash(tier) else None


def shipped_key(agent: str, episode: Episode) -> str | None:
    """Under what the score of a conversation ships, ``None`` where it does not."""
    base_name, seed, tools, rows, fault = _what_matters(agent, episode)
    return None if seed or rows or fault else f"{agent} {base_name} {tools}"


def floors_of(path: Path, source: ScenarioSource | None = None) -> Floors | None:
    """The floors of a stored run; measured now, and kept there, if that has not been done and can be.

    A damaged file counts as missing.
    """
    with contextlib.suppress(_UnreadableError):
        return _read(path / FLOOR_FILE)
    stored = RunDirectory(path).read_run()
    episodes = [Episode(row["scenario_name"], row["seed"], row["trial"], "") for row in stored["episodes"]]
    floors = _of_sibling(path, stored, episodes)
    if floors is None:
        if source is None:
            suite = stored["suite"]
            if suite is None or suite.get("name") is not None:
                return None
            if suite["content_hash"] != suite_identity(episode.scenario_name for episode in episodes)["content_hash"]:
                return None
            asked = recorded(stored)
            profile = None if asked["profile"] is None else Profile(asked["profile"])
            source = SuiteSource(asked["preferred_tool_backend"], profile)
        floors = _measure(source, episodes)
    _keep(path, floors)
    return floors


def stored_floors(path: Path) -> Floors | None:
    """The floors of a stored run, as far as they have been measured. Nothing is played or written."""
    try:
        return _read(path / FLOOR_FILE)
    except _UnreadableError:
        return None


def _keep(path: Path, floors: Floors | None) -> None:
    """Stores floors, but not where nothing can be written, or into a run that another process plays.

    There they are measured each time.
    """
    from tool_sandbox.runner.claims import claim, is_tidy

    if is_tidy(path) and os.access(path, os.W_OK):
        with contextlib.suppress(OSError, ConfigurationError), claim(path):
            store_floors(path, floors)


def _of_sibling(path: Path, stored: Mapping[str, Any], episodes: Sequence[Episode]) -> Floors | None:
    """Floors of another run of the same sweep, if they are the same: there they need not be measured for each run."""
    if stored.get("suite") is None or not (path.parent / SWEEP_FILE).exists():
        return None
    wanted = {_place(episode) for episode in episodes}
    for file in sorted(path.parent.glob(f"*/{FLOOR_FILE}")):
        other = RunDirectory(file.parent).read_run()
        if all(other.get(key) == stored.get(key) for key in ("suite", "profile", "preferred_tool_backend")):
            floors = stored_floors(file.parent)
            if floors is not None and all(wanted <= scores.keys() for scores in floors.scores.values()):
                return Floors(
                    {
                        agent: {place: scores[place] for place in map(_place, episodes)}
                        for agent, scores in floors.scores.items()
                    }
                )
    return None


def store_floors(path: Path, floors: Floors | None) -> None:
    """Writes ``floor.json``."""
    nothing: dict[str, Any] = {"format": FLOOR_FORMAT, "agents": None, "scenarios": []}
    write_json(path / FLOOR_FILE, nothing if floors is None else floors.as_dict(), indent=2)


class _UnreadableError(Exception):
    """There is no file with floors, or it is damaged."""


def _read(file: Path) -> Floors | None:
    try:
        stored = read_json(file, file.parent)
        if isinstance(stored, dict) and stored.get("format") == FLOOR_FORMAT:
            check_shape(stored, "floor", file)
    except ConfigurationError as error:
        raise _UnreadableError from error
    try:
        if stored["format"] > FLOOR_FORMAT:
            raise ConfigurationError(f"{file} has format {stored['format']}, this version reads up to {FLOOR_FORMAT}")
        return None if stored["agents"] is None else Floors.from_dict(stored)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _UnreadableError from error


def _measure(source: ScenarioSource, episodes: Iterable[Episode], *, ships: bool = True) -> Floors | None:
    from tool_sandbox.roles.control_agents import RequestBlindAgent

    source = _offline(source)
    is_own = isinstance(source, SuiteSource)
    ships = ships and source == SuiteSource()
    agents: dict[str, Callable[[], BaseRole]] = {REFUSING: UnhelpfulAgent, REQUEST_BLIND: RequestBlindAgent}
    first: dict[Place, Episode] = {}
    for episode in episodes:
        first.setdefault(_place(episode), episode)
    scores: dict[str, dict[Place, float]] = {agent: {} for agent in agents}
    for agent, role in agents.items():
        known: dict[Any, float | None] = {}
        for place, episode in first.items():
            shipped = _shipped("hard" if is_hard(episode.scenario_name) else "core") if ships else None
            if shipped is not None and (name := shipped_key(agent, episode)):
                scores[agent][place] = shipped.get(name, 0.0)
                continue
            key = _what_matters(agent, episode) if is_own else place
            if key not in known:
                try:
                    known[key] = contextvars.copy_context().run(_play, source, episode, role())
                except _UnscriptedError:
                    return None
            score = known[key]
            if score is not None:
                scores[agent][place] = score
    return Floors(scores)


def _place(episode: Episode) -> Place:
    return episode.scenario_name, episode.seed


def _what_matters(agent: str, episode: Episode) -> Sequence[Any]:
    """What a conversation of one of the agents depends on, in scenarios of the suite of this package.

    Neither reads what tools are called or how they are described, and the refusing one calls none.
    """
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS, OPT_IN

    base_name, name = split_name(episode.scenario_name)
    way = next(each for each in (*AUGMENTATIONS, *OPT_IN) if each.name == name)
    tools = way.distractors if agent == REQUEST_BLIND else 0
    return base_name, episode.seed, tools, way.rows, way.fault


def _offline(source: ScenarioSource) -> ScenarioSource:
    """The same scenarios with the agent's own instruction, which is not read, all tools, and no services that cost.

    Tools that have to be found first need more skill, and no floor gets higher by that.
    """
    if isinstance(source, InstructedSource | SearchedSource):
        return _offline(source.source)
    if isinstance(source, SuiteSource):
        return attrs.evolve(source, services="offline")
    if isinstance(source, LoadedSuiteSource):
        return attrs.evolve(source, request=attrs.evolve(source.request, services="offline"))
    return source


class _UnscriptedError(Exception):
    """A scenario has no script for the user."""


def _play(source: ScenarioSource, episode: Episode, agent: BaseRole) -> float | None:
    from tool_sandbox.roles.scripted_user import ScriptedUser

    roles = {
        RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
        RoleType.USER: ScriptedUser(),
        RoleType.AGENT: agent,
    }
    try:
        scenario: Scenario = source(episode)
        if scenario.user_script is None:
            raise _UnscriptedError
        context = scenario.play(roles, episode.scenario_name)
        score = scenario.evaluation.evaluate(context, max_turn_count=scenario.max_messages)
    except _UnscriptedError:
        raise
    except Exception:
        # A scenario that cannot be played is reported by the run itself.
        return None
    return float(score.similarity)
