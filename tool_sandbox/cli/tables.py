"""Plain text tables."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Aligns columns.

    Args:
        header: Column titles.
        rows: Cells.
        left: Number of leading columns that are aligned to the left; the others hold numbers.

    Returns:
        Lines joined by line breaks, a rule below the header.
    """
    widths = [max(len(line[column]) for line in (header, *rows)) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, rows)])


def summary_table(summary: Mapping[str, Any]) -> str:
    """Renders the result of a run, one row a category.

    Conversations that count in no mean have a column of their own if there are any.

    Args:
        summary: Content of ``result_summary.json``.
    """
    details = summary["category_details"]
    means = summary["category_aggregated_results"]
    excluded = {category: detail["count"] - detail["evaluated"] for category, detail in details.items()}
    has_excluded = any(excluded.values())
    rows = [
        [
            category,
            str(detail["count"]),
            _number(means.get(category, {}).get("similarity"), 3),
            _percent(detail["success_rate"]),
            _number(means.get(category, {}).get("turn_count"), 1),
            str(detail["tool_errors"]),
            str(detail["with_side_effects"]),
            str(detail["exceptions"]),
            *([str(excluded[category])] if has_excluded else []),
        ]
        for category, detail in details.items()
    ]
    header = ["category", "n", "similarity", "success", "turns", "tool errors", "side effects", "exceptions"]
    if has_excluded:
        header.append("excluded")
    return text_table(header, rows)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def indented(text: str, prefix: str = "    ") -> str:
    """Indents every line of a text."""
    return textwrap.indent(text, prefix, lambda line: True)
