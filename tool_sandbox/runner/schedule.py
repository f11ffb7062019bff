"""Which conversation is started next, when several runs are played at once."""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Sequence

import attrs

from tool_sandbox.runner.plan import Episode


@attrs.frozen
class Job:
    """One conversation of one of several runs.

    Attributes:
        lane: Number of the run.
        episode: Which conversation of it.
    """

    lane: int
    episode: Episode


@attrs.define(eq=False)
class Lane:
    """What is left of one run.

    Attributes:
        waiting: Episodes that have not begun, in order.
        limit: Largest number of its conversations at once.
        group: What it shares with other runs, the model for example.
        running: Conversations under way.
        started: Conversations that have begun.
        is_halted: Whether no other may begin.
    """

    waiting: deque[Episode]
    limit: int
    group: Hashable = None
    running: int = 0
    started: int = 0
    is_halted: bool = False


class Schedule:
    """Serves groups and the runs in them alike, by max-min fairness.

    The group with the fewest conversations under way is served next, within it the run with the fewest, so that a slow
    model never holds more than its share of the places while others have something to play. What a group does not use
    goes to the others. Not safe for several threads.
    """

    def __init__(self, lanes: Iterable[Lane]) -> None:
        """Nothing has begun."""
        self._lanes: Sequence[Lane] = tuple(lanes)
        self._running: Counter[Hashable] = Counter()
        self._limits: dict[Hashable, int] = {}
        for lane in self._lanes:
            self._limits[lane.group] = max(lane.limit, self._limits.get(lane.group, 0))

    @property
    def limit(self) -> int:
        """Conversations that may be under way at once."""
        return sum(self._limits.values())

    def take(self) -> Job | None:
        """The next conversation, ``None`` if none may begin now."""
        ready = [number for number, lane in enumerate(self._lanes) if self._is_ready(lane)]
        if not ready:
            return None
        number = min(ready, key=self._rank)
        lane = self._lanes[number]
        lane.running += 1
        lane.started += 1
        self._running[lane.group] += 1
        return Job(number, lane.waiting.popleft())

    def finish(self, job: Job) -> None:
        """Takes note that a conversation is over."""
        lane = self._lanes[job.lane]
        lane.running -= 1
        self._running[lane.group] -= 1

    def halt(self, lane: int) -> None:
        """Starts nothing more of a run."""
        self._lanes[lane].is_halted = True

    def is_halted(self, lane: int) -> bool:
        """Whether nothing more of a run may start."""
        return self._lanes[lane].is_halted

    def is_over(self, lane: int) -> bool:
        """Whether nothing of a run is under way, and nothing will be."""
        own = self._lanes[lane]
        return not own.running and (own.is_halted or not own.waiting)

    def _is_ready(self, lane: Lane) -> bool:
        is_open = bool(lane.waiting) and not lane.is_halted
        return is_open and lane.running < lane.limit and self._running[lane.group] < self._limits[lane.group]

    def _rank(self, number: int) -> tuple[int, int, int, int]:
        lane = self._lanes[number]
        return self._running[lane.group], lane.running, lane.started, number
