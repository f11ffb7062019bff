"""What a sound hard tier keeps to beside what every scenario has to."""

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence

from tool_sandbox.apps.registry import app_names, find_app
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.conversation.tool_schemas import description_length
from tool_sandbox.proof.controls import FIRST_MATCH, NEVER_LOOKS, WEAK
from tool_sandbox.proof.findings import Figures
from tool_sandbox.proof.limits import LimitRow, Survey
from tool_sandbox.scenarios.subset import subset

SCENARIOS = 180
AXES = 15
OF_AN_AXIS = 12
MEDIAN_CALLS = 12
LONGEST = 60
MANY_APPS = 3
LINES = 45
TOKENS = 60_000
WEAK_SUCCESS = 0.2
SUBSET = 40
CORRELATION = 0.95
CHARACTERS_PER_TOKEN = 3
"""Characters of a request that make a token, as estimates of costs count them."""


def apps_of(tools: Iterable[str]) -> tuple[str, ...]:
    """The apps that tools belong to; the tools of the phone itself are one app for each kind of data."""
    owners = {tool.__name__: name for name in app_names() for tool in find_app(name).tools}
    return tuple(sorted({owners.get(tool, _on_phone(tool)) for tool in tools} - {""}))


def _on_phone(tool: str) -> str:
    kinds = {"contact": "contacts", "message": "messages", "reminder": "reminders"}
    return next((app for word, app in kinds.items() if word in tool), "")


def tokens_of(context: ExecutionContext) -> int:
    """Estimate of the tokens that the whole conversation has, descriptions of tools included."""
    tools = context.get_tools_of(RoleType.AGENT).items()
    described = sum(description_length(context, name, tool) for name, tool in tools)
    rows = [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    said = sum(len(row["content"] or "") for row in rows if RoleType.AGENT in (row["sender"], row["recipient"]))
    return -(-(described + said) // CHARACTERS_PER_TOKEN)


def hard_rows(survey: Survey) -> Iterator[LimitRow]:
    """Limits of the tier as a whole, each met or missed."""
    bases = survey.bases
    whole = survey.whole

    def row(check: str, ours: str, limit: str, met: bool, detail: str = "") -> LimitRow:
        return LimitRow(check, ours, "", limit, met if whole else None, detail)

    counts = {axis: sum(one.axis == axis for one in bases) for axis in sorted({one.axis for one in bases})}
    few = ", ".join(f"{axis} {count}" for axis, count in counts.items() if count < OF_AN_AXIS)
    yield row("base scenarios", str(len(bases)), f"\u2265 {SCENARIOS}", len(bases) >= SCENARIOS)
    has_all = len(counts) >= AXES and not few
    yield row("axes, each with enough scenarios", str(len(counts)), f"{AXES} with \u2265 {OF_AN_AXIS}", has_all, few)
    calls = [one.necessary for one in bases] or [0]
    median, longest = statistics.median(calls), max(calls)
    is_long = median >= MEDIAN_CALLS and longest >= LONGEST
    yield row(
        "necessary calls, median / most", f"{median:g} / {longest}", f"\u2265 {MEDIAN_CALLS} / {LONGEST}", is_long
    )
    wide = sum(len(one.apps) >= MANY_APPS for one in bases) / max(1, len(bases))
    yield row(f"scenarios that need {MANY_APPS} apps or more", f"{wide:.0%}", "\u2265 50%", wide >= 0.5)
    unknown = [one.name for one in bases if one.unknown]
    known = f"{len(bases) - len(unknown)} of {len(bases)}"
    yield row("reference feasible from what was shown", known, "all", not unknown, ", ".join(unknown))
    lines = statistics.fmean([one.lines for one in bases] or [0])
    yield row("lines a base scenario, family included, mean", f"{lines:.0f}", f"\u2264 {LINES}", lines <= LINES)
    most = max((one.tokens for one in bases), default=0)
    yield row("tokens of a conversation, most", f"{most:,}", f"\u2264 {TOKENS:,}", most <= TOKENS)
    correlation = subset_correlation(bases)
    told = "-" if math.isnan(correlation) else f"{correlation:.3f}"
    yield row(
        f"correlation of --subset {SUBSET} with all, over agents",
        told,
        f"\u2265 {CORRELATION}",
        correlation >= CORRELATION,
    )
    for name in (FIRST_MATCH, NEVER_LOOKS):
        yield row(*_weak_row(name, bases))


def subset_correlation(bases: Sequence[Figures]) -> float:
    """Pearson's correlation between mean scores over the subset and over all, of all agents that should fail."""
    part = subset(bases, SUBSET)
    agents = {name for one in bases for name in (*one.controls, *one.weak)}

    def means(ones: Sequence[Figures]) -> list[float]:
        return [
            statistics.fmean([{**one.controls, **one.weak}.get(name, 0.0) for one in ones]) for name in sorted(agents)
        ]

    if len(agents) < MANY_APPS:
        return math.nan
    return statistics.correlation(means(part), means(bases))


def _weak_row(name: str, bases: Sequence[Figures]) -> tuple[str, str, str, bool, str]:
    shares = {axis: scores[name] for axis, scores in weak_successes(bases).items()}
    worst = max(shares.values(), default=0.0)
    over = ", ".join(f"{axis} {share:.0%}" for axis, share in shares.items() if share > WEAK_SUCCESS)
    return (
        f"success of an agent that {WEAK[name]}, worst axis",
        f"{worst:.0%}",
        f"\u2264 {WEAK_SUCCESS:.0%}",
        not over,
        over,
    )


def axis_rows(bases: Sequence[Figures]) -> list[dict[str, str]]:
    """What is in each axis, and what weak agents succeed in there, as the rows of a table."""
    rows = []
    for axis, scores in weak_successes(bases).items():
        ones = [one for one in bases if one.axis == axis]
        calls = sorted(one.necessary for one in ones)
        rows.append(
            {
                "Axis": axis,
                "Base scenarios": str(len(ones)),
                "Necessary calls, median / most": f"{statistics.median(calls):g} / {calls[-1]}",
                f"{MANY_APPS} apps or more": str(sum(len(one.apps) >= MANY_APPS for one in ones)),
                **{name.capitalize(): f"{share:.0%}" for name, share in scores.items()},
            }
        )
    return rows


def weak_successes(bases: Sequence[Figures]) -> dict[str, dict[str, float]]:
    """Axis to the share of its scenarios in which each weak agent succeeds."""
    table: dict[str, dict[str, float]] = {}
    for axis in sorted({one.axis for one in bases}):
        ones = [one for one in bases if one.axis == axis]
        table[axis] = {name: sum(one.weak.get(name) == 1.0 for one in ones) / len(ones) for name in WEAK}
    return table
