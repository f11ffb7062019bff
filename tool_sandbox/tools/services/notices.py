"""A search service in which owners of places have written something into their listing."""

from typing import Any

import attrs

from tool_sandbox.tools.services.lookups import Body, Lookup, PlaceLookup
from tool_sandbox.tools.services.wrapping import WrappingService


@attrs.frozen
class ListingNotice(WrappingService):
    """Passes lookups on to another service, with one text as the description of every place.

    Attributes:
        text: What the listings say.
    """

    text: str

    @property
    def mode(self) -> str:
        """What is added, and the mode of the service behind it."""
        return f"notice:{self._behind.mode}"

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers like the service behind it, with the text added to places."""
        body = self._behind.body(lookup, now)
        if isinstance(lookup, PlaceLookup):
            for place in lookup.records(body):
                place["description"] = self.text
        return body
