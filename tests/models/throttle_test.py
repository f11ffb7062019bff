import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest

from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Heard, Move, serve
from tests.together import together
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, RequestFault
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.openai_chat import OpenAICompatibleChat
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session
from tool_sandbox.models.throttle import LONGEST_HOLD_S, Attempt, Throttle, is_pushback, throttle_of
from tool_sandbox.models.wiretap import WireSettings, open_session
from tool_sandbox.world.errors import BudgetExceededError

REJECTED = RequestFault(FaultKind.RATE_LIMIT, "slow down", 429)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def taken(throttle: Throttle, count: int) -> list[Attempt]:
    turns = [Attempt(throttle) for _ in range(count)]
    for turn in turns:
        assert turn.take() is False
    return turns


def limited(limit: int) -> Throttle:
    """A throttle that has just learned its limit."""
    throttle = Throttle()
    for turn in taken(throttle, 2 * limit):
        turn.fail(REJECTED)
    assert throttle.limit == limit
    return throttle


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (REJECTED, True),
        (RequestFault(FaultKind.OVERLOADED, "", 529), True),
        (RequestFault(FaultKind.SERVER, "", 503, retry_after_s=2.0), True),
        (RequestFault(FaultKind.SERVER, "", 500), False),
        (RequestFault(FaultKind.CONNECTION, ""), False),
        (RequestFault(FaultKind.BILLING, "", 429, retry_after_s=2.0), False),
    ],
)
def test_what_asks_for_fewer_requests(fault: RequestFault, expected: bool) -> None:
    assert is_pushback(fault) is expected


def test_there_is_no_limit_before_a_rejection() -> None:
    throttle = Throttle()
    for turn in taken(throttle, 1000):
        turn.succeed()
    assert (throttle.limit, throttle.in_flight) == (float("inf"), 0)


def test_a_burst_of_rejections_halves_the_limit_once() -> None:
    throttle = Throttle()
    turns = taken(throttle, 64)
    assert all(turn.fail(REJECTED) for turn in turns), "each was one too many"
    assert throttle.limit == 32
    assert Attempt(throttle).take() is False


def test_the_only_request_is_not_one_too_many() -> None:
    throttle = Throttle()
    for _ in range(3):
        (turn,) = taken(throttle, 1)
        assert turn.fail(REJECTED) is False
    assert throttle.limit == 1


def test_answers_raise_the_limit_by_one_a_round_while_it_matters() -> None:
    throttle = limited(4)
    for turn in taken(throttle, 4):
        turn.succeed()
    assert throttle.limit == pytest.approx(4.25), "only the first found all places taken"
    for _ in range(400):
        turns = taken(throttle, 4)
        turns.pop().succeed()
        for turn in turns:
            turn.end()
    assert throttle.limit < 5.3, "a limit that nobody comes up to stays"


def test_growth_is_slow_where_the_last_rejection_came() -> None:
    def rounds(throttle: Throttle, above: float) -> int:
        count = 0
        turns = taken(throttle, int(throttle.limit))
        while throttle.limit < above:
            turns.pop().succeed()
            turns += taken(throttle, int(throttle.limit) - throttle.in_flight)
            count += 1
        return count

    throttle = limited(5)
    assert rounds(throttle, 9.0) < 40
    assert rounds(idle(throttle), 11.0) > 150


def test_a_limit_that_has_proved_itself_is_lowered_a_little() -> None:
    throttle = limited(8)
    for _ in range(2):
        *answered, last = taken(throttle, int(throttle.limit))
        for turn in answered:
            turn.succeed()
        last.end()
    turns = taken(throttle, int(throttle.limit))
    turns.pop().fail(REJECTED)
    assert throttle.limit == 7, "a limit's worth of answers came before"
    turns.pop().fail(REJECTED)
    assert throttle.limit == 7, "sent before it was lowered"
    for turn in turns:
        turn.succeed()
    turns = taken(throttle, 7)
    turns.pop().fail(REJECTED)
    assert throttle.limit == 3, "the server bears much less now"


def idle(throttle: Throttle) -> Throttle:
    while throttle.in_flight:
        throttle.leave()
    return throttle


def test_first_come_first_served() -> None:
    throttle, order = limited(1), []
    (first,) = taken(throttle, 1)
    threads = []
    for number in range(5):

        def work(number: int = number) -> None:
            turn = Attempt(throttle)
            assert turn.take() is True
            order.append(number)
            turn.succeed()

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        until(lambda number=number: throttle.waiting == number + 1)
    first.end()
    for thread in threads:
        thread.join(timeout=30)
    assert order == [0, 1, 2, 3, 4]
    assert throttle.in_flight == 0


def test_a_request_that_fails_makes_room() -> None:
    throttle = limited(1)

    def die() -> None:
        turn = Attempt(throttle)
        try:
            turn.take()
            raise LookupError
        except LookupError:
            return
        finally:
            turn.end()

    together(lambda _: die(), range(20))
    assert (throttle.in_flight, throttle.waiting) == (0, 0)


def test_interrupted_in_the_queue() -> None:
    clock = [0.0]
    throttle = Throttle(lambda: clock[0])
    (turn,) = taken(throttle, 1)
    throttle.push_back(0, 5.0)
    turn.end()

    class Interrupted(BaseException):
        pass

    def tick() -> float:
        raise Interrupted

    throttle._clock = tick
    with pytest.raises(Interrupted):
        throttle.enter()
    throttle._clock = lambda: 9.0
    assert (throttle.in_flight, throttle.waiting) == (0, 0)
    assert Attempt(throttle).take() is False


def test_everybody_waits_for_as_long_as_the_server_wants() -> None:
    clock = [100.0]
    throttle = Throttle(lambda: clock[0])
    (turn,) = taken(throttle, 1)
    turn.fail(attrs.evolve(REJECTED, retry_after_s=60.0))
    passed = threading.Event()

    def work() -> None:
        other = Attempt(throttle)
        other.take()
        passed.set()
        other.succeed()

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: throttle.waiting == 1)
    assert not passed.is_set()
    clock[0] = 160.0
    throttle.resume()
    thread.join(timeout=30)
    assert passed.is_set()


def test_a_hold_ends_by_itself() -> None:
    throttle = Throttle()
    (first, second) = taken(throttle, 2)
    first.fail(attrs.evolve(REJECTED, retry_after_s=0.05))
    second.end()
    assert Attempt(throttle).take() is True


def test_who_waits_for_others_learns_of_a_hold() -> None:
    throttle = limited(1)
    (first,) = taken(throttle, 1)
    turn = Attempt(throttle)
    thread = threading.Thread(target=turn.take)
    thread.start()
    until(lambda: throttle.waiting == 1)
    # Nobody is left afterwards who could call it.
    first.fail(attrs.evolve(REJECTED, retry_after_s=0.05))
    thread.join(timeout=30)
    assert not thread.is_alive()


def test_a_server_that_wants_an_hour_holds_no_request() -> None:
    throttle = Throttle()
    (turn,) = taken(throttle, 1)
    turn.fail(attrs.evolve(REJECTED, retry_after_s=LONGEST_HOLD_S + 1))
    assert Attempt(throttle).take() is False


def test_races_leave_no_request_behind() -> None:
    throttle, answered, most = Throttle(), [], []
    dice = random.Random(0)
    moves = [dice.random() for _ in range(4000)]
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not moves:
                    return
                move = moves.pop()
            turn = Attempt(throttle)
            turn.take()
            most.append(throttle.in_flight)
            if move < 0.1:
                turn.fail(REJECTED if move < 0.05 else attrs.evolve(REJECTED, retry_after_s=0.0005))
            elif move < 0.15:
                turn.end()
            else:
                turn.succeed()
            answered.append(move)

    together(lambda _: work(), range(50))
    assert len(answered) == 4000
    assert (throttle.in_flight, throttle.waiting) == (0, 0)
    assert max(most) <= 50


class Crowded:
    """A model that serves so many requests at once and rejects the others."""

    def __init__(self, capacity: int, seconds: float = 0.02) -> None:
        self.capacity, self.seconds = capacity, seconds
        self.lock = threading.Lock()
        self.in_flight = self.rejected = self.served = 0

    def __call__(self, heard: Heard) -> Move:
        with self.lock:
            if self.in_flight >= self.capacity:
                self.rejected += 1
                return Broken(429)
            self.in_flight += 1
        time.sleep(self.seconds)
        with self.lock:
            self.in_flight -= 1
            self.served += 1
        return Answer("Hi")


REQUEST = ModelRequest("Be kind.", (UserTurn("Hello?"),))


@pytest.mark.slow
@pytest.mark.parametrize(("capacity", "rounds", "seconds"), [(1, 1, 0.05), (8, 3, 0.25)])
def test_no_request_is_lost_and_few_are_rejected(capacity: int, rounds: int, seconds: float) -> None:
    # Long enough that a slow machine keeps the server full: where requests come late, nothing tells that the limit is
    # past what the server bears.
    crowded = Crowded(capacity, seconds)
    with serve(OpenAIChatDialect(), crowded) as server:
        model = OpenAICompatibleChat("m-1", endpoint=Endpoint(f"{server.url}/v1", "sk-test"))
        model.connect()
        policy = RetryPolicy(base_s=0.05)

        def converse(number: int) -> list[str]:
            return [ask(model, REQUEST, Session(), policy).text for _ in range(rounds)]

        with ThreadPoolExecutor(48) as pool:
            replies = list(pool.map(converse, range(48)))
    assert replies == [["Hi"] * rounds] * 48
    assert crowded.served == 48 * rounds
    # A burst at the start, halved each time, and then about one a search for the limit.
    assert crowded.rejected < 48 * 3
    assert throttle_of(model).limit <= 2 * capacity + 1
    assert throttle_of(model).in_flight == 0


def test_stored_answers_do_not_wait(tmp_path) -> None:
    def session() -> Session:
        told = {"party": "agent", "trial": 0, "replay": None, "secrets": ()}
        no_limit = Session()
        return open_session(settings=WireSettings(tmp_path), meter=no_limit.meter, price=no_limit.price, **told)

    throttle = Throttle()
    policy = RetryPolicy(throttle=lambda provider: throttle)
    with serve(OpenAIChatDialect(), [Answer("Hi")]) as server:
        model = OpenAICompatibleChat("m-1", endpoint=Endpoint(f"{server.url}/v1", "sk-test"))
        first = session()
        assert ask(model, REQUEST, first, policy).text == "Hi"
        assert throttle.in_flight == 0
        (turn,) = taken(throttle, 1)
        turn.throttle.push_back(0, 100.0)
        again = session()
        assert ask(model, REQUEST, again, policy).text == "Hi"
    assert [record.origin for record in (*first.calls, *again.calls)] == ["network", "cache"]
    assert again.calls[0].wait_s == 0


def test_waiting_is_told_and_is_no_latency_and_ends_with_the_budget() -> None:
    class Spent:
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks == 4:
                raise BudgetExceededError("spent")

        def add(self, record: object) -> None:
            pass

    throttle, meter = Throttle(), Spent()
    policy = RetryPolicy(throttle=lambda provider: throttle)

    def session() -> Session:
        told = {"party": "agent", "trial": 0, "replay": None, "secrets": ()}
        return open_session(settings=WireSettings(), meter=meter, price=Session().price, **told)

    def hold() -> None:
        (turn,) = taken(throttle, 1)
        turn.fail(attrs.evolve(REJECTED, retry_after_s=0.3))

    with serve(OpenAIChatDialect(), [Answer("Hi")]) as server:
        model = OpenAICompatibleChat("m-1", endpoint=Endpoint(f"{server.url}/v1", "sk-test"))
        model.connect()
        hold()
        one = session()
        ask(model, REQUEST, one, policy)
        (record,) = one.calls
        assert record.wait_s > 0.1
        hold()
        with pytest.raises(BudgetExceededError):
            ask(model, REQUEST, session(), policy)
        assert len(server.seen) == 1, "while it waited, others spent what was left"
    assert throttle.in_flight == 0
