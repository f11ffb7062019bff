"""Every scenario can be solved as written, in every augmentation, seed, zone and year."""

import ast
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import tool_sandbox
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, ScenarioCategories
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import (
    USER_INSTRUCTION,
    content_hash,
    get_scenario,
    list_scenarios,
    named_scenarios,
)
from tool_sandbox.world.errors import UnknownNameError
from tool_sandbox.world.profile import Profile

INFOS = list_scenarios()
BASES = [info.base_name for info in INFOS if info.augmentation == "no_distraction_tools"]
TASK_CATEGORIES = list(ScenarioCategories)[:9]

SINGLE_TOOL_NAMES = {
    "cellular_off",
    "get_cellular",
    "wifi_off",
    "get_wifi",
    "search_phone_number_with_name",
    "search_name_with_relationship",
    "search_relationship_with_phone_number",
    "add_contact_with_name_and_phone_number",
    "remove_contact_with_id",
    "update_contact_with_id_and_phone_number",
    "search_sender_phone_number_with_content",
    "send_message_with_phone_number_and_content",
    "find_thanksgiving_timestamp",
    "find_address_with_lat_lon",
    "find_phone_number_with_location_name",
    "find_temperature",
    "find_stock_symbol_with_company_name",
    "convert_currency",
    "convert_currency_canonicalize",
}


def tool_calls(context):
    """Replies of the execution environment to the agent."""
    return [
        row
        for _, table in context.get_history(DatabaseNamespace.SANDBOX)
        for row in table.where(sender="EXECUTION_ENVIRONMENT", recipient="AGENT")
    ]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("base", BASES)
def test_the_reference_solution_scores_1_in_every_augmentation(base, play):
    names = [info.name for info in INFOS if info.base_name == base]
    assert len(names) == 8
    for name, scenario in named_scenarios(names=names).items():
        context, result = play(scenario, OracleAgent())
        assert (name, result.similarity, result.side_effects) == (name, 1, [])
        assert result.success
        assert not context.get_table(DatabaseNamespace.SANDBOX).column("conversation_active")[-1]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_reference_solution_scores_1_for_other_seeds(seed, play):
    failed = {
        name: result.milestone_mapping
        for name, scenario in named_scenarios(names=BASES, seed=seed).items()
        if not (result := play(scenario, OracleAgent())[1]).success
    }
    assert failed == {}


def test_there_are_enough_scenarios_of_each_category():
    assert len(BASES) >= 44
    assert set(BASES) >= SINGLE_TOOL_NAMES
    assert "send_message_with_contact_content_cellular_off_multiple_user_turn" in BASES
    counts = Counter(category for info in INFOS if info.name in BASES for category in info.categories)
    assert {category for category in TASK_CATEGORIES if counts[category] < 4} == set()
    assert all(
        ScenarioCategories.SINGLE_TOOL_CALL in info.categories for info in INFOS if info.name in SINGLE_TOOL_NAMES
    )


def test_tags_agree_with_the_reference_solution(play, said):
    for name, scenario in named_scenarios(names=BASES).items():
        context, _ = play(scenario, OracleAgent())
        tags = set(scenario.categories)
        calls, turns = len(tool_calls(context)), len(said(context))
        senders = [table.column("sender")[-1] for _, table in context.get_history(DatabaseNamespace.SANDBOX)]
        assert 3 * sum(one == "AGENT" != before for before, one in pairwise(senders)) <= scenario.max_turns, name
        assert (ScenarioCategories.SINGLE_USER_TURN in tags) == (turns == 1), name
        assert (ScenarioCategories.MULTIPLE_USER_TURN in tags) == (turns > 1), name
        if ScenarioCategories.INSUFFICIENT_INFORMATION not in tags:
            assert (ScenarioCategories.MULTIPLE_TOOL_CALL in tags) == (calls > 1), name
            assert (ScenarioCategories.SINGLE_TOOL_CALL in tags) == (calls == 1), name


def test_descriptions_agree_with_the_scenarios():
    scenarios = named_scenarios()
    assert list(scenarios) == [info.name for info in INFOS]
    for info in INFOS:
        scenario = scenarios[info.name]
        assert tuple(scenario.categories) == info.categories
        assert (scenario.name, scenario.family, scenario.goal) == (info.name, info.family, info.goal)
        assert info.goal.endswith(".")
        assert scenario.evaluation.profile is scenario.starting_context.profile is Profile.STRICT


def test_only_what_is_asked_for_is_built():
    assert list(named_scenarios(names=["wifi_off_all_tools", "wifi_off", "wifi_off"])) == [
        "wifi_off_all_tools",
        "wifi_off",
    ]
    assert named_scenarios(names=[]) == {}


def test_an_unknown_name_is_refused_with_suggestions():
    with pytest.raises(UnknownNameError, match=r"wifi_of'.*Did you mean: wifi_off"):
        get_scenario("wifi_of")


def test_variants_share_the_tables_of_the_start():
    plain, many = named_scenarios(names=["wifi_off", "wifi_off_all_tools"]).values()
    for namespace in DatabaseNamespace:
        assert plain.starting_context.get_table(namespace) is many.starting_context.get_table(namespace)
    assert plain.evaluation is many.evaluation


def test_a_seed_is_an_instance_of_its_own():
    name = "add_contact_with_name_and_phone_number"
    openings = {get_scenario(name, seed).user_script.opening for seed in range(5)}
    assert len(openings) == 5
    assert get_scenario(name, 3).user_script == get_scenario(name, 3).user_script


def test_start_messages_have_the_published_layout():
    scenario = get_scenario("cellular_off")
    history = scenario.starting_context.get_history(DatabaseNamespace.SANDBOX)
    rows = [row for _, table in history for row in table.dicts()]
    assert [(row["sender"], row["recipient"]) for row in rows] == [
        ("SYSTEM", "EXECUTION_ENVIRONMENT"),
        ("SYSTEM", "AGENT"),
        ("SYSTEM", "USER"),
        ("USER", "AGENT"),
    ]
    assert "from tool_sandbox.tools.setting import" in rows[0]["content"]
    assert rows[2]["content"].startswith(USER_INSTRUCTION)
    assert scenario.starting_context.first_user_sandbox_message_index == 3


def test_the_user_brief_holds_what_the_user_knows_and_not_the_answer():
    scenario = get_scenario("search_phone_number_with_name")
    brief = scenario.starting_context.get_table(DatabaseNamespace.SANDBOX, 2).column("content")[0]
    person = scenario.starting_context.get_table(DatabaseNamespace.CONTACT).dicts()[1]
    assert person["name"] in brief
    assert person["phone_number"] not in brief


@pytest.mark.parametrize("name", ["find_distance_with_location_name", "remove_contact_by_phone_multiple_user_turn"])
def test_a_scenario_can_be_sent_to_another_process(name, play):
    twin = pickle.loads(pickle.dumps(get_scenario(name, 2)))
    assert play(twin, OracleAgent())[1].similarity == 1


def test_what_is_scored_can_be_written_as_json():
    for scenario in named_scenarios(names=BASES).values():
        matchers = (scenario.evaluation.milestone_matcher, scenario.evaluation.minefield_matcher)
        for milestone in (milestone for matcher in matchers for milestone in matcher.milestones):
            for constraint in milestone.snapshot_constraints:
                written = constraint.snapshot_constraint.to_dict()
                assert json.loads(json.dumps(written)) == written


def test_playing_twice_gives_the_same_trajectory(play):
    for name in BASES:
        first, second = (play(get_scenario(name), OracleAgent())[0] for _ in range(2))
        assert json.dumps(first.to_dict(False)) == json.dumps(second.to_dict(False)), name


def test_no_scenario_tool_or_score_asks_the_machine_for_the_time():
    package = Path(tool_sandbox.__file__).parent
    folders = [
        "world",
        "helpers",
        "tools",
        "conversation",
        "answers",
        "scoring",
        "play",
        "fidelity",
        "roles",
        "scenarios",
    ]
    asking = {
        f"{path.relative_to(package)}:{node.lineno}"
        for folder in folders
        for path in (package / folder).rglob("*.py")
        if path != package / "world" / "clock.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and re.fullmatch(
            r"(?:datetime\.)?(?:datetime|date)\.(?:now|utcnow|today)|time\.(?:time|time_ns|localtime|gmtime)",
            ast.unparse(node.func),
        )
    }
    assert asking == set()


def test_the_content_hash_is_the_same_in_another_process(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from tool_sandbox.scenarios import content_hash; print(content_hash())"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(tool_sandbox.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == content_hash()
    assert re.fullmatch("[0-9a-f]{64}", content_hash())


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("answers/facts/_done.py", True),
        ("answers/dialogue.py", True),
        ("scenarios/families/settings.py", True),
        ("tools/services/data/rates.csv", True),
        ("roles/scripted_user.py", True),
        ("cli/progress.py", False),
        ("runner/frame.py", False),
    ],
)
def test_the_content_hash_changes_with_what_decides_a_score(path, counts, tmp_path):
    copy = shutil.copytree(
        Path(tool_sandbox.__file__).parent, tmp_path / "tool_sandbox", ignore=shutil.ignore_patterns("__pycache__")
    )
    with (copy / path).open("a") as file:
        file.write("\n# another line\n")
    done = subprocess.run(
        [sys.executable, "-c", "from tool_sandbox.scenarios import content_hash; print(content_hash())"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip() != content_hash()) == counts


def test_each_tool_is_offered_to_the_agent_only_if_it_is_the_agents(play):
    scenario = get_scenario("cellular_off_all_tools")
    tools = scenario.starting_context.get_available_tools(scrambling_allowed=True)
    offered = [name for name, tool in tools.items() if RoleType.AGENT in tool.visible_to]
    assert len(offered) == 33
    assert "end_conversation" not in offered
