"""Where conversations are played: in threads, or in threads of several processes.

A conversation waits for a model nearly all the time, so threads can play hundreds of them. Processes are for roles that
compute, and for more conversations than one interpreter can serve. The thread that asks for results decides what is
played next; nothing else does, so no other needs to know of fairness, budgets or interrupts.
"""

import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import attrs

from tool_sandbox.records.result import Result
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.results import failed_result
from tool_sandbox.runner.schedule import Job, Schedule
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import StorageError

Play = Callable[[Episode], Result]


@attrs.frozen
class FinishedJob:
    """A conversation that is over.

    Attributes:
        job: Which.
        result: Its result; ``None`` if there is none.
        error: Why its files could not be written.
        is_written: Whether its player has written its result.
    """

    job: Job
    result: Result | None = None
    error: StorageError | None = None
    is_written: bool = True


class Pool(Protocol):
    """Plays what it is given, at once with everything else it was given."""

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Starts a conversation."""

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Waits for a conversation."""

    def wake(self) -> None:
        """Ends the wait of `receive`; may be called by a signal handler."""

    def close(self) -> None:
        """Leaves alone what is under way, and gives back what the pool holds."""


Halt = Callable[[FinishedJob], bool]
"""Told of everything played as soon as it is over; says whether no other conversation of that run may start."""


def play_all(schedule: Schedule, pool: Pool, stop: Stop, halt: Halt) -> Iterator[FinishedJob]:
    """Plays what is scheduled until all is played or a stop is requested."""
    with contextlib.closing(pool):
        while not stop.is_immediate:
            if not stop.is_requested:
                while pool.room and (job := schedule.take()) is not None:
                    pool.submit(job)
            if not pool.in_flight:
                return
            if stop.is_requested:
                stop.announce(pool.in_flight)
            played = pool.receive(stop.remaining_s)
            if played is not None:
                yield from _settled(played, schedule, pool, stop, halt)
            elif stop.remaining_s == 0:
                return


def _settled(played: FinishedJob, schedule: Schedule, pool: Pool, stop: Stop, halt: Halt) -> Iterator[FinishedJob]:
    if played.result is None and played.error is None:
        if not stop.is_requested and not schedule.is_halted(played.job.lane):
            pool.submit(played.job, alone=True)
            return
        schedule.finish(played.job)
        return
    schedule.finish(played.job)
    if halt(played):
        schedule.halt(played.job.lane)
    yield played


@attrs.define(eq=False)
class ThreadPool:
    """Plays in threads of this process, which are started as there is work for them.

    Threads do not outlive the program; closing the pool leaves those alone that are busy.

    Attributes:
        plays: One player of episodes per run.
        threads: Largest number of conversations at once.
    """

    plays: Sequence[Play]
    threads: int
    _in_flight: int = 0
    _started: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)
    _jobs: "queue.SimpleQueue[Job | None]" = attrs.field(factory=queue.SimpleQueue)
    _played: "queue.SimpleQueue[FinishedJob | None]" = attrs.field(factory=queue.SimpleQueue)

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""
        return self._in_flight

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""
        return self.threads - self._in_flight

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Starts a conversation."""
        with self._lock:
            self._in_flight += 1
            is_short = self._started < self._in_flight
        self._jobs.put(job)
        if is_short:
            self._started += 1
            name = f"conversation-{self._started}"
            run = contextvars.copy_context().run
            threading.Thread(target=run, args=(self._work,), name=name, daemon=True).start()

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Waits for a conversation."""
        try:
            played = self._played.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if played is not None:
            # In a worker process, one thread submits and another receives.
            with self._lock:
                self._in_flight -= 1
        return played

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._played.put(None)

    def close(self) -> None:
        """Lets the threads end that have nothing to play."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._played.put(played_by(self.plays, job))


@attrs.define(eq=False)
class InlinePool:
    """Plays one conversation at a time in the calling thread, which a person at a terminal needs.

    Attributes:
        plays: One player of episodes per run.
    """

    plays: Sequence[Play]
    _job: Job | None = None

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""
        return self._job is not None

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""
        return self._job is None

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Notes what to play."""
        self._job = job

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Plays it."""
        job, self._job = self._job, None
        return None if job is None else played_by(self.plays, job, Exception)

    def wake(self) -> None:
        """There is nothing that waits."""

    def close(self) -> None:
        """There is nothing to give back."""


def played_by(plays: Sequence[Play], job: Job, caught: type[BaseException] = BaseException) -> FinishedJob:
    """Plays a conversation."""
    try:
        return FinishedJob(job, plays[job.lane](job.episode))
    except StorageError as error:
        return FinishedJob(job, error=error)
    except caught as error:
        return FinishedJob(job, failed_result(job.episode, error), is_written=False)
