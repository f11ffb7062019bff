"""Where conversations are played: here, in threads, or in several processes.

A conversation waits for a model nearly all the time, so threads carry hundreds of them. Processes are for roles that
compute, and for more conversations than one interpreter can serve. Each way yields results as they come in, and a
consumer that stops early (an interrupt, say) stops the rest.
"""

import contextlib
import contextvars
import multiprocessing
import pickle
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import attrs

from tool_sandbox.common.errors import ConfigurationError, InfrastructureError
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.results import failed_result
from tool_sandbox.runner.summary import Result

Play = Callable[[Episode], Result]

Halt = Callable[[Result], bool]
"""Told of every result as soon as there is one; says whether no other conversation may start."""


def never(result: Result) -> bool:
    """Halts nothing."""
    return False


def play_here(play: Play, episodes: Iterable[Episode], halt: Halt = never) -> Iterator[Result]:
    """Plays one after the other in the calling thread, which a person at a terminal needs.

    Args:
        play: Plays one episode, usually a ``Player``.
        episodes: What to play.
        halt: Ends the run early.

    Yields:
        A result an episode, in order.
    """
    for episode in episodes:
        try:
            result = play(episode)
        except Exception as error:
            result = failed_result(episode, error)
        is_over = halt(result)
        yield result
        if is_over:
            return


def play_in_threads(play: Play, episodes: Iterable[Episode], threads: int, halt: Halt = never) -> Iterator[Result]:
    """Plays several conversations at once.

    Threads do not outlive the program: when the consumer stops, running conversations are abandoned.

    Args:
        play: Plays one episode; called from several threads.
        episodes: What to play; taken one by one as threads become free.
        threads: Largest number of conversations at once.
        halt: Ends the run early, once the running conversations are over; called from several threads.

    Yields:
        A result an episode, in the order in which they finish.
    """
    waiting = iter(episodes)
    lock, stopped = threading.Lock(), threading.Event()
    finished: queue.SimpleQueue[Result | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            while not stopped.is_set():
                with lock:
                    episode = next(waiting, None)
                if episode is None:
                    break
                try:
                    result = play(episode)
                except BaseException as error:
                    # Whatever a role raised must not end the thread, which has more to play.
                    result = failed_result(episode, error)
                if halt(result):
                    stopped.set()
                finished.put(result)
        finally:
            finished.put(None)

    if isinstance(episodes, Sequence):
        threads = min(threads, len(episodes))
    for _ in range(threads):
        threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
    try:
        running = threads
        while running:
            result = finished.get()
            if result is None:
                running -= 1
            else:
                yield result
    finally:
        stopped.set()


def play_in_processes(
    play: Play, episodes: Sequence[Episode], processes: int, threads: int = 1, halt: Halt = never
) -> Iterator[Result]:
    """Plays in several processes, each with several threads.

    An episode during which its process dies is played once more, alone in a new process; the second time it fails.

    Args:
        play: Plays one episode; has to be picklable.
        episodes: What to play.
        processes: Number of processes.
        threads: Largest number of conversations at once in each of them.
        halt: Ends the run early, once the running conversations are over.

    Yields:
        A result an episode, in the order in which they finish.

    Raises:
        ConfigurationError: ``play`` cannot be sent to another process.
    """
    try:
        pickle.dumps(play)
    except Exception as error:
        raise ConfigurationError(
            f"agent, user and scenarios must be importable by name to be played in other processes: {error}"
        ) from error
    waiting, suspects = deque(episodes), deque[Episode]()
    workers: list[_Worker] = []
    is_over = False
    try:
        while True:
            while waiting and len(workers) < processes:
                workers.append(_Worker.start(play, threads))
                workers[-1].feed(waiting)
            if suspects and not workers:
                workers.append(_Worker.start(play, 1, is_retry=True))
                workers[-1].feed(suspects)
            if not workers:
                return
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                result = worker.receive()
                if result is not None:
                    if halt(result):
                        is_over = True
                        waiting.clear()
                        suspects.clear()
                    yield result
                    worker.feed(suspects if worker.is_retry else waiting)
                    if worker.in_flight:
                        continue
                elif worker.is_retry:
                    (episode,) = worker.in_flight.values()
                    yield failed_result(episode, InfrastructureError("the process that played it died twice"))
                elif not is_over:
                    suspects.extend(worker.in_flight.values())
                worker.stop()
                workers.remove(worker)
    finally:
        for worker in workers:
            worker.stop()


@attrs.define(eq=False)
class _Worker:
    """A process and what it is playing.

    Attributes:
        process: The process.
        connection: Episodes go in, results come out.
        threads: Conversations at once.
        is_retry: Whether it plays only what another process died of.
        in_flight: Episodes sent and not answered, by directory.
    """

    process: Any
    connection: "Connection[Any, Any]"
    threads: int
    is_retry: bool
    in_flight: dict[str, Episode] = attrs.field(factory=dict)

    @classmethod
    def start(cls, play: Play, threads: int, *, is_retry: bool = False) -> "_Worker":
        # Spawned, because a copy of a process that has threads may hang.
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(theirs, play, threads), daemon=True)
        process.start()
        theirs.close()
        return cls(process, ours, threads, is_retry)

    def feed(self, waiting: "deque[Episode]") -> None:
        """Sends episodes until all threads are busy."""
        while waiting and len(self.in_flight) < self.threads:
            episode = waiting.popleft()
            self.in_flight[episode.directory] = episode
            try:
                self.connection.send(episode)
            except OSError:
                return  # the process is gone, which the next receive reports

    def receive(self) -> Result | None:
        """Takes a result, ``None`` if the process died."""
        try:
            result: Result = self.connection.recv()
        except (EOFError, OSError):
            return None
        del self.in_flight[result["directory"]]
        return result

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join()


def _serve(connection: "Connection[Any, Any]", play: Play, threads: int) -> None:
    """Main function of a worker process."""
    import signal

    # An interrupt at the terminal reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for result in play_in_threads(play, _received(connection), threads):
        connection.send(result)


def _received(connection: "Connection[Any, Any]") -> Iterator[Episode]:
    """Episodes until the parent closes the connection or is gone."""
    with contextlib.suppress(EOFError):
        while True:
            yield connection.recv()
