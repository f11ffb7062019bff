"""What comparisons are made of: who comes first, and what is drawn to compare."""

import pytest

from tool_sandbox.common.facts import Reading
from tool_sandbox.scenarios.families.comparisons import WARMER, Leader, several
from tool_sandbox.scenarios.world import World

BAY = Leader("Bay", instead_of="Lake", about=WARMER)


@pytest.mark.parametrize(
    "text",
    [
        "The Bay is warmer than the Lake: 75 °F against 68 °F.",
        "It is 68 °F at the Lake and 75 °F at the Bay. The Bay is warmer.",
        "It's 75 °F at the Bay, which is warmer than at the Lake.",
        "Warmer: Bay",
    ],
)
def test_the_other_side_of_a_comparison_is_not_said_to_come_first(text):
    assert BAY.read(text) is Reading.STATED


@pytest.mark.parametrize(
    "text", ["The Lake is warmer than the Bay.", "The Lake is warmer.", "The warmer one is not the Bay."]
)
def test_the_wrong_one_first_is_a_false_answer(text):
    assert BAY.read(text) is Reading.CONTRADICTED


def test_several_draws_are_different_and_canonical_ones_come_in_the_written_order():
    pool = ("a", "b", "c", "d")
    assert several(World("any", 0), pool, 3) == ["a", "b", "c"]
    drawn = [tuple(several(World("any", seed), pool, 3)) for seed in range(1, 30)]
    assert all(len(set(draw)) == 3 for draw in drawn)
    assert len(set(drawn)) > 5
