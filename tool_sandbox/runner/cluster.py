"""Plays conversations on the machines of a Ray cluster, with the extra ``ray``.

A worker plays into a folder of its own machine and sends the files with the result; who asked for the run writes them.
So machines need no folder in common, and whatever becomes of one, its conversations are there whole or not at all, and
once: only the answer to the request that still counts is written.
"""

import contextlib
import logging
import os
import queue
import shutil
import socket
import tempfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models.logs import set_logging
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import without_keys
from tool_sandbox.play.trajectory_files import guarded, make_directory, write_bytes
from tool_sandbox.runner.executors import FinishedJob, played_by
from tool_sandbox.runner.gate import WriteGate
from tool_sandbox.runner.player import Player
from tool_sandbox.runner.results import failed_result
from tool_sandbox.runner.schedule import Job
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError, MissingRequirementError, StorageError

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_LOSSES = 3
"""Workers that may end under a conversation before it has failed: with the last, it was alone."""

PATIENCE_S = 10.0
"""Longest wait for an answer of the address of a cluster."""

Files = Mapping[str, bytes]
"""Name in the folder of a conversation to compressed content, in the order in which they were written. What is small
enough travels with the answer, and needs no room in an object store."""

Played = tuple[FinishedJob, Files]


@attrs.frozen
class Cluster:
    """Where a run is played.

    Attributes:
        address: Of a Ray cluster, ``auto`` for the one on this machine, ``None`` to start one here.
    """

    address: str | None = None

    def connect(self) -> None:
        """Connects this process, unless it is connected.

        Raises:
            MissingRequirementError: Ray is not installed.
            ConfigurationError: There is no cluster at the address.
        """
        try:
            import ray
        except ImportError as error:
            raise MissingRequirementError("executor ray needs the extra: pip install 'tool_sandbox[ray]'") from error

        place = self._place()
        if ray.is_initialized():
            return
        if place is not None:
            self._look(place)
        # What Ray reports of its own is no part of what a run prints, nor does it tell anybody of its use.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
        own = {"include_dashboard": False} if self.address is None else {"address": self.address}
        try:
            ray.init(**own, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            told = str(error).strip().partition("\n")[0][:200]
            raise ConfigurationError(f"there is no Ray cluster at {self.address or 'this machine'}: {told}") from None

    def _place(self) -> tuple[str, int] | None:
        """Host and port of the address, ``None`` if it has none."""
        if self.address is None or self.address == "auto":
            return None
        try:
            place = urlsplit(self.address if "://" in self.address else f"//{self.address}")
            host, port = place.hostname, place.port
        except ValueError:
            host, port = None, None
        if host is None or port is None:
            raise ConfigurationError(f"address has to be HOST:PORT or auto, not {self.address!r:.80}")
        return host, port

    def _look(self, place: tuple[str, int]) -> None:
        """Finds out quickly whether anybody listens; Ray itself takes minutes to give up."""
        try:
            socket.create_connection(place, PATIENCE_S).close()
        except OSError as error:
            told = error.strerror or error
            raise ConfigurationError(f"there is no Ray cluster at {self.address}: {told}") from None

    @property
    def cores(self) -> int:
        """Cores of the cluster, on each of which a worker can play."""
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 1)))


def cluster_of(executor: str | None, address: str | None) -> Cluster | None:
    """The cluster that is asked for.

    Raises:
        ConfigurationError: There is an address, and no cluster.
    """
    if executor == "ray":
        return Cluster(address)
    if address is not None:
        raise ConfigurationError("address can only be used together with executor ray")
    return None


def environment(models: Sequence[Provider]) -> dict[str, str]:
    """What the models of a run need to be found and to be let in, as this machine has it."""
    keys = {name for model in models for name in model.key_variables}
    return {name: value for name, value in os.environ.items() if name in keys or name.endswith("_BASE_URL")}


@attrs.define(eq=False)
class _Worker:
    """A process of the cluster and what it plays.

    Attributes:
        actor: The process.
        is_open: Whether it takes more; not if it is for one conversation alone, or has ended.
        in_flight: Jobs sent and not answered, in order.
    """

    actor: Any
    is_open: bool = True
    in_flight: dict[Job, None] = attrs.field(factory=dict)


@attrs.define(eq=False)
class RayPool:
    """Plays on a cluster, in workers of one core each that are started as there is work for them.

    A conversation whose worker ends is played again, by another one; the third time alone, and then it has failed.

    Attributes:
        plays: One player of episodes per run.
        threads: Largest number of conversations at once.
        workers: Largest number of workers.
        variables: Environment variables that workers get unless they have their own.
    """

    plays: Sequence[Player]
    threads: int
    workers: int
    variables: Mapping[str, str]
    _alive: list[_Worker] = attrs.field(factory=list)
    _losses: "Counter[Job]" = attrs.field(factory=Counter)
    _inbox: "queue.SimpleQueue[tuple[_Worker, Job, Future[Played]] | None]" = attrs.field(factory=queue.SimpleQueue)
    _stage: Any = None

    def __attrs_post_init__(self) -> None:
        """Takes the players apart from this machine."""
        import ray

        away = [attrs.evolve(play, replaces=False, gate=WriteGate()) for play in self.plays]
        try:
            self._stage = ray.remote(_Stage), (away, dict(self.variables))
            ray.cloudpickle.dumps(away)
        except Exception as error:
            told = str(error).partition("\n")[0]
            raise ConfigurationError(
                f"agent, user and scenarios must be picklable to be played on a cluster: {told}"
            ) from error

    @property
    def in_flight(self) -> int:
        """Conversations that were submitted and not received."""
        return sum(len(worker.in_flight) for worker in self._alive)

    @property
    def room(self) -> int:
        """Conversations that can be submitted now."""
        return self.threads - self.in_flight

    def submit(self, job: Job, *, alone: bool = False) -> None:
        """Sends a conversation to the worker that has least to do."""
        if alone and self._losses[job] == MOST_LOSSES - 1:
            self._send(self._start(alone=True), job)
            return
        taking = [worker for worker in self._alive if worker.is_open]
        worker = min(taking, key=_load, default=None)
        if worker is None or (worker.in_flight and len(taking) < self.workers and self._has_core()):
            worker = self._start()
        self._send(worker, job)

    def _has_core(self) -> bool:
        """Whether one more worker would find a core; that of a machine that is gone is not to be waited for."""
        import ray

        return bool(ray.available_resources().get("CPU", 0) >= 1)

    def _start(self, *, alone: bool = False) -> _Worker:
        stage, plays = self._stage
        # A worker that ends is not started again by Ray, which would not know what it was playing. One for a single
        # conversation waits for no core, since the others may hold all there are.
        threads = 1 if alone else -(-self.threads // self.workers)
        how = {"num_cpus": 0 if alone else 1, "max_concurrency": threads, "max_restarts": 0, "max_task_retries": 0}
        worker = _Worker(stage.options(**how).remote(plays), is_open=not alone)
        self._alive.append(worker)
        return worker

    def _send(self, worker: _Worker, job: Job) -> None:
        worker.in_flight[job] = None
        future = worker.actor.play.remote(job).future()
        future.add_done_callback(lambda done: self._inbox.put((worker, job, done)))

    def receive(self, timeout_s: float | None) -> FinishedJob | None:
        """Waits for a conversation, and writes its files."""
        try:
            event = self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if event is None:
            return None
        worker, job, done = event
        del worker.in_flight[job]
        error = done.exception()
        worker.is_open = worker.is_open and error is None
        if not worker.is_open and not worker.in_flight:
            self._dismiss(worker)
        if error is None:
            return self._kept(*done.result())
        self._losses[job] += 1
        if self._losses[job] >= MOST_LOSSES:
            told = InfrastructureError(f"the workers that played it ended {MOST_LOSSES} times")
            return FinishedJob(job, failed_result(job.episode, told), is_written=False)
        return FinishedJob(job)

    def _kept(self, played: FinishedJob, files: Files) -> FinishedJob:
        """Writes what a worker has played, as a player here would have."""
        play = self.plays[played.job.lane]
        if played.result is None or not played.is_written:
            return played
        directory, name = RunDirectory(play.directory), played.job.episode.directory
        try:
            with guarded(play.gate), without_keys():
                if play.replaces:
                    directory.clear(name)
                make_directory(directory.trajectory(name))
                for file, content in files.items():
                    write_bytes(directory.trajectory(name) / file, zlib.decompress(content))
        except StorageError as error:
            return FinishedJob(played.job, error=error)
        except OSError as error:
            told = StorageError(error.errno, error.strerror or str(error), str(play.directory))
            return FinishedJob(played.job, error=told)
        return played

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._inbox.put(None)

    def close(self) -> None:
        """Ends all workers."""
        for worker in list(self._alive):
            self._dismiss(worker)

    def _dismiss(self, worker: _Worker) -> None:
        import ray

        self._alive.remove(worker)
        with contextlib.suppress(Exception):
            ray.kill(worker.actor)


def _load(worker: _Worker) -> int:
    return len(worker.in_flight)


class _Stage:
    """What a worker does; made an actor by Ray."""

    def __init__(self, given: tuple[Sequence[Player], Mapping[str, str]]) -> None:
        plays, variables = given
        for name, value in variables.items():
            os.environ.setdefault(name, value)
        set_logging(show_level=False)
        self._folder = tempfile.TemporaryDirectory(prefix="tool_sandbox-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._plays = [attrs.evolve(play, directory=folder / str(lane)) for lane, play in enumerate(plays)]

    def play(self, job: Job) -> Played:
        """Plays a conversation; its files are gone from this machine afterwards."""
        played = played_by(self._plays, job)
        folder = RunDirectory(self._plays[job.lane].directory).trajectory(job.episode.directory)
        try:
            found = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns) if folder.is_dir() else []
            return played, {file.name: zlib.compress(file.read_bytes(), 1) for file in found}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
