"""Plays conversations on the machines of a Ray cluster.

A worker keeps the files in memory and sends them with the result; who asked for the run writes them.
So machines need no folder in common, and whatever becomes of one, its conversations are there whole or not at all, and
once: only the answer to the request that still counts is written.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from tool_sandbox.models.redaction import without_keys
from tool_sandbox.models.throttle import share_throttles
from tool_sandbox.play.trajectory_files import guarded, in_memory
from tool_sandbox.runner.budget import BudgetMeter
from tool_sandbox.runner.executors import FinishedJob, played_by
from tool_sandbox.runner.gate import WriteGate
from tool_sandbox.runner.office import Key, Line, open_office
from tool_sandbox.runner.parcels import Files, packed, unpack
from tool_sandbox.runner.player import Player
from tool_sandbox.runner.results import failed_result
from tool_sandbox.runner.schedule import Job
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.workers import Workers, ending
from tool_sandbox.world.errors import InfrastructureError, StorageError

Played = tuple[FinishedJob, Files]


@attrs.define(eq=False)
class RayPool:
    """Plays on a cluster.

    Attributes:
        plays: One player of episodes per run.
        threads: Largest number of conversations at once.
        most: Largest number of workers.
        variables: Environment variables that workers get unless they have their own.
        is_shared: Whether there is something that workers share: a budget, or models.
        is_threaded: Whether a worker plays several at once, because they wait; otherwise the next is at hand for it.
    """

    plays: Sequence[Player]
    threads: int
    most: int
    variables: Mapping[str, str]
    is_shared: bool = False
    is_threaded: bool = True
    _office: Any = None
    _workers: Workers[Job, Played] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Takes the players apart from this machine."""
        away = [attrs.evolve(play, replaces=False, gate=WriteGate()) for play in self.plays]
        if self.is_shared:
            self._office = open_office([meter.budget for meter in _meters(away)], self.threads)
        make, told = partial(_Stage, away, self._office), self._forget if self.is_shared else None
        self._workers = Workers(make, self.threads, self.most, self.variables, self.is_threaded, told)

    def _forget(self, worker: str) -> None:
        self._office.forget.remote(worker)

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""
        return self._workers.in_flight

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""
        return self._workers.room

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Sends a conversation to the worker that has least to do."""
        self._workers.submit(job, alone=alone)

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Waits for a conversation, and writes its files."""
        done = self._workers.receive(timeout_s)
        if done is None:
            return None
        if done.answer is not None:
            return self._kept(done.job, *done.answer)
        if done.is_lost:
            return FinishedJob(done.job)
        error = done.error or InfrastructureError("the worker that played it gave no answer")
        return FinishedJob(done.job, failed_result(done.job.episode, error), is_written=False)

    def _kept(self, job: Job, played: FinishedJob, files: Files) -> FinishedJob:
        """Writes what a worker has played, as a player here would have."""
        play = self.plays[job.lane]
        if played.result is None or not played.is_written:
            return played
        directory, name = RunDirectory(play.directory), job.episode.directory
        try:
            with guarded(play.gate), without_keys():
                if play.replaces:
                    directory.clear(name)
                unpack(files, directory.trajectory(name))
        except StorageError as error:
            return FinishedJob(played.job, error=error)
        except OSError as error:
            told = StorageError(error.errno, error.strerror or str(error), str(play.directory))
            return FinishedJob(played.job, error=told)
        return played

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._workers.wake()

    def close(self) -> None:
        """Ends all workers."""
        self._workers.close()
        if self._office is not None:
            ending(self._office)


def _meters(plays: Sequence[Player]) -> list[BudgetMeter]:
    """The meters of some players, of which several can have the same, in order."""
    return list({id(play.wiring.meter): play.wiring.meter for play in plays}.values())


class _Stage:
    """Plays in a worker."""

    def __init__(self, plays: Sequence[Player], office: Any) -> None:
        self._line: Line | None = None
        meters = {id(meter): meter for meter in _meters(plays)}
        if office is not None:
            self._line = Line(office)
            share_throttles(self._line.throttle)
            budgets = [(each, meter.budget) for each, meter in meters.items()]
            meters = {each: self._line.meter(number, budget) for number, (each, budget) in enumerate(budgets)}
        self._plays = [
            attrs.evolve(play, wiring=attrs.evolve(play.wiring, meter=meters[id(play.wiring.meter)])) for play in plays
        ]

    def notify(self, key: Key) -> int:
        """Passes on what the office says."""
        return 0 if self._line is None else self._line.notify(key)

    def __call__(self, job: Job) -> Played:
        """Plays a conversation, and writes nothing on this machine."""
        with in_memory(self._plays[job.lane].directory) as files:
            return played_by(self._plays, job), packed(files)
