import pickle
from typing import Any

import pytest

from tool_sandbox.models.messages import Usage
from tool_sandbox.models.session import CallRecord, Origin
from tool_sandbox.runner.budget import HOPELESS_REQUESTS, Budget, BudgetMeter, Outage, Watch
from tool_sandbox.world.errors import BudgetExceededError


def call(cost: float | None = 0.5, origin: Origin = "network") -> CallRecord:
    return CallRecord("p", "m", stop="end", usage=Usage(90, output_tokens=10), cost_usd=cost, origin=origin)


def result(fault: str | None = None, paid: float = 0.0, tokens: int = 0) -> dict[str, Any]:
    usage = {"agent": {"paid_usd": paid, "paid_tokens": tokens}, "user": None}
    return {"fault": fault, "reason": "why", "traceback": fault and "Traceback", "usage": usage}


@pytest.mark.parametrize("budget", [Budget(usd=1.0), Budget(tokens=200), Budget(usd=1.0, tokens=10_000)])
def test_nothing_is_let_through_once_the_budget_is_spent(budget: Budget) -> None:
    meter = BudgetMeter(budget)
    for _ in range(2):
        meter.check()
        meter.add(call())
    with pytest.raises(BudgetExceededError, match="is spent"):
        meter.check()


def test_answers_out_of_a_cache_cost_nothing() -> None:
    meter = BudgetMeter(Budget(0.1, 10))
    meter.add(call(origin="cache"))
    meter.add(call(origin="replay"))
    meter.check()


def test_no_limit_is_never_reached() -> None:
    meter = BudgetMeter(Budget())
    meter.add(call(1e9))
    meter.check()


def test_processes_share_a_budget() -> None:
    share = Budget(1.0, 101).share(4)
    assert (share.usd, share.tokens) == (0.25, 26)
    meter = BudgetMeter(share)
    meter.add(call())
    assert not pickle.loads(pickle.dumps(meter)).is_spent


@pytest.mark.parametrize("fault", ["authentication", "billing", "permission", "not_found", "budget", "abandoned"])
def test_first_hopeless_fault_stops_the_run(fault: str) -> None:
    watch = Watch(Budget())
    assert not watch(result())
    assert watch(result(fault))
    assert watch.reason is not None
    assert "\n" not in watch.reason


@pytest.mark.parametrize("fault", ["rate_limit", "overloaded", "server", "timeout", "connection", "unknown", "replay"])
def test_other_faults_stop_nothing(fault: str) -> None:
    watch = Watch(Budget())
    assert not any(watch(result(fault)) for _ in range(10))


def test_invalid_requests_stop_a_run_that_has_not_got_anywhere() -> None:
    watch = Watch(Budget())
    assert [watch(result("invalid_request")) for _ in range(HOPELESS_REQUESTS)] == [False, False, True]
    begun = Watch(Budget())
    begun(result())
    assert not any(begun(result("invalid_request")) for _ in range(10))
    interrupted = Watch(Budget())
    faults = ["invalid_request", "invalid_request", "server", "invalid_request", "invalid_request"]
    assert not any(interrupted(result(fault)) for fault in faults)


def test_results_of_all_processes_count() -> None:
    watch = Watch(Budget(usd=1.0, tokens=1000))
    assert not watch(result(paid=0.5, tokens=100))
    assert watch(result(paid=0.5, tokens=100))
    assert watch.reason == "the budget of $1.00 and 1,000 tokens is spent"
    assert Watch(Budget(tokens=100))(result(tokens=100))


def test_faults_of_a_stored_run_do_not_stop_its_replay() -> None:
    assert not Watch(Budget(), is_replay=True)(result("authentication"))


@pytest.mark.parametrize("fault", ["server", "timeout", "connection", "overloaded"])
def test_model_that_is_away_stops_the_runs_that_ask_it(fault: str) -> None:
    outage = Outage(patience=3)
    one, other = Watch(Budget(), outage=outage), Watch(Budget(), outage=outage)
    assert [one(result(fault)), other(result(fault)), one(result(fault))] == [False, False, True]
    assert one.reason == "the last 3 conversations all failed to reach a model: why"
    assert other(result(fault)), "it need not find out for itself"


@pytest.mark.parametrize("between", [None, "rate_limit", "unknown"])
def test_model_that_answers_now_and_then_is_not_away(between: str | None) -> None:
    watch = Watch(Budget(), outage=Outage(patience=3))
    assert not any(watch(result(fault)) for fault in ["server", "server", between] * 5)


def test_reason_that_no_result_shows() -> None:
    watch = Watch(Budget())
    assert watch.give_up("the disk is full")
    watch.give_up("and burns")
    assert watch.reason == "the disk is full"
