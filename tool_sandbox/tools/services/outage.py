"""A search service that answers everything except what one currency is worth."""

import datetime
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.tools.services.base import CONVERT_CURRENCY_URL
from tool_sandbox.tools.services.wrapping import WrappingService


@attrs.frozen
class CurrencyOutage(WrappingService):
    """Passes requests on to another service, but for any rate from or to one currency.

    Attributes:
        code: ISO 4217 code of the currency, in capitals.
    """

    code: str

    @property
    def mode(self) -> str:
        """What is missing, and the mode of the service behind it."""
        return f"no_{self.code.lower()}:{self._behind.mode}"

    def get(
        self,
        url: str,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        now: float,
        timezone: datetime.tzinfo | None,
    ) -> dict[str, Any]:
        """Answers like the service behind it, with the provider's failure where the currency is concerned."""
        if url == CONVERT_CURRENCY_URL and self.code in (params["from"], params["to"]):
            return {"success": False, "validationMessage": [f"no rate for {self.code} at the moment"]}
        return self._behind.get(url, params, headers, now=now, timezone=timezone)
