"""Every seed is a fresh instance that can be solved, and in which doing nothing earns nothing."""

import pytest

from tool_sandbox.proof.play import play
from tool_sandbox.roles.control_agents import RecitingAgent, RequestBlindAgent
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.scenarios import list_scenarios, named_scenarios

BASES = list(dict.fromkeys(info.base_name for info in list_scenarios()))
SEEDS = range(1, 21)

NOTHING = {"refusing": UnhelpfulAgent, "silent": lambda: RecitingAgent(""), "agreeing": lambda: RecitingAgent("Okay.")}


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_scenario_builds_is_solved_by_its_reference_and_by_no_control(seed):
    unsolved, earned = {}, {}
    for name, scenario in named_scenarios(names=BASES, seed=seed).items():
        result = play(scenario, OracleAgent())[1]
        if result.similarity != 1 or result.side_effects:
            unsolved[name] = result.milestone_mapping
        for control, agent in NOTHING.items():
            if (similarity := play(scenario, agent())[1].similarity) != 0:
                earned[name, control] = similarity
        if play(scenario, RequestBlindAgent())[1].success:
            earned[name, "request-blind"] = 1
    assert unsolved == {}
    assert earned == {}


@pytest.mark.slow
def test_seeds_differ():
    """All but a few tasks that draw nothing but the start of the world begin with other words in other seeds."""
    openings = [
        {name: scenario.user_script.opening for name, scenario in named_scenarios(names=BASES, seed=seed).items()}
        for seed in SEEDS
    ]
    repeated = {name for name in BASES if len({opening[name] for opening in openings}) < 2}
    assert repeated == set()
