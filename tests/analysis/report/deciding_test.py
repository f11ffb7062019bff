"""Decisions on the served page: a person makes them with mouse or keyboard, and no other site does."""

import http.client
import json
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.report.conftest import serving
from tests.browser import Tab, open_tab
from tests.records import OPEN_WORDS, open_conversation, result_in
from tool_sandbox.analysis.report import write_report
from tool_sandbox.analysis.report.server import ViewServer
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import RunDirectory

NAME = "search_phone_number_with_name"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with an open conversation, which was not the first one."""
    base = tmp_path_factory.mktemp("open")
    return open_conversation(play(prepare_run(scenarios=["get_wifi", NAME]), base).path, NAME, base / "run")


@pytest.fixture
def run(opened: Path, tmp_path: Path) -> Path:
    """One to decide about."""
    return Path(shutil.copytree(opened, tmp_path / "run"))


@pytest.fixture
def server(run: Path) -> Iterator[ViewServer]:
    """A server of it."""
    with serving(run) as server:
        server.folder.runs()["run"].look()
        yield server


def _decision(run: Path, **changes: Any) -> dict[str, Any]:
    (doubt,) = result_in(run / "trajectories" / NAME)["unclear"]
    place = {key: doubt[key] for key in ("message", "fact", "sentence")}
    return {"run": "run", "directory": NAME, **place, "is_stated": True, "by": "Eve"} | changes


def _post(server: ViewServer, body: Any, path: str = "/api/decision", **headers: str | None) -> tuple[int, str]:
    own = f"127.0.0.1:{server.server_port}"
    given = {"Host": own, "Origin": f"http://{own}", "Content-Type": "application/json"} | headers
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, content, {key: value for key, value in given.items() if value is not None})
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    return answer.status, said


def _files(run: Path) -> dict[str, bytes]:
    """All but the lock."""
    files = [path for path in run.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


def test_a_decision_is_kept_and_scored_by(server: ViewServer, run: Path) -> None:
    assert _post(server, _decision(run)) == (200, '{"taken":true}')
    result = result_in(run / "trajectories" / NAME)
    assert (result["success"], result["score_interval"]) == (True, None)
    (decision,) = json.loads((run / "review.json").read_text())["decisions"]
    assert (decision["by"], decision["is_stated"], decision["is_judge"]) == ("Eve", True, False)
    summary = json.loads((run / "result_summary.json").read_text())
    assert [each["success"] for each in summary["per_scenario_results"]] == [True, True]
    assert _post(server, _decision(run, is_stated=None, by="Bob"))[0] == 200
    result = result_in(run / "trajectories" / NAME)
    assert result["score_interval"] is not None
    assert [(doubt["is_stated"], doubt["by"]) for doubt in result["unclear"]] == [(None, "Bob")]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "attacker.example"}, 403),
        ({"Origin": "http://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        # What a form or a script of another site can send without asking first.
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": None}, 415),
    ],
)
def test_no_other_site_decides(server: ViewServer, run: Path, headers: dict[str, str | None], status: int) -> None:
    before = _files(run)
    assert _post(server, _decision(run), **headers)[0] == status
    assert _files(run) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "../run"},
        {"run": "/"},
        {"directory": "../trajectories/search_phone_number_with_name"},
        {"directory": "get_wifi"},
        {"directory": ""},
        {"message": 0},
        {"message": "6"},
        {"fact": "Phone(number='+1')"},
        {"sentence": "x" * 60_000},
        {"is_stated": "yes"},
        {"is_stated": 1},
        {"by": ""},
        {"by": "   "},
        {"by": "a\nb"},
        {"by": "a\u202eb"},
        {"by": "a" * 101},
        {"by": None},
        {"at": "2020-01-01"},
        {"is_judge": True},
    ],
)
def test_only_what_is_unclear_is_decided(server: ViewServer, run: Path, changes: dict[str, Any]) -> None:
    before = _files(run)
    assert _post(server, _decision(run) | changes)[0] == 400
    assert _files(run) == before


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b"[" * 60_000, b"\xff"])
def test_what_is_no_decision_is_refused(server: ViewServer, run: Path, body: bytes) -> None:
    assert _post(server, body)[0] == 400
    assert not (run / "review.json").exists()


def test_bodies_have_one_length_and_nothing_behind_them_is_a_request(server: ViewServer, run: Path) -> None:
    own = f"127.0.0.1:{server.server_port}"
    assert _post(server, b"{}", **{"Content-Length": "99999999999999999999"})[0] == 413
    for length in ("-1", "+2", "2, 2", "x", ""):
        assert _post(server, b"{}", **{"Content-Length": length})[0] == 411
    smuggled = f"GET /api/runs HTTP/1.1\r\nHost: {own}\r\n\r\n"
    head = f"POST /api/decision HTTP/1.1\r\nHost: {own}\r\nContent-Length: {len(smuggled)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall((head + smuggled).encode())
        answered = connection.makefile().read()
    assert answered.count("HTTP/1.1 ") == 1
    assert _post(server, _decision(run), "/api/runs")[0] == 404


def test_a_run_that_is_played_or_of_another_suite_is_left_alone(server: ViewServer, run: Path) -> None:
    with RunDirectory(run).claim():
        status, said = _post(server, _decision(run))
    assert (status, "is being played" in said) == (500, True)
    described = json.loads((run / "run.json").read_text())
    for suite, told in (
        ({"version": "0", "content_hash": "0" * 12}, "another version of its suite"),
        ({"name": "acme", "version": "1", "content_hash": "0" * 12}, "give its path with --suite"),
        (None, "was not played with a suite"),
    ):
        (run / "run.json").write_text(json.dumps(described | {"suite": suite}))
        status, said = _post(server, _decision(run))
        assert (status, told in said) == (500, True), said
    assert not (run / "review.json").exists()


def _open(browser: Any, server: ViewServer, **look: Any) -> Tab:
    tab = open_tab(browser, f"{server.url}#/conversations", **look)
    tab.page.wait_for_selector(".row")
    tab.show(tab.page.get_attribute(".row", "href"), ".unclear")
    return tab


@pytest.mark.slow
def test_what_is_open_comes_first(browser: Any, server: ViewServer) -> None:
    tab = open_tab(browser, f"{server.url}#/conversations")
    assert tab.texts(".row .name") == [NAME, "get_wifi"]
    assert tab.texts(".row .goal")[0].startswith("open")
    tab.show("#/overview", ".links a")
    assert tab.texts(".links a")[0] == "Open: something said is unclear"
    tab.page.context.close()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_it_is_all_shown_and_labelled(browser: Any, server: ViewServer, run: Path, width: int, scheme: str) -> None:
    tab = _open(browser, server, width=width, scheme=scheme)
    assert tab.overflow() <= 0
    assert tab.texts(".unclear blockquote") == [OPEN_WORDS.lower()]
    assert _decision(run)["fact"] in tab.texts(".unclear dd")
    assert tab.texts(".choices button") == ["Stated", "Not stated", "Leave open"]
    group = tab.page.get_by_role("group", name="Does the sentence state it?")
    described = group.get_attribute("aria-describedby").split()
    assert [tab.page.inner_text(f"#{part}") for part in described] == [OPEN_WORDS.lower(), _decision(run)["fact"]]
    assert tab.page.get_by_label("Your name").count() == 1
    for box in tab.page.locator(".choices button, .unclear input").all():
        area = box.bounding_box()
        assert area["x"] >= 0
        assert area["x"] + area["width"] <= width
        assert area["height"] >= 24
    assert tab.complaints == []
    tab.page.context.close()


@pytest.mark.slow
def test_a_person_decides_with_the_keyboard_alone(browser: Any, server: ViewServer, run: Path) -> None:
    tab = _open(browser, server)
    keyboard = tab.page.keyboard
    while tab.page.evaluate("document.activeElement.name") != "by":
        keyboard.press("Tab")
    keyboard.type("Eve")
    while tab.page.evaluate("document.activeElement.textContent") != "Stated":
        keyboard.press("Tab")
    keyboard.press("Space")
    tab.until("document.querySelector('.choices [aria-pressed=true]') !== null")
    tab.until("document.activeElement.textContent === 'Stated'")
    assert tab.texts("#status") == ["Kept, and scored by it."]
    assert "stated, by Eve" in "".join(tab.texts(".unclear dd"))
    assert "Unclear, and decided" in tab.texts(".unclear h2")
    assert re.search(r"Score\s+1\.000", " ".join(tab.texts(".fact-line")))
    keyboard.press("Tab")
    keyboard.press("Enter")
    tab.until("document.querySelector('.choices [aria-pressed=true]').textContent === 'Not stated'")
    keyboard.press("Tab")
    tab.settle()
    assert [each["is_stated"] for each in json.loads((run / "review.json").read_text())["decisions"]] == [True, False]
    assert tab.complaints == []
    tab.page.context.close()


@pytest.mark.slow
def test_without_a_name_nothing_is_sent_and_what_fails_is_said(browser: Any, server: ViewServer, run: Path) -> None:
    tab = _open(browser, server)
    tab.page.get_by_text("Not stated", exact=True).click()
    assert tab.texts("#status") == ["A decision needs a name."]
    assert tab.page.evaluate("document.activeElement.name") == "by"
    assert not (run / "review.json").exists()
    tab.page.fill('input[name="by"]', "Eve")
    with RunDirectory(run).claim():
        tab.page.get_by_text("Not stated", exact=True).click()
        tab.until("document.getElementById('status').textContent.startsWith('This was not kept')")
    assert "is being played" in tab.texts("#status")[0]
    assert not (run / "review.json").exists()
    tab.page.context.close()


def test_a_report_shows_decisions_and_takes_none(browser: Any, server: ViewServer, run: Path, tmp_path: Path) -> None:
    assert _post(server, _decision(run, by="<b>Eve</b>"))[0] == 200
    write_report([run], tmp_path / "report.html")
    tab = open_tab(browser, f"{(tmp_path / 'report.html').as_uri()}#/conversation/run/{NAME}")
    tab.page.wait_for_selector(".unclear")
    assert "stated, by <b>Eve</b>, 20" in "".join(tab.texts(".unclear dd"))
    assert tab.page.locator(".choices, .unclear input").count() == 0
    assert (tab.complaints, tab.requests) == ([], [])
    tab.page.context.close()
