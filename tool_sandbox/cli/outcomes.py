"""What is different between two conversations of one scenario."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tool_sandbox.analysis.views import ConversationView
from tool_sandbox.cli.conversation_lists import score_of
from tool_sandbox.cli.tables import money, number, text_table
from tool_sandbox.cli.timeline import score_style
from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.verdicts import is_evaluated

Result = Mapping[str, Any]


def differences(views: Sequence[ConversationView]) -> RenderableType:
    """A table of the outcomes of two conversations, and one sentence that sums it up."""
    first, second = (view.result for view in views)
    rows = [[name, value(first), value(second)] for name, value in _FIGURES.items()]
    rows = [row for row in rows if row[1] or row[2]]
    nodes = zip(*(view.milestones for view in views), strict=False)
    for one, other in nodes:
        if one.similarity != other.similarity:
            rows.append([f"milestone {one.index}", number(one.similarity, 2), number(other.similarity, 2)])
    table = text_table(["", "A", "B"], rows)
    return Group(Text("\n" + table), _verdict(first, second))


def _spent(key: str, shown: Callable[[Any], str]) -> Callable[[Result], str]:
    def value(result: Result) -> str:
        usage = (result.get("usage") or {}).get("agent")
        return "" if usage is None else shown(usage[key])

    return value


_FIGURES: dict[str, Callable[[Result], str]] = {
    "score": score_of,
    "outcome": lambda result: printable(str(result.get("outcome") or "")),
    "turns": lambda result: str(result["turn_count"]),
    "tool calls": lambda result: str(result.get("tool_calls", "")),
    "tool errors": lambda result: str(result.get("tool_errors", "")),
    "side effects": lambda result: str(len(result.get("side_effects") or ())),
    "minefield": lambda result: "hit" if result.get("minefield_hit") else "-",
    "agent seconds": _spent("latency_s", lambda value: f"{value:.1f}"),
    "agent cost": _spent("cost_usd", money),
}


def _verdict(first: Result, second: Result) -> Text:
    if not (is_evaluated(first) and is_evaluated(second)):
        return Text("\none of them is excluded from the means, so they are not comparable")
    change = second["similarity"] - first["similarity"]
    if change == 0:
        return Text("\nboth score the same")
    return Text(
        f"\nB scores {abs(change):.3f} {'more' if change > 0 else 'less'} than A", score_style(float(change > 0))
    )
