"""A comparison on the terminal."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from tool_sandbox.analysis.clustering import BASE_SCENARIO
from tool_sandbox.analysis.compare import refusal
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
from tool_sandbox.analysis.markdown import digits_of, shown_differences, shown_means
from tool_sandbox.analysis.pairing import StoredRun, place
from tool_sandbox.analysis.registry import excluded_rate, has_models, infrastructure_rate, total_cost_usd
from tool_sandbox.cli.tables import money, text_table
from tool_sandbox.helpers.counting import counted

SHOWN_CHANGES = 10


def comparison_lines(comparison: RunComparison, width: int = 80) -> Iterator[str]:
    """What is printed of a comparison."""
    yield from _runs(comparison, width)
    if not comparison.others:
        yield from _single(comparison, width)
    if len(comparison.others) > 1:
        yield from _ranking(comparison, width)
    for pairwise in comparison.pairwise:
        yield from _pairwise(comparison, pairwise, width)


def _lines(table: str) -> Iterator[str]:
    yield ""
    yield from table.split("\n")


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)


def _runs(comparison: RunComparison, width: int) -> Iterator[str]:
    """What each run as a whole is measured by."""
    rows = []
    for run in comparison.runs:
        counts = [f"{len(run.trials):,}", f"{len(run.results):,}"]
        found = [each.of_results(run.results) for each in (infrastructure_rate, excluded_rate)]
        shares = ["-" if value is None else f"{value:.1%}" for value in found]
        cost = money(total_cost_usd.of_results(run.results)) if has_models(run.results) else "-"
        rows.append([run.label, *counts, *shares, cost])
    header = ["run", "scenarios", "played", "infra\nerrors", "excluded\nin all", "cost"]
    yield from text_table(header, rows, width=width).split("\n")


def _single(comparison: RunComparison, width: int) -> Iterator[str]:
    run: StoredRun = comparison.baseline
    if (refused := refusal(run, comparison.max_infrastructure_rate)) is not None:
        yield ""
        yield from _wrapped(f"no headline: {refused}", width)
        return
    header = ["mean", "value", f"{comparison.confidence:.0%} interval"]
    yield from _lines(text_table(header, shown_means(comparison), width=width))
    if run.clustered_by == BASE_SCENARIO:
        yield from _wrapped(
            "intervals are clustered by the base scenarios of one family, and do not generalise to others", width
        )


def _pairwise(comparison: RunComparison, pairwise: PairwiseComparison, width: int) -> Iterator[str]:
    yield ""
    yield from _wrapped(conclusion(comparison, pairwise).text, width)
    for warning in pairwise.warnings:
        yield from _wrapped(f"WARNING: {warning}", width)
    rows = []
    for each in shown_differences(pairwise):
        form = f",.{digits_of(each.metric)}f"
        rows.append([each.metric, format(each.before, form), format(each.after, form), *_change(each, f"+{form}")])
    header = ["mean", "before", "now", "difference", f"{comparison.confidence:.0%} interval", "p"]
    if rows:
        yield from _lines(text_table(header, rows, width=width))
    yield from _categories(pairwise, width)
    yield from _changes("broke", pairwise.broken, width)
    yield from _changes("succeed less often, within noise", pairwise.dropped, width)
    yield from _changes("fixed", pairwise.fixed, width)


def _change(each: MetricDifference, form: str) -> list[str]:
    return [format(each.change, form), interval_text(each.test.interval, form), _p(each.test.p_value)]


def _p(value: float) -> str:
    return p_text(value).removeprefix("p ").removeprefix("= ").replace("< ", "<")


def _categories(pairwise: PairwiseComparison, width: int) -> Iterator[str]:
    rows = []
    for category, (success, _) in pairwise.categories.items():
        p_value = _p(success.p_adjusted)
        change, interval, _ = _change(success, "+.3f")
        counts = [str(success.test.interval.n), str(success.test.interval.clusters)]
        rows.append([category, *counts, change, interval, p_value])
    if rows:
        clusters = "bases" if pairwise.pairing.clustered_by == BASE_SCENARIO else "families"
        header = ["category", "n", clusters, "success", "interval", "p*"]
        yield from _lines(text_table(header, rows, width=width))
        yield "* corrected for the number of categories (Holm)"


def _changes(what: str, changes: Sequence[ScenarioChange], width: int) -> Iterator[str]:
    if not changes:
        return
    yield ""
    families = Counter(change.family for change in changes).most_common(5)
    most = ", ".join(f"{family} {count}" for family, count in families)
    number = counted(len(changes), "scenario")
    yield from _wrapped(f"{what}: {number}, most of them in {most}", width)
    rows = [
        [
            place(each.name, each.seed),
            *(f"{each.before:.0%} -> {each.after:.0%}", f"{each.similarity:+.3f}", _p(each.p_value)),
        ]
        for each in changes[:SHOWN_CHANGES]
    ]
    yield from text_table(["scenario", "success", "score", "p"], rows, width=width).split("\n")
    if len(changes) > SHOWN_CHANGES:
        yield f"... and {len(changes) - SHOWN_CHANGES:,} more; --json FILE has them all"


def _ranking(comparison: RunComparison, width: int) -> Iterator[str]:
    rows = [
        [f"{number}. {each.label}", mean_text(each.success), mean_text(each.similarity)]
        for number, each in enumerate(comparison.ranking, 1)
    ]
    if comparison.ranking[0].success is not None:
        yield from _lines(text_table(["ranking", "success", "score"], rows, width=width))
    yield ranking_text(comparison)
