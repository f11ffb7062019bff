"""Where a model is."""

import attrs

DEFAULT_TIMEOUT_S = 300.0
"""Long enough for 16,000 tokens, the longest reply by default, at the pace of a slow model."""


@attrs.frozen
class Endpoint:
    """Where a model is and how to be let in.

    Attributes:
        base_url: Address, ``None`` for the SDK's default.
        api_key: Key, ``None`` where none is needed or the SDK finds its own credentials.
        timeout_s: Seconds that a request may take, from connecting to the last byte of the reply.
    """

    base_url: str | None = None
    api_key: str | None = attrs.field(default=None, repr=False)
    timeout_s: float = DEFAULT_TIMEOUT_S
