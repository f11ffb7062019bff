"""The report is plain data that does not change from run to run, and the page shows it."""

import json

import attrs
import pytest

from tool_sandbox.helpers.spreading import Processes
from tool_sandbox.proof.check import check, suite_findings
from tool_sandbox.proof.elsewhere import ElsewhereResult
from tool_sandbox.proof.findings import Proof, ProofFinding
from tool_sandbox.proof.report import BEGIN, END, dumps, make_report, markdown, update_page
from tool_sandbox.scenarios import SUITE_VERSION, content_hash
from tool_sandbox.world.errors import ConfigurationError

NAMES = [("wifi_off", 0), ("remove_contact_by_phone", 0), ("wifi_off_all_tools", 3)]


@pytest.fixture(scope="module")
def proofs() -> list[Proof]:
    return check(NAMES)


@pytest.mark.slow
def test_processes_change_nothing(proofs) -> None:
    heard = []
    assert check(NAMES, Processes(2), heard.append) == proofs
    assert sorted(proof.figures.name for proof in heard) == sorted(name for name, _ in NAMES)
    assert [proof.figures.name for proof in proofs] == [name for name, _ in NAMES]


def test_a_report_says_what_was_checked(proofs) -> None:
    report = make_report(proofs)
    assert (report["suite_version"], report["content_hash"]) == (SUITE_VERSION, content_hash())
    assert report["whole"] is False
    assert report["findings"] == []
    assert report["checked"]["scenarios"] == 3
    assert report["checked"]["base_scenarios"] == 2
    assert report["coverage"]["families"] == {"contact_removal": 1, "settings": 1}
    assert report["coverage"]["tools"]["remove_contact"] == 1
    assert [row["name"] for row in report["scenarios"]] == [name for name, _ in NAMES]


def test_a_report_is_json_with_one_line_a_scenario(proofs) -> None:
    report = make_report(proofs)
    text = dumps(report)
    assert json.loads(text) == json.loads(json.dumps(report))
    assert sum(line.startswith('  {"name"') for line in text.splitlines()) == 3
    assert dumps(make_report(check(NAMES))) == text


def test_a_scenario_that_cannot_be_played_is_a_finding() -> None:
    finding = ProofFinding("wifi_off", "reference", "a score", "none", "tool_sandbox")
    report = make_report([Proof(None, (finding,))])
    assert [found["check"] for found in report["findings"]] == ["reference", "limit"]
    assert report["checked"]["scenarios"] == 1


def test_what_differs_elsewhere_is_a_finding(proofs) -> None:
    here = ElsewhereResult(0.0, "UTC", {"wifi_off": "1"}, [], [0.0])
    assert make_report(proofs, [here, here])["findings"] == []
    away = attrs.evolve(here, days=5.0, digests={"wifi_off": "2"})
    checks = [finding["check"] for finding in make_report(proofs, [here, away])["findings"]]
    assert checks == ["elsewhere", "elsewhere", "limit"]  # the trajectory, the clock that did not move, the limit


def test_two_families_that_score_the_same_are_a_finding(proofs) -> None:
    first = proofs[0].figures
    relative = attrs.evolve(first, name="b", base_name="b")
    stranger = attrs.evolve(relative, family="another")
    lookalike = attrs.evolve(stranger, graph="other")
    assert suite_findings([first, relative]) == []
    assert len(suite_findings([first, stranger])) == 2
    assert [finding.expected for finding in suite_findings([first, lookalike])] == [
        "nothing that scores what another scores, names aside"
    ]
    assert suite_findings([first, attrs.evolve(lookalike, shape="other")]) == []


def test_the_figures_of_a_page_are_replaced(proofs, tmp_path) -> None:
    page = tmp_path / "suite.md"
    page.write_text(f"# Title\n\n{BEGIN}\noutworn\n{END}\n\nAfter.\n")
    report = make_report(proofs)
    update_page(page, report)
    once = page.read_text()
    assert markdown(report) in once
    assert "outworn" not in once
    assert once.startswith("# Title\n")
    assert once.endswith("After.\n")
    update_page(page, json.loads(dumps(report)))
    assert page.read_text() == once


def test_a_page_without_a_place_for_figures_is_refused(proofs, tmp_path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(ConfigurationError, match="No such file"):
        update_page(page, make_report(proofs))
    page.write_text("# Title\n")
    with pytest.raises(ConfigurationError, match="no section"):
        update_page(page, make_report(proofs))


def test_tables_of_a_page_are_well_formed(proofs) -> None:
    lines = [line for line in markdown(make_report(proofs)).splitlines() if line.startswith("|")]
    columns = {line.count(" | ") for line in lines}
    assert columns == {1, 3, 4}
    assert any(line.startswith("| refusing agent, mean / worst category | 0.000 / 0.000 |") for line in lines)
