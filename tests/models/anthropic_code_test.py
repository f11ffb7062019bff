"""Requests and replies with code execution at Anthropic: containers, results for code, hosted runs, hostile blocks."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.anthropic import AnthropicDialect, began, ran
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import Answer, serve
from tests.models.anthropic_code_support import (
    OFF,
    ON,
    START,
    STYLES,
    VERSION,
    Coding,
    blocks,
    coded,
    converse,
    play,
)
from tests.models.anthropic_support import KEY, NO_RETRIES, SCHEMA, TOOLS, provider
from tool_sandbox.models.anthropic_code import RESULT_NOTE, to_json_text
from tool_sandbox.models.anthropic_history import to_messages
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import ask
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    UserTurn,
)
from tool_sandbox.models.naming import choose_model
from tool_sandbox.models.session import Session
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

# Requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "kind", "callers"),
    [
        ({"code_execution": "programmatic"}, VERSION, [VERSION]),
        ({"code_execution": "both"}, VERSION, ["direct", VERSION]),
        ({"code_execution": "alone"}, VERSION, None),
        (
            {"code_execution": "programmatic", "code_execution_version": "20260521"},
            "code_execution_20260521",
            ["code_execution_20260521"],
        ),
    ],
)
def test_tools_say_who_may_call_them(settings, kind, callers):
    wire = AnthropicMessages("claude-opus-5-5", settings).wire(ModelRequest("", (UserTurn("Hi"),), TOOLS))
    first, *others = wire["anthropic_tools"]
    assert first == {"type": kind, "name": "code_execution"}
    assert [tool.get("allowed_callers") for tool in others] == [callers] * 2
    assert [RESULT_NOTE in tool["description"] for tool in others] == [callers is not None] * 2
    assert "container" not in wire


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("claude-haiku-4-5", "code_execution=programmatic", "it takes alone"),
        ("claude-haiku-4-5-20251001", "code_execution=both", "it takes alone"),
        ("claude-opus-4-20250514", "code_execution=alone", "it has none"),
        ("claude-3-7-sonnet-20250219", "code_execution=alone", "it has none"),
        ("claude-opus-5-5", "code_execution=programmatic,parallel=false", "parallel=false"),
        ("claude-opus-4-8", "code_execution=both,tool_choice=any", "tool_choice=auto or none"),
        ("claude-opus-4-8", "code_execution=both,tool_choice=set_wifi_status", "tool_choice=auto or none"),
        ("claude-opus-5-5", "code_execution_version=20260521", "without code_execution"),
        ("claude-opus-5-5", "code_execution=yes", "programmatic, both or alone"),
        ("claude-opus-5-5", "code_execution=both,code_execution_version=20250522", "20260120 or 20260521"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(model, options, words):
    with pytest.raises(ConfigurationError, match=words) as caught:
        choose_model(f"anthropic/{model}:{options}", offline=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "model", ["claude-opus-4-5", "claude-sonnet-4-6", "claude-opus-4-8", "claude-haiku-5-5", "new"]
)
def test_models_that_can_are_let_through(model):
    for mode in ("programmatic", "both", "alone"):
        choose_model(f"anthropic/{model}:code_execution={mode}", offline=True)
    choose_model("anthropic/claude-haiku-4-5:code_execution=alone,parallel=false", offline=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("None", None),
        ("[{'a': (1, 2.5)}]", [{"a": [1, 2.5]}]),
        ("'1'", "1"),
        ("not a literal", "not a literal"),
        ("", ""),
        ("{1, 2}", "{1, 2}"),
        ("b'x'", "b'x'"),
        ("'\\ud800'", "\ud800"),
        ("9" * 5000, "9" * 5000),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_code_gets_results_as_json(text, value):
    assert json.loads(to_json_text(text)) == value
    to_json_text(text).encode()


# Replies -------------------------------------------------------------------------------------


def test_the_caller_of_each_call_is_told():
    answer = Answer(calls=(ON, OFF, ON), extra={"by_code": (0, 2)})
    (reply, last), _, server, _ = converse([answer, Answer("Done.")])
    assert [call.caller for call in reply.calls] == [VERSION, None, VERSION]
    assert RequestedCall("a", "f", {}) == RequestedCall("a", "f", {}, None)
    assert (reply.hosted, last.hosted) == ((), ("code_execution: ok",))
    assert last.text == "Done."
    texts = [block["content"][0]["text"] for block in blocks(server.seen[1].body, "tool_result")]
    assert texts == ["null", "None", "null"]


def test_the_container_stays_with_its_conversation():
    dialect = AnthropicDialect(key=KEY)
    for number in (1, 2):
        _, _, server, _ = converse(
            [coded(ON), Answer("Done."), "And now?", coded(OFF), Answer("Done.")], dialect=dialect
        )
        containers = [seen.body.get("container") for seen in server.seen]
        assert containers == [None, *[f"container_{number}"] * 3]
    assert [len(runs) for runs in dialect.containers.values()] == [2, 2]


def test_a_container_that_a_later_reply_does_not_name_stays():
    unnamed = Answer("Done.", extra={"container": None})
    _, _, server, _ = converse([coded(ON), unnamed, "Again", coded(OFF), Answer("Done.")])
    assert [seen.body.get("container") for seen in server.seen] == [None, *["container_1"] * 3]


def test_a_pause_goes_on_in_the_same_container():
    pause = Answer(stop="pause_turn", extra={"content": [began("srvtoolu_p", "x")]})
    with serve(AnthropicDialect(key=KEY), [pause, coded(ON), Answer("Done.")]) as server:
        model, session = provider(server.url, code_execution="both"), Session()
        # The first two requests belong to one question.
        reply = ask(model, ModelRequest("", START, TOOLS), session, NO_RETRIES)
        results = ResultsTurn((ToolResult(reply.calls[0].id, "set_wifi_status", "None"),))
        asked = (*START, AssistantTurn("", reply.calls, reply.raw), results)
        last = ask(model, ModelRequest("", asked, TOOLS), session, NO_RETRIES)
    assert last.text == "Done."
    assert [seen.body.get("container") for seen in server.seen] == [None, "container_1", "container_1"]
    assert server.seen[1].body["messages"][1:] == [{"role": "assistant", "content": [began("srvtoolu_p", "x")]}]
    assert [block["caller"]["tool_id"] for block in blocks(server.seen[2].body, "tool_use")] == ["srvtoolu_p"]


def test_nothing_is_said_to_code_that_waits():
    """A reply without content between the results and the next words would put both into one message."""
    empty = Answer(stop="end_turn", extra={"content": []})
    _, _, server, _ = converse([coded(ON), empty, "Are you there?", Answer("Yes.")])
    *_, results, closing, words = server.seen[2].body["messages"]
    assert [block["type"] for block in results["content"]] == ["tool_result"]
    (end,) = closing["content"]
    assert (end["type"], end["content"]["error_code"]) == ("code_execution_tool_result", "unavailable")
    assert [block["type"] for block in words["content"]] == ["text"]


def test_an_unrequested_result_waits_too():
    (reply,), turns, _, _ = converse([coded(ON)])
    stray = ResultsTurn((*turns[-1].results, ToolResult("other", "f", "1")))
    messages = to_messages([*turns[:-1], stray])
    assert [block["type"] for block in messages[-3]["content"]] == ["tool_result"]
    assert messages[-1]["content"] == [{"type": "text", "text": "f: 1"}]
    assert reply.calls[0].caller == VERSION


@pytest.mark.parametrize("name", ["code_execution", "bash_code_execution", "text_editor_code_execution"])
def test_code_that_was_cut_off_has_an_end_before_the_user_speaks(name):
    cut = Answer("Let me", stop="max_tokens", extra={"hosted": [began("srvtoolu_c", "impo", name)]})
    (first, _), _, server, _ = converse([cut, "Go on.", Answer("Yes.")], mode="alone")
    assert first.stop is StopReason.MAX_TOKENS
    last = server.seen[1].body["messages"][1]["content"][-1]
    assert (last["type"], last["tool_use_id"]) == (f"{name}_tool_result", "srvtoolu_c")
    assert last["content"] == {"type": f"{name}_tool_result_error", "error_code": "unavailable"}


# Containers that are gone --------------------------------------------------------------------


def test_a_container_that_is_gone_is_an_infrastructure_error():
    dialect = AnthropicDialect(key=KEY)
    _, turns, _, _ = converse([coded(ON)], dialect=dialect)
    dialect.containers.clear()
    request = ModelRequest("", tuple(turns), TOOLS)
    with (
        serve(dialect, [Answer("unreachable")], rejects=True) as server,
        pytest.raises(InfrastructureError) as caught,
    ):
        ask(provider(server.url, code_execution="both"), request, Session(), NO_RETRIES)
    assert isinstance(caught.value, ProviderError)
    assert caught.value.cause.kind is FaultKind.INVALID_REQUEST
    assert "container_1 was not found or has expired" in str(caught.value)
    assert len(server.seen) == 1


def test_after_an_error_of_an_expired_container_a_new_one_is_taken():
    expired = ran("srvtoolu_x", type="code_execution_tool_result_error", error_code="container_expired")
    gone = Answer("Hm.", extra={"hosted": [began("srvtoolu_x", "x"), expired]})
    replies, _, server, _ = converse([coded(ON), Answer("Done."), "More", gone, "Again", coded(OFF), Answer("Done.")])
    assert [seen.body.get("container") for seen in server.seen] == [None, *["container_1"] * 2, None, "container_2"]
    assert replies[2].hosted == ("code_execution: container_expired",)


def test_a_caller_of_any_form_is_no_crash():
    for tool_id in (["s"], {}, None, 7):
        call = {
            "type": "tool_use",
            "id": "a",
            "name": "f",
            "input": {},
            "caller": {"type": VERSION, "tool_id": tool_id},
        }
        asked = (*START, AssistantTurn("", (), ([began("s", "x"), call],)), ResultsTurn((ToolResult("a", "f", "1"),)))
        with pytest.raises(ProviderError, match="no reply has named a container"):
            AnthropicMessages("claude-opus-5-5").wire(ModelRequest("", asked, TOOLS))


def test_without_a_container_results_for_code_are_not_sent():
    unnamed = attrs.evolve(coded(ON), extra={"by_code": True, "container": None})
    (_,), turns, server, _ = converse([unnamed])
    with pytest.raises(ProviderError, match="no reply has named a container") as caught:
        ask(provider(server.url, code_execution="both"), ModelRequest("", tuple(turns), TOOLS), Session(), NO_RETRIES)
    assert caught.value.cause.kind is FaultKind.MALFORMED


# Results of hosted tools, and hostile blocks -------------------------------------------------


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        (ran("s", "x"), "code_execution: ok"),
        (ran("s", "x", "bash_code_execution"), "bash_code_execution: ok"),
        (ran("s", type="code_execution_result", stdout="", stderr="E", return_code=1), "code_execution: exit 1"),
        (
            ran("s", type="encrypted_code_execution_result", encrypted_stdout="x", return_code=0),
            "code_execution: ok",
        ),
        (
            ran("s", type="code_execution_tool_result_error", error_code="execution_time_exceeded"),
            "code_execution: execution_time_exceeded",
        ),
        (
            ran("s", "", "text_editor_code_execution", type="x", error_code="file_not_found"),
            "text_editor_code_execution: file_not_found",
        ),
        (ran("s", type="code_execution_tool_result_error", error_code="<b>\n"), "code_execution: unknown"),
        (ran("s", type="what"), "code_execution: unknown"),
        (ran("s") | {"content": "text"}, "code_execution: unknown"),
        (ran("s", type="code_execution_result", return_code=10**5000), "code_execution: unknown"),
    ],
)
def test_hosted_runs_are_told_by_their_outcome(block, outcome):
    message = {"type": "message", "content": [began("s", "x"), block], "stop_reason": "end_turn"}
    reply = AnthropicMessages("claude-opus-5-5").read(message)
    assert (reply.hosted, reply.calls, reply.text) == ((outcome,), (), "")


@pytest.mark.parametrize(
    ("caller", "told"),
    [
        ({"type": "code_execution_20990101", "tool_id": "s"}, "code_execution_20990101"),
        ({"type": "code_execution_20990101", "tool_id": "s", "more": [1]}, "code_execution_20990101"),
        ({"type": "<script>", "tool_id": "s"}, "unknown"),
        ({"type": "x" * 999, "tool_id": "s"}, "unknown"),
        ({"type": "direct"}, None),
        ({"type": 7}, None),
        ({}, None),
        ("code", None),
        (None, None),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_unknown_callers_are_answered_too(caller, told, stream):
    call = {"type": "tool_use", "id": "toolu_1", "name": "set_wifi_status", "input": {"on": True}, "caller": caller}
    answer = Answer(stop="tool_use", extra={"content": [began("s", "x"), call]})
    (reply, _), _, server, _ = converse(
        [answer, Answer("Done.", extra={"content": [ran("s"), {"type": "text", "text": "."}]})], stream=stream
    )
    assert reply.calls == (RequestedCall("toolu_1", "set_wifi_status", {"on": True}, told),)
    (sent,) = blocks(server.seen[1].body, "tool_use")
    is_sendable = isinstance(caller, dict) and isinstance(caller.get("type"), str)
    assert sent.get("caller") == (caller if is_sendable else None)


def test_code_execution_as_a_call_of_ours_is_answered_with_an_error_and_never_run(tmp_path):
    mark = tmp_path / "mark"
    code = {"code": f"open({str(mark)!r}, 'w')", "command": f"touch {mark}"}
    calls = tuple((name, code) for name in ("code_execution", "bash_code_execution", "python"))
    solution = Coding(SolutionBrain.of([get_scenario("wifi_off")]), STYLES["one run of code"])
    hosted = [began("srvtoolu_h", code["code"]), ran("srvtoolu_h")]
    moves = iter([Answer(calls=calls, extra={"hosted": hosted})])
    score, _, server = play("wifi_off", lambda heard: next(moves, None) or solution(heard), "both")
    assert score == 1.0
    assert [block["is_error"] for block in blocks(server.seen[1].body, "tool_result")] == [True] * 3
    assert not mark.exists()


@pytest.mark.parametrize(
    "block",
    [
        {"type": "server_tool_use", "name": "code_execution", "input": {}},
        {"type": "server_tool_use", "id": "s", "input": {}},
        {"type": "code_execution_tool_result", "content": {}},
        {"type": "bash_code_execution_tool_result", "tool_use_id": None, "content": {}},
        {"type": "tool_use", "name": "f", "input": {}, "caller": {"type": VERSION}},
    ],
)
def test_blocks_without_ids_are_no_reply(block):
    with pytest.raises(MalformedReplyError):
        AnthropicMessages("claude-opus-5-5").read({"content": [block]})


@pytest.mark.parametrize("container", ["c", 7, {}, {"id": None}, {"id": 7}, {"id": ""}])
def test_containers_without_a_name_count_as_none(container):
    message = {"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "container": container}
    assert AnthropicMessages("claude-opus-5-5").read(message).raw == message["content"]


def test_input_of_hosted_code_that_is_no_object_can_be_sent_back():
    odd = {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": "text"}
    answer = Answer(extra={"content": [odd, ran("s"), {"type": "text", "text": "Hm."}]})
    _, _, server, _ = converse([answer, "And?", Answer("Done.")], mode="alone")
    assert blocks(server.seen[1].body, "server_tool_use")[0]["input"] == {"unparsed_arguments": "text"}


# Any history ---------------------------------------------------------------------------------


@st.composite
def histories(draw):
    """What a model with code may have written, between words and results in any order."""
    moves = st.sampled_from(["user", "results", "none", "begin", "more", "end", "cut", "direct", "rebuilt", "expired"])
    turns, run_, calls = [], None, []
    for number, move in enumerate(draw(st.lists(moves, max_size=9))):
        call = {"type": "tool_use", "id": f"t{number}", "name": "f", "input": {}}
        blocks_ = []
        if move == "user":
            turns.append(UserTurn(draw(st.sampled_from(["", "Go on."]))))
            run_ = None
        elif move == "results":
            turns.append(ResultsTurn(tuple(ToolResult(known, "f", "1") for known in draw(st.permutations(calls)))))
            calls = []
        elif move == "rebuilt":
            turns.append(AssistantTurn("So.", (RequestedCall(f"t{number}", "f", {}),)))
        else:
            if run_ is not None and move in ("end", "direct", "expired"):
                error = {"type": "code_execution_tool_result_error", "error_code": "container_expired"}
                blocks_.append(ran(run_, **(error if move == "expired" else {})))
                run_ = None
            if move in ("begin", "cut"):
                blocks_ += [ran(run_)] if run_ is not None else []
                run_ = f"s{number}"
                blocks_.append(began(run_, "x"))
            if run_ is not None and move in ("begin", "more"):
                blocks_.append(call | {"caller": {"type": VERSION, "tool_id": run_}})
            if move == "direct":
                blocks_.append(call)
            raw = {"content": blocks_, "container": "c"}
            turns.append(AssistantTurn("", (), (raw,)))
            calls += [block["id"] for block in blocks_ if block["type"] == "tool_use"]
    return turns


@given(histories())
def test_any_history_with_code_can_be_sent(history):
    model = AnthropicMessages("claude-opus-5-5", {"code_execution": "both"})
    tools = ({"type": "function", "function": {"name": "f", "description": "F.", "parameters": SCHEMA}},)
    wire = model.wire(ModelRequest("", (*history, UserTurn("And?")), tools))
    body = model.body(wire["anthropic_messages"], "", wire["anthropic_tools"])
    runs = {block["id"] for block in blocks(body, "server_tool_use")}
    body |= {"container": "c"} if runs else {}
    headers = {"x-api-key": KEY, "anthropic-version": "2026-10-21"}
    AnthropicDialect(key=KEY, containers={"c": runs}).hear("POST", "/v1/messages", headers, body)
