"""What all doors have in common, wherever they are tested: the stored scores, and a line where a package is missing."""

import importlib
import importlib.util
import math
import subprocess
import sys

import pytest

from tests.docs.place import ROOT
from tests.integrations.same_agent import FILE, NAMES, STORED, check_scores, scripts
from tool_sandbox.world.errors import MissingRequirementError


@pytest.mark.parametrize("door", ["openenv", "verifiers"])
def test_a_missing_package_is_one_line(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"tool_sandbox.{door}", raising=False)
    monkeypatch.setitem(sys.modules, door, None)
    with pytest.raises(MissingRequirementError) as caught:
        importlib.import_module(f"tool_sandbox.{door}")
    assert str(caught.value).endswith(f" needs the extra: pip install 'tool_sandbox[{door}]'")


@pytest.mark.parametrize(
    ("door", "program", "code"),
    [
        ("openenv", ["-m", "tool_sandbox.openenv"], 2),
        ("openenv", ["docs/examples/openenv_model.py", "MODEL"], 1),
        ("verifiers", ["docs/examples/verifiers_groups.py", "MODEL"], 1),
    ],
)
def test_a_program_without_its_package_is_one_line(door: str, program: list[str], code: int) -> None:
    if importlib.util.find_spec(door) is not None:
        pytest.skip("the package is there")
    done = subprocess.run([sys.executable, *program], cwd=ROOT, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, line.endswith(f"pip install 'tool_sandbox[{door}]'")) == (code, True)


def test_the_stored_scores_are_those_of_a_run() -> None:
    """In whatever environment this is, so that the doors of all agree."""
    check_scores({place: script.result["similarity"] for place, script in scripts().items()})


@pytest.mark.parametrize(("content_hash", "told"), [(None, "changed since"), (STORED["content_hash"], "")])
def test_other_scores_are_one_line(content_hash: str | None, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STORED, "content_hash", content_hash)
    found = {place: script.result["similarity"] for place, script in scripts().items()}
    place = NAMES[-1], 2
    nearly = math.nextafter(found[place], 2)
    with pytest.raises(AssertionError) as caught:
        check_scores({**found, place: nearly})
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"1 scores are not those of {FILE.name}, ")
    assert told in line
    assert f"{NAMES[-1]} with seed 2 has {nearly.hex()}, not {found[place].hex()}; make it anew with python -m " in line
