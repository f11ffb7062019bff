"""Sessions of which all traffic is recorded, and what is kept of it."""

import heapq
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.models.cache import CachedSource, response_cache
from tool_sandbox.models.exchange import Exchange, exchanges_from_lines
from tool_sandbox.models.recording import Recorder, Source, from_network
from tool_sandbox.models.replay import ReplaySource
from tool_sandbox.models.session import Meter, Party, Price, Session
from tool_sandbox.play.record import read_lines

if TYPE_CHECKING:
    from tool_sandbox.models.batching import Batching
    from tool_sandbox.models.provider import Provider


@attrs.frozen
class WireSettings:
    """What happens to the traffic of a run. Can be sent to other processes.

    Attributes:
        cache: Directory of the response cache, ``None`` for no cache.
        batching: The batches of the run, ``None`` if there are none; they stay in their process.
    """

    cache: Path | None = None
    batching: "Batching | None" = None

    def check(self) -> None:
        """To be called before the run begins."""
        if self.cache is not None:
            response_cache(self.cache.absolute())


def open_session(
    party: Party,
    *,
    settings: WireSettings,
    trial: int,
    replay: Path | None,
    meter: Meter,
    price: Price,
    secrets: Iterable[str],
    provider: "Provider | None" = None,
    conversation: str = "",
) -> Session:
    """Begins the session of one party in one conversation."""
    session = Session(party, meter=meter, price=price)
    source: Source = from_network
    if replay is not None:
        stored = read_exchanges(replay, replay.parent.parent)
        source = ReplaySource((exchange for exchange in stored if exchange.party == party), session)
    else:
        if settings.batching is not None and provider is not None:
            source = _in_batches(settings.batching, provider, session, conversation, tuple(secrets))
        if settings.cache is not None:
            source = _first(CachedSource(response_cache(settings.cache.absolute()), trial), source)
    session.tap = Recorder(session, source, tuple(secrets))
    return session


def _in_batches(
    batching: "Batching", provider: "Provider", session: Session, conversation: str, secrets: tuple[str, ...]
) -> Source:
    """Answers from batches; a model that has none is asked as in any other run."""
    if provider.no_batches() is not None:
        return lambda asked, fetch: batching.singly(provider, session, fetch)
    from tool_sandbox.models.batching import BatchSource

    return BatchSource(batching, provider, session, conversation, secrets)


def _first(source: Source, then: Source) -> Source:
    """A source that asks another one for what it does not have."""
    return lambda asked, fetch: source(asked, lambda: then(asked, fetch))


def recorded_lines(sessions: Iterable[Session]) -> list[bytes]:
    """What the sessions of one conversation recorded, one line per exchange, oldest first."""
    recorded = [session.tap.lines for session in sessions if isinstance(session.tap, Recorder)]
    # A merge keeps the order within each party even where the clock of the machine was set back.
    return [line for _, line in heapq.merge(*recorded, key=lambda entry: entry[0])]


def read_exchanges(directory: Path, within: Path | None = None) -> list[Exchange]:
    """Reads what models sent and received in a conversation."""
    return exchanges_from_lines(read_lines(directory, "exchanges", within or directory))
