"""What a search service is: the object that answers lookups."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from tool_sandbox.tools.services.lookups import Body, Lookup

_Answer = TypeVar("_Answer")


class SearchService(ABC):
    """Answers lookups: offline, live, recorded, or as a wrapper around another service."""

    @property
    @abstractmethod
    def mode(self) -> str:
        """Kind of service, recorded in results."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Version of its data or code, recorded in results."""

    @abstractmethod
    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Answers with the JSON object that the provider would send.

        Args:
            lookup: What is looked up.
            now: POSIX time of the world in seconds.

        Returns:
            A fresh dictionary.

        Raises:
            InfrastructureError: The service failed.
        """

    def ask(self, lookup: Lookup[_Answer], now: float) -> _Answer:
        """Answers a lookup at a time of the world; raises like `body`."""
        return lookup.read(self.body(lookup, now))


class RequestKey(NamedTuple):
    """A request as it is remembered: parameters as sorted text.

    Attributes:
        url: Host and path.
        params: Parameters in the order of their names.
    """

    url: str
    params: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, url: str, params: Mapping[str, Any]) -> "RequestKey":
        """Key of a request; numbers that are equal give the same key.

        Args:
            url: Address.
            params: Query parameters.

        Returns:
            The key.
        """
        parts = urlsplit(url)
        texts = sorted((name, _text(value)) for name, value in params.items())
        return cls(f"{parts.hostname or ''}{parts.path}".lower(), tuple(texts))


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return " ".join(str(value).split())
