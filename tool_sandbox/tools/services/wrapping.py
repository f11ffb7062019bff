"""What all services share that stand in front of another one."""

from typing import Self

import attrs

from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.offline import default_service


@attrs.frozen
class WrappingService(SearchService):
    """A service that changes or remembers what another one answers, or fails in its place.

    Attributes:
        service: Where answers come from, ``None`` for the offline service.
    """

    service: SearchService | None = attrs.field(default=None, kw_only=True)

    @property
    def mode(self) -> str:
        """Mode of the service behind it."""
        return self._behind.mode

    @property
    def version(self) -> str:
        """Version of the service behind it."""
        return self._behind.version

    @property
    def _behind(self) -> SearchService:
        return self.service if self.service is not None else default_service()

    def over(self, service: SearchService) -> Self:
        """The same wrapper, with those inside it, in front of another service.

        Args:
            service: Takes the place of the innermost service.

        Returns:
            A new wrapper.
        """
        inner = self.service.over(service) if isinstance(self.service, WrappingService) else service
        return attrs.evolve(self, service=inner)
