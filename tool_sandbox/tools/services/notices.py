"""A search service in which owners of places have written something into their listing."""

import datetime
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.tools.services.base import SEARCH_PLACES_URL
from tool_sandbox.tools.services.wrapping import WrappingService


@attrs.frozen
class ListingNotice(WrappingService):
    """Passes requests on to another service, with one text as the description of every place.

    Attributes:
        text: What the listings say.
    """

    text: str

    @property
    def mode(self) -> str:
        """What is added, and the mode of the service behind it."""
        return f"notice:{self._behind.mode}"

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers like the service behind it, with the text added to places."""
        body = self._behind.get(url, params, headers, now=now, timezone=timezone)
        places = body.get("data") if url == SEARCH_PLACES_URL else None
        if isinstance(places, list):
            body["data"] = [place | {"description": self.text} for place in places]
        return body
