"""Processes of a Ray cluster that do what they are sent, one like the other."""

import contextlib
import os
import queue
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from tool_sandbox.models.logs import set_logging
from tool_sandbox.runner.collecting import seldom_collecting
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_LOSSES = 3
"""Workers that may end under a job before it has failed: with the last, it was alone."""

JobT = TypeVar("JobT")
AnswerT = TypeVar("AnswerT")


@attrs.frozen
class Done(Generic[JobT, AnswerT]):
    """What became of a job.

    Attributes:
        job: Which.
        answer: What came of it.
        error: What it raised, or that its workers ended too often.
        is_lost: Whether its worker ended, so that it is to be sent again.
    """

    job: JobT
    answer: AnswerT | None = None
    error: BaseException | None = None
    is_lost: bool = False


@attrs.define(eq=False)
class Worker:
    """A process of the cluster and what it does.

    Attributes:
        actor: The process.
        is_open: Whether it takes more; not if it is for one job alone, or has ended.
        is_up: Whether it has started; until then it may wait for a core in vain.
        in_flight: Jobs sent and not answered, by their identity, in order.
    """

    actor: Any
    is_open: bool = True
    is_up: bool = False
    in_flight: dict[int, Any] = attrs.field(factory=dict)


@attrs.define(eq=False)
class Workers(Generic[JobT, AnswerT]):
    """Workers of one core each, which are started as there is work for them.

    A job whose worker ends is given back, to be sent again; the third time alone, and then it has failed.

    Attributes:
        make: Called once in each worker, makes what does a job.
        threads: Largest number of jobs at once.
        most: Largest number of workers.
        variables: Environment variables that workers get unless they have their own.
        is_threaded: Whether a worker does several jobs at once.
        on_end: Told of a worker that has ended.
    """

    make: Callable[[], Callable[[JobT], AnswerT]]
    threads: int
    most: int
    variables: Mapping[str, str] = attrs.field(factory=dict)
    is_threaded: bool = False
    on_end: Callable[[str], None] | None = None
    _alive: list[Worker] = attrs.field(factory=list)
    _waiting: deque[JobT] = attrs.field(factory=deque)
    _losses: "Counter[int]" = attrs.field(factory=Counter)
    _inbox: "queue.SimpleQueue[tuple[Worker, JobT | None, Future[Any]] | None]" = attrs.field(factory=queue.SimpleQueue)
    _stage: Any = None

    def __attrs_post_init__(self) -> None:
        """Takes the work apart from this machine."""
        import ray

        try:
            self._stage = _made(), (self.make, dict(self.variables))
            ray.cloudpickle.dumps(self.make)
        except Exception as error:
            told = str(error).partition("\n")[0]
            raise ConfigurationError(
                f"agent, user and scenarios must be picklable to be played on a cluster: {told}"
            ) from error

    @property
    def in_flight(self) -> int:
        """Jobs that were submitted and not received."""
        return len(self._waiting) + sum(len(worker.in_flight) for worker in self._alive)

    @property
    def room(self) -> int:
        """Jobs that can be submitted now."""
        return max(0, self.threads - self.in_flight)

    @property
    def _each(self) -> int:
        """Jobs of one worker at once."""
        return -(-self.threads // self.most)

    def submit(self, job: JobT, *, alone: bool = False) -> None:
        """Has a job done by the worker that has least to do."""
        if alone and self._losses[id(job)] == MOST_LOSSES - 1:
            self._send(self._start(alone=True), job)
            return
        self._waiting.append(job)
        self._pass_on()

    def _pass_on(self) -> None:
        """Sends what waits to workers that have started, and starts more."""
        while self._waiting:
            free = [each for each in self._alive if each.is_open and each.is_up and len(each.in_flight) < self._each]
            worker = min(free, key=_load, default=None)
            starting = sum(not each.is_up for each in self._alive)
            if (worker is None or worker.in_flight) and starting < len(self._waiting):
                self._start_if_possible()
            if worker is None:
                return
            self._send(worker, self._waiting.popleft())

    def _start_if_possible(self) -> None:
        count = sum(worker.is_open for worker in self._alive)
        if not count or (count < self.most and _has_core()):
            self._start()

    def _start(self, *, alone: bool = False) -> Worker:
        stage, given = self._stage
        # A worker that ends is not started again by Ray, which would not know what it was doing. One for a single
        # job waits for no core, since the others may hold all there are.
        threads = self._each if self.is_threaded and not alone else 1
        how = {"num_cpus": 0 if alone else 1, "max_concurrency": threads, "max_restarts": 0, "max_task_retries": 0}
        worker = Worker(stage.options(**how).remote(given), is_open=not alone)
        self._alive.append(worker)
        if not alone:
            self._listen(worker, None, worker.actor.ready.remote())
        return worker

    def _send(self, worker: Worker, job: JobT) -> None:
        worker.in_flight[id(job)] = job
        self._listen(worker, job, worker.actor.do.remote(job))

    def _listen(self, worker: Worker, job: JobT | None, answer: Any) -> None:
        answer.future().add_done_callback(lambda done: self._inbox.put((worker, job, done)))

    def receive(self, timeout_s: float | None) -> Done[JobT, AnswerT] | None:
        """Waits for a job, or until something else has happened."""
        try:
            event = self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if event is None:
            return None
        worker, job, done = event
        error = done.exception()
        raised = _raised(error)
        if job is None:
            return self._started(worker, error)
        del worker.in_flight[id(job)]
        worker.is_open = worker.is_open and (error is None or raised is not None)
        if not worker.is_open and not worker.in_flight:
            self._dismiss(worker)
        self._pass_on()
        if error is None or raised is not None:
            self._losses.pop(id(job), None)
            return Done(job, None if error else done.result(), raised)
        return self._lost(job)

    def _started(self, worker: Worker, error: BaseException | None) -> Done[JobT, AnswerT] | None:
        worker.is_up = True
        if error is None or worker not in self._alive:
            self._pass_on()
            return None
        worker.is_open = False
        if not worker.in_flight:
            self._dismiss(worker)
        # As if it had taken a job with it, so that what can never start does not begin without end.
        return self._lost(self._waiting.popleft()) if self._waiting else None

    def _lost(self, job: JobT) -> Done[JobT, AnswerT]:
        self._losses[id(job)] += 1
        if self._losses[id(job)] < MOST_LOSSES:
            return Done(job, is_lost=True)
        del self._losses[id(job)]
        return Done(job, error=InfrastructureError(f"the workers that had it ended {MOST_LOSSES} times"))

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._inbox.put(None)

    def close(self) -> None:
        """Ends all workers."""
        for worker in list(self._alive):
            self._dismiss(worker)

    def _dismiss(self, worker: Worker) -> None:
        self._alive.remove(worker)
        ending(worker.actor)
        if self.on_end is not None:
            self.on_end(worker.actor._actor_id.hex())


def start(make: Callable[[], Callable[[Any], Any]], variables: Mapping[str, str]) -> Any:
    """Starts one worker, which has no core for itself if there is none left."""
    how = {"num_cpus": int(_has_core()), "max_restarts": 0, "max_task_retries": 0}
    return _made().options(**how).remote((make, dict(variables)))


def _made() -> Any:
    # What a worker is told comes between what it does.
    return made_actor(_Stage, {"told": 1})


def made_actor(kind: type, groups: Mapping[str, int]) -> Any:
    """A class of actors whose calls in a group do not wait for those of others."""
    import ray

    remote: Any = ray.remote
    return remote(concurrency_groups=dict(groups))(kind)


def ending(actor: Any) -> None:
    """Ends a worker, if it has not ended."""
    import ray

    with contextlib.suppress(Exception):
        ray.kill(actor)


def _load(worker: Worker) -> int:
    return len(worker.in_flight)


def _has_core() -> bool:
    """Whether one more worker would find a core; that of a machine that is gone is not to be waited for."""
    import ray

    return bool(ray.available_resources().get("CPU", 0) >= 1)


def _raised(error: BaseException | None) -> BaseException | None:
    """What a job raised itself, ``None`` if it raised nothing or its worker is gone."""
    from ray.exceptions import RayTaskError

    return error.cause if isinstance(error, RayTaskError) else None


class _Stage:
    """What a worker does; made an actor by Ray."""

    def __init__(self, given: tuple[Callable[[], Callable[[Any], Any]], Mapping[str, str]]) -> None:
        make, variables = given
        for name, value in variables.items():
            os.environ.setdefault(name, value)
        set_logging(show_level=False)
        self._work = make()
        self._collecting = contextlib.ExitStack()  # left with the process
        self._collecting.enter_context(seldom_collecting())

    def ready(self) -> None:
        """Says that it has started."""

    def do(self, job: Any) -> Any:
        """Does a job."""
        return self._work(job)

    def tell(self, what: str, *told: Any) -> Any:
        """Tells it something meanwhile."""
        return getattr(self._work, what)(*told)
