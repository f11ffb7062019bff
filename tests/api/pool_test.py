"""``ts.EnvPool``: many worlds at once play what each would play alone."""

from typing import Any

import pytest

import tool_sandbox as ts
from tool_sandbox.scenarios import get_scenario

OFF = [("set_wifi_status", {"on": False})]
SAID = "Wifi is turned off."


def test_tasks_are_drawn_in_order() -> None:
    pool = ts.EnvPool(["wifi_off", "get_wifi"], size=5, seed=4)
    drawn = [(each.info["scenario"], each.info["seed"]) for each in pool.reset()]
    assert len(pool) == 5
    assert {drawn[0][0], drawn[1][0]} == {"wifi_off", "get_wifi"}
    assert [seed for _, seed in drawn] == [4, 4, 5, 5, 6]
    assert pool.reset()[0].info["seed"] == 6


def test_worlds_do_not_see_each_other() -> None:
    with ts.EnvPool("wifi_off", size=3) as pool:
        pool.reset()
        second = pool.step([OFF, None, "Hello."])
        assert [len(each.messages) for each in second][:2] == [4, 2]
        ended = pool.step({0: SAID, 1: SAID})
        assert ended[0].score == 1
        assert ended[1].score != 1


@pytest.mark.parametrize("threads", [1, 4])
def test_256_worlds(threads: int) -> None:
    pool = ts.EnvPool("wifi_off", threads=threads)
    assert len(pool.reset()) == 256
    pool.step([OFF] * 256)
    assert {each.score for each in pool.step([SAID] * 256)} == {1.0}


def test_group_rollouts_from_one_state() -> None:
    env = ts.Env("wifi_off")
    env.reset()
    env.step(OFF)
    pool = ts.EnvPool.forked(env, 3)
    rewards = [each.reward for each in pool.step([SAID, "I could not turn wifi off.", SAID])]
    assert (rewards[0], rewards[2]) == (1, 1)
    assert rewards[1] < 1
    assert not env.observation.done


def test_a_fork_takes_the_place_of_others() -> None:
    pool = ts.EnvPool("wifi_off", size=4)
    pool.reset()
    pool.step({0: OFF})
    pool.fork(0, into=[1, 2])
    assert [len(each.messages) for each in pool.observations] == [4, 4, 4, 2]
    assert pool.step({1: SAID})[1].score == 1
    assert not pool.observations[0].done


def test_worlds_that_are_over_begin_again_if_wanted() -> None:
    pool = ts.EnvPool("wifi_off", size=2, auto_reset=True)
    pool.reset()
    pool.step([OFF, OFF])
    first, _ = pool.step([SAID, None])
    assert first.done
    again, other = pool.step([None, SAID])
    assert (again.done, again.info["seed"], other.done) == (False, 2, True)


def test_worlds_that_are_over_stay_over_otherwise() -> None:
    pool = ts.EnvPool("wifi_off", size=2)
    pool.reset()
    pool.step({0: OFF})
    pool.step({0: SAID})
    with pytest.raises(ts.errors.ConfigurationError, match=r"world 0: the conversation is over"):
        pool.step([OFF, OFF])
    assert len(pool.observations[1].messages) == 2


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([OFF], "1 actions for 2 worlds"),
        ({5: OFF}, "there is no world 5"),
        ("ab", "actions are a list"),
        (None, "actions are a list"),
        ([OFF, 5], "world 1: an action is"),
        ([OFF, [("x",)]], "world 1: a call is a pair"),
    ],
)
def test_a_wrong_action_is_made_nowhere(actions: Any, told: str) -> None:
    pool = ts.EnvPool("wifi_off", size=2)
    pool.reset()
    with pytest.raises(ts.errors.ToolSandboxError, match=told):
        pool.step(actions)
    assert [len(each.messages) for each in pool.observations] == [2, 2]


def test_scenarios_that_are_objects() -> None:
    pool = ts.EnvPool([get_scenario("wifi_off"), get_scenario("get_wifi")], size=3)
    assert [each.info["seed"] for each in pool.reset()] == [0, 0, 0]


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"size": 0}, "size"),
        ({"threads": "x"}, "threads"),
        ({"seed": "x"}, "seed"),
        ({"reward": "x"}, "no reward"),
        ({"executor": "Ray"}, "no executor 'Ray'. Did you mean: ray"),
    ],
)
def test_wrong_choices(choices: dict[str, Any], told: str) -> None:
    with pytest.raises(ts.errors.ConfigurationError, match=told):
        ts.EnvPool("wifi_off", **choices)


@pytest.mark.parametrize("size", [0, "two"])
def test_forks_need_a_number(size: Any) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    with pytest.raises(ts.errors.ConfigurationError, match="size has to be"):
        ts.EnvPool.forked(env, size)


def test_nothing_can_be_done_before_a_reset() -> None:
    pool = ts.EnvPool("wifi_off", size=1)
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        pool.step([OFF])
    with pytest.raises(ts.errors.ConfigurationError, match="reset"):
        ts.EnvPool.forked(ts.Env("wifi_off"), 2)
