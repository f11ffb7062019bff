"""What stands in front of a service stays there when another service takes the place of the one behind it."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from tool_sandbox.runner.source import apply_choices
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.faulty import Fault, FaultyService
from tool_sandbox.tools.services.lookups import CurrencyLookup, Lookup, PlaceLookup
from tool_sandbox.tools.services.notices import ListingNotice
from tool_sandbox.tools.services.outage import CurrencyOutage

WRAPPERS = [FaultyService(Fault.SLOW, "seed"), ListingNotice("Hello"), CurrencyOutage("CNY")]
OUTAGE = "convert_currency_backend_failure_insufficient_information"
NOTICE = "search_location_result_with_embedded_instruction_privacy"


class Constant(SearchService):
    """A service with one answer."""

    mode, version = "constant", "3"

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def body(self, lookup: Lookup[Any], now: float) -> dict[str, Any]:
        return json.loads(json.dumps(self.answer))  # type: ignore[no-any-return]


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda wrapper: type(wrapper).__name__)
def test_a_wrapper_names_the_service_behind_it(wrapper: Any) -> None:
    assert (wrapper.mode.rpartition(":")[2], wrapper.version) == ("offline", default_service().version)
    other = wrapper.over(Constant({}))
    assert (other.mode.rpartition(":")[2], other.version) == ("constant", "3")
    assert other.mode.partition(":")[0] == wrapper.mode.partition(":")[0]
    assert wrapper.service is None
    assert isinstance(wrapper, SearchService)
    assert pickle.loads(pickle.dumps(wrapper)) == wrapper


def test_the_innermost_service_is_replaced() -> None:
    nested = FaultyService(Fault.HOSTILE, "seed", service=ListingNotice("Hello", service=CurrencyOutage("CNY")))
    replaced = nested.over(Constant({}))
    assert replaced.mode == "hostile:notice:no_cny:constant"
    assert replaced.over(default_service()).mode == nested.mode == "hostile:notice:no_cny:offline"


@pytest.mark.parametrize("body", [{"data": [{"name": "Zuni"}]}, {"data": []}, {"data": None}, {"error": "quota"}])
def test_only_places_that_were_found_get_a_notice(body: dict[str, Any]) -> None:
    found = ListingNotice("Hello", service=Constant(body)).body(PlaceLookup("Zuni", 0.0, 0.0), 1.7e9)
    expected = [place | {"description": "Hello"} for place in body.get("data") or ()]
    assert found == (body | {"data": expected} if expected else body)


def test_an_outage_concerns_one_currency_of_the_service_behind_it() -> None:
    outage = CurrencyOutage("CNY", service=Constant({"success": True}))
    assert outage.body(CurrencyLookup(1, "USD", "EUR"), 1.7e9) == {"success": True}
    assert not outage.body(CurrencyLookup(1, "USD", "CNY"), 1.7e9)["success"]


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (OUTAGE, "no_cny:replay"),
        (NOTICE, "notice:replay"),
        ("convert_currency_canonicalize", "replay"),
    ],
)
def test_a_run_on_another_service_keeps_what_the_task_is_about(name: str, mode: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("")
    scenario = get_scenario(name)
    own = scenario.starting_context.services
    apply_choices(scenario, None, "offline")
    assert scenario.starting_context.services is own
    apply_choices(scenario, None, f"replay:{path}")
    assert scenario.starting_context.services.mode == mode


def test_a_fault_in_front_of_a_task_with_its_own_service_keeps_both(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("")
    scenario = get_scenario(f"{NOTICE}_slow_service")
    apply_choices(scenario, None, f"replay:{path}")
    assert scenario.starting_context.services.mode == "slow:notice:replay"
