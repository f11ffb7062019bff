"""Scores and trajectories are the same on every date and in every zone, and it would be noticed if they were not."""

import attrs
import pytest

from tool_sandbox.helpers.spreading import Processes
from tool_sandbox.proof.elsewhere import PLACES, differing, play_elsewhere
from tool_sandbox.scenarios import list_scenarios


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_nothing_depends_on_the_date_and_zone_of_the_machine(part: int) -> None:
    # As they are, `scripts/test` plays them in all places.
    instances = [(info.name, 0) for info in list_scenarios() if info.augmentation == "all_tools"][part::4]
    outcomes = play_elsewhere(instances, Processes(2))
    assert [outcome.imperfect for outcome in outcomes] == [[]] * len(PLACES)
    assert differing(outcomes) == []
    # All clocks of each process really stood where they should.
    assert [outcome.clocks for outcome in outcomes] == [[days] for days, _ in PLACES]
    assert all(len(outcome.digests) == len(instances) for outcome in outcomes)


def test_there_are_five_dates_in_three_zones() -> None:
    assert len({days for days, _ in PLACES}) == 5
    assert len({zone for _, zone in PLACES}) == 3


@pytest.mark.slow
def test_a_difference_is_noticed() -> None:
    outcomes = play_elsewhere([("wifi_off", 0), ("wifi_off", 2)], Processes(5))
    assert list(outcomes[0].digests) == ["wifi_off", "wifi_off --seed 2"]
    other = attrs.evolve(outcomes[3], digests=outcomes[3].digests | {"wifi_off --seed 2": "another"})
    assert differing([*outcomes, other]) == ["wifi_off --seed 2"]
