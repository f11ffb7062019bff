"""What a person sees while a run is going on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

import attrs

from tool_sandbox.runner.summary import Result
from tool_sandbox.runner.verdicts import is_evaluated


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
        yield _Plain(total, stream, every=total + 1)
    elif stream.isatty():
        with _live_bar(total, stream) as progress:
            yield progress
    else:
        yield _Plain(total, stream, every=max(1, total // 10))


@attrs.define
class _Tally:
    """What the conversations so far add up to."""

    played: int = 0
    evaluated: int = 0
    similarity: float = 0.0
    exceptions: int = 0
    retries: int = 0

    def add(self, result: Result) -> None:
        self.played += 1
        if is_evaluated(result):
            self.evaluated += 1
            self.similarity += result["similarity"]
            self.exceptions += result["traceback"] is not None
        self.retries += sum(usage["retries"] for usage in (result.get("usage") or {}).values() if usage is not None)

    def __str__(self) -> str:
        mean = self.similarity / self.evaluated if self.evaluated else 0.0
        counts = {
            "excluded": self.played - self.evaluated,
            "with exceptions": self.exceptions,
            "retries": self.retries,
        }
        return ", ".join([f"mean similarity {mean:.3f}", *(f"{n} {what}" for what, n in counts.items() if n)])


@attrs.define
class _Plain:
    """Writes a line now and then, and one for every exception."""

    total: int
    stream: TextIO
    every: int
    tally: _Tally = attrs.field(factory=_Tally)

    def update(self, result: Result) -> None:
        self.tally.add(result)
        if has_failed(result):
            self.stream.write(f"{describe_failure(result)}\n")
        if self.tally.played % self.every == 0 or self.tally.played == self.total > self.every:
            self.stream.write(f"played {self.tally.played}/{self.total}, {self.tally}\n")
        self.stream.flush()


@contextmanager
def _live_bar(total: int, stream: TextIO) -> Iterator[Progress]:
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
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total, tally="")
        tally = _Tally()

        @attrs.define
        class Live:
            def update(self, result: Result) -> None:
                tally.add(result)
                if has_failed(result):
                    console.print(describe_failure(result), markup=False, highlight=False)
                bar.update(task, advance=1, tally=str(tally))

        yield Live()


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
    return f"{result['directory']}: {kind}{': ' if reason else ''}{reason[:300]}"
