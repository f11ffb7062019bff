"""What is printed when a run is over."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.cli.progress import describe_failure, has_failed
from tool_sandbox.cli.tables import summary_table
from tool_sandbox.runner.store import Run, RunDirectory
from tool_sandbox.runner.summary import Result
from tool_sandbox.runner.usage import add_up
from tool_sandbox.runner.verdicts import is_evaluated

SHOWN_FAILURES = 10


def print_run(run: Run, replays: Mapping[Any, Path]) -> None:
    """Prints the result of a run on standard output, and what was wrong with it on standard error.

    Args:
        run: The run.
        replays: Party to the stored run that it was played from.
    """
    print(f"\n{summary_table(run.summary)}\n")
    for line in (
        *_models(run),
        *_fidelity(run.summary["user_fidelity"]),
        *_judge(run.summary["judge"]),
        *_replay(run, replays),
    ):
        print(line)
    for line in (*_substitutions(run), *_failures(run), *_excluded(run), *_end(run)):
        print(line, file=sys.stderr)


def money(amount: float | None) -> str:
    """An amount of US dollars with as many digits as it needs; a question mark where it is unknown."""
    if amount is None:
        return "$?"
    return f"${amount:.2f}" if amount >= 1 or amount == 0 else f"${amount:.2g}" if amount >= 0.0001 else "<$0.0001"


def _models(run: Run) -> Iterator[str]:
    usages = run.summary["usage"]
    total = add_up(usages.values())
    if total is None:
        return
    cached = f" ({total['cached_tokens']:,} of them cached)" if total["cached_tokens"] else ""
    answers = {origin: count for origin, count in total["origins"].items() if origin != "network"}
    elsewhere = "".join(f", {count:,} from {origin}" for origin, count in answers.items())
    paid = f", {money(total['paid_usd'])} of it paid" if answers else ""
    yield (
        f"models: {total['input_tokens']:,} tokens in{cached}, {total['output_tokens']:,} out, "
        f"{money(total['cost_usd'])}{paid}, {total['calls']:,} calls{elsewhere}, {total['retries']:,} retries"
    )


def _fidelity(fidelity: Mapping[str, Any] | None) -> Iterator[str]:
    if fidelity is None or not fidelity["affected"]:
        return
    kinds = ", ".join(f"{kind} {count}" for kind, count in fidelity["findings"].items())
    without = fidelity["similarity_unaffected"]
    yield (
        f"user: {fidelity['affected']} of {fidelity['audited']} conversations with findings ({kinds}); "
        f"similarity {fidelity['similarity']:.3f}, without them {'-' if without is None else f'{without:.3f}'}"
    )


def _judge(judge: Mapping[str, Any] | None) -> Iterator[str]:
    if judge is None:
        return
    agreement = "-" if judge["agreement"] is None else f"{judge['agreement']:.1%}"
    failed = f", {judge['errors']} conversations not judged" if judge["errors"] else ""
    yield (
        f"judge {judge['model']}: agrees on {agreement} of {judge['facts']} facts; answers that only the judge accepts "
        f"{judge['only_judge']}, only the parsers {judge['only_parser']}{failed}"
    )


def _replay(run: Run, replays: Mapping[Any, Path]) -> Iterator[str]:
    replay = run.summary["replay"]
    if replay is None:
        return
    first = replay["first"]
    where = f"; first: {first['directory']}, {first['party']} call {first['call']}, {first['path']}" if first else ""
    yield f"replay: {replay['identical']} conversations identical, {replay['diverged']} diverged{where}"
    for path in dict.fromkeys(replays.values()):
        moved = [result["directory"] for result in moved_scores(run, path)]
        told = f"{len(moved)} differ, first: {moved[0]}" if moved else "all as stored"
        yield f"scores: {told} ({path})"


def moved_scores(run: Run, stored: Path) -> list[Result]:
    """Results whose score or outcome differs from that of the same conversation in a stored run."""
    before = {result["directory"]: result for result in RunDirectory(stored).read_results()}
    return [
        result
        for result in run.results
        if (then := before.get(result["directory"])) is not None
        and any(then.get(key) != result[key] for key in ("similarity", "outcome"))
    ]


def _substitutions(run: Run) -> Iterator[str]:
    for party, usage in run.summary["usage"].items():
        if usage is not None and usage["substituted"]:
            asked = run.summary["run"].get(f"{party}_model")
            served = ", ".join(f"{name} ({count})" for name, count in usage["served_models"].items())
            yield f"WARNING: {party} {asked} was asked, but other models answered: {served}"


def _failures(run: Run) -> Iterator[str]:
    failures = [result for result in run.results if has_failed(result)]
    for result in failures[:SHOWN_FAILURES]:
        yield f"could not be played: {describe_failure(result)}"
    if len(failures) > SHOWN_FAILURES:
        yield f"... and {len(failures) - SHOWN_FAILURES} more, see result_summary.json"


def _excluded(run: Run) -> Iterator[str]:
    excluded = [result for result in run.results if not is_evaluated(result)]
    if not excluded:
        return
    counts = Counter(f"{result['outcome']} {result['fault'] or ''}".strip() for result in excluded)
    why = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    yield (
        f"EXCLUDED from all means: {len(excluded)} of {len(run.results)} conversations ({why}); "
        f"play them again: tool_sandbox retry {run.path}"
    )


def _end(run: Run) -> Iterator[str]:
    summary = run.summary["run"]
    played = f"{summary['played']} of {summary['planned']} conversations were played"
    if summary.get("stopped") is not None:
        yield f"STOPPED: {summary['stopped']}; {played}"
    elif not run.is_complete:
        yield f"interrupted: {played}"
