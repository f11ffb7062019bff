import datetime
import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from tests.records import plain_result, plain_run, result_in
from tool_sandbox.runner.frame import scenario_results_frame
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.store import RunDirectory, read_json
from tool_sandbox.runner.summary import by_category, summarise
from tool_sandbox.world.errors import ConfigurationError

START = datetime.datetime(2024, 5, 6, 7, 8, 9)


def result(name: str, similarity: float = 1.0, *categories: str, **changes: Any) -> dict[str, Any]:
    return plain_result(name, similarity, categories=list(categories), **changes)


def crash(name: str, *categories: str) -> dict[str, Any]:
    return result(
        name,
        0,
        *categories,
        traceback="Traceback (most recent call last):\nValueError: bad\n",
        exception_type="ValueError",
        turn_count=30,
        milestone_mapping={},
        outcome="model_error",
        fault="unknown",
        reason="bad",
    )


def excluded(name: str, *categories: str, **changes: Any) -> dict[str, Any]:
    lost = {"outcome": "infrastructure_error", "fault": "rate_limit", "evaluated": False}
    return crash(name, *categories) | lost | changes


USAGE: dict[str, Any] = {
    "model": "m",
    "calls": 2,
    "attempts": 3,
    "retries": 1,
    "input_tokens": 1000,
    "cached_tokens": 400,
    "cache_write_tokens": 100,
    "output_tokens": 50,
    "reasoning_tokens": 20,
    "paid_tokens": 1050,
    "latency_s": 1.5,
    "wait_s": 0.5,
    "cost_usd": 0.25,
    "paid_usd": 0.25,
    "faults": {"rate_limit": 1},
    "origins": {"network": 2},
    "stops": {"end": 1, "tool_use": 1},
    "served_models": {"m-2026-01-01": 2},
    "substituted": False,
}


def test_directory_says_who_and_when(tmp_path: Path) -> None:
    created = RunDirectory.create(tmp_path / "new" / "data", "Oracle", "Scripted", START)
    assert created.path == tmp_path / "new" / "data" / "agent_Oracle_user_Scripted_05_06_2024_07_08_09"
    assert created.path.is_dir()


def test_hostile_model_names_stay_inside(tmp_path: Path) -> None:
    path = RunDirectory.create(tmp_path, "../org/model:7b", "..", START).path
    assert path.parent == tmp_path
    assert path.name == "agent_org-model-7b_user_unnamed_05_06_2024_07_08_09"


def test_two_starts_in_one_second_do_not_share(tmp_path: Path) -> None:
    names = [RunDirectory.create(tmp_path, "A", "B", START).path.name for _ in range(3)]
    assert names[1:] == [f"{names[0]}_2", f"{names[0]}_3"]


def test_file_in_the_way_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    for base in (tmp_path / "data", tmp_path / "data" / "deeper"):
        with pytest.raises(ConfigurationError, match="cannot write results to") as caught:
            RunDirectory.create(base, "A", "B", START)
        assert "\n" not in str(caught.value)


def test_killed_run_is_summed_up_from_what_is_there(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, "Oracle", "Scripted", START)
    directory.write_run(plain_run("b", "a", "c"))
    directory.write_result("a", result("a"))
    directory.write_result("b", result("b", 0.5))
    summary = directory.rebuild_summary()
    assert [entry["name"] for entry in summary["per_scenario_results"]] == ["b", "a"]
    assert summary["run"]["complete"] is False
    assert (summary["run"]["played"], summary["run"]["planned"]) == (2, 3)
    assert read_json(directory.path / "result_summary.json") == summary


@pytest.mark.parametrize("content", ["", "{", "\ufffd"])
def test_damaged_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content, "utf-8")
    with pytest.raises(ConfigurationError, match="is not a JSON file"):
        RunDirectory(tmp_path).read_run()
    with pytest.raises(ConfigurationError, match="cannot read"):
        RunDirectory(tmp_path / "missing").read_run()


def test_files_follow_their_schemas(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, "Oracle", "Scripted", START)
    directory.write_run(plain_run("a", "b"))
    directory.write_result("a", result("a", 1.0, "SINGLE_TOOL_CALL"))
    directory.write_result("b", crash("b") | {"usage": {"agent": USAGE, "user": None, "judge": None}})
    directory.rebuild_summary()
    for name, path in {
        "run": directory.path / "run.json",
        "result_summary": directory.path / "result_summary.json",
    }.items():
        jsonschema.validate(json.loads(path.read_text("utf-8")), load_schema(name))
    jsonschema.validate(result_in(directory.trajectory("b")), load_schema("result"))
    assert pl.read_parquet(directory.path / "scenario_results_polars.parquet").equals(
        scenario_results_frame(directory.read_results())
    )


def test_published_summary_keys_come_first_and_mean_the_same() -> None:
    summary = summarise([result("a", 1.0, "X"), crash("b", "X")], {}, "abc")
    assert list(summary)[:3] == ["per_scenario_results", "category_aggregated_results", "git_sha"]
    assert summary["category_aggregated_results"] == {
        "X": {"similarity": 0.5, "turn_count": 17},
        "ALL_CATEGORIES": {"similarity": 0.5, "turn_count": 17},
    }
    assert summary["git_sha"] == "abc"


def test_crashes_are_told_from_failures() -> None:
    details = summarise([result("a", 0.5, "X"), crash("b", "X")], {}, None)["category_details"]["X"]
    assert details["similarity_without_exceptions"] == 0.5
    assert details["turn_count_without_exceptions"] == 4
    assert details["exceptions"] == 1
    assert details["outcomes"] == {"completed": 1, "model_error": 1}


def test_scrambled_variants_are_not_counted_under_three_distractions() -> None:
    scrambled = result("a", 1.0, "THREE_DISTRACTION_TOOLS", "ARG_TYPE_SCRAMBLED")
    plain = result("b", 1.0, "THREE_DISTRACTION_TOOLS")
    groups = by_category([scrambled, plain])
    assert {category: [entry["name"] for entry in group] for category, group in groups.items()} == {
        "ARG_TYPE_SCRAMBLED": ["a"],
        "THREE_DISTRACTION_TOOLS": ["b"],
        "ALL_CATEGORIES": ["a", "b"],
    }


def test_run_without_any_conversation_has_a_summary(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, "Oracle", "Scripted", START)
    summary = directory.write_summary([], plain_run("a"), None)
    jsonschema.validate(summary, load_schema("result_summary"))
    assert summary["category_details"]["ALL_CATEGORIES"]["success_rate"] is None
    assert pl.read_parquet(directory.path / "scenario_results_polars.parquet").is_empty()


def test_what_says_nothing_about_the_agent_counts_in_no_mean() -> None:
    lost = [excluded("c", "X"), excluded("d", "Y", outcome="user_error", fault=None)]
    summary = summarise([result("a", 1.0, "X"), crash("b", "X"), *lost], {}, None)
    assert summary["category_aggregated_results"] == {
        "X": {"similarity": 0.5, "turn_count": 17},
        "ALL_CATEGORIES": {"similarity": 0.5, "turn_count": 17},
    }
    details = summary["category_details"]
    assert {name: (entry["count"], entry["evaluated"]) for name, entry in details.items()} == {
        "X": (3, 2),
        "Y": (1, 0),
        "ALL_CATEGORIES": (4, 2),
    }
    assert details["X"]["success_rate"] == 0.5
    assert details["Y"]["success_rate"] is None
    assert details["ALL_CATEGORIES"]["outcomes"] == {
        "completed": 1,
        "infrastructure_error": 1,
        "model_error": 1,
        "user_error": 1,
    }


def test_results_of_other_programs_all_count() -> None:
    plain = [{key: value for key, value in entry.items() if key != "evaluated"} for entry in (result("a"), crash("b"))]
    means = summarise(plain, {}, None)["category_aggregated_results"]["ALL_CATEGORIES"]
    assert means["similarity"] == 0.5


def test_tokens_and_cost_are_summed_up() -> None:
    agent = {"usage": {"agent": USAGE, "user": None, "judge": None}}
    both = {"usage": {"agent": USAGE, "user": USAGE | {"cost_usd": None, "paid_usd": None, "substituted": True}}}
    summary = summarise([result("a", 1.0, "X") | agent, result("b", 1.0, "Y") | both, result("c")], {}, None)
    usage = summary["usage"]["agent"]
    assert (usage["calls"], usage["retries"], usage["input_tokens"], usage["cost_usd"]) == (4, 2, 2000, 0.5)
    assert (usage["faults"], usage["substituted"]) == ({"rate_limit": 2}, False)
    assert (summary["usage"]["user"]["cost_usd"], summary["usage"]["user"]["substituted"]) == (None, True)
    costs = {name: entry["usage"] and entry["usage"]["cost_usd"] for name, entry in summary["category_details"].items()}
    assert costs == {"X": 0.25, "Y": None, "ALL_CATEGORIES": None}


def test_scores_can_be_read_without_the_users_that_went_wrong() -> None:
    finding = {"kind": "invented_fact", "message_index": 5, "text": "Call Bob", "detail": "Bob"}
    audited = [
        result("a", 1.0, user_findings=[]),
        result("b", 0.0, user_findings=[finding, finding | {"kind": "repetition"}]),
        result("c", 0.25),
    ]
    assert summarise(audited, {}, None)["user_fidelity"] == {
        "audited": 2,
        "affected": 1,
        "findings": {"invented_fact": 1, "repetition": 1},
        "similarity": 0.5,
        "similarity_unaffected": 1.0,
        "success_rate": 0.5,
        "success_rate_unaffected": 1.0,
    }
    assert summarise([result("c")], {}, None)["user_fidelity"] is None


def test_first_divergence_of_a_replay_is_in_the_summary() -> None:
    where = {"party": "agent", "call": 1, "path": "messages[3].content", "stored": "a", "now": "b"}
    same = {"calls": 2, "unused": 0, "divergences": []}
    replayed = [result("a", replay=same), result("b", replay={**same, "unused": 1, "divergences": [where]})]
    summary = summarise(replayed, plain_run("a", "b"), None)
    jsonschema.validate(summary, load_schema("result_summary"))
    assert summary["replay"] == {"identical": 1, "diverged": 1, "unused": 1, "first": {"directory": "b", **where}}
