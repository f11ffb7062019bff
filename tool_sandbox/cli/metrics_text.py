"""The numbers of runs as tables that fit a narrow terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.cli.figures import (
    FLOOR_TITLES,
    NOTHING,
    interval_text,
    open_text,
    settled_text,
    shown,
    trust,
)
from tool_sandbox.cli.tables import money, terminal_width, text_table
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.metrics import Estimate, Group, Metrics
from tool_sandbox.world.outcome import Outcome

if TYPE_CHECKING:
    from tool_sandbox.analysis.pairing import Common

NARROW = 80
"""Columns of a terminal that is not known."""

RUNS_PER_TABLE = 3

_EXCLUDED = {
    Outcome.INFRASTRUCTURE_ERROR: "infrastructure error",
    Outcome.SCENARIO_ERROR: "scenario error",
    Outcome.USER_ERROR: "user error",
}


@attrs.frozen
class MeasuredRun:
    """A run and its numbers.

    Attributes:
        path: Its directory.
        agent: Who played the agent.
        user: Who played the user.
        metrics: The numbers.
        label: What the run is called in its sweep, if it belongs to one.
    """

    path: Path
    agent: str
    user: str
    metrics: Metrics
    label: str | None = None

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return self.agent if self.label is None else self.label


@attrs.frozen
class _Line:
    """One line of a table.

    Attributes:
        title: What it is about.
        metric: Name of the metric that its values are written like.
        estimate: The mean.
        floors: What each floor agent has there, ``None`` if not requested.
    """

    title: str
    metric: str
    estimate: Estimate | None
    floors: Sequence[float | None]


def metrics_text(
    runs: Sequence[MeasuredRun], common: "Common", by: Sequence[str] = (), warnings: Sequence[str] = ()
) -> Iterator[str]:
    """The numbers of one run, or of several side by side, the best first where they have something in common."""
    left_out = {run.path: count for run, count in zip(runs, common.left_out, strict=True) if common.places}
    runs = sorted(runs, key=_rank) if common.places else runs
    blocks = [runs[start : start + RUNS_PER_TABLE] for start in range(0, len(runs), RUNS_PER_TABLE)]
    numbers = {run.path: f"{number}" for number, run in enumerate(runs, 1)}
    if len(runs) == 1:
        yield from _single(runs[0])
    else:
        yield from _leaderboard(runs)
        if common.text is not None:
            yield common.text
        yield from (f"WARNING: {warning}" for warning in warnings)
        for block in blocks:
            yield ""
            yield from _side_by_side(block, numbers)
    yield ""
    for run in runs:
        if len(runs) > 1:
            yield f"{numbers[run.path]}: {_title(run)}"
            left = left_out.get(run.path)
            yield f"   {_size(run)}" + (f"; {left:,} are left out" if left else "")
        for remark in _remarks(run, left_out.get(run.path, 0)):
            yield f"   {remark}" if len(runs) > 1 else remark
    has_tiers = any(len(run.metrics["groups"].get("tier", {})) > 1 for run in runs)
    for grouping in dict.fromkeys(("tier", *by) if has_tiers else by):
        for block in blocks:
            yield ""
            yield from _parts(block, grouping, numbers if len(runs) > 1 else None)
        if grouping == "family":
            yield "\nintervals within a family are clustered by base scenario"


def _rank(run: MeasuredRun) -> tuple[float, str]:
    """The best first, runs without a headline last."""
    value = run.metrics["overall"]["headlines"]["success"]["value"]
    return (1.0 if value is None else -value), str(run.path)


def _leaderboard(runs: Sequence[MeasuredRun]) -> Iterator[str]:
    most = max(max(map(int, run.metrics["overall"]["pass_hat_k"]), default=1) for run in runs)
    same_user = len({run.user for run in runs}) == 1
    rows = []
    for number, run in enumerate(runs, 1):
        overall = run.metrics["overall"]
        passed = overall["pass_hat_k"].get(str(most))
        chance = shown("success", passed["estimate"]["mean"]) if passed and passed["estimate"] else NOTHING
        rows.append(
            [
                f"{number} {run.name}{'' if same_user or run.name.endswith(f', {run.user}') else f', user {run.user}'}",
                *headline_cells(overall, "success"),
                headline_cells(overall, "similarity")[0],
                *([chance] if most > 1 else []),
                money(overall["cost_usd"]) if overall["cost_usd"] is not None else NOTHING,
                f"{overall['conversations'] - overall['evaluated']}",
            ]
        )
    passes = [f"pass^{most}"] if most > 1 else []
    yield from _table(["agent", "success", "interval", "score", *passes, "cost", "excluded"], rows)


def headline_cells(group: Group, name: str) -> list[str]:
    """A main number and its interval, or the range it must be in where it is refused."""
    headline, estimate = group["headlines"][name], group["estimates"][name]
    if headline["value"] is not None and estimate is not None:
        return _cells(name, estimate)
    if headline["low"] is None or headline["high"] is None:
        return [NOTHING, ""]
    return ["refused", f"{shown(name, headline['low'])} to {shown(name, headline['high'])}"]


def _cells(name: str, estimate: Estimate | None) -> list[str]:
    return [NOTHING, ""] if estimate is None else [shown(name, estimate["mean"]), interval_text(name, estimate)]


def _single(run: MeasuredRun) -> Iterator[str]:
    overall = run.metrics["overall"]
    yield from (_title(run), _size(run), "")
    rows = []
    for line in _lines(overall):
        bootstrap = "" if line.estimate is None else interval_text(line.metric, line.estimate, "bootstrap")
        floors = [shown(line.metric, floor) for floor in line.floors]
        cells = _main_cells(overall, line)
        rows.append([line.title, *cells, "" if cells[0] == "refused" else bootstrap, *floors])
    agents = [FLOOR_TITLES[agent] for agent in overall["floors"] or ()]
    yield from _table(["", "mean", "interval", "bootstrap", *agents], rows)


def _side_by_side(runs: Sequence[MeasuredRun], numbers: "dict[Path, str]") -> Iterator[str]:
    lines = [{line.title: line for line in _lines(run.metrics["overall"])} for run in runs]
    rows = []
    for title in dict.fromkeys(title for each in lines for title in each):
        cells = []
        for run, each in zip(runs, lines, strict=True):
            pair = _main_cells(run.metrics["overall"], each[title]) if title in each else [NOTHING]
            cells.append(" ".join(filter(None, pair)))
        rows.append([title, *cells])
    for agent, name in FLOOR_TITLES.items():
        floors = [(run.metrics["overall"]["floors"] or {}).get(agent, {}) for run in runs]
        if any(floors):
            rows.append([f"floor: {name}", *(shown("success", each.get("success")) for each in floors)])
    yield from _table(["", *(numbers[run.path] for run in runs)], rows)


def _main_cells(group: Group, line: _Line) -> list[str]:
    # pass@k and pass^k are written like successes, but have other floors.
    is_headline = line.metric in group["headlines"] and not line.title.startswith("pass")
    if is_headline:
        return headline_cells(group, line.metric)
    if line.title.startswith("pass") and group["headlines"]["success"]["value"] is None:
        return ["refused", ""]
    return _cells(line.metric, line.estimate)


def _lines(group: Group) -> Iterator[_Line]:
    """The lines of a table; what no conversation knows is left out."""
    from tool_sandbox.analysis.registry import METRICS

    agents = list(group["floors"] or ())
    for name, metric in METRICS.items():
        estimate = group["estimates"][name]
        if metric.title and (estimate is not None or name in group["headlines"]):
            yield _Line(metric.title, name, estimate, [(group["floors"] or {})[agent].get(name) for agent in agents])
        if name == "similarity" and group["trials"] > 1:
            for sign, passes in (("^", group["pass_hat_k"]), ("@", group["pass_at_k"])):
                for k, each in passes.items():
                    # A floor agent does the same in every trial.
                    floors = [(group["floors"] or {})[agent].get("success") for agent in agents]
                    yield _Line(f"pass{sign}{k}", "success", each["estimate"], floors)


def _parts(runs: Sequence[MeasuredRun], grouping: str, numbers: "dict[Path, str] | None") -> Iterator[str]:
    """A row per category, say, with the higher of both floors; families are shown with their base scenarios varying."""
    names = dict.fromkeys(name for run in runs for name in run.metrics["groups"][grouping])
    rows = []
    for name in names:
        groups = [run.metrics["groups"][grouping].get(name) for run in runs]
        known = [group for group in groups if group is not None]
        cells = [" ".join(filter(None, headline_cells(group, "success"))) if group else NOTHING for group in groups]
        if numbers is None:
            turns = known[0]["estimates"]["turn_count"]
            cells += [headline_cells(known[0], "similarity")[0], shown("turn_count", turns["mean"] if turns else None)]
        rows.append([name, f"{known[0]['units']}", *cells, shown("success", _floor(known))])
    columns = ["success", "score", "turns"] if numbers is None else [numbers[run.path] for run in runs]
    yield from _table([grouping, "n", *columns, "floor"], rows)
    if grouping in ("axis", "tier"):
        for run in runs:
            yield from _failure_modes(run, grouping)


def _failure_modes(run: MeasuredRun, grouping: str) -> Iterator[str]:
    """How conversations failed, by part: a row per failure mode, a column per part."""
    parts = {name: group["failure_modes"] for name, group in run.metrics["groups"][grouping].items()}
    modes = sum(map(Counter, parts.values()), Counter[str]())
    if not modes:
        return
    rows = [
        [
            mode.replace("_", " "),
            f"{total}",
            *(f"{counts[mode]}" if mode in counts else "" for counts in parts.values()),
        ]
        for mode, total in modes.most_common()
    ]
    yield ""
    yield from _table([f"failures of {run.name}", "all", *parts], rows)


def _floor(groups: Sequence[Group]) -> float | None:
    means = [means["success"] for group in groups for means in (group["floors"] or {}).values()]
    return max((mean for mean in means if mean is not None), default=None)


def _title(run: MeasuredRun) -> str:
    named = "" if run.label in (None, run.agent, f"{run.agent}, {run.user}") else f"{run.label}: "
    return f"{named}agent {run.agent}, user {run.user}"


def _size(run: MeasuredRun) -> str:
    overall = run.metrics["overall"]
    times = f", {counted(overall['trials'], 'trial')}" if overall["trials"] > 1 else ""
    return f"{counted(overall['conversations'], 'conversation')} of {counted(overall['units'], 'scenario')}{times}"


def _remarks(run: MeasuredRun, left_out: int) -> Iterator[str]:
    """What has to be known beside the numbers."""
    metrics, overall = run.metrics, run.metrics["overall"]
    if metrics["planned"] is not None and metrics["planned"] > (played := overall["conversations"] + left_out):
        yield f"INCOMPLETE: {played:,} of {counted(metrics['planned'], 'conversation')} were played"
    if len(tiers := metrics["groups"].get("tier", {})) > 1:
        yield f"MIXED TIERS: the numbers above are of {' and '.join(tiers)} together; read them by tier"
    success = overall["headlines"]["success"]
    if success["reason"] is not None:
        yield f"REFUSED: {success['reason']}"
    if overall["evaluated"] < overall["conversations"] and success["low"] is not None and success["high"] is not None:
        outcomes = overall["outcomes"]
        excluded = [
            f"{counted(outcomes.get(outcome, 0), name)} ({outcomes.get(outcome, 0) / overall['conversations']:.1%})"
            for outcome, name in _EXCLUDED.items()
            if outcome in outcomes or outcome != Outcome.SCENARIO_ERROR
        ]
        yield f"excluded: {', '.join(excluded)}"
        yield f"success with them as failures {success['low']:.1%}, as successes {success['high']:.1%}"
    if overall["open"]:
        yield open_text(overall)
    if overall["settled_by_judge"]:
        yield settled_text(overall)
    too_few = {k: each["left_out"] for k, each in overall["pass_hat_k"].items() if each["left_out"]}
    if too_few and overall["trials"] > 1:
        told = ", ".join(f"k={k}: {count}" for k, count in too_few.items())
        yield f"left out of pass@k and pass^k for too few evaluated trials: {told}"
    if modes := overall["failure_modes"]:
        ordered = sorted(modes.items(), key=lambda entry: -entry[1])
        yield "failures: " + ", ".join(f"{mode.replace('_', ' ')} {count}" for mode, count in ordered)
    for what, spread in (("conversation", overall["latency"]), ("call", metrics["call_latency"])):
        if spread is not None:
            yield f"model seconds a {what}: median {spread['median']:.2f}, 95 % are below {spread['p95']:.2f}"
    if (rests_on := trust(overall, metrics["confidence"])) is not None:
        yield rests_on


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    told = [list(map(printable, row)) for row in rows]
    yield from text_table(header, told, width=terminal_width() or NARROW).split("\n")
