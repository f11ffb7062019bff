"""What the results of many conversations add up to."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Result = dict[str, Any]
"""Result of one conversation, as in ``result.json``."""

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

    The scrambled variants are built on the one with three distraction tools; they are not counted there again.

    Args:
        categories: Tags of the scenario.
    """
    names = [str(category) for category in categories]
    if not _SCRAMBLES.isdisjoint(names):
        names = [name for name in names if name != "THREE_DISTRACTION_TOOLS"]
    return [*names, ALL_CATEGORIES]


def by_category(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Groups results under the categories that count them.

    Args:
        results: Results of conversations.

    Returns:
        Category to results, in the order in which the categories are declared, ``ALL_CATEGORIES`` last.
    """
    from tool_sandbox.common.execution_context import ScenarioCategories

    groups: dict[str, list[Result]] = {}
    for result in results:
        for category in counted_categories(result["categories"]):
            groups.setdefault(category, []).append(result)
    everything = groups.pop(ALL_CATEGORIES, [])
    rank = {str(category): position for position, category in enumerate(ScenarioCategories)}
    ordered = sorted(groups, key=lambda category: rank.get(category, len(rank)))
    return {**{category: groups[category] for category in ordered}, ALL_CATEGORIES: everything}


def summarise(results: Sequence[Result], run: Mapping[str, Any], git_sha: str | None) -> dict[str, Any]:
    """Builds the content of ``result_summary.json``.

    Args:
        results: One entry a conversation.
        run: Description of the run; its list of episodes is replaced by their number.
        git_sha: Commit of the working directory.

    Returns:
        The three published keys, then ``category_details`` and ``run``.
    """
    groups = by_category(results)
    described = {key: value for key, value in run.items() if key not in ("episodes", "git_sha")}
    planned = len(run.get("episodes", results))
    return {
        "per_scenario_results": list(results),
        "category_aggregated_results": {
            category: {key: statistics.fmean(result[key] for result in group) for key in ("similarity", "turn_count")}
            for category, group in groups.items()
            if group
        },
        "git_sha": git_sha,
        "category_details": {category: _details(group) for category, group in groups.items()},
        "run": {**described, "planned": planned, "played": len(results), "complete": len(results) == planned},
    }


def _details(group: Sequence[Result]) -> dict[str, Any]:
    """Counts and means that tell a crash from a failure; a mean over nothing is ``None``."""
    finished = [result for result in group if result["traceback"] is None]
    return {
        "count": len(group),
        "exceptions": len(group) - len(finished),
        "success_rate": _mean(group, _is_success),
        "similarity_without_exceptions": _mean(finished, lambda result: result["similarity"]),
        "turn_count_without_exceptions": _mean(finished, lambda result: result["turn_count"]),
        "with_side_effects": sum(bool(result.get("side_effects")) for result in group),
        "tool_calls": sum(result.get("tool_calls") or 0 for result in group),
        "tool_errors": sum(result.get("tool_errors") or 0 for result in group),
        "invalid_calls": sum(result.get("invalid_calls") or 0 for result in group),
        "outcomes": dict(sorted(Counter(result["outcome"] for result in group if "outcome" in result).items())),
    }


def _is_success(result: Result) -> bool:
    """Whether all points were won; results of other programs do not say so themselves."""
    return bool(result.get("success", result["similarity"] == 1))


def _mean(group: Sequence[Result], value: Callable[[Result], float]) -> float | None:
    return statistics.fmean(map(value, group)) if group else None
