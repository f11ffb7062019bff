"""What is printed of a sweep: before it, what it would play and cost; after it, one row per run."""

import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tool_sandbox.analysis.metrics import headline
from tool_sandbox.analysis.pairing import Common, in_common
from tool_sandbox.cli.reporting import flags_to_repeat, problems
from tool_sandbox.cli.tables import money, number, percent, terminal_width, text_table
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.metrics import Headline
from tool_sandbox.records.result import Result
from tool_sandbox.runner.estimate import SPREAD, PartyEstimate, RunEstimate, estimate
from tool_sandbox.runner.floor import FLOORS, Floors
from tool_sandbox.runner.run import PreparedRun
from tool_sandbox.runner.store import FinishedRun
from tool_sandbox.runner.sweep import PreparedSweep
from tool_sandbox.runner.usage import PARTIES, add_up
from tool_sandbox.runner.verdicts import is_evaluated

SHOWN_SCENARIOS = 5
DEFAULT_WIDTH = 80
"""Columns of a table that goes to a file."""


def print_sweep_plan(prepared: PreparedSweep) -> None:
    """Prints what a sweep would play, ask and cost. Uses no network and writes nothing."""
    runs = prepared.runs
    names = list(dict.fromkeys(episode.scenario_name for run in runs.values() for episode in run.episodes))
    more = f" and {len(names) - SHOWN_SCENARIOS} more" if len(names) > SHOWN_SCENARIOS else ""
    conversations = counted(prepared.conversations, "conversation")
    print(f"would play: sweep {prepared.sweep.name}, {conversations} in {counted(len(runs), 'run')}")
    listed = textwrap.fill(f"scenarios: {', '.join(names[:SHOWN_SCENARIOS])}{more}", _width(), break_on_hyphens=False)
    print(f"{listed}\n")
    found = {label: estimate(run) for label, run in runs.items()}
    rows = [_planned(label, run, found[label]) for label, run in runs.items()]
    print(text_table(["run", "conversations", "calls", "tokens", "cost"], rows, width=_width()))
    if not any(run.models for run in runs.values()):
        print("\nno model plays, so this costs nothing")
    else:
        _print_total([asked for each in found.values() for asked in each.parties.values()])
        print(f"budget: {next(iter(runs.values())).budget}")
    print("nothing was sent or written")


def _print_total(parties: Sequence[PartyEstimate]) -> None:
    known = [asked.cost_usd for asked in parties if asked.cost_usd is not None]
    total = sum(known) if len(known) == len(parties) else None
    print(f"\nESTIMATE of all: {_range(total)}; the low end is the reference solution, the high end {SPREAD} times it")
    for model in dict.fromkeys(asked.model for asked in parties if asked.cost_usd is None):
        print(f"price: unknown for {model}; check its name, or give the price with --prices FILE")


def _planned(label: str, run: PreparedRun, found: RunEstimate) -> list[str]:
    count = f"{len(run.episodes):,}"
    if not run.models:
        return [printable(label), count, "-", "-", "-"]
    if not found.sampled:
        return [printable(label), count, "?", "?", "?"]
    parties = found.parties.values()
    tokens = sum(asked.input_tokens + asked.output_tokens for asked in parties)
    costs = [asked.cost_usd for asked in parties]
    cost = None if None in costs else sum(cost for cost in costs if cost is not None)
    return [printable(label), count, f"{sum(asked.calls for asked in parties):,}", f"{tokens:,}", _range(cost)]


def _range(cost: float | None) -> str:
    return money(None) if cost is None else f"{money(cost)} to {money(cost * SPREAD)}"


def print_sweep(path: Path, runs: Mapping[str, FinishedRun], floors: Floors | None) -> None:
    """Prints the result of a sweep on standard output, and what was wrong with its runs on standard error."""
    print_runs(runs, floors)
    place = printable(str(path))
    print(f"results: {place}")
    for missing in to_resume(path, list(runs.values())):
        print(f"play the rest: tool_sandbox resume {missing}")
    if len(runs) > 1:
        print(f"what differs:  tool_sandbox compare {place}")
    print(f"look at it:    tool_sandbox report {place}")


def to_resume(path: Path, runs: Sequence[FinishedRun]) -> Iterator[str]:
    """What to type after ``resume`` to play the rest of a sweep."""
    incomplete: dict[str, list[Path]] = {}
    for run in runs:
        if not run.is_complete:
            incomplete.setdefault(flags_to_repeat(run), []).append(run.path)
    is_whole = len(incomplete) == 1 and len({flags_to_repeat(run) for run in runs}) == 1
    for flags, paths in incomplete.items():
        yield shlex.join(map(str, [path] if is_whole else paths)) + flags


def print_runs(runs: Mapping[str, FinishedRun], floors: Floors | None) -> None:
    """Prints what several runs came to on standard output, and what was wrong with each on standard error."""
    print(f"\n{runs_table(runs, floors, _width())}\n")
    for label, run in runs.items():
        refused = headline(run.results)["reason"]
        lines = [*problems(run), *([f"no score: {printable(refused)}"] if refused is not None else [])]
        if run.summary["run"].get("stopped") is None and not run.is_complete:
            # That it was interrupted shows in the table, and how to go on is said once for all runs.
            lines = [line for line in lines if not line.startswith("interrupted: ")]
        if lines:
            print("\n".join([f"{printable(label)}:", *(f"  {line}" for line in lines)]), file=sys.stderr)


def runs_table(runs: Mapping[str, FinishedRun], floors: Floors | None, width: int | None) -> str:
    """Renders the results of several runs, one row each, with the floor below them.

    Where too much is excluded for a score, what it could be at least and at most stands in its place. Runs that did not
    all play the same are scored by what they have in common, and a line says so. Columns that say nothing are left out
    where there is no room.
    """
    common = in_common([run.results for run in runs.values()])
    rows = [_row(printable(label), run, common) for label, run in runs.items()]
    if floors is not None and runs:
        rows += _floor_rows(floors, common.of(max(runs.values(), key=lambda run: len(run.results)).results))
    header = ["run", "n", "score", "success", "errors", "excluded", "cost"]
    if width is not None and len(text_table(header, rows).partition("\n")[0]) > width:
        told = [len(set(column) - {"0", "-", ""}) > 0 for column in zip(*rows, strict=True)]
        header, *rows = ([cell for cell, kept in zip(row, told, strict=True) if kept] for row in (header, *rows))
    remark = textwrap.wrap(common.text or "", width or DEFAULT_WIDTH, break_on_hyphens=False)
    return "\n".join([text_table(header, rows, width=width), *remark])


def _row(label: str, run: FinishedRun, common: Common) -> list[str]:
    counted = [result for result in run.results if is_evaluated(result)]
    scored = run.results if headline(run.results)["value"] is None else common.of(run.results)
    score, success = headline(scored, name="similarity"), headline(scored)
    usage = add_up(run.summary["usage"].get(party) for party in PARTIES)
    return [
        label,
        f"{len(run.results):,}" if run.is_complete else f"{len(run.results):,}/{run.summary['run']['planned']:,}",
        _bounds(score, lambda value: number(value, 3)),
        _bounds(success, percent),
        str(sum(result["traceback"] is not None for result in counted)),
        str(len(run.results) - len(counted)),
        "-" if usage is None else money(usage["cost_usd"]),
    ]


def _bounds(found: Headline, shown: Callable[[float | None], str]) -> str:
    if found["value"] is not None or found["low"] is None or found["high"] is None:
        return shown(found["value"])
    return f"{shown(found['low'])}-{shown(found['high'])}"


def _floor_rows(floors: Floors, results: Sequence[Result]) -> list[list[str]]:
    places = [(result["name"], result["seed"]) for result in results]
    return [
        [
            f"floor: {agent.replace('_', '-')}",
            "",
            number(floors.mean(agent, places), 3),
            percent(floors.success_rate(agent, places)),
            *("", "", ""),
        ]
        for agent in FLOORS
        if floors.mean(agent, places) is not None
    ]


def _width() -> int:
    return terminal_width() or DEFAULT_WIDTH
