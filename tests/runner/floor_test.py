"""Floors are what the two agents score when they play every conversation, at a fraction of the work."""

import contextvars
import json
import shutil
from pathlib import Path

import pytest

from tool_sandbox.cli import main
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import play as play_one
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import RequestBlindAgent
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.runner.floor import (
    FLOOR_FILE,
    FLOORS,
    REFUSING,
    REQUEST_BLIND,
    SHIPPED_FILE,
    Floors,
    floors_of,
    measure_floors,
    store_floors,
    stored_floors,
)
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.run import PreparedRun, play, prepare_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import content_hash, get_scenario, list_scenarios
from tool_sandbox.tools.services.rapid_api import KEY_VARIABLE
from tool_sandbox.world.errors import ConfigurationError

# A request-blind agent is lucky with the first where few tools are offered; the second has every opt-in variant.
BASES = ("turn_on_wifi_low_battery_mode", "find_stock_symbol_with_company_name")


def _names() -> list[str]:
    infos = [info for info in list_scenarios(opt_in=True) if info.base_name in BASES]
    assert {info.base_name for info in infos} == set(BASES)
    return [info.name for info in infos]


def _played(run: PreparedRun, agent: type[BaseRole]) -> dict[tuple[str, int], float]:
    def similarity(episode: Episode) -> float:
        _, score = contextvars.copy_context().run(play_one, run.source(episode), agent())
        return score.similarity

    return {(episode.scenario_name, episode.seed): similarity(episode) for episode in run.episodes}


def test_floors_are_what_playing_every_conversation_gives() -> None:
    run = prepare_run("Oracle", "Scripted", _names(), seeds=(3,))
    floors = measure_floors(run)
    assert floors is not None
    assert floors.scores[REFUSING] == _played(run, UnhelpfulAgent)
    assert floors.scores[REQUEST_BLIND] == _played(run, RequestBlindAgent)
    assert max(floors.scores[REQUEST_BLIND].values()) > 0, "the example shows a difference"


def test_what_ships_with_the_suite_is_what_playing_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(SHIPPED_FILE.read_text())["core"]["content_hash"] == content_hash(), (
        "due: python scripts/make_floors.py"
    )
    run = prepare_run("Oracle", "Scripted", _names())
    assert measure_floors(run) == measure_floors(run, plays_all=True)
    plain = prepare_run("Oracle", "Scripted", list(BASES))
    monkeypatch.setattr(Scenario, "play", lambda *_: pytest.fail("what ships is not played"))
    assert measure_floors(plain) is not None


def test_trials_and_instructions_do_not_matter() -> None:
    names = ["wifi_off", "turn_on_wifi_low_battery_mode"]
    assert measure_floors(
        prepare_run("Oracle", "Scripted", names, trials=3, instruction="Be brief.")
    ) == measure_floors(prepare_run("Oracle", "Scripted", names))


def test_search_services_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request-blind agent would run up a bill."""
    monkeypatch.setenv(KEY_VARIABLE, "k" * 20)
    names = ["convert_currency_all_tools"]
    recording = tmp_path / "answers.jsonl"
    run = prepare_run("Oracle", "Scripted", names, services=f"record:{recording}")
    size = recording.stat().st_size if recording.exists() else 0
    assert measure_floors(run) == measure_floors(prepare_run("Oracle", "Scripted", names))
    assert (recording.stat().st_size if recording.exists() else 0) == size


def test_floors_need_a_script_for_the_user() -> None:
    scenario = get_scenario("wifi_off")
    scenario.user_script = None
    assert measure_floors(prepare_run("Oracle", "Scripted", {"wifi_off": scenario})) is None


def test_means() -> None:
    floors = Floors({REFUSING: {("a", 0): 0.0, ("b", 0): 0.5}, REQUEST_BLIND: {("a", 0): 1.0, ("b", 0): 0.5}})
    places = [("a", 0), ("b", 0)]
    assert [floors.mean(agent, places) for agent in FLOORS] == [0.25, 0.75]
    assert [floors.success_rate(agent, places) for agent in FLOORS] == [0.0, 0.5]
    assert floors.mean(REFUSING, [*places, ("c", 0)]) is None, "one that was not measured leaves no mean"
    assert floors.mean(REFUSING, []) is None
    assert Floors.from_dict(json.loads(json.dumps(floors.as_dict()))) == floors


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = prepare_run("Oracle", "Scripted", ["wifi_off", "turn_on_wifi_low_battery_mode"])
    return play(run, tmp_path_factory.mktemp("runs")).path


@pytest.fixture
def copy(stored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stored, tmp_path / "run"))


def test_a_stored_run_is_measured_once(copy: Path) -> None:
    (copy / FLOOR_FILE).unlink(missing_ok=True)
    floors = floors_of(copy)
    assert floors == measure_floors(prepare_run("Oracle", "Scripted", ["wifi_off", "turn_on_wifi_low_battery_mode"]))
    changed = json.loads((copy / FLOOR_FILE).read_text("utf-8"))
    changed["scenarios"][0][REFUSING] = 0.25
    (copy / FLOOR_FILE).write_text(json.dumps(changed), "utf-8")
    again = floors_of(copy)
    assert again is not None
    assert 0.25 in again.scores[REFUSING].values()


def test_a_run_that_is_being_played_is_left_alone(copy: Path) -> None:
    (copy / FLOOR_FILE).unlink(missing_ok=True)
    with RunDirectory(copy).claim():
        assert floors_of(copy) is not None
        assert not (copy / FLOOR_FILE).exists()
    floors_of(copy)
    assert (copy / FLOOR_FILE).exists()


def test_another_suite_has_no_floors_here(copy: Path) -> None:
    (copy / FLOOR_FILE).unlink(missing_ok=True)
    run = json.loads((copy / "run.json").read_text("utf-8"))
    run["suite"]["content_hash"] = "0" * 16
    (copy / "run.json").write_text(json.dumps(run), "utf-8")
    assert floors_of(copy) is None
    assert not (copy / FLOOR_FILE).exists()


def test_a_suite_without_scripts_says_so_in_the_file(copy: Path) -> None:
    store_floors(copy, None)
    assert floors_of(copy) is None


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 1}', '{"format": 1, "agents": ["refusing"], "scenarios": [{}]}', "{"]
)
def test_a_damaged_file_is_measured_again(copy: Path, text: str) -> None:
    (copy / FLOOR_FILE).write_text(text, "utf-8")
    assert stored_floors(copy) is None, "who only looks plays nothing"
    assert (copy / FLOOR_FILE).read_text("utf-8") == text
    floors = floors_of(copy)
    assert floors is not None
    assert stored_floors(copy) == floors


def test_a_newer_file_is_refused(copy: Path) -> None:
    (copy / FLOOR_FILE).write_text('{"format": 99, "agents": [], "scenarios": []}', "utf-8")
    with pytest.raises(ConfigurationError, match="format 99"):
        floors_of(copy)


def test_a_run_leaves_its_floors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agent", "Unhelpful", "--scenarios", "wifi_off", "-o", str(tmp_path)]) == 0
    assert "floors: refusing 0.0%, request-blind 0.0%" in capsys.readouterr().out
    assert (next(tmp_path.iterdir()) / FLOOR_FILE).exists()
