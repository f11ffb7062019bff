"""The display on a terminal while runs are going on: drawn again four times a second, gone when they are over."""

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from tool_sandbox.cli.tables import money
from tool_sandbox.cli.tally import (
    SHOWN_RUNS,
    Count,
    Tally,
    describe_cost,
    describe_pace,
    describe_troubles,
    scores,
    short_count,
    span,
)
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.throttle import throttle_of
from tool_sandbox.records.result import Result

QUIET_S = 20.0
"""Seconds without a result after which it is said how long there has been none."""

_GAP = 2
_WITH_BARS = 70
"""Columns that a terminal needs for a bar per run."""
_LABEL = 14
"""Columns that labels get before others, at least."""
_SPINNER = "|/-\\"


@contextmanager
def live_display(tally: Tally, stream: TextIO, models: "Sequence[Provider]" = ()) -> Iterator["Board"]:
    """Shows runs on a terminal while they go on."""
    console = Console(file=stream)
    board = Board(tally, console, models)
    # Standard output is left alone: it may be a file, where the terminal's lines have no place.
    with Live(get_renderable=board.draw, console=console, transient=True, redirect_stdout=False):
        yield board


class Board:
    """Draws what a tally holds, and takes note of what happens."""

    def __init__(self, tally: Tally, console: Console, models: "Iterable[Provider]" = ()) -> None:
        """Draws nothing yet."""
        # Several runs may share a model.
        self._throttles = list(dict.fromkeys(map(throttle_of, models)))
        self._tally = tally
        self._console = console
        # A thread draws while others count.
        self._lock = threading.Lock()
        self._is_ascii = not console.encoding.lower().startswith("utf")

    def update(self, result: Result, part: int = 0) -> None:
        """Takes note of a result."""
        with self._lock:
            line = self._tally.add(result, part)
        self._say(line)

    def end(self, part: int) -> None:
        """Takes note that nothing more of a run is played."""
        with self._lock:
            self._tally.runs[part].is_over = True

    def wait(self, line: str | None) -> None:
        """Takes note of a wait for another attempt."""
        with self._lock:
            self._tally.waits += 1
        self._say(line)

    def tell(self, line: str) -> None:
        """Shows a line above what is drawn."""
        self._say(line)

    def _say(self, line: str | None) -> None:
        if line is not None:
            self._console.print(line, markup=False, highlight=False)

    def draw(self) -> Group:
        """What is to be seen now; no line is wider than the terminal, and no more lines than it has."""
        # In the last column some terminals begin a new line.
        width = max(self._console.width - 1, 8)
        with self._lock:
            lines = [self._overall(width), *(Text(line, no_wrap=True) for line in self._facts(width))]
            if len(self._tally.runs) > 1:
                lines += self._runs(width, min(SHOWN_RUNS, self._console.height - len(lines) - 2))
        return Group(*lines)

    def _overall(self, width: int) -> Text:
        total = self._tally.sum
        spin = _SPINNER[int(self._tally.elapsed_s * 4) % len(_SPINNER)]
        told = f" {total.played:,}/{total.total:,}  {_share(total):.0%}"
        text = Text(f"{spin} ", no_wrap=True)
        text.append_text(self._bar(_share(total), width - len(told) - 2))
        return text.append(told)

    def _facts(self, width: int) -> Iterator[str]:
        tally, total = self._tally, self._tally.sum
        pace = [f"{span(tally.elapsed_s)} elapsed", *describe_pace(tally)]
        if tally.quiet_s >= QUIET_S and total.played < total.total:
            pace.insert(1, f"last result {span(tally.quiet_s)} ago")
        yield _joined(pace, width)
        if len(tally.runs) == 1:
            score, success = scores(total)
            yield _joined([f"score {score}", f"success {success}"], width)
        costs = [describe_cost(tally), f"{short_count(total.tokens)} tokens"] if total.has_models else []
        if asked := [*costs, *self._requests()]:
            yield _joined(asked, width)
        if troubles := describe_troubles(tally):
            kinds = [f"{kind} {count}" for kind, count in tally.errors.most_common()]
            yield _joined([*troubles, *kinds], width)

    def _requests(self) -> Iterator[str]:
        """Requests to models at this moment, and how many there may be where a provider has pushed back."""
        if not self._throttles:
            return
        count = sum(throttle.in_flight for throttle in self._throttles)
        yield f"{count} request{'s' * (count != 1)} under way"
        limited = [throttle for throttle in self._throttles if throttle.limit != math.inf]
        if limited:
            most = sum(math.floor(throttle.limit) for throttle in limited)
            yield f"slowed to {most} at once, {sum(throttle.waiting for throttle in limited)} waiting"

    def _runs(self, width: int, height: int) -> list[Text]:
        """One line per run; those that do not fit are summed up in the last one."""
        shown, rest = _chosen(self._tally.runs, max(height, 1))
        counts = [*shown, *([sum(rest, Count(f"{len(rest)} others", 0))] if rest else [])]
        has_bars = width >= _WITH_BARS
        header, *rows = _fitting(_cells(counts), width - _LABEL)
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        room = max(width - sum(widths) - _GAP * len(widths), 1)
        labels = min(max([3, *(cell_len(run.label) for run in counts)]), room * 2 // 3 if has_bars else room)
        bars = min(24, room - labels - _GAP) if has_bars else 0
        lines = [Text(_row("run".ljust(labels), bars + _GAP if bars else 0, header, widths), "dim", no_wrap=True)]
        for run, row in zip(counts, rows, strict=True):
            text = Text(self._clipped(run.label, labels), no_wrap=True)
            if bars:
                text.append(" " * _GAP).append_text(self._bar(_share(run), bars))
            lines.append(text.append(_row("", 0, row, widths)))
        for line in lines:
            line.truncate(width)
        return lines

    def _bar(self, share: float, width: int) -> Text:
        done = int(share * max(width, 0))
        if self._is_ascii:
            full, empty = "#", "."
        else:
            is_plain = self._console.no_color or self._console.color_system is None
            full, empty = "━", "─" if is_plain else "━"
        style = "bar.finished" if share >= 1 else "bar.complete"
        return Text.assemble((full * done, style), (empty * (width - done), "bar.back"))

    def _clipped(self, label: str, width: int) -> str:
        """A label in exactly so many columns, without its middle if need be: labels tend to differ at the end."""
        if cell_len(label) <= width:
            return set_cell_size(label, width)
        tail = label[-(width // 2) :]
        head = set_cell_size(label, max(width - cell_len(tail) - 1, 0))
        return set_cell_size(f"{head}{'~' if self._is_ascii else '…'}{tail}", width)


def _share(run: Count) -> float:
    return run.played / run.total if run.total else 1.0


def _joined(said: Sequence[str], width: int) -> str:
    """As much of what is said as fits into a line."""
    line = said[0]
    for more in said[1:]:
        if cell_len(line) + 2 + cell_len(more) > width:
            break
        line = f"{line}, {more}"
    return set_cell_size(line, min(cell_len(line), width))


def _cells(runs: Sequence[Count]) -> list[list[str]]:
    """A line of titles, then one line per run; the most important cells first."""
    cells = [["played", "success", "score"]]
    cells += [[f"{run.played:,}/{run.total:,}", *reversed(scores(run))] for run in runs]
    if any(run.has_models for run in runs):
        costs = [money(run.paid_usd if run.is_priced else None) if run.has_models else "-" for run in runs]
        cells = [[*line[:2], cost, *line[2:]] for line, cost in zip(cells, ["cost", *costs], strict=True)]
    return cells


def _fitting(lines: Sequence[list[str]], width: int) -> list[list[str]]:
    """The leading columns, at least one, that fit into a width."""
    columns = list(zip(*lines, strict=True))
    widths = [_GAP + max(map(len, column)) for column in columns]
    count = max(1, *(n for n in range(1, len(columns) + 1) if sum(widths[:n]) <= width), 1)
    return [line[:count] for line in lines]


def _row(label: str, blank: int, cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "".join([label, " " * blank, *(" " * _GAP + cell for cell in aligned)])


def _chosen(runs: Sequence[Count], height: int) -> tuple[list[Count], list[Count]]:
    """Runs that are shown, in their order, and those for which there is no line: finished ones rather than others."""
    if len(runs) <= height:
        return list(runs), []
    ranked = sorted(range(len(runs)), key=lambda number: (runs[number].played >= runs[number].total, number))
    shown = set(ranked[: height - 1])
    return [runs[number] for number in sorted(shown)], [runs[n] for n in range(len(runs)) if n not in shown]
