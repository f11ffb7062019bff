import subprocess
from pathlib import Path

import pytest

from tool_sandbox import cli
from tool_sandbox.cli import utils
from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.errors import ConfigurationError


def test_scenarios_are_resolved_by_exact_name() -> None:
    resolved = utils.resolve_scenarios(["wifi_off", "get_wifi", "wifi_off"], ToolBackend.DEFAULT)
    assert list(resolved) == ["wifi_off", "get_wifi"]
    assert utils.resolve_scenarios([], "DEFAULT") == {}


def test_unknown_scenarios_are_listed_in_order() -> None:
    with pytest.raises(KeyError, match=r"desired scenarios do not exist.*'a'.*'b'"):
        utils.resolve_scenarios(["b", "wifi_off", "a"], ToolBackend.DEFAULT)


def test_role_names_are_values() -> None:
    for role in utils.RoleImplType:
        assert role == role.name == str(role)
    assert utils.RoleImplType["GPT_4_o_2024_05_13"] == "GPT_4_o_2024_05_13"


def test_factories_make_roles() -> None:
    assert {"Oracle", "Unhelpful", "Cli"} <= set(utils.AGENT_TYPE_TO_FACTORY)
    assert {"Scripted", "Cli"} <= set(utils.USER_TYPE_TO_FACTORY)
    assert utils.RoleImplType.Unhelpful in utils.AGENT_TYPE_TO_FACTORY
    assert "Scripted" not in utils.AGENT_TYPE_TO_FACTORY
    make = utils.AGENT_TYPE_TO_FACTORY[utils.RoleImplType.Unhelpful]
    assert isinstance(make(), BaseRole)
    assert make() is not make()


def test_one_scenario_is_played_with_fresh_roles(tmp_path: Path) -> None:
    scenario = utils.resolve_scenarios(["wifi_off"], ToolBackend.DEFAULT)["wifi_off"]
    directory = tmp_path / "new" / "run"
    result = utils.run_scenario(
        ("wifi_off", scenario), agent_type="Oracle", user_type="Scripted", output_directory=directory
    )
    assert list(result)[:10] == [
        "name",
        "categories",
        "traceback",
        "exception_type",
        "milestone_similarity",
        "minefield_similarity",
        "similarity",
        "turn_count",
        "milestone_mapping",
        "minefield_mapping",
    ]
    assert result["similarity"] == 1.0
    assert (directory / "trajectories" / "wifi_off" / "conversation.json").exists()


def test_given_scenarios_are_played_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenarios = utils.resolve_scenarios(["wifi_off", "get_wifi"], ToolBackend.DEFAULT)
    path = cli.run_sandbox(
        agent_type=utils.RoleImplType.Oracle,
        user_type=cli.DEFAULT_USER_TYPE,
        name_to_scenario=scenarios,
        processes=2,
        output_base_dir=tmp_path,
    )
    assert (path / "result_summary.json").exists()
    assert str(path) in capsys.readouterr().out


def test_nothing_to_play_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no scenario is selected"):
        cli.run_sandbox(agent_type="Oracle", user_type="Scripted", name_to_scenario={}, output_base_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_summary_of_results_that_were_played_one_by_one(tmp_path: Path) -> None:
    scenario = utils.resolve_scenarios(["wifi_off"], ToolBackend.DEFAULT)["wifi_off"]
    result = utils.run_scenario(
        ("wifi_off", scenario), agent_type="Oracle", user_type="Scripted", output_directory=tmp_path
    )
    summary = cli.write_result_summary([result], tmp_path / "elsewhere")
    assert summary["per_scenario_results"] == [result]
    assert utils.get_category_summary([result])["ALL_CATEGORIES"] == {
        "similarity": [1.0],
        "turn_count": [result["turn_count"]],
    }


def test_counts_per_category_leave_scrambles_out_of_three_distractions() -> None:
    names = ["wifi_off", "wifi_off_3_distraction_tools", "wifi_off_3_distraction_tools_tool_name_scrambled"]
    counts = utils.get_category_to_scenario_count(utils.resolve_scenarios(names, ToolBackend.DEFAULT))
    assert counts["ALL_CATEGORIES"] == counts["SINGLE_TOOL_CALL"] == 3
    assert counts["THREE_DISTRACTION_TOOLS"] == counts["TOOL_NAME_SCRAMBLED"] == counts["NO_DISTRACTION_TOOLS"] == 1


def test_counts_per_necessary_tool_are_multiplied_by_the_ways_of_offering() -> None:
    names = ["wifi_off", "wifi_off_all_tools", "get_wifi"]
    counts = utils.get_necessary_tool_name_to_scenario_count(utils.resolve_scenarios(names, ToolBackend.DEFAULT))
    assert counts["set_wifi_status"] == counts["get_wifi_status"] == 2
    assert counts["unit_conversion"] == 0
    assert counts["end_conversation"] == 4


def test_test_scenarios_exist() -> None:
    assert list(utils.resolve_scenarios(utils.TEST_SCENARIO_NAMES, ToolBackend.DEFAULT)) == list(
        utils.TEST_SCENARIO_NAMES
    )


def test_commit_and_local_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)

    assert (cli.get_git_sha(), cli.has_local_changes()) == (None, False)
    git("init")
    (tmp_path / "file").write_text("a")
    git("add", "file")
    assert cli.get_git_sha() is None
    git("commit", "-m", "first")
    assert len(cli.get_git_sha() or "") == 40
    (tmp_path / "untracked").write_text("b")
    assert not cli.has_local_changes()
    (tmp_path / "file").write_text("b")
    assert cli.has_local_changes()
    monkeypatch.setenv("PATH", "")
    assert (cli.get_git_sha(), cli.has_local_changes()) == (None, False)
