import httpx2
import pytest

from tool_sandbox.models.proxies import environment_proxies
from tool_sandbox.models.tap import http_client
from tool_sandbox.world.errors import ConfigurationError

PROXY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", PROXY)


@pytest.mark.parametrize(
    ("exempt", "url", "is_direct"),
    [
        ("", "https://api.example/", False),
        ("", "https://127.0.0.1:5/", True),
        ("", "https://[::1]:5/", True),
        ("intern.example", "https://intern.example/", True),
        ("intern.example", "https://llm.intern.example/", True),
        (".intern.example", "https://llm.intern.example/", True),
        ("*.intern.example", "https://llm.intern.example/", True),
        ("intern.example", "https://notintern.example/", False),
        ("intern.example:8443", "https://intern.example:8443/", True),
        ("intern.example:8443", "https://intern.example/", False),
        ("10.0.0.0/8, fd00::/8", "https://10.2.3.4/", True),
        ("10.0.0.0/8, fd00::/8", "https://[fd00::12]/", True),
        ("10.0.0.0/8, fd00::/8", "https://11.2.3.4/", False),
        ("[fe80::1],::1", "https://[fe80::1]/", True),
        ("what is this?, a:b:c, /", "https://api.example/", False),
        ("*", "https://api.example/", True),
    ],
)
def test_what_is_reached_without_a_proxy(
    exempt: str, url: str, is_direct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", exempt)
    http_client.cache_clear()
    transport = http_client()._transport_for_url(httpx2.URL(url))
    http_client.cache_clear()
    pool = type(transport._inner._pool).__name__  # type: ignore[attr-defined]
    assert pool == ("ConnectionPool" if is_direct else "HTTPProxy")


def test_a_proxy_needs_no_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "127.0.0.1:9")
    assert environment_proxies()["https://"] == PROXY


def test_without_a_proxy_nothing_is_exempt_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("https_proxy")
    monkeypatch.setenv("no_proxy", "intern.example")
    assert environment_proxies() == {}


def test_a_proxy_that_cannot_be_used_is_a_mistake_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "gopher://me:secret-word@127.0.0.1:9")
    http_client.cache_clear()
    with pytest.raises(ConfigurationError, match="a proxy of the environment cannot be used") as caught:
        http_client()
    assert "secret-word" not in str(caught.value)
