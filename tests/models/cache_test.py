"""The response cache: what was paid for once is never paid for again, and samples stay independent."""

import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.server import Answer, Broken, Cut, Garbage, serve
from tests.models.vendors import KEY, VENDORS, MiniDialect, mini_openai, question
from tests.models.wiretap_test import PATIENT, session, streaming, texts_in, vendors
from tool_sandbox.models.cache import CachedSource, ResponseCache, is_complete
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.exchange import Exchange
from tool_sandbox.models.faults import ProviderError
from tool_sandbox.models.wiretap import WireSettings
from tool_sandbox.world.errors import ConfigurationError

ASKED = Exchange("agent", 0, 0.0, "POST", "http://host/v1/x", {"content-type": "application/json"}, b'{"a":1}')
KEY_HASH = "ab" + "0" * 62


def answered(body: bytes = b"{}", status: int | None = 200, error: str | None = None, kind="application/json"):
    headers = {"content-type": kind}
    return attrs.evolve(ASKED, status=status, response_headers=headers, response_body=body, error=error)


def numbered() -> MiniDialect:
    """Every answer of the server is another one, so that a stored one can be told apart."""
    dialect = MiniDialect()
    count = iter(range(1000))
    plain = dialect.answer
    dialect.answer = lambda heard, answer: plain(heard, attrs.evolve(answer, text=f"answer {next(count)}"))
    return dialect


@vendors
@streaming
def test_a_run_that_is_repeated_pays_nothing(vendor, streams, tmp_path):
    with serve(numbered(), [Answer()]) as server:
        provider = vendor(server.url, streams)

        def play():
            party = session(provider, cache=tmp_path)
            return [ask(provider, question(text), party, PATIENT) for text in ("a", "b", "a")], party

        first, paid = play()
        again, free = play()
    assert [reply.text for reply in first] == ["answer 0", "answer 1", "answer 2"]
    assert again == first
    assert len(server.seen) == 3
    assert [call.origin for call in paid.calls] == ["network"] * 3
    assert [call.origin for call in free.calls] == ["cache"] * 3
    assert [call.usage for call in free.calls] == [call.usage for call in paid.calls]
    assert [exchange.origin for exchange in free.tap.exchanges] == ["cache"] * 3


def test_trials_are_independent_samples(tmp_path):
    with serve(numbered(), [Answer()]) as server:
        provider = mini_openai(server.url)
        texts = [
            ask(provider, question(), session(provider, cache=tmp_path, trial=trial), PATIENT).text
            for trial in (0, 1, 0, 1, 2)
        ]
    assert texts == ["answer 0", "answer 1", "answer 0", "answer 1", "answer 2"]


def test_an_interrupted_run_pays_for_what_is_missing(tmp_path):
    with serve(numbered(), [Answer(), Broken(500), Answer()]) as server:
        provider = mini_openai(server.url)
        policy = RetryPolicy(retries=0)
        first = session(provider, cache=tmp_path)
        ask(provider, question("a"), first, policy)
        with pytest.raises(ProviderError):
            ask(provider, question("b"), first, policy)
        again = session(provider, cache=tmp_path)
        texts = [ask(provider, question(text), again, policy).text for text in "ab"]
    assert texts == ["answer 0", "answer 1"]
    assert [call.origin for call in again.calls] == ["cache", "network"]


def test_an_attempt_that_failed_does_not_shift_the_samples(tmp_path):
    moves = [Broken(429), Cut(Answer(), 40), Garbage(), Answer(), Answer()]
    with serve(numbered(), moves) as server:
        provider = mini_openai(server.url)
        source = session(provider, cache=tmp_path)
        with pytest.raises(ProviderError, match="not JSON"):
            ask(provider, question(), source, PATIENT)
        paid = [ask(provider, question(), source, PATIENT).text for _ in range(2)]
        party = session(provider, cache=tmp_path)
        free = [ask(provider, question(), party, PATIENT).text for _ in range(2)]
    assert free == paid
    assert len(server.seen) == 5


def test_conversations_that_ask_the_same_at_the_same_time_pay_once(tmp_path):
    entered = threading.Event()

    def brain(heard):
        entered.wait(0.2)
        return Answer()

    with serve(numbered(), brain) as server:
        provider = mini_openai(server.url)
        with ThreadPoolExecutor(16) as pool:
            sessions = [session(provider, cache=tmp_path) for _ in range(16)]
            texts = list(pool.map(lambda party: ask(provider, question(), party, PATIENT).text, sessions))
    assert set(texts) == {"answer 0"}
    assert len(server.seen) == 1
    assert sorted(party.calls[0].origin for party in sessions) == ["cache"] * 15 + ["network"]


def test_claims_are_given_back(tmp_path):
    cache = ResponseCache(tmp_path)
    with pytest.raises(ZeroDivisionError), cache.claimed("a"), cache.claimed("b"):
        raise ZeroDivisionError
    assert cache._locks == {}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.__name__)
def test_no_keys_and_no_requests_in_it(vendor, tmp_path):
    with serve(MiniDialect(), [Answer()]) as server:
        provider = vendor(server.url)
        ask(provider, question("credentials? my diary"), session(provider, cache=tmp_path), PATIENT)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert KEY not in texts_in(tmp_path)
    assert "diary" not in texts_in(tmp_path)
    assert len(file.stem) == 64
    assert int(file.stem, 16)
    assert file.parent.name == file.stem[:2]


def test_another_key_of_the_same_account_finds_the_answer(tmp_path):
    with serve(numbered(), [Answer()]) as server:
        for key in (KEY, "sk-another-key-0123456789"):
            provider = mini_openai(server.url, key=key)
            assert ask(provider, question(), session(provider, cache=tmp_path), PATIENT).text == "answer 0"


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "GET"},
        {"url": "http://host/v2/x"},
        {"url": "http://other/v1/x"},
        {"request_body": b'{"a": 1}'},
        {"request_headers": {"anthropic-beta": "x"}},
        {"request_headers": {"anthropic-version": "x"}},
    ],
)
def test_what_makes_it_another_request(changes, tmp_path):
    cache = ResponseCache(tmp_path)
    CachedSource(cache)(ASKED, answered)
    assert CachedSource(cache)(ASKED, answered).origin == "cache"
    assert CachedSource(cache)(attrs.evolve(ASKED, **changes), answered).origin == "network"


EVENTS = "text/event-stream; charset=utf-8"


@pytest.mark.parametrize(
    ("exchange", "complete"),
    [
        (answered(b'{"a": 1, "error": null}'), True),
        (answered(b'data: {"a": 1}\n\ndata: [DONE]\n\n', kind=EVENTS), True),
        (answered(b'data: {"a": 1}\r\n\r\n', kind=EVENTS), True),
        (answered(status=429), False),
        (answered(status=301), False),
        (answered(status=None, error="ReadTimeout: "), False),
        (answered(error="ReadError: "), False),
        (answered(b'{"a": 1'), False),
        (answered(b"[]"), False),
        (answered(b'{"error": {"code": 502}}'), False),
        (answered(b'data: {"a": 1}\n\ndata: {"b"', kind=EVENTS), False),
        (answered(b'event: error\ndata: {"type": "error"}\n\n', kind=EVENTS), False),
        (answered(b'data: {"error": {"code": 429}}\n\n', kind=EVENTS), False),
    ],
)
def test_only_complete_answers_are_kept(exchange, complete):
    assert is_complete(exchange) is complete


@given(st.binary(), st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.just("v"), max_size=2))
def test_an_entry_gives_the_answer_back(tmp_path_factory, body, headers):
    cache = ResponseCache(tmp_path_factory.getbasetemp() / "law")
    cache.put(KEY_HASH, attrs.evolve(answered(body), response_headers=headers))
    assert cache.get(KEY_HASH) == {"status": 200, "response_headers": headers, "response_body": body}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-9],
        lambda data: data.replace(b"hello", b"jello"),
        lambda data: data.replace(b'"version": 1', b'"version": 2'),
        lambda data: b"[]",
        lambda data: b"\xff\xfe",
        lambda data: data.replace(b'"status": 200', b'"status": null'),
    ],
)
def test_a_damaged_entry_is_a_miss(damage, tmp_path):
    cache = ResponseCache(tmp_path)
    cache.put(KEY_HASH, answered(b'{"text": "hello"}'))
    file = tmp_path / "ab" / f"{KEY_HASH}.json"
    file.write_bytes(damage(file.read_bytes()))
    assert cache.get(KEY_HASH) is None
    cache.put(KEY_HASH, answered(b"{}"))
    assert cache.get(KEY_HASH)["response_body"] == b"{}"


def test_a_directory_that_cannot_be_written_is_said_before_the_run(tmp_path):
    (tmp_path / "file").write_text("")
    settings = WireSettings(tmp_path / "file" / "cache")
    with pytest.raises(ConfigurationError, match="as a cache"):
        settings.check()
    assert pickle.loads(pickle.dumps(settings)) == settings
    WireSettings().check()


def test_a_disk_that_fails_later_costs_money_but_not_the_conversation(tmp_path, caplog):
    cache = ResponseCache(tmp_path)
    (tmp_path / KEY_HASH[:2]).write_text("in the way")
    cache.put(KEY_HASH, answered())
    assert "cannot write to the cache" in caplog.text
    assert cache.get(KEY_HASH) is None


WRITER = """
import sys
from pathlib import Path
from tests.models.cache_test import answered
from tool_sandbox.models.cache import ResponseCache
cache = ResponseCache(Path(sys.argv[1]))
body = b'{"text": "' + b"x" * 200_000 + b'"}'
for round in range(100_000):
    for number in range(8):
        cache.put(f"{number:064x}", answered(body))
    if round == 0:
        print("going", flush=True)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_leaves_it_readable(tmp_path):
    root = Path(__file__).parents[2]
    arguments = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=root) as writer:
        assert writer.stdout.readline() == b"going\n"
        writer.send_signal(signal.SIGKILL)
    cache = ResponseCache(tmp_path)
    assert all(len(cache.get(f"{number:064x}")["response_body"]) > 200_000 for number in range(8))
