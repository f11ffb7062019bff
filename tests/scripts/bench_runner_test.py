"""The benchmark of the runner runs and prints its table; what it measures depends on the machine."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "bench_runner.py"


@pytest.mark.slow
def test_a_small_benchmark_prints_its_table() -> None:
    command = [sys.executable, str(SCRIPT), "--quick", "--protocol", "anthropic", "--size", "4@2", "--latency", "0.01"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("anthropic ")]
    # Protocol, what, conversations, how many at once, calls; two of which a conversation makes.
    assert [line[:46].split() for line in lines] == [
        ["anthropic", "program", "1", "1", "2"],
        ["anthropic", "bare", "loop", "1", "1", "2"],
        ["anthropic", "program", "4", "2", "8"],
        ["anthropic", "bare", "loop", "4", "2", "8"],
    ]
    assert "the server answered" not in done.stdout, "calls were made that no result tells of"
