"""Whatever is in the files of a run: each command ends in success or in one line, and never hangs."""

import json
import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import choice
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tests.records import edit_record, make_older, records_below
from tool_sandbox.cli import main
from tool_sandbox.play.opening import LIMIT
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import named_scenarios

NAMES = ["wifi_off", "remove_contact_by_phone"]
ODD: list[Any] = [None, True, -1, 0.5, 10**39, 2**63, 1e308, "", "x", "\ud800", "../..", "a\n::error::b\x1b[2J"]
ODD += [[], {}, [[]], [None], [{}], {"a": 1}, ["x"]]
RAW = [b"", b"{", b"NaN", b"[1e999]", b"\xff", b"null", b"[]", b"3", b'"x"', b"[" * 100_000]
SPARSE = 10 * 2**30

COMMANDS = {
    "show": ["show", "{run}"],
    "show_one": ["show", "{run}", "wifi_off"],
    "show_json": ["show", "{run}", "wifi_off", "--json"],
    "metrics": ["metrics", "{run}"],
    "compare": ["compare", "{run}", "{other}"],
    "power": ["power", "{run}"],
    "rescore": ["rescore", "{run}"],
    "report": ["report", "{run}", "-o", "{base}/report.html"],
    "resume": ["resume", "{run}", "--agent", "Oracle"],
    "replay": ["--agent", "replay:{run}", "-o", "{base}/again"],
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, loopback_key: None) -> Path:
    """A run with every file that a run can have."""
    brain = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))
    with serve(OpenAIChatDialect(), brain) as server:
        run = play(prepare_run(choice(server), "Scripted", NAMES, threads=1), tmp_path_factory.mktemp("data")).path
    assert main(["metrics", str(run)]) == 0
    return run


def files_of(run: Path) -> list[Path]:
    """The files that are read as JSON, of the run and of one conversation, relative to the run."""
    files = [path.relative_to(run) for path in run.rglob("*.json*")]
    return sorted(path for path in files if path.parts[0] != "trajectories" or path.parts[1] == NAMES[0])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths into a JSON value, of long lists only to the first and the last entry."""
    yield path
    entries = value.items() if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else ()
    for key, item in entries if isinstance(value, dict) else [*entries][:1] + [*entries][1:][-1:]:
        yield from places(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copy = value.copy()
    copy[path[0]] = replaced(copy[path[0]], path[1:], odd)
    return copy


def ends_well(words: list[str], places: dict[str, Path], capsys: pytest.CaptureFixture[str], what: str) -> int:
    code = main([word.format(**places) for word in words])
    printed, said = capsys.readouterr()
    assert not re.findall(r"^\s*::(?:error|warning).*", printed + said, re.MULTILINE), what
    assert "\x1b[2J" not in printed + said, what
    assert code in (0, 1, 2), what
    assert "Traceback" not in said, f"{what}\n{said}"
    lines = [line for line in said.splitlines() if line.startswith("tool_sandbox: ")]
    assert len(lines) == (code == 2) or code != 2, f"{what}\n{said}"
    return code


@pytest.mark.sampled(10)
@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_damaged_values(
    command: str, is_old: bool, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(command)
    if is_old:
        whole = Path(shutil.copytree(whole, tmp_path / "whole"))
        make_older(whole)
    run = tmp_path / "run"
    around = {"run": run, "other": whole, "base": tmp_path}
    for file in files_of(whole):
        original = (whole / file).read_bytes()
        cases: list[tuple[str, bytes]] = [(repr(raw[:9]), raw) for raw in chance.sample(RAW, 2)]
        lines = original.splitlines() if file.suffix == ".jsonl" else [original]
        # Of a record the parts are tried, whichever line they are, and not the whole lines alone.
        every = [(number, path) for number, line in enumerate(lines) for path in places(json.loads(line))]
        for number, path in chance.sample(every, min(2 if command == "replay" else 6, len(every))):
            odd = chance.choice(ODD)
            line = json.dumps(replaced(json.loads(lines[number]), path, odd), separators=(",", ":")).encode()
            data = b"\n".join([*lines[:number], line, *lines[number + 1 :], b""])
            cases.append((f"line {number} {path} = {odd!r}", data))
        for what, data in cases:
            shutil.rmtree(run, ignore_errors=True)
            shutil.copytree(whole, run)
            if file.name != "result_summary.json":
                # It would be read in place of the others.
                (run / "result_summary.json").unlink()
            (run / file).write_bytes(data)
            ends_well(COMMANDS[command], around, capsys, f"{command} with {file}: {what}")


HARMFUL = "a\n::error::b\x1b[2J\r::warning::c"
KEPT = {"directory", "scenario_name", "outcome", "profile", "services", "preferred_tool_backend", "name", "party"}
"""Keys whose texts decide whether the run can be read at all."""


def harmful(value: Any) -> Any:
    """The same with harmful texts."""
    if isinstance(value, dict):
        return {key: item if key in KEPT else harmful(item) for key, item in value.items()}
    if isinstance(value, list):
        return [harmful(item) for item in value]
    return HARMFUL if isinstance(value, str) else value


@pytest.mark.parametrize("command", [*COMMANDS, "markdown", "leaderboard"])
def test_no_text_of_a_run_commands_anything(
    command: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["{run}", "{other}"]
    more = {"markdown": ["compare", *both, "--markdown", "-"], "leaderboard": ["metrics", *both]}
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    (run / "result_summary.json").unlink()
    (run / "run.json").write_text(json.dumps(harmful(json.loads((run / "run.json").read_text()))))
    for file in records_below(run):
        edit_record(file.parent, harmful)
    ends_well((COMMANDS | more)[command], {"run": run, "other": whole, "base": tmp_path}, capsys, command)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("kind", ["fifo", "link", "directory", "sparse", "device"])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file(
    command: str, kind: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    secret = tmp_path / "secret.json"
    for file in files_of(whole):
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(whole, run)
        (run / "result_summary.json").unlink()
        path = run / file
        path.unlink(missing_ok=True)
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "directory":
            path.mkdir()
        elif kind == "sparse":
            with path.open("wb") as opened:
                opened.truncate(SPARSE)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        else:
            secret.write_bytes((whole / file).read_bytes())
            path.symlink_to(secret)
        ends_well(
            COMMANDS[command], {"run": run, "other": whole, "base": tmp_path}, capsys, f"{command}: {file} {kind}"
        )
    assert SPARSE > LIMIT


@pytest.mark.parametrize("command", ["resume", "retry"])
@pytest.mark.parametrize("link", ["trajectories", "trajectories/wifi_off", "replaced", ".lock"])
def test_nothing_is_deleted_or_written_beyond_a_link(
    command: str, link: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, beyond = Path(shutil.copytree(whole, tmp_path / "run")), tmp_path / "beyond"
    described = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(
        json.dumps(described | {"agent": "Oracle", "models": dict.fromkeys(("agent", "user", "judge"))})
    )
    (run / "trajectories" / "remove_contact_by_phone" / "record.jsonl").unlink()
    if (run / link).is_dir():
        shutil.move(run / link, beyond)
    else:
        (run / link).unlink(missing_ok=True)
        beyond.mkdir()
        (beyond / "1").mkdir()
    (beyond / "precious").mkdir()
    (run / link).symlink_to(beyond)
    before = sorted(beyond.rglob("*"))
    assert main([command, str(run), "--anyway"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{run / link} is a link or no regular file" in line
    assert sorted(beyond.rglob("*")) == before
