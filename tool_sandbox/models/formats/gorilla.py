"""The prompt format of Gorilla OpenFunctions v2, in which calls are Python expressions.

The model was trained on single questions. What was said and done before them is shown in the same form, oldest first,
and results under a mark of their own. What the model writes is parsed and never evaluated.
"""

import ast
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tool_sandbox.helpers.literals import evaluate_literal
from tool_sandbox.helpers.syntax import parse_expression
from tool_sandbox.models.formats.calls import Parsed, Tools, json_or_text
from tool_sandbox.models.formats.marks import Marks
from tool_sandbox.models.messages import AssistantTurn, ModelRequest, RequestedCall, ResultsTurn, Turn, UserTurn

STOP = ("<|EOT|>", "### Instruction:", "<<question>>")
"""Where the model's turn is over."""

# The sentence that the model was trained with.
_SYSTEM = (
    "You are an AI programming assistant, utilizing the Gorilla LLM model, developed by Gorilla LLM, and you only "
    "answer questions related to computer science. For politically sensitive questions, security and privacy issues, "
    "and other non-computer science questions, you will refuse to answer."
)
_FUNCTION, _QUESTION, _RESULT = "<<function>>", "<<question>>", "<<result>>"
_MARKS = Marks.of(
    r"<[|｜][^|｜<>]{1,40}[|｜]>", r"<<\s*(?:function|question|result)\s*>>", r"#{2,}\s*(?:instruction|response)\s*:"
)


class _Names:
    """Names as the model sees them, which have to be Python's, and as they are."""

    def __init__(self, names: Iterable[str]) -> None:
        self.real: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        for name in names:
            shown = _identifier(name)
            while shown in self.real:
                shown += "_"
            self.real[shown] = name
            self.shown[name] = shown


def _identifier(name: str) -> str:
    valid = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    return f"_{valid}" if valid[0].isdigit() or keyword.iskeyword(valid) else valid


class _Signatures:
    """The offered tools by their names, and the parameters of each."""

    def __init__(self, tools: Tools) -> None:
        functions = [tool["function"] for tool in tools]
        self.tools = _Names(function["name"] for function in functions)
        self.parameters = {function["name"]: _Names(_properties(function)) for function in functions}

    def shown(self, name: str) -> str:
        """The name of a tool as the model sees it, also of one that there is not."""
        return self.tools.shown.get(name) or _identifier(name)


def _properties(function: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = function.get("parameters", {}).get("properties", {})
    return properties


def render(request: ModelRequest) -> str:
    """The prompt."""
    signatures = _Signatures(request.tools)
    last = max((place for place, turn in enumerate(request.turns) if isinstance(turn, UserTurn)), default=-1)
    parts = [_SYSTEM, "\n"]
    if request.system:
        parts += [_MARKS.in_text(request.system), "\n"]
    for place, turn in enumerate(request.turns):
        functions = _functions(request.tools, signatures) if place == last else ""
        parts.append(_turn(turn, functions, signatures))
    return "".join(parts) + "### Response: "


def _functions(tools: Tools, signatures: _Signatures) -> str:
    """The tools, which stand before the newest question as the model has learnt it."""
    if not tools:
        return ""
    shown = [_with_valid_names(tool, signatures) for tool in tools]
    return f"{_FUNCTION}{_MARKS.in_json(shown)}\n"


def _with_valid_names(tool: Mapping[str, Any], signatures: _Signatures) -> dict[str, Any]:
    function = tool["function"]
    shown = {**function, "name": signatures.tools.shown[function["name"]]}
    if "parameters" in function:
        names, parameters = signatures.parameters[function["name"]].shown, dict(function["parameters"])
        parameters["properties"] = {names[name]: entry for name, entry in _properties(function).items()}
        parameters["required"] = [names.get(name, name) for name in parameters.get("required", ())]
        shown["parameters"] = parameters
    return {**tool, "function": shown}


def _turn(turn: Turn, functions: str, signatures: _Signatures) -> str:
    match turn:
        case UserTurn(text=text):
            blank = "" if functions else " "
            return f"### Instruction: {functions}{_QUESTION}{blank}{_MARKS.in_text(text)}\n"
        case ResultsTurn(results=results):
            shown = [
                {"name": signatures.shown(result.name), "content": json_or_text(result.text)} for result in results
            ]
            return "### Instruction: " + "".join(f"{_RESULT}{_MARKS.in_json(result)}\n" for result in shown)
        case AssistantTurn(text=text, calls=calls):
            said = _MARKS.in_text(text)
            return f"### Response: {said}{''.join(_call(call, signatures) for call in calls)}\n"


def _call(call: RequestedCall, signatures: _Signatures) -> str:
    name = signatures.shown(call.name)
    if isinstance(call.arguments, str):
        return f"{_FUNCTION}{name}({_MARKS.in_python(call.arguments)})"
    parameters = signatures.parameters.get(call.name) or _Names(())
    known = {key: value for key, value in call.arguments.items() if key in parameters.shown}
    # A parameter that the tool does not have, with a name that may not be Python's.
    others = {key: value for key, value in call.arguments.items() if key not in known}
    keywords = [f"{parameters.shown[key]}={_MARKS.in_python(value)}" for key, value in known.items()]
    keywords += [f"**{_MARKS.in_python(others)}"] if others else []
    return f"{_FUNCTION}{name}({', '.join(keywords)})"


def parse(text: str, tools: Tools = ()) -> Parsed:
    """Reads what the model wrote."""
    signatures = _Signatures(tools)
    is_marked = _FUNCTION in text
    pieces = [piece.strip() for piece in text.split(_FUNCTION) if piece.strip()]
    nodes = [_call_node(piece) for piece in pieces]
    calls = [
        _read(node, piece, f"call_{number}", signatures)
        for number, (node, piece) in enumerate(zip(nodes, pieces, strict=True))
        if node is not None and (is_marked or _name(node) in signatures.tools.real)
    ]
    return ("", tuple(calls)) if calls and len(calls) == len(pieces) else (text.strip(), ())


def _call_node(piece: str) -> ast.Call | None:
    """A piece as one call of a plain name, ``None`` if it is anything else."""
    try:
        node = parse_expression(piece)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return node if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _read(node: ast.Call, piece: str, call_id: str, signatures: _Signatures) -> RequestedCall:
    name = signatures.tools.real.get(_name(node), _name(node))
    try:
        arguments = _arguments(node, signatures.parameters.get(name) or _Names(()))
    except (ValueError, RecursionError):
        return RequestedCall(call_id, name, piece)
    return RequestedCall(call_id, name, arguments)


def _arguments(node: ast.Call, parameters: _Names) -> dict[str, Any]:
    positional = list(parameters.real)
    if len(node.args) > len(positional):
        raise ValueError("more arguments than parameters")
    pairs: list[tuple[str, Any]] = [
        (parameters.real[shown], evaluate_literal(value)) for shown, value in zip(positional, node.args, strict=False)
    ]
    for entry in node.keywords:
        value = evaluate_literal(entry.value)
        if entry.arg is not None:
            pairs.append((parameters.real.get(entry.arg, entry.arg), value))
        elif isinstance(value, dict):
            pairs += value.items()
        else:
            raise ValueError("** of something else than a dict")
    return _object(pairs)


def _object(pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise ValueError("names have to be text, and each may occur once")
    return {name: _json_value(value) for name, value in pairs}


def _json_value(value: Any) -> Any:
    """A literal as JSON data, tuples as lists."""
    match value:
        case int():
            # Raises for a number of more digits than Python is willing to write.
            str(value)
            return value
        case None | float() | str():
            return value
        case list() | tuple():
            return [_json_value(item) for item in value]
        case dict():
            return _object(list(value.items()))
    raise ValueError(f"{type(value).__name__} is not JSON")
