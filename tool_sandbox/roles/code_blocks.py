"""Python in what a model writes: finding it in an answer, and writing it as the model would have."""

import re
from collections.abc import Mapping
from typing import Any

import attrs

LANGUAGES = frozenset({"python", "py", "python3"})
"""What may stand behind the fence of a block that is run."""

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<language>[^`\s]*)(?P<rest>[^`]*)")


@attrs.frozen
class ParsedReply:
    """A reply of a model, taken apart.

    Attributes:
        text: What stands outside of the code; blocks of other languages are part of it.
        code: All blocks of Python, one after the other, ``None`` if there is none.
        is_open: Whether the last block has no end.
    """

    text: str
    code: str | None = None
    is_open: bool = False


def split_reply(reply: str) -> ParsedReply:
    """Finds the code in a reply.

    A block begins with a line of three or more backticks or tildes and ``python``, and ends with a line of as many or
    more, or with the reply. Blocks of other languages, and those that name none, are text.
    """
    text: list[str] = []
    blocks: list[str] = []
    block: list[str] = []
    marks, is_python = "", False
    for line in reply.splitlines():
        if not marks:
            fence = _FENCE.fullmatch(line)
            if fence is not None:
                marks, is_python = fence["marks"], fence["language"].lower() in LANGUAGES
            if fence is None or not is_python:
                text.append(line)
        elif _closes(line, marks):
            if is_python:
                blocks.append("\n".join(block))
                block = []
            else:
                text.append(line)
            marks = ""
        else:
            (block if is_python else text).append(line)
    is_open = bool(marks) and is_python
    if is_open:
        blocks.append("\n".join(block))
    return ParsedReply("\n".join(text).strip(), "\n\n".join(blocks) if blocks else None, is_open)


def _closes(line: str, marks: str) -> bool:
    line = line.strip()
    return len(line) >= len(marks) and not line.strip(marks[0])


def fenced(code: str) -> str:
    """A block of Python as a model writes it."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}python\n{code}\n{marks}"


def written_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A tool call as an expression of Python."""
    from tool_sandbox.helpers.literals import to_literal

    if all(word.isidentifier() for word in arguments):
        return f"{name}({', '.join(f'{word}={to_literal(value)}' for word, value in arguments.items())})"
    return f"{name}(**{to_literal(dict(arguments))})"
