"""What the workers of a cluster share: one budget, and one throttle for each model.

An actor, the office, adds up what all have spent, and tells every worker when a budget is used up: so a worker never
asks before a request, and no part of a budget is set aside for it. Requests to a model pass freely until a provider
pushes back for the first time; from then on the office has the throttle of that model, and every worker asks it for
every request.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tool_sandbox.models.throttle import Throttle, ThrottleKey
from tool_sandbox.runner.budget import Budget, BudgetMeter, spent_by
from tool_sandbox.runner.workers import made_actor

if TYPE_CHECKING:
    from tool_sandbox.models.session import CallRecord

Key = ThrottleKey | int
"""What is shared: a model, or the number of a budget."""

MOST_WAITING = 256
"""Requests that wait in the office at once; others wait before it, in order."""

PATIENCE_S = 10.0
"""Longest wait for a worker that is told something; one that is about to end does not answer."""


class Told(Protocol):
    """What is told when a key is no longer free."""

    def notify(self) -> int:
        """Takes note of it, and says how many requests are under way."""


class Office:
    """What is shared; made an actor by Ray."""

    def __init__(self, budgets: Sequence[Budget]) -> None:
        """Nothing is spent, and nobody has pushed back."""
        self._budgets = budgets
        self._spent = [(0.0, 0)] * len(budgets)
        self._throttles: dict[ThrottleKey, Throttle] = {}
        self._in_flight: Counter[tuple[str, ThrottleKey]] = Counter()
        self._users: dict[Key, dict[str, Any]] = {}
        self._closed: set[Key] = set()
        self._gone: set[str] = set()
        self._lock = threading.Lock()
        self._counting = threading.Lock()

    def use(self, worker: str, actor: Any, key: Key) -> bool:
        """Notes that a worker uses something; says whether it is no longer free."""
        with self._lock:
            self._users.setdefault(key, {})[worker] = actor
            return key in self._closed

    def report(self, number: int, usd: float, tokens: int) -> None:
        """Adds up what was spent of a budget, and tells everybody once it is used up."""
        with self._lock:
            spent_usd, spent_tokens = self._spent[number]
            self._spent[number] = spent_usd + usd, spent_tokens + tokens
            if self._budgets[number].is_spent(*self._spent[number]) and number not in self._closed:
                self._close(number)

    def _close(self, key: Key) -> dict[str, int]:
        """Tells everybody that something is no longer free; worker to the requests that it has under way."""
        import ray

        self._closed.add(key)
        told = {
            worker: actor.tell.options(concurrency_group="told").remote("notify", key)
            for worker, actor in self._users.get(key, {}).items()
            if worker not in self._gone
        }
        ready, _ = ray.wait(list(told.values()), num_returns=len(told), timeout=PATIENCE_S) if told else ([], [])
        found = {}
        for worker, answer in told.items():
            if answer in ready:
                try:
                    found[worker] = ray.get(answer)
                except ray.exceptions.RayError:
                    continue
        return found

    def enter(self, worker: str, key: ThrottleKey) -> tuple[int, bool]:
        """Waits until a worker may send a request."""
        entered = self._throttle(key).enter()
        with self._counting:
            self._in_flight[worker, key] += 1
            is_gone = worker in self._gone
        if is_gone:
            self.leave(worker, key)
        return entered

    def _throttle(self, key: ThrottleKey) -> Throttle:
        """The throttle of a model; while requests under way are counted, they wait for that."""
        with self._lock:
            return self._throttles[key]

    def leave(self, worker: str, key: ThrottleKey) -> None:
        """Takes note that a request is over."""
        throttle = self._throttle(key)
        with self._counting:
            is_known = self._in_flight[worker, key] > 0
            self._in_flight[worker, key] -= is_known
        if is_known:
            throttle.leave()

    def succeed(self, key: ThrottleKey, cuts: int) -> None:
        """Takes note of an answer, before `leave`."""
        self._throttle(key).succeed(cuts)

    def push_back(self, key: ThrottleKey, cuts: int, hold_s: float | None) -> bool:
        """Takes note of a rejection; with the first, all requests under way are counted."""
        with self._lock:
            if key not in self._throttles:
                found = self._close(key)
                self._throttles[key] = Throttle(in_flight=sum(found.values()))
                with self._counting:
                    self._in_flight.update({(worker, key): count for worker, count in found.items()})
        return self._throttles[key].push_back(cuts, hold_s)

    def resume(self, key: ThrottleKey) -> None:
        """Takes note that a request has waited for as long as the server wanted."""
        self._throttle(key).resume()

    def forget(self, worker: str) -> None:
        """Takes note that a worker has ended, with all its requests."""
        with self._counting:
            self._gone.add(worker)
            left = [key for name, key in self._in_flight if name == worker]
        for key in left:
            while self._in_flight[worker, key] > 0:
                self.leave(worker, key)


class Line:
    """The line of one worker to the office."""

    def __init__(self, office: Any) -> None:
        """Notes who calls."""
        import ray

        context = ray.get_runtime_context()
        self.worker = context.get_actor_id()
        self._actor = context.current_actor
        self._office = office
        self._told: dict[Key, Told] = {}

    def use(self, key: Key, told: Told) -> None:
        """Has something told when it is no longer free."""
        self._told[key] = told
        if self.ask("use", self.worker, self._actor, key):
            told.notify()

    def notify(self, key: Key) -> int:
        """Passes on what the office says."""
        return self._told[key].notify() if key in self._told else 0

    def ask(self, what: str, *told: Any, group: str | None = None) -> Any:
        """Asks and waits. Not by ``ray.get``, for which Ray would take the worker for idle."""
        return getattr(self._office, what).options(concurrency_group=group).remote(*told).future().result()

    def tell(self, what: str, *told: Any) -> None:
        """Tells, and does not wait."""
        getattr(self._office, what).remote(*told)

    def throttle(self, key: ThrottleKey) -> Throttle:
        """The throttle of a model."""
        return SharedThrottle(key, self)

    def meter(self, number: int, budget: Budget) -> BudgetMeter:
        """The meter of a budget."""
        return SharedMeter(number, budget, self)


class SharedThrottle(Throttle):
    """Lets requests pass freely until a provider has pushed back at any worker, then asks the office."""

    def __init__(self, key: ThrottleKey, line: Line) -> None:
        """Joins the others that ask the same model."""
        super().__init__()
        self._key, self._line, self._is_free = key, line, True
        line.use(key, self)

    def notify(self) -> int:
        """From now on the office is asked; what is under way is its to count."""
        with self._lock:
            self._is_free = False
            return self._in_flight

    def enter(self) -> tuple[int, bool]:
        """Waits until a request may be sent."""
        with self._lock:
            self._in_flight += 1
            if self._is_free:
                return 0, False
        cuts, has_waited = self._line.ask("enter", self._line.worker, self._key, group="waiting")
        return cuts, has_waited

    def leave(self) -> None:
        """Takes note that a request is over."""
        with self._lock:
            self._in_flight -= 1
            is_free = self._is_free
        if not is_free:
            self._line.tell("leave", self._line.worker, self._key)

    def succeed(self, cuts: int) -> None:
        """Takes note of an answer."""
        if not self._is_free:
            self._line.tell("succeed", self._key, cuts)

    def push_back(self, cuts: int, hold_s: float | None = None) -> bool:
        """Takes note of a rejection."""
        return bool(self._line.ask("push_back", self._key, cuts, hold_s))

    def resume(self) -> None:
        """Takes note that a request has waited for as long as the server wanted."""
        if not self._is_free:
            self._line.tell("resume", self._key)


class SharedMeter(BudgetMeter):
    """Tells the office what is spent, and is told when nothing is left."""

    def __init__(self, number: int, budget: Budget, line: Line) -> None:
        """Joins the others that spend the same budget."""
        super().__init__(budget)
        self._number, self._line, self._is_over = number, line, False
        line.use(number, self)

    def notify(self) -> int:
        """Nothing is left."""
        self._is_over = True
        return 0

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self._is_over or super().is_spent

    def add(self, record: "CallRecord") -> None:
        """Called after every request."""
        super().add(record)
        self._line.tell("report", self._number, *spent_by(record))


def open_office(budgets: Sequence[Budget], threads: int) -> Any:
    """Starts the office, on the machine of who asks: it is needed for as long as that is."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    # What waits must not keep out what lets it pass.
    made = made_actor(Office, {"waiting": min(threads, MOST_WAITING)})
    how = {"num_cpus": 0, "max_concurrency": 4, "max_restarts": 0, "scheduling_strategy": here}
    return made.options(**how).remote(list(budgets))
