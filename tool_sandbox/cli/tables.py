"""Plain text tables."""

import math
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.helpers.printable import printable_lines
from tool_sandbox.world.outcome import Outcome

NARROWEST = 12
"""Characters to which a column of text may shrink."""

REFUSED = "refused"
"""Stands for a number that would not be one."""

_GAP = "  "


def terminal_width() -> int | None:
    """Columns of the terminal that standard output goes to, ``None`` if it goes somewhere else."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, width: int | None = None) -> str:
    """Aligns columns."""
    cells = [[printable_lines(cell).split("\n") for cell in line] for line in (header, *rows)]
    widths = [max(len(text) for line in cells for text in line[column]) for column in range(len(header))]
    if width is not None:
        widths = _shrunk(widths, left, width)
        cells = [[_wrapped(cell, width) for cell, width in zip(line, widths, strict=True)] for line in cells]
    first, *others = ("\n".join(_lines(line, widths, left)) for line in cells)
    return "\n".join([first, _GAP.join("-" * width for width in widths), *others])


def _shrunk(widths: Sequence[int], left: int, width: int) -> list[int]:
    """Widths of columns of which the widest ones with text have given up what is too much."""
    shrunk = list(widths)
    excess = sum(shrunk) + len(_GAP) * (len(shrunk) - 1) - width
    while excess > 0:
        widest = max(range(left), key=shrunk.__getitem__)
        if shrunk[widest] <= NARROWEST:
            break
        shrunk[widest] -= 1
        excess -= 1
    return shrunk


def _wrapped(cell: Sequence[str], width: int) -> list[str]:
    # An address or a name in pieces could not be copied; it is cut only if it fills more than a line.
    return [part for line in cell for part in textwrap.wrap(line, width, break_on_hyphens=False) or [""]]


def _lines(cells: Sequence[Sequence[str]], widths: Sequence[int], left: int) -> list[str]:
    """The lines of one row."""
    lines = []
    for number in range(max(map(len, cells))):
        texts = [cell[number] if number < len(cell) else "" for cell in cells]
        aligned = [
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(texts, widths, strict=True))
        ]
        lines.append(_GAP.join(aligned).rstrip())
    return lines


def summary_table(summary: Mapping[str, Any], width: int | None = None) -> str:
    """Renders the result of a run, one row per category.

    Conversations that count in no mean have a column of their own if there are any; where too many of them are
    infrastructure errors, there is no mean.
    """
    details = summary["category_details"]
    means = summary["category_aggregated_results"]
    columns = {
        "category": list(details),
        "n": [str(detail["count"]) for detail in details.values()],
        "score": [
            REFUSED if _is_refused(detail) else number(means.get(category, {}).get("similarity"), 3)
            for category, detail in details.items()
        ],
        "success": [REFUSED if _is_refused(detail) else percent(detail["success_rate"]) for detail in details.values()],
        "turns": [number(means.get(category, {}).get("turn_count"), 1) for category in details],
        "tool errors": [str(detail["tool_errors"]) for detail in details.values()],
        "side effects": [str(detail["with_side_effects"]) for detail in details.values()],
        "exceptions": [str(detail["exceptions"]) for detail in details.values()],
        "excluded": [str(detail["count"] - detail["evaluated"]) for detail in details.values()],
    }
    if not any(cell != "0" for cell in columns["excluded"]):
        del columns["excluded"]
    table = _table_of(columns)
    if width is None or len(table.partition("\n")[0]) <= width:
        return table
    told = {
        name.replace(" ", "\n"): cells
        for name, cells in columns.items()
        if name in ("category", "n") or any(cell != "0" for cell in cells)
    }
    return _table_of(told)


def _is_refused(detail: Mapping[str, Any]) -> bool:
    """Whether too many conversations say nothing about the agent for their mean to be one."""
    from tool_sandbox.analysis.metrics import MAX_INFRASTRUCTURE_RATE

    failed: int = detail.get("outcomes", {}).get(Outcome.INFRASTRUCTURE_ERROR, 0)
    return failed > MAX_INFRASTRUCTURE_RATE * int(detail["count"])


def _table_of(columns: Mapping[str, Sequence[str]]) -> str:
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def number(value: float | None, digits: int) -> str:
    """A number with so many digits after the point, a hyphen where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A share in per cent, a hyphen where there is none."""
    return "-" if value is None else f"{value:.1%}"


def money(amount: float | None) -> str:
    """An amount of US dollars, below 1 with two significant digits; a question mark where it is unknown."""
    if amount is None:
        return "$?"
    if 0 < amount < 0.0001:
        return "<$0.0001"
    if amount >= 1 or amount == 0:
        return f"${amount:,.2f}"
    whole, _, decimals = f"{amount:.{1 - math.floor(math.log10(amount))}f}".partition(".")
    return f"${whole}.{decimals.rstrip('0'):0<2}"


def say_progress(text: str, *, is_due: bool) -> None:
    """Says on standard error how far something is: one line that changes on a terminal, a line now and then elsewhere.

    Args:
        text: What to say, empty to clear the line.
        is_due: Whether it is worth a line where lines stay.
    """
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif is_due:
        print(text, file=sys.stderr, flush=True)


def indented(text: str, prefix: str = "    ") -> str:
    """Indents every line of a text."""
    return textwrap.indent(text, prefix, lambda line: True)
