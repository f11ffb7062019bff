"""The command that scores a stored run again."""

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.progress import show_progress
from tool_sandbox.cli.stored import run_path, suite_of
from tool_sandbox.cli.tables import text_table
from tool_sandbox.helpers.printable import printable, printable_lines
from tool_sandbox.play.trajectory_files import to_json
from tool_sandbox.records.options import recorded
from tool_sandbox.records.result import Result
from tool_sandbox.runner.cluster import cluster_of
from tool_sandbox.runner.player import ScenarioSource
from tool_sandbox.runner.remote import new_folder
from tool_sandbox.runner.rescore import Rescored, category_means, rescore
from tool_sandbox.runner.source import InstructedSource, SearchedSource, SuiteSource
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios.scoring_changes import ScoringChange, changes_since
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile

SHOWN = 25
"""How many moved conversations are printed."""


def rescore_command(arguments: argparse.Namespace) -> int:
    """Scores a run again with the installed suite, and prints what changed and why."""
    cluster = cluster_of(arguments.executor, arguments.address)
    path = run_path(arguments.run)
    run = RunDirectory(path).read_run()
    played = run.get("suite")
    if played is None:
        raise ConfigurationError(f"{path} was not played with this suite, so it cannot be scored again")
    source, suite = scored_by(run, arguments.suite, arguments.profile or recorded(run)["profile"])
    target = new_folder(arguments.to) if arguments.to else None
    if cluster is not None:
        cluster.connect()
    spread = None if cluster is None else cluster.spread
    with show_progress(len(run["episodes"])) as progress:

        def update(result: Result) -> None:
            # What the stored conversation has cost is not spent again.
            progress.update({**result, "usage": {"agent": None, "user": None, "judge": None}})

        rescored = rescore(path, source, suite, target=target, on_result=update, spread=spread)
    changes = [] if arguments.suite else changes_since(played.get("version"))
    moved = [entry for entry in rescored if entry.has_moved]
    unscored = [entry for entry in rescored if not entry.is_scored]
    _print_header(played, suite, changes, moved)
    _print_moves(moved, unscored)
    _print_means(rescored)
    print(f"\n{len(rescored)} scored again, {len(moved)} moved, {len(unscored)} without a new score")
    if arguments.json:
        _write_report(arguments.json, played, suite, moved, unscored, len(rescored))
    if target is not None:
        print(f"results: {arguments.to}")
    return 1 if unscored or any(entry.is_suspicious for entry in moved) else 0


def scored_by(
    run: Mapping[str, Any], place: str | None, profile: str | None
) -> "tuple[ScenarioSource, dict[str, Any]]":
    """The scenarios to score a run by, and their suite: the installed one, or one from elsewhere as it was loaded."""
    from tool_sandbox.runner.suites import LoadedSuiteSource
    from tool_sandbox.scenarios import suite_identity

    rules = Profile(profile) if profile else None
    suite = suite_of(run, place, rules)
    source: ScenarioSource = SuiteSource(run["preferred_tool_backend"], rules)
    identity: dict[str, Any] = suite_identity(dict.fromkeys(row["scenario_name"] for row in run["episodes"]))
    if suite is not None:
        source, identity = LoadedSuiteSource(suite.request, suite.content_hash), suite.identity
    instruction = (run.get("instruction") or {}).get("text")
    if instruction is not None:
        source = InstructedSource(source, instruction)
    return SearchedSource(source) if run.get("tools") == "search" else source, identity


def _print_header(
    then: Mapping[str, Any], now: dict[str, str], changes: Sequence[ScoringChange], moved: Sequence[Rescored]
) -> None:
    if then.get("content_hash") == now["content_hash"]:
        print(f"played with this very suite, {_suite_name(now)}")
        return
    print(f"played with {_suite_name(then)}, scored with {_suite_name(now)}; in between:")
    for change in changes:
        concerned = sum(change.concerns(entry.before["name"]) for entry in moved)
        print(f"  {change.version}: {change.what} ({concerned} of the moved)")
    if not changes:
        print("  nothing that the list of scoring changes names")


def _suite_name(suite: Mapping[str, Any]) -> str:
    name, version = suite.get("name"), suite.get("version")
    return printable(f"{f'{name} ' if name else ''}version {version or suite['content_hash'][:12]}")


def _print_moves(moved: Sequence[Rescored], unscored: Sequence[Rescored]) -> None:
    if moved:
        rows = [
            [entry.before["directory"], *(f"{result['similarity']:.4f}" for result in (entry.before, entry.after))]
            for entry in moved[:SHOWN]
        ]
        print(printable_lines(f"\n{text_table(['conversation', 'before', 'after'], rows)}"))
    for entry in moved[:SHOWN]:
        reasons = entry.reasons or ("nothing that it depends on has changed: the stored score or file was altered",)
        told = "\n".join(f"  - {reason}" for reason in reasons)
        print(printable_lines(f"\n{entry.before['directory']}:\n{told}"))
    if len(moved) > SHOWN:
        print(f"\n... and {len(moved) - SHOWN} more; --json FILE has them all")
    for entry in unscored[:SHOWN]:
        print(printable(f"no new score: {entry.before['directory']}: {entry.reasons[0]}"))


def _print_means(rescored: Sequence[Rescored]) -> None:
    rows = [
        [category, str(count), f"{before:.3f}", f"{after:.3f}", f"{after - before:+.3f}"]
        for category, (count, before, after) in category_means(rescored).items()
    ]
    if rows:
        print(f"\n{text_table(['category', 'n', 'before', 'after', 'moved by'], rows)}")


def _write_report(
    file: OutputFile,
    then: Mapping[str, Any],
    now: dict[str, str],
    moved: Sequence[Rescored],
    unscored: Sequence[Rescored],
    count: int,
) -> None:
    report = {
        "suite_before": then,
        "suite_after": now,
        "conversations": count,
        "moved": [entry.to_dict() for entry in moved],
        "not_scored": [entry.to_dict() for entry in unscored],
    }
    file.write(to_json(json.loads(json.dumps(report)), indent=2))
