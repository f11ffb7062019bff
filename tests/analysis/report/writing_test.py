"""What is in the file: the same bytes each time, small, and nothing but what was asked for."""

import base64
import gzip
import json
import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.report.conftest import SCENARIOS
from tests.analysis.runs import store
from tests.records import edit_record, records_below
from tool_sandbox.analysis.report import write_report
from tool_sandbox.analysis.report.page import _SCRIPTS, _STYLES
from tool_sandbox.analysis.report.writing import pack
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError


def _block(page: str, name: str) -> Any:
    (text,) = re.findall(rf'<script type="text/plain" id="{name}">([A-Za-z0-9+/=]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_same_runs_give_the_same_bytes(runs: list[Path], tmp_path: Path) -> None:
    pages = [tmp_path / name for name in ("one.html", "two.html")]
    for page in pages:
        write_report(runs, page)
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_everything_is_there_and_small(runs: list[Path], tmp_path: Path) -> None:
    written = write_report(runs, tmp_path / "report.html")
    assert written.conversations == written.detailed == 3 * len(SCENARIOS)
    page = written.path.read_text("utf-8")
    assert written.size == len(page.encode())
    bare = write_report(runs, tmp_path / "bare.html", max_mb=0.01).size
    # A full run has 2,432 conversations, which would be below 5 MB with 2,000 bytes each.
    assert (written.size - bare) / written.detailed < 2000
    assert bare < 150_000
    index = _block(page, "index")
    assert len(index["rows"]["score"]) == written.conversations
    stored = [result for run in runs for result in RunDirectory(run).read_results()]
    assert index["rows"]["score"] == [round(result["similarity"], 4) for result in stored]
    for row, result in enumerate(stored):
        details = _block(page, f"page-{index['rows']['page'][row]}")[index["rows"]["slot"][row]]
        assert details["result"] == result


def test_runs_over_different_scenarios_have_figures_of_what_they_share(tmp_path: Path) -> None:
    shared = {f"a_{n}": [1.0] for n in range(4)}
    wide = store(tmp_path, "wide", shared | {"b_0": [0.0, 0.0]})
    narrow = store(tmp_path, "narrow", shared | {"a_0": [0.0]})
    index = _block(write_report([wide, narrow], tmp_path / "report.html").path.read_text("utf-8"), "index")
    assert index["common"]["scenarios"] == 4
    assert index["common"]["text"].startswith("over the 4 scenarios that all runs played")
    ranked = index["common"]["runs"]
    assert [(each["left_out"], each["success"]["estimate"]) for each in ranked] == [(2, 1), (0, 0.75)]
    assert [run["figures"]["success"]["estimate"] for run in index["runs"]] == [pytest.approx(2 / 3, abs=1e-5), 0.75]
    assert index["rows"]["common"] == [1] * 4 + [0] * 2 + [1] * 4
    alike = _block(write_report([wide], tmp_path / "alike.html").path.read_text("utf-8"), "index")
    assert alike["common"] is None


def test_names_no_other_place(runs: list[Path], tmp_path: Path) -> None:
    page = write_report(runs, tmp_path / "report.html").path.read_text("utf-8")
    frame = re.sub(r'<script type="text/plain".*?</script>', "", page, flags=re.DOTALL)
    assert set(re.findall(r"https?://[^\"'\s]+", frame)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src &#x27;none&#x27;" in frame
    assert "unsafe" not in frame
    assert str(runs[0].parent) not in page


def test_details_of_failures_are_kept_first() -> None:
    pages, places = pack(range(100), lambda key: {"noise": str(hash((key, "x"))) * 9000}, 60_000)
    assert 0 < len(places) < 100
    assert sorted(places) == list(range(len(places)))
    assert sum(map(len, pages)) <= 60_000


def test_limit_is_kept_and_said(runs: list[Path], tmp_path: Path) -> None:
    written = write_report(runs, tmp_path / "report.html", max_mb=0.01)
    assert written.detailed == 0
    index = _block(written.path.read_text("utf-8"), "index")
    assert index["details"] == {"kept": 0, "total": written.conversations, "limit_mb": 0.01}
    assert len(index["goals"]) == 3


def test_damaged_conversation_costs_its_own_details_alone(runs: list[Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs[1], run)
    (run / "trajectories" / "wifi_off" / "execution_context.json").write_text("{")
    written = write_report([run], tmp_path / "report.html")
    assert (written.conversations, written.detailed) == (len(SCENARIOS), len(SCENARIOS) - 1)


def test_older_results_are_shown(runs: list[Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs[1], run)
    newer = ("family", "base_name", "augmentation", "minefield_hit", "usage", "user_findings", "tool_calls")
    for file in records_below(run):
        edit_record(file.parent, lambda result: {key: value for key, value in result.items() if key not in newer})
    index = _block(write_report([run], tmp_path / "report.html").path.read_text("utf-8"), "index")
    assert index["names"]["families"] == ["settings", "contact_edits"]
    assert set(index["names"]["augmentations"]) == {"no_distraction_tools", "3_distraction_tools"}


def test_place_that_cannot_be_written(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write"):
        write_report(runs, tmp_path / "file" / "report.html")


def test_every_asset_is_part_of_the_page() -> None:
    assets = {asset.name for asset in files("tool_sandbox.analysis.report").joinpath("assets").iterdir()}
    assert assets == {"page.html", *_STYLES, *_SCRIPTS}
