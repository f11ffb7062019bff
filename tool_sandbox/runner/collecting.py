"""Garbage collection while hundreds of conversations are played."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 20_000
"""New objects after which the collector looks at them. What conversations leave behind is nearly all freed by counting
references, so that looking more often costs more than it finds."""


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Has the collector leave alone what is there now, the program's code above all, and look seldom at the rest."""
    usual = gc.get_threshold()
    if not 0 < usual[0] < SELDOM:
        # Somebody wants it like that already, or not at all.
        yield
        return
    gc.collect()
    gc.freeze()
    gc.set_threshold(SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
