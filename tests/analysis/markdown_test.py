import re
from pathlib import Path

import pytest

from tests.analysis.runs import families, result, store, store_results
from tool_sandbox.analysis.compare import compare
from tool_sandbox.analysis.gates import parse_gate
from tool_sandbox.analysis.gating import evaluate_gates
from tool_sandbox.analysis.markdown import MOST_CHANGES, code, comparison_markdown

OURS = {"code", "/code", "details", "/details", "summary", "/summary"}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_summary_for_a_pull_request(tmp_path: Path) -> None:
    drop = {name: [float(number % 3 > 0)] for number, name in enumerate(families(20, 4))}
    comparison = compare([store(tmp_path, "old", families(20, 4)), store(tmp_path, "new", drop)])
    gates = evaluate_gates([parse_gate("success drops", []), parse_gate("success is below 0.1", [])], comparison)
    text = comparison_markdown(comparison, gates)
    assert "**1 of 2 gates failed**" in text
    assert "**new is worse than old&#58; strict success -0.338" in text
    row = next(cells(line) for line in text.splitlines() if line.startswith("| strict_success"))
    assert row[1:3] == ["1.000", "0.662"]
    assert row[4] == "< 0.001"
    assert "<details><summary>27 scenarios broke</summary>" in text
    assert text.count("100%") == MOST_CHANGES
    assert f"... and {27 - MOST_CHANGES} more" in text
    # GitHub cuts off comments above this.
    assert len(text) < 65_536


def test_one_run_has_its_intervals(tmp_path: Path) -> None:
    text = comparison_markdown(compare([store(tmp_path, "agent", families(5, 2))]))
    assert "| success | 1.000 | [0.478, 1.000] |" in text


def test_a_run_of_infrastructure_errors_has_no_headline(tmp_path: Path) -> None:
    run = store(tmp_path, "agent", families(5, 1) | {"f00_0": [None]})
    text = comparison_markdown(compare([run]))
    assert "**No headline: 20.0&#37; infrastructure errors" in text
    assert "| success |" not in text


HOSTILE = "</code><img src=x onerror=alert(1)> | **b** `c` [d](javascript:e) @user _f_ \n# g \x1b[31m &lt;"


def test_nothing_of_a_name_is_markup(tmp_path: Path) -> None:
    runs = [
        store_results(tmp_path, agent, [result(HOSTILE, 0, score, directory="odd", family="f")])
        for agent, score in ((HOSTILE, 1.0), (f"{HOSTILE} too", 0.0))
    ]
    text = comparison_markdown(compare(runs))
    assert set(re.findall(r"<([^>]*)>", text)) <= OURS
    assert len({len(cells(line)) for line in text.splitlines() if line.startswith("| <code>")}) == 1
    for markup in ("**b**", "`", "](", "@user", "_f_", "\n# g", "\x1b", "&lt;"):
        assert markup not in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wifi_off_3_distraction_tools", "wifi_off_3_distraction_tools"),
        ("_a_", "&#95;a&#95;"),
        ("https://x.y", "https&#58;//x.y"),
        ("a|b", "a&#124;b"),
    ],
)
def test_plain_names_stay_readable(text: str, expected: str) -> None:
    assert code(text) == f"<code>{expected}</code>"
