"""Recording: the real SDKs, their answers unchanged by being watched, and no key in anything that is kept."""

import gzip
import logging
from pathlib import Path

import attrs
import httpx2
import pytest

from tests.loopback.server import Answer, Broken, Cut, Drip, Garbage, Hang, Move, serve
from tests.models.vendors import KEY, VENDORS, MiniDialect, mini_openai, question
from tests.records import write_exchanges
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.redaction import secrets_of
from tool_sandbox.models.session import Session, no_price
from tool_sandbox.models.wiretap import WireSettings, open_session, read_exchanges
from tool_sandbox.play.record import RECORD_FILE
from tool_sandbox.world.errors import ConfigurationError

PATIENT = RetryPolicy(retries=2, sleep=lambda seconds: None)
vendors = pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.__name__)
streaming = pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])


class Watch:
    def check(self) -> None: ...

    def add(self, record: object) -> None: ...


def session(provider=None, party="agent", replay=None, cache=None, trial=0, directory="one") -> Session:
    return open_session(
        party,
        settings=WireSettings(cache),
        trial=trial,
        replay=None if replay is None else replay / "trajectories" / directory,
        meter=Watch(),
        price=no_price,
        secrets=secrets_of(provider.endpoint) if provider else (),
    )


def texts_in(directory: Path) -> str:
    return "".join(file.read_text() for file in directory.rglob("*") if file.is_file())


@pytest.mark.sampled(4)
@vendors
@streaming
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_an_exchange_is_kept_verbatim_and_served_unchanged(vendor, streams, compressed, tmp_path):
    with serve(MiniDialect(), [Answer("Grüße ✓", extra={"gzip": compressed})]) as server:
        provider = vendor(server.url, streams)
        with_tap = session(provider)
        reply = ask(provider, question("Hello?"), with_tap, PATIENT)
        bare = ask(provider, question("Hello?"), Session(), PATIENT)
    assert reply == bare
    assert reply.text == "Grüße ✓"
    write_exchanges([with_tap], tmp_path)
    (exchange,) = read_exchanges(tmp_path)
    seen = server.seen[0]
    assert exchange.request_body == seen.raw == server.seen[1].raw
    assert exchange.url == server.url + seen.path
    assert (exchange.method, exchange.status, exchange.error, exchange.origin) == ("POST", 200, None, "network")
    encoded = MiniDialect().answer(seen.heard, seen.move)
    assert exchange.response_body == (gzip.decompress(encoded.body) if compressed else encoded.body)
    assert exchange.response_headers["content-type"] == encoded.content_type
    assert "content-encoding" not in exchange.response_headers
    assert exchange.latency_s > 0


@vendors
@streaming
def test_keys_are_kept_nowhere_even_if_the_server_sends_them_back(vendor, streams, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    with serve(MiniDialect(), [Broken(500, message=f"bad key {KEY}"), Answer()]) as server:
        provider = vendor(server.url, streams)
        recorded = session(provider, cache=tmp_path / "cache")
        reply = ask(provider, question("credentials?"), recorded, PATIENT)
    sent = server.seen[0].headers
    assert any(KEY in sent.get(name, "") for name in ("authorization", "x-api-key", "x-goog-api-key"))
    write_exchanges([recorded], tmp_path)
    assert "your credentials" in reply.text
    everything = [texts_in(tmp_path), repr(recorded), repr(reply), repr(provider.endpoint), caplog.text]
    for kept in everything:
        assert KEY not in kept
    assert recorded.calls[0].failures[0].kind is FaultKind.SERVER
    assert "[redacted]" in texts_in(tmp_path / "cache")


@vendors
def test_unnamed_keys_are_found_in_the_request(vendor, tmp_path):
    with serve(MiniDialect(), [Broken(400, message=f"you sent {KEY}")]) as server:
        provider = vendor(server.url)
        recorded = session(None)
        with pytest.raises(ProviderError) as caught:
            ask(provider, question(), recorded, PATIENT)
    write_exchanges([recorded], tmp_path)
    assert KEY not in texts_in(tmp_path)
    assert KEY not in str(caught.value)
    assert "you sent [redacted]" in str(caught.value)


@vendors
@streaming
@pytest.mark.parametrize(
    ("move", "status"), [(Cut(), None), (Cut(Answer("cut off in the middle"), 60), 200)], ids=["unanswered", "cut"]
)
def test_a_connection_that_breaks_is_kept_as_far_as_it_came(vendor, streams, move: Move, status, tmp_path):
    with serve(MiniDialect(), [move, Answer("whole")]) as server:
        provider = vendor(server.url, streams)
        recorded = session(provider)
        reply = ask(provider, question(), recorded, PATIENT)
    assert reply.text == "whole"
    assert [failure.kind for failure in recorded.calls[0].failures] == [FaultKind.CONNECTION]
    write_exchanges([recorded], tmp_path)
    broken, whole = read_exchanges(tmp_path)
    assert broken.status == status
    assert broken.error.startswith("RemoteProtocolError: ")
    assert len(broken.response_body) == (60 if status else 0)
    assert (broken.call, whole.call) == (0, 0)
    assert whole.error is None


def test_a_timeout_is_kept_and_stays_one(tmp_path):
    import openai

    with serve(MiniDialect(), [Hang()]) as server:
        provider = mini_openai(server.url)
        provider.endpoint = attrs.evolve(provider.endpoint, timeout_s=0.05)
        recorded = session(provider)
        with pytest.raises(ProviderError) as caught:
            ask(provider, question(), recorded, RetryPolicy(retries=0))
    assert isinstance(caught.value.__cause__, openai.APITimeoutError)
    assert recorded.tap.exchanges[0].error.partition(":")[0] in ("ConnectTimeout", "ReadTimeout", "WriteTimeout")


def test_an_answer_that_is_no_text_comes_back_byte_for_byte(tmp_path):
    body = bytes(range(256))
    with serve(MiniDialect(), [Garbage(body)]) as server:
        provider = mini_openai(server.url)
        recorded = session(provider)
        with pytest.raises(ProviderError, match="not JSON"):
            ask(provider, question(), recorded, RetryPolicy(retries=0))
    write_exchanges([recorded], tmp_path)
    assert read_exchanges(tmp_path)[0].response_body == body


def test_both_parties_share_a_file_oldest_first(tmp_path):
    with serve(MiniDialect(), [Answer("a")]) as server:
        provider = mini_openai(server.url)
        agent, user = session(provider), session(provider, "user")
        for party in (user, agent, agent, user):
            ask(provider, question(), party, PATIENT)
    write_exchanges([agent, user, Session()], tmp_path)
    assert [(e.party, e.call) for e in read_exchanges(tmp_path)] == [
        ("user", 0),
        ("agent", 0),
        ("agent", 1),
        ("user", 1),
    ]


def test_nothing_is_read_where_nothing_was_asked(tmp_path):
    assert read_exchanges(tmp_path) == []
    write_exchanges([session(), Session()], tmp_path)
    assert read_exchanges(tmp_path) == []


def test_a_damaged_file_is_named_with_the_line(tmp_path):
    with serve(MiniDialect(), [Answer("a")]) as server:
        provider = mini_openai(server.url)
        recorded = session(provider)
        ask(provider, question(), recorded, PATIENT)
    write_exchanges([recorded], tmp_path)
    path = tmp_path / RECORD_FILE
    for broken in ("{broken", '{"exchanges":{broken}'):
        path.write_text("".join([*path.read_text().splitlines(keepends=True)[:2], f"{broken}\n"]))
        with pytest.raises(ConfigurationError, match=r"record\.jsonl:3: damaged"):
            read_exchanges(tmp_path)


def test_a_redirect_is_not_followed_so_that_no_key_goes_elsewhere():
    with serve(MiniDialect(), [Answer("elsewhere")]) as elsewhere:
        moved = Broken(307, headers={"location": f"{elsewhere.url}/v1/chat/completions"})
        with serve(MiniDialect(), [moved]) as server:
            recorded = session(provider := mini_openai(server.url))
            with pytest.raises(ProviderError):
                ask(provider, question(), recorded, RetryPolicy(retries=0))
    assert elsewhere.seen == []
    assert [exchange.status for exchange in recorded.tap.exchanges] == [307]


def test_a_server_that_drips_is_given_up():
    with serve(MiniDialect(), [Drip(Answer("slow " * 50), every=0.02)]) as server:
        provider = mini_openai(server.url)
        provider.endpoint = attrs.evolve(provider.endpoint, timeout_s=1.0)
        recorded = session(provider)
        with pytest.raises(ProviderError):
            ask(provider, question(), recorded, RetryPolicy(retries=0))
    (exchange,) = recorded.tap.exchanges
    assert exchange.error == "ReadTimeout: no complete answer within 1 s (option timeout)"


def test_a_bug_of_ours_is_no_answer_of_the_network():
    recorded = session()
    request = httpx2.Request("POST", "http://127.0.0.1/", content=b"{}")

    def broken(request: httpx2.Request) -> httpx2.Response:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        recorded.tap(request, broken)
    assert recorded.tap.exchanges == []
