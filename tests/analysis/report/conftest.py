"""Runs that the pages of these tests show."""

import json
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.retelling import ToolCall, retell
from tests.browser import browser
from tests.records import edit_record, records_below
from tool_sandbox.analysis.report.server import ViewServer
from tool_sandbox.cli.viewing import start
from tool_sandbox.runner.run import play, prepare_run

__all__ = ["browser"]

SCENARIOS = ["wifi_off", "wifi_off_3_distraction_tools", "modify_contact_with_message_recency", "get_wifi"]

HOSTILE = {
    "script": "<script>window.harmed = 1</script>",
    "closing": "</script><script>window.harmed = 2</script>",
    "image": '<img src="https://example.invalid/x.png" onerror="window.harmed = 3">',
    "entity": "&lt;b&gt; &amp;nbsp; {{data}} ${window.harmed=4}",
    "long": "W" * 3000,
    "turned": "abc \u202egnp.exe\u202c \u0645\u0631\u062d\u0628\u0627 def",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 ok",
    "null": "a\x00b\x1b[31mred",
    "surrogate": "x\ud83dy",
}
"""Texts that a model may well write."""

HARM = {"database": HOSTILE["image"], "kind": "added", "key": HOSTILE["closing"], "columns": [], "message_index": 3}


@contextmanager
def serving(folder: Path) -> Iterator[ViewServer]:
    """A server of a folder."""
    server = start(folder, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An erring agent with two trials, and one without a mistake."""
    base = tmp_path_factory.mktemp("runs")
    erring = prepare_run("Oracle:error_rate=0.6", "Scripted", SCENARIOS, trials=2)
    flawless = prepare_run("Oracle", "Scripted", SCENARIOS)
    return [play(run, base).path for run in (erring, flawless)]


@pytest.fixture(scope="session")
def hostile(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which every text that a model or a name can be is hostile."""
    path = tmp_path_factory.mktemp("hostile") / "agent_hostile"
    shutil.copytree(runs[1], path)
    all_of_it = "\n".join(HOSTILE.values())
    _edit(path / "run.json", {"agent": HOSTILE["closing"], "user": HOSTILE["image"], "git_sha": HOSTILE["script"]})
    hostile = {"reason": all_of_it, "family": HOSTILE["closing"]}
    hostile["side_effects"] = [HARM | {"description": all_of_it}]
    for result in records_below(path):
        edit_record(result.parent, lambda found: found | hostile)
        world = result.with_name("execution_context.json")
        stored = json.loads(world.read_text("utf-8"))
        for row in stored["_dbs"]["SANDBOX"]:
            if row["sender"] in ("AGENT", "USER") and row["recipient"] != "EXECUTION_ENVIRONMENT":
                row["content"] = all_of_it
        world.write_text(json.dumps(stored), "utf-8")
    (path / "result_summary.json").unlink()
    return path


def retold(run: Path, target: Path, name: str, calls: Sequence[ToolCall], *, at_once: bool = False) -> Path:
    """A copy of a run with the calls of an agent in place of those that were made in a conversation."""
    shutil.copytree(run, target)
    first = retell(target, name, calls, at_once=at_once)
    path = target / "trajectories" / name / "execution_context.json"
    stored = json.loads(path.read_text("utf-8"))
    for row in stored["_dbs"]["SANDBOX"]:
        if row["sandbox_message_index"] < first - at_once * len(calls):
            row.update(sender="SYSTEM", recipient="AGENT")
    path.write_text(json.dumps(stored), "utf-8")
    return target


def _edit(path: Path, changes: dict[str, Any]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")
