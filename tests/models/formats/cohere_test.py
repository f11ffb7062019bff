"""What is read out of a Command R model's turn, and the prompt it is given."""

import pytest

from tool_sandbox.models.formats.calls import UNREADABLE
from tool_sandbox.models.formats.cohere import DIRECT_ANSWER, parse, render, wants_to_answer
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, RequestedCall, UserTurn


def plain(text):
    said, calls = parse(text)
    return said, [(call.id, call.name, call.arguments) for call in calls]


def action(body, ending="```"):
    return f"Action: ```json\n{body}\n{ending}"


ENTRY = '{"tool_name": "f", "parameters": {"a": "```"}}'
CALL = ("call_0", "f", {"a": "```"})


def test_text():
    assert plain(" Hello. ") == ("Hello.", [])


@pytest.mark.parametrize("ending", ["```", "```\n \n", "", "  ```"])
@pytest.mark.parametrize("head", ["Action: ```json", "Action:```json", "Action:\n```json\n", "Action: ```"])
def test_white_space_does_not_matter(head, ending):
    assert plain(f"{head}[{ENTRY}]{ending}") == ("", [CALL])


def test_text_around_and_several_actions():
    body = action(f"[{ENTRY}, {ENTRY}]")
    assert plain(f"Well. {body} So.") == ("Well.\nSo.", [CALL, ("call_1", *CALL[1:])])


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (ENTRY, "f"),
        (f"[{ENTRY}", "f"),
        ('[{"tool_name": "f"}]', "f"),
        ('[{"parameters": {}}]', UNREADABLE),
        ("f(a=1)", UNREADABLE),
        ('"f"', UNREADABLE),
    ],
)
def test_what_is_no_list_of_actions_is_handed_on_as_written(body, name):
    said, [(call_id, called, arguments)] = plain(action(body))
    assert (said, call_id, called) == ("", "call_0", name)
    assert arguments.startswith("Action: ```json")
    assert body in arguments


def test_parameters_that_are_no_object_stay_text():
    assert plain(action('[{"tool_name": "f", "parameters": [1]}]'))[1] == [("call_0", "f", "[1]")]


@pytest.mark.parametrize("name", ["directly-answer", "directly_answer"])
def test_the_pseudo_tool_is_no_call(name):
    direct = f'{{"tool_name": "{name}", "parameters": {{}}}}'
    assert plain(action(f"[{direct}]")) == ("", [])
    assert plain(action(f"[{direct}, {ENTRY}]")) == ("", [("call_1", *CALL[1:])])
    assert wants_to_answer(action(f"[{direct}]"))
    assert not wants_to_answer(action(f"[{direct}, {ENTRY}]"))
    words = direct.replace("{}", '{"answer": "Hello.", "sure": true}')
    assert plain(action(f"[{words}]")) == ("Hello.", [])
    assert not wants_to_answer(action(f"[{words}]"))


def test_an_empty_list_is_text():
    assert plain(action("[]")) == ("", [])
    assert not wants_to_answer(action("[]"))


def tool():
    properties = {"on": {"type": "boolean", "description": "New state."}, "days": {"type": "integer"}, "x": {}}
    parameters = {"type": "object", "properties": properties, "required": ["on"]}
    return {"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": parameters}}


def test_tools_are_python_signatures():
    prompt = render(ModelRequest("Be good.", (UserTurn("hello"),), (tool(),)))
    assert prompt.partition("# User Preamble\n")[2].partition("<|END_OF_TURN_TOKEN|>")[0] == (
        "Be good.\n\n## Available Tools\nHere is a list of tools that you have available to you:\n\n"
        "```python\n"
        "def f(on: bool, days: Optional[int] = None, x: Optional[object] = None) -> List[Dict]:\n"
        '    """Does it.\n\n'
        "    Args:\n"
        "        on (bool): New state.\n"
        "        days (Optional[int]): No description.\n"
        "        x (Optional[object]): No description.\n"
        '    """\n'
        "    pass\n"
        "```"
    )


def test_who_wants_to_answer_in_words_is_not_asked_for_actions():
    turns = (UserTurn("hello"), AssistantTurn("", (RequestedCall("call_0", DIRECT_ANSWER, {}),)))
    asked, free = (render(ModelRequest("", part, (tool(),))) for part in (turns[:1], turns))
    ending = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    assert "Write 'Action:'" in asked
    assert "Write 'Action:'" not in free
    assert asked.startswith(free.removesuffix(ending))
    assert free.endswith(ending)


def test_without_tools_there_are_only_the_turns():
    assert render(ModelRequest("Be good.", (UserTurn("hello"),))) == (
        "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>Be good.<|END_OF_TURN_TOKEN|>"
        "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>hello<|END_OF_TURN_TOKEN|>"
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    )
