"""The prompt format of Command R with tools.

The model always names actions first. To answer in words it names the pseudo-tool `DIRECT_ANSWER`, and is then asked
again without the instruction to name actions. The mark that begins a sequence is left out, because the server adds it.
"""

import re
from collections.abc import Mapping
from typing import Any

from tool_sandbox.models.formats.calls import Parsed, Tools, joined, leading_json, read_call, unreadable_call
from tool_sandbox.models.formats.marks import Marks
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, ResultsTurn, Turn, UserTurn

STOP = ("<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>")
"""Where the model's turn is over."""

DIRECT_ANSWER = "directly-answer"
"""Tool by which the model says that it wants to answer in words."""

_DIRECT_ANSWERS = frozenset({DIRECT_ANSWER, "directly_answer"})
_MARKS = Marks.of(
    r"<\|[^|<>\s]{1,40}\|>", r"<(?:BOS_TOKEN|EOS_TOKEN|EOP_TOKEN|MASK_TOKEN|PAD|UNK|CLS|SEP)>", r"</?results>"
)
_NO_DESCRIPTION = "No description."
_NO_TYPE = "object"
_PYTHON_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "List",
}

# The sections that the model was trained with.
_PREAMBLE = """\
# Safety Preamble
The instructions in this section override those in the task description and style guide sections. Don't answer \
questions that are harmful or immoral.

# System Preamble
## Basic Rules
You are a powerful conversational AI trained by Cohere to help people. You are augmented by a number of tools, and \
your job is to use and consume the output of these tools to best help the user. You will see a conversation history \
between yourself and a user, ending with an utterance from the user. You will then see a specific instruction \
instructing you what kind of response to generate. When you answer the user's requests, you cite your sources in your \
answers, according to those instructions.

# User Preamble
"""
_AVAILABLE_TOOLS = """

## Available Tools
Here is a list of tools that you have available to you:

"""
_INSTRUCTION = """\
Write 'Action:' followed by a json-formatted list of actions that you want to perform in order to produce a good \
response to the user's last input. You can use any of the supplied tools any number of times, but you should aim to \
execute the minimum number of necessary actions for the input. You should use the `directly-answer` tool if calling \
the other tools is unnecessary. The list of actions you want to call should be formatted as a list of json objects, \
for example:
```json
[
    {
        "tool_name": title of the tool in the specification,
        "parameters": a dict of parameters to input into the tool as they are defined in the specs, or {} if it takes \
no parameters
    }
]```"""


def to_cohere_tool(openai_tool: Mapping[str, Any]) -> dict[str, Any]:
    """Rewrites an OpenAI tool description for Cohere's tool-use chat template."""
    if openai_tool["type"] != "function":
        # An assertion by contract: outside code expects this class of error.
        raise AssertionError(f"only functions can be converted, got a tool of type {openai_tool['type']!r}")
    function = openai_tool["function"]
    parameters = function["parameters"]
    return {
        "name": function["name"],
        "description": function.get("description") or _NO_DESCRIPTION,
        "parameter_definitions": {
            name: {
                "description": definition.get("description") or _NO_DESCRIPTION,
                "type": definition.get("type") or _NO_TYPE,
                "required": name in parameters["required"],
            }
            for name, definition in parameters["properties"].items()
        },
    }


def render(request: ModelRequest) -> str:
    """The prompt."""
    answers, turns = is_direct_answer(request), request.turns
    parts = [_system(request)]
    parts += [_turn(turn) for turn in (turns[:-1] if answers else turns)]
    if request.tools and not answers:
        parts.append(_block("SYSTEM", _INSTRUCTION))
    return "".join(parts) + "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"


def is_direct_answer(request: ModelRequest) -> bool:
    """Whether a request ends with the model's wish to answer in words."""
    last = request.turns[-1] if request.turns else None
    return isinstance(last, AssistantTurn) and [call.name for call in last.calls] == [DIRECT_ANSWER]


def _block(role: str, content: str) -> str:
    return f"<|START_OF_TURN_TOKEN|><|{role}_TOKEN|>{content}<|END_OF_TURN_TOKEN|>"


def _system(request: ModelRequest) -> str:
    system = _MARKS.in_text(request.system)
    if request.tools:
        tools = "\n\n".join(_signature(to_cohere_tool(tool)) for tool in request.tools)
        return _block("SYSTEM", f"{_PREAMBLE}{system}{_AVAILABLE_TOOLS}{tools}")
    return _block("SYSTEM", system) if system else ""


def _signature(tool: Mapping[str, Any]) -> str:
    definitions: Mapping[str, Mapping[str, Any]] = tool["parameter_definitions"]
    types = {name: _python_type(definition) for name, definition in definitions.items()}
    parameters = ", ".join(
        f"{name}: {types[name]}" + ("" if definition["required"] else " = None")
        for name, definition in definitions.items()
    )
    lines = [f"{name} ({types[name]}): {definition['description']}" for name, definition in definitions.items()]
    arguments = "\n\n    Args:\n        " + "\n        ".join(lines) if lines else ""
    source = (
        f'def {tool["name"]}({parameters}) -> List[Dict]:\n    """{tool["description"]}{arguments}\n    """\n    pass'
    )
    return f"```python\n{_MARKS.in_text(source)}\n```"


def _python_type(definition: Mapping[str, Any]) -> str:
    name = _PYTHON_TYPES.get(str(definition["type"]), str(definition["type"]))
    return name if definition["required"] else f"Optional[{name}]"


def _turn(turn: Turn) -> str:
    match turn:
        case UserTurn(text=text):
            return _block("USER", _MARKS.in_text(text.strip()))
        case ResultsTurn(results=results):
            return "".join(
                _block("SYSTEM", f"<results>\n{_MARKS.in_text(result.text.strip())}</results>") for result in results
            )
        case AssistantTurn(text=text, calls=calls):
            said = _MARKS.in_text(text.strip())
            entries = [{"tool_name": call.name, "parameters": call.arguments} for call in calls]
            action = f"Action: ```json\n{_MARKS.in_json(entries, indent=4)}\n```"
            return _block("CHATBOT", joined([said, action]) if calls else said)


_ACTION = re.compile(r"Action:\s*```(?:json)?")
_FENCE = re.compile(r"\s*```")


def parse(text: str, tools: Tools = ()) -> Parsed:
    """Reads what the model wrote."""
    said, calls = _parse(text)
    words = [word for call in calls if call.name in _DIRECT_ANSWERS for word in _words(call.arguments)]
    return joined([said, *words]), tuple(call for call in calls if call.name not in _DIRECT_ANSWERS)


def _words(parameters: Mapping[str, Any] | str) -> list[str]:
    values = parameters.values() if isinstance(parameters, Mapping) else ()
    return [value for value in values if isinstance(value, str)]


def wants_to_answer(text: str) -> bool:
    """Whether all that the model wrote is the wish to answer in words."""
    return any(call.name in _DIRECT_ANSWERS for call in _parse(text)[1]) and parse(text) == ("", ())


def _parse(text: str) -> Parsed:
    action = _ACTION.search(text)
    if action is None:
        return text.strip(), ()
    try:
        entries, end = leading_json(text, action.end())
    except ValueError:
        entries, end = None, len(text)
    written = text[action.start() : end]
    fence = _FENCE.match(text, end)
    said = joined([text[: action.start()], text[fence.end() if fence else end :]])
    if not isinstance(entries, list):
        return said, (unreadable_call("call_0", "tool_name", written),)
    return said, tuple(
        read_call(entry, f"call_{number}", "tool_name", "parameters", written) for number, entry in enumerate(entries)
    )
