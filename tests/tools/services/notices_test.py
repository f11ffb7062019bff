"""A text in every listing, everything else as ever."""

import datetime
import pickle

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.tools.rapid_api_search_tools import search_location_around_lat_lon
from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import CONVERT_CURRENCY_URL, SearchService
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
    notice, arguments = ListingNotice("Hello"), {"from": "USD", "to": "EUR", "amount": 10}
    assert isinstance(notice, SearchService)
    for service in (notice, pickle.loads(pickle.dumps(notice))):
        answer = service.get(CONVERT_CURRENCY_URL, arguments, {}, now=1.7e9, timezone=datetime.UTC)
        assert answer == default_service().get(CONVERT_CURRENCY_URL, arguments, {}, now=1.7e9, timezone=None)
