"""One conversation as a view: every message, call, change and match, from the stored files alone."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.retelling import forget_states, retell
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tests.records import make_older
from tool_sandbox.analysis.frames import view_frames
from tool_sandbox.analysis.model_turns import model_calls_by_message
from tool_sandbox.analysis.tool_use import read_call
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.analysis.world_changes import WorldChange, compare, world_changes
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.errors import ConfigurationError

SCRAMBLED = "wifi_off_3_distraction_tools_tool_name_scrambled"
REMOVED = "remove_contact_by_phone"
NAMES = [SCRAMBLED, REMOVED, "add_reminder_content_and_date_and_time", "modify_reminder_with_recency_latest"]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    return play(prepare_run(scenarios=NAMES), tmp_path_factory.mktemp("runs")).path


@pytest.fixture
def run(played, tmp_path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def edit(run: Path, name: str, file: str, change) -> None:
    path = run / "trajectories" / name / file
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def call_row(content: str, **more: Any) -> dict[str, Any]:
    return {"content": content, "openai_function_name": None, "openai_tool_call_id": None, **more}


def test_a_view_has_the_agreed_shape(played):
    for name in NAMES:
        view = read_conversation(played, name).as_dict()
        assert json.loads(json.dumps(view, allow_nan=False)) == view
        assert set(view) == {
            *("result", "goal", "tools", "messages", "milestones", "minefields", "opening", "clock", "side_effects")
        }
        assert [message["index"] for message in view["messages"]] == list(range(len(view["messages"])))


def test_names_are_scrambled_for_the_agent_alone(played):
    view = read_conversation(played, SCRAMBLED)
    call = next(message.call for message in view.messages if message.sender == "AGENT" and message.call)
    assert call.tool == "set_wifi_status"
    assert call.name != call.tool
    assert call.name in view.tools
    assert "end_conversation" not in view.tools
    assert call.arguments == {"on": False}


def test_answers_belong_to_calls(played):
    for name in NAMES:
        messages = {message.index: message for message in read_conversation(played, name).messages}
        answers = [message for message in messages.values() if message.answer]
        assert answers
        for message in answers:
            call = messages[message.answer.call_index]
            assert (call.sender, call.recipient) == (message.recipient, message.sender)
            assert call.call.id == message.answer.id
            assert call.call.tool == message.answer.tool


def test_changes_lead_from_the_first_state_to_the_last(played):
    for name in NAMES:
        stored = json.loads((played / "trajectories" / name / "execution_context.json").read_text())
        context = ExecutionContext.from_dict(stored)
        for namespace in set(DatabaseNamespace) - {DatabaseNamespace.SANDBOX}:
            history = context.get_history(namespace)
            rows = {next(iter(row.values())): row for row in history[0][1].dicts()} if history else {}
            for message in read_conversation(played, name).messages:
                for change in message.changes:
                    if change.database == namespace:
                        assert rows.pop(change.key, None) == change.before
                        if change.after is not None:
                            rows[change.key] = change.after
            assert sorted(map(str, rows.values())) == sorted(map(str, history[-1][1].dicts() if history else []))


def test_an_update_says_which_columns_changed(played):
    view = read_conversation(played, "modify_reminder_with_recency_latest")
    (change,) = (change for message in view.messages for change in message.changes)
    assert (change.database, change.kind) == ("REMINDER", "updated")
    assert "reminder_timestamp" in change.columns
    assert "content" not in change.columns


def test_milestones_are_where_the_result_says(played):
    for name in NAMES:
        view = read_conversation(played, name)
        assert [node.message_index for node in view.milestones] == [
            index for index, _ in view.result["milestone_mapping"].values()
        ]
        for message in view.messages:
            assert message.milestones == tuple(
                node.index for node in view.milestones if node.message_index == message.index
            )


def test_goal_and_opening(played):
    view = read_conversation(played, SCRAMBLED)
    assert view.goal.splitlines()[0].endswith("You want exactly that.")
    first = view.messages[view.opening]
    assert (first.sender, first.recipient) == ("USER", "AGENT")
    assert all(message.sender == "SYSTEM" for message in view.messages[: view.opening])


def test_a_text_beside_a_call_is_shown(run):
    def speak(context):
        context.setdefault("extensions", {})["message_texts"] = {"4": "Let me see."}

    edit(run, SCRAMBLED, "execution_context.json", speak)
    message = read_conversation(run, SCRAMBLED).messages[4]
    assert message.text == "Let me see."
    assert message.call is not None


def test_what_an_older_run_did_not_write_is_null(run):
    make_older(run)
    for name in ("evaluation.json", "conversation.json"):
        (run / "trajectories" / SCRAMBLED / name).unlink()
    first, second = read_conversation(run, SCRAMBLED).milestones
    assert (first.similarity, first.name, first.checks) == (1.0, None, [])
    assert second.message_index == 6


def test_a_conversation_that_never_began_has_no_messages(run):
    (run / "trajectories" / SCRAMBLED / "execution_context.json").unlink()
    view = read_conversation(run, SCRAMBLED)
    assert (view.messages, view.tools, view.goal, view.opening) == ((), [], "", 0)


@pytest.mark.parametrize("name", ["nothing", "../run", f"../trajectories/{SCRAMBLED}", "..", "", "a/b"])
def test_no_such_conversation(run, name):
    with pytest.raises(ConfigurationError, match="no finished conversation"):
        read_conversation(run, name)


@pytest.mark.parametrize("file", ["execution_context.json", "evaluation.json"])
@pytest.mark.parametrize("content", ["[1]", "{", '{"_dbs": {"SANDBOX": [{}]}}'])
def test_damaged_files_are_one_clear_line(run, file, content):
    make_older(run)
    (run / "trajectories" / SCRAMBLED / file).write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        read_conversation(run, SCRAMBLED)
    assert SCRAMBLED in str(caught.value)
    assert "\n" not in str(caught.value)


# Calls ---------------------------------------------------------------------------------------


def test_code_is_never_executed(tmp_path):
    target = tmp_path / "touched"
    code = f"print(open({str(target)!r}, 'w'))"
    for content in (code, f"call_1_parameters = {code}\ncall_1_response = f(**call_1_parameters)\nprint(repr(1))"):
        call = read_call(call_row(content))
        assert (call.name, call.tool, call.arguments) == ("python", None, content)
    assert not target.exists()


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("f(a=1, b='x')", {"a": 1, "b": "x"}),
        ("f(a=(1, {2}))", {"a": [1, [2]]}),
        ("f(a=float('nan'))", {"a": "nan"}),
        ("f(a=b'x')", {"a": "b'x'"}),
        ("f(1)", "f(1)"),
        ("f(" * 5_000, "f(" * 5_000),
    ],
)
def test_arguments_are_json(content, arguments):
    call = read_call(call_row(content))
    assert call.arguments == arguments
    json.dumps(call.arguments, allow_nan=False)


# Changes -------------------------------------------------------------------------------------

ROWS = st.lists(
    st.fixed_dictionaries(
        {"person_id": st.sampled_from(["a", "b", "c", None]), "name": st.sampled_from(["x", "y", None])}
    ),
    max_size=5,
)


@given(ROWS, ROWS)
def test_changes_account_for_every_row(before, after):
    def plain(row):
        return str(sorted(row.items(), key=str))

    state = list(map(plain, before))
    for change in compare("CONTACT", before, after):
        if change.before is not None:
            state.remove(plain(change.before))
        if change.after is not None:
            state.append(plain(change.after))
    assert sorted(state) == sorted(map(plain, after))


def test_not_a_number_is_no_change_and_a_flag_is_no_number():
    nan = {"person_id": "a", "name": float("nan")}
    assert compare("CONTACT", [nan], [dict(nan)]) == []
    (change,) = compare("CONTACT", [{"person_id": "a", "name": 1}], [{"person_id": "a", "name": True}])
    assert change.columns == ("name",)
    gone = {"person_id": None, "name": "x"}
    assert compare("CONTACT", [gone, gone], [gone]) == [WorldChange("CONTACT", "removed", None, gone, None)]


CALLS = [
    ("search_contacts", {"name": "Fredrik"}),
    ("add_contact", {"name": "Cid", "phone_number": "+12453344098"}),
    ("set_wifi_status", {"on": True}),
    ("remove_contact", {"person_id": "nobody"}),
    ("add_contact", {"name": "Dee", "phone_number": "+12453344099"}),
]


def test_each_of_several_calls_at_once_has_its_own_changes(run):
    first = retell(run, SCRAMBLED, CALLS, at_once=True)
    messages = read_conversation(run, SCRAMBLED).messages[first:]
    found = [[(change.database, change.after.get("name")) for change in message.changes] for message in messages]
    assert found == [[], [("CONTACT", "Cid")], [("SETTING", None)], [], [("CONTACT", "Dee")]]
    assert not any(message.changed_by for message in messages)


def test_what_is_undone_at_once_was_done(run):
    first = retell(
        run, SCRAMBLED, [("modify_contact", {"person_id": "a", "name": name}) for name in ("Anna", "Ann")], at_once=True
    )
    messages = read_conversation(run, SCRAMBLED).messages[first:]
    assert [[change.after["name"] for change in message.changes] for message in messages] == [["Anna"], ["Ann"]]


def test_a_table_may_be_empty_between_two_calls():
    row = {"person_id": "a", "name": "Ann"}
    stored = [{"sandbox_message_index": index, **row} for index in (0, 5)]
    states = {"5": {"CONTACT": [{"answer": 5, "rows": []}, {"answer": 6, "rows": None}]}}
    found = world_changes({"CONTACT": stored}, states)
    assert [(index, change.kind) for index, changes in found.items() for change in changes] == [
        (5, "removed"),
        (6, "added"),
    ]


def test_an_older_run_does_not_say_which_of_several_calls_made_a_change(run):
    first = retell(run, SCRAMBLED, CALLS, at_once=True)
    forget_states(run, SCRAMBLED)
    view = read_conversation(run, SCRAMBLED)
    messages = view.messages[first:]
    assert [len(message.changes) for message in messages] == [3, 0, 0, 0, 0]
    # All but the one that failed.
    assert messages[0].changed_by == tuple(first + number for number in (0, 1, 2, 4))
    calls = view_frames("run", [view])["tool_calls"].filter(pl.col("answer_index") >= first)
    assert calls["changes"].to_list() == [None, None, None, 0, None]


def test_an_older_run_says_so_where_all_other_calls_failed(run):
    first = retell(run, SCRAMBLED, [CALLS[3], CALLS[1], CALLS[3]], at_once=True)
    forget_states(run, SCRAMBLED)
    messages = read_conversation(run, SCRAMBLED).messages[first:]
    assert [len(message.changes) for message in messages] == [0, 1, 0]
    assert not any(message.changed_by for message in messages)


# Models --------------------------------------------------------------------------------------


def record(stop: str | None = "end", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 2}
    return {"stop": stop, "usage": usage, "latency_s": 1.0, "failures": [], "cost_usd": 0.5, **more}


def test_requests_belong_to_turns():
    turns = [(3, "USER"), (4, "AGENT"), (5, "AGENT"), (6, "EXECUTION_ENVIRONMENT"), (7, "AGENT")]
    failure = {"latency_s": 2.0, "wait_s": 4.0}
    calls = {"agent": [record("pause"), record("tool_use", failures=[failure]), record(None), record(cost_usd=None)]}
    found = model_calls_by_message(turns, calls)
    assert sorted(found) == [4, 7]
    assert (found[4].latency_s, found[4].wait_s, found[4].input_tokens, found[4].cost_usd) == (4.0, 4.0, 20, 1.0)
    assert (found[4].stop, found[4].failures, found[7].cost_usd) == ("tool_use", 1, None)


def test_requests_that_do_not_fit_the_turns_are_left_out():
    turns = [(3, "USER"), (4, "AGENT")]
    assert model_calls_by_message(turns, {"agent": [record(), record()], "user": [record()]}).keys() == {3}
    assert model_calls_by_message(turns, {}) == {}


@pytest.fixture(scope="module")
def modelled(tmp_path_factory) -> Iterator[Path]:
    brain = SolutionBrain.of(list(named_scenarios(names=[REMOVED]).values()))
    with serve(OpenAIChatDialect(), brain) as server:
        agent = f"openai-compatible/m-1:base_url={server.url}/v1,api_key_env=NO_SUCH_KEY"
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv("NO_SUCH_KEY", "sk-of-a-test-12345")
            yield play(prepare_run(agent, scenarios=[REMOVED]), tmp_path_factory.mktemp("runs")).path


def test_every_turn_of_a_model_says_what_it_took(modelled):
    view = read_conversation(modelled, REMOVED)
    turns = [message.model for message in view.messages if message.model]
    usage = view.result["usage"]["agent"]
    assert len(turns) == usage["calls"] > 1
    assert sum(turn.input_tokens for turn in turns) == usage["input_tokens"]
    assert sum(turn.latency_s for turn in turns) == pytest.approx(usage["latency_s"], abs=0.001 * len(turns))
    assert all(message.sender == "AGENT" for message in view.messages if message.model)
