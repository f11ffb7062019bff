"""The page on Inspect AI does what it says, with a server on this machine behind its model."""

import os
import re
import sys
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.docs.place import ROOT, Place
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tool_sandbox.scenarios import get_scenario

TEXT = (ROOT / "docs" / "inspect.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ (?!pip )(.*)$", TEXT, re.MULTILINE)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the commands need a POSIX shell"),
]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"INSPECT_DISPLAY": "none"})


def log_in(folder: Path) -> EvalLog:
    (file,) = folder.glob("*.eval")
    return read_eval_log(str(file))


def successes(log: EvalLog) -> list[float]:
    assert log.status == "success"
    scores = [sample.scores or {} for sample in log.samples or ()]
    return [score["evaluation"].as_dict()["success"] for score in scores]  # type: ignore[misc]


def test_models_play_by_the_entry_point(place: Place) -> None:
    (command, example) = [each for each in COMMANDS if "openai/" in each]
    names = ["wifi_off", "get_wifi"]
    with serve(OpenAIChatDialect(), SolutionBrain.of([get_scenario(name) for name in names])) as server:
        address = {"OPENAI_API_KEY": "sk-docs-0123456789", "OPENAI_BASE_URL": f"{server.url}/v1"}
        place.run(command, address)
        told = place.run(example, address)
    assert "inspect/openai/gpt-4.1-mini" in told
    assert re.search(r"^strict_success +1\.000 +1\.000 ", told, re.MULTILINE)
    assert successes(log_in(place.directory / "logs" / "openai")) == [1.0, 1.0]


def test_a_log_becomes_a_run(place: Place) -> None:
    commands = [each for each in COMMANDS if "openai/" not in each]
    told = {command.split()[1]: place.run(command) for command in commands}
    log = log_in(place.directory / "logs" / "oracle")
    count = len(log.samples or ())
    assert log.eval.config.epochs == 2
    assert 0 < sum(successes(log)) < count
    assert f"{count} conversations\nresults: results/agent_inspect_tool_sandbox_Oracle" in told["import"]
    assert f"{count} conversations of {count // 2} scenarios, 2 trials" in told["metrics"]
    assert "wifi_off" in told["show"]


def test_the_task_is_a_function(place: Place) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    place.run([sys.executable, "-c", program])


def test_every_parameter_of_the_task_is_told() -> None:
    import inspect

    from tool_sandbox.integrations.inspect.tasks import core

    (table,) = re.findall(r"between commas:\n\n(.*?)\n\n", TEXT, re.DOTALL)
    told = re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.splitlines()))
    assert told == list(inspect.signature(core).parameters)
