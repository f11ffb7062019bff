"""What answers say about figures."""

import pytest

from tool_sandbox.answers.facts import Number, Reading
from tool_sandbox.world.errors import ScenarioError

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


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It is 43.5 °F. 6.4 °C x 9/5 + 32 = 11.52 + 32 = **43.52 °F**", True),
        ("6.4 × 1.8 + 32 = 43.5", True),
        ("(6.4 * 1.8) + 32 ≈ 43.5 °F", True),
        ("43.52 = 6.4 × 9/5 + 32", True),
        ("| Reported | Arithmetic | Now |\n|---|---|---|\n| 6.4 °C | 6.4 x 1.8 + 32 | **43.5 °F** |", True),
        ("| | °C | °F |\n|---|---|---|\n| Now | 6.4 | 43.5 |", True),
        ("| Where | Then (°C) | Then (°F) |\n|:--|--:|--:|\n| There | **6.4** | **43.5** |", True),
        ("6.4 × 1.8 + 32 = 44.1", False),
        ("6.4 °C + 32 = 38.4 °F", False),
        ("Between 40.1 - 46.4 °F", False),
        ("| | °C | °F |\n|---|---|---|\n| Now | 6.4 | 44.1 |", False),
    ],
)
def test_of_arithmetic_the_result_is_read(answer: str, right: bool) -> None:
    assert Number(43.52, "fahrenheit").read(answer) is (STATED if right else CONTRADICTED)
