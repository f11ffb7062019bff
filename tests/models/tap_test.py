import threading

import httpx2
import pytest

from tests.together import together
from tool_sandbox.models import tap as tap_module
from tool_sandbox.models.tap import http_client, tapped


@pytest.fixture
def client() -> httpx2.Client:
    http_client.cache_clear()
    return http_client()


def answer(text: str) -> tap_module.Tap:
    return lambda request, send: httpx2.Response(200, text=text, request=request)


def test_a_tap_answers_instead_of_the_network(client: httpx2.Client) -> None:
    with tapped(answer("tapped")):
        assert client.get("http://127.0.0.1:1/").text == "tapped"
    with pytest.raises(httpx2.ConnectError):
        client.get("http://127.0.0.1:1/")


def test_taps_of_other_threads_are_not_seen(client: httpx2.Client) -> None:
    texts: dict[str, str] = {}
    barrier = threading.Barrier(2)

    def ask(name: str) -> None:
        with tapped(answer(name)):
            barrier.wait()
            texts[name] = client.get("http://127.0.0.1:1/").text
            barrier.wait()

    together(ask, ("a", "b"))
    assert texts == {"a": "a", "b": "b"}


def test_the_inner_of_two_taps_counts(client: httpx2.Client) -> None:
    with tapped(answer("outer")):
        with tapped(answer("inner")):
            assert client.get("http://127.0.0.1:1/").text == "inner"
        assert client.get("http://127.0.0.1:1/").text == "outer"


def test_proxies_of_the_environment_are_used_but_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "intern.example")
    http_client.cache_clear()
    client = http_client()
    chosen = {
        url: client._transport_for_url(httpx2.URL(url))._inner._pool  # type: ignore[attr-defined]
        for url in ("http://example.com/", "http://127.0.0.1:5/", "http://intern.example/")
    }
    http_client.cache_clear()
    kinds = {url: type(pool).__name__ for url, pool in chosen.items()}
    assert kinds["http://example.com/"] == "HTTPProxy"
    assert kinds["http://127.0.0.1:5/"] == kinds["http://intern.example/"] == "ConnectionPool"
