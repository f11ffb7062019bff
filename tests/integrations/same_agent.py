"""One agent and one list of scenarios, with which every door has to give the same results, to the last bit.

The agent is the reference solution with mistakes. Where a door brings its own agent, it says and calls what that one
did in a run: `Script`.
"""

import json
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import attrs

from tests.api.env_parity_test import actions, in_a_run
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario, list_scenarios

ERRORS = 0.2
AGENT = f"Oracle:error_rate={ERRORS}"
"""The agent as the command line names it."""

_BASE = sorted(info.name for info in list_scenarios() if info.augmentation == "no_distraction_tools")
_OTHERS = sorted(info.name for info in list_scenarios() if info.augmentation != "no_distraction_tools")
NAMES = [*_BASE[:: len(_BASE) // 26], *_OTHERS[:: len(_OTHERS) // 8]]
"""Scenarios from all over the suite, on the phone and in apps, as they are and augmented."""

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
def scripts() -> Mapping[str, Script]:
    """Name of each scenario to what the agent does in it."""
    found = {}
    for name in NAMES:
        scenario = get_scenario(name)
        context, result = in_a_run(scenario, partial(OracleAgent, error_rate=ERRORS))
        start = scenario.starting_context.max_sandbox_message_index + 1
        found[name] = Script(tuple(actions(context, start)), result)
    return found


def same(result: Mapping[str, Any], left_out: tuple[str, ...] = ()) -> str:
    """What has to be the same, as bytes that tell every two floats apart."""
    return json.dumps({name: result.get(name) for name in SAME if name not in left_out}, sort_keys=True)
