"""Stored runs are scored again: unchanged suites give the same files, changed ones say what moved and why."""

import json
import shutil
from pathlib import Path

import attrs
import jsonschema
import pytest

from tests.records import edit_record, end_with, part_in, records_below, result_in
from tool_sandbox.answers.facts import AnswerSimilarity, Phone
from tool_sandbox.cli import main
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.runner.rescore import rescore
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.scenarios import SUITE_VERSION, content_hash, get_scenario
from tool_sandbox.scenarios.scoring_changes import SCORING_CHANGES, ScoringChange, changes_since
from tool_sandbox.scoring import Evaluation, Milestone, MilestoneMatcher, SnapshotConstraint
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile

NAMES = ["wifi_off", "search_phone_number_with_name", "remove_contact_by_phone_all_tools"]
SUITE = {"version": SUITE_VERSION, "content_hash": content_hash()}


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    return play(prepare_run(scenarios=NAMES, seeds=[0, 3]), tmp_path_factory.mktemp("runs")).path


@pytest.fixture
def run(played, tmp_path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def scenario(episode):
    return get_scenario(episode.scenario_name, episode.seed)


def edit(directory: Path, **changes) -> None:
    edit_record(directory, lambda result: result | changes)


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*.*") if file.is_file()}


def test_every_result_says_which_suite_and_which_scenario_it_is_of(played):
    for path in records_below(played):
        result = result_in(path.parent)
        assert result["suite"] == SUITE
        jsonschema.validate(result, load_schema("result"))
        description = part_in(path.parent, "evaluation")
        jsonschema.validate(description, load_schema("evaluation"))
        assert sum(node["weight"] for node in description["milestones"]) == pytest.approx(1)


def test_fingerprints_tell_seeds_and_tools_apart(played):
    hashes = {path.parent.name: result_in(path.parent)["scenario_hash"] for path in records_below(played)}
    assert len({value["start"] for value in hashes.values()}) == 6
    plain, other_seed = hashes["wifi_off"], hashes["wifi_off__seed_3"]
    assert plain["start"] != other_seed["start"]
    assert plain["evaluation"] == other_seed["evaluation"]
    numbers = hashes["search_phone_number_with_name"], hashes["search_phone_number_with_name__seed_3"]
    assert numbers[0]["evaluation"] != numbers[1]["evaluation"]


def test_the_same_suite_gives_the_same_run(run, tmp_path, capsys):
    before = files(run)
    assert main(["rescore", str(run), "--to", str(tmp_path / "again")]) == 0
    assert files(run) == before
    assert files(tmp_path / "again") == before
    assert "6 scored again, 0 moved, 0 without a new score" in capsys.readouterr().out


def test_a_score_that_was_tampered_with_is_found(run, capsys):
    edit(run / "trajectories" / "wifi_off", similarity=0.5, success=False)
    assert main(["rescore", str(run)]) == 1
    out = capsys.readouterr().out
    assert "1 moved" in out
    assert "the stored score or file was altered" in out


def other_number(episode):
    """The scenario, but its answer is another number."""
    built = scenario(episode)
    fact = AnswerSimilarity(Phone("+14155550100"))
    milestone = Milestone([SnapshotConstraint(DatabaseNamespace.SANDBOX, fact)], guardrail_database_list=[])
    evaluation = Evaluation(MilestoneMatcher([milestone], []), MilestoneMatcher([], []), built.evaluation.profile, [])
    return attrs.evolve(built, evaluation=evaluation) if "phone_number" in episode.scenario_name else built


def test_other_milestones_are_named(run):
    rescored = {entry.before["directory"]: entry for entry in rescore(run, other_number, {**SUITE, "version": "9"})}
    moved = rescored["search_phone_number_with_name"]
    assert (moved.before["similarity"], moved.after["similarity"]) == (1, 0)
    assert "+14155550100" in moved.reasons[0]
    assert moved.reasons[0].startswith("milestone 0 was ")
    assert not moved.is_suspicious
    assert not rescored["wifi_off"].has_moved
    assert rescored["wifi_off"].reasons == ()


def test_another_start_is_named(run):
    path = run / "trajectories" / "wifi_off"
    hashes = result_in(path)["scenario_hash"]
    edit(path, similarity=0.0, success=False, scenario_hash={**hashes, "start": "0" * 16})
    (moved,) = [entry for entry in rescore(run, scenario, SUITE) if entry.has_moved]
    (reason,) = moved.reasons
    assert "initial state" in reason


def test_what_cannot_be_scored_is_said(run, capsys):
    (run / "trajectories" / "wifi_off" / "execution_context.json").write_text("{}")
    edit(run / "trajectories" / "wifi_off__seed_3", name="wifi_of")
    edit(run / "trajectories" / "search_phone_number_with_name", traceback="...", exception_type="Boom")
    report = run.parent / "report.json"
    assert main(["rescore", str(run), "--json", str(report)]) == 1
    found = {entry["directory"]: entry["reasons"][0] for entry in json.loads(report.read_text())["not_scored"]}
    assert set(found) == {"wifi_off", "wifi_off__seed_3", "search_phone_number_with_name"}
    assert "Did you mean: wifi_off" in found["wifi_off__seed_3"]
    assert "Boom" in found["search_phone_number_with_name"]
    assert "3 without a new score" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not the directory of a run: there is no such directory"),
        (["{run}", "--to", "{run}"], "exists already"),
        (["{run}", "--json", "{run}/missing/report.json"], "cannot write"),
        (["{run}", "--profile", "lenient"], "invalid choice: 'lenient'"),
        ([], "the following arguments are required: RUN"),
    ],
)
def test_mistakes_get_one_line(run, arguments, message, capsys):
    assert main(["rescore", *(argument.format(run=run) for argument in arguments)]) == 2
    error = capsys.readouterr().err.splitlines()
    assert message in error[-1]
    assert "Traceback" not in "".join(error)


def test_a_run_without_a_suite_is_refused(tmp_path):
    given = prepare_run(scenarios={"wifi_off": get_scenario("wifi_off")})
    path = play(given, tmp_path).path
    assert main(["rescore", str(path)]) == 2
    with pytest.raises(ConfigurationError, match="cannot read"):
        rescore(tmp_path / "nothing", scenario, SUITE)


def test_changes_between_versions():
    changes = [ScoringChange("1.0.0", ("*",), "a"), ScoringChange("1.10.0", ("wifi*",), "b")]
    assert [change.what for change in changes_since("1.9.0", changes)] == ["b"]
    assert changes_since("1.10.0", changes) == []
    assert changes_since(None, changes) == changes
    assert changes[1].concerns("wifi_off")
    assert not changes[1].concerns("get_wifi")


def test_the_changelog_tells_every_scoring_change():
    changelog = " ".join((Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8").split())
    assert [change.what for change in SCORING_CHANGES if change.what not in changelog] == []
    assert max(SCORING_CHANGES, key=lambda change: tuple(map(int, change.version.split(".")))).version == SUITE_VERSION


@pytest.mark.parametrize(
    ("words", "contradicted", "score"),
    [
        ("Wi-Fi is off, since 8:17 PM.", False, 1.0),
        ("Wi-Fi is off. Cellular service is off, too.", True, 0.5),
    ],
)
def test_what_the_user_is_told_is_held_against_what_was_shown(run, tmp_path, capsys, words, contradicted, score):
    end_with(run / "trajectories" / "wifi_off", words)
    edit(run / "trajectories" / "wifi_off", similarity=score)
    main(["rescore", str(run), "--to", str(tmp_path / "again")])
    result = result_in(tmp_path / "again" / "trajectories" / "wifi_off")
    (finding,) = result["unsupported"]
    assert (finding["world"] is not None, result["similarity"]) == (contradicted, score)
    jsonschema.validate(result, load_schema("result"))
    capsys.readouterr()
    assert main(["show", str(tmp_path / "again"), "wifi_off", "--seed", "0"]) == 0
    told = capsys.readouterr().out
    assert f"message {finding['message']}: {finding['kind'].lower()}: {finding['said']}" in told
    assert ("the world says" in told) == contradicted
    summary = json.loads((tmp_path / "again" / "result_summary.json").read_text())
    jsonschema.validate(summary, load_schema("result_summary"))


def test_a_run_from_before_statements_were_checked_is_scored_again(run, capsys):
    newer = ("unsupported", "unclear", "score_interval")
    directory = run / "trajectories" / "wifi_off"
    assert result_in(directory).keys() >= {*newer}
    edit_record(directory, lambda result: {key: value for key, value in result.items() if key not in newer})
    (entry,) = [entry for entry in rescore(run, scenario, SUITE) if entry.before["directory"] == "wifi_off"]
    assert ("unsupported" in entry.before, entry.after["unsupported"]) == (False, [])


def test_the_published_rules_say_nothing_of_statements(tmp_path):
    (result,) = play(prepare_run(scenarios=["wifi_off"], profile=Profile.PUBLISHED), tmp_path).results
    assert result.keys().isdisjoint(("unsupported", "unclear", "score_interval"))
