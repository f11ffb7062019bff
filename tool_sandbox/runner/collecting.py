"""Memory while hundreds of conversations are played."""

import contextlib
import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 20_000
"""New objects after which the collector looks at them. What conversations leave behind is nearly all freed by counting
references, so that looking more often costs more than it finds."""

ARENAS = 2
"""Heaps of the C library for all threads together. By default glibc has eight a core, and each keeps what was freed."""

_M_ARENA_MAX = -8
"""glibc's name for that number, from ``malloc.h``."""


def return_memory() -> None:
    """Gives freed memory back to the system where the C library can be told to (glibc)."""
    _ask_c_library("malloc_trim", 0)


def _ask_c_library(name: str, *arguments: int) -> None:
    # Away from glibc there is no such function, or no such library.
    with contextlib.suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), name)(*arguments)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Has the collector leave alone what is there now, the program's code above all, and look seldom at the rest.

    From then on all threads of the process share a few heaps of the C library.
    """
    _ask_c_library("mallopt", _M_ARENA_MAX, ARENAS)
    usual = gc.get_threshold()
    if not 0 < usual[0] < SELDOM:
        # Somebody wants it like that already, or not at all.
        yield
        return
    # What somebody else has frozen would be let go with the rest, and is looked at no more as it is.
    is_frozen = gc.get_freeze_count() > 0
    if not is_frozen:
        gc.collect()
        gc.freeze()
    gc.set_threshold(SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        if not is_frozen:
            gc.unfreeze()
