"""Requests in batches: every state of an item and of a batch, over the real SDKs, and nothing is paid for twice."""

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.batches import AnthropicBatchDialect, Batch, OpenAIBatchDialect, Plan, Service
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Heard, serve
from tests.models.vendors import question
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.batch_lane import BatchPolicy
from tool_sandbox.models.batch_ledger import BatchLedger
from tool_sandbox.models.batching import Batching, BatchSource
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import ProviderError
from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.openai_responses import OpenAIResponses
from tool_sandbox.models.provider import Endpoint, Provider
from tool_sandbox.models.providers import usual_concurrency
from tool_sandbox.models.recording import Recorder
from tool_sandbox.models.session import Session, no_price
from tool_sandbox.models.wiretap import WireSettings, open_session
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.world.errors import ConfigurationError

KEY = "sk-batch-1234567890"
QUICK = BatchPolicy(settle_s=0.05, linger_s=5.0, first_look_s=0.01, longest_look_s=0.05)
PATIENT = RetryPolicy(retries=2, sleep=lambda seconds: None)

Make = Callable[[str], Provider]


def echo(heard: Heard) -> Answer:
    return Answer(f"echo {heard.turns[0].text}")


@attrs.frozen
class Vendor:
    """A provider, and the service that it has batches at."""

    service: Callable[[Plan], Service]
    provider: Make

    @property
    def is_anthropic(self) -> bool:
        return isinstance(self.provider("http://127.0.0.1"), AnthropicMessages)


def _openai(dialect: Any, path: str) -> Callable[[Plan], Service]:
    return lambda plan: OpenAIBatchDialect(dialect(), echo, plan, path=path)


VENDORS = {
    "anthropic": Vendor(
        lambda plan: AnthropicBatchDialect(AnthropicDialect(), echo, plan),
        lambda url: AnthropicMessages("claude-haiku-5-5", {}, Endpoint(url, KEY, 30.0)),
    ),
    "chat": Vendor(
        _openai(OpenAIChatDialect, "/v1/chat/completions"),
        lambda url: OpenAIChat("gpt-6-astra", {}, Endpoint(f"{url}/v1", KEY, 30.0)),
    ),
    "responses": Vendor(
        _openai(OpenAIResponsesDialect, "/v1/responses"),
        lambda url: OpenAIResponses("gpt-6-astra", {}, Endpoint(f"{url}/v1", KEY, 30.0)),
    ),
}
vendors = pytest.mark.parametrize("vendor", VENDORS.values(), ids=list(VENDORS))


def session_of(batching: Batching, provider: Provider, conversation: str, price: float = 1.0) -> Session:
    session = Session(price=lambda name, model, usage: price)
    session.tap = Recorder(session, BatchSource(batching, provider, session, conversation), (KEY,))
    return session


def play(
    batching: Batching, provider: Provider, names: list[str], turns: int = 1
) -> dict[str, tuple[list[str], Session]]:
    """Conversations at once, each with some questions; a text beginning with "!" is what ended one."""

    def one(name: str) -> tuple[list[str], Session]:
        session, said = session_of(batching, provider, name), []
        with batching.playing(name):
            for turn in range(turns):
                try:
                    said.append(ask(provider, question(f"{name} {turn}"), session, PATIENT).text)
                except ProviderError as error:
                    said.append(f"!{error}")
        return said, session

    with ThreadPoolExecutor(len(names)) as pool:
        return dict(zip(names, pool.map(one, names), strict=True))


def begin(path: Path, policy: BatchPolicy = QUICK) -> Batching:
    return Batching(BatchLedger(path / "batches.jsonl"), policy)


NAMES = [f"c{number}" for number in range(8)]


def echoes(name: str, turns: int = 1) -> list[str]:
    return [f"echo {name} {turn}" for turn in range(turns)]


@vendors
def test_all_that_wait_go_on_together_at_half_the_price(vendor: Vendor, tmp_path: Path) -> None:
    service = vendor.service(Plan())
    with serve(service, echo) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES, turns=3)
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name, 3) for name in NAMES}
    assert len(set(service.asked)) == len(service.asked) == 24
    # Threads begin one after the other, but what has begun goes on in rounds.
    assert len(service.batches) <= 5
    assert not [seen for seen in server.seen if seen.heard is not None], "nothing was sent by itself"
    for _, session in played.values():
        assert [(call.origin, call.cost_usd) for call in session.calls] == [("batch", 0.5)] * 3
        assert all(call.wait_s > 0 for call in session.calls)


@vendors
def test_a_reply_is_what_it_would_be_by_itself(vendor: Vendor, tmp_path: Path) -> None:
    with serve(vendor.service(Plan()), echo) as server:
        provider = vendor.provider(server.url)
        alone, together = Session(), session_of(begin(tmp_path), provider, "one")
        by_itself = ask(provider, question(), alone, PATIENT)
        in_batch = ask(provider, question(), together, PATIENT)
    ids = {"raw": None, "request_id": None}
    assert attrs.evolve(in_batch, **ids) == attrs.evolve(by_itself, **ids)
    assert in_batch.raw is not None


@vendors
@pytest.mark.parametrize("fate", ["expired", "canceled", "missing", "garbled"])
def test_what_a_batch_leaves_out_goes_into_the_next(vendor: Vendor, fate: str, tmp_path: Path) -> None:
    plan = Plan(fate=lambda batch, place, key: fate if batch.number == 1 and place % 2 == 0 else "answered")
    service = vendor.service(plan)
    with serve(service, echo) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES)
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES}
    first = next(iter(service.batches.values()))
    again = service.asked[len(first.requests) :]
    assert set(again) >= {key for place, (key, _) in enumerate(first.requests) if place % 2 == 0}
    assert not set(again) & {key for place, (key, _) in enumerate(first.requests) if place % 2}


@vendors
def test_a_request_that_no_batch_answers_is_sent_by_itself(vendor: Vendor, tmp_path: Path) -> None:
    service = vendor.service(Plan(fate=lambda batch, place, key: "expired"))
    with serve(service, echo) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES[:2])
    for name, (said, session) in played.items():
        assert said == echoes(name)
        assert [(call.origin, call.cost_usd) for call in session.calls] == [("network", 1.0)]


@vendors
def test_patience(vendor: Vendor, tmp_path: Path) -> None:
    """A batch that does not end is cancelled; what it has by then counts, and the rest is sent by itself."""
    service = vendor.service(Plan(looks=lambda batch: None))
    with serve(service, echo) as server:
        policy = attrs.evolve(QUICK, patience_s=1.0)
        played = play(begin(tmp_path, policy), vendor.provider(server.url), NAMES[:4])
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES[:4]}
    assert all(batch.cancelled for batch in service.batches.values())
    origins = sorted(session.calls[0].origin for _, session in played.values())
    assert set(origins) == {"batch", "network"}


@vendors
@pytest.mark.parametrize(("status", "is_final"), [(400, True), (529, False), (500, False)])
def test_an_error_in_a_batch_is_what_it_would_be_outside(
    vendor: Vendor, status: int, is_final: bool, tmp_path: Path
) -> None:
    plan = Plan(fate=lambda batch, place, key: Broken(status, message="so it is") if batch.number == 1 else "answered")
    service = vendor.service(plan)
    with serve(service, echo) as server:
        ((said, session),) = play(begin(tmp_path), vendor.provider(server.url), ["one"]).values()
    (call,) = session.calls
    assert [failure.status for failure in call.failures] == [status]
    assert len(service.batches) == (1 if is_final else 2)
    assert (said[0].startswith("!") and "so it is" in said[0]) if is_final else said == echoes("one")


@vendors
def test_a_batch_that_began_unheard_is_found(vendor: Vendor, tmp_path: Path) -> None:
    service = vendor.service(Plan(begin=lambda number, count: "lost" if number == 1 else None))
    with serve(service, echo, rejects=True) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES)
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES}
    assert len(set(service.asked)) == len(service.asked) == len(NAMES)


@vendors
def test_a_key_that_is_refused_ends_the_conversations(vendor: Vendor, tmp_path: Path) -> None:
    service = vendor.service(Plan(begin=lambda number, count: Broken(401, message="no such key")))
    with serve(service, echo, rejects=True) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES[:2])
    assert all("authentication" in said[0] for said, _ in played.values())


@vendors
def test_a_batch_that_is_too_large_is_halved(vendor: Vendor, tmp_path: Path) -> None:
    plan = Plan(begin=lambda number, count: Broken(413, message="too large") if count > 3 else None)
    service = vendor.service(plan)
    with serve(service, echo, rejects=True) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES)
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES}
    assert all(len(batch.requests) <= 3 for batch in service.batches.values())


@pytest.mark.parametrize("vendor", [VENDORS["chat"], VENDORS["responses"]], ids=["chat", "responses"])
@pytest.mark.parametrize("end", ["completed", "expired", "cancelled"])
def test_ends_of_a_batch_at_openai(vendor: Vendor, end: str, tmp_path: Path) -> None:
    """Each has the answers that there are; files do not stay behind."""
    plan = Plan(
        fate=lambda batch, place, key: "expired" if batch.number == 1 and place == 0 else "answered",
        end=lambda batch: end if batch.number == 1 else "completed",
    )
    service = vendor.service(plan)
    with serve(service, echo) as server:
        played = play(begin(tmp_path), vendor.provider(server.url), NAMES[:3])
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES[:3]}
    assert isinstance(service, OpenAIBatchDialect)
    assert len(service.deleted) >= 2 * len(service.batches)
    assert not service.files


def test_a_batch_that_fails_as_a_whole_ends_the_conversations(tmp_path: Path) -> None:
    service = VENDORS["chat"].service(Plan(refuse=lambda batch: ("invalid_json_line", "line 1 is no JSON")))
    with serve(service, echo) as server:
        ((said, _),) = play(begin(tmp_path), VENDORS["chat"].provider(server.url), ["one"]).values()
    assert "line 1 is no JSON" in said[0]


def test_more_tokens_than_may_wait_make_smaller_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_sandbox.models.batch_lane._BACKOFF_S", 0.05)

    def refuse(batch: Batch) -> tuple[str, str] | None:
        return ("token_limit_exceeded", "too many enqueued tokens") if len(batch.requests) > 2 else None

    service = VENDORS["chat"].service(Plan(refuse=refuse))
    with serve(service, echo) as server:
        played = play(begin(tmp_path), VENDORS["chat"].provider(server.url), NAMES)
    assert {name: said for name, (said, _) in played.items()} == {name: echoes(name) for name in NAMES}


class Killed(BaseException):
    """The process ends here."""


@contextmanager
def killed(batching: Batching, conversation: str) -> Iterator[None]:
    """Ends with the process that plays a conversation."""
    with suppress(Killed), batching.playing(conversation):
        yield
        raise Killed


@vendors
def test_what_an_earlier_process_has_sent_is_not_sent_again(vendor: Vendor, tmp_path: Path) -> None:
    """One process has an answer and ends, another one while a batch is under way; the third pays for neither."""
    service = vendor.service(Plan())
    with serve(service, echo) as server:
        provider, first = vendor.provider(server.url), begin(tmp_path)
        with killed(first, "one"):
            ask(provider, question("one 0"), session_of(first, provider, "one"), PATIENT)
        second = begin(tmp_path, attrs.evolve(QUICK, first_look_s=3600))
        session = session_of(second, provider, "one")
        with killed(second, "one"):
            assert ask(provider, question("one 0"), session, PATIENT).text == "echo one 0"
            threading.Thread(target=partial(ask, provider, question("one 1"), session, PATIENT), daemon=True).start()
            while (tmp_path / "batches.jsonl").read_text("utf-8").count('"sent"') < 2:
                threading.Event().wait(0.01)
        ((said, again),) = play(begin(tmp_path), provider, ["one"], turns=2).values()
    assert said == echoes("one", 2)
    assert [call.origin for call in again.calls] == ["batch", "batch"]
    assert len(set(service.asked)) == len(service.asked) == 2


def test_a_conversation_that_is_over_is_asked_anew(tmp_path: Path) -> None:
    service = VENDORS["chat"].service(Plan())
    with serve(service, echo) as server:
        provider = VENDORS["chat"].provider(server.url)
        play(begin(tmp_path), provider, ["one"])
        play(begin(tmp_path), provider, ["one"])
    assert len(service.batches) == 2


def test_no_key_in_the_ledger(tmp_path: Path) -> None:
    service = OpenAIBatchDialect(OpenAIChatDialect(), lambda heard: Answer(f"your key is {KEY}"))
    with serve(service, echo) as server:
        batching, provider = begin(tmp_path), VENDORS["chat"].provider(server.url)
        source = BatchSource(batching, provider, session := Session(), "one", (KEY,))
        session.tap = Recorder(session, source, (KEY,))
        ask(provider, question(), session, PATIENT)
    text = (tmp_path / "batches.jsonl").read_text("utf-8")
    assert "your key is" in text
    assert KEY not in text


def test_a_ledger_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    service = VENDORS["chat"].service(Plan())
    with serve(service, echo) as server:
        provider = VENDORS["chat"].provider(server.url)
        batching = begin(tmp_path)
        with killed(batching, "one"):
            ask(provider, question("one 0"), session_of(batching, provider, "one"), PATIENT)
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])
        play(begin(tmp_path), provider, ["one"])
        assert [line for line in path.read_text("utf-8").splitlines() if _is_json(line)]
        play(begin(tmp_path), provider, ["two"])


def test_a_foreign_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "batches.jsonl").write_text("{}\n", "utf-8")
    with pytest.raises(ConfigurationError, match="damaged"):
        begin(tmp_path)


def test_a_ledger_that_cannot_be_written_stops_before_anything_is_sent(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    batching = begin(folder)
    folder.rmdir()
    service = VENDORS["chat"].service(Plan())
    with serve(service, echo) as server:
        provider = VENDORS["chat"].provider(server.url)
        with pytest.raises(OSError, match="No such file"):
            ask(provider, question(), session_of(batching, provider, "one"), PATIENT)
    assert not service.batches


def test_it_says_what_it_does(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tool_sandbox.models.batch_lane")
    with serve(VENDORS["anthropic"].service(Plan()), echo) as server:
        play(begin(tmp_path), VENDORS["anthropic"].provider(server.url), ["one"])
    assert [record.getMessage() for record in caplog.records] == [
        "anthropic/claude-haiku-5-5: batch of 1 request sent",
        "anthropic/claude-haiku-5-5: batch of 1 request over after 0:00:00: 1 answered",
    ]


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), Mapping)
    except ValueError:
        return False


class OnThisMachine(OpenAIChat):
    """A model that has no batches, and of which four conversations at once are usual."""

    name = "ollama"

    def no_batches(self) -> str | None:
        return "no batch service"


def test_what_is_asked_beside_batches_keeps_to_its_usual_concurrency(tmp_path: Path) -> None:
    usual = usual_concurrency(["ollama"])
    asked, lock, together = [0, 0], threading.Lock(), threading.Barrier(usual, timeout=60)

    def busy(heard: Heard) -> Answer:
        with lock:
            asked[0] += 1
            asked[1] = max(asked)
        together.wait()
        with lock:
            asked[0] -= 1
        together.wait()
        return echo(heard)

    def one(name: str) -> str:
        session = open_session(
            "user",
            settings=WireSettings(batching=batching),
            trial=0,
            replay=None,
            meter=BudgetMeter(Budget()),
            price=no_price,
            secrets=(),
            provider=provider,
            conversation=name,
        )
        with batching.playing(name):
            return ask(provider, question(name), session, PATIENT).text

    batching, names = begin(tmp_path), [f"c{number}" for number in range(5 * usual)]
    with serve(OpenAIChatDialect(), busy) as server, ThreadPoolExecutor(len(names)) as pool:
        provider = OnThisMachine("m", {}, Endpoint(f"{server.url}/v1", KEY, 60.0))
        assert list(pool.map(one, names)) == [f"echo {name}" for name in names]
    assert asked == [0, usual]
