"""The prompt format of Hermes 2 Pro: ChatML with tools, calls and results as JSON between tags."""

from collections.abc import Iterator
from contextlib import suppress

from tool_sandbox.models.formats.calls import (
    Parsed,
    Tools,
    joined,
    json_or_text,
    leading_json,
    read_call,
    unreadable_call,
)
from tool_sandbox.models.formats.marks import Marks
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    Turn,
    UserTurn,
)

STOP = ("<|im_end|>", "<|im_start|>")
"""Where the model's turn is over."""

_MARKS = Marks.of(
    r"<\|[^|<>\s]{1,40}\|>", r"</?s>", r"<(?:unk|pad)>", r"</?tool_call>", r"</?tool_response>", r"</?tools>"
)
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_CALL_SCHEMA = {
    "title": "FunctionCall",
    "type": "object",
    "properties": {
        "name": {"title": "Name", "type": "string"},
        "arguments": {"title": "Arguments", "type": "object"},
    },
    "required": ["name", "arguments"],
}


def render(request: ModelRequest) -> str:
    """The prompt."""
    blocks = [_block("system", _tool_prompt(request.tools))] if request.tools else []
    if request.system:
        blocks.append(_block("system", _MARKS.in_text(request.system)))
    blocks += [_turn(turn) for turn in request.turns]
    return "".join(blocks) + "<|im_start|>assistant\n"


def _block(role: str, content: str) -> str:
    return f"<|im_start|>{role}\n{content}<|im_end|>\n"


def _tool_prompt(tools: Tools) -> str:
    listed = _MARKS.in_json(tools[0] if len(tools) == 1 else list(tools))
    return (
        "You can call functions to help with what the user asks, one or several of them at a time. Do not guess the "
        f"values of arguments. These are the functions, between XML tags: <tools> {listed} </tools> "
        f"Every call has to follow this JSON schema: {_MARKS.in_json(_CALL_SCHEMA)} "
        "Write each call as a JSON object with the function's name and arguments, between XML tags of its own:\n"
        f"{_OPEN}\n"
        '{"name": "function_name", "arguments": {"argument_name": "value"}}'
        f"\n{_CLOSE}"
    )


def _turn(turn: Turn) -> str:
    match turn:
        case UserTurn(text=text):
            return _block("user", _MARKS.in_text(text))
        case ResultsTurn(results=results):
            return _block("tool", "\n".join(map(_response, results)))
        case AssistantTurn(text=text, calls=calls):
            parts = [_MARKS.in_text(text)] if text else []
            return _block("assistant", "\n".join([*parts, *map(_call, calls)]))


def _call(call: RequestedCall) -> str:
    return f"{_OPEN}\n{_MARKS.in_json({'name': call.name, 'arguments': call.arguments})}\n{_CLOSE}"


def _response(result: ToolResult) -> str:
    body = _MARKS.in_json({"name": result.name, "content": json_or_text(result.text)})
    return f"<tool_response>\n{body}\n</tool_response>"


def parse(text: str, tools: Tools = ()) -> Parsed:
    """Reads what the model wrote."""
    said: list[str] = []
    calls: list[RequestedCall] = []
    place = 0
    for start, end in _tags(text):
        said.append(text[place:start])
        calls.append(_read(text[start:end], f"call_{len(calls) + 1}"))
        place = end
    said.append(text[place:])
    return joined(said), tuple(calls)


def _tags(text: str) -> Iterator[tuple[int, int]]:
    """Beginning and end of each call, tags included; one that is not closed ends where the next one begins."""
    start = text.find(_OPEN)
    while start >= 0:
        inside = start + len(_OPEN)
        with suppress(ValueError):
            # A closing tag inside of an argument is not the end.
            inside = leading_json(text, inside)[1]
        next_start, close = text.find(_OPEN, inside), text.find(_CLOSE, inside)
        is_closed = close >= 0 and (next_start < 0 or close < next_start)
        end = close + len(_CLOSE) if is_closed else next_start if next_start >= 0 else len(text)
        yield start, end
        start = next_start


def _read(written: str, call_id: str) -> RequestedCall:
    try:
        entry, end = leading_json(written, len(_OPEN))
    except ValueError:
        return unreadable_call(call_id, "name", written)
    if written[end:].strip() != _CLOSE:
        return unreadable_call(call_id, "name", written)
    return read_call(entry, call_id, "name", "arguments", written)
