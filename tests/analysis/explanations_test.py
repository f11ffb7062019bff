"""Why milestones are not met: the words name what is missing, for every kind of check."""

import datetime
import shutil

import jsonschema
import polars as pl
import pytest

from tests.records import edit_record
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.answers.facts import Number, Time
from tool_sandbox.conversation.check_words import check_in_words, value_in_words
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.helpers.json_forms import as_json
from tool_sandbox.play.identity import describe_evaluation
from tool_sandbox.proof.play import Playback, play
from tool_sandbox.runner.explanation import explain
from tool_sandbox.runner.rescore import rescore
from tool_sandbox.runner.run import play as play_run
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.matchers import HasRow, Near, OneOf, SameWords, Says
from tool_sandbox.scoring import (
    Evaluation,
    Milestone,
    MilestoneMatcher,
    SnapshotConstraint,
    addition_similarity,
    snapshot_similarity,
)
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.script import Call, Say

OFF = Call("set_wifi_status", {"on": False})


def reasons(name, *steps):
    """Number of each milestone that is not met to its reasons, the last one for what its checks do not say."""
    scenario = get_scenario(name, 0)
    context, score = play(scenario, Playback(steps))
    found = explain(scenario.evaluation, context, score)
    jsonschema.validate(describe_evaluation(scenario.evaluation) | {"explanations": found}, load_schema("evaluation"))
    return {
        int(number): [*(check["why"] for check in entry["checks"]), entry["why"]]
        for number, entry in found["milestones"].items()
    }


def test_what_is_met_needs_no_explanation():
    assert reasons("wifi_off", OFF, Say("Wifi is off now.")) == {}


def test_a_fact_that_was_not_said():
    found = reasons("get_wifi", Call("get_wifi_status", {}), Say("Okay."))
    assert found == {1: ["not said: wifi is on", None]}


def test_a_fact_of_which_the_opposite_was_said():
    found = reasons("get_wifi", Call("get_wifi_status", {}), Say("Wifi is off."))
    assert found[1][0] == "said otherwise: wifi is on"


def test_each_check_is_explained_where_the_rest_comes_closest():
    found = reasons("wifi_off", Say("Wifi is off now."))
    assert found[1] == [None, "the row in SETTING was left as it is: wifi = true instead of false", None]


def test_a_change_that_was_not_made():
    found = reasons("wifi_off", Say("Wifi is off now."))
    assert found[0] == ["the row in SETTING was left as it is: wifi = true instead of false", None]


def test_a_row_that_is_still_there_and_one_that_is_different():
    assert "still in CONTACT" in reasons("remove_contact_by_phone", Say("Done."))[0][0]
    wrong = Call("add_reminder", {"content": "Buy milk", "reminder_timestamp": 1747357200.0})
    found = reasons("add_reminder_content_and_date_and_time", wrong, Say("The reminder is set."))
    assert 'content = "Buy milk" instead of the words' in found[0][0]
    assert "no row was added to REMINDER" in reasons("add_reminder_content_and_date_and_time", Say("Done."))[0][0]


def test_a_call_that_was_never_made_failed_or_had_other_arguments():
    name = "convert_currency"
    never = reasons(name, Say("It is 1."))
    assert never[0][0] == "convert_currency was never called"
    other = Call("convert_currency", {"amount": 1, "from_currency_code": "EUR", "to_currency_code": "JPY"})
    assert "convert_currency was called with amount = 1 instead of" in reasons(name, other, Say("It is 1."))[0][0]
    broken = Call("convert_currency", {"amount": 1})
    assert reasons(name, broken, Say("It is 1."))[0][0].startswith("convert_currency failed: TypeError")


def test_a_milestone_that_counts_only_after_another():
    found = reasons("convert_currency", Say("It is 1."))
    assert found[1][-1] == "counts only after milestone 0, which is not fully met"
    assert found[1][0].startswith("no tool result gives")


def wants(namespace, measure, reference=None, **cells):
    target = pl.DataFrame([cells])
    return Milestone([SnapshotConstraint(namespace, measure, reference, target)])


def test_constraints_as_the_published_benchmark_writes_them():
    scenario = get_scenario("wifi_off", 0)
    milestones = [
        wants(DatabaseNamespace.SETTING, snapshot_similarity, wifi=False, cellular=False),
        wants(
            DatabaseNamespace.SANDBOX, snapshot_similarity, sender="AGENT", recipient="USER", content="Off it is now"
        ),
        wants(DatabaseNamespace.REMINDER, addition_similarity, 0, content="Buy milk"),
    ]
    evaluation = Evaluation(MilestoneMatcher(milestones, [(0, 1), (0, 2)]), profile=Profile.PUBLISHED)
    context, _ = play(scenario, Playback([OFF, Say("Wifi is off now.")]))
    score = evaluation.evaluate(context, 30)
    found = explain(evaluation, context, score)["milestones"]
    said = found["1"]["checks"][0]
    assert found["0"]["checks"][0]["why"] == "cellular = true instead of false"
    assert said["similarity"] == score.milestone_mapping[1][1]
    assert 0 < said["similarity"] < 1
    assert said["why"] == 'content = "Wifi is off now." instead of "Off it is now"'
    assert found["2"]["checks"][0]["why"] == "nothing changed in REMINDER"
    words = [check_in_words(node["checks"][0]) for node in describe_evaluation(evaluation)["milestones"]]
    assert words[0] == "SETTING looks like (wifi = false, cellular = false)"
    assert words[2] == 'REMINDER gains (content = "Buy milk")'


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Near(5.0, 1.0), "5 ± 1"),
        (SameWords("Buy milk", 3), 'the words "Buy milk"'),
        (OneOf(("CAD", "cad")), '"CAD" or "cad"'),
        (HasRow({"name": "Ann", "age": Near(3, 1)}), 'a row with name = "Ann", age = 3 ± 1'),
        (Says((Number(4.0, "gram"),), never="x"), "a text that says 4 gram, but not x"),
        (Says((Time(datetime.time(14, 0)),)), 'a text that says the time "14:00:00"'),
        ({"matcher": "Near"}, '(matcher = "Near")'),
        ({"matcher": ["Near"]}, "(matcher = [Near])"),
        ({"matcher": "Even", "from": 2}, '(matcher = "Even", from = 2)'),
        ("Near(value=5.0, tolerance=1.0)", '"Near(value=5.0, tolerance=1.0)"'),
        (None, "nothing"),
        (True, "true"),
        ([1, "a"], "[1, a]"),
    ],
)
def test_values_in_words(value, words):
    assert value_in_words(value) == words
    assert value_in_words(as_json(value)) == words


def test_every_check_of_the_suite_has_words():
    from tool_sandbox.scenarios import list_scenarios, named_scenarios

    base = [info.name for info in list_scenarios() if info.augmentation == "no_distraction_tools"]
    for scenario in named_scenarios(names=base[::5]).values():
        description = describe_evaluation(scenario.evaluation)
        for node in description["milestones"] + description["minefields"]:
            for check in node["checks"]:
                words = check_in_words(check)
                assert words
                assert "{'" not in words, words
                assert "=Near(" not in words, words


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    return play_run(prepare_run("Unhelpful", scenarios=["wifi_off"]), tmp_path_factory.mktemp("runs")).path


def test_a_run_keeps_its_explanations(failed):
    node = read_conversation(failed, "wifi_off").milestones[0]
    assert node.message_index is None
    assert [(check.similarity, check.why) for check in node.checks] == [
        (0.0, "the row in SETTING was left as it is: wifi = true instead of false")
    ]


def test_a_run_from_before_has_none(failed, tmp_path):
    copy = shutil.copytree(failed, tmp_path / "run")
    edit_record(copy / "trajectories/wifi_off", lambda described: described.pop("explanations") and None, "evaluation")
    first, second = read_conversation(copy, "wifi_off").milestones
    assert [(check.similarity, check.why) for check in first.checks] == [(0.0, None)]
    assert [(check.similarity, check.why) for check in second.checks] == [(None, None)] * 2


def test_scoring_again_explains_again(failed, tmp_path):
    rescore(failed, lambda episode: get_scenario(episode.scenario_name, episode.seed), None, target=tmp_path / "copy")
    assert read_conversation(tmp_path / "copy", "wifi_off").milestones[0].checks[0].why
