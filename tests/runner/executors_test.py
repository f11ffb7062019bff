import os
import threading
import time
from collections.abc import Iterator

import pytest

from tool_sandbox.common.errors import ConfigurationError, ConversationAbandonedError
from tool_sandbox.common.execution_context import ExecutionContext, get_current_context, set_current_context
from tool_sandbox.runner.budget import Budget, Watch
from tool_sandbox.runner.executors import play_here, play_in_processes, play_in_threads
from tool_sandbox.runner.plan import Episode, make_plan
from tool_sandbox.runner.summary import Result

PLAN = make_plan(f"scenario_{number}" for number in range(12))


def _play(episode: Episode) -> Result:
    return {"directory": episode.directory, "name": episode.scenario_name, "traceback": None}


def _play_badly(episode: Episode) -> Result:
    number = int(episode.scenario_name.rsplit("_", 1)[1])
    if number == 3:
        raise SystemExit(5)
    if number == 4:
        raise ValueError("bad")
    return _play(episode)


def _play_deadly(episode: Episode) -> Result:
    if episode.scenario_name == "scenario_5":
        os._exit(3)
    return _play(episode)


def _names(results: Iterator[Result]) -> list[str]:
    return sorted(result["name"] for result in results)


EVERYTHING = sorted(episode.scenario_name for episode in PLAN)


def test_every_way_plays_everything_once() -> None:
    assert _names(play_here(_play, PLAN)) == EVERYTHING
    assert _names(play_in_threads(_play, PLAN, 5)) == EVERYTHING
    assert _names(play_in_processes(_play, PLAN, 2, 3)) == EVERYTHING


def test_a_person_who_leaves_ends_the_run() -> None:
    def play(episode: Episode) -> Result:
        if episode.scenario_name == "scenario_2":
            raise ConversationAbandonedError("left")
        return _play(episode)

    assert _names(play_here(play, PLAN, Watch(Budget()))) == ["scenario_0", "scenario_1", "scenario_2"]


def test_results_come_in_order_from_one_thread() -> None:
    results = play_in_threads(_play, PLAN, 1)
    assert [result["directory"] for result in results] == [episode.directory for episode in PLAN]


def test_what_escapes_a_conversation_is_its_result() -> None:
    results = {result["name"]: result for result in play_in_threads(_play_badly, PLAN, 3)}
    assert sorted(results) == EVERYTHING
    failed = {name: result["exception_type"] for name, result in results.items() if result["traceback"]}
    assert failed == {"scenario_3": "SystemExit", "scenario_4": "ValueError"}


def test_nothing_to_play() -> None:
    assert list(play_in_threads(_play, (), 4)) == []
    assert list(play_in_processes(_play, (), 4)) == []


def test_conversations_run_at_the_same_time() -> None:
    barrier = threading.Barrier(4, timeout=30)

    def meet(episode: Episode) -> Result:
        barrier.wait()
        return _play(episode)

    assert len(list(play_in_threads(meet, PLAN, 4))) == len(PLAN)


def test_threads_do_not_share_the_current_world() -> None:
    here = get_current_context()
    barrier = threading.Barrier(3, timeout=30)

    def set_own(episode: Episode) -> Result:
        own = ExecutionContext()
        set_current_context(own)
        barrier.wait()
        return {**_play(episode), "kept": get_current_context() is own}

    assert all(result["kept"] for result in play_in_threads(set_own, PLAN[:3], 3))
    assert get_current_context() is here


def test_consumer_that_stops_stops_the_rest() -> None:
    before = set(threading.enumerate())
    endless = (episode for _ in iter(int, 1) for episode in PLAN)
    results = play_in_threads(_play, endless, 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=30)
        assert not thread.is_alive()


def test_process_that_dies_costs_only_its_own_conversation() -> None:
    results = {result["name"]: result for result in play_in_processes(_play_deadly, PLAN, 2, 2)}
    assert sorted(results) == EVERYTHING
    failed = {name: result["fault"] for name, result in results.items() if result["traceback"]}
    assert failed == {"scenario_5": "infrastructure"}


def _halt_at_2(result: Result) -> bool:
    return result["name"] == "scenario_2"


def test_halt_keeps_the_rest_from_starting() -> None:
    first = [episode.scenario_name for episode in PLAN[:3]]
    assert _names(play_here(_play, PLAN, _halt_at_2)) == first
    assert _names(play_in_threads(_play, PLAN, 1, _halt_at_2)) == first
    # One episode is on its way to the other process when the result of another comes in.
    assert set(first) <= set(_names(play_in_processes(_play, PLAN, 1, 1, _halt_at_2))) < set(EVERYTHING)


def _play_deadly_after_halt(episode: Episode) -> Result:
    if episode.scenario_name == "scenario_5":
        time.sleep(0.5)  # the other result arrives first
        os._exit(3)
    return _play(episode)


def test_what_dies_after_the_halt_is_not_played_again() -> None:
    episodes = [episode for episode in PLAN if episode.scenario_name in ("scenario_2", "scenario_5")]
    assert _names(play_in_processes(_play_deadly_after_halt, episodes, 1, 2, _halt_at_2)) == ["scenario_2"]


def test_roles_that_cannot_travel_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="importable by name"):
        list(play_in_processes(lambda episode: _play(episode), PLAN, 2))
