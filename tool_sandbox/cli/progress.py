"""What a person sees while runs are going on."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol, TextIO

import attrs

from tool_sandbox.cli.tables import number, percent
from tool_sandbox.cli.tally import SHOWN_RUNS, Tally, describe_cost, describe_pace, describe_troubles
from tool_sandbox.helpers.printable import printable
from tool_sandbox.models.faults import RequestFault
from tool_sandbox.models.provider import Provider
from tool_sandbox.records.result import Result

LINE_EVERY_S = 30.0
"""Without a terminal: seconds after which a line is due, if anything happened."""

_CALLING = "tool_sandbox.models.calling"
"""Logger that hears of every wait for another attempt: provider, model, fault, seconds."""

_BATCHES = "tool_sandbox.models.batch_lane"
"""Logger that hears of every batch, in lines for people."""


class Progress(Protocol):
    """Hears of every finished conversation, and of waits."""

    def update(self, result: Result, part: int = 0) -> None:
        """Takes note of a result."""

    def end(self, part: int) -> None:
        """Takes note that nothing more of a run is played."""

    def wait(self, line: str | None) -> None:
        """Takes note of a wait for another attempt, and shows the line if there is one. Called from any thread."""

    def tell(self, line: str) -> None:
        """Shows a line. Called from any thread."""


@contextmanager
def show_progress(
    total: int,
    *,
    interactive: bool = False,
    stream: TextIO | None = None,
    parts: Sequence[tuple[str, int]] | None = None,
    places: Sequence[Hashable] | None = None,
    models: Iterable[Provider] = (),
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Progress]:
    """Shows how far runs are: a live display on a terminal, a few plain lines elsewhere."""
    stream = sys.stderr if stream is None else stream
    tally = Tally([("", total)] if parts is None else parts, clock, places)
    if interactive:
        yield _Lines(stream, tally, is_paced=False)
        return
    if stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown"):
        from tool_sandbox.cli.live import live_display

        display: AbstractContextManager[Progress] = live_display(tally, stream, tuple(models))
    else:
        display = nullcontext(_Lines(stream, tally))
    with display as shown, _heard(_CALLING, _WaitHandler(shown.wait)), _heard(_BATCHES, _LineHandler(shown.tell)):
        yield shown


@attrs.define
class _Lines:
    """Writes a line now and then, and one for every kind of failure."""

    stream: TextIO
    tally: Tally
    is_paced: bool = True
    """Whether lines about how far the runs are belong to it."""
    _written_s: float = 0.0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def update(self, result: Result, part: int = 0) -> None:
        with self._lock:
            line = self.tally.add(result, part)
            if line is not None:
                self.stream.write(f"{line}\n")
            if self.is_paced and self._is_due():
                self._written_s = self.tally.elapsed_s
                self.stream.write(f"{describe(self.tally)}\n")
            self.stream.flush()

    def end(self, part: int) -> None:
        self.tally.runs[part].is_over = True

    def wait(self, line: str | None) -> None:
        with self._lock:
            self.tally.waits += 1
            if line is not None:
                self.stream.write(f"{line}\n")
                self.stream.flush()

    def tell(self, line: str) -> None:
        with self._lock:
            self.stream.write(f"{line}\n")
            self.stream.flush()

    def _is_due(self) -> bool:
        total = self.tally.sum
        is_tenth = total.played * 10 // total.total > (total.played - 1) * 10 // total.total
        return is_tenth or self.tally.elapsed_s - self._written_s >= LINE_EVERY_S


def describe(tally: Tally) -> str:
    """How far runs are, in one line."""
    total = tally.sum
    said = [f"played {total.played}/{total.total}"]
    if len(tally.runs) == 1:
        said.append(f"score {number(total.mean_similarity, 3)}, success {percent(total.success_rate)}")
    said += describe_pace(tally)
    if total.has_models:
        said.append(describe_cost(tally))
    said += describe_troubles(tally)
    line = ", ".join(said)
    if 1 < len(tally.runs) <= SHOWN_RUNS:
        line += f"; success: {', '.join(f'{run.label} {percent(run.success_rate)}' for run in tally.runs)}"
    return line


@contextmanager
def _heard(name: str, handler: logging.Handler) -> Iterator[None]:
    """Has a handler hear what a logger is told."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _LineHandler(logging.Handler):
    """Passes on every line."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(printable(record.getMessage()))


class _WaitHandler(logging.Handler):
    """Passes on every wait for another attempt at asking a model, with a line for the first of its kind."""

    def __init__(self, tell: Callable[[str | None], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if not isinstance(record.args, tuple) or not isinstance(fault := record.args[2], RequestFault):
            return
        provider, model, _, wait = record.args
        # Not in the provider's words, which may repeat what was sent: they come with the result, without keys.
        status = f" (HTTP {fault.status})" if fault.status is not None else ""
        what = f"{provider}/{model}: {fault.kind}{status}"
        line = None if what in self._told else printable(f"{what}; trying again in {wait:.1f} s")
        self._told.add(what)
        self._tell(line)
