"""Runs that the pages of these tests show."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser
from tool_sandbox.common.execution_context import ExecutionContext, new_context
from tool_sandbox.common.message_conversion import Message, format_tool_call
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
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
    for result in path.glob("trajectories/*/result.json"):
        _edit(result, {"reason": all_of_it, "family": HOSTILE["closing"]})
        _edit(result, {"side_effects": [{"database": HOSTILE["image"], "row": {"a": all_of_it}}]})
        world = result.with_name("execution_context.json")
        stored = json.loads(world.read_text("utf-8"))
        for row in stored["_dbs"]["SANDBOX"]:
            if row["sender"] in ("AGENT", "USER") and row["recipient"] != "EXECUTION_ENVIRONMENT":
                row["content"] = all_of_it
        world.write_text(json.dumps(stored), "utf-8")
    (path / "result_summary.json").unlink()
    return path


def retold(run: Path, target: Path, name: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> Path:
    """A copy of a run in which an agent makes calls, one after the other, after all that was said in a conversation.

    Tools that do not exist are not answered.
    """
    shutil.copytree(run, target)
    path = target / "trajectories" / name / "execution_context.json"
    context = ExecutionContext.from_dict(json.loads(path.read_text("utf-8")) | {"tool_allow_list": None})
    with new_context(context):
        for number, (tool, arguments) in enumerate(calls):
            code = format_tool_call(f"c{number}", tool, arguments)
            message = Message("AGENT", "EXECUTION_ENVIRONMENT", code, None, f"c{number}", tool)
            BaseRole.add_messages([message])
            if tool in context.name_to_tool:
                ExecutionEnvironment().respond()
    stored = context.to_dict(serialize_console=False)
    kept = context.max_sandbox_message_index + 1 - sum(1 + (tool in context.name_to_tool) for tool, _ in calls)
    for row in stored["_dbs"]["SANDBOX"]:
        # What was called before is not what a test asks for.
        if row["sandbox_message_index"] < kept and "EXECUTION_ENVIRONMENT" in (row["sender"], row["recipient"]):
            row.update(sender="SYSTEM", recipient="AGENT")
    path.write_text(json.dumps(stored), "utf-8")
    return target


def _edit(path: Path, changes: dict[str, Any]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")
