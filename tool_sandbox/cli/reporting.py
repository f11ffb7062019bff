"""What is printed when a run is over."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.cli.figures import FLOOR_TITLES, interval_text, open_text, settled_text, shown, trust
from tool_sandbox.cli.tables import money, summary_table, terminal_width
from tool_sandbox.cli.tally import describe_failure, has_failed
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.metrics import Group, Metrics
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.lineage import place_of
from tool_sandbox.runner.remote import addressed
from tool_sandbox.runner.repeating import acting, as_flags
from tool_sandbox.runner.resume import FAILED
from tool_sandbox.runner.run import PreparedRun
from tool_sandbox.runner.store import FinishedRun, RunDirectory
from tool_sandbox.runner.usage import PARTIES, add_up
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.outcome import Outcome

SHOWN_FAILURES = 10


def describe_run(run: PreparedRun) -> str:
    """Who plays how many conversations, in one line."""
    scenarios = len({episode.scenario_name for episode in run.episodes})
    conversations = counted(len(run.episodes), "conversation")
    what = conversations if scenarios == len(run.episodes) else f"{conversations} of {counted(scenarios, 'scenario')}"
    return f"agent {run.description['agent']}, user {run.description['user']}, {what}"


def print_run(run: FinishedRun, replays: Mapping[Any, Path]) -> None:
    """Prints the result of a run on standard output, and what was wrong with it on standard error."""
    print(f"\n{summary_table(run.summary, terminal_width())}\n")
    for line in (
        *_models(run),
        *_fidelity(run.summary["user_fidelity"]),
        *_judge(run.summary["judge"]),
        *_replay(run, replays),
    ):
        print(printable(line))
    for line in problems(run):
        print(line, file=sys.stderr)


def report_floor(run: "PreparedRun | None", finished: FinishedRun) -> None:
    """Prints what a run scored as a whole, how far that can be trusted, and what no skill scores on its scenarios."""
    from tool_sandbox.analysis.metrics import measure

    floors = floors_of(finished.path, None if run is None else run.source)
    metrics = measure(finished.results, floors=floors, by=(), planned=finished.summary["run"]["planned"])
    for line in closing_lines(metrics):
        print(line)


def closing_lines(metrics: Metrics) -> list[str]:
    """The main numbers of a run in a few lines that fit a narrow terminal."""
    overall = metrics["overall"]
    lines = [line for name in ("success", "similarity") for line in _headline(overall, name)]
    if overall["trials"] > 1 and all(headline["value"] is not None for headline in overall["headlines"].values()):
        k = max(overall["pass_hat_k"], key=int)
        every, once = overall["pass_hat_k"][k]["estimate"], overall["pass_at_k"][k]["estimate"]
        if every is not None and once is not None:
            left_out = overall["pass_hat_k"][k]["left_out"]
            few = f" ({counted(left_out, 'scenario')} had fewer trials)" if left_out else ""
            lines.append(
                f"pass^{k}    {shown('success', every['mean'])} {interval_text('success', every)}, pass@{k} "
                f"{shown('success', once['mean'])} {interval_text('success', once)}{few}"
            )
    if overall["open"]:
        lines.append(open_text(overall))
    if overall["settled_by_judge"]:
        lines.append(settled_text(overall))
    if (rests_on := trust(overall, metrics["confidence"])) is not None:
        lines.append(f"          {rests_on}")
    return lines


def _headline(group: Group, name: str) -> Iterator[str]:
    title = {"success": "success", "similarity": "score"}[name].ljust(9)
    headline, estimate = group["headlines"][name], group["estimates"][name]
    if headline["value"] is None or estimate is None:
        yield f"{title} REFUSED: {headline['reason']}"
        if headline["low"] is not None and headline["high"] is not None:
            yield f"          it is between {shown(name, headline['low'])} and {shown(name, headline['high'])}"
        return
    floors = ""
    if group["floors"] is not None:
        means = [f"{FLOOR_TITLES[agent]} {shown(name, means[name])}" for agent, means in group["floors"].items()]
        floors = f"  floors: {', '.join(means)}"
    yield f"{title} {shown(name, headline['value'])} {interval_text(name, estimate)}{floors}".rstrip()
    if group["evaluated"] < group["conversations"] and headline["low"] is not None and headline["high"] is not None:
        excluded = group["conversations"] - group["evaluated"]
        yield (
            f"          with the {excluded} excluded as failures {shown(name, headline['low'])}, as successes "
            f"{shown(name, headline['high'])}"
        )


def problems(run: FinishedRun) -> list[str]:
    """What was wrong with a run, a line for each thing, fit for a terminal."""
    lines = (*_substitutions(run), *_unlimited(run), *_given_up(run), *_failures(run), *_excluded(run), *_end(run))
    return list(map(printable, lines))


def _given_up(run: FinishedRun) -> Iterator[str]:
    """Conversations that an agent could not go on with: scored, but perhaps only a mistake in the agent."""
    found = [result for result in run.results if result["outcome"] == Outcome.MODEL_ERROR]
    if found:
        first = found[0]
        yield (
            f"WARNING: in {len(found)} of {counted(len(run.results), 'conversation')} the agent could not continue, "
            f"first in {first['directory']}: {first['reason']}"
        )


def _models(run: FinishedRun) -> Iterator[str]:
    usages = run.summary["usage"]
    total = add_up(usages.get(party) for party in PARTIES)
    if total is not None:
        yield f"models: {usage_text(total)}"


def usage_text(total: Mapping[str, Any]) -> str:
    """What models used and what it cost, on one line."""
    cached = f" ({total['cached_tokens']:,} of them cached)" if total["cached_tokens"] else ""
    answers = {origin: count for origin, count in total["origins"].items() if origin != "network"}
    elsewhere = "".join(f", {count:,} from {origin}" for origin, count in answers.items())
    paid = f", {money(total['paid_usd'])} of it paid" if answers else ""
    tokens = f"{total['input_tokens']:,} tokens in{cached}, {total['output_tokens']:,} out"
    if _is_silent(total):
        tokens = "tokens unknown"
    return (
        f"{tokens}, {money(total['cost_usd'])}{paid}, {counted(total['calls'], 'call')}{elsewhere}, "
        f"{counted(total['retries'], 'retry')}"
    )


def _is_silent(usage: Mapping[str, Any]) -> bool:
    """Whether there were answers that did not say how many tokens they took; every prompt takes some."""
    return bool(sum(usage["origins"].values())) and not usage["input_tokens"] + usage["output_tokens"]


def _unlimited(run: FinishedRun) -> Iterator[str]:
    budget = run.summary["run"].get("budget")
    is_limited = budget is not None and (budget["usd"], budget["tokens"]) != (None, None)
    for party in PARTIES:
        usage = run.summary["usage"].get(party)
        if usage is not None and _is_silent(usage) and is_limited:
            yield f"WARNING: the model of the {party} does not report tokens, so its usage was not limited"


def _fidelity(fidelity: Mapping[str, Any] | None) -> Iterator[str]:
    if fidelity is None or not fidelity["affected"]:
        return
    kinds = ", ".join(f"{kind} {count}" for kind, count in fidelity["findings"].items())
    without = fidelity["similarity_unaffected"]
    yield (
        f"user: {fidelity['affected']} of {counted(fidelity['audited'], 'conversation')} with findings ({kinds}); "
        f"score {fidelity['similarity']:.3f}, without them {'-' if without is None else f'{without:.3f}'}"
    )


def _judge(judge: Mapping[str, Any] | None) -> Iterator[str]:
    if judge is None:
        return
    agreement = "-" if judge["agreement"] is None else f"{judge['agreement']:.1%}"
    failed = f", {counted(judge['errors'], 'conversation')} not judged" if judge["errors"] else ""
    yield (
        f"judge {judge['model']}: agrees on {agreement} of {judge['facts']} facts; answers that only the judge accepts "
        f"{judge['only_judge']}, only the parsers {judge['only_parser']}{failed}"
    )
    if false := judge.get("false_statements"):
        yield f"judge {judge['model']}: false statements in {counted(false, 'conversation')}"


def _replay(run: FinishedRun, replays: Mapping[Any, Path]) -> Iterator[str]:
    replay = run.summary["replay"]
    if replay is None:
        return
    first = replay["first"]
    where = ""
    if first:
        place = (first["directory"], f"{first['party']} call {first['call']}", first["path"])
        where = f"; first: {', '.join(filter(None, place))}"
    yield f"replay: {counted(replay['identical'], 'conversation')} identical, {replay['diverged']} diverged{where}"
    for path in dict.fromkeys(replays.values()):
        moved = [result["directory"] for result in moved_scores(run, path)]
        told = f"{len(moved)} differ, first: {moved[0]}" if moved else "all as stored"
        yield f"scores: {told} ({path})"


def moved_scores(run: FinishedRun, stored: Path) -> list[Result]:
    """Results whose score or outcome differs from that of the same conversation in a stored run."""
    before = {place_of(result): result for result in RunDirectory(stored).read_results()}
    return [
        result
        for result in run.results
        if (then := before.get(place_of(result))) is not None
        and any(then.get(key) != result[key] for key in ("similarity", "outcome"))
    ]


def _substitutions(run: FinishedRun) -> Iterator[str]:
    described: Mapping[str, Any] = run.summary["run"]
    for party in PARTIES:
        usage = run.summary["usage"].get(party)
        if usage is not None and usage["substituted"]:
            asked = described.get(f"{party}_model") or described.get(party)
            served = ", ".join(f"{name} ({count})" for name, count in usage["served_models"].items())
            yield f"WARNING: {party} {asked} was requested, but other models answered: {served}"


def _failures(run: FinishedRun) -> Iterator[str]:
    """A line for each different failure, with the first conversation that it befell."""
    alike: dict[str, list[Result]] = {}
    for result in filter(has_failed, run.results):
        alike.setdefault(describe_failure(result).removeprefix(f"{result['directory']}: "), []).append(result)
    for why, results in list(alike.items())[:SHOWN_FAILURES]:
        others = f" and {len(results) - 1} more" if len(results) > 1 else ""
        yield f"could not be played: {results[0]['directory']}{others}: {why}"
    if len(alike) > SHOWN_FAILURES:
        left = sum(len(results) for results in list(alike.values())[SHOWN_FAILURES:])
        yield f"... and {left} more, see result_summary.json"


def _excluded(run: FinishedRun) -> Iterator[str]:
    excluded = [result for result in run.results if not is_evaluated(result)]
    if not excluded:
        return
    counts = Counter(f"{result['outcome']} {result['fault'] or ''}".strip() for result in excluded)
    why = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    # The code of a scenario would fail again.
    outcomes = sorted({result["outcome"] for result in excluded} - {Outcome.SCENARIO_ERROR})
    flag = "" if outcomes == list(FAILED) else f" --outcome {' '.join(outcomes)}"
    is_final = run.summary["replay"] or not outcomes
    path = addressed(run.path)
    again = "" if is_final else f"; play them again: tool_sandbox retry {path}{flag}{flags_to_repeat(run)}"
    yield f"EXCLUDED from all means: {len(excluded)} of {counted(len(run.results), 'conversation')} ({why}){again}"


def flags_to_repeat(run: FinishedRun) -> str:
    """The settings that `resume` and `retry` need again, each flag with a space before it."""
    return as_flags(acting(run.summary["run"]))


def _end(run: FinishedRun) -> Iterator[str]:
    summary = run.summary["run"]
    played = f"{summary['played']} of {counted(summary['planned'], 'conversation')} were played"
    # A replay would only get the same stored answers again.
    is_over = run.is_complete or run.summary["replay"]
    rest = "" if is_over else f"; the rest: tool_sandbox resume {addressed(run.path)}{flags_to_repeat(run)}"
    if summary.get("stopped") is not None:
        yield f"STOPPED: {summary['stopped']}; {played}{rest}"
    elif not run.is_complete:
        yield f"interrupted: {played}{rest}"
