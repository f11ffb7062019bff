"""Choosing scenarios by name, tag, family and augmentation, to list and to play them."""

import json

import pytest

from tool_sandbox.cli import main
from tool_sandbox.runner.selection import select
from tool_sandbox.runner.store import read_json
from tool_sandbox.scenarios import list_scenarios
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError


@pytest.fixture
def listed(shell):
    """What a listing shows, as JSON."""
    return lambda *flags: json.loads(shell("scenarios", "list", *flags, "--json").out)


def test_the_usual_list_is_the_published_eight(listed):
    infos = listed()
    assert len(infos) == len(list_scenarios())
    assert len({info["augmentation"] for info in infos}) == 8
    assert [info["base_name"] for info in listed("wifi_off*")] == ["wifi_off"] * 8


def test_opt_in_variants_are_listed_on_demand(listed):
    assert len(listed("--opt-in")) == len(list_scenarios(opt_in=True))
    assert {info["augmentation"] for info in listed("wifi_off*", "--opt-in")} > {"large_world", "all_tools"}
    assert [info["name"] for info in listed("wifi_off_large_world")] == ["wifi_off_large_world"]
    assert {info["augmentation"] for info in listed("*_flaky_service")} == {"flaky_service"}


def test_filters_are_combined(listed):
    infos = listed("--family", "weather", "--augmentation", "flaky_service", "--augmentation", "all_tools")
    assert {info["family"] for info in infos} == {"weather"}
    assert {info["augmentation"] for info in infos} == {"flaky_service", "all_tools"}
    both = listed("*wifi_off*", "--family", "weather", "--family", "settings", "--tag", "large_world")
    assert {info["family"] for info in both} == {"weather", "settings"}
    assert {info["augmentation"] for info in both} == {"large_world"}
    assert all("wifi_off" in info["name"] for info in both)


def test_tags_have_two_flags(listed):
    by_tag, by_category = listed("--tag", "coreference"), listed("--category", "COREFERENCE")
    assert by_tag == by_category
    assert by_tag
    assert all("COREFERENCE" in info["categories"] for info in by_tag)
    assert {info["augmentation"] for info in listed("--tag", "SLOW_SERVICE")} == {"slow_service"}
    # A tag that published variants have does not bring in others.
    assert len({info["augmentation"] for info in listed("--tag", "TOOL_NAME_SCRAMBLED")}) == 1


def test_a_listing_counts(shell):
    last = shell("scenarios", "list", "--family", "settings", "--augmentation", "*world").out.splitlines()[-1]
    infos = select(None, families=["settings"], augmentations=["*world"])
    bases = len({info.base_name for info in infos})
    assert last == f"scenarios: {2 * bases}, base scenarios: {bases}, families: 1"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--tag", "large_wold"], "LARGE_WORLD"),
        (["--family", "wether"], "weather"),
        (["--augmentation", "flaky_servce"], "flaky_service"),
        (["--augmentation", "no*such"], "no*such"),
        (
            ["--family", "weather", "--tag", "BATCH_EDIT", "--augmentation", "hostile_service"],
            "no scenario is selected",
        ),
    ],
)
@pytest.mark.parametrize("command", [["scenarios", "list"], []], ids=["list", "run"])
def test_what_does_not_exist_is_one_line(shell, command, flags, message, tmp_path):
    where = [] if command else ["--output_dir", str(tmp_path)]
    assert message in shell.complaint(*command, *flags, *where)
    assert list(tmp_path.iterdir()) == []


def test_filters_choose_what_is_played(tmp_path):
    flags = ["--family", "markets", "--augmentation", "flaky_service", "--augmentation", "medium_world"]
    assert main([*flags, "--output_dir", str(tmp_path)]) == 0
    (directory,) = tmp_path.iterdir()
    results = read_json(directory / "result_summary.json")["per_scenario_results"]
    played = {result["name"] for result in results}
    expected = select(None, families=["markets"], augmentations=["flaky_service", "medium_world"])
    assert played == {info.name for info in expected}
    assert all(result["similarity"] == 1 for result in results)


def test_patterns_mean_the_usual_variants_first():
    assert {info.augmentation for info in select(["wifi_off_*"])}.isdisjoint({"large_world", "medium_world"})
    mixed = select(["wifi_off*", "wifi_off_large_world"])
    assert [info.name for info in mixed][-1] == "wifi_off_large_world"
    assert len(mixed) == 9
    with pytest.raises(UnknownNameError, match="wifi_off_large_world"):
        select(["wifi_off_large_wrld"])
    with pytest.raises(ConfigurationError):
        select(["wifi_off"], families=["weather"])
