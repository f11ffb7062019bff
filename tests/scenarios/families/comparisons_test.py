"""What comparisons are made of: who comes first, and what is drawn to compare."""

import pytest

from tool_sandbox.answers.facts import Reading
from tool_sandbox.scenarios.families.comparisons import WARMER, Leader, several, symbol_figures
from tool_sandbox.scenarios.world import World

BAY = Leader("Bay", instead_of="Lake", about=WARMER)


@pytest.mark.parametrize(
    "text",
    [
        "The Bay is warmer than the Lake: 75 °F against 68 °F.",
        "It is 68 °F at the Lake and 75 °F at the Bay. The Bay is warmer.",
        "It's 75 °F at the Bay, which is warmer than at the Lake.",
        "Warmer: Bay",
        "Bay.\n\n- Lake: 68 °F\n- Bay: 75 °F",
        "It's the Bay with 75 °F; the Lake only has 68 °F.",
        "From warmest to coldest: Bay (75 °F), Lake (68 °F).",
        "The Bay, at 75 °F.",
    ],
)
def test_the_other_side_of_a_comparison_is_not_said_to_come_first(text):
    assert BAY.read(text) is Reading.STATED


@pytest.mark.parametrize(
    "text", ["The Lake is warmer than the Bay.", "The Lake is warmer.", "The warmer one is not the Bay."]
)
def test_the_wrong_one_first_is_a_false_answer(text):
    assert BAY.read(text) is Reading.CONTRADICTED


@pytest.mark.parametrize("text", ["It is 75 °F at the Bay and 68 °F at the Lake.", "- Bay: 75 °F\n- Lake: 68 °F"])
def test_figures_alone_do_not_say_who_comes_first(text):
    assert BAY.read(text) is Reading.SILENT


def test_the_second_of_a_ranking_does_not_come_first():
    assert BAY.read("From warmest to coldest: Lake (75 °F), Bay (68 °F).") is Reading.CONTRADICTED


def test_symbols_that_are_numbers_are_no_prices():
    assert symbol_figures(["Coca-Cola", "Toyota", "Roche"], World("any", 0).now) == [7203.0]


def test_several_draws_are_different_and_canonical_ones_come_in_the_written_order():
    pool = ("a", "b", "c", "d")
    assert several(World("any", 0), pool, 3) == ["a", "b", "c"]
    drawn = [tuple(several(World("any", seed), pool, 3)) for seed in range(1, 30)]
    assert all(len(set(draw)) == 3 for draw in drawn)
    assert len(set(drawn)) > 5
