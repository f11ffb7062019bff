"""Whether a tool says what a caller has to know: what it does, each argument, the result, the errors."""

import inspect
import re
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, Union

from tool_sandbox.world.not_given import NotGiven
from tool_sandbox.world.tool import Tool, ToolFunction

_HEADER = re.compile(r"(Args|Returns|Raises):\s*")
_ENTRY = re.compile(r"( {4})(\w+(?:\.\w+)*): (\S.*)")
_NAME = re.compile(r"[a-z]+(_[a-z0-9]+)+")
_PLAIN = (str, int, float, bool, type(None), NotGiven)


def sections(docstring: str) -> dict[str, dict[str, str]]:
    """Sections of a docstring in the style of Google: header to entries; what has one text has it under ``""``."""
    found: dict[str, dict[str, str]] = {"": {"": ""}}
    header, name = "", ""
    for line in docstring.splitlines():
        if (match := _HEADER.fullmatch(line)) is not None:
            header, name = match[1], ""
            found[header] = {}
        elif header in ("Args", "Raises") and (entry := _ENTRY.match(line)) is not None:
            name = entry[2]
            found[header][name] = entry[3]
        elif line.strip():
            found[header][name] = f"{found[header].get(name, '')} {line.strip()}".strip()
    return found


def declared_errors(function: ToolFunction) -> tuple[str, ...]:
    """Names of the errors that a tool says it raises, without their modules."""
    return tuple(name.rpartition(".")[2] for name in sections(Tool.of(function).docstring).get("Raises", {}))


def flaws(function: ToolFunction) -> Iterator[str]:
    """What is missing in the declaration of a tool, in one line each."""
    name, tool = function.__name__, Tool.of(function)
    said = sections(tool.docstring)
    if not Tool.is_registered(function):
        yield f"{name} is no tool; put @tool above it"
        return
    if not _NAME.fullmatch(name):
        yield f"tool {name} must be named verb_noun in lower case"
    if not said[""][""]:
        yield f"tool {name} does not say what it does: it needs a docstring"
        return
    parameters = {each.name: each for each in tool.parameters}
    for each in parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.POSITIONAL_ONLY):
            yield f"tool {name}: parameter {each.name} must be an ordinary one"
        if not _is_plain(each.annotation):
            yield f"tool {name}: parameter {each.name} needs a type made of str, int, float, bool, list, dict and None"
        if each.name not in said.get("Args", {}):
            yield f"tool {name}: its docstring says nothing of {each.name} under Args"
    for missing in sorted(said.get("Args", {}).keys() - parameters.keys()):
        yield f"tool {name}: its docstring describes {missing!r} under Args, which is no parameter"
    if inspect.signature(function).return_annotation is inspect.Signature.empty or not said.get("Returns"):
        yield f"tool {name} does not say what it returns: it needs a type and a section Returns"
    if parameters and not said.get("Raises"):
        yield f"tool {name} does not say which errors it raises: its docstring needs a section Raises"


def _is_plain(annotation: Any) -> bool:
    """Whether a model can be told of a type, and can send a value of it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        return all(map(_is_plain, arguments))
    if origin is Literal:
        return all(isinstance(each, (str, int)) for each in arguments)
    if origin in (list, dict):
        return all(each is Any or _is_plain(each) for each in arguments)
    return annotation in _PLAIN
