"""What the suite publishes about itself is true of the suite as it is.

When one of these fails, the report has to be made anew: ``tool_sandbox scenarios check --elsewhere --json
data/suite_report.json --markdown docs/suite.md``.
"""

import json
from pathlib import Path

import pytest

from tool_sandbox.proof.report import BEGIN, END, dumps, markdown
from tool_sandbox.scenarios import SUITE_VERSION, content_hash, list_scenarios

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "data" / "suite_report.json"


@pytest.fixture(scope="module")
def report():
    return json.loads(FILE.read_text("utf-8"))


def test_the_report_is_that_of_the_installed_suite(report) -> None:
    assert (report["suite_version"], report["content_hash"]) == (SUITE_VERSION, content_hash())
    assert report["whole"] is True
    assert {row["name"] for row in report["scenarios"]} == {info.base_name for info in list_scenarios()}


def test_the_report_shows_every_limit_met_and_no_finding(report) -> None:
    assert [row["check"] for row in report["limits"] if row["met"] is not True] == []
    assert report["findings"] == []


def test_the_page_shows_the_figures_of_the_report(report) -> None:
    page = (ROOT / "docs" / "suite.md").read_text("utf-8")
    assert f"{BEGIN}\n\n{markdown(report)}\n{END}" in page


def test_the_file_is_as_it_is_written_and_of_moderate_size(report) -> None:
    assert FILE.read_text("utf-8") == dumps(report)
    assert FILE.stat().st_size < 500_000
