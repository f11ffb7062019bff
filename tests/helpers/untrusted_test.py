"""JSON from programs of agents: what is taken, what is not, and that refusing costs little."""

import json
from typing import Any

import pytest

from tool_sandbox.conversation import wire
from tool_sandbox.helpers.untrusted import (
    DEEPEST_ARGUMENTS,
    LARGEST_ARGUMENTS,
    MOST_DIGITS,
    MOST_ELEMENTS,
    fault_of_arguments,
    read_json,
)


def _kind(value: Any) -> str:
    # Values are too long for the name of a test.
    return type(value).__name__


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True, {"b": "[{,}]"}]},
        "[" * 5000,
        '\\"[[[',
        ["\\", "\\\\", '"', '\\"', "9" * 10_000],
        10**MOST_DIGITS // 10,
        nested(400),
        "\ud800",
    ],
    ids=_kind,
)
def test_ordinary_json_is_read(value: Any) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 401 + "]" * 401, "levels"),
        ("[" * 10**5, "levels"),
        ('{"a":' * 10**5, "levels"),
        ('["\\\\",' + "[" * 500, "levels"),
        ('["\\"",' + "[" * 500, "levels"),
        ("[" + "[]," * MOST_ELEMENTS + "[]]", "elements"),
        ("[" + "1," * MOST_ELEMENTS + "1]", "elements"),
        ('"' * 2**22, "texts"),
        ('"' + '\\"' * 2**21, "Unterminated"),
        ("9" * (MOST_DIGITS + 1), "digits"),
        ("[NaN]", "NaN"),
        ("-Infinity", "Infinity"),
        ("", "Expecting"),
        ("\x00", "Expecting"),
    ],
    ids=_kind,
)
def test_what_breaks_a_bound_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        read_json(b'"\xff"')


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"a": "x" * (LARGEST_ARGUMENTS + 1)}, "characters"),
        ({"x" * (LARGEST_ARGUMENTS + 1): 1}, "characters"),
        ([[b"x" * 1000] * 1000] * 1000, "characters"),
        ([[1] * 2000] * 2000, "characters"),
        (1 << (4 * LARGEST_ARGUMENTS), "characters"),
        (nested(DEEPEST_ARGUMENTS + 2), "levels"),
        (nested(10**5), "levels"),
        ({"a": "x" * 1000, "b": [1, (2, {3})]}, None),
        (nested(DEEPEST_ARGUMENTS), None),
    ],
    ids=_kind,
)
def test_arguments_are_bounded_in_size_and_depth(arguments: Any, reason: str | None) -> None:
    fault = fault_of_arguments(arguments)
    assert fault is None if reason is None else fault is not None and reason in fault


MODULUS = 2**61 - 1
"""All its multiples have the hash 0."""


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["set", "frozenset", "dict"])
@pytest.mark.parametrize("wrap", [lambda number: number, lambda number: {"tuple": [number]}])
def test_keys_of_one_hash_are_refused_before_they_meet(tag: str, wrap: Any) -> None:
    # With so many, every insertion compares with all before: what is not refused does not end.
    items = [wrap(MODULUS * number) for number in range(2 * 10**5)]
    with pytest.raises(ValueError, match="same hash"):
        wire.decode({tag: [[item, 0] for item in items] if tag == "dict" else items})


def test_a_few_of_one_hash_are_taken() -> None:
    value = {MODULUS * number for number in range(50)} | {-1, -2}
    assert wire.decode(wire.encode(value)) == value
    assert wire.decode(wire.encode(dict.fromkeys(value, 1))) == dict.fromkeys(value, 1)
