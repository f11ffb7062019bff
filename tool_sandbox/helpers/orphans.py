"""Worker processes that do not outlive the process that started them."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait

_EXIT_CODE = 1


def end_with_parent() -> None:
    """Ends this process at once when the one that started it is gone, killed or not.

    A daemon thread waits for that. In a process that ``multiprocessing`` did not start nothing happens.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), name="end with parent", daemon=True).start()


def is_orphan() -> bool:
    """Whether the process that started this one through ``multiprocessing`` is gone."""
    parent = multiprocessing.parent_process()
    return parent is not None and bool(wait([parent.sentinel], timeout=0))


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    # Not an exception: conversations in other threads would finish and write what is not needed any more.
    os._exit(_EXIT_CODE)
