"""What every test can rely on: no network beyond this machine, no keys, reproducible hypothesis examples."""

import gc
import os
import re
import socket
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.loopback.choice import KEY, KEY_VARIABLE

settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("search", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

_OF_A_MACHINE = re.compile(
    r"(ANTHROPIC|OPENAI|AZURE_OPENAI|GOOGLE|GEMINI|CLOUD_ML)_.*|.*_(API_KEY|BASE_URL)|HF_TOKEN|(HTTPS?|ALL|NO)_PROXY"
    r"|COLUMNS|LINES|(NO|FORCE)_COLOR|TTY_(COMPATIBLE|INTERACTIVE)",
    re.IGNORECASE,
)
"""Variables that say where a provider is, how to be let in and what its SDK sends along, and what a terminal shows."""

_LOOPBACK = ("127.", "::1", "localhost")


CI_PART = 4
"""Of the slow cases of a test, continuous integration plays the first and one in so many of the others."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow what `sampled` leaves out, and as rest most cases after the first, before marks select.

    What is rest follows from the name of a case alone: it is the same everywhere, and other cases do not change it.
    """
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if (sampled := item.get_closest_marker("sampled")) and cases[test] % sampled.args[0]:
            item.add_marker("slow")
        if cases[test] and zlib.crc32(item.nodeid.encode()) % CI_PART and not item.get_closest_marker("whole"):
            item.add_marker("rest")
        cases[test] += 1


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leaves thousands of collected cases out of garbage collections; every run that is played begins with one."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def unset() -> Iterator[None]:
    """Takes keys, addresses and other settings of this machine away, from fixtures of every scope."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in filter(_OF_A_MACHINE.fullmatch, list(os.environ)):
            monkeypatch.delenv(name)
        yield


@pytest.fixture(scope="module")
def loopback_key() -> Iterator[None]:
    """A key for servers of this machine, which `tests.loopback.choice` names."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv(KEY_VARIABLE, KEY)
        yield


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuses connections to other machines."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise OSError(f"tests are offline: connection to {address[0]!r} refused")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
