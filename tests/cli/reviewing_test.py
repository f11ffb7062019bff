"""``tool_sandbox review``: a person decides what is unclear, and scores go by it."""

import io
import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from tests.records import OPEN_WORDS as WORDS
from tests.records import open_conversation, result_in
from tests.shell import Printed
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import load_schema

NAME = "search_phone_number_with_name"


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Path:
    """A run with a conversation whose answer is in German."""
    base = tmp_path_factory.mktemp("runs")
    return open_conversation(play(prepare_run(scenarios=[NAME, "wifi_off"]), base).path, NAME, base / "open")


@pytest.fixture
def run(opened, tmp_path) -> Path:
    return Path(shutil.copytree(opened, tmp_path / "run"))


def result_of(run: Path, name: str = NAME) -> dict:
    return result_in(run / "trajectories" / name)


@pytest.fixture
def review(run, monkeypatch, shell):
    """Reviews the run as a person who types some lines."""

    def typed(*lines: str, code: int = 0) -> Printed:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return shell("review", run, code=code)

    return typed


def test_an_unclear_answer_counts_as_none_and_leaves_the_score_open(run, shell):
    result = result_of(run)
    assert (result["score_interval"], result["success"]) == ([result["similarity"], 1.0], False)
    assert result["similarity"] < 1
    (doubt,) = result["unclear"]
    assert (doubt["is_stated"], doubt["sentence"]) == (None, WORDS.lower())
    assert "Phone" in doubt["fact"]
    assert (result_of(run, "wifi_off")["score_interval"], result_of(run, "wifi_off")["unclear"]) == (None, [])
    jsonschema.validate(result, load_schema("result"))
    jsonschema.validate(json.loads((run / "result_summary.json").read_text()), load_schema("result_summary"))
    assert "OPEN: 1 conversation " in shell("metrics", run).out
    assert "what is unclear: score" in shell("show", run, NAME).out


@pytest.mark.parametrize(("answer", "success"), [("s", True), ("n", False)])
def test_a_decision_closes_the_score_and_is_kept(run, tmp_path, review, shell, answer, success):
    before = result_of(run)
    told = review("Eve", "what?", answer).out
    assert f"message {before['unclear'][0]['message']}: {WORDS.lower()}" in told
    assert before["unclear"][0]["fact"] in told
    assert "1 reading decided, 0 conversations still open" in told
    result = result_of(run)
    assert (result["success"], result["score_interval"]) == (success, None)
    assert result["similarity"] == (1.0 if success else before["similarity"])
    assert [doubt["is_stated"] for doubt in result["unclear"]] == [success]
    summary = json.loads((run / "result_summary.json").read_text())
    assert next(each for each in summary["per_scenario_results"] if each["name"] == NAME) == result
    (decision,) = json.loads((run / "review.json").read_text())["decisions"]
    assert (decision["by"], decision["directory"], decision["is_stated"]) == ("Eve", NAME, success)
    assert main(["rescore", str(run), "--to", str(tmp_path / "again")]) == 0
    assert result_of(tmp_path / "again") == result
    assert "OPEN" not in shell("metrics", run).out


@pytest.mark.parametrize("lines", [("Eve", ""), ("Eve", "q"), ("Eve",)])
def test_who_skips_decides_nothing(run, review, lines):
    before = result_of(run)
    assert "0 readings decided, 1 conversation still open" in review(*lines).out
    assert result_of(run) == before
    assert not (run / "review.json").exists()


def test_a_decision_is_about_the_words_that_were_seen(run, review, tmp_path):
    review("Eve", "s")
    path = run / "review.json"
    path.write_text(path.read_text().replace("kontakten", "freunden"))
    main(["rescore", str(run), "--to", str(tmp_path / "again")])
    assert result_of(tmp_path / "again")["score_interval"] is not None


def test_mistakes_are_one_line(run, review):
    assert "a decision needs a name" in review("", code=2).err
    (run / "review.json").write_text('{"format": 1, "decisions": [{"directory": "x"}]}')
    error = review("Eve", code=2).err
    assert "review.json is damaged" in error
    assert error.count("\n") == 1
    described = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(described | {"suite": {"version": "0", "content_hash": "0" * 12}}))
    assert "scored by another version of its suite" in review("Eve", code=2).err


def test_nothing_open_is_said(review):
    review("Eve", "n")
    assert review().out == "no conversation is open\n"
