"""Records of conversations, as tests write, read and damage them."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tool_sandbox.models.session import Session
from tool_sandbox.models.wiretap import recorded_lines
from tool_sandbox.play.record import FILES, ORDER, RECORD_FILE, Record, read_lines, read_part
from tool_sandbox.records.run import RUN_FORMAT


def plain_result(name: str, similarity: float = 1.0, **changes: Any) -> dict[str, Any]:
    """A result in which nothing is remarkable but what is changed."""
    return {
        "name": name,
        "categories": [],
        "traceback": None,
        "exception_type": None,
        "milestone_similarity": similarity,
        "minefield_similarity": 0.0,
        "similarity": similarity,
        "turn_count": 4,
        "milestone_mapping": {},
        "minefield_mapping": {},
        "directory": name,
        "seed": 0,
        "trial": 0,
        "profile": "strict",
        "success": similarity == 1,
        "minefield_hit": False,
        "outcome": "completed",
        "total_turn_count": 5,
        "side_effects": [],
        "tool_calls": 2,
        "tool_errors": 0,
        "invalid_calls": 0,
        "fault": None,
        "evaluated": True,
        "reason": None,
        "usage": {"agent": None, "user": None, "judge": None},
        "replay": None,
        "user_findings": None,
        "judge": None,
        "suite": None,
        "family": None,
        "base_name": None,
        "augmentation": None,
        "scenario_hash": None,
        **changes,
    }


def plain_run(*directories: str, **changes: Any) -> dict[str, Any]:
    """What a run was asked to do, in which nothing is remarkable but its conversations and what is changed."""
    return {
        "format": RUN_FORMAT,
        "started": "2024-05-06T07:08:09+02:00",
        "package_version": "0",
        "python_version": "3.11",
        "agent": "Oracle",
        "user": "Scripted",
        "agent_model": None,
        "user_model": None,
        "seeds": [0],
        "trials": 1,
        "profile": None,
        "services": {"mode": "offline", "version": "1"},
        "preferred_tool_backend": "DEFAULT",
        "suite": {"version": "1.0.0", "content_hash": "c"},
        "git_sha": None,
        "episodes": [{"scenario_name": name, "seed": 0, "trial": 0, "directory": name} for name in directories],
        **changes,
    }


def write_exchanges(sessions: Iterable[Session], directory: Path) -> None:
    """Writes a record that has nothing but what the sessions exchanged."""
    record = Record()
    record.put_lines("exchanges", recorded_lines(sessions))
    record.write(directory, {})


def result_in(directory: Path) -> Any:
    """The result of a conversation."""
    return json.loads((directory / RECORD_FILE).read_bytes().partition(b"\n")[0])


def part_in(directory: Path, part: str) -> Any:
    """A part of a conversation."""
    return read_part(directory, part, directory)


def lines_in(directory: Path, part: str) -> list[str]:
    """The lines of a part of a conversation."""
    return [line.decode() for _, line in read_lines(directory, part, directory)]


def trajectories(run: Path) -> dict[str, bytes]:
    """Every file of every conversation of a run: name to content."""
    base = run / "trajectories"
    return {str(file.relative_to(base)): file.read_bytes() for file in base.rglob("*") if file.is_file()}


def without_resumption(summary: dict[str, Any]) -> dict[str, Any]:
    """What a summary says, but for when the run was played and that it was resumed."""
    run = {key: value for key, value in summary["run"].items() if key not in ("started", "retries")}
    return {**summary, "run": run}


def edit_record(directory: Path, change: Callable[[Any], Any], part: str | None = None) -> None:
    """Changes the result of a conversation, or one of its parts, by what a function does to it or gives for it."""
    record, found = Record.read(directory, directory), result_in(directory)
    value = found if part is None else part_in(directory, part)
    changed = change(value)
    value = value if changed is None else changed
    if part is not None:
        record.put(part, value)
    record.write(directory, value if part is None else found)


def end_with(directory: Path, words: str) -> None:
    """Has the agent of a stored conversation end it in these words."""
    path = directory / FILES["execution_context"]
    world = json.loads(path.read_text("utf-8"))
    rows = [row for row in world["_dbs"]["SANDBOX"] if (row["sender"], row["recipient"]) == ("AGENT", "USER")]
    rows[-1]["content"] = words
    path.write_text(json.dumps(world), "utf-8")


def records_below(folder: Path) -> Iterator[Path]:
    """The records of all conversations below a folder."""
    return folder.rglob(RECORD_FILE)


def make_older(run: Path) -> None:
    """Turns a run into one of format 2, which had a file for each part of a conversation."""
    for file in [*records_below(run)]:
        directory = file.parent
        found = result_in(directory)
        texts = {part: lines_in(directory, part) for part in ORDER}
        for part, lines in texts.items():
            if lines:
                (directory / FILES[part]).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        (directory / "result.json").write_text(json.dumps(found, indent=2), "utf-8")
        file.unlink()
    described = json.loads((run / "run.json").read_text("utf-8"))
    del described["published_files"]
    (run / "run.json").write_text(json.dumps(described | {"format": 2}), "utf-8")


OPEN_WORDS = "Ich habe die Nummer gefunden, und sie steht in der Liste von deinen Kontakten."
"""What no reader of English can tell: whether it states a number."""


def open_conversation(run: Path, name: str, target: Path) -> Path:
    """A copy of a run in which a conversation ends in words that are unclear."""
    from tool_sandbox.cli import main

    altered = Path(shutil.copytree(run, target.with_name(f"{target.name}_altered")))
    end_with(altered / "trajectories" / name, OPEN_WORDS)
    assert main(["rescore", str(altered), "--to", str(target)]) == 1
    return target
