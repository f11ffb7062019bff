"""How a run is told to stop, by a person, a signal or another thread."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GRACE_S = 5.0
"""Seconds that conversations under way have to finish once a run is told to stop."""


class Stop:
    """Tells those who play conversations to stop.

    Asked once, they start nothing new and give what is under way ``grace_s`` seconds; asked twice, they leave at once.
    Takes no lock, so that a signal handler may call it at any moment.
    """

    def __init__(self, grace_s: float = GRACE_S, announce: Callable[[int], None] | None = None) -> None:
        """Starts without a request."""
        self.grace_s = grace_s
        self._announce = announce
        self._requests = 0
        self._deadline: float | None = None
        self._wakes: tuple[Callable[[], None], ...] = ()

    @property
    def is_requested(self) -> bool:
        """Whether nothing new may be started."""
        return self._requests > 0

    @property
    def is_immediate(self) -> bool:
        """Whether what is under way has to be left too."""
        return self._requests > 1

    @property
    def remaining_s(self) -> float | None:
        """Seconds left for what is under way; ``None`` while there is no request."""
        if self._deadline is None:
            return None
        return 0.0 if self.is_immediate else max(0.0, self._deadline - time.monotonic())

    def request(self) -> None:
        """Asks to stop; the second time, to stop at once. Wakes up everybody who listens."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self.grace_s
        self._requests += 1
        for wake in self._wakes:
            wake()

    def interrupt(self) -> None:
        """What Control-C means: a request if there is a listener, else the usual exception."""
        if not self._wakes:
            raise KeyboardInterrupt
        self.request()

    def announce(self, count: int) -> None:
        """Tells the person, once, how many conversations are waited for."""
        announce, self._announce = self._announce, None
        if announce is not None:
            announce(count)

    @contextmanager
    def listening(self, wake: Callable[[], None]) -> Iterator[None]:
        """Has a request call a function, which then checks it."""
        self._wakes = (*self._wakes, wake)
        try:
            yield
        finally:
            self._wakes = tuple(other for other in self._wakes if other is not wake)
