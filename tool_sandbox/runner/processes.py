"""Plays conversations in threads of several processes."""

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import attrs

from tool_sandbox.models.logs import set_logging
from tool_sandbox.runner.claims import taking_part
from tool_sandbox.runner.collecting import seldom_collecting
from tool_sandbox.runner.executors import FinishedJob, Play, ThreadPool
from tool_sandbox.runner.player import Player
from tool_sandbox.runner.results import failed_result
from tool_sandbox.runner.schedule import Job
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class ProcessPool:
    """Plays in several processes, each with several threads, which are started as there is work for them.

    A conversation during which its process dies is given back, to be played once more, alone in a new process; the
    second time it fails.
    """

    def __init__(self, plays: Sequence[Play], processes: int, threads: int) -> None:
        """Starts nothing yet."""
        try:
            pickle.dumps(plays)
        except Exception as error:
            raise ConfigurationError(
                f"agent, user and scenarios must be importable by name to be played in other processes: {error}"
            ) from error
        self._plays, self._processes, self._threads = plays, processes, threads
        self._workers: list[_Worker] = []
        self._alone: _Worker | None = None
        self._suspects: list[Job] = []
        self._inbox: queue.SimpleQueue[tuple[_Worker, FinishedJob | None] | None] = queue.SimpleQueue()

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""
        alone = [] if self._alone is None else [self._alone]
        return len(self._suspects) + sum(len(worker.in_flight) for worker in (*self._workers, *alone))

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""
        free = sum(self._threads - len(worker.in_flight) for worker in self._workers)
        return free + (self._processes - len(self._workers)) * self._threads

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Sends a conversation to the process that has least to do."""
        if alone:
            self._suspects.append(job)
            self._play_suspect()
            return
        worker = min(self._workers, key=lambda worker: len(worker.in_flight), default=None)
        if worker is None or (worker.in_flight and len(self._workers) < self._processes):
            worker = self._start(self._threads)
            self._workers.append(worker)
        worker.send(job)

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Waits for a conversation."""
        try:
            event = self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if event is None:
            return None
        worker, played = event
        if played is not None:
            del worker.in_flight[played.job]
        elif worker.in_flight:
            # One at a time: the next comes with the next event, for which this puts the worker's end back.
            job, _ = worker.in_flight.popitem()
            self._inbox.put((worker, None))
            return self._lost(job, was_alone=worker is self._alone)
        if played is None or (worker is self._alone and not worker.in_flight):
            self._dismiss(worker)
        return played

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._inbox.put(None)

    def close(self) -> None:
        """Ends all processes."""
        for worker in [*self._workers, *([self._alone] if self._alone is not None else [])]:
            worker.stop()
        self._workers, self._alone, self._suspects = [], None, []

    def _start(self, threads: int) -> "_Worker":
        return _Worker.start(self._plays, threads, self._inbox)

    def _play_suspect(self) -> None:
        if self._alone is None and self._suspects:
            self._alone = self._start(1)
            self._alone.send(self._suspects.pop(0))

    def _lost(self, job: Job, *, was_alone: bool) -> FinishedJob:
        if not was_alone:
            return FinishedJob(job)
        error = InfrastructureError("the process that played it died twice")
        return FinishedJob(job, failed_result(job.episode, error), is_written=False)

    def _dismiss(self, worker: "_Worker") -> None:
        worker.stop()
        if worker is self._alone:
            self._alone = None
        elif worker in self._workers:
            self._workers.remove(worker)
        self._play_suspect()


@attrs.define(eq=False)
class _Worker:
    """A process and what it is playing.

    Attributes:
        process: The process.
        connection: Jobs go in, what was played comes out.
        in_flight: Jobs sent and not answered, in order.
    """

    process: Any
    connection: "Connection[Any, Any]"
    in_flight: dict[Job, None] = attrs.field(factory=dict)

    @classmethod
    def start(cls, plays: Sequence[Play], threads: int, inbox: "queue.SimpleQueue[Any]") -> "_Worker":
        # Spawned, because a copy of a process that has threads may hang.
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(theirs, plays, threads), daemon=True)
        with _signals_held():
            process.start()
        theirs.close()
        worker = cls(process, ours)
        threading.Thread(target=worker._listen, args=(inbox,), name=f"worker-{process.pid}", daemon=True).start()
        return worker

    def send(self, job: Job) -> None:
        """Sends a job; if the process is gone, what listens to it says so."""
        self.in_flight[job] = None
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def stop(self) -> None:
        """Ends the process, whatever it does."""
        self.process.kill()
        self.process.join()

    def _listen(self, inbox: "queue.SimpleQueue[Any]") -> None:
        """Passes on what was played, and at last that the process has ended."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                inbox.put((self, self.connection.recv()))
        inbox.put((self, None))
        self.connection.close()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Has a new process begin with signals held back, until it is ready for them; here they come a little later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: "Connection[Any, Any]", plays: Sequence[Play], threads: int) -> None:
    """Main function of a worker process: plays what it is sent until its parent is gone."""
    for number in _SIGNALS:
        # An interrupt at the terminal reaches all processes; the parent decides what it means. A handler that does
        # nothing, rather than none, because programs that a role starts would inherit that.
        signal.signal(number, lambda number, frame: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    set_logging(show_level=False)
    # Nobody else gets the directories while this process may still write there.
    with taking_part(play.directory for play in plays if isinstance(play, Player)), seldom_collecting():
        pool = ThreadPool(plays, threads)
        threading.Thread(target=_answer, args=(connection, pool), daemon=True).start()
        with contextlib.suppress(EOFError, OSError):
            while True:
                pool.submit(connection.recv())
        # At once, without giving anything back: what is under way has no parent to report to.
        os._exit(0)


def _answer(connection: "Connection[Any, Any]", pool: ThreadPool) -> None:
    with contextlib.suppress(OSError):
        while True:
            played = pool.receive(None)
            if played is not None:
                connection.send(played)
