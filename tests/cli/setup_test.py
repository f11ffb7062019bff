"""The set-up of ``scripts/``, in a checkout of its own and with an installer that only pretends."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
FAKE_UV = """\
#!/bin/sh
echo "$*" >>"$LOG"
case "$1" in
    venv)
        mkdir -p "$ROOT/.venv/bin"
        cp "$FAKE_PYTHON" "$ROOT/.venv/bin/python" ;;
    pip)
        [ -z "${BROKEN:-}" ] || exit 1
        sleep "${SLOW:-0}" ;;
esac
"""

FAKE_PYTHON = """\
#!/bin/sh
case "$*" in
    -c*) ;;
    "-m pip"* | "-m ensurepip"*) exit 1 ;;
    *) echo "played: $*" ;;
esac
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the scripts need a POSIX shell")


class Checkout:
    """A copy of the scripts with stand-ins for everything that would be installed."""

    def __init__(self, root: Path) -> None:
        self.root = root / "a checkout"
        shutil.copytree(SCRIPTS, self.root / "scripts")
        shutil.copytree(SCRIPTS.parent / ".ci", self.root / ".ci")
        (self.root / "pyproject.toml").write_text("[project]\n")
        (self.root / "requirements.lock").write_text("")
        tools = root / "bin"
        tools.mkdir()
        for name, text in {"uv": FAKE_UV, "fake_python": FAKE_PYTHON}.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        (tools / "python3").symlink_to(sys.executable)
        self.log = root / "log"
        self.environment = {
            "PATH": f"{tools}:/usr/bin:/bin",
            "LOG": str(self.log),
            "ROOT": str(self.root),
            "FAKE_PYTHON": str(tools / "fake_python"),
            "HOME": str(root),
        }

    def command(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.root / "scripts" / "tool_sandbox", *arguments],
            cwd="/",
            env=self.environment | environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        process = self.command(*arguments, **environment)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    @property
    def installations(self) -> int:
        return self.log.read_text().count("pip install") if self.log.exists() else 0


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_second_start_installs_nothing_and_passes_arguments_on(checkout: Checkout) -> None:
    code, output, errors = checkout.run("--scenario", "a b", "*")
    assert (code, output) == (0, "played: -m tool_sandbox.cli --scenario a b *\n")
    assert "installing" in errors
    assert checkout.run("--help") == (0, "played: -m tool_sandbox.cli --help\n", "")
    assert checkout.installations == 1


@pytest.mark.parametrize("file", ["pyproject.toml", "requirements.lock"])
def test_changed_dependencies_are_installed_again(checkout: Checkout, file: str) -> None:
    checkout.run()
    (checkout.root / file).write_text("# changed\n")
    checkout.run()
    assert checkout.installations == 2


def test_partial_installation_does_not_count(checkout: Checkout) -> None:
    code, output, errors = checkout.run(BROKEN="1")
    assert code != 0
    assert not output
    assert errors
    assert not (checkout.root / ".venv.lock").exists()
    assert checkout.run()[0] == 0
    assert checkout.installations == 2


@pytest.mark.slow
def test_two_first_starts_install_once(checkout: Checkout) -> None:
    processes = [checkout.command(str(number), SLOW="1") for number in range(3)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert outputs == [f"played: -m tool_sandbox.cli {number}\n" for number in range(3)]
    assert checkout.installations == 1


def test_lock_of_a_dead_process_is_taken_over(checkout: Checkout) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    (checkout.root / ".venv.lock").mkdir()
    (checkout.root / ".venv.lock" / "pid").write_text(f"{ended.pid}\n")
    assert checkout.run()[0] == 0


def test_interrupted_installation_is_done_again(checkout: Checkout) -> None:
    process = checkout.command(SLOW="1")
    while not checkout.installations:
        time.sleep(0.05)
    process.terminate()
    assert process.wait(timeout=60) != 0
    assert checkout.run()[0] == 0
    assert checkout.installations == 2


def test_missing_python_is_one_clear_line(checkout: Checkout, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for tool in ("sh", "dirname", "cat", "cksum", "mkdir", "rm", "sleep"):
        (bare / tool).symlink_to(str(shutil.which(tool)))
    code, _, errors = checkout.run(PATH=str(bare))
    assert code == 1
    assert errors.splitlines()[-1] == (
        "tool_sandbox set-up: needs Python 3.11 or newer and found none; "
        "install one, or name it: TOOL_SANDBOX_PYTHON=/path/to/python"
    )


def test_ci_runs_the_command_of_the_readme_and_says_what_it_has(checkout: Checkout, tmp_path: Path) -> None:
    (checkout.root / "scripts" / "test").write_text('#!/bin/sh\necho "tested with: $*"\nenv')
    (checkout.root / "scripts" / "docs").write_text("#!/bin/sh\necho tested the pages")
    for name in ("chromium", "codex"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "bin" / name).chmod(0o755)
    # What else there is on this machine is no part of the test.
    for name in ("sh", "dirname", "env", "sed", "id", "mktemp", "rm", "cat"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    environment = {"PATH": str(tmp_path / "bin"), "TOOL_SANDBOX_EXTRAS": "claude-sdk", "TOOL_SANDBOX_PYTHON": "python0"}
    done = subprocess.run([checkout.root / ".ci" / "run"], env=environment, text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines()
    told = "optional here: browser yes, claude-agent-sdk no, codex yes, gemini no, docker no"
    assert (lines[0], done.stderr) == (told, "")
    assert [line for line in lines if line.startswith("tested")] == [
        "tested with: ",
        "tested with: --slow",
        "tested with: --lowest",
        "tested with: --doors",
        "tested the pages",
    ]
    assert not [line for line in lines if line.startswith("TOOL_SANDBOX")]


@pytest.mark.parametrize("failing", ["", "pages", "--slow", "--lowest", "--doors"])
def test_ci_goes_on_after_a_failure_and_does_not_forget_it(checkout: Checkout, failing: str) -> None:
    (checkout.root / "scripts" / "test").write_text(f'#!/bin/sh\necho "tested with: $*"\n[ "$*" != "{failing}" ]')
    (checkout.root / "scripts" / "docs").write_text(f'#!/bin/sh\necho tested the pages\n[ pages != "{failing}" ]')
    done = subprocess.run([checkout.root / ".ci" / "run"], env=checkout.environment, text=True, capture_output=True)
    assert done.returncode == 1
    flags = ("", "--slow", "--lowest", "--doors")
    told = [*(f"tested with: {flag}" for flag in flags), "tested the pages"]
    assert done.stdout.splitlines()[-5:] == told


PYTEST = "-m pytest -q -n auto --dist worksteal --durations 15"


@pytest.mark.parametrize(
    ("arguments", "selection", "quick", "augmentations"),
    [
        ((), " -m not slow", True, False),
        (("--all",), "", True, True),
        (("--slow",), " -m slow and not rest tests/marked_test.py", False, True),
        (("-k", "a name"), " -k a name", True, False),
    ],
)
def test_what_is_checked(
    checkout: Checkout, arguments: tuple[str, ...], selection: str, quick: bool, augmentations: bool
) -> None:
    (checkout.root / "tests").mkdir()
    for name, mark in {"marked": "slow", "plain": "usefixtures"}.items():
        (checkout.root / "tests" / f"{name}_test.py").write_text(f"@pytest.mark.{mark}\n")
    command = [checkout.root / "scripts" / "test", *arguments]
    done = subprocess.run(command, env=checkout.environment, text=True, capture_output=True)
    run = [line.removeprefix("played: ") for line in done.stdout.splitlines() if line.startswith("played: ")]
    assert run[-1] == PYTEST + selection
    assert ("-m mypy" in run) == quick
    assert any("--all-augmentations" in line for line in run) == augmentations


def test_arguments_of_the_checks_are_explained_and_not_mixed(checkout: Checkout) -> None:
    command = checkout.root / "scripts" / "test"
    shown = subprocess.run([command, "--help"], env=checkout.environment, text=True, capture_output=True, check=True)
    assert "--all" in shown.stdout
    mixed = subprocess.run([command, "--all", "-x"], env=checkout.environment, text=True, capture_output=True)
    assert (mixed.returncode, mixed.stderr) == (2, "--all goes with no other argument\n")
    assert checkout.installations == 0
