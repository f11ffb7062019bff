"""Runs to export: of an agent without mistakes, of one that makes some, and of a model."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Heard, Move, serve
from tool_sandbox.export.selecting import Selection, select
from tool_sandbox.export.trajectory import Trajectory, read_trajectory
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import get_scenario

PARALLEL = (
    "set_all_radios_off_then_restore_previous_mix_multiple_user_turn",
    "turn_on_wifi_then_meant_cellular_multiple_user_turn",
)
ERRORS = "turn_on_wifi_already_on_error_recovery"
NAMES = (
    *PARALLEL,
    ERRORS,
    *("wifi_off", "cellular_off", "get_wifi", "modify_contact_area_code_batch", "find_days_till_holiday"),
    *("wifi_off_all_tools", "find_days_till_holiday_multiple_user_turn", "find_days_till_holiday_wifi_off"),
    *("find_days_till_holiday_insufficient_information", "modify_contact_last_sender"),
    *(
        f"wifi_off_3_distraction_tools_{scramble}_scrambled"
        for scramble in ("tool_name", "arg_name", "arg_type", "arg_description", "tool_description", "combined")
    ),
    "send_message_with_contact_content_cellular_off_multiple_user_turn",
)

MODELED = ("wifi_off", "get_wifi", PARALLEL[0])
BESIDE = "I will look at it."
"""What the model says beside its calls."""


@attrs.frozen
class Runs:
    """The runs, and their conversations as they are exported."""

    paths: tuple[Path, ...]
    trajectories: Sequence[Trajectory]

    def of(self, name: str, run: int = 0) -> Trajectory:
        found = [one for one in self.trajectories if one.metadata["run"] == self.paths[run].name]
        return next(one for one in found if one.metadata["scenario"] == name)


def read(*paths: Path) -> Runs:
    selected = [select(path, Selection()) for path in paths]
    found = [
        read_trajectory(run.path, run.description, result["directory"]) for run in selected for result in run.results
    ]
    return Runs(paths, [one for one in found if one is not None])


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    base = tmp_path_factory.mktemp("runs")
    agents = ("Oracle", "Oracle:error_rate=0.3")
    return read(*(play(prepare_run(agent, "Scripted", NAMES), base).path for agent in agents))


@pytest.fixture(scope="session")
def modeled(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A model whose tokens are counted, and which says something beside its calls."""
    brain = SolutionBrain.of([get_scenario(name) for name in MODELED])

    def answer(heard: Heard) -> Move:
        found = brain(heard)
        return Answer(BESIDE, calls=found.calls) if found.calls else found

    with serve(OpenAIChatDialect(), answer) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-export-0123456789")
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        run = play(
            prepare_run("openai/gpt-5.6-terra:api=chat", "Scripted", MODELED), tmp_path_factory.mktemp("modeled")
        )
    # The environment is that of all other tests again.
    return read(run.path)
