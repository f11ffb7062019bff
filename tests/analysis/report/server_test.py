"""The served page: for this machine alone, read-only but for decisions, and up to date with a run under way."""

import http.client
import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.report.conftest import HOSTILE, SCENARIOS, serving
from tests.browser import open_tab
from tool_sandbox.analysis.report.server import ViewServer


@pytest.fixture(scope="module")
def server(runs: list[Path]) -> Iterator[ViewServer]:
    """A server of the folder of both runs."""
    with serving(runs[0].parent) as server:
        yield server


def _get(server: ViewServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": f"127.0.0.1:{server.server_port}"} | headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


@pytest.mark.slow
def test_every_view_of_the_served_page(browser: Any, server: ViewServer) -> None:
    tab = open_tab(browser, server.url)
    tab.page.wait_for_selector(".board.runs")
    assert tab.page.locator(".board.runs tbody tr").count() == 2
    for box in tab.page.locator(".board.runs input").all():
        box.check()
    tab.page.get_by_text("Open those chosen").click()
    tab.page.wait_for_selector(".forest")
    for link, selector in {
        "#/maps": ".heat",
        "#/board": ".board",
        "#/runs": ".runs",
        "#/conversations": ".row",
    }.items():
        tab.show(link, selector)
    assert tab.page.locator(".row").count() == 3 * len(SCENARIOS)
    tab.show(tab.page.get_attribute(".row", "href"), ".talk-main > .message")
    tab.show(tab.page.get_attribute(".beside", "href"), ".side-line .message")
    assert tab.complaints == []
    assert all(request.startswith((server.url, "blob:")) for request in tab.requests)
    tab.page.context.close()


def test_hostile_run_is_served_harmlessly(browser: Any, hostile: Path) -> None:
    with serving(hostile) as served:
        tab = open_tab(browser, f"{served.url}#/conversations")
        tab.show(tab.page.get_attribute(".row", "href"), ".talk-main > .message")
        assert HOSTILE["closing"] in "".join(tab.page.locator(".text").all_text_contents())
        assert tab.page.evaluate("window.harmed") is None
        assert tab.complaints == []
        tab.page.context.close()


@pytest.mark.slow
def test_run_under_way_is_followed(browser: Any, runs: list[Path], tmp_path: Path) -> None:
    growing = tmp_path / "agent_growing"
    shutil.copytree(runs[1], growing, ignore=shutil.ignore_patterns("trajectories", "*summary*", "*.parquet"))
    directories = sorted((runs[1] / "trajectories").iterdir())
    (growing / "trajectories").mkdir()
    shutil.copytree(directories[0], growing / "trajectories" / directories[0].name)
    with serving(growing) as served:
        tab = open_tab(browser, served.url)
        assert tab.texts(".progress-line .number") == [f"1 of {len(SCENARIOS)} played"]
        tab.show("#/conversations", ".row")
        assert tab.page.locator(".row").count() == 1
        tab.page.focus('input[name="q"]')
        for directory in directories[1:3]:
            shutil.copytree(directory, growing / "trajectories" / directory.name)
        tab.until("document.querySelectorAll('.row').length === 3")
        assert tab.page.evaluate("document.activeElement.name") == "q"
        tab.show("#/overview", ".progress-line")
        shutil.copytree(directories[3], growing / "trajectories" / directories[3].name)
        tab.until("document.querySelectorAll('.progress-line').length === 0")
        assert tab.complaints == []
        tab.page.context.close()


@pytest.mark.slow
def test_new_run_appears_in_the_list(browser: Any, runs: list[Path], tmp_path: Path) -> None:
    for run in runs:
        shutil.copytree(run, tmp_path / "folder" / run.name)
    with serving(tmp_path / "folder") as served:
        tab = open_tab(browser, served.url)
        tab.until("document.querySelectorAll('.runs tbody tr').length === 2")
        tab.page.locator(".runs input").first.check()
        shutil.copytree(runs[1], tmp_path / "folder" / "sweep" / "another")
        tab.until("document.querySelectorAll('.runs tbody tr').length === 3")
        assert tab.page.locator(".runs input:checked").count() == 1
        assert tab.complaints == []
        tab.page.context.close()


def test_only_its_own_name_is_answered(server: ViewServer) -> None:
    for path in ("/", "/api/runs", "/api/index", "/api/conversation"):
        assert _get(server, path, Host="attacker.example")[0] == 403
        assert _get(server, path, Host=f"attacker.example:{server.server_port}")[0] == 403
    assert _get(server, "/api/runs", Host=f"localhost:{server.server_port}")[0] == 200
    assert _get(server, "/api/runs", **{"Sec-Fetch-Site": "cross-site"})[0] == 403


def test_it_listens_on_this_machine_alone(server: ViewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/index?run=../..",
        "/api/index?run=%2Fetc",
        "/api/conversation?run=..&directory=wifi_off",
        "/api/conversation?run={run}&directory=../../../../etc",
        "/api/conversation?run={run}&directory=wifi_off/../wifi_off",
        "/api/conversation?run={run}&directory=",
        "/api/conversation?run={run}&directory=%00",
        "/api/conversation",
        "/run.json",
        "//etc/passwd",
    ],
)
def test_paths_are_looked_up_and_never_followed(server: ViewServer, path: str) -> None:
    run = next(iter(server.folder.runs()))
    _get(server, f"/api/index?run={run}")
    assert _get(server, path.format(run=run))[0] == 404


def _ask(server: ViewServer, *lines: str) -> int:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall("\r\n".join((*lines, "Connection: close", "", "")).encode())
        return int(connection.makefile().readline().split()[1])


def test_what_is_no_request_is_refused(server: ViewServer, capfd: pytest.CaptureFixture[str]) -> None:
    own = f"Host: 127.0.0.1:{server.server_port}"
    assert _ask(server, "GET http://[bad/ HTTP/1.1", own) == 400
    assert _ask(server, "GET /api/runs HTTP/1.1", own, "Host: attacker.example") == 403
    assert _ask(server, "GET /api/runs HTTP/1.1", "Host: attacker.example", own) == 403
    assert _ask(server, "GET /api/runs HTTP/1.1", own, own) == 403
    assert _ask(server, "GET /api/runs HTTP/1.1") == 403
    assert _ask(server, "GET /api/runs HTTP/1.1", own) == 200
    assert "Traceback" not in capfd.readouterr().err


def test_links_are_not_followed_out_of_the_folder(runs: list[Path], tmp_path: Path) -> None:
    private = Path(shutil.copytree(runs[1], tmp_path / "private"))
    folder = tmp_path / "folder"
    shown = Path(shutil.copytree(runs[1], folder / "shown"))
    (folder / "link").symlink_to(private)
    other = shown / "trajectories" / "get_wifi" / "execution_context.json"
    other.unlink()
    other.symlink_to(private / "trajectories" / "get_wifi" / "execution_context.json")
    shutil.rmtree(shown / "trajectories" / "wifi_off")
    (shown / "trajectories" / "wifi_off").symlink_to(private / "trajectories" / "wifi_off")
    with serving(folder) as served:
        assert [run["id"] for run in json.loads(_get(served, "/api/runs")[1])["runs"]] == ["shown"]
        assert len(json.loads(_get(served, "/api/index?run=shown")[1])["rows"]["score"]) == len(SCENARIOS) - 1
        status, said = _get(served, "/api/conversation?run=shown&directory=get_wifi")
        assert (status, said.endswith("it is reached over a link\n")) == (500, True)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_else_can_be_asked_for(server: ViewServer, method: str) -> None:
    for path in ("/api/runs", "/api/decision"):
        assert _get(server, path, method)[0] == 501


def test_unchanged_run_is_not_sent_again(server: ViewServer) -> None:
    run = next(iter(server.folder.runs()))
    index = json.loads(_get(server, f"/api/index?run={run}")[1])
    assert json.loads(_get(server, f"/api/index?run={run}&after={index['version']}")[1]) == {
        "version": index["version"]
    }


def test_looking_writes_nothing(runs: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(runs[1], copy)
    (copy / "floor.json").unlink(missing_ok=True)
    before = sorted(copy.rglob("*"))
    with serving(copy) as served:
        index = json.loads(_get(served, "/api/index")[1])
        assert len(index["rows"]["score"]) == len(SCENARIOS)
        _get(served, f"/api/conversation?run={copy.name}&directory=wifi_off")
    assert sorted(copy.rglob("*")) == before


@pytest.mark.parametrize(
    ("error", "is_told"), [(BrokenPipeError(), False), (ConnectionResetError(), False), (KeyError("x"), True)]
)
def test_a_browser_that_leaves_early_is_no_news(
    server: ViewServer, capsys: pytest.CaptureFixture[str], error: Exception, is_told: bool
) -> None:
    try:
        raise error
    except Exception:
        server.handle_error(None, ("127.0.0.1", 1))
    assert ("Traceback" in capsys.readouterr().err) == is_told
