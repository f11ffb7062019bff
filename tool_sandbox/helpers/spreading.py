"""The same work for many things, spread over processes."""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Protocol, TypeVar

import attrs

from tool_sandbox.helpers.orphans import end_with_parent
from tool_sandbox.world.errors import InfrastructureError

T = TypeVar("T")
R = TypeVar("R")


class Spread(Protocol):
    """Where work is done."""

    def __call__(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Does some work for every item, and gives each item with what came of it, as they become ready."""


@attrs.frozen
class Processes:
    """Processes of this machine; one is this process itself.

    Attributes:
        number: Largest number of them.
    """

    number: int = 1

    def __call__(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Does some work for every item, see `Spread`."""
        given = list(items)
        number = min(self.number, len(given))
        if number <= 1:
            yield from ((item, work(item)) for item in given)
            return
        # Spawned, so that every process starts from nothing and gives the same results on every platform.
        strangers = set(active_children())
        pool = ProcessPoolExecutor(number, get_context("spawn"), _begin_work)
        try:
            futures = {pool.submit(work, item): item for item in given}
            while futures:
                for future in wait(futures, return_when=FIRST_COMPLETED).done:
                    yield futures.pop(future), future.result()
        except BrokenProcessPool as error:
            raise InfrastructureError("a worker process died; try again with --processes 1") from error
        except BaseException:
            # Interrupted: what is still being done is of no use to anybody.
            for process in set(active_children()) - strangers:
                process.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


HERE = Processes()
"""This process alone."""


def _begin_work() -> None:
    # A killed process asks for nothing any more.
    end_with_parent()
    # An interrupt at the terminal reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
