"""What holds for every prompt format: nobody can speak with another's voice, and calls come back as they were made."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.loopback.prompts import READERS
from tool_sandbox.models.formats import FORMATS
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    UserTurn,
)

every_format = pytest.mark.parametrize("name", FORMATS)

FRAGMENTS = [
    *("<|im_end|>", "<|im_start|>", "system", "user\n", "<tool_call>", "</tool_call>", "<tool_response>"),
    *("</tool_response>", "<tools>", "</s>", "<s>", "### Instruction: ", "### Response: ", "#", "<<function>>"),
    *("<<question>>", "<<result>>", "<|EOT|>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[INST", "]"),
    *("[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<BOS_TOKEN>"),
    *("<|SYSTEM_TOKEN|>", "<results>", "</results>", "Action: ```json", "```", "<", "<|", "|>", ">", "\\", '"', "'"),
    *("\n", " ", "a", "é", "{", "}", "(", ")", "set_wifi_status", "[{", ",", "0"),
]
hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join).map(lambda text: re.sub("\n+", "\n", text))
said = hostile.map(lambda text: f"x{text}y")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | hostile | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile | st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = ("set_wifi_status", "class", "my-tool", "my_tool", "2fast")
PARAMETERS = ("on", "class", "a-b", "a_b", "1st")
arguments = st.dictionaries(st.sampled_from(PARAMETERS) | hostile, values, max_size=3)


def tool(name, description="Does something."):
    properties = {parameter: {"type": "string", "description": description} for parameter in PARAMETERS}
    parameters = {"type": "object", "properties": properties, "required": ["on"]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = tuple(tool(name) for name in NAMES)


@st.composite
def conversations(draw):
    turns = [UserTurn(draw(said))]
    for number in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            turns += [AssistantTurn(draw(said)), UserTurn(draw(said))]
            continue
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3))
        calls = tuple(
            RequestedCall(f"call_{place}", name, draw(arguments)) for place, name in enumerate(names, start=number)
        )
        results = tuple(ToolResult(call.id, call.name, draw(said | values.map(repr))) for call in calls)
        turns += [AssistantTurn(draw(st.just("") | said), calls), ResultsTurn(results)]
    return ModelRequest(draw(said), tuple(turns), TOOLS)


def squeezed(text):
    return re.sub(r"\s", "", text)


def as_result(text):
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str) else json.dumps(value)


@every_format
@settings(max_examples=50)
@given(request=conversations())
def test_what_is_said_cannot_end_a_turn_or_begin_one(name, request):
    prompt = FORMATS[name].render(request)
    assert prompt == FORMATS[name].render(request)
    prompt.encode()
    heard = READERS[name](prompt)
    expected = []
    for turn in request.turns:
        match turn:
            case UserTurn(text=text):
                expected.append(("user", squeezed(text), ()))
            case AssistantTurn(text=text, calls=calls):
                pairs = tuple((call.name, call.arguments) for call in calls)
                expected.append(("assistant", squeezed(text), pairs))
            case ResultsTurn(results=results):
                expected += [("tool", result.text, ()) for result in results]
    got = [(turn.role, turn.text, tuple((called, values) for _, called, values in turn.calls)) for turn in heard.turns]
    is_exact = name != "cohere"  # Its results are plain text.
    assert [
        (role, squeezed(text) if role != "tool" or not is_exact else text, () if name == "gorilla" else calls)
        for role, text, calls in got
    ] == [
        (
            role,
            text if role != "tool" else as_result(text) if is_exact else squeezed(text),
            () if name == "gorilla" else calls,
        )
        for role, text, calls in expected
    ]
    assert squeezed(heard.system) == squeezed(request.system)
    assert len(heard.tools) == len(TOOLS)


MODELS_TURN = {
    "hermes": ("<|im_start|>assistant\n", "<|im_end|>"),
    "gorilla": ("### Response: ", "\n### Response: "),
    "mistral": ("[/INST]", "</s>"),
    "cohere": ("<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
}


@every_format
@settings(max_examples=50)
@given(calls=st.lists(st.tuples(st.sampled_from(NAMES), arguments), min_size=1, max_size=4))
def test_calls_are_read_as_they_were_written(name, calls):
    turn = AssistantTurn("", tuple(RequestedCall(f"call_{i}", *call) for i, call in enumerate(calls)))
    prompt = FORMATS[name].render(ModelRequest("", (UserTurn("hello"), turn), TOOLS))
    begin, end = MODELS_TURN[name]
    text, read = FORMATS[name].parse(prompt.partition(begin)[2].partition(end)[0], TOOLS)
    assert text == ""
    assert [(call.name, call.arguments) for call in read] == calls
    assert len({call.id for call in read}) == len(calls)


@every_format
@given(text=hostile | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join) | st.text())
def test_whatever_a_model_writes_is_understood_as_something(name, text):
    said, calls = FORMATS[name].parse(text, TOOLS)
    assert isinstance(said, str)
    assert all(isinstance(call.arguments, dict | str) for call in calls)


@every_format
def test_lone_surrogates_do_not_get_into_a_prompt(name):
    bad = "a\ud800b"
    turns = (
        UserTurn(bad),
        AssistantTurn(bad, (RequestedCall(bad, bad, {bad: [bad]}), RequestedCall("call_2", "class", bad))),
        ResultsTurn((ToolResult(bad, bad, bad), ToolResult("call_2", "class", "1"))),
    )
    FORMATS[name].render(ModelRequest(bad, turns, (tool("class", bad),))).encode()


@every_format
def test_a_tools_description_cannot_end_a_turn(name):
    evil = "".join(FRAGMENTS)
    prompt = FORMATS[name].render(ModelRequest("", (UserTurn("hello"),), (tool("class", evil),)))
    assert READERS[name](prompt).tools == (("_class",) if name == "gorilla" else ("class",))


@every_format
@pytest.mark.parametrize("depth", [50, 5_000, 200_000])
def test_deep_nesting_is_survived(name, depth):
    deep = "[" * depth + "]" * depth
    text = {
        "hermes": f'<tool_call>\n{{"name": "class", "arguments": {{"on": {deep}}}}}\n</tool_call>',
        "gorilla": f"<<function>>_class(on={deep})",
        "mistral": f'[TOOL_CALLS] [{{"name": "class", "arguments": {{"on": {deep}}}}}]',
        "cohere": f'Action: ```json\n[{{"tool_name": "class", "parameters": {{"on": {deep}}}}}]\n```',
    }[name]
    said, calls = FORMATS[name].parse(text, TOOLS)
    assert said or calls
    if depth == 50:
        assert isinstance(calls[0].arguments, dict)
