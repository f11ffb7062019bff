"""Sessions of which all traffic is recorded, and the file that keeps it."""

import heapq
from collections.abc import Iterable
from pathlib import Path

import attrs

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.opening import read_bytes
from tool_sandbox.common.trajectory_files import write_bytes
from tool_sandbox.models.cache import CachedSource, response_cache
from tool_sandbox.models.exchange import Exchange, exchanges_from_lines
from tool_sandbox.models.recording import Recorder, Source, from_network
from tool_sandbox.models.replay import ReplaySource
from tool_sandbox.models.session import Meter, Party, Price, Session

EXCHANGES_FILE = "exchanges.jsonl"
"""Name of the file with the exchanges of a conversation, in the conversation's directory."""


@attrs.frozen
class WireSettings:
    """What happens to the traffic of a run. Can be sent to other processes.

    Attributes:
        cache: Directory of the response cache, ``None`` for no cache.
    """

    cache: Path | None = None

    def check(self) -> None:
        """To be called before the run begins.

        Raises:
            ConfigurationError: The cache cannot be written to.
        """
        if self.cache is not None:
            response_cache(self.cache.absolute())


def open_session(
    party: Party,
    *,
    settings: WireSettings,
    episode_directory: str,
    trial: int,
    replay: Path | None,
    meter: Meter,
    price: Price,
    secrets: Iterable[str],
) -> Session:
    """Begins the session of one party in one conversation.

    Args:
        party: Whose model it is.
        settings: What happens to the traffic.
        episode_directory: Name of the conversation's directory, the same in every run of it.
        trial: Number of the repetition; each has answers of its own in the cache.
        replay: Directory of the run whose stored answers are served, ``None`` to ask the provider.
        meter: Watches over what the run spends.
        price: What tokens cost.
        secrets: What must not be written down, see ``secrets_of``.

    Returns:
        A session whose tap records every exchange.

    Raises:
        ConfigurationError: The cache cannot be used, or the stored exchanges cannot be read.
    """
    session = Session(party, meter=meter, price=price)
    source: Source = from_network
    if replay is not None:
        stored = read_exchanges(replay / "trajectories" / episode_directory, replay)
        source = ReplaySource((exchange for exchange in stored if exchange.party == party), session)
    elif settings.cache is not None:
        source = CachedSource(response_cache(settings.cache.absolute()), trial)
    session.tap = Recorder(session, source, tuple(secrets))
    return session


def write_exchanges(sessions: Iterable[Session], directory: Path) -> None:
    """Writes ``exchanges.jsonl``, one line an exchange, oldest first; nothing if there were none.

    Args:
        sessions: Sessions of one conversation.
        directory: The conversation's directory, which exists.

    Raises:
        OSError: The file cannot be written.
    """
    recorded = [session.tap.lines for session in sessions if isinstance(session.tap, Recorder)]
    # A merge keeps the order within each party even where the clock of the machine was set back.
    lines = [line for _, line in heapq.merge(*recorded, key=lambda entry: entry[0])]
    if lines:
        write_bytes(directory / EXCHANGES_FILE, b"\n".join((*lines, b"")))


def read_exchanges(directory: Path, within: Path | None = None) -> list[Exchange]:
    """Reads ``exchanges.jsonl``.

    Args:
        directory: The conversation's directory.
        within: Directory of the run, out of which no link may lead; by default that of the conversation.

    Returns:
        The exchanges, oldest first; none if there is no such file.

    Raises:
        ConfigurationError: The file cannot be read or is damaged; the message says in which line.
    """
    path = directory / EXCHANGES_FILE
    try:
        data = read_bytes(path, within or directory)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror or error}") from error
    lines = enumerate(data.split(b"\n"), start=1)
    return exchanges_from_lines((f"{path}:{number}", line) for number, line in lines if line.strip())
