import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tool_sandbox.analysis.analysis import extract_aggregated_stats, extract_meta_stats, extract_scenario_results
from tool_sandbox.analysis.data_loading import (
    get_scenario_artifacts_path,
    get_scenario_pretty_print_path,
    load_result_summary,
    load_run,
)
from tool_sandbox.world.errors import ConfigurationError

PUBLISHED_RESULT = {
    "name": "wifi_off",
    "categories": ["SINGLE_TOOL_CALL", "SINGLE_USER_TURN"],
    "traceback": None,
    "exception_type": None,
    "milestone_similarity": 1,
    "minefield_similarity": 0,
    "similarity": 1,
    "turn_count": 3,
    "milestone_mapping": {"0": [17, 1], "2": [18, 0.5]},
    "minefield_mapping": {},
}
PUBLISHED_COLUMNS = [*list(PUBLISHED_RESULT)[:-2], "milestone_mapping", "minefield_mapping"]
EMPTY: dict[str, Any] = {"per_scenario_results": [], "category_aggregated_results": {}, "git_sha": None}
SUMMARY: dict[str, Any] = {
    "per_scenario_results": [
        PUBLISHED_RESULT,
        PUBLISHED_RESULT | {"traceback": "...", "exception_type": "ValueError", "turn_count": 30, "similarity": 0},
    ],
    "category_aggregated_results": {"B": {"similarity": 0.5, "turn_count": 2}, "A": {"similarity": 1, "turn_count": 3}},
    "git_sha": None,
}


def test_published_results_give_the_published_columns() -> None:
    frame = extract_scenario_results(SUMMARY)
    assert frame.columns == PUBLISHED_COLUMNS
    assert frame["milestone_mapping"].to_list()[0] == {"0": [17.0, 1.0], "2": [18.0, 0.5]}
    assert frame["categories"].to_list()[0] == ["SINGLE_TOOL_CALL", "SINGLE_USER_TURN"]


def test_dtypes_do_not_depend_on_the_data() -> None:
    some, none = extract_scenario_results(SUMMARY), extract_scenario_results(EMPTY)
    assert len(none) == 0
    for column in PUBLISHED_COLUMNS:
        if column != "milestone_mapping":
            assert some.schema[column] == none.schema[column]
    assert none.schema["similarity"] == pl.Float64
    assert none.schema["traceback"] == pl.String
    assert none.schema["minefield_mapping"] == pl.Struct({"0": pl.List(pl.Float64)})


def test_own_results_add_columns_behind_the_published_ones() -> None:
    added = {"outcome": "completed", "seed": 3, "side_effects": [{"description": "wifi changed"}], "success": True}
    frame = extract_scenario_results({**EMPTY, "per_scenario_results": [PUBLISHED_RESULT | added]})
    assert frame.columns[: len(PUBLISHED_COLUMNS)] == PUBLISHED_COLUMNS
    assert frame.columns == extract_scenario_results(EMPTY).columns
    row = frame.row(0, named=True)
    assert (row["outcome"], row["seed"], row["side_effects"], row["fault"]) == ("completed", 3, ["wifi changed"], None)


def test_meta_stats() -> None:
    assert extract_meta_stats(extract_scenario_results(SUMMARY)).rows(named=True) == [
        {
            "num_scenarios": 2,
            "num_exceptions": 1,
            "total_num_turn_counts": 33,
            "normalized_total_num_turn_counts": 16.5,
        }
    ]


def test_meta_stats_of_an_empty_run() -> None:
    some = extract_meta_stats(extract_scenario_results(SUMMARY))
    none = extract_meta_stats(extract_scenario_results(EMPTY))
    assert none.rows() == [(0, 0, 0, None)]
    assert none.schema == some.schema


def test_aggregated_stats_keep_the_order_of_the_file() -> None:
    frame = extract_aggregated_stats(SUMMARY)
    assert frame.rows() == [("B", 0.5, 2.0), ("A", 1.0, 3.0)]
    assert extract_aggregated_stats(EMPTY).schema == frame.schema


def test_paths_of_a_scenario(tmp_path: Path) -> None:
    summary = tmp_path / "result_summary.json"
    artifacts = tmp_path / "trajectories" / "wifi_off"
    assert get_scenario_artifacts_path(summary, scenario_name="wifi_off") == artifacts
    assert get_scenario_pretty_print_path(summary, scenario_name="wifi_off") == artifacts / "pretty_print.txt"
    with pytest.raises(AssertionError):
        get_scenario_artifacts_path(tmp_path, scenario_name="wifi_off")


def test_summary_is_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "result_summary.json"
    path.write_bytes(json.dumps({**EMPTY, "git_sha": "ü"}, ensure_ascii=False).encode())
    assert load_result_summary(path)["git_sha"] == "ü"
    assert load_run(path).results == load_run(tmp_path).results == []


def test_missing_run_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot read .*run\.json"):
        load_run(tmp_path)
