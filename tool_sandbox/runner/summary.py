"""What the results of many conversations add up to."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import SummarisedRun
from tool_sandbox.records.summary import (
    CategoryDetails,
    FirstDivergence,
    JudgeSummary,
    ReplaySummary,
    RunSummary,
    UserFidelity,
)
from tool_sandbox.records.usage import UsageOfParties
from tool_sandbox.runner.usage import PARTIES, add_up, used
from tool_sandbox.runner.verdicts import is_evaluated, is_success

_Item = TypeVar("_Item")

ALL_CATEGORIES = "ALL_CATEGORIES"
_SCRAMBLES = frozenset(
    {
        "TOOL_NAME_SCRAMBLED",
        "TOOL_DESCRIPTION_SCRAMBLED",
        "ARG_DESCRIPTION_SCRAMBLED",
        "ARG_NAME_SCRAMBLED",
        "ARG_TYPE_SCRAMBLED",
    }
)


def counted_categories(categories: Iterable[str]) -> list[str]:
    """Categories under which a scenario is counted, ``ALL_CATEGORIES`` last.

    Scrambled augmentations are built on the one with three distraction tools; they are not counted there again.
    """
    names = [str(category) for category in categories]
    if not _SCRAMBLES.isdisjoint(names):
        names = [name for name in names if name != "THREE_DISTRACTION_TOOLS"]
    return [*names, ALL_CATEGORIES]


def grouped(items: Iterable[_Item], names_of: Callable[[_Item], Iterable[str]]) -> dict[str, list[_Item]]:
    """Items under each of their names: categories in the order in which they are declared, all else by name."""
    groups: dict[str, list[_Item]] = {}
    for item in items:
        for name in names_of(item):
            groups.setdefault(name, []).append(item)
    rank = {str(category): position for position, category in enumerate(ScenarioCategories)}
    return {name: groups[name] for name in sorted(groups, key=lambda name: (rank.get(name, len(rank)), name))}


def by_category(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Groups results under the categories that count them."""
    groups = grouped(results, lambda result: counted_categories(result["categories"]))
    everything = groups.pop(ALL_CATEGORIES, [])
    return {**groups, ALL_CATEGORIES: everything}


def summarise(results: Sequence[Result], run: Mapping[str, Any], git_sha: str | None) -> RunSummary:
    """Builds the content of ``result_summary.json``."""
    groups = by_category(results)
    evaluated = {category: list(filter(is_evaluated, group)) for category, group in groups.items()}
    described = {key: value for key, value in run.items() if key not in ("episodes", "git_sha")}
    planned = len(run.get("episodes", results))
    progress = {"planned": planned, "played": len(results), "complete": len(results) == planned}
    return {
        "per_scenario_results": list(results),
        "category_aggregated_results": {
            category: {
                "similarity": statistics.fmean(result["similarity"] for result in group),
                "turn_count": statistics.fmean(result["turn_count"] for result in group),
            }
            for category, group in evaluated.items()
            if group
        },
        "git_sha": git_sha,
        "category_details": {category: _details(group, evaluated[category]) for category, group in groups.items()},
        "usage": usage_of_parties(results),
        "user_fidelity": _user_fidelity(evaluated[ALL_CATEGORIES]),
        "judge": _judge(evaluated[ALL_CATEGORIES]),
        "replay": _replay(results),
        "run": cast(SummarisedRun, described | progress),
    }


def _details(group: Sequence[Result], evaluated: Sequence[Result]) -> CategoryDetails:
    """Counts over all conversations, and means over those that say something about the agent.

    A mean over nothing is ``None``.
    """
    finished = [result for result in evaluated if result["traceback"] is None]
    total = add_up(usage for result in group for usage in used(result, ("agent", "user")))
    return {
        "count": len(group),
        "evaluated": len(evaluated),
        "exceptions": sum(result["traceback"] is not None for result in group),
        "success_rate": _mean(evaluated, is_success),
        "similarity_without_exceptions": _mean(finished, lambda result: result["similarity"]),
        "turn_count_without_exceptions": _mean(finished, lambda result: result["turn_count"]),
        "with_side_effects": sum(bool(result.get("side_effects")) for result in group),
        "tool_calls": sum(result.get("tool_calls") or 0 for result in group),
        "tool_errors": sum(result.get("tool_errors") or 0 for result in group),
        "invalid_calls": sum(result.get("invalid_calls") or 0 for result in group),
        "outcomes": dict(sorted(Counter(result["outcome"] for result in group if "outcome" in result).items())),
        "usage": total
        and {
            "calls": total["calls"],
            "input_tokens": total["input_tokens"],
            "output_tokens": total["output_tokens"],
            "cost_usd": total["cost_usd"],
        },
    }


def usage_of_parties(results: Sequence[Result]) -> UsageOfParties:
    """Sums of what each party used in many conversations."""
    agent, user, judge = (add_up(each for result in results for each in used(result, [party])) for party in PARTIES)
    return {"agent": agent, "user": user, "judge": judge}


def _user_fidelity(evaluated: Sequence[Result]) -> UserFidelity | None:
    """What the simulated user did wrong, and the means with and without those conversations."""
    findings = [(result, found) for result in evaluated if (found := result.get("user_findings")) is not None]
    if not findings:
        return None
    audited = [result for result, _ in findings]
    faithful = [result for result, found in findings if not found]
    kinds = Counter(finding["kind"] for _, found in findings for finding in found)
    return {
        "audited": len(audited),
        "affected": len(audited) - len(faithful),
        "findings": dict(sorted(kinds.items())),
        "similarity": _mean(audited, lambda result: result["similarity"]),
        "similarity_unaffected": _mean(faithful, lambda result: result["similarity"]),
        "success_rate": _mean(audited, is_success),
        "success_rate_unaffected": _mean(faithful, is_success),
    }


def _judge(evaluated: Sequence[Result]) -> JudgeSummary | None:
    """How often a judge and the parsers read a fact alike, and on how many answers they differ."""
    judged = [report for result in evaluated if (report := result.get("judge")) is not None]
    if not judged:
        return None
    answers = [answer for report in judged for answer in report["answers"]]
    facts = [reading["agrees"] for answer in answers for reading in answer["readings"]]
    known = [agrees for agrees in facts if agrees is not None]
    both = [(answer["deterministic"] == 1, answer["judge"] == 1) for answer in answers if answer["judge"] is not None]
    return {
        "model": judged[0]["model"],
        "conversations": len(judged),
        "errors": sum(report["error"] is not None for report in judged),
        "answers": len(answers),
        "facts": len(known),
        "unreadable": len(facts) - len(known),
        "agreement": statistics.fmean(known) if known else None,
        "only_judge": both.count((False, True)),
        "only_parser": both.count((True, False)),
        "false_statements": sum(bool(report.get("false_statements")) for report in judged),
    }


def _replay(results: Iterable[Result]) -> ReplaySummary | None:
    """How many re-played conversations asked what the stored ones had asked, and where the first did not."""
    replayed = [(result["directory"], replay) for result in results if (replay := result.get("replay")) is not None]
    if not replayed:
        return None
    diverged = [(directory, replay["divergences"][0]) for directory, replay in replayed if replay["divergences"]]
    first: FirstDivergence | None = {"directory": diverged[0][0], **diverged[0][1]} if diverged else None
    unused = sum(replay["unused"] for _, replay in replayed)
    return {"identical": len(replayed) - len(diverged), "diverged": len(diverged), "unused": unused, "first": first}


def _mean(group: Sequence[Result], value: Callable[[Result], float]) -> float | None:
    return statistics.fmean(map(value, group)) if group else None
