"""Training data: each format is written and read back, and is what those who read it ask for."""

import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import attrs
import polars as pl
import pytest
import yaml

from tests.export.conftest import BESIDE, NAMES, Runs
from tool_sandbox.export import export_runs
from tool_sandbox.export.tabular import SCHEMA, conversations_table
from tool_sandbox.world.errors import ConfigurationError

COUNT = 2 * len(NAMES)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def openai_file(runs: Runs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("openai") / "train.jsonl"
    export_runs(runs.paths, "openai-jsonl", path)
    return path


class TestOpenAI:
    def test_lines_have_only_the_documented_keys(self, openai_file: Path) -> None:
        allowed = {
            "system": {"role", "content"},
            "user": {"role", "content"},
            "tool": {"role", "content", "tool_call_id"},
            "assistant": {"role", "content", "weight", "tool_calls"},
        }
        for line in lines(openai_file):
            assert set(line) == {"messages", "tools", "parallel_tool_calls"}
            assert line["messages"][-1]["role"] == "assistant"
            for message in line["messages"]:
                assert set(message) <= allowed[message["role"]]
                assert ("weight" in message) == (message["role"] == "assistant")
                assert message.get("content") or message.get("tool_calls")

    def test_every_call_is_answered_before_the_next_word(self, openai_file: Path) -> None:
        for line in lines(openai_file):
            messages = line["messages"]
            for place, message in enumerate(messages[:-1]):
                wanted = [call["id"] for call in message.get("tool_calls", ())]
                answers = messages[place + 1 : place + 1 + len(wanted)]
                assert [answer.get("tool_call_id") for answer in answers] == wanted

    def test_metadata_stands_beside_it_line_by_line(self, openai_file: Path) -> None:
        about = lines(openai_file.with_suffix(".metadata.jsonl"))
        for line, known in zip(lines(openai_file), about, strict=True):
            assert len(known["rewards"]) == len(line["messages"])
            weights = [message.get("weight", 0) for message in line["messages"]]
            assert [int(reward is not None) for reward in known["rewards"]] == weights
            assert sum(filter(None, known["rewards"])) == pytest.approx(known["score"], abs=1e-9)

    def test_a_stream_gets_the_lines_alone(self, runs: Runs, openai_file: Path) -> None:
        stream = io.BytesIO()
        assert export_runs(runs.paths, "openai-jsonl", stream).files == []
        assert stream.getvalue() == openai_file.read_bytes()


@pytest.fixture(scope="module")
def sharegpt_lines(runs: Runs, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("sharegpt") / "train.jsonl"
    assert export_runs(runs.paths, "sharegpt", path).notes == ()
    return lines(path)


class TestSharegpt:
    def test_sides_take_turns(self, sharegpt_lines: list[dict[str, Any]]) -> None:
        """What LLaMA-Factory asks for: after the system's, an even number, and each side in its place."""
        sides = (("human", "observation"), ("gpt", "function_call"))
        for line in sharegpt_lines:
            first, *turns = line["conversations"]
            assert first["from"] == "system"
            assert len(turns) % 2 == 0
            assert all(turn["from"] in sides[place % 2] for place, turn in enumerate(turns))

    def test_calls_are_json_and_parallel_ones_a_list(self, sharegpt_lines: list[dict[str, Any]]) -> None:
        several = 0
        for line in sharegpt_lines:
            names = {tool["name"] for tool in json.loads(line["tools"])}
            for turn, after in zip(line["conversations"], [*line["conversations"][1:], None], strict=True):
                if turn["from"] == "function_call":
                    value = json.loads(turn["value"])
                    calls = value if isinstance(value, list) else [value]
                    assert {call["name"] for call in calls} <= names
                    assert all(isinstance(call["arguments"], dict) for call in calls)
                    if len(calls) > 1:
                        several += 1
                        assert after is not None
                        assert len(json.loads(after["value"])) == len(calls)
        assert several

    def test_masks_and_rewards(self, sharegpt_lines: list[dict[str, Any]]) -> None:
        for line in sharegpt_lines:
            for turn in line["conversations"]:
                assert turn["train"] == (turn["from"] in ("gpt", "function_call")) == (turn["reward"] is not None)
            total = sum(turn["reward"] or 0 for turn in line["conversations"])
            assert total == pytest.approx(line["metadata"]["score"], abs=1e-9)

    def test_what_is_left_out_is_said(self, modeled: Runs, tmp_path: Path) -> None:
        (note,) = export_runs(modeled.paths, "sharegpt", tmp_path / "train.jsonl").notes
        assert "texts beside tool calls are left out" in note
        assert BESIDE not in (tmp_path / "train.jsonl").read_text("utf-8")


class TestTables:
    def test_parquet_has_the_documented_columns(self, runs: Runs, tmp_path: Path) -> None:
        export_runs(runs.paths, "parquet", tmp_path / "out.parquet")
        table = pl.read_parquet(tmp_path / "out.parquet")
        assert dict(table.schema) == dict(SCHEMA)
        sums = table.select(pl.col("rewards").list.sum(), "score")
        assert (sums["rewards"] - sums["score"]).abs().max() < 1e-9
        messages = table.explode("messages").unnest("messages", separator=".")
        assert set(messages.filter(pl.col("messages.weight") == 1)["messages.role"]) == {"assistant"}
        assert messages.filter(pl.col("messages.reward").is_not_null() != (pl.col("messages.weight") == 1)).is_empty()

    def test_card_describes_the_columns(self, runs: Runs, tmp_path: Path) -> None:
        export_runs(runs.paths, "hf", tmp_path / "set")
        card = (tmp_path / "set" / "README.md").read_text("utf-8")
        head = yaml.safe_load(card.split("---\n")[1])
        assert [feature["name"] for feature in head["dataset_info"]["features"]] == list(SCHEMA)
        (data,) = (tmp_path / "set").glob(head["configs"][0]["data_files"][0]["path"])
        assert pl.read_parquet(data).height == COUNT
        assert f"| `Oracle:error_rate=0.3` | `Scripted` | `{runs.trajectories[0].metadata['suite_version']}` |" in card

    @pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="needs the package datasets")
    def test_datasets_loads_it(self, runs: Runs, tmp_path: Path) -> None:
        import datasets

        export_runs(runs.paths, "hf", tmp_path / "set")
        loaded = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))["train"]
        assert loaded.num_rows == COUNT
        assert loaded.column_names == list(SCHEMA)

    def test_other_files_do_not_become_part_of_a_data_set(self, runs: Runs, tmp_path: Path) -> None:
        export_runs(runs.paths, "hf", tmp_path / "set")
        export_runs(runs.paths[:1], "hf", tmp_path / "set")
        (tmp_path / "set" / "data" / "train-1.parquet").write_bytes(b"")
        with pytest.raises(ConfigurationError, match=r"has other files, such as .*train-1.parquet"):
            export_runs(runs.paths, "hf", tmp_path / "set")

    def test_half_a_character_is_no_obstacle(self, runs: Runs) -> None:
        trajectory = runs.of("wifi_off")
        entries = [attrs.evolve(entry, message={**entry.message, "content": "\ud800"}) for entry in trajectory.entries]
        table = conversations_table([attrs.evolve(trajectory, entries=tuple(entries))])
        assert table["messages"][0][0]["content"] == "\\ud800"
