"""Runs as frames: columns that do not depend on the data, keys that join, the same facts as in the views."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from tests.analysis.analysis_test import PUBLISHED_RESULT
from tool_sandbox.analysis import load_run, load_runs
from tool_sandbox.analysis.frames import SCHEMAS, conversations_frame, floors_frame, view_frames
from tool_sandbox.analysis.means import means
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.run import play, prepare_run

NAMES = ["wifi_off", "remove_contact_by_phone", "wifi_off_3_distraction_tools_tool_name_scrambled"]


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    return play(prepare_run("Oracle:error_rate=0.5", scenarios=NAMES, trials=2), tmp_path_factory.mktemp("runs")).path


def test_schemas_do_not_depend_on_the_data(path):
    run = load_run(path)
    empty = {
        "conversations": conversations_frame("x", []),
        "floors": floors_frame("x", None),
        **view_frames("x", []),
    }
    for name, schema in SCHEMAS.items():
        assert getattr(run, name).schema == empty[name].schema == pl.Schema(schema)
        assert len(empty[name]) == 0
        assert list(schema)[:2] == ["run", "name" if name == "floors" else "directory"]


def test_keys_join(path):
    run = load_run(path)
    assert run.conversations.select("run", "directory").is_unique().all()
    assert run.messages.select("run", "directory", "message_index").is_unique().all()
    for name in ("messages", "tool_calls", "milestones", "world_changes"):
        frame = getattr(run, name)
        assert frame.join(run.conversations, on=["run", "directory"], how="anti").is_empty()
    for name in ("tool_calls", "world_changes"):
        frame = getattr(run, name)
        assert frame.join(run.messages, on=["run", "directory", "message_index"], how="anti").is_empty()


def test_frames_say_what_the_results_say(path):
    run = load_run(path)
    rows = {row["directory"]: row for row in run.conversations.to_dicts()}
    for result in run.results:
        row = rows[result["directory"]]
        for key in ("name", "seed", "trial", "similarity", "success", "outcome", "family", "tool_calls"):
            assert row[key] == result[key]
        assert row["side_effects"] == len(result["side_effects"])
        calls = run.tool_calls.filter(pl.col("directory") == result["directory"], pl.col("caller") == "AGENT")
        assert len(calls.filter(pl.col("answer_index").is_not_null())) == result["tool_calls"]
        assert calls["error"].is_not_null().sum() == result["tool_errors"]
        nodes = run.milestones.filter(pl.col("directory") == result["directory"])
        assert nodes["similarity"].to_list() == [match[1] for match in result["milestone_mapping"].values()]


def test_cells_with_structure_are_json(path):
    run = load_run(path)
    changes = run.world_changes
    assert len(changes) > 0
    for row in changes.to_dicts():
        before, after = (json.loads(row[name]) if row[name] else None for name in ("before", "after"))
        assert (before is None) == (row["kind"] == "added")
        assert (after is None) == (row["kind"] == "removed")
        assert all(before[name] != after[name] for name in row["columns"])
    assert all(isinstance(json.loads(text), dict) for text in run.tool_calls["arguments"])


def test_what_is_missing_is_explained(path):
    missed = load_run(path).milestones.filter(pl.col("similarity") < 1)
    assert len(missed) > 0
    assert missed["why"].is_not_null().all()


def test_frames_are_read_once(path):
    run = load_run(path)
    assert run.messages is run.messages
    assert run.conversations is run.conversations


def test_several_runs_in_one_frame(path):
    runs = load_runs({"a": path, "b": path})
    floors_of(path)
    assert len(runs) == 2
    for name in SCHEMAS:
        frame = getattr(runs, name)
        assert frame["run"].unique().sort().to_list() == ["a", "b"]
        assert len(frame) == 2 * len(getattr(load_run(path), name))


def test_foreign_results_give_a_frame_too():
    row = conversations_frame("x", [PUBLISHED_RESULT | {"name": "wifi_off_all_tools"}]).row(0, named=True)
    assert (row["base_name"], row["family"], row["augmentation"]) == ("wifi_off", "wifi_off", "all_tools")
    assert (row["similarity"], row["seed"], row["agent_model"]) == (1.0, None, None)


def test_means_come_with_intervals_that_respect_families(path):
    conversations = load_run(path).conversations
    (row,) = means(conversations).to_dicts()
    assert row["estimate"] == pytest.approx(conversations["similarity"].mean())
    assert 0 <= row["low"] <= row["estimate"] <= row["high"] <= 1
    assert (row["n"], row["clusters"]) == (len(conversations), conversations["family"].n_unique())
    by_name = means(conversations, "name", of="success")
    assert by_name["name"].to_list() == sorted(NAMES)
    assert means(conversations.clear(), "name").schema == by_name.schema


def test_means_leave_out_what_says_nothing(path):
    conversations = load_run(path).conversations
    excluded = conversations.with_columns(evaluated=pl.lit(False))
    assert len(means(excluded, "run")) == 0
    assert means(conversations, of="agent_cost_usd").is_empty()


def test_the_floor_is_that_of_the_run(path):
    floors_of(path)
    floors = load_run(path).floors
    assert sorted(floors["name"].unique()) == sorted(NAMES)
    assert floors["agent"].unique().sort().to_list() == ["refusing", "request_blind"]


def test_the_documentation_lists_every_column():
    page = (Path(__file__).parents[2] / "docs/analyse-in-python.md").read_text("utf-8")
    for name, schema in SCHEMAS.items():
        section = page.partition(f"### `{name}`")[2].partition("###")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(schema)
