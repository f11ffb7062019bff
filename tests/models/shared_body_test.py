"""Bodies that repeat the one before come back byte for byte, and take little room."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.exchange import VERSION, Exchange, exchanges_from_lines
from tool_sandbox.models.shared_body import LEAST, changed_from_json, changes_to_json
from tool_sandbox.world.errors import ConfigurationError

# Letters of one to four bytes that share some of their bytes, so that bodies part in the middle of a letter.
texts = st.text(st.sampled_from("aäåé€₭😀😁"), max_size=12).map(str.encode)
pieces = texts | st.binary(max_size=6)


@given(pieces, pieces, pieces, pieces, st.sampled_from([b"", b"x" * LEAST, "ä".encode() * LEAST]))
def test_changes_give_the_body_back(start, old, new, end, common):
    before, body = start + common + old + end, start + common + new + end
    changes = changes_to_json(body, before)
    if common and not changes:
        with pytest.raises(UnicodeDecodeError):
            body.decode()
    if changes is not None:
        assert changed_from_json(json.loads(json.dumps(changes)), before) == body


def exchange(body: bytes, party="agent") -> Exchange:
    return Exchange(party, 0, 1.0, "POST", "http://h/", request_body=body)


def test_a_conversation_is_kept_once():
    tools = "x" * 5_000
    bodies = [json.dumps({"m": ["a message"] * n, "tools": tools}).encode() for n in range(1, 30)]
    lines, before = [], b""
    for body in bodies:
        lines.append(("here", exchange(body).to_line(before).encode()))
        before = body
    assert [found.request_body for found in exchanges_from_lines(lines)] == bodies
    assert sum(len(line) for _, line in lines[1:]) < 29 * 400


def test_each_party_repeats_its_own_requests():
    one, two = b"1" * LEAST, b"2" * LEAST
    lines = [exchange(one).to_line(), exchange(two, "user").to_line(), exchange(one + b"!").to_line(one)]
    found = exchanges_from_lines((f"line {n}", line.encode()) for n, line in enumerate(lines))
    assert [e.request_body for e in found] == [one, two, one + b"!"]


def test_lines_of_the_first_version_are_read():
    line = json.dumps({**json.loads(exchange(b"whole").to_line()), "version": 1})
    assert VERSION > 1
    assert Exchange.from_line(line, "here") == exchange(b"whole")


@pytest.mark.parametrize(
    "changes",
    [
        {"kept_start": 5, "text": "", "kept_end": 6},
        {"kept_start": -1, "text": "", "kept_end": 6},
        {"kept_start": True, "text": "", "kept_end": 6},
        {"kept_start": 1, "text": None, "kept_end": 6},
        {"kept_start": 1, "text": "\ud800", "kept_end": 6},
        {"kept_start": 1, "text": ""},
    ],
)
def test_damage_is_named_with_its_place(changes):
    record = json.loads(exchange(b"").to_line())
    record["request"]["body"] = changes
    with pytest.raises(ConfigurationError, match=r"^file:7: damaged"):
        Exchange.from_line(json.dumps(record), "file:7", {"agent": b"0123456789"})
