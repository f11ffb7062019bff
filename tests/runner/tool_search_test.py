"""Runs with tool search: the reference scores 1.0, the choice is recorded and repeated, costs are told."""

import contextvars
import json
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.shell import Shell
from tests.stubs.playing import play
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.runner.source import with_tool_search
from tool_sandbox.scenarios import get_scenario, list_scenarios
from tool_sandbox.scenarios.build import MAX_TURNS
from tool_sandbox.world.errors import ConfigurationError

NAMES = [info.name for info in list_scenarios(opt_in=True)]


def result_of(run: ts.Run) -> dict[str, Any]:
    (result,) = json.loads((run.path / "result_summary.json").read_text("utf-8"))["per_scenario_results"]
    return dict(result)


def assert_solved(name: str) -> None:
    scenario = with_tool_search(get_scenario(name))
    played = contextvars.copy_context().run(play, OracleAgent(), scenario)
    assert scenario.evaluate(played.context).similarity == 1, name
    turns = [row["sender"] for row in played.rows if row["sender"] == "AGENT"]
    assert len(turns) <= MAX_TURNS["core"], name


@pytest.mark.parametrize(
    "name",
    [
        "wifi_off_all_tools",
        "modify_contact_with_message_recency_3_distraction_tools_tool_name_scrambled",
        "modify_contact_with_message_recency_all_tools_combined_scrambled",
        "send_message_with_contact_content_cellular_off_multiple_user_turn_3_distraction_tools_arg_name_scrambled",
        "find_stock_symbol_with_company_name_flaky_service",
    ],
)
def test_the_reference_searches_and_scores_1(name: str) -> None:
    assert_solved(name)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_the_reference_scores_1_all_over_the_suite(start: int) -> None:
    for name in NAMES[start * 13 :: 53]:
        assert_solved(name)


def test_a_run_records_it_and_a_replay_repeats_it(tmp_path: Path) -> None:
    run = ts.run("Oracle", scenarios="wifi_off_all_tools", tools="search", output_dir=tmp_path, progress=False)
    assert json.loads((run.path / "run.json").read_text("utf-8"))["tools"] == "search"
    result = result_of(run)
    assert result["similarity"] == 1
    assert result["offered"]["tools"] == 2
    assert 100 < result["offered"]["tokens"] < 1000
    again = ts.run(f"replay:{run.path}", output_dir=tmp_path / "again", progress=False)
    assert json.loads((again.path / "run.json").read_text("utf-8"))["tools"] == "search"
    assert result_of(again)["offered"] == result["offered"]
    whole = ts.run("Oracle", scenarios="wifi_off_all_tools", output_dir=tmp_path, progress=False)
    assert result_of(whole)["offered"]["tools"] > 30
    assert result_of(whole)["scenario_hash"] == result["scenario_hash"]


def test_dry_run_tells_what_the_tools_cost(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell(capsys)
    flags = ["--agent", "anthropic/claude-haiku-5-5", "-s", "wifi_off_all_tools", "--dry-run"]
    assert "offered tools: 33 in the mean, at most 33; about 5," in shell(*flags).out
    assert "offered tools: 2 in the mean, at most 2; about " in shell(*flags, "--tools", "search").out


def test_agents_whose_tools_are_fixed_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho codex-cli 0.150.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("CODEX_API_KEY", "sk-test-0123456789abcdef")
    with pytest.raises(ConfigurationError, match="cannot play with tools search: it lists the tools once"):
        prepare_run(f"codex:binary={program}", scenarios=["wifi_off"], tools="search")
