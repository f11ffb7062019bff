"""The simulation of a million conversations runs, and says in one line what it cannot reckon with."""

import re
import subprocess
import sys

import pytest

from tests.docs.place import ROOT

pytestmark = pytest.mark.slow


def simulated(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/simulate_scale.py", *words]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=300)


def test_a_small_sample_is_reckoned_with() -> None:
    done = simulated("--sample", "3", "--conversations", "2000")
    assert done.returncode == 0, done.stderr
    assert "3 conversations of the reference solution were played" in done.stdout
    assert re.findall(r"^  (\w+) ", done.stdout, re.MULTILINE) == ["machines", "files", "requests", "money"]
    assert "2,000 records" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--sample", "0"], "not a positive whole number"),
        (["--at-once", "0"], "not a positive whole number"),
        (["--agent", "nobody/x"], "there is no provider 'nobody'"),
    ],
)
def test_what_cannot_be_reckoned_with_is_one_line(words: list[str], told: str) -> None:
    done = simulated(*words)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert told in done.stderr.splitlines()[-1]
