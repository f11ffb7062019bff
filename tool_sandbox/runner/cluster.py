"""A Ray cluster, with the extra ``ray``: where it is, and work that is spread over it."""

import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.provider import Provider
from tool_sandbox.records.kinds import EXECUTOR
from tool_sandbox.runner.knocking import refusal
from tool_sandbox.runner.workers import Workers
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError, UnknownNameError

T = TypeVar("T")
R = TypeVar("R")


@attrs.frozen
class Cluster:
    """Where a run is played.

    Attributes:
        address: Of a Ray cluster, ``auto`` for the one on this machine, ``None`` to start one here.
    """

    address: str | None = None

    def connect(self) -> None:
        """Connects this process, unless it is connected.

        Raises:
            MissingRequirementError: Ray is not installed.
            ConfigurationError: There is no cluster at the address.
        """
        ray = _imported()
        place = self._place()
        known = ray.get_runtime_context().gcs_address if ray.is_initialized() else None
        if known is not None and (place is None or _is_same(place, known)):
            return
        if place is not None and (told := refusal(*place, is_head="://" not in str(self.address))) is not None:
            raise ConfigurationError(f"there is no Ray cluster at {self.address}: {told}")
        if known is not None:
            raise ConfigurationError(f"this process is connected to the Ray cluster at {known}, not {self.address}")
        # What Ray reports of its own is no part of what a run prints, nor does it tell anybody of its use.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
        own = {"include_dashboard": False, "address": "local"} if self.address is None else {"address": self.address}
        try:
            ray.init(**own, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            told = str(error).strip().partition("\n")[0][:200]
            raise ConfigurationError(f"there is no Ray cluster at {self.address or 'this machine'}: {told}") from None

    def _place(self) -> tuple[str, int] | None:
        """Host and port of the address, ``None`` if it has none."""
        if self.address is None or self.address == "auto":
            return None
        try:
            place = urlsplit(self.address if "://" in self.address else f"//{self.address}")
            host, port = place.hostname, place.port
        except ValueError:
            host, port = None, None
        if host is None or port is None:
            raise ConfigurationError(f"address has to be HOST:PORT or auto, not {self.address!r:.80}")
        return host, port

    @property
    def cores(self) -> int:
        """Cores of the cluster, on each of which a worker can play."""
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def spread(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Does some work for every item, see `tool_sandbox.helpers.spreading.Spread`.

        Raises:
            InfrastructureError: Workers ended again and again under one item.
        """
        # A second item for each worker is on its way while it is busy with the first.
        workers: Workers[T, R] = Workers(partial(_given, work), 2 * self.cores, self.cores)
        waiting = iter(items)
        with closing(workers):
            while True:
                for item in islice(waiting, workers.room):
                    workers.submit(item)
                if not workers.in_flight:
                    return
                done = workers.receive(None)
                if done is None:
                    continue
                if done.is_lost:
                    workers.submit(done.job, alone=True)
                elif done.error is not None:
                    raise done.error
                else:
                    yield done.job, cast(R, done.answer)


def cluster_of(executor: str | None, address: str | None) -> Cluster | None:
    """The cluster that is asked for.

    Raises:
        ConfigurationError: There is an address, and no cluster; or no such executor.
    """
    if executor == "ray":
        return Cluster(address)
    if executor not in (None, "local"):
        close = suggest(str(executor), EXECUTOR.choices) or EXECUTOR.choices
        raise UnknownNameError(f"there is no executor {executor!r:.40}.", close)
    if address is not None:
        raise ConfigurationError("address can only be used together with executor ray")
    return None


def environment(models: Sequence[Provider]) -> dict[str, str]:
    """What the models of a run need to be found and to be let in, as this machine has it."""
    names = {name for model in models for name in model.key_variables}
    # A key may be in a variable that the run names, or in that of a provider which speaks the protocol of another.
    keys = {model.endpoint.api_key for model in models if model.endpoint.api_key}
    return {
        name: value
        for name, value in os.environ.items()
        if name in names or value.strip() in keys or name.endswith("_BASE_URL")
    }


_SKIPPED = "RAY_DEDUP_LOGS_SKIP_REGEX"
"""Names what Ray does not print; it is read once, with the import."""


def _imported() -> Any:
    """Ray. What it tells of workers that have ended would stand on standard output, between results."""
    is_free = _SKIPPED not in os.environ
    if is_free:
        os.environ[_SKIPPED] = "."
    try:
        import ray
    except ImportError as error:
        raise MissingRequirementError("executor ray needs the extra: pip install 'tool_sandbox[ray]'") from error
    finally:
        if is_free:
            del os.environ[_SKIPPED]
    return ray


def _is_same(place: tuple[str, int], known: str) -> bool:
    host, _, port = known.rpartition(":")
    return str(place[1]) == port and socket.gethostbyname(place[0]) in (host, socket.gethostbyname(host))


def _given(work: Callable[[T], R]) -> Callable[[T], R]:
    return work
