"""What answers say about figures."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import Number, Reading

STATED, CONTRADICTED = Reading.STATED, Reading.CONTRADICTED


@pytest.mark.parametrize(
    ("shown", "right"),
    [("7.46", True), ("7.5", True), ("7", False), ("7.4", False), ("8", False), ("7.460", True), ("7.462", False)],
)
def test_rounding_of_a_small_figure(shown: str, right: bool) -> None:
    assert (Number(7.46, "km").read(f"It's {shown} km.") is STATED) == right


@pytest.mark.parametrize(
    ("shown", "right"), [("293.15", True), ("293.2", True), ("293", False), ("293.05", True), ("293.3", False)]
)
def test_a_tolerance_replaces_rounding(shown: str, right: bool) -> None:
    assert (Number(293.15, "kelvin", tolerance=0.1).read(f"{shown} K") is STATED) == right


def test_a_tolerance_of_zero_is_exact() -> None:
    assert Number(14812.37, "CNY", tolerance=0).read("14,812 CNY") is CONTRADICTED
    assert Number(14812.37, "CNY", tolerance=0).read("14,812.37 CNY") is STATED
    assert Number(14812.37, "CNY").read("14,812 CNY") is STATED


def test_a_bad_unit_is_rejected() -> None:
    with pytest.raises(ScenarioError):
        Number(1, "°°")


def test_relative_tolerance_covers_a_round_figure() -> None:
    assert Number(14812.37, "CNY", relative=0.005).read("It's about 14,800 yuan.") is STATED
    assert Number(14812.37, "CNY", relative=0.005).read("It's about 14,900 yuan.") is CONTRADICTED
