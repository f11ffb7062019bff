"""Anthropic's Managed Agents through the SDK: requests repeated while that can help, ids kept for the process."""

import functools
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from tool_sandbox.models.anthropic_messages import KEY_VARIABLES, AnthropicMessages
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.faults import ProviderError, RequestFault
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.provider import Endpoint, required_key
from tool_sandbox.models.redaction import public_url
from tool_sandbox.roles.external.managed_events import as_event, to_total
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    pass

BETA = "managed-agents-2026-04-01"
"""The interface that the installed SDK asks for."""

NAME = "tool-sandbox"
"""Name of the environment and of the agents that are made where none are given."""

REQUEST_S = 60.0
"""Seconds that one request may take."""

_SHORTEST_S = 1.0

PAGE = 100
"""Objects of a list that are asked for at once."""

T = TypeVar("T")
Event = dict[str, Any]


@attrs.frozen
class Variant:
    """The agent that sessions are made of.

    Attributes:
        agent: Its id.
        version: The version that all sessions use.
        environment: Id of the environment.
        model: Id of its model.
        system: Its own instruction, which that of the scenario follows.
    """

    agent: str
    version: int
    environment: str
    model: str
    system: str = ""


Choice = tuple[str, str | None, str | None, int | None, str | None]
"""What says which agent is meant, as `Platform.variant` takes it."""


@attrs.define(eq=False)
class Platform:
    """One account. Shared by all conversations of a process.

    Attributes:
        access: How to get in: as the models do, with the same key, address, HTTP client and errors.
        policy: How long to retry.
    """

    access: AnthropicMessages
    policy: RetryPolicy = attrs.field(factory=RetryPolicy)
    _variants: dict[Any, Variant] = attrs.field(factory=dict)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    @property
    def _beta(self) -> Any:
        return self.access.client.beta

    def attempt(
        self, do: Callable[[], T], is_done: Callable[[], T | None] = lambda: None, until: float = math.inf
    ) -> T:
        """Makes a request until it succeeds or the next attempt cannot help."""
        for number in itertools.count():
            try:
                return do()
            except Exception as error:
                fault = self.access.explain(error)
                if fault is None:
                    raise
                wait = self.policy.wait_s(fault, number)
                is_patient = (fault.retry_after_s or 0.0) <= self.policy.longest_wait_s
                is_patient = is_patient and number < self.policy.retries and time.monotonic() + wait < until
                if not (fault.is_transient and is_patient):
                    raise self.given_up(fault, number + 1) from error
            self.policy.sleep(wait)
            if (done := is_done()) is not None:
                return done
        raise AssertionError  # the loop has no end

    def given_up(self, fault: RequestFault, attempts: int = 1) -> ProviderError:
        """What to raise when a fault is the last word."""
        address = self.access.endpoint.base_url
        place = f" at {public_url(address)}" if address is not None and fault.status is None else ""
        after = f" after {attempts} attempts" if attempts > 1 else ""
        return ProviderError(f"managed-agents{place}: {fault}{after}", fault)

    def variant(
        self, model: str, effort: str | None, agent: str | None, version: int | None, environment: str | None
    ) -> Variant:
        """The agent to make sessions of; found or made on first use, the same for the rest of the process."""
        key = (model, effort, agent, version, environment)
        with self._lock:
            if key not in self._variants:
                place = environment or self.attempt(self._environment)
                made = self._own(model, effort) if agent is None else self._given(agent, version)
                self._variants[key] = attrs.evolve(made, environment=place, model=model or made.model)
            return self._variants[key]

    def _environment(self) -> str:
        environments = self._beta.environments
        for known in environments.list(limit=PAGE, timeout=_timeout()):
            network = as_event(known).get("config", {}).get("networking", {})
            if known.name == NAME and network.get("type") == "limited":
                return str(known.id)
        # Nothing of the agent runs there: its tools run here.
        config = {"type": "cloud", "networking": {"type": "limited"}}
        return str(environments.create(name=NAME, config=config, timeout=_timeout()).id)

    def _own(self, model: str, effort: str | None) -> Variant:
        name = f"{NAME} {model}" + (f" {effort}" if effort else "")
        found = self.attempt(lambda: self._find_or_make(name, model_config(model, effort)))
        return Variant(str(found.id), int(found.version), "", model)

    def _find_or_make(self, name: str, model: "str | dict[str, str]") -> Any:
        agents = self._beta.agents
        wanted = model if isinstance(model, str) else model["id"]
        for known in agents.list(limit=PAGE, timeout=_timeout()):
            if known.name == name and known.model.id == wanted and not (known.tools or known.multiagent):
                return known
        return agents.create(name=name, model=model, timeout=_timeout())

    def _given(self, agent: str, version: int | None) -> Variant:
        wanted = {} if version is None else {"version": version}
        found = self.attempt(lambda: self._beta.agents.retrieve(agent, timeout=_timeout(), **wanted))
        if found.multiagent is not None:
            raise ConfigurationError(f"agent {agent} is a team of agents; only one that works alone can be played")
        return Variant(str(found.id), int(found.version), "", str(found.model.id), found.system or "")

    def create_session(self, **body: Any) -> dict[str, Any]:
        """Makes a session."""
        made = self.attempt(lambda: self._beta.sessions.create(**body, timeout=_timeout()))
        return as_event(made)

    def history(self, session: str, until: float = math.inf) -> list[Event]:
        """All events of a session, in order."""
        events = self._beta.sessions.events

        def read() -> list[Event]:
            return [as_event(event) for event in events.list(session, limit=PAGE, timeout=_timeout(until))]

        return self.attempt(read, until=until)

    def send(
        self,
        session: str,
        events: Sequence[Mapping[str, Any]],
        is_there: Callable[[list[Event]], bool] = lambda history: False,
        until: float = math.inf,
    ) -> None:
        """Sends events, once."""

        def do() -> bool:
            self._beta.sessions.events.send(session, events=list(events), timeout=_timeout(until))
            return True

        self.attempt(do, lambda: is_there(self.history(session, until)) or None, until)

    @contextmanager
    def stream(self, session: str, silence_s: float, until: float = math.inf) -> Iterator[Any]:
        """Listens to a session; what happened before is not told."""
        events = self._beta.sessions.events
        stream = self.attempt(lambda: events.stream(session, timeout=_timeout(longest_s=silence_s)), until=until)
        try:
            yield stream
        finally:
            with suppress(Exception):
                stream.close()

    def total(self, session: str) -> tuple[Usage, float | None]:
        """Tokens and list price in USD of a session so far, by its own account."""
        return to_total(as_event(self._beta.sessions.retrieve(session, timeout=_timeout())).get("usage"))

    def is_running(self, session: str, until: float) -> bool:
        """Whether the agent of a session is at work."""
        return self._beta.sessions.retrieve(session, timeout=_timeout(until)).status in ("running", "rescheduling")

    def archive(self, session: str, until: float) -> None:
        """Puts a session away; its events stay readable."""
        self._beta.sessions.archive(session, timeout=_timeout(until))


def model_config(model: str, effort: str | None) -> "str | dict[str, str]":
    """A model as the platform wants it named."""
    return model if effort is None else {"id": model, "effort": effort}


def _timeout(until: float = math.inf, longest_s: float = REQUEST_S) -> float:
    return min(longest_s, max(_SHORTEST_S, until - time.monotonic()))


_making = threading.Lock()


@functools.cache
def _shared(address: str | None, key: str) -> Platform:
    return Platform(AnthropicMessages("managed-agents", {}, Endpoint(address, key, REQUEST_S)))


def platform_at(base_url: str | None) -> Platform:
    """The account that the environment has the key of; one object per process, so that nothing is made twice."""
    address = base_url or os.environ.get("ANTHROPIC_BASE_URL") or None
    with _making:
        return _shared(address, required_key("managed-agents", KEY_VARIABLES))
