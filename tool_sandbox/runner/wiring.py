"""Gives every model of a conversation a session, and turns sessions into results and files."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import REDACTED, keys_in_use, redact, secrets_of, use_keys
from tool_sandbox.models.session import Party, Price, Session, no_price
from tool_sandbox.play.record import Record
from tool_sandbox.records.result import Divergence, Replayed, Result
from tool_sandbox.records.usage import UsageOfParties
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.budget import Budget, BudgetMeter
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.store import TRAJECTORIES, stored_directory
from tool_sandbox.runner.usage import usage_of

if TYPE_CHECKING:
    from tool_sandbox.models.batch_lane import BatchPolicy
    from tool_sandbox.models.batching import Batching
    from tool_sandbox.roles.replay_agent import StoredMessagesRole


@attrs.frozen
class Wiring:
    """How the models of a run are connected. Can be sent to another process.

    Attributes:
        cache: Directory of stored answers, ``None`` for none.
        replays: Stored run that a party is re-played from.
        price: What tokens cost.
        meter: Watches over what this process spends.
        batches: How long to wait in batches, ``None`` to ask in the ordinary way.
        batching: The batches of the run once it is played, in its one process.
    """

    cache: Path | None = None
    replays: Mapping[Party, Path] = attrs.field(factory=dict)
    price: Price = no_price
    meter: BudgetMeter = attrs.field(factory=lambda: BudgetMeter(Budget()))
    batches: "BatchPolicy | None" = None
    batching: "Batching | None" = None

    def into(self, directory: Path) -> "Wiring":
        """The same for a run that is played into a directory, where it says what it sends in batches."""
        if self.batches is None:
            return self
        from tool_sandbox.models.batch_ledger import LEDGER_FILE, BatchLedger
        from tool_sandbox.models.batching import Batching

        return attrs.evolve(self, batching=Batching(BatchLedger(directory / LEDGER_FILE), self.batches))

    def playing(self, episode: Episode) -> AbstractContextManager[None]:
        """What a conversation is played in, until all its files are written."""
        return nullcontext() if self.batching is None else self.batching.playing(episode.directory)

    def connect(self, roles: Mapping[Party, BaseRole], episode: Episode, judge: Provider | None = None) -> "Wires":
        """Gives each role that is a model a session of its own."""
        stored = self._stored(roles, episode)
        # Anything may call itself a session; one of ours says that a model plays.
        models = {party: role for party, role in roles.items() if isinstance(getattr(role, "session", None), Session)}
        if not models and judge is None:
            return Wires(stored=stored)
        providers = [judge, *(getattr(role, "provider", None) for role in models.values())]
        use_keys(secret for provider in providers if provider for secret in secrets_of(provider.endpoint))
        use_keys(secret for role in models.values() for secret in getattr(role, "secrets", ()))
        secrets = keys_in_use()
        wires = Wires(secrets, stored)
        for party, role in models.items():
            session = self._open(party, episode, secrets, getattr(role, "provider", None))
            role.session = session  # type: ignore[attr-defined]
            # The name of a custom agent says nothing about the model behind it.
            is_named = getattr(role, "is_a_model", True)
            wires.sessions[party] = session, str(getattr(role, "model_name", "")) if is_named else ""
        if judge is not None:
            wires.sessions["judge"] = self._open("judge", episode, secrets, judge), judge.model
        return wires

    def _stored(self, roles: Mapping[Party, BaseRole], episode: Episode) -> "dict[Party, StoredMessagesRole]":
        """The parties that say again what they said in a stored run, told which conversation that was."""
        if not self.replays:
            return {}
        from tool_sandbox.roles.replay_agent import StoredMessagesRole

        stored = {party: role for party, role in roles.items() if isinstance(role, StoredMessagesRole)}
        for role in stored.values():
            role.episode_directory = stored_directory(role.run_directory, episode)
        return stored

    def _open(self, party: Party, episode: Episode, secrets: tuple[str, ...], provider: Provider | None) -> Session:
        from tool_sandbox.models.wiretap import WireSettings, open_session

        replay = self.replays.get(party)
        return open_session(
            party,
            settings=WireSettings(self.cache, self.batching),
            trial=episode.trial,
            replay=None if replay is None else replay / TRAJECTORIES / stored_directory(replay, episode),
            meter=self.meter,
            price=self.price,
            secrets=secrets,
            provider=provider,
            conversation=episode.directory,
        )


@attrs.frozen
class Wires:
    """The sessions of one conversation.

    Attributes:
        secrets: Texts that must not be written anywhere.
        stored: Parties that say again what they said in a stored run.
        sessions: Party to its session and the model that it asks.
    """

    secrets: tuple[str, ...] = ()
    stored: "Mapping[Party, StoredMessagesRole]" = attrs.field(factory=dict)
    sessions: dict[Party, tuple[Session, str]] = attrs.field(factory=dict)

    def finish(self, result: Result, record: Record) -> Result:
        """Adds what the models did to a result, takes secrets out of it, and keeps the calls."""
        result["usage"], result["replay"] = self.usage(), self._replay()
        if result["traceback"] is not None or result["reason"] is not None:
            result["traceback"], result["reason"] = self._clean(result["traceback"]), self._clean(result["reason"])
        if result["judge"] is not None:
            result["judge"]["error"] = self._clean(result["judge"]["error"])
            for said in result["judge"].get("false_statements") or ():
                said["sentence"], said["reason"] = map(self._without_pieces, (said["sentence"], said["reason"]))
        for finding in result.get("unsupported") or ():
            finding["said"] = self._without_pieces(finding["said"])
        if self.sessions:
            from tool_sandbox.models.wiretap import recorded_lines

            # Also those of a call that ended in no record, because something unforeseen was raised.
            record.put_lines("exchanges", recorded_lines([session for session, _ in self.sessions.values()]))
        if any(session.calls for session, _ in self.sessions.values()):
            calls = {party: list(map(attrs.asdict, session.calls)) for party, (session, _) in self.sessions.items()}
            record.put("model_calls", self._clean(calls))
        if logs := [session.log for session, _ in self.sessions.values() if session.log]:
            from tool_sandbox.models.plain import plain

            # What agents with a loop of their own reported, one line per event.
            events = (json.dumps(plain(self._clean(event)), ensure_ascii=False) for log in logs for event in log)
            record.put_lines("agent_events", (event.encode("utf-8", "backslashreplace") for event in events))
        return result

    def usage(self) -> UsageOfParties:
        """What each party used."""
        used = {party: usage_of(session, model) for party, (session, model) in self.sessions.items()}
        return {"agent": used.get("agent"), "user": used.get("user"), "judge": used.get("judge")}

    def _replay(self) -> Replayed | None:
        notes: dict[Party, Any] = {party: role.replay for party, role in self.stored.items() if role.replay}
        for party, (session, _) in self.sessions.items():
            if "replay" in session.notes:
                notes[party] = session.notes["replay"]
        if not notes:
            return None
        return {
            "calls": sum(note["calls"] for note in notes.values()),
            "unused": sum(note["unused"] for note in notes.values()),
            "divergences": [
                cast(Divergence, {"party": party, **entry})
                for party, note in notes.items()
                for entry in note["divergences"]
            ],
        }

    def _clean(self, value: Any) -> Any:
        """A copy of JSON values without secrets."""
        return _redacted(value, self.secrets or keys_in_use())

    def _without_pieces(self, said: str) -> str:
        """A value as a reader found it in a text, unless it is a piece of a secret."""
        from tool_sandbox.answers.facts._text import normalise

        secrets = self.secrets or keys_in_use()
        return REDACTED if any(said in normalise(secret) for secret in secrets) else self._clean(said)


def _redacted(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, Mapping):
        return {key: _redacted(entry, secrets) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(entry, secrets) for entry in value]
    return value
