"""JSON that a program of an agent sends: bounded before anything is built from it."""

import itertools
import json
import re
from typing import Any, NoReturn

LARGEST_MESSAGE = 4 * 2**20
"""Bytes of one message, and of the arguments of all calls of one program, or of one conversation with an agent that has
a loop of its own."""

LARGEST_ARGUMENTS = 2**20
"""Characters of the arguments of one call."""

DEEPEST_ARGUMENTS = 100
"""Levels of lists and objects in the arguments of one call."""

MOST_ELEMENTS = 2**19
"""Values in all lists and objects of one message."""

MOST_DIGITS = 4300
"""Digits of one number, as Python itself has it."""

_DEEPEST = 400


def read_json(data: bytes | str, deepest: int = _DEEPEST) -> Any:
    """Reads JSON that may be made to harm the reader."""
    text = data.decode() if isinstance(data, bytes) else data
    unescaped = text.replace("\\\\", "").replace('\\"', "")
    if unescaped.count('"') > 4 * MOST_ELEMENTS:
        raise ValueError("too many texts")
    structure = "".join(unescaped.split('"')[::2])
    if sum(map(structure.count, ",[{")) > MOST_ELEMENTS:
        raise ValueError(f"more than {MOST_ELEMENTS} elements")
    if max(map(len, re.findall("[0-9]+", structure)), default=0) > MOST_DIGITS:
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    steps = (1 if mark in "[{" else -1 for mark in re.sub(r"[^\[\]{}]+", "", structure))
    if max(itertools.accumulate(steps), default=0) > deepest:
        raise ValueError(f"nested more than {deepest} levels deep")
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def fault_of_arguments(arguments: Any) -> str | None:
    """Why the arguments of a call are not taken, for any caller."""
    size, level = 0, [arguments]
    for _ in range(DEEPEST_ARGUMENTS + 1):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list | tuple | set | frozenset):
                inner += value
            size += len(value) if isinstance(value, str | bytes) else _digits(value)
            if max(size, len(inner)) > LARGEST_ARGUMENTS:
                return f"arguments of more than {LARGEST_ARGUMENTS:,} characters"
        if not inner:
            return None
        level = inner
    return f"arguments nested more than {DEEPEST_ARGUMENTS} levels deep"


def _digits(value: Any) -> int:
    return 1 + value.bit_length() // 3 if isinstance(value, int) else 1
