"""Scores stored trajectories again, and says what changed and why."""

import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.helpers.spreading import Spread
from tool_sandbox.integrations.executors.workspace import shelter
from tool_sandbox.play.identity import Description, describe_evaluation
from tool_sandbox.play.opening import check_no_links, read_bytes
from tool_sandbox.play.record import LARGEST, part_file
from tool_sandbox.play.trajectory_files import conversation_turns, make_directory, stored_context, write_bytes
from tool_sandbox.records.result import Observed, Result
from tool_sandbox.runner.explanation import explain
from tool_sandbox.runner.explanation.failure_modes import failure_of
from tool_sandbox.runner.lineage import place_of
from tool_sandbox.runner.parcels import Files, pack, unpack
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import ScenarioSource
from tool_sandbox.runner.results import finished_result
from tool_sandbox.runner.review import Verdicts, as_decisions, credit, read_review, verdicts_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.summary import summarise
from tool_sandbox.world.errors import ConfigurationError, ToolSandboxError

SHOWN_DIFFERENCES = 3
"""How many changed milestones a reason names before it only counts them."""

OBSERVED = ("directory", "outcome", *Observed.__required_keys__)
"""Keys of a result that come from playing and not from scoring."""

Suite = Mapping[str, Any] | None
"""Version and content hash of a suite."""


@attrs.frozen
class Rescored:
    """One stored conversation, scored again.

    Attributes:
        before: The stored result.
        after: The new one; the stored one where the conversation could not be scored again.
        reasons: Why the score changed, or why there is no new one. Empty if nothing changed.
        is_scored: Whether there is a new score.
    """

    before: Result
    after: Result
    reasons: tuple[str, ...] = ()
    is_scored: bool = True

    @property
    def has_moved(self) -> bool:
        """Whether the score or the verdict is another one."""
        return any(self.before.get(key) != self.after.get(key) for key in ("similarity", "success"))

    @property
    def is_suspicious(self) -> bool:
        """Whether the score changed although nothing that it depends on did."""
        return self.has_moved and not self.reasons

    def to_dict(self) -> dict[str, Any]:
        """JSON values for a report."""
        return {
            "directory": self.before["directory"],
            "name": self.before["name"],
            "before": self.before["similarity"],
            "after": self.after["similarity"] if self.is_scored else None,
            "reasons": list(self.reasons),
        }


@attrs.frozen
class Rescorer:
    """Scores the conversations of a run by scenarios of the present.

    Attributes:
        directory: The run.
        scenarios: Builds the scenario of an episode.
        suite: Suite that those scenarios belong to.
        target: Copy of the run that takes the new scores, ``None`` to write nothing.
        verdicts: Directory of a conversation to what was decided about its unclear readings.
    """

    directory: RunDirectory
    scenarios: ScenarioSource
    suite: Suite
    target: RunDirectory | None = None
    verdicts: Mapping[str, Verdicts] = attrs.field(factory=dict)

    def __call__(self, before: Result) -> Rescored:
        """Scores one conversation again."""
        if before.get("traceback") is not None:
            return _unscored(before, f"it ended with an exception ({before['exception_type']}) and was never scored")
        episode = episode_of(before)
        try:
            scenario, context = self.scenarios(episode), self.context(before["directory"])
            verdicts = self.verdicts.get(before["directory"], {})
            score = scenario.evaluation.evaluate(context, scenario.max_messages, as_decisions(verdicts))
        except (ToolSandboxError, KeyError, ValueError, TypeError) as error:
            return _unscored(before, " ".join(str(error).split()) or type(error).__name__)
        description = describe_evaluation(scenario.evaluation)
        after = finished_result(scenario, episode, context, score, self.suite)
        credit(after, verdicts)
        # What the conversation was is not for a new score to say.
        observed: Mapping[str, Any] = before
        after |= cast(Result, {key: observed[key] for key in OBSERVED if key in before})
        after["failure"] = failure_of(scenario, context, score, after["outcome"])
        if self.target is not None:
            explanations = explain(scenario.evaluation, context, score)
            evaluated = description | {"explanations": explanations}
            self.target.write_score(after, evaluated, conversation_turns(context, score, scenario.evaluation))
        rescored = Rescored(before, after)
        if not rescored.has_moved:
            return rescored
        return attrs.evolve(rescored, reasons=tuple(self._reasons(before, after, description)))

    def context(self, directory: str) -> ExecutionContext:
        """The stored world of a conversation."""
        part = "execution_context"
        where = part_file(self.directory.trajectory(directory), part)
        return stored_context(self.directory.read_part(directory, part), where)

    def _reasons(self, before: Result, after: Result, description: Description) -> Iterator[str]:
        then, now = before.get("scenario_hash"), after["scenario_hash"]
        if then is None or now is None:
            yield "the run does not say what it was scored by"
            return
        if then["start"] != now["start"]:
            yield "the initial state of the scenario has changed, so the stored conversation cannot be scored"
        if then["evaluation"] != now["evaluation"]:
            yield from _differences(self.directory.read_part(before["directory"], "evaluation"), description)
        elif before.get("suite") != after["suite"]:
            yield "the same milestones are evaluated differently (tools, facts or scoring rules changed)"


def rescore(
    path: Path,
    scenarios: ScenarioSource,
    suite: Suite,
    *,
    target: Path | None = None,
    on_result: Callable[[Result], None] | None = None,
    spread: Spread | None = None,
) -> list[Rescored]:
    """Scores all conversations of a run again, elsewhere if something spreads them. The run itself is only read."""
    directory = RunDirectory(path)
    results, run = directory.read_results(), directory.read_run()
    copy = None if target is None else _copied(path, target)
    rescorer = Rescorer(directory, scenarios, suite, copy, verdicts_of(read_review(directory)))
    rescored = {}
    done = (
        ((result, rescorer(result)) for result in results) if spread is None else _elsewhere(rescorer, results, spread)
    )
    for before, entry in done:
        rescored[before["directory"]] = entry
        if on_result is not None:
            on_result(entry.after)
    if copy is not None:
        copy.write_run({**run, "suite": None if suite is None else dict(suite)})
        copy.rebuild_summary()
    return [rescored[result["directory"]] for result in results]


Sent = tuple[Result, Files]


def _elsewhere(rescorer: Rescorer, results: Sequence[Result], spread: Spread) -> Iterator[tuple[Result, Rescored]]:
    """Scores conversations where their run is not at hand: their files are sent there, and new ones back."""
    run, target = rescorer.directory, rescorer.target
    here: list[Result] = []

    def sent() -> Iterator[Sent]:
        for before in results:
            try:
                yield before, pack(run.trajectory(before["directory"]), run.path)
            except OSError:
                here.append(before)  # it is said here what cannot be read

    for (before, files), (rescored, written) in spread(functools.partial(_score_sent, rescorer), sent()):
        if target is not None and written:
            folder = target.trajectory(before["directory"])
            unpack({name: content for name, content in written.items() if files.get(name) != content}, folder)
            for name in files.keys() - written.keys():
                (folder / name).unlink(missing_ok=True)
        yield before, rescored
    for before in here:
        yield before, rescorer(before)


def _score_sent(rescorer: Rescorer, sent: Sent) -> tuple[Rescored, Files]:
    """What became of the conversation, and all its files if new ones are wanted."""
    before, files = sent
    with tempfile.TemporaryDirectory(dir=shelter()) as folder:
        run = RunDirectory(Path(folder))
        trajectory = run.trajectory(before["directory"])
        unpack(files, trajectory)
        rescored = attrs.evolve(rescorer, directory=run, target=rescorer.target and run)(before)
        reasons = tuple(reason.replace(folder, str(rescorer.directory.path)) for reason in rescored.reasons)
        is_written = rescored.is_scored and rescorer.target is not None
        return attrs.evolve(rescored, reasons=reasons), pack(trajectory, run.path) if is_written else {}


def _copied(path: Path, target: Path) -> RunDirectory:
    if target.exists():
        raise ConfigurationError(f"{target} exists already; give a directory that does not")
    check_no_links(path)
    for folder, _, files in os.walk(path):
        inner = Path(folder).relative_to(path)
        make_directory(target / inner)
        for name in files:
            try:
                data = read_bytes(Path(folder) / name, path, LARGEST)
            except OSError as error:
                raise ConfigurationError(f"cannot read {Path(folder) / name}: {error.strerror}") from error
            write_bytes(target / inner / name, data)
    return RunDirectory(target)


def category_means(rescored: Sequence[Rescored]) -> dict[str, tuple[int, float, float]]:
    """Category to number of conversations and mean score before and after, over those that were scored again."""
    scored = [entry for entry in rescored if entry.is_scored]
    before, after = (
        summarise([getattr(entry, side) for entry in scored], {}, None)["category_aggregated_results"]
        for side in ("before", "after")
    )
    counts = summarise([entry.after for entry in scored], {}, None)["category_details"]
    return {
        category: (counts[category]["evaluated"], before[category]["similarity"], means["similarity"])
        for category, means in after.items()
        if category in before
    }


def episode_of(result: Result) -> Episode:
    """The episode that a result is of."""
    return Episode(*place_of(result), result["directory"])


def _unscored(before: Result, reason: str) -> Rescored:
    return Rescored(before, before, (reason,), is_scored=False)


def _differences(then: Description | None, now: Description) -> Iterator[str]:
    """What differs between two descriptions of an evaluation, in words."""
    if then is None:
        yield "the milestones have changed"
        return
    if then["profile"] != now["profile"]:
        yield f"scored by the {now['profile']} rules instead of the {then['profile']} ones"
    for kind in ("milestones", "minefields"):
        changed = list(_changed_nodes(kind[:-1], then[kind], now[kind]))
        yield from changed[:SHOWN_DIFFERENCES]
        if len(changed) > SHOWN_DIFFERENCES:
            yield f"{len(changed) - SHOWN_DIFFERENCES} more {kind} differ"
    if then["allowed_changes"] != now["allowed_changes"]:
        yield "the allowed changes have changed"


def _changed_nodes(kind: str, then: list[Description], now: list[Description]) -> Iterator[str]:
    for number in range(max(len(then), len(now))):
        if number >= len(now):
            yield f"{kind} {number} is gone: {_checks(then[number])}"
        elif number >= len(then):
            yield f"{kind} {number} is new: {_checks(now[number])}"
        elif then[number]["checks"] != now[number]["checks"]:
            yield f"{kind} {number} was {_checks(then[number])} and is {_checks(now[number])}"
        elif then[number] != now[number]:
            yield f"{kind} {number} has another weight, place or guardrail"


def _checks(node: Description) -> str:
    text = json.dumps(node["checks"], ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."
