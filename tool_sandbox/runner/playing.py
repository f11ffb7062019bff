"""Plays several runs at once, each into its own directory."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import without_keys
from tool_sandbox.models.session import Party
from tool_sandbox.records.result import Result
from tool_sandbox.records.summary import RunSummary
from tool_sandbox.runner.budget import Budget, BudgetMeter, Outage, Watch
from tool_sandbox.runner.casting import Cast
from tool_sandbox.runner.cluster import Cluster, environment
from tool_sandbox.runner.collecting import return_memory, seldom_collecting
from tool_sandbox.runner.descriptors import allow_descriptors
from tool_sandbox.runner.executors import FinishedJob, InlinePool, Pool, ThreadPool, play_all
from tool_sandbox.runner.gate import WriteGate
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.player import Player, ScenarioSource
from tool_sandbox.runner.processes import ProcessPool
from tool_sandbox.runner.ray_pool import RayPool
from tool_sandbox.runner.remote import addressed, copy_with
from tool_sandbox.runner.review import add_to_review, judged
from tool_sandbox.runner.schedule import Lane, Schedule
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.runner.store import RUN_FILE, TRAJECTORIES, FinishedRun, RunDirectory
from tool_sandbox.runner.summary import summarise
from tool_sandbox.runner.wiring import Wiring
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.runner.judging import NamedJudge

LEAST_PATIENCE = 8
"""Conversations in a row that have to fail to reach a model, at least, before a run gives it up."""

MOST_AT_ONCE = 512
"""Default number of concurrent conversations."""

AHEAD = 2
"""Conversations for each core of a cluster where nobody waits for an answer: one is played, one is at hand."""


@attrs.frozen
class PreparedRun:
    """A run that can start: all settings have been checked.

    Attributes:
        agent: Who plays the agent.
        user: Who plays the user.
        episodes: The conversations, in order.
        source: Builds their scenarios.
        description: What goes into ``run.json``, but for the episodes and the time.
        threads: Conversations at once.
        processes: Worker processes.
        wiring: How models are connected.
        budget: What the run may spend.
        models: Party to the model that plays it, for parties that models play.
        judge: Makes what gives a second opinion on the answers and settles what is unclear, ``None`` for none.
        cluster: Where it is played, ``None`` for this machine.
    """

    agent: Cast
    user: Cast
    episodes: tuple[Episode, ...]
    source: ScenarioSource
    description: Mapping[str, Any]
    threads: int
    processes: int
    wiring: Wiring = attrs.field(factory=Wiring)
    budget: Budget = attrs.field(factory=Budget)
    models: Mapping[Party, Provider] = attrs.field(factory=dict)
    judge: "NamedJudge | None" = None
    cluster: Cluster | None = None

    @property
    def is_interactive(self) -> bool:
        """Whether a person plays at the terminal, one conversation at a time."""
        return self.agent.is_interactive or self.user.is_interactive

    @property
    def asks(self) -> bool:
        """Whether somebody in it may ask a model."""
        return bool(self.models) or not (self.agent.is_local and self.user.is_local)


@attrs.frozen(eq=False)
class Part:
    """A run that is played, perhaps beside others.

    Attributes:
        run: What to play.
        directory: Where to; it exists and has its ``run.json``.
        description: Description of the whole run, its episodes and commit among them.
        replaces: Whether earlier attempts at the episodes make way.
    """

    run: PreparedRun
    directory: RunDirectory
    description: Mapping[str, Any]
    replaces: bool = False


def connect(runs: Iterable[PreparedRun]) -> None:
    """Connects this process with the cluster of some runs, if they have one, before anything is written.

    Raises:
        ConfigurationError: There is no such cluster.
    """
    for run in runs:
        if run.cluster is not None:
            run.cluster.connect()


def play_together(
    parts: Sequence[Part],
    *,
    concurrency: int | None = None,
    processes: int = 1,
    stop: Stop | None = None,
    on_result: Callable[[Part, Result], None] | None = None,
    on_end: Callable[[Part], None] | None = None,
) -> list[FinishedRun]:
    """Plays several runs at once, and sums up each as soon as it is over.

    Places are shared fairly between models, and between the runs of a model. A conversation that is left, because
    a stop was requested or because of ``KeyboardInterrupt``, has no result and can be played later. When files cannot
    be written, nothing else is started, and the runs say why they stopped.
    """
    with ExitStack() as claims:
        for part in parts:
            claims.enter_context(part.directory.claim())
        claims.enter_context(seldom_collecting())
        return _Together(parts, concurrency, processes, stop or Stop(), on_result, on_end).play()


class _Together:
    def __init__(
        self,
        parts: Sequence[Part],
        concurrency: int | None,
        processes: int,
        stop: Stop,
        on_result: Callable[[Part, Result], None] | None,
        on_end: Callable[[Part], None] | None,
    ) -> None:
        self._parts, self._stop, self._on_result, self._on_end = parts, stop, on_result, on_end
        self._here = any(part.run.is_interactive for part in parts)
        self._runs: dict[int, FinishedRun] = {}
        self._meters: dict[BudgetMeter, BudgetMeter] = {}
        self._schedule = Schedule(
            Lane(deque(part.run.episodes), max(concurrency or part.run.threads, processes), _group(part.run))
            for part in parts
        )
        self._threads = concurrency or min(self._schedule.limit, MOST_AT_ONCE)
        self._asks = any(part.run.asks for part in parts)
        self._cluster = next((part.run.cluster for part in parts if part.run.cluster is not None), None)
        if self._cluster is not None and not self._asks:
            self._threads = min(self._threads, AHEAD * self._cluster.cores)
        count = sum(len(part.run.episodes) for part in parts)
        self._threads_each = -(-self._threads // processes)
        allow_descriptors(self._threads)
        if self._cluster is not None:
            self._processes = min(self._cluster.cores, self._threads)
        else:
            self._processes = 1 if count <= 1 else min(processes, -(-count // self._threads_each))
        self._copies = [copy_with(part.directory.path) for part in parts]
        self._gates = [WriteGate(part.directory.path, RUN_FILE) for part in parts]
        outages: dict[Hashable, Outage] = {}
        for part in parts:
            outages.setdefault(_group(part.run), Outage(max(LEAST_PATIENCE, self._threads)))
        self._watches = [
            Watch(part.run.budget, is_replay=bool(part.run.wiring.replays), outage=outages[_group(part.run)])
            for part in parts
        ]

    def play(self) -> list[FinishedRun]:
        pool = self._pool()
        # A person at the terminal is asked in this thread, which only an exception gets out of the question.
        with nullcontext() if self._here else self._stop.listening(pool.wake):
            is_cut = False
            try:
                for lane, part in enumerate(self._parts):
                    self._finish_if_over(lane, part)
                for played in play_all(self._schedule, pool, self._stop, self._halt):
                    self._take(played)
            except KeyboardInterrupt:
                is_cut = True
                pool.close()
            for lane in range(len(self._parts)):
                if lane not in self._runs:
                    self._finish(lane, interrupted=is_cut or self._stop.is_requested)
        return [self._runs[lane] for lane in range(len(self._parts))]

    def _pool(self) -> Pool:
        players = [self._player(lane) for lane in range(len(self._parts))]
        if self._here:
            return InlinePool(players)
        if self._cluster is not None:
            models = [model for part in self._parts for model in part.run.models.values()]
            is_shared = self._asks or any(part.run.budget != Budget() for part in self._parts)
            return RayPool(
                players, self._threads, self._processes, environment(models), is_shared, is_threaded=self._asks
            )
        if self._processes > 1:
            return ProcessPool(players, self._processes, self._threads_each)
        return ThreadPool(players, self._threads)

    def _player(self, lane: int) -> Player:
        part = self._parts[lane]
        run, wiring = part.run, part.run.wiring.into(part.directory.path)
        if self._processes > 1 and self._cluster is None:
            # Runs that spend one budget together do so in every process.
            meter = self._meters.setdefault(wiring.meter, wiring.meter.share(self._processes))
            wiring = attrs.evolve(wiring, meter=meter)
        return Player(
            run.agent.factory,
            run.user.factory,
            run.source,
            part.directory.path,
            run.description["suite"],
            bool(part.description.get("published_files", True)),
            wiring,
            audits_user=not run.user.is_interactive,
            judge=run.judge,
            replaces=part.replaces,
            gate=self._gates[lane],
        )

    def _halt(self, played: FinishedJob) -> bool:
        watch = self._watches[played.job.lane]
        if played.error is not None:
            return watch.give_up(self._unwritable(played.job.lane, played.error))
        return played.result is not None and watch(played.result)

    def _take(self, played: FinishedJob) -> None:
        lane, result = played.job.lane, played.result
        part = self._parts[lane]
        if result is not None:
            if not played.is_written:
                # What no player could play; everything that is summed up is on the disk.
                result["suite"] = part.run.description["suite"]
                with without_keys():
                    self._write(lane, lambda: part.directory.write_result(result["directory"], result))
            copy = self._copies[lane]
            if copy is not None:
                self._write(lane, lambda: copy.send_conversation(part.directory.path, result["directory"]))
            if self._on_result is not None:
                self._on_result(part, result)
        self._finish_if_over(lane, part)

    def _finish_if_over(self, lane: int, part: Part) -> None:
        if self._schedule.is_over(lane):
            self._finish(lane, interrupted=False)

    def _finish(self, lane: int, *, interrupted: bool) -> None:
        """Sums up what is in the directory; a result can have been written that is still on its way here."""
        part, watch = self._parts[lane], self._watches[lane]
        self._gates[lane].close()
        return_memory()
        found = _results_in(part)
        description = {**part.description, "interrupted": interrupted}
        written: list[RunSummary] = []

        def write() -> None:
            if not (part.directory.path / RUN_FILE).exists():
                raise FileNotFoundError(f"{RUN_FILE} is no longer there")
            if decisions := list(judged(found)):
                with suppress(ConfigurationError):  # a damaged review is for people to look at; the results say it, too
                    add_to_review(part.directory, decisions)
            written.append(
                part.directory.write_summary(found, _stopped(description, watch), description.get("git_sha"))
            )

        self._write(lane, write)
        if (copy := self._copies[lane]) is not None:
            self._write(lane, lambda: copy.finish(part.directory.path))
        summary = written[0] if written else summarise(found, _stopped(description, watch), description.get("git_sha"))
        self._runs[lane] = FinishedRun(part.directory.path, summary)
        if self._on_end is not None:
            self._on_end(part)

    def _write(self, lane: int, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self._watches[lane].give_up(self._unwritable(lane, error))

    def _unwritable(self, lane: int, error: OSError) -> str:
        return f"cannot write results to {addressed(self._parts[lane].directory.path)}: {error.strerror or error}"


def _results_in(part: Part) -> list[Result]:
    """Everything that was played; a damaged result is none, so that it can be played again."""
    try:
        present = {path.name for path in (part.directory.path / TRAJECTORIES).iterdir()}
    except OSError:
        return []
    found = []
    for episode in part.description["episodes"]:
        if episode["directory"] in present:
            with suppress(ConfigurationError):
                result = part.directory.read_result(episode["directory"])
                if result is not None:
                    found.append(result)
    return found


def _stopped(description: Mapping[str, Any], watch: Watch) -> dict[str, Any]:
    return {**description, **({} if watch.reason is None else {"stopped": watch.reason})}


def places_of(run: PreparedRun, concurrency: int | None) -> Hashable:
    """What a run shares its places with: all others under one limit for all, else the runs of its model."""
    return concurrency or _group(run)


def _group(run: PreparedRun) -> Hashable:
    """Runs that wait for the same thing: a model, or this machine."""
    model = run.models.get("agent")
    if model is not None:
        return model.name, model.model, model.endpoint.base_url
    return None if run.agent.is_local else run.agent.name
