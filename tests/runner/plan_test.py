import pytest

from tool_sandbox.runner.plan import make_plan
from tool_sandbox.world.errors import ConfigurationError


def test_order_is_trials_then_seeds_then_names() -> None:
    plan = make_plan(["b", "a"], seeds=[0, 3], trials=2)
    assert [(episode.scenario_name, episode.seed, episode.trial) for episode in plan] == [
        ("b", 0, 0),
        ("a", 0, 0),
        ("b", 3, 0),
        ("a", 3, 0),
        ("b", 0, 1),
        ("a", 0, 1),
        ("b", 3, 1),
        ("a", 3, 1),
    ]


def test_first_seed_and_trial_have_the_published_directory() -> None:
    plan = make_plan(["wifi_off"], seeds=[7, 8], trials=2)
    assert [episode.directory for episode in plan] == [
        "wifi_off",
        "wifi_off__seed_8",
        "wifi_off__trial_1",
        "wifi_off__seed_8__trial_1",
    ]


def test_repetitions_are_ignored() -> None:
    assert len(make_plan(["a", "a"], seeds=[1, 1])) == 1


def test_directories_differ_even_where_case_does_not_count() -> None:
    directories = [episode.directory.lower() for episode in make_plan(["Wifi", "wifi", "WIFI"])]
    assert len(set(directories)) == 3


@pytest.mark.parametrize(("seeds", "trials"), [([0], 0), ([], 1)])
def test_nothing_to_repeat_is_refused(seeds: list[int], trials: int) -> None:
    with pytest.raises(ValueError, match=r"trials|seed"):
        make_plan(["a"], seeds, trials)


def test_a_plan_that_no_machine_can_hold_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"2,000,000 conversations are too many.*trials \(1,000,000\)"):
        make_plan(["a", "b"], [3, 3], trials=1_000_000)
