"""Neighbouring values: of the same type and kind, close, and never equal."""

import pytest

from tool_sandbox.roles.mistakes import neighbour


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("USD", "EUR"),
        ("EUR", "USD"),
        ("celsius", "kelvin"),
        ("kelvin", "celsius"),
        ("mile", "kilometer"),
        (1747243445.0, 1747247045.0),
        (99_999, 100_000),
        ("7:30", "7:31"),
        ("9", "0"),
        ([1, 2], [1, 2]),
    ],
)
def test_a_neighbour_is_of_the_same_kind(value: object, expected: object) -> None:
    assert neighbour(value) == expected
