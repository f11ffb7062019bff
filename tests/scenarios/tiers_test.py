"""Tiers of the suite, what selects them, and the words that hard scenarios are written in."""

import json

import pytest

from tool_sandbox.proof.play import play, record
from tool_sandbox.roles.control_agents import FirstMatchAgent
from tool_sandbox.runner.selection import select
from tool_sandbox.scenarios import (
    SHAPES_FILE,
    TIERS,
    content_hash,
    get_scenario,
    list_scenarios,
    shapes_of,
    suite_identity,
)
from tool_sandbox.scenarios.build import predecessors
from tool_sandbox.scenarios.rule_books import Rule, RuleBook
from tool_sandbox.scenarios.subset import subset
from tool_sandbox.scenarios.vocabulary import called, in_any_order
from tool_sandbox.world.errors import ConfigurationError, ScenarioError, UnknownNameError

HARD = list_scenarios("hard")


def test_the_core_tier_is_what_is_meant_without_another() -> None:
    assert {info.tier for info in select(None)} == {"core"}
    assert {info.tier for info in select(None, tier="hard")} == {"hard"}
    assert not {info.name for info in HARD} & {info.name for info in list_scenarios()}


@pytest.mark.parametrize("tier", TIERS)
def test_what_ships_of_a_tier_is_what_its_tasks_say(tier: str) -> None:
    shipped = json.loads(SHAPES_FILE.read_text("utf-8"))[tier]
    assert shipped["content_hash"] == content_hash(tier), "due: python scripts/make_floors.py"
    assert shipped["shapes"] == shapes_of(tier)


def test_a_name_is_found_in_either_tier() -> None:
    [found] = select([HARD[0].name])
    assert found == HARD[0]
    with pytest.raises(UnknownNameError, match="there is no scenario"):
        select([HARD[0].name], tier="core")


def test_other_suites_have_no_tiers() -> None:
    with pytest.raises(ConfigurationError, match="tier is for the suite of this package"):
        select(None, infos=HARD, tier="hard")


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("axis", sorted({info.axis for info in HARD}))
def test_every_reference_of_the_hard_tier_scores_one(axis: str) -> None:
    names = [info.name for info in HARD if info.axis == axis and info.name == info.base_name]
    assert {name: score for name in names if (score := record(get_scenario(name)).result.similarity) != 1} == {}


def test_an_axis_is_of_the_hard_tier() -> None:
    axis = HARD[-1].axis
    assert {info.axis for info in select(None, axes=[axis])} == {axis}
    with pytest.raises(UnknownNameError, match="there is no axis 'plannning'"):
        select(None, axes=["plannning"])


def test_each_tier_has_a_fingerprint_of_its_own() -> None:
    assert content_hash("core") != content_hash("hard")
    assert suite_identity(["wifi_off"])["content_hash"] == content_hash("core")
    assert suite_identity(["wifi_off", HARD[0].name])["content_hash"] == content_hash("hard")
    assert suite_identity(["one_of_another_version"])["content_hash"] == content_hash("core")


def test_a_subset_is_fixed_spread_and_part_of_larger_ones() -> None:
    bases = [info for info in HARD if info.name == info.base_name]
    small, large = ({info.name for info in subset(bases, size)} for size in (15, 40))
    assert small < large
    assert [info.name for info in subset(bases[::-1], 15)] == [info.name for info in subset(bases, 15)]
    axes = {info.axis for info in bases}
    assert len({info.axis for info in subset(bases, len(axes))}) == len(axes)
    assert {info.name for info in select(None, tier="hard", size=15)} == small


def test_nodes_in_any_order_wait_for_what_is_before_and_hold_up_what_is_next() -> None:
    first, last = called("search_contacts"), called("get_wifi_status")
    middle = in_any_order(called("get_current_timestamp"), called("get_current_location"))
    assert predecessors("x", [first, *middle, last]) == [[], [0], [0], [0, 1, 2]]
    assert predecessors("x", [first, *in_any_order(*(node.after() for node in middle)), last])[3] == [1, 2]


def test_rules_and_their_text_share_their_values() -> None:
    book = RuleBook(
        "Rules", Rule("Call {who} first.", lambda say: called("search_contacts", name=say.who)), Rule("Hurry.")
    )
    rules = book.with_values(who="Ann")
    assert rules.text == "Rules\n1. Call Ann first.\n2. Hurry."
    assert rules.never == (called("search_contacts", name="Ann"),)
    with pytest.raises(ScenarioError, match=r"the rules mention \['who'\], and \['whom'\] are given"):
        book.with_values(whom="Ann")


@pytest.mark.parametrize("name", ["turn_over_tasks_of_fair", "heat_rooms_by_the_words_that_count"])
def test_who_takes_the_first_row_of_every_list_knows_no_other(name: str) -> None:
    # Both solutions could go on without what they read.
    assert play(get_scenario(name), FirstMatchAgent())[1].similarity < 1
