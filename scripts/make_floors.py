"""Writes what follows from the suite and is shipped with it, so that no command has to work it out.

``tool_sandbox/scenarios/shapes.json`` are the categories of its scenarios, ``tool_sandbox/runner/floors.json`` what the
floor agents score. It takes a minute or two, and is due whenever the content of the suite changes.

Usage: python scripts/make_floors.py
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.runner.floor import SHIPPED_FILE, measure_floors, shipped_key
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.scenarios import SHAPES_FILE, TIERS, content_hash, list_scenarios, shapes_of


def main() -> None:
    """Writes both files, for all tiers."""
    _write(SHAPES_FILE, "shapes", shapes_of)
    _write(SHIPPED_FILE, "scores", _floors)


def _write(path: Path, what: str, made: Callable[[str], Mapping[Any, Any]]) -> None:
    text = json.dumps({tier: {"content_hash": content_hash(tier), what: made(tier)} for tier in TIERS}, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def _floors(tier: str) -> dict[str | None, float]:
    """Plays every scenario of a tier with every number of distraction tools."""
    if not (infos := list_scenarios(tier)):
        return {}
    run = prepare_run("Oracle", "Scripted", [info.name for info in infos])
    floors = measure_floors(run, plays_all=True)
    if floors is None:
        raise SystemExit("a scenario of the suite has no script for its user")
    found = {
        shipped_key(agent, episode): scores[episode.scenario_name, episode.seed]
        for agent, scores in floors.scores.items()
        for episode in run.episodes
    }
    missing = [key for key, score in found.items() if key is None or score is None]
    if missing:
        raise SystemExit(f"no score for {missing}")
    return {key: score for key, score in sorted(found.items()) if score}


if __name__ == "__main__":
    main()
