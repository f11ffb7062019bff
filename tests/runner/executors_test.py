import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import pytest

from tool_sandbox.common.execution_context import get_current_context
from tool_sandbox.conversation.execution_context import ExecutionContext, set_current_context
from tool_sandbox.records.result import Result
from tool_sandbox.runner.budget import Budget, Watch
from tool_sandbox.runner.executors import FinishedJob, InlinePool, Play, Pool, ThreadPool, play_all
from tool_sandbox.runner.plan import Episode, make_plan
from tool_sandbox.runner.processes import ProcessPool
from tool_sandbox.runner.schedule import Lane, Schedule
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import ConfigurationError, ConversationAbandonedError, StorageError

PLAN = make_plan(f"scenario_{number}" for number in range(12))
EVERYTHING = sorted(episode.scenario_name for episode in PLAN)


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


def never(played: FinishedJob) -> bool:
    return False


def play(
    pool: Pool,
    episodes: Sequence[Episode] = PLAN,
    halt: Callable[[FinishedJob], bool] = never,
    stop: Stop | None = None,
    limit: int = 99,
) -> Iterator[FinishedJob]:
    return play_all(Schedule([Lane(deque(episodes), limit)]), pool, stop or Stop(), halt)


def here(player: Play = _play) -> InlinePool:
    return InlinePool([player])


def threads(count: int, player: Play = _play) -> ThreadPool:
    return ThreadPool([player], count)


def processes(count: int, each: int = 1, player: Play = _play) -> ProcessPool:
    return ProcessPool([player], count, each)


def names(played: Iterator[FinishedJob]) -> list[str]:
    return sorted(result["name"] for one in played if (result := one.result) is not None)


@pytest.mark.parametrize("pool", [here, lambda: threads(5), lambda: processes(2, 3)])
def test_every_way_plays_everything_once(pool: Callable[[], Pool]) -> None:
    assert names(play(pool())) == EVERYTHING


def test_a_person_who_leaves_ends_the_run() -> None:
    def leave(episode: Episode) -> Result:
        if episode.scenario_name == "scenario_2":
            raise ConversationAbandonedError("left")
        return _play(episode)

    watch = Watch(Budget())
    halt = lambda played: watch(played.result or {})  # noqa: E731
    assert names(play(here(leave), halt=halt)) == ["scenario_0", "scenario_1", "scenario_2"]


def test_results_come_in_order_from_one_thread() -> None:
    assert [played.job.episode for played in play(threads(1))] == list(PLAN)


def test_what_escapes_a_conversation_is_its_result() -> None:
    played = {one.job.episode.scenario_name: one for one in play(threads(3, _play_badly))}
    assert sorted(played) == EVERYTHING
    failed = {name: one.result["exception_type"] for name, one in played.items() if one.result and not one.is_written}
    assert failed == {"scenario_3": "SystemExit", "scenario_4": "ValueError"}


def _play_on_a_full_disk(episode: Episode) -> Result:
    raise StorageError(28, "No space left on device", "result.json")


@pytest.mark.parametrize("pool", [here, lambda player: threads(1, player), lambda player: processes(1, 1, player)])
def test_what_cannot_be_written_is_no_result(pool: Callable[[Play], Pool]) -> None:
    (played, *_) = play(pool(_play_on_a_full_disk), halt=lambda played: played.error is not None)
    assert played.result is None
    assert played.error is not None
    assert played.error.strerror == "No space left on device"


@pytest.mark.parametrize("pool", [lambda: threads(4), lambda: processes(4)])
def test_nothing_to_play(pool: Callable[[], Pool]) -> None:
    assert names(play(pool(), ())) == []


def test_conversations_run_at_the_same_time() -> None:
    barrier = threading.Barrier(4, timeout=30)

    def meet(episode: Episode) -> Result:
        barrier.wait()
        return _play(episode)

    assert len(names(play(threads(4, meet)))) == len(PLAN)


def test_threads_begin_as_there_is_work_for_them() -> None:
    seen: set[int] = set()

    def note(episode: Episode) -> Result:
        seen.add(threading.get_ident())
        return _play(episode)

    assert names(play(threads(400, note), PLAN[:2])) == sorted(["scenario_0", "scenario_1"])
    assert len(seen) <= 2


def test_threads_do_not_share_the_current_world() -> None:
    before = get_current_context()
    barrier = threading.Barrier(3, timeout=30)

    def set_own(episode: Episode) -> Result:
        own = ExecutionContext()
        set_current_context(own)
        barrier.wait()
        return {**_play(episode), "kept": get_current_context() is own}

    assert all(played.result and played.result["kept"] for played in play(threads(3, set_own), PLAN[:3]))
    assert get_current_context() is before


def test_consumer_that_stops_stops_the_rest() -> None:
    before = set(threading.enumerate())
    played = play(threads(2), PLAN * 1000)
    next(played)
    played.close()  # type: ignore[attr-defined]
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=30)
        assert not thread.is_alive()


@pytest.mark.slow
def test_process_that_dies_costs_only_its_own_conversation() -> None:
    results = {one.result["name"]: one.result for one in play(processes(2, 2, _play_deadly)) if one.result}
    assert sorted(results) == EVERYTHING
    failed = {name: result["fault"] for name, result in results.items() if result["traceback"]}
    assert failed == {"scenario_5": "infrastructure"}


def _halt_at_2(played: FinishedJob) -> bool:
    return played.job.episode.scenario_name == "scenario_2"


@pytest.mark.parametrize("pool", [here, lambda: threads(1), lambda: processes(1, 1)])
def test_halt_keeps_the_rest_from_starting(pool: Callable[[], Pool]) -> None:
    assert names(play(pool(), halt=_halt_at_2)) == [episode.scenario_name for episode in PLAN[:3]]


def _play_deadly_after_halt(episode: Episode) -> Result:
    if episode.scenario_name == "scenario_5":
        time.sleep(0.5)  # the other result arrives first
        os._exit(3)
    return _play(episode)


def test_what_dies_after_the_halt_is_not_played_again() -> None:
    episodes = [episode for episode in PLAN if episode.scenario_name in ("scenario_2", "scenario_5")]
    assert names(play(processes(1, 2, _play_deadly_after_halt), episodes, halt=_halt_at_2)) == ["scenario_2"]


def test_roles_that_cannot_travel_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="importable by name"):
        processes(2, player=lambda episode: _play(episode))


def _play_until_told(told: threading.Event) -> Play:
    def wait(episode: Episode) -> Result:
        if episode.scenario_name != "scenario_0":
            told.wait()
        return _play(episode)

    return wait


def test_once_asked_to_stop_what_is_under_way_may_finish() -> None:
    told = threading.Event()
    announced: list[int] = []
    stop = Stop(grace_s=60.0, announce=announced.append)
    pool = threads(3, _play_until_told(told))
    with stop.listening(pool.wake):
        played = play(pool, stop=stop)
        assert next(played).job.episode.scenario_name == "scenario_0"
        # A fourth conversation has begun by now, or will not: the consumer has not asked for the next.
        stop.request()
        threading.Timer(0.05, told.set).start()
        assert names(played) == ["scenario_1", "scenario_2"]
    assert announced == [2]


@pytest.mark.parametrize(("grace_s", "requests"), [(0.05, 1), (60.0, 2)])
def test_what_takes_too_long_is_left(grace_s: float, requests: int) -> None:
    told, stop = threading.Event(), Stop(grace_s)
    pool = threads(3, _play_until_told(told))
    with stop.listening(pool.wake):
        played = play(pool, stop=stop)
        next(played)
        for _ in range(requests):
            threading.Timer(0.02, stop.request).start()
        assert names(played) == []
    told.set()


def _sleep(episode: Episode) -> Result:
    if episode.scenario_name != "scenario_0":
        time.sleep(600)
    return _play(episode)


def test_processes_are_left_too() -> None:
    stop, pool = Stop(grace_s=0.05), processes(2, 2, _sleep)
    with stop.listening(pool.wake):
        played = play(pool, stop=stop)
        next(played)
        stop.request()
        assert names(played) == []
    assert pool.in_flight == 0
