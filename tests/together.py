"""Runs work in threads at the same time."""

import threading
from collections.abc import Callable, Iterable
from typing import Any


def together(work: Callable[[Any], object], given: Iterable[Any], timeout_s: float = 120) -> None:
    """Does a piece of work for each of some things, and waits for all; none may take longer than that."""
    threads = [threading.Thread(target=work, args=(each,), daemon=True) for each in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout_s)
        assert not thread.is_alive()
