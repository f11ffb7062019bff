"""What is read out of a Hermes model's turn."""

import json

import pytest

from tool_sandbox.models.formats.calls import UNREADABLE
from tool_sandbox.models.formats.hermes import parse, render
from tool_sandbox.models.messages import ModelRequest, UserTurn

TOOL = {
    "type": "function",
    "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}, "required": []}},
}


def call(body: str) -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


def plain(parsed):
    text, calls = parsed
    return text, [(one.id, one.name, one.arguments) for one in calls]


def test_text():
    assert plain(parse(" Hello. \n")) == ("Hello.", [])


def test_calls_are_numbered_and_keep_the_text_around_them():
    first, second = call('{"name": "f", "arguments": {"a": 1}}'), call('{"arguments": {}, "name": "g"}')
    text = f"One.\n{first}\nTwo.\n{second}"
    assert plain(parse(text)) == ("One.\nTwo.", [("call_1", "f", {"a": 1}), ("call_2", "g", {})])


def test_a_closing_tag_inside_of_an_argument_does_not_close_the_call():
    arguments = {"a": "</tool_call><tool_call>"}
    assert plain(parse(call(json.dumps({"name": "f", "arguments": arguments})))) == ("", [("call_1", "f", arguments)])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('<tool_call>\n{"name": "f", "arguments": {}}', "f"),
        (call('{"name": "f", "arguments": {'), "f"),
        (call('{"name": "f"}'), "f"),
        (call('{"arguments": {}}'), UNREADABLE),
        (call('{"name": 5, "arguments": {}}'), UNREADABLE),
        (call('[{"name": "f", "arguments": {}}]'), "f"),
        (call('{"name": "f", "arguments": {}} and so on'), "f"),
        (call("f(a=1)"), UNREADABLE),
        (call(""), UNREADABLE),
        ("<tool_call>", UNREADABLE),
    ],
)
def test_what_is_not_a_whole_call_is_handed_on_as_written(written, name):
    assert plain(parse(f"Well. {written}")) == ("Well.", [("call_1", name, written)])


def test_a_broken_call_does_not_take_the_next_one_with_it():
    text = '<tool_call>\n{"name": "f", \n' + call('{"name": "g", "arguments": {}}')
    assert [one[1:] for one in plain(parse(text))[1]] == [("f", '<tool_call>\n{"name": "f", \n'), ("g", {})]


@pytest.mark.parametrize("arguments", [[1], "{}", 5, None])
def test_arguments_that_are_no_object_stay_text(arguments):
    _, [(_, _, got)] = plain(parse(call(json.dumps({"name": "f", "arguments": arguments}))))
    assert got == json.dumps(arguments)


def test_one_tool_is_no_list_and_none_is_no_prompt():
    def listed(*tools):
        return render(ModelRequest("", (UserTurn("hello"),), tools)).partition("<tools>")[2].partition("</tools>")[0]

    assert json.loads(listed(TOOL)) == TOOL
    assert json.loads(listed(TOOL, TOOL)) == [TOOL, TOOL]
    assert render(ModelRequest("", (UserTurn("hello"),))) == (
        "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
    )
