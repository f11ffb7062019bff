"""Which models there are, and which are no longer served: facts with a date and a source, in ``data/models.json``."""

import datetime
import functools
import json
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

import attrs

from tool_sandbox.world.errors import ConfigurationError

Status = Literal["current", "legacy", "deprecated", "retired"]


@attrs.frozen
class KnownModel:
    """A model that the catalogue knows.

    Attributes:
        provider: Who serves it.
        id: Its id, the first of its names.
        aliases: Other names of it.
        is_current: Whether no newer model takes its place.
        ends: First day on which it is not served, ``None`` if none is announced.
        successor: Model to use instead, ``None`` if the vendor names none.
        note: What else has to be said, empty for nothing.
        source: Where this is stated.
    """

    provider: str
    id: str
    aliases: tuple[str, ...]
    is_current: bool
    ends: datetime.date | None
    successor: str | None
    note: str
    source: str

    def status(self, day: datetime.date | None = None) -> Status:
        """Its place in its life, on a day (today by default)."""
        if self.ends is None:
            return "current" if self.is_current else "legacy"
        return "retired" if self.ends <= (day or today()) else "deprecated"


@attrs.frozen
class Retirement:
    """The end of a model.

    Attributes:
        date: First day on which it is not served.
        successor: Model to use instead, ``None`` if the vendor names none.
    """

    date: datetime.date
    successor: str | None


def today() -> datetime.date:
    """The day that decides which models are retired and which prices hold, where no other is given."""
    return datetime.date.today()


def known_models() -> tuple[KnownModel, ...]:
    """All models of the catalogue, in the order of its file."""
    return tuple(dict.fromkeys(_catalogue().values()))


def known_model(provider: str, model: str) -> KnownModel | None:
    """What is known of a model."""
    # The SDK of Gemini takes names of resources, too.
    return _catalogue().get((provider, model.rpartition("/")[2] if provider == "google" else model))


def retirement(provider: str, model: str) -> Retirement | None:
    """When a model ends or ended."""
    known = known_model(provider, model)
    return Retirement(known.ends, known.successor) if known is not None and known.ends is not None else None


def refuse_retired(provider: str, model: str, day: datetime.date | None = None) -> None:
    """Refuses a model that is no longer served."""
    end = retirement(provider, model)
    if end is None or end.date > (day or today()):
        return
    instead = f"; use {provider}/{end.successor} instead" if end.successor else ""
    raise ConfigurationError(f"{provider}/{model} was retired on {end.date}{instead}")


def warning_about(provider: str, model: str, day: datetime.date | None = None) -> str | None:
    """What to tell a user who chooses a model that is still served, but not for long or not by itself."""
    known = known_model(provider, model)
    if known is None or known.status(day) == "retired":
        return None
    instead = f"; use {provider}/{known.successor} instead" if known.successor else ""
    if known.ends is not None:
        return f"{provider}/{model} ends on {known.ends}{instead}"
    return f"{provider}/{model}: {known.note}{instead}" if known.note else None


def providers_of(model: str) -> list[str]:
    """Providers that the catalogue knows to have a model of this name."""
    return [provider for provider, name in _catalogue() if name == model]


@functools.cache
def _catalogue() -> Mapping[tuple[str, str], KnownModel]:
    text = (resources.files(__package__) / "data" / "models.json").read_text("utf-8")
    content = json.loads(text)
    models = [_model(entry, content["sources"]) for entry in content["models"]]
    return MappingProxyType({(model.provider, name): model for model in models for name in (model.id, *model.aliases)})


def _model(entry: Mapping[str, Any], sources: Mapping[str, str]) -> KnownModel:
    ends = entry.get("ends")
    return KnownModel(
        provider=entry["provider"],
        id=entry["id"],
        aliases=tuple(entry.get("aliases", ())),
        is_current=entry["status"] == "current",
        ends=None if ends is None else datetime.date.fromisoformat(ends),
        successor=entry.get("successor"),
        note=entry.get("note", ""),
        source=sources[entry["source"]],
    )
