"""A comparison as Markdown, for pull requests and the summary of a build."""

import re
from collections.abc import Iterable, Iterator, Sequence

from tool_sandbox.analysis.clustering import BASE_SCENARIO
from tool_sandbox.analysis.compare import mean_of, refusal
from tool_sandbox.analysis.comparison import (
    MetricDifference,
    PairwiseComparison,
    RunComparison,
    ScenarioChange,
    conclusion,
    interval_text,
    mean_text,
    p_text,
    ranking_text,
)
from tool_sandbox.analysis.gating import GateResult
from tool_sandbox.analysis.pairing import place
from tool_sandbox.analysis.registry import METRICS, RUN_METRICS
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.metrics import HEADLINES
from tool_sandbox.runner.verdicts import is_evaluated

SHOWN = tuple(name for name, metric in METRICS.items() if metric.is_compared and name not in HEADLINES)
"""Metrics beside success and score that are shown where they are known and not 0 in both runs."""

MOST_CHANGES = 25
"""Scenarios of a list of what broke; a pull request is no place for more."""

_SPECIAL = re.compile(r"[^A-Za-z0-9 .,=/+\-_]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def comparison_markdown(comparison: RunComparison, gates: Sequence[GateResult] = ()) -> str:
    """Writes a comparison as Markdown."""
    lines = ["## ToolSandbox", "", *_gate_table(gates)]
    if not comparison.others:
        lines += _single(comparison)
    if len(comparison.others) > 1:
        lines += _ranking(comparison)
    for pairwise in comparison.pairwise:
        lines += _pairwise(comparison, pairwise)
    return "\n".join(lines).rstrip() + "\n"


def code(text: str) -> str:
    """An untrusted text, in a fixed-width font and with nothing in it that Markdown or HTML would read."""
    return f"<code>{_escaped(text)}</code>"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", printable(text))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table, the first column to the left and the others to the right, and an empty line."""
    ruler = ["---", *("---:" for _ in header[1:])]
    return [f"| {' | '.join(row)} |" for row in (header, ruler, *rows)] + [""]


def shown_differences(pairwise: PairwiseComparison) -> list[MetricDifference]:
    """Differences worth a row: success, score, pass^k, and what else is known and not 0 in both runs."""
    first = [
        name for name in pairwise.differences if name in (pairwise.headline, "similarity") or name.startswith("pass^")
    ]
    others = [pairwise.differences[name] for name in SHOWN if name in pairwise.differences]
    return [pairwise.differences[name] for name in first] + [each for each in others if each.before or each.after]


def shown_means(comparison: RunComparison) -> list[list[str]]:
    """What the only run of a comparison is measured by: name, mean and interval of each metric worth a row."""
    run = comparison.baseline
    scenarios = [tuple(filter(is_evaluated, trials)) for trials in run.trials.values()]
    rows = []
    for name in (*HEADLINES, *SHOWN):
        mean = mean_of(METRICS[name], scenarios, comparison.confidence, kind=run.clustered_by)
        if mean is not None and (mean.estimate or name in HEADLINES):
            form = f",.{digits_of(name)}f"
            rows.append([name, format(mean.estimate, form), interval_text(mean, form)])
    return rows


def digits_of(name: str) -> int:
    """Digits behind the point of a metric in a table."""
    return METRICS[name].digits if name in METRICS else 3


def _gate_table(gates: Sequence[GateResult]) -> list[str]:
    if not gates:
        return []
    failed = sum(not result.passed for result in gates)
    header = f"**{failed} of {len(gates)} gates failed**" if failed else f"**All {len(gates)} gates passed**"
    rows = [
        [code(each.gate.text), code(each.label), "pass" if each.passed else "**FAIL**", _escaped(each.reason)]
        for each in gates
    ]
    return [header, "", *table(["fails if", "run", "result", "measured"], rows)]


def _pairwise(comparison: RunComparison, pairwise: PairwiseComparison) -> Iterator[str]:
    found = conclusion(comparison, pairwise)
    yield f"### {code(pairwise.label)} against {code(comparison.baseline.label)}"
    yield ""
    yield f"**{_escaped(found.text)}**"
    yield ""
    yield from (f"- Warning: {_escaped(warning)}" for warning in pairwise.warnings)
    if pairwise.warnings:
        yield ""
    rows = []
    for each in shown_differences(pairwise):
        digits = digits_of(each.metric)
        change = f"{each.change:+,.{digits}f} {interval_text(each.test.interval, f'+,.{digits}f')}".rstrip()
        values = [f"{value:,.{digits}f}" for value in (each.before, each.after)]
        rows.append([each.metric.replace("^", "&#94;"), *values, change, p_text(each.test.p_value).removeprefix("p ")])
    header = ["mean per conversation", "before", "now", f"difference [{comparison.confidence:.0%}]", "p"]
    yield from table(header, rows)
    yield from _totals(comparison, pairwise)
    yield from _changes(
        "broke", "most trials succeeded before and few do now, or the drop is significant", pairwise.broken
    )
    yield from _changes("succeed less often, within noise", "not significant", pairwise.dropped)
    yield from _changes(
        "fixed", "most trials succeed now and few did before, or the rise is significant", pairwise.fixed
    )


def _totals(comparison: RunComparison, pairwise: PairwiseComparison) -> Iterator[str]:
    run = next(run for run in comparison.others if run.label == pairwise.label)
    parts = [f"{counted(len(pairwise.pairing.pairs), 'scenario')} compared"]
    for name, told in (("infrastructure_rate", "infrastructure errors"), ("total_cost_usd", "total cost")):
        values = [RUN_METRICS[name].of_results(each.results) for each in (comparison.baseline, run)]
        if any(values) and None not in values:
            form = ".1%" if name == "infrastructure_rate" else ".2f"
            unit = "" if name == "infrastructure_rate" else " USD"
            parts.append(f"{told} {' / '.join(format(value, form) for value in values if value is not None)}{unit}")
    yield "; ".join(parts)
    yield ""


def _changes(what: str, meaning: str, changes: Sequence[ScenarioChange]) -> Iterator[str]:
    if not changes:
        return
    yield f"<details><summary>{counted(len(changes), 'scenario')} {what}</summary>"
    yield ""
    rows = [
        [
            code(place(each.name, each.seed)),
            *(f"{each.before:.0%}", f"{each.after:.0%}", f"{each.similarity:+.3f}"),
            p_text(each.p_value).removeprefix("p "),
        ]
        for each in changes[:MOST_CHANGES]
    ]
    yield from table([meaning, "success before", "now", "score", "p"], rows)
    if len(changes) > MOST_CHANGES:
        yield f"... and {len(changes) - MOST_CHANGES:,} more"
        yield ""
    yield "</details>"
    yield ""


def _ranking(comparison: RunComparison) -> Iterator[str]:
    yield "### Ranking"
    yield ""
    yield f"{ranking_text(comparison).capitalize()}."
    yield ""
    if comparison.ranking[0].success is None:
        return
    rows = [[code(each.label), mean_text(each.success), mean_text(each.similarity)] for each in comparison.ranking]
    yield from table(["run", "success", "score"], rows)


def _single(comparison: RunComparison) -> Iterator[str]:
    run = comparison.baseline
    yield f"### {code(run.label)}"
    yield ""
    if (refused := refusal(run, comparison.max_infrastructure_rate)) is not None:
        yield f"**No headline: {_escaped(refused)}**"
        return
    header = ["mean per conversation", "value", f"interval [{comparison.confidence:.0%}]"]
    yield from table(header, shown_means(comparison))
    if run.clustered_by == BASE_SCENARIO:
        yield "Intervals are clustered by the base scenarios of one family, and do not generalise to others."
