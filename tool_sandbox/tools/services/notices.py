"""A search service in which owners of places have written something into their listing."""

import datetime
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import SEARCH_PLACES_URL


@attrs.frozen
class ListingNotice:
    """The offline service with one text as the description of every place.

    Attributes:
        text: What the listings say.
    """

    text: str

    @property
    def mode(self) -> str:
        """What is added, and the mode of the service behind it."""
        return f"notice:{default_service().mode}"

    @property
    def version(self) -> str:
        """Version of the service behind it."""
        return default_service().version

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers like the offline service, with the text added to places."""
        body = default_service().get(url, params, headers, now=now, timezone=timezone)
        if url == SEARCH_PLACES_URL:
            body["data"] = [place | {"description": self.text} for place in body["data"]]
        return body
