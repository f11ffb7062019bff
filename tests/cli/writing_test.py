"""``tool_sandbox report``: what it prints, writes and refuses."""

from pathlib import Path

import pytest

from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run."""
    return play(prepare_run("Oracle", "Scripted", ["wifi_off", "get_wifi"]), tmp_path_factory.mktemp("runs")).path


def test_page_is_written_beside_the_run(run: Path, shell: Shell) -> None:
    printed = shell("report", run).out
    target = run / "report.html"
    assert printed == f"report: {target}, {target.stat().st_size / 1e6:.1f} MB, 2 conversations\n"
    target.unlink()


def test_folder_of_runs_title_and_target(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "page.html"
    assert main(["report", str(run.parent), "-o", str(target), "--title", "a <b> & c"]) == 0
    assert "<title>a &lt;b&gt; &amp; c</title>" in target.read_text("utf-8")


def test_what_is_left_out_is_said(run: Path, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_sandbox.cli.writing.SMALLEST_MB", 0.01)
    printed = shell("report", run, "-o", tmp_path / "page.html", "--max-mb", "0.02").out
    assert "2 of them are in the table without their messages, to stay below 0.02 MB" in printed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "RUN"),
        (["missing"], "missing is not the directory of a run"),
        (["{run}", "--max-mb", "0"], "'0' is not a size from 0.5 to 1000 MB"),
        (["{run}", "--max-mb", "nan"], "'nan' is not a size"),
        (["{run}", "-o", "{run}"], "is a directory; name the file with -o"),
    ],
)
def test_mistakes_are_one_line(run: Path, arguments: list[str], complaint: str, shell: Shell) -> None:
    assert complaint in shell.complaint("report", *(word.format(run=run) for word in arguments))
