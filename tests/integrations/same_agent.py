"""One agent and one list of conversations, with which every door has to give the same results, to the last bit.

The agent is the reference solution with mistakes. Where a door brings its own agent, it says and calls what that one
did in a run: `Script`. What it scores is stored in ``tests/data/scores_of_every_door.json``, with which the tests of
all doors compare: so they agree across environments that cannot be one, too.

Usage, when scenarios or scoring have changed on purpose: python -m tests.integrations.same_agent
"""

import json
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import attrs

from tests.api.env_parity_test import actions, in_a_run
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import content_hash, get_scenario, list_scenarios

ERRORS = 0.2
AGENT = f"Oracle:error_rate={ERRORS}"
"""The agent as the command line names it."""

SEEDS = (0, 2)
"""Of the worlds; they are held out where that is told apart."""

FILE = Path(__file__).parents[1] / "data" / "scores_of_every_door.json"
STORED: Mapping[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {"scores": {}}

NAMES: list[str] = list(STORED["scores"])
"""Scenarios from all over the suite, on the phone and in apps, as they are and augmented."""

Place = tuple[str, int]
"""A conversation: scenario and seed."""

PLACES: list[Place] = [(name, seed) for seed in SEEDS for name in NAMES]

SAME = (
    *("similarity", "milestone_similarity", "minefield_similarity", "milestone_mapping", "minefield_mapping"),
    *("success", "outcome", "turn_count", "total_turn_count", "side_effects", "unsupported", "unclear"),
    *("tool_calls", "tool_errors", "invalid_calls", "user_findings", "scenario_hash", "suite", "directory"),
)
"""What has to be the same in the results of a conversation, however it was played."""


@attrs.frozen
class Script:
    """What the agent does in one scenario.

    Attributes:
        actions: A text, or calls as pairs of name and arguments, for each time it is asked.
        result: What a run gives for it.
    """

    actions: tuple[Any, ...]
    result: Mapping[str, Any]

    def __getitem__(self, count: int) -> Any:
        return self.actions[min(count, len(self.actions) - 1)]


@cache
def scripts() -> Mapping[Place, Script]:
    """Each conversation to what the agent does in it."""
    return {place: script(*place) for place in PLACES}


def script(name: str, seed: int) -> Script:
    """What the agent does in a conversation."""
    scenario = get_scenario(name, seed)
    context, result = in_a_run(scenario, partial(OracleAgent, error_rate=ERRORS), seed)
    return Script(tuple(actions(context, scenario.starting_context.max_sandbox_message_index + 1)), result)


def same(result: Mapping[str, Any], left_out: tuple[str, ...] = ()) -> str:
    """What has to be the same, as bytes that tell every two floats apart."""
    return json.dumps({name: result.get(name) for name in SAME if name not in left_out}, sort_keys=True)


def check_scores(found: Mapping[Place, float | None]) -> None:
    """Compares the scores of all conversations through a door with those that are stored, to the last bit."""
    stored = {(name, int(seed)): score for name, each in STORED["scores"].items() for seed, score in each.items()}
    here = {place: None if score is None else score.hex() for place, score in found.items()}
    wrong = sorted(place for place in stored.keys() | here.keys() if stored.get(place) != here.get(place))
    if wrong:
        name, seed = wrong[0]
        is_same = STORED["content_hash"] == content_hash()
        changed = "with the content it was made of" if is_same else "and scenarios, tools or scoring have changed since"
        raise AssertionError(
            f"{len(wrong)} scores are not those of {FILE.name}, {changed}: {name} with seed {seed} has "
            f"{here.get(wrong[0])}, not {stored.get(wrong[0])}; make it anew with {MAKE} if that is meant"
        )


MAKE = "python -m tests.integrations.same_agent"


def chosen() -> list[str]:
    """Scenarios for a new file: some of all kinds, and the first with each score that the agent has anywhere."""
    infos = sorted(list_scenarios(), key=lambda info: info.name)
    base = [info.name for info in infos if info.augmentation == "no_distraction_tools"]
    others = [info.name for info in infos if info.augmentation != "no_distraction_tools"]
    scored = {script(name, 0).result["similarity"]: name for name in reversed(base)}
    return sorted({*base[:: len(base) // 26], *others[:: len(others) // 8], *scored.values()})


def main() -> None:
    """Writes the file."""
    scores = {name: {seed: script(name, seed).result["similarity"].hex() for seed in SEEDS} for name in chosen()}
    text = json.dumps({"content_hash": content_hash(), "agent": AGENT, "scores": scores}, indent=1)
    FILE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
