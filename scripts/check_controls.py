"""Checks that two runs show a sound suite: the reference solutions score 1, and doing nothing scores next to nothing.

Usage: check_controls.py DIRECTORY_OF_ORACLE_RUNS DIRECTORY_OF_UNHELPFUL_RUNS
"""

import sys
from pathlib import Path

from tool_sandbox.analysis.data_loading import Run, load_run

FLOOR_OVERALL = 0.02
FLOOR_IN_A_CATEGORY = 0.05


def main(oracle_base: str, floor_base: str) -> int:
    """Prints what is wrong, and returns the exit code."""
    oracle, floor = _only_run(oracle_base), _only_run(floor_base)
    problems = [
        f"reference solution of {result['directory']} scores {result['similarity']} ({result['exception_type']})"
        for result in oracle.results
        if result["similarity"] != 1.0 or result["side_effects"]
    ]
    for category, means in floor.summary["category_aggregated_results"].items():
        limit = FLOOR_OVERALL if category == "ALL_CATEGORIES" else FLOOR_IN_A_CATEGORY
        if means["similarity"] > limit:
            problems.append(f"doing nothing earns {means['similarity']:.3f} in {category}, more than {limit}")
    problems += [f"{run.path.name} is empty or incomplete" for run in (oracle, floor) if not _is_sound(run)]
    print("\n".join(problems))
    overall = floor.summary["category_aggregated_results"].get("ALL_CATEGORIES", {}).get("similarity", 0.0)
    print(f"{len(oracle.results)} reference solutions, {len(problems)} problems; doing nothing earns {overall:.3f}")
    return 1 if problems else 0


def _only_run(base: str) -> Run:
    (path,) = Path(base).iterdir()
    return load_run(path)


def _is_sound(run: Run) -> bool:
    return run.is_complete and bool(run.results) and not any(result["traceback"] for result in run.results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
