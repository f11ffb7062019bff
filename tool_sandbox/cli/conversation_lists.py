"""Lists of conversations with their scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.cli.tables import text_table
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import place_of
from tool_sandbox.runner.verdicts import is_evaluated


def listed(runs: Sequence[Sequence[Result]], names: Sequence[str], most: int | None, width: int | None) -> str:
    """A table of the conversations of one run or of two, worst first."""
    rows = _rows_of_one(runs[0]) if len(runs) == 1 else _rows_of_two(*runs)
    header = ["scenario", "seed", "trial", "score", "outcome", "turns", "errors", "why"]
    left = "".join(f"{letter}: {printable(name)}\n" for letter, name in zip("AB", names, strict=False))
    if len(runs) == 2:
        header = ["scenario", "seed", "trial", "A", "B", "B - A"]
    else:
        left = f"{printable(names[0])}\n"
    shown = rows if most is None else rows[:most]
    text = _table(header, shown, width)
    hidden = len(rows) - len(shown)
    more = f"\n{hidden} more; --full lists all" if hidden else ""
    return f"{left}\n{text}{more}\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    # Seeds and trials that are 0 everywhere say nothing, and so does an empty column.
    told = [
        number
        for number, title in enumerate(header)
        if not (title in ("seed", "trial") and all(row[number] == "0" for row in rows))
        and not (title == "why" and not any(row[number] for row in rows))
    ]
    header = [header[number] for number in told]
    rows = [[row[number] for number in told] for row in rows]
    if header[-1] == "why":
        # The reason is text too, and the columns of text come first.
        header = [header[0], header[-1], *header[1:-1]]
        rows = [[row[0], row[-1], *row[1:-1]] for row in rows]
        return text_table(header, rows, left=2, width=width)
    return text_table(header, rows, width=width)


def _rows_of_one(results: Sequence[Result]) -> list[list[str]]:
    ordered = sorted(results, key=lambda result: (not is_evaluated(result), result["similarity"]))
    return [
        [
            *_place(result),
            score_of(result),
            str(result.get("outcome", "")),
            str(result["turn_count"]),
            str(result.get("tool_errors", "")),
            _why(result),
        ]
        for result in ordered
    ]


def _rows_of_two(before: Sequence[Result], after: Sequence[Result]) -> list[list[str]]:
    others = {place_of(result): result for result in after}
    pairs = [(result, others[place_of(result)]) for result in before if place_of(result) in others]
    changes = {place_of(first): second["similarity"] - first["similarity"] for first, second in pairs}
    pairs.sort(key=lambda pair: (changes[place_of(pair[0])] == 0, changes[place_of(pair[0])]))
    return [
        [
            *_place(first),
            score_of(first),
            score_of(second),
            f"{changes[place_of(first)]:+.3f}" if is_evaluated(first) and is_evaluated(second) else "-",
        ]
        for first, second in pairs
    ]


def _place(result: Result) -> list[str]:
    return [printable(str(value)) for value in place_of(result)]


def score_of(result: Mapping[str, Any]) -> str:
    """The score, a hyphen where it says nothing about the agent."""
    return f"{result['similarity']:.3f}" if is_evaluated(result) else "-"


def _why(result: Result) -> str:
    """In a few words what took all points, or ended the conversation."""
    reasons = []
    if result.get("minefield_hit"):
        reasons.append("minefield")
    if result.get("side_effects"):
        reasons.append("side effect")
    if result.get("fault"):
        reasons.append(str(result["fault"]))
    return printable(", ".join(reasons))
