"""Replay: a stored conversation is served again without network, ends the same way, and says what has changed."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.server import Answer, Broken, Cut, serve
from tests.models.vendors import MiniDialect, mini_openai, question
from tests.models.wiretap_test import PATIENT, session, streaming, vendors
from tests.records import write_exchanges
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.exchange import Exchange
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.replay import ABSENT, SHOWN, first_difference, used_answers
from tool_sandbox.world.errors import ModelError

NOWHERE = "http://127.0.0.1:1"


def never(seconds: float) -> None:
    raise AssertionError("a replay waits for nothing")


IMPATIENT = RetryPolicy(retries=9, sleep=never)


def store(tmp_path, *sessions, directory="one"):
    write_exchanges(sessions, tmp_path / "trajectories" / directory)
    return tmp_path


def record(vendor, moves, texts, tmp_path, streams=False, party="agent"):
    """Plays a conversation; returns its replies, of which the last may be an error, and the stored run."""
    replies = []
    with serve(MiniDialect(), moves) as server:
        provider = vendor(server.url, streams)
        recorded = session(provider, party)
        for text in texts:
            try:
                replies.append(ask(provider, question(text), recorded, PATIENT))
            except ProviderError as error:
                replies.append(error)
    return replies, recorded, store(tmp_path, recorded)


@pytest.mark.sampled(3)
@vendors
@streaming
def test_a_replay_gives_the_same_without_a_server_or_a_wait(vendor, streams, tmp_path):
    moves = [Answer("one"), Broken(429), Cut(), Answer("two"), Cut(Answer("x"), 60), Answer("three")]
    replies, recorded, run = record(vendor, moves, "abc", tmp_path, streams)
    provider = vendor(NOWHERE, streams, key="dummy")
    replayed = session(provider, replay=run)
    again = [ask(provider, question(text), replayed, IMPATIENT) for text in "abc"]
    assert again == replies
    assert [reply.text for reply in replies] == ["one", "two", "three"]
    assert replayed.notes["replay"] == {"calls": 3, "unused": 0, "divergences": []}
    assert [call.origin for call in replayed.calls] == ["replay"] * 3
    assert [call.usage for call in replayed.calls] == [call.usage for call in recorded.calls]
    assert all(call.failures == () for call in replayed.calls)
    bodies = [[e.response_body for e in used_answers(party.tap.exchanges)] for party in (recorded, replayed)]
    assert bodies[0] == bodies[1]


@vendors
@streaming
@pytest.mark.parametrize(
    ("move", "kind"),
    [
        (Broken(429, headers={"retry-after": "9999"}), FaultKind.RATE_LIMIT),
        (Broken(400, message="maximum context length is 10 tokens"), FaultKind.CONTEXT_EXCEEDED),
        (Broken(529), FaultKind.OVERLOADED),
        (Cut(), FaultKind.CONNECTION),
        (Cut(Answer("x" * 50), 60), FaultKind.CONNECTION),
    ],
)
def test_a_conversation_that_failed_fails_again_in_the_same_way(vendor, streams, move, kind, tmp_path):
    with serve(MiniDialect(), [Answer("one"), move]) as server:
        provider = vendor(server.url, streams)
        recorded = session(provider)
        ask(provider, question("a"), recorded, PATIENT)
        with pytest.raises((ProviderError, ModelError)) as then:
            ask(provider, question("b"), recorded, PATIENT)
    run = store(tmp_path, recorded)
    provider = vendor(NOWHERE, streams)
    replayed = session(provider, replay=run)
    ask(provider, question("a"), replayed, IMPATIENT)
    with pytest.raises((ProviderError, ModelError)) as now:
        ask(provider, question("b"), replayed, IMPATIENT)
    assert type(now.value) is type(then.value)
    assert getattr(now.value, "fault", None) == getattr(then.value, "fault", None)
    assert [call.failures[-1].kind for call in (recorded.calls[-1], replayed.calls[-1])] == [kind, kind]
    assert replayed.notes["replay"]["divergences"] == []


@vendors
@streaming
def test_a_request_more_than_stored_is_a_fault_of_its_own(vendor, streams, tmp_path):
    _, _, run = record(vendor, [Answer("one")], "a", tmp_path, streams)
    provider = vendor(NOWHERE, streams)
    replayed = session(provider, replay=run)
    ask(provider, question("a"), replayed, IMPATIENT)
    with pytest.raises(ProviderError) as caught:
        ask(provider, question("more"), replayed, IMPATIENT)
    assert caught.value.cause.kind is FaultKind.REPLAY
    assert caught.value.fault == "replay"
    assert "the stored run has 1 answers for the agent" in str(caught.value)
    assert replayed.calls[-1].origin == "replay"
    notes = replayed.notes["replay"]
    assert (notes["calls"], notes["unused"]) == (2, 0)
    (divergence,) = notes["divergences"]
    assert (divergence["call"], divergence["path"], divergence["stored"]) == (1, "", ABSENT)


def test_a_changed_request_is_told_and_the_answers_go_on(tmp_path):
    _, _, run = record(mini_openai, [Answer("one"), Answer("two"), Answer("three")], "abc", tmp_path)
    provider = mini_openai(NOWHERE)
    replayed = session(provider, replay=run)
    texts = [ask(provider, question(text), replayed, IMPATIENT).text for text in "ax"]
    assert texts == ["one", "two"]
    assert replayed.notes["replay"] == {
        "calls": 2,
        "unused": 1,
        "divergences": [{"call": 1, "path": "messages[0].content", "stored": "b", "now": "x"}],
    }


def test_each_party_has_its_own_answers(tmp_path):
    with serve(MiniDialect(), [Answer()]) as server:
        provider = mini_openai(server.url)
        agent, user = session(provider), session(provider, "user")
        for party, text in ((user, "u0"), (agent, "a0"), (user, "u1")):
            ask(provider, question(text), party, PATIENT)
    run = store(tmp_path, agent, user)
    provider = mini_openai(NOWHERE)
    replayed = session(provider, "user", replay=run)
    assert [ask(provider, question(text), replayed, IMPATIENT).text for text in ("u0", "u1")] == ["echo u0", "echo u1"]
    assert replayed.notes["replay"]["unused"] == 0


def test_a_replay_of_a_replay_is_the_same(tmp_path):
    _, _, run = record(mini_openai, [Broken(503), Answer("one")], "ab", tmp_path / "first")
    provider = mini_openai(NOWHERE)
    for name in ("second", "third"):
        replayed = session(provider, replay=run)
        assert [ask(provider, question(text), replayed, IMPATIENT).text for text in "ab"] == ["one", "one"]
        assert replayed.notes["replay"]["divergences"] == []
        run = store(tmp_path / name, replayed)


def test_a_conversation_that_was_never_stored_has_no_answers(tmp_path):
    provider = mini_openai(NOWHERE)
    with pytest.raises(ProviderError, match="has 0 answers"):
        ask(provider, question(), session(provider, replay=tmp_path), IMPATIENT)


def exchange(body, **changes) -> Exchange:
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return attrs.evolve(Exchange("agent", 0, 0.0, "POST", "http://h/v1", {}, body), **changes)


@pytest.mark.parametrize(
    ("stored", "now", "expected"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("a[1].b", "2", "3")),
        ({"a": 1}, {"a": 1, "b": [2]}, ("b", ABSENT, "[2]")),
        ({"a": 1, "b": 2}, {"a": 1}, ("b", "2", ABSENT)),
        ({"a": [1]}, {"a": [1, 2]}, ("a[1]", ABSENT, "2")),
        ({"a": 1}, {"a": True}, ("a", "1", "true")),
        ({"a": 1}, {"a": 1.0}, ("a", "1", "1.0")),
        ({"a": None}, {}, ("a", "null", ABSENT)),
        ([1], {"a": 1}, ("", "[1]", '{"a": 1}')),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ("body", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}')),
        (b"\xff1", b"\xff2", ("body", "�1", "�2")),
    ],
)
def test_the_first_difference_has_a_path(stored, now, expected):
    assert attrs.astuple(first_difference(exchange(stored), exchange(now))) == expected


def test_method_and_path_count_and_the_host_does_not():
    same = exchange({})
    assert first_difference(same, attrs.evolve(same, url="https://other:1/v1")) is None
    assert first_difference(same, attrs.evolve(same, url="http://h/v2")).path == "url"
    assert first_difference(same, attrs.evolve(same, url="http://h/v1?alt=sse")).path == "url"
    assert first_difference(same, attrs.evolve(same, method="GET")).path == "method"


def test_long_texts_are_shown_where_they_differ():
    begin = "x" * 5000
    found = first_difference(exchange({"a": f"{begin}1{begin}"}), exchange({"a": f"{begin}2{begin}"}))
    assert "x1x" in found.stored
    assert "x2x" in found.now
    assert max(map(len, (found.stored, found.now))) <= SHOWN + 6


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(values, values)
def test_a_difference_is_found_exactly_where_bytes_differ(stored, now):
    bodies = [json.dumps(value).encode() for value in (stored, now)]
    found = first_difference(exchange(bodies[0]), exchange(bodies[1]))
    assert (found is None) == (bodies[0] == bodies[1])


def test_deep_json_is_compared_as_text():
    deep = b"[" * 100_000
    assert first_difference(exchange(deep), exchange(deep + b"1")).path == "body"


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from([200, 429, 500, None]))))
def test_only_the_last_attempt_of_each_call_is_served(calls):
    stored = [
        exchange({}, call=number, status=last if attempt == attempts - 1 else 503)
        for number, (attempts, last) in enumerate(calls)
        for attempt in range(attempts)
    ]
    assert [e.status for e in used_answers(stored)] == [last for _, last in calls]
