"""The line format: everything comes back, and damage is named with its place."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.exchange import VERSION, Exchange, kept_request_headers, kept_response_headers
from tool_sandbox.world.errors import ConfigurationError

texts = st.text(st.characters(exclude_categories=["Cs"]))
headers = st.dictionaries(texts, texts, max_size=3)
bodies = st.binary() | texts.map(str.encode)
seconds = st.floats(allow_nan=False, allow_infinity=False)
asked = st.builds(
    Exchange,
    party=st.sampled_from(["agent", "user", "judge"]),
    call=st.integers(0),
    sent_at=seconds,
    method=texts,
    url=texts,
    request_headers=headers,
    request_body=bodies,
    error=st.none() | texts,
    latency_s=seconds,
    origin=st.sampled_from(["network", "cache", "replay"]),
)
answers = st.none() | st.tuples(st.integers(100, 999), headers, bodies)
EXCHANGE = Exchange("agent", 0, 1.0, "POST", "http://h/", {"a": "b"}, b"{}", 200, {"c": "d"}, b"{}", None, 0.5)


@given(asked, answers)
def test_a_line_gives_the_exchange_back(exchange, answer):
    if answer is not None:
        status, response_headers, body = answer
        exchange = attrs.evolve(exchange, status=status, response_headers=response_headers, response_body=body)
    line = exchange.to_line()
    assert "\n" not in line
    assert Exchange.from_line(line.encode(), "here") == exchange


def edited(**changes) -> str:
    return json.dumps({**json.loads(EXCHANGE.to_line()), **changes})


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "\xff",
        "[" * 100_000,
        EXCHANGE.to_line()[:-20],
        edited(party="nobody"),
        edited(call="0"),
        edited(call=True),
        edited(origin="heaven"),
        edited(request=None),
        edited(response=3),
        edited(request={"method": "POST", "url": "u", "headers": {}, "body": {"base64": "?"}}),
        edited(response={"status": 200, "headers": {"a": 1}, "body": ""}),
        edited(response={"status": "200", "headers": {}, "body": ""}),
        edited(response={"status": 200, "headers": {}, "body": "\ud800"}),
    ],
)
def test_damage_is_named_with_its_place(line):
    with pytest.raises(ConfigurationError, match=r"^file:7: damaged"):
        Exchange.from_line(line, "file:7")


def test_another_version_is_not_guessed_at():
    with pytest.raises(ConfigurationError, match=rf"^file:1: version 99, but only 1 to {VERSION} "):
        Exchange.from_line(edited(version=99), "file:1")


def test_headers_are_kept_by_name():
    sent = {"Authorization": "x", "X-Api-Key": "x", "Cookie": "x", "Anthropic-Version": "1", "User-Agent": "x"}
    assert kept_request_headers(sent) == {"anthropic-version": "1"}
    received = {"Set-Cookie": "x", "Retry-After": "3", "X-RateLimit-Limit": "5", "Content-Encoding": "gzip", "X-Y": "x"}
    assert kept_response_headers(received) == {"retry-after": "3", "x-ratelimit-limit": "5"}
