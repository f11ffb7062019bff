"""Evidence counts where a search covers what was in question, and only there."""

from typing import Any

import pytest

from tests.scenarios.conftest import Play
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.evidence import Cells, Mentions, Several, WouldFind, either, premature, would_find
from tool_sandbox.scenarios.vocabulary import asked, called, setting

NOON = {"reminder_timestamp": 1000.0, "creation_timestamp": 10.0}


@pytest.mark.parametrize(
    ("arguments", "covers"),
    [
        ({"reminder_timestamp_lowerbound": 900.0}, True),
        ({"reminder_timestamp_upperbound": 1000.0}, True),
        ({"reminder_timestamp_lowerbound": 900.0, "reminder_timestamp_upperbound": 1100.0}, True),
        ({"creation_timestamp_upperbound": 20.0}, True),
        ({"reminder_timestamp_lowerbound": 1001.0}, False),
        ({"reminder_timestamp_lowerbound": 900.0, "reminder_timestamp_upperbound": 950.0}, False),
        ({"reminder_timestamp_lowerbound": 900.0, "content": "Noon"}, False),
    ],
)
def test_search_would_find_a_row_that_meets_all_its_criteria(arguments: dict[str, Any], covers: bool) -> None:
    check = would_find("search_reminder", NOON).check
    assert isinstance(check, WouldFind)
    assert check._fits({"tool_name": "search_reminder", "arguments": arguments, "result": []}) is covers


def test_all_rows_must_be_covered() -> None:
    check = would_find("search_reminder", NOON, NOON | {"reminder_timestamp": 2000.0}).check
    assert isinstance(check, WouldFind)
    trace = {"tool_name": "search_reminder", "arguments": {"reminder_timestamp_upperbound": 1500.0}, "result": []}
    assert not check._fits(trace)


def test_either_of_two_gates_and_its_description() -> None:
    gate = either(called("get_wifi_status"), called("get_cellular_service_status"))
    assert gate.kind == "gate"
    assert gate.check.to_dict() == {
        "check": "Either",
        "checks": [
            {"check": "Called", "tool": "get_wifi_status"},
            {"check": "Called", "tool": "get_cellular_service_status"},
        ],
    }


def test_premature_takes_changes_only() -> None:
    with pytest.raises(TypeError, match="only a change"):
        premature(called("get_wifi_status"), asked("wifi"))


def test_a_change_is_premature_until_the_condition_is_met(play: Play) -> None:
    name = "turn_off_wifi_if_cellular_on_conditional_true"
    context, _ = play(get_scenario(name), OracleAgent())
    end = context.max_sandbox_message_index
    looked, never = called("get_cellular_service_status"), called("get_low_battery_mode_status")
    assert premature(setting(wifi=False), looked).check(context=context, index=end) == 0.0
    assert premature(setting(wifi=False), never).check(context=context, index=end) == 1.0
    assert premature(setting(wifi=True), never).check(context=context, index=end) == 0.0


def test_matchers() -> None:
    assert Cells({"rain": 1})({"rain": 1, "wind": 3})
    assert not Cells({"rain": 1})({"rain": 0})
    assert not Cells({"rain": 1})([{"rain": 1}])
    assert Several()([1, 2])
    assert not Several()([1])
    assert not Several()(None)
    assert Mentions("Market St")("1658 Market St")
    assert not Mentions("Market St")(None)
