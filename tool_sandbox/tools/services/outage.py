"""A search service that answers everything except what one currency is worth."""

from typing import Any

import attrs

from tool_sandbox.tools.services.lookups import Body, CurrencyLookup, Lookup
from tool_sandbox.tools.services.wrapping import WrappingService


@attrs.frozen
class CurrencyOutage(WrappingService):
    """Passes lookups on to another service, but for any rate from or to one currency.

    Attributes:
        code: ISO 4217 code of the currency, in capitals.
    """

    code: str

    @property
    def mode(self) -> str:
        """What is missing, and the mode of the service behind it."""
        return f"no_{self.code.lower()}:{self._behind.mode}"

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers like the service behind it, with the provider's failure where the currency is concerned."""
        if isinstance(lookup, CurrencyLookup) and self.code in (lookup.source, lookup.target):
            return {"success": False, "validationMessage": [f"no rate for {self.code} at the moment"]}
        return self._behind.body(lookup, now)
