"""What a person sees while a run is going on."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Protocol, TextIO

import attrs

from tool_sandbox.common.printable import printable
from tool_sandbox.models.faults import Fault
from tool_sandbox.runner.summary import Result
from tool_sandbox.runner.verdicts import is_evaluated

SHOWN_FAILURES = 10
"""Different failures that are named while a run is going on; all are in its report."""

_CALLING = "tool_sandbox.models.calling"
"""Logger that hears of every wait for another attempt: provider, model, fault, seconds."""


class Progress(Protocol):
    """Hears of every finished conversation."""

    def update(self, result: Result) -> None:
        """Takes note of a result."""


@contextmanager
def show_progress(total: int, *, interactive: bool = False, stream: TextIO | None = None) -> Iterator[Progress]:
    """Shows how far a run is: a live bar on a terminal, a few plain lines elsewhere.

    Args:
        total: Number of conversations.
        interactive: Whether a person plays, so that the terminal has to be left alone.
        stream: Where to write, standard error by default.

    Yields:
        What has to be told of every result.
    """
    stream = sys.stderr if stream is None else stream
    if interactive:
        yield _Lines(stream, every=0, total=total)
        return
    plain = nullcontext(_Lines(stream, max(1, total // 10), total))
    with _live_bar(total, stream) if stream.isatty() else plain as shown, _waits_told_to(shown.wait):
        yield shown


@attrs.define
class _Tally:
    """What the conversations so far add up to, and what was already told of them."""

    played: int = 0
    evaluated: int = 0
    similarity: float = 0.0
    exceptions: int = 0
    retries: int = 0
    waits: int = 0
    told: set[str] = attrs.field(factory=set)

    def add(self, result: Result) -> str | None:
        """Counts a result and says what has to be told of it: failures that are alike only once."""
        self.played += 1
        if is_evaluated(result):
            self.evaluated += 1
            self.similarity += result["similarity"]
            self.exceptions += result["traceback"] is not None
        self.retries += sum(usage["retries"] for usage in (result.get("usage") or {}).values() if usage is not None)
        if not has_failed(result):
            return None
        line = describe_failure(result)
        why = line.removeprefix(f"{result['directory']}: ")
        if why in self.told or len(self.told) >= SHOWN_FAILURES:
            return None
        self.told.add(why)
        return line

    def __str__(self) -> str:
        mean = f"{self.similarity / self.evaluated:.3f}" if self.evaluated else "-"
        counts = {
            "excluded": self.played - self.evaluated,
            "with exceptions": self.exceptions,
            # Waits are heard of at once, but only those of this process.
            "retries": max(self.retries, self.waits),
        }
        return ", ".join([f"mean similarity {mean}", *(f"{n} {what}" for what, n in counts.items() if n)])


class _Shown(Progress, Protocol):
    def wait(self, line: str | None) -> None:
        """Takes note of a wait for another attempt, and shows the line if there is one."""


@attrs.define
class _Lines:
    """Writes a line now and then, and one for every kind of failure."""

    stream: TextIO
    every: int
    """After so many conversations; 0 for never."""
    total: int
    tally: _Tally = attrs.field(factory=_Tally)

    def update(self, result: Result) -> None:
        line = self.tally.add(result)
        if line is not None:
            self.stream.write(f"{line}\n")
        is_due = self.every and (self.tally.played % self.every == 0 or self.tally.played == self.total)
        if is_due:
            self.stream.write(f"played {self.tally.played}/{self.total}, {self.tally}\n")
        self.stream.flush()

    def wait(self, line: str | None) -> None:
        self.tally.waits += 1
        if line is not None:
            self.stream.write(f"{line}\n")
            self.stream.flush()


@contextmanager
def _live_bar(total: int, stream: TextIO) -> Iterator[_Shown]:
    from rich import progress as bars
    from rich.console import Console

    console = Console(file=stream)
    columns = (
        bars.TextColumn("playing"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(),
        bars.TextColumn("{task.fields[tally]}"),
    )
    # Standard output is left alone: it may be a file, where the terminal's lines have no place.
    with bars.Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=total, tally="")
        tally = _Tally()

        def show(line: str | None) -> None:
            if line is not None:
                console.print(line, markup=False, highlight=False)
            bar.update(task, completed=tally.played, tally=str(tally))

        class Live:
            def update(self, result: Result) -> None:
                show(tally.add(result))

            def wait(self, line: str | None) -> None:
                tally.waits += 1
                show(line)

        yield Live()


@contextmanager
def _waits_told_to(tell: Callable[[str | None], None]) -> Iterator[None]:
    """Passes on every wait for another attempt at asking a model, with a line for the first of its kind."""
    handler = _WaitHandler(tell)
    logger = logging.getLogger(_CALLING)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _WaitHandler(logging.Handler):
    def __init__(self, tell: Callable[[str | None], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if not isinstance(record.args, tuple) or not isinstance(fault := record.args[2], Fault):
            return
        provider, model, _, wait = record.args
        # Not in the provider's words, which may repeat what was sent: they come with the result, without keys.
        status = f" (HTTP {fault.status})" if fault.status is not None else ""
        what = f"{provider}/{model}: {fault.kind}{status}"
        line = None if what in self._told else printable(f"{what}; trying again in {wait:.1f} s")
        self._told.add(what)
        self._tell(line)


def has_failed(result: Result) -> bool:
    """Whether a conversation raised, or says nothing about the agent."""
    return result["traceback"] is not None or not is_evaluated(result)


def describe_failure(result: Result) -> str:
    """Says in one line what ended a conversation."""
    kind = result["exception_type"] or result.get("outcome")
    reason = result.get("reason")
    if reason is None:
        lines = [line for line in str(result["traceback"]).splitlines() if line and not line[0].isspace()]
        # The line that names the exception; a message can go on below it, and a cause is printed above it.
        named = [line for line in lines if line.partition(":")[0].rpartition(".")[2] == kind]
        reason = named[-1].partition(": ")[2].strip() if named else ""
    return printable(f"{result['directory']}: {kind}{': ' if reason else ''}{reason[:300]}")
