"""A search service that answers everything except what one currency is worth."""

import datetime
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.tools.services import default_service
from tool_sandbox.tools.services.base import CONVERT_CURRENCY_URL


@attrs.frozen
class CurrencyOutage:
    """The offline service without any rate from or to one currency.

    Attributes:
        code: ISO 4217 code of the currency, in capitals.
    """

    code: str

    @property
    def mode(self) -> str:
        """What is missing, and the mode of the service behind it."""
        return f"no_{self.code.lower()}:{default_service().mode}"

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
        """Answers like the offline service, with the provider's failure where the currency is concerned."""
        if url == CONVERT_CURRENCY_URL and self.code in (params["from"], params["to"]):
            return {"success": False, "validationMessage": [f"no rate for {self.code} at the moment"]}
        return default_service().get(url, params, headers, now=now, timezone=timezone)
