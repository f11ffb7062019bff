"""What is read out of a Mistral model's turn, and the ids that it is shown."""

import json
import re

import pytest

from tool_sandbox.models.formats.calls import UNREADABLE
from tool_sandbox.models.formats.mistral import parse, render
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, RequestedCall, ResultsTurn, ToolResult, UserTurn

TOOLS = ({"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}},)


def plain(text, tools=TOOLS):
    said, calls = parse(text, tools)
    return said, [(call.id, call.name, call.arguments) for call in calls]


def test_text():
    assert plain(" Hello.") == ("Hello.", [])


def test_brackets_inside_of_arguments_and_text_around():
    arguments = {"a": "]", "b": ["[TOOL_CALLS]", [1]]}
    body = json.dumps([{"name": "f", "arguments": arguments}, {"name": "g", "arguments": {}, "id": "VvvODy9mT"}])
    assert plain(f" Well. [TOOL_CALLS] {body} So.") == (
        "Well.\nSo.",
        [("call_1", "f", arguments), ("VvvODy9mT", "g", {})],
    )


def test_several_lists():
    one = '[TOOL_CALLS] [{"name": "f", "arguments": {}}]'
    assert plain(f"{one}{one}") == ("", [("call_1", "f", {}), ("call_2", "f", {})])


def test_ids_are_unique():
    entry = '{"name": "f", "arguments": {}, "id": "VvvODy9mT"}'
    assert [call[0] for call in plain(f"[TOOL_CALLS] [{entry}, {entry}]")[1]] == ["call_1", "call_2"]
    short = entry.replace("VvvODy9mT", "1")
    assert [call[0] for call in plain(f"[TOOL_CALLS] [{short}, {short}]")[1]] == ["call_1", "call_2"]


def test_an_empty_list_is_text():
    assert plain("Nothing to do. [TOOL_CALLS] []") == ("Nothing to do.", [])


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('[{"name": "f", "arguments": {"a": ', "f"),
        ('[{"name": "f"}]', "f"),
        ('[{"arguments": {}}]', UNREADABLE),
        ('{"name": "f", "arguments": {}}', "f"),
        ("[5]", UNREADABLE),
        ("f(a=1)", UNREADABLE),
        ("", UNREADABLE),
    ],
)
def test_what_is_no_list_of_calls_is_handed_on_as_written(body, name):
    assert plain(f"Well. [TOOL_CALLS] {body}") == ("Well.", [("call_1", name, f"[TOOL_CALLS] {body}")])


def test_a_mark_that_is_repeated_without_end_is_read_in_one_pass():
    text, calls = parse("[TOOL_CALLS]" * 20_000)
    assert (text, len(calls)) == ("", 20_000)


def test_arguments_that_are_no_object_stay_text():
    assert plain('[TOOL_CALLS] [{"name": "f", "arguments": [1]}]')[1] == [("call_1", "f", "[1]")]


def test_calls_whose_mark_the_server_removed():
    assert plain(' [{"name": "f", "arguments": {"a": 1}}]') == ("", [("call_1", "f", {"a": 1})])
    other = '[{"name": "g", "arguments": {}}]'
    assert plain(other) == (other, [])
    assert plain("[1, 2]") == ("[1, 2]", [])
    assert plain("[]") == ("[]", [])


def conversation(rounds):
    turns = [UserTurn("one")]
    for number in range(rounds):
        calls = tuple(RequestedCall(f"call_{i}", "f", {"number": number}) for i in (1, 2))
        turns += [AssistantTurn("", calls), ResultsTurn(tuple(ToolResult(call.id, "f", "5") for call in calls))]
    return render(ModelRequest("Be good.", tuple(turns), TOOLS))


def test_ids_have_nine_letters_differ_and_stay_the_same():
    shown = [re.findall(r'"id": "(\w*)"', conversation(rounds)) for rounds in (1, 3)]
    answered = re.findall(r'"call_id": "(\w*)"', conversation(3))
    assert shown[1] == answered
    assert len(set(answered)) == 6
    assert all(re.fullmatch("[A-Za-z0-9]{9}", call_id) for call_id in answered)
    assert shown[0] == shown[1][:2]


def test_the_models_own_ids_are_kept_where_they_can_be():
    call = RequestedCall("VvvODy9mT", "f", {})
    turns = (UserTurn("one"), AssistantTurn("", (call,)), ResultsTurn((ToolResult(call.id, "f", "5"),)))
    ids = re.findall(r'"(?:call_)?id": "(\w*)"', render(ModelRequest("", (*turns, *turns[1:]))))
    assert ids[:2] == ["VvvODy9mT"] * 2
    assert ids[2] == ids[3] != "VvvODy9mT"


def test_the_prompt_has_the_vendors_spaces_and_order():
    turns = (UserTurn("one"), AssistantTurn("two"), UserTurn("three"), UserTurn("four"))
    assert render(ModelRequest("Be good.", turns, TOOLS)) == (
        "[INST] one[/INST] two</s>"
        f"[AVAILABLE_TOOLS] {json.dumps(list(TOOLS))}[/AVAILABLE_TOOLS]"
        "[INST] Be good.\n\nthree\n\nfour[/INST]"
    )
