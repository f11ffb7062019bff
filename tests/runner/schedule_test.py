from collections import Counter, deque

from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.runner.plan import make_plan
from tool_sandbox.runner.schedule import Job, Lane, Schedule


def lane(count: int, limit: int = 100, group: str | None = None) -> Lane:
    return Lane(deque(make_plan(f"s{number}" for number in range(count))), limit, group)


def started(schedule: Schedule, places: int) -> list[Job]:
    jobs = []
    while len(jobs) < places and (job := schedule.take()) is not None:
        jobs.append(job)
    return jobs


def per_lane(jobs: list[Job]) -> dict[int, int]:
    return dict(Counter(job.lane for job in jobs))


def test_runs_of_a_model_share_its_places() -> None:
    assert per_lane(started(Schedule([lane(9), lane(9), lane(9)]), 6)) == {0: 2, 1: 2, 2: 2}


def test_models_share_places_however_many_runs_they_have() -> None:
    schedule = Schedule([lane(99, group="a"), lane(99, group="a"), lane(99, group="a"), lane(99, group="b")])
    assert per_lane(started(schedule, 12)) == {0: 2, 1: 2, 2: 2, 3: 6}


def test_a_slow_model_keeps_to_its_share() -> None:
    schedule = Schedule([lane(99, group="slow"), lane(99, group="fast")])
    running = started(schedule, 8)
    for _ in range(40):
        over = next(job for job in running if job.lane == 1)
        running.remove(over)
        schedule.finish(over)
        running += started(schedule, 1)
    assert per_lane(running) == {0: 4, 1: 4}


def test_what_one_does_not_use_goes_to_others() -> None:
    assert per_lane(started(Schedule([lane(1, group="a"), lane(99, group="b")]), 10)) == {0: 1, 1: 9}


def test_a_group_has_a_limit() -> None:
    schedule = Schedule([lane(9, 1, "here"), lane(9, 1, "here"), lane(9, 4, "there")])
    assert schedule.limit == 5
    jobs = started(schedule, 99)
    assert per_lane(jobs) == {0: 1, 2: 4}
    schedule.finish(jobs[0])
    assert [job.lane for job in started(schedule, 99)] == [1], "the run that has begun less is next"


def test_a_halted_run_starts_nothing_more() -> None:
    schedule = Schedule([lane(9), lane(2)])
    (job, *others) = started(schedule, 3)
    schedule.halt(0)
    assert not schedule.is_over(0)
    for one in (job, *others):
        schedule.finish(one)
    assert schedule.is_over(0)
    assert [job.lane for job in started(schedule, 99)] == [1]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4), st.sampled_from("abc")), min_size=1, max_size=6),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
)
def test_everything_is_played_once_without_starvation(runs, places, random) -> None:
    schedule = Schedule([lane(count, limit, group) for count, limit, group in runs])
    limits = {group: max(limit for _, limit, other in runs if other == group) for _, _, group in runs}
    running, seen = [], []
    while True:
        running += started(schedule, places - len(running))
        if not running:
            break
        seen += running
        busy = Counter(runs[job.lane][2] for job in running)
        assert all(busy[group] <= limits[group] for group in busy)
        over = random.choice(running)
        running.remove(over)
        schedule.finish(over)
    assert len(set(seen)) == sum(count for count, _, _ in runs)
    assert all(schedule.is_over(number) for number in range(len(runs)))
