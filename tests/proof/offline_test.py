"""A connection, a look-up and a key are noticed, and everything is as before afterwards."""

import os
import socket

import pytest

from tool_sandbox.proof.offline import offline


def test_connections_and_look_ups_are_refused_and_noted() -> None:
    with offline() as attempts:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("192.0.2.1", 80), timeout=1)
        with pytest.raises(OSError, match="refused"):
            socket.getaddrinfo("example.org", 80)
        with socket.socket() as plain, pytest.raises(OSError, match="refused"):
            plain.connect(("192.0.2.1", 80))
    assert len(attempts) >= 3
    assert "example.org" in attempts


def test_keys_are_hidden_for_a_while(monkeypatch) -> None:
    monkeypatch.setenv("RAPID_API_KEY", "secret")
    before = socket.socket.connect, socket.getaddrinfo
    with offline():
        assert "RAPID_API_KEY" not in os.environ
        assert socket.getaddrinfo is not before[1]
    assert os.environ["RAPID_API_KEY"] == "secret"
    assert (socket.socket.connect, socket.getaddrinfo) == before
