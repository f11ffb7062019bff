"""The documentation does what it says.

Every command after ``$`` in a fenced ``console`` block of the README and of ``docs/`` is run in a directory of its own,
one page after the other from the top; every ``python`` block is run as a program there. Fragments that cannot stand
alone are fenced as ``py`` and commands that install something are only checked for the files they name.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INSTALLS = re.compile(r"^(git clone|cd |pip install|pre-commit|scripts/test)")

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def _steps(page: Path) -> Iterator[list[str]]:
    """Commands of a page in order."""
    for language, body in _FENCE.findall(page.read_text("utf-8")):
        if language == "python":
            yield [sys.executable, "-c", body]
        elif language in ("console", "sh"):
            for line in body.splitlines():
                command = line.removeprefix("$ ")
                if line.startswith("$ ") and not INSTALLS.match(command):
                    yield ["sh", "-c", command]


@pytest.fixture
def playground(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A directory in which ``tool_sandbox`` and ``scripts/tool_sandbox`` are those of this checkout."""
    program = f'#!/bin/sh\nexec "{sys.executable}" -m tool_sandbox.cli "$@"\n'
    directory = tmp_path / "playground"
    for path in (tmp_path / "bin" / "tool_sandbox", directory / "scripts" / "tool_sandbox"):
        path.parent.mkdir(parents=True)
        path.write_text(program)
        path.chmod(0o755)
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    path_variable = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    return directory, os.environ | {"PATH": path_variable, "PYTHONPATH": str(ROOT)}


@pytest.mark.skipif(os.name != "posix", reason="the commands need a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_a_page_work(page: Path, playground: tuple[Path, dict[str, str]]) -> None:
    directory, environment = playground
    for step in _steps(page):
        done = subprocess.run(step, cwd=directory, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{step[-1]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_readme_shows_commands() -> None:
    assert len(list(_steps(ROOT / "README.md"))) >= 2
