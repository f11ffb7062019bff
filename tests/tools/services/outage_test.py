"""One currency without a rate, everything else as ever."""

import pickle

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.tools.rapid_api_search_tools import convert_currency, search_stock
from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.lookups import CurrencyLookup
from tool_sandbox.tools.services.outage import CurrencyOutage
from tool_sandbox.world.profile import Profile


@pytest.mark.parametrize(("source", "target"), [("USD", "CNY"), ("cny", "usd"), ("EUR", "CNY")])
def test_there_is_no_rate_from_or_to_the_currency(source, target):
    world = ExecutionContext(profile=Profile.STRICT, services=CurrencyOutage("CNY"))
    with new_context(world), pytest.raises(RuntimeError, match="no exchange rate"):
        convert_currency(10, source, target)


def test_other_requests_are_answered_as_by_the_offline_service():
    outage, lookup = CurrencyOutage("CNY"), CurrencyLookup(10, "USD", "EUR")
    assert isinstance(outage, SearchService)
    for service in (outage, pickle.loads(pickle.dumps(outage))):
        assert service.body(lookup, 1.7e9) == default_service().body(lookup, 1.7e9)
    with new_context(ExecutionContext(profile=Profile.STRICT, services=outage)):
        assert search_stock("Apple")["symbol"] == "AAPL"


def test_a_scenario_may_stand_on_an_outage():
    name = "convert_currency_backend_failure_insufficient_information"
    for scenario in named_scenarios(names=[name, f"{name}_all_tools"]).values():
        assert scenario.starting_context.services == CurrencyOutage("CNY")
