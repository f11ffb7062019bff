from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.calling import MAX_PAUSES, RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, ProviderError, RequestFault
from tool_sandbox.models.messages import AssistantTurn, ModelReply, ModelRequest, StopReason, Usage, UserTurn
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.session import Session
from tool_sandbox.models.throttle import Throttle
from tool_sandbox.world.errors import BudgetExceededError, ModelError, ModelRefusedError

REQUEST = ModelRequest("Be kind.", (UserTurn("Hello?"),))


class VendorError(Exception):
    def __init__(self, fault: RequestFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Scripted(Provider):
    """A provider whose answers are listed; exceptions among them are raised."""

    name = "scripted"

    def __init__(self, *moves: ModelReply | Exception) -> None:
        super().__init__("m-1")
        self.moves = list(moves)
        self.sent: list[ModelRequest] = []

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        return {"request": request}

    def send(self, **wire: Any) -> Any:
        self.sent.append(wire["request"])
        move = self.moves.pop(0)
        if isinstance(move, Exception):
            raise move
        return move

    def read(self, answer: Any) -> ModelReply:
        return answer

    def explain(self, error: Exception) -> RequestFault | None:
        return error.fault if isinstance(error, VendorError) else None


def failing(kind: FaultKind, **details: Any) -> VendorError:
    return VendorError(RequestFault(kind, "no", **details))


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def policy(slept: list[float]) -> Callable[..., RetryPolicy]:
    throttle = Throttle()
    return lambda **changes: RetryPolicy(
        sleep=slept.append, jitter=lambda: 0.0, throttle=lambda provider: throttle, **changes
    )


def test_answers_at_once(policy: Any) -> None:
    session = Session()
    reply = ask(Scripted(ModelReply("Hi", usage=Usage(5, output_tokens=2), raw="r")), REQUEST, session, policy())
    assert (reply.text, reply.raw) == ("Hi", ("r",))
    (call,) = session.calls
    assert (call.provider, call.model, call.failures, call.usage) == ("scripted", "m-1", (), Usage(5, output_tokens=2))


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind.is_transient])
def test_passing_faults_are_retried_with_growing_waits(kind: FaultKind, policy: Any, slept: list[float]) -> None:
    session = Session()
    provider = Scripted(failing(kind), failing(kind), failing(kind), ModelReply("Hi"))
    assert ask(provider, REQUEST, session, policy(silences=3)).text == "Hi"
    assert slept == [0.5, 1.0, 2.0]
    (call,) = session.calls
    assert [failure.kind for failure in call.failures] == [kind] * 3
    assert provider.sent == [REQUEST] * 4


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if not kind.is_transient])
def test_other_faults_are_not(kind: FaultKind, policy: Any, slept: list[float]) -> None:
    session = Session()
    with pytest.raises((ProviderError, ModelError, ModelRefusedError)) as caught:
        ask(Scripted(failing(kind)), REQUEST, session, policy())
    assert slept == []
    assert len(session.calls) == 1
    expected = {FaultKind.CONTEXT_EXCEEDED: ModelError, FaultKind.BLOCKED: ModelRefusedError}.get(kind, ProviderError)
    assert caught.type is expected
    if expected is ProviderError:
        assert caught.value.fault == str(kind)


def test_the_server_is_obeyed(policy: Any, slept: list[float]) -> None:
    provider = Scripted(failing(FaultKind.RATE_LIMIT, retry_after_s=7.0), ModelReply("Hi"))
    ask(provider, REQUEST, Session(), policy())
    assert slept == [7.0]


def test_but_not_for_an_hour(policy: Any, slept: list[float]) -> None:
    with pytest.raises(ProviderError, match=r"asked to wait 3600 s, more than the 120 s allowed"):
        ask(Scripted(failing(FaultKind.RATE_LIMIT, retry_after_s=3600.0)), REQUEST, Session(), policy())
    assert slept == []


@pytest.mark.parametrize(("word", "attempts"), [(True, 2), (False, 1)])
def test_the_server_says_whether_to_try_again(word: bool, attempts: int, policy: Any) -> None:
    kind = FaultKind.INVALID_REQUEST if word else FaultKind.SERVER
    provider = Scripted(failing(kind, retry=word), ModelReply("Hi"))
    if word:
        ask(provider, REQUEST, Session(), policy())
    else:
        with pytest.raises(ProviderError):
            ask(provider, REQUEST, Session(), policy())
    assert len(provider.sent) == attempts


def test_patience_ends(policy: Any) -> None:
    session = Session()
    provider = Scripted(*[failing(FaultKind.SERVER, status=500)] * 3)
    with pytest.raises(ProviderError, match=r"^scripted/m-1: server \(HTTP 500, no\) after 3 attempts$"):
        ask(provider, REQUEST, session, policy(retries=2))
    assert [failure.wait_s for failure in session.calls[0].failures] == [0.5, 1.0, 0.0]


def test_the_total_time_is_bounded(policy: Any) -> None:
    provider = Scripted(*[failing(FaultKind.SERVER)] * 9)
    with pytest.raises(ProviderError):
        ask(provider, REQUEST, Session(), policy(retries=8, total_s=3.0))
    assert len(provider.sent) == 4  # waits of 0.5, 1 and 2 s fit, the next of 4 s does not


def test_a_broken_answer_is_retried(policy: Any) -> None:
    provider = Scripted(MalformedReplyError("no choices"), ModelReply("Hi"))
    session = Session()
    assert ask(provider, REQUEST, session, policy()).text == "Hi"
    assert session.calls[0].failures[0].kind is FaultKind.MALFORMED


def test_bugs_are_not_hidden(policy: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        ask(Scripted(ZeroDivisionError()), REQUEST, Session(), policy())


def test_a_paused_reply_is_sent_back_until_it_is_complete(policy: Any) -> None:
    paused = ModelReply("thinking", stop=StopReason.PAUSE, raw="p")
    provider = Scripted(paused, attrs.evolve(paused, raw="q"), ModelReply("done", raw="r"))
    reply = ask(provider, REQUEST, Session(), policy())
    assert (reply.raw, reply.text) == (("p", "q", "r"), "thinking\nthinking\ndone")
    assert provider.sent[2].turns[1:] == (
        AssistantTurn("thinking", (), ("p",)),
        AssistantTurn("thinking", (), ("q",)),
    )


def test_pauses_end(policy: Any) -> None:
    provider = Scripted(*[ModelReply(stop=StopReason.PAUSE, raw="p")] * (MAX_PAUSES + 1))
    with pytest.raises(ModelError, match="paused"):
        ask(provider, REQUEST, Session(), policy())


def test_nothing_is_sent_over_budget(policy: Any) -> None:
    class Empty:
        def check(self) -> None:
            raise BudgetExceededError("spent")

        def add(self, record: Any) -> None:
            raise AssertionError

    provider = Scripted(ModelReply("Hi"))
    with pytest.raises(BudgetExceededError):
        ask(provider, REQUEST, Session(meter=Empty()), policy())
    assert provider.sent == []


def test_attempts_before_the_budget_was_spent_are_noted(policy: Any) -> None:
    class SpentSoon:
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks > 1:
                raise BudgetExceededError("spent")

        def add(self, record: Any) -> None:
            pass

    session = Session(meter=SpentSoon())
    with pytest.raises(BudgetExceededError):
        ask(Scripted(failing(FaultKind.SERVER), ModelReply("Hi")), REQUEST, session, policy())
    (call,) = session.calls
    assert ([failure.kind for failure in call.failures], call.stop) == ([FaultKind.SERVER], None)


def test_the_model_that_answered_is_paid(policy: Any) -> None:
    prices = {"m-1": 1.0, "m-1-2026": 2.0}
    for served, cost in (("m-1-2026", 2.0), ("elsewhere", 1.0), (None, 1.0)):
        session = Session(price=lambda provider, model, usage: prices.get(model))
        ask(Scripted(ModelReply("Hi", served_model=served, usage=Usage(1))), REQUEST, session, policy())
        assert session.calls[0].cost_usd == cost
    session = Session(price=lambda provider, model, usage: 1.0)
    ask(Scripted(ModelReply("Hi")), REQUEST, session, policy())
    assert session.calls[0].cost_usd is None, "tokens that nobody counted have no price"


@given(attempt=st.integers(0, 200), jitter=st.floats(0, 1, exclude_max=True), asked=st.none() | st.floats(0, 1e6))
def test_waits_are_bounded(attempt: int, jitter: float, asked: float | None) -> None:
    policy = RetryPolicy(jitter=lambda: jitter)
    wait = policy.wait_s(RequestFault(FaultKind.SERVER, "no", retry_after_s=asked), attempt)
    if asked is None:
        assert 0 < wait <= policy.longest_wait_s
    else:
        assert asked <= wait <= asked * 1.1
