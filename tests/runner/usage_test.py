import pytest

from tool_sandbox.models.faults import FaultKind
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.session import CallRecord, FailedAttempt, Session
from tool_sandbox.runner.usage import add_up, is_served_as_asked, usage_of

FAILED = FailedAttempt(FaultKind.RATE_LIMIT, "slow down", 429, 0.25, 2.0)
USED = Usage(100, cached_tokens=40, cache_write_tokens=10, cache_write_1h_tokens=5, output_tokens=7, reasoning_tokens=3)


def call(**changes: object) -> CallRecord:
    usual = {"served_model": "m", "stop": "end", "usage": USED, "latency_s": 1.0, "cost_usd": 0.5}
    return CallRecord("p", "m", **(usual | changes))  # type: ignore[arg-type]


def test_every_call_is_counted() -> None:
    given_up = CallRecord("p", "m", failures=(FAILED, FAILED))
    session = Session(calls=[call(), call(failures=(FAILED,)), call(origin="cache"), given_up])
    assert usage_of(session, "m") == {
        "model": "m",
        "calls": 4,
        "attempts": 6,
        "retries": 2,
        "input_tokens": 300,
        "cached_tokens": 120,
        "cache_write_tokens": 45,
        "output_tokens": 21,
        "reasoning_tokens": 9,
        "paid_tokens": 214,
        "latency_s": 3.75,
        "wait_s": 6.0,
        "cost_usd": 1.5,
        "paid_usd": 1.0,
        "faults": {"rate_limit": 3},
        "origins": {"cache": 1, "network": 2},
        "stops": {"end": 3},
        "served_models": {"m": 3},
        "substituted": False,
    }


def test_unknown_price_is_not_taken_for_nothing() -> None:
    usage = usage_of(Session(calls=[call(), call(cost_usd=None, origin="cache")]), "m")
    assert (usage["cost_usd"], usage["paid_usd"]) == (None, 0.5)
    assert usage_of(Session(), "m")["cost_usd"] == 0
    total = add_up([usage, None, usage_of(Session(calls=[call()]), "m")])
    assert total is not None
    assert (total["cost_usd"], total["paid_usd"], total["calls"]) == (None, 1.0, 3)
    assert add_up([None, None]) is None


def test_another_model_that_answers_is_noticed() -> None:
    usage = usage_of(Session(calls=[call(), call(served_model="n"), call(served_model=None)]), "m")
    assert usage["substituted"] is True
    assert usage["served_models"] == {"m": 1, "n": 1}


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-05-13", True),
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001", True),
        ("claude-opus-5@20260101", "claude-opus-5@20260101", True),
        ("gemini-1.5-pro", "gemini-1.5-pro-002", True),
        ("models/gemini-1.5-pro", "gemini-1.5-pro", True),
        ("mistral-large-latest", "mistral-large-2411", True),
        ("llama3", "llama3:latest", True),
        ("vendor/model:free", "vendor/model", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o", "gpt-4o-mini-2024-07-18", False),
        ("claude-opus-5", "claude-sonnet-5", False),
        ("claude-opus-5", "claude-opus-5-5", False),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06", False),
    ],
)
def test_dated_form_of_a_model_is_that_model(asked: str, served: str, same: bool) -> None:
    assert is_served_as_asked(asked, served) is same
