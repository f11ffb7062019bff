"""What every test can rely on: no network beyond this machine, no keys, reproducible hypothesis examples."""

import os
import socket
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("search", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

_KEYS = (
    "ANTHROPIC_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_REGION",
    "HF_TOKEN",
    "OPENAI_API_KEY",
    "RAPID_API_KEY",
)
_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the keys away and refuses connections to other machines."""
    for key in _KEYS:
        monkeypatch.delenv(key, raising=False)
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise OSError(f"tests are offline: connection to {address[0]!r} refused")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
