"""What is read out of a Gorilla model's turn: Python calls, never evaluated."""

from pathlib import Path

import pytest

from tool_sandbox.models.formats.gorilla import parse, render
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, RequestedCall, ResultsTurn, ToolResult, UserTurn


def tool(name, *parameters):
    schema = {"type": "object", "properties": {parameter: {} for parameter in parameters}, "required": []}
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": schema}}


TOOLS = (tool("f", "a", "class", "b-c"), tool("my-tool"), tool("print_it", "x"))


def plain(text, tools=TOOLS):
    said, calls = parse(text, tools)
    return said, [(call.id, call.name, call.arguments) for call in calls]


def test_text():
    assert plain(" Hello. ") == ("Hello.", [])


def test_calls_are_numbered_from_zero():
    assert plain("<<function>>f(a=1)<<function>> print_it(x=[1, {'k': (2, None)}])\n") == (
        "",
        [("call_0", "f", {"a": 1}), ("call_1", "print_it", {"x": [1, {"k": [2, None]}]})],
    )


def test_positional_arguments_follow_the_parameters():
    assert plain("<<function>>f(1, 'two', b_c=3.5)")[1] == [("call_0", "f", {"a": 1, "class": "two", "b-c": 3.5})]


def test_names_that_are_not_pythons_are_translated_back():
    assert plain("<<function>>my_tool()<<function>>f(_class=1, b_c=-2)")[1] == [
        ("call_0", "my-tool", {}),
        ("call_1", "f", {"class": 1, "b-c": -2}),
    ]


def test_without_a_mark_only_offered_tools_count():
    assert plain("print('x')") == ("print('x')", [])
    assert plain("print_it(x='x')")[1] == [("call_0", "print_it", {"x": "x"})]


def test_a_marked_call_of_another_tool_is_a_call():
    assert plain("<<function>>delete_all(x=1)")[1] == [("call_0", "delete_all", {"x": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "<<function>>f(a=1",
        "<<function>>f(a=1)<<function>>and then",
        "Sure! <<function>>f(a=1)",
        "<<function>>f(a=1); f(a=2)",
        "<<function>>import os",
        "<<function>>f.g(a=1)",
        "<<function>>__import__('os').system('touch evil')",
        "<<function>>(lambda: 1)()",
        "<<function>>f\0(a=1)",
        "<<function>>",
    ],
)
def test_what_does_not_parse_is_said_to_the_user(text):
    assert plain(text) == (text, [])


@pytest.mark.parametrize(
    "arguments",
    [
        "a=__import__('os').system('touch evil')",
        "a=[open('evil', 'w')]",
        "a=lambda: 1",
        "a=f'{1}'",
        "a={1, 2}",
        "a={'k': {1}}",
        "a={1: 2}",
        "a=b'x'",
        "a=1j",
        "a=x",
        "a='x' + 'y'",
        "a=9**9**9",
        "a=0x" + "f" * 5_000,
        "1, a=2",
        "a=1, a=2",
        "1, 2, 3, 4",
        "*[1]",
        "**x",
        "**{'a': 1, 'a': 2, 5: 1}",
        "a=[x for x in '1']",
        "a=(x := 1)",
        "a=...",
    ],
)
def test_arguments_that_are_no_json_are_handed_on_as_written(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert plain(f"<<function>>f({arguments})") == ("", [("call_0", "f", f"f({arguments})")])
    assert not list(Path().iterdir())


def test_the_newest_question_has_the_functions_and_the_history_is_whole():
    turns = (
        UserTurn("one"),
        AssistantTurn("", (RequestedCall("call_0", "f", {"class": "x", "odd name": 1}),)),
        ResultsTurn((ToolResult("call_0", "f", "None"),)),
        AssistantTurn("two"),
        UserTurn("three"),
    )
    prompt = render(ModelRequest("Be good.", turns, TOOLS[1:2]))
    head, _, rest = prompt.partition("\n")
    assert head.startswith("You are an AI programming assistant, utilizing the Gorilla LLM model")
    assert rest == (
        "Be good.\n"
        "### Instruction: <<question>> one\n"
        "### Response: <<function>>f(**{'class': 'x', 'odd name': 1})\n"
        '### Instruction: <<result>>{"name": "f", "content": "None"}\n'
        "### Response: two\n"
        '### Instruction: <<function>>[{"type": "function", "function": {"name": "my_tool", "description": "d", '
        '"parameters": {"type": "object", "properties": {}, "required": []}}}]\n'
        "<<question>>three\n"
        "### Response: "
    )


def test_without_tools_there_is_only_the_question():
    assert render(ModelRequest("", (UserTurn("hello"),))).partition("\n")[2] == (
        "### Instruction: <<question>> hello\n### Response: "
    )


def test_names_that_become_the_same_stay_apart():
    tools = (tool("a-b", "x y", "x_y"), tool("a_b"))
    assert plain("<<function>>a_b(x_y=1, x_y_=2)<<function>>a_b_()", tools)[1] == [
        ("call_0", "a-b", {"x y": 1, "x_y": 2}),
        ("call_1", "a_b", {}),
    ]
