"""The table of the README holds what its command measures."""

import re
from pathlib import Path

import pytest

import tool_sandbox as ts

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| `(.+?)` \| [^|]+ \| (.+?) \|$", re.MULTILINE)
ROWS = {agent: [cell.strip() for cell in figures.split("|")] for agent, figures in ROW.findall(README)}


def test_the_table_compares_several_agents() -> None:
    assert len(ROWS) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("agent", ROWS)
def test_a_row_is_what_the_agent_earns(agent: str, tmp_path: Path) -> None:
    run = ts.run(agent, augmentation="no_distraction_tools", output_dir=tmp_path, progress=False)
    estimates = run.metrics()["overall"]["estimates"]
    names = ("success", "similarity", "tool_calls", "tool_error_rate", "contradicted")
    success, score, calls, errors, contradicted = map(estimates.get, names)
    assert ROWS[agent] == [
        f"{success['mean']:.1%} [{100 * success['low']:.1f}, {100 * success['high']:.1f}]",
        f"{score['mean']:.3f}",
        f"{calls['mean']:.2f}",
        f"{errors['mean']:.1%}" if errors else "",
        f"{contradicted['mean']:.1%}",
    ]
