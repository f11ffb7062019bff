"""Worlds and tasks to train on, and others to evaluate on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.runner.selection import select
from tool_sandbox.runner.splits import SPLITS, scenarios_in, seed_in
from tool_sandbox.world.errors import ConfigurationError


@given(st.sets(st.integers(-(2**40), 2**40), max_size=20))
def test_no_seed_is_in_both(numbers: set[int]) -> None:
    train, held_out = ({seed_in(split, number) for number in numbers} for split in SPLITS)
    assert train.isdisjoint(held_out)
    assert len(train) == len(held_out) == len(numbers)
    assert {seed_in(None, number) for number in numbers} == numbers


def test_the_first_that_is_held_out_is_that_of_a_run() -> None:
    assert seed_in("held_out", 0) == 0


def test_families_are_in_one_split_each() -> None:
    infos = select(None)
    train, held_out = (scenarios_in(split, infos, ["weather", "settings"]) for split in SPLITS)
    assert {info.family for info in held_out} == {"weather", "settings"}
    assert {info.family for info in train}.isdisjoint(info.family for info in held_out)
    assert len(train) + len(held_out) == len(infos)
    assert scenarios_in("train", infos, []) == scenarios_in(None, infos, []) == infos


@pytest.mark.parametrize(
    ("split", "families", "told"),
    [
        ("trian", [], "there is no split 'trian'. Did you mean: train?"),
        (None, ["weather"], "goes with a split"),
        ("held_out", ["wether"], "Did you mean: weather"),
    ],
)
def test_what_is_wrong_is_one_line(split: str | None, families: list[str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told.replace("?", "")):
        scenarios_in(split, select(["wifi_off", "get_wifi"]), families)
