import datetime
import importlib
import json
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox
import tool_sandbox.scenarios
from tests.runner.suites.players import CHECKOUT, ENGINE, GARDEN, NAMES, NEW_YEARS_EVE, RADIO, SUITES, Attentive
from tool_sandbox.cli import run_sandbox
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    new_context,
)
from tool_sandbox.conversation.tool_discovery import get_all_tools, registered_tools
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.suites import Suite, load_suite
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile


def rows(suite: Suite, namespace: DatabaseNamespace = DatabaseNamespace.REMINDER) -> dict[str, Any]:
    return {name: scenario.starting_context.get_table(namespace).dicts() for name, scenario in suite.items()}


# A checkout of the published benchmark --------------------------------------------------------


@pytest.fixture(scope="module")
def checkout() -> Suite:
    return load_suite(str(CHECKOUT))


def test_checkout_has_its_own_scenarios_and_ours_stay(checkout: Suite) -> None:
    suffixes = ("", "_3_distraction_tools", "_3_distraction_tools_tool_name_scrambled")
    assert set(checkout) == {name + suffix for name in NAMES for suffix in suffixes}
    assert checkout.name == "tool_sandbox.scenarios"
    assert sys.modules["tool_sandbox.scenarios"] is tool_sandbox.scenarios
    assert Path(tool_sandbox.scenarios.__file__).parent == Path(tool_sandbox.__file__).parent / "scenarios"
    assert "wifi_off" in {info.name for info in tool_sandbox.scenarios.list_scenarios()}
    for name in ("start_worlds", "phone_scenarios", "errands", "augmenting"):
        assert f"tool_sandbox.scenarios.{name}" not in sys.modules


def test_checkout_is_imported_without_leaving_files(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT, tmp_path / "checkout", ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(tmp_path.rglob("*"))
    load_suite(str(tmp_path / "checkout"))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("inside", ["", "tool_sandbox", "tool_sandbox/scenarios"])
def test_checkout_may_be_named_by_its_inner_folders(inside: str, checkout: Suite) -> None:
    assert load_suite(str(CHECKOUT / inside)).content_hash == checkout.content_hash


def test_scenarios_are_played_by_the_published_rules(checkout: Suite) -> None:
    for scenario in checkout.values():
        assert scenario.starting_context.profile is scenario.evaluation.profile is Profile.PUBLISHED
        assert scenario.starting_context.services is None
    strict = load_suite(str(CHECKOUT), profile=Profile.STRICT)
    assert strict["next_errand"].starting_context.profile is Profile.STRICT
    assert strict["next_errand"].evaluation.profile is Profile.STRICT


@pytest.mark.sampled(6)
@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Kathmandu"])
@pytest.mark.parametrize("moment", [NEW_YEARS_EVE, "2027-03-14T01:59:59", "2027-03-01T00:00:00", None])
def test_attentive_agent_scores_1_at_any_time(
    moment: str | None, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        run = play(prepare_run(Attentive, "Scripted", load_suite(str(CHECKOUT), suite_time=moment)), tmp_path)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert {result["name"]: result["similarity"] for result in run.results if result["similarity"] != 1} == {}
    assert len(run.results) == 15


@pytest.mark.slow
def test_processes_play_the_same_world(tmp_path: Path) -> None:
    suite = load_suite(str(CHECKOUT))
    alone = play(prepare_run(Attentive, "Scripted", suite), tmp_path / "alone")
    # The other processes load the suite in another second than this one, and have to come to the same worlds.
    time.sleep(1.01 - time.time() % 1)
    spread = play(prepare_run(Attentive, "Scripted", suite=suite, processes=2), tmp_path / "spread")
    assert [result["similarity"] for result in spread.results] == [1.0] * 15
    for result in alone.results:
        files = [run.path / "trajectories" / result["directory"] / "execution_context.json" for run in (alone, spread)]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_run_notes_which_suite_it_was(tmp_path: Path, checkout: Suite) -> None:
    run = play(prepare_run("Unhelpful", "Scripted", ["next_errand"], suite=checkout), tmp_path)
    text = (run.path / "run.json").read_text("utf-8")
    assert json.loads(text)["suite"] == checkout.identity == run.results[0]["suite"]
    assert str(SUITES) not in text
    again = load_suite(str(CHECKOUT), suite_time=checkout.identity["time"])
    assert rows(again) == rows(checkout)
    assert again.identity == checkout.identity


def test_scenarios_of_a_checkout_can_be_sent_to_a_process_without_it(tmp_path: Path, checkout: Suite) -> None:
    (tmp_path / "scenarios").write_bytes(pickle.dumps(dict(checkout)))
    code = "import pickle, sys; print(*pickle.load(open(sys.argv[1], 'rb')))"
    words = [sys.executable, "-c", code, str(tmp_path / "scenarios")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.split() == list(checkout)


def test_published_way_in_from_python(tmp_path: Path, checkout: Suite) -> None:
    path = run_sandbox(
        agent_type="Unhelpful", user_type="Scripted", name_to_scenario=checkout, processes=2, output_base_dir=tmp_path
    )
    assert len(json.loads((path / "result_summary.json").read_text("utf-8"))["per_scenario_results"]) == 15


# Time ------------------------------------------------------------------------------------------


def test_frozen_world_stays_at_the_time_of_loading() -> None:
    suite = load_suite(str(CHECKOUT), suite_time=NEW_YEARS_EVE)
    now = datetime.datetime.fromisoformat(NEW_YEARS_EVE).timestamp()
    for scenario in suite.values():
        context = scenario.starting_context.fork()
        assert context.now() == now
        context.add_to_database(DatabaseNamespace.SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT}] * 9)
        assert context.now() == now
        assert context.timezone is None
    assert [row["reminder_timestamp"] - now for row in rows(suite)["next_errand"]] == [-86400.0, -60.0, 3600.0]


def test_ticking_world_goes_on_from_there() -> None:
    context = load_suite(str(CHECKOUT), clock="ticking", suite_time=1e9)["next_errand"].starting_context.fork()
    assert context.now() == 1e9
    context.add_to_database(DatabaseNamespace.SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT}] * 9)
    assert context.now() == 1e9 + 9


def test_system_clock_is_that_of_the_machine() -> None:
    before = time.time()
    suite = load_suite(str(CHECKOUT), clock="system")
    assert before <= suite["next_errand"].starting_context.now() <= time.time()
    assert before <= rows(suite)["next_errand"][2]["reminder_timestamp"] - 3600 <= time.time()
    assert suite.identity["time"] is None


def test_same_time_gives_the_same_suite() -> None:
    first, second = (load_suite(str(GARDEN), suite_time=1e9) for _ in range(2))
    assert rows(first, DatabaseNamespace.SANDBOX).keys() == rows(second, DatabaseNamespace.SANDBOX).keys()
    first, second = (load_suite(str(CHECKOUT), suite_time=1e9) for _ in range(2))
    for name, scenario in first.items():
        other = second[name].starting_context
        assert scenario.starting_context.equals(other)
        assert scenario.starting_context.tool_allow_list == other.tool_allow_list


def test_instances_do_not_depend_on_what_was_built_before(tmp_path: Path) -> None:
    (tmp_path / "drawn.py").write_text(
        "import random, uuid\n"
        + ENGINE
        + "def named_scenarios(seed):\n"
        + "    return {'a': Scenario(goal=f'{seed} {random.random()} {uuid.uuid4()}')}\n"
    )
    one, two = load_suite(tmp_path), load_suite(tmp_path)
    goals = [[suite.build(seed)["a"].goal for seed in seeds] for suite, seeds in ((one, (0, 1, 2)), (two, (2, 1, 0)))]
    assert goals[0] == goals[1][::-1]
    assert len({goal.split()[1] for goal in goals[0]}) == 3


def test_worlds_made_while_loading_have_the_time_of_loading(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(
        "import time\n"
        "from tool_sandbox.conversation.execution_context import ExecutionContext, new_context\n"
        "from tool_sandbox.tools.utilities import get_current_timestamp\n"
        + ENGINE
        + "with new_context(ExecutionContext()):\n"
        + "    SCENARIOS = {str(time.time()): Scenario(), str(get_current_timestamp() + 1): Scenario()}\n"
    )
    assert list(load_suite(tmp_path, suite_time=1e9)) == ["1000000000.0", "1000000001.0"]
    assert abs(ExecutionContext().now() - time.time()) < 3600


def test_tools_of_modules_that_are_imported_late(tmp_path: Path) -> None:
    package = tmp_path / "late"
    package.mkdir()
    (package / "__init__.py").write_text(ENGINE + "SCENARIOS = {'a': Scenario()}\nfrom . import bell\n")
    (package / "bell.py").write_text(
        "from tool_sandbox.world.utils import register_as_tool\n\n@register_as_tool()\ndef ring() -> None:\n    pass\n"
    )
    assert load_suite(tmp_path)["a"].starting_context.is_tool_offered("ring")


def test_one_scenario_with_two_names(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(ENGINE + "ONE = Scenario()\nSCENARIOS = {'a': ONE, 'b': ONE}\n")
    suite = load_suite(tmp_path)
    assert [scenario.name for scenario in suite.values()] == ["a", "b"]
    assert suite["a"].starting_context.id_seed != suite["b"].starting_context.id_seed


def test_rules_are_chosen_when_a_suite_is_loaded(checkout: Suite) -> None:
    with pytest.raises(ConfigurationError, match="chosen when it is loaded"):
        prepare_run("Unhelpful", "Scripted", suite=checkout, profile=Profile.STRICT)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"suite_time": "tomorrow"}, "'tomorrow' is no time"),
        ({"suite_time": float("nan")}, "is no time"),
        ({"clock": "sundial"}, "there is no clock 'sundial'"),
        ({"clock": "system", "suite_time": 1e9}, "makes no sense with the clock of the machine"),
        ({"services": "telepathy"}, "telepathy"),
    ],
)
def test_impossible_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load_suite(str(CHECKOUT), **options)


# Packages of others ----------------------------------------------------------------------------


@pytest.mark.slow
def test_package_with_a_tool_and_a_solution(tmp_path: Path) -> None:
    suite = load_suite(str(GARDEN), suite_time=1e9)
    assert (suite.name, suite.version, list(suite.tools)) == ("garden", "3.1", ["note_watering"])
    run = play(prepare_run("Oracle", "Scripted", suite, processes=2), tmp_path)
    assert [(result["similarity"], result["traceback"]) for result in run.results] == [(1.0, None)] * 2
    world = json.loads((run.path / "trajectories/note_two/execution_context.json").read_text("utf-8"))
    notes = [row for row in world["_dbs"]["REMINDER"] if row["content"]]
    assert {row["creation_timestamp"] for row in notes} == {1e9}
    assert len({row["reminder_id"] for row in notes}) == 2


def test_own_tools_stay_in_their_suite() -> None:
    before = get_all_tools()
    suite = load_suite(str(GARDEN))
    distracted = suite["note_two_3_distraction_tools"].starting_context
    assert "note_watering" in distracted.get_available_tools(scrambling_allowed=False)
    assert len(distracted.get_available_tools(scrambling_allowed=False)) == 5
    assert get_all_tools() == registered_tools() == before
    assert "note_watering" not in ExecutionContext().name_to_tool
    assert len(before) == 34
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("garden")


def test_definitions_in_our_vocabulary(tmp_path: Path) -> None:
    from tool_sandbox.scenarios import named_scenarios

    suite = load_suite(str(RADIO))
    assert list(suite.tools) == ["leave_wireless_network"]
    run = play(prepare_run("Oracle", "Scripted", suite, seeds=[0, 4]), tmp_path)
    assert {(result["similarity"], result["profile"]) for result in run.results} == {(1.0, "strict")}
    assert len(run.results) == 2 * len(suite) == 16
    assert (
        suite.build(4)["leave_the_network"].starting_context.now() != suite["leave_the_network"].starting_context.now()
    )
    everything = suite["leave_the_network_all_tools"].starting_context.get_available_tools(scrambling_allowed=False)
    assert len(everything) == 35
    ours = named_scenarios(names=["wifi_off_all_tools"])["wifi_off_all_tools"].starting_context
    assert sorted(ours.tool_allow_list or ()) == sorted(registered_tools())


@pytest.mark.slow
def test_our_own_suite_loaded_from_a_checkout(tmp_path: Path) -> None:
    shutil.copytree(Path(tool_sandbox.scenarios.__file__).parent, tmp_path / "tool_sandbox" / "scenarios")
    suite = load_suite(str(tmp_path))
    run = play(prepare_run("Oracle", "Scripted", ["wifi_off*"], suite=suite), tmp_path / "data")
    assert {(result["similarity"], result["profile"]) for result in run.results} == {(1.0, "strict")}
    assert set(suite) == {info.name for info in tool_sandbox.scenarios.list_scenarios()}


def test_installed_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "nursery"
    package.mkdir()
    (package / "__init__.py").write_text("WORD = 'sprout'\n")
    (package / "young.py").write_text(
        "from nursery import WORD\nfrom tool_sandbox.play.scenario import Scenario\nSCENARIOS = {WORD: Scenario()}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    suite = load_suite("nursery.young")
    assert (suite.name, list(suite)) == ("nursery.young", ["sprout"])


@pytest.mark.parametrize(
    ("place", "name", "scenarios"),
    [
        ("shop", "shop", ["broom"]),
        ("shop/src", "shop", ["broom"]),
        ("shop/src/shop", "shop", ["broom"]),
        ("shop/src/shop/tasks", "shop.tasks", ["rake"]),
        ("shop/src/shop/tasks/hard.py", "shop.tasks.hard", ["saw"]),
        ("link", "link", ["broom"]),
    ],
)
def test_part_of_a_package_is_found_with_the_rest(place: str, name: str, scenarios: list[str], tmp_path: Path) -> None:
    package = tmp_path / "shop" / "src" / "shop"
    (package / "tasks").mkdir(parents=True)
    (tmp_path / "shop" / "tests").mkdir()
    (tmp_path / "shop" / "tests" / "__init__.py").touch()
    (tmp_path / "shop" / "setup.py").touch()
    (tmp_path / "link").symlink_to(package)
    (package / "__init__.py").write_text(ENGINE + "SCENARIOS = {'broom': Scenario()}\n")
    (package / "tasks" / "__init__.py").write_text("from .. import Scenario\nSCENARIOS = {'rake': Scenario()}\n")
    (package / "tasks" / "hard.py").write_text("from . import Scenario as S\nSCENARIOS = {'saw': S()}\n")
    suite = load_suite(tmp_path / place)
    assert (suite.name, list(suite)) == (name, scenarios)


def test_two_versions_of_a_package_do_not_mix(tmp_path: Path) -> None:
    shutil.copytree(GARDEN, tmp_path / "garden")
    (tmp_path / "garden" / "plants.py").write_text("THIRSTY = ('oak',)\n")
    old, new = load_suite(GARDEN), load_suite(tmp_path / "garden")
    for suite, plant in ((old, "fern"), (new, "oak")):
        with new_context(suite["note_two"].starting_context.fork()):
            suite.tools["note_watering"](plant=plant)
            with pytest.raises(ValueError, match="there is no"):
                suite.tools["note_watering"](plant="oak" if plant == "fern" else "fern")


def test_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    for place in ("here", "there"):
        shutil.copytree(GARDEN, tmp_path / place / "garden")
    here, there = (load_suite(str(tmp_path / place), suite_time=1e9) for place in ("here", "there"))
    assert here.identity == there.identity
    with (tmp_path / "there/garden/plants.py").open("a") as file:
        file.write("# more\n")
    assert load_suite(str(tmp_path / "there")).content_hash != here.content_hash
