"""The live search service: the providers' interfaces on RapidAPI."""

import os
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.lookups import Body, Lookup
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

KEY_VARIABLE = "RAPID_API_KEY"
"""Environment variable that holds the key."""

_RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
_NO_LOCATION_CODE = 1006
"""Error code with which the weather provider says that a point has no weather."""


class RapidApiService(SearchService):
    """Asks the providers over HTTPS, with a time limit, a check of the answer and bounded retries.

    The key travels in a header and appears in no error message. Redirects are not followed, so it
    cannot reach another host.
    """

    mode = "rapidapi"
    version = "live"

    def __init__(
        self,
        api_key: str | None,
        *,
        base_url: str | None = None,
        timeout: float = 15.0,
        attempts: int = 3,
        max_wait: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepares a client; nothing is sent yet.

        Args:
            api_key: Key of the account; without one every request raises ``PermissionError``.
            base_url: Scheme and host to ask instead of the providers' own, for a proxy or a test.
            timeout: Seconds for connecting and between two pieces of an answer.
            attempts: How often a request is sent at most.
            max_wait: Longest pause between two attempts in seconds, also when the provider asks for more.
            sleep: Function that pauses.
        """
        self._api_key = api_key
        self._base_url = base_url.rstrip("/") if base_url else None
        self._timeout = timeout
        self._attempts = max(1, attempts)
        self._max_wait = max_wait
        self._sleep = sleep

    @classmethod
    def from_environment(cls, **options: Any) -> "RapidApiService":
        """Creates the service with the key from the environment.

        Args:
            **options: See the constructor.

        Returns:
            The service.

        Raises:
            ConfigurationError: The environment has no key, or one that cannot be sent.
        """
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if not key:
            raise ConfigurationError(f"the live search service needs the environment variable {KEY_VARIABLE}")
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError(f"the environment variable {KEY_VARIABLE} has characters that no key has")
        return cls(key, **options)

    def body(self, lookup: Lookup[Any], now: float) -> Body:
        """Sends the request of a lookup, again where a later attempt may succeed.

        Args:
            lookup: What is looked up.
            now: Not used: the providers answer for the real present.

        Returns:
            The JSON object of the answer.

        Raises:
            PermissionError: There is no key.
            InfrastructureError: No usable answer after all attempts.
        """
        if not self._api_key:
            raise PermissionError(f"searching needs the environment variable {KEY_VARIABLE}")
        host, path = urlsplit(lookup.url)[1:3]
        target = lookup.url if self._base_url is None else self._base_url + path
        headers = {"X-RapidAPI-Host": host, "X-RapidAPI-Key": self._api_key}
        problem = ""
        # Conversations run in many threads; a client of their own each keeps them independent.
        with httpx2.Client(timeout=self._timeout, follow_redirects=False) as client:
            for attempt in range(self._attempts):
                wait = 0.5 * 2**attempt
                try:
                    response = client.get(target, params=lookup.params, headers=headers)
                except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                    problem = f"no answer ({type(error).__name__})"
                else:
                    if response.status_code not in _RETRIED_STATUS:
                        return _body(host, response)
                    problem = f"status {response.status_code}"
                    wait = _retry_after(response, default=wait)
                if attempt + 1 < self._attempts:
                    self._sleep(min(wait, self._max_wait))
        raise InfrastructureError(f"search service {host} failed {self._attempts} times: {problem}")


def _retry_after(response: httpx2.Response, default: float) -> float:
    """Seconds that the provider asks to wait; dates, which nobody sends here, count as unknown."""
    try:
        return max(0.0, float(response.headers.get("Retry-After", "")))
    except ValueError:
        return default


def _body(host: str, response: httpx2.Response) -> Body:
    """The JSON object of an answer.

    Raises:
        InfrastructureError: The status is an error, or the body is not a JSON object.
    """
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and (response.is_success or _has_no_location(body)):
        return body
    if response.status_code in (401, 403):
        raise InfrastructureError(f"search service {host} refused the key in {KEY_VARIABLE}: no subscription?")
    if response.is_success:
        raise InfrastructureError(f"search service {host} answered something other than a JSON object")
    raise InfrastructureError(f"search service {host} failed: status {response.status_code}")


def _has_no_location(body: dict[str, Any]) -> bool:
    error = body.get("error")
    return isinstance(error, dict) and error.get("code") == _NO_LOCATION_CODE
