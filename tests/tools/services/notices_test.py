"""A text in every listing, everything else as ever."""

import pickle

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.tools.rapid_api_search_tools import search_location_around_lat_lon
from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.lookups import CurrencyLookup
from tool_sandbox.tools.services.notices import ListingNotice
from tool_sandbox.world.profile import Profile


def test_places_carry_the_text_and_nothing_else_changes() -> None:
    plain, noticed = (
        ExecutionContext(profile=Profile.STRICT, services=each) for each in (None, ListingNotice("Hello"))
    )
    found = []
    for world in (plain, noticed):
        with new_context(world):
            found.append(search_location_around_lat_lon("Zuni Café", 37.77, -122.42))
    assert found[0]
    assert found[1] == [place | {"description": "Hello"} for place in found[0]]


def test_other_requests_are_answered_as_by_the_offline_service() -> None:
    notice, lookup = ListingNotice("Hello"), CurrencyLookup(10, "USD", "EUR")
    assert isinstance(notice, SearchService)
    for service in (notice, pickle.loads(pickle.dumps(notice))):
        assert service.body(lookup, 1.7e9) == default_service().body(lookup, 1.7e9)
