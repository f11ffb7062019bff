"""The table of the README holds what its command measures."""

import re
from pathlib import Path

import pytest

import tool_sandbox as ts

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| `(.+?)` \| .+? \| ([\d.]+) % \[([\d.]+), ([\d.]+)\] \| ([\d.]+) \| ([\d.]+) \|", re.MULTILINE)
ROWS = {agent: figures for agent, *figures in ROW.findall(README)}


def test_the_table_compares_several_agents() -> None:
    assert len(ROWS) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("agent", ROWS)
def test_a_row_is_what_the_agent_earns(agent: str, tmp_path: Path) -> None:
    run = ts.run(agent, augmentation="no_distraction_tools", output_dir=tmp_path, progress=False)
    estimates = run.metrics().overall.estimates
    success, score, calls = (estimates[name].analytic for name in ("success", "similarity", "tool_calls"))
    percent = [f"{100 * share:.1f}" for share in (success.estimate, success.low, success.high)]
    assert [*percent, f"{score.estimate:.3f}", f"{calls.estimate:.2f}"] == ROWS[agent]
