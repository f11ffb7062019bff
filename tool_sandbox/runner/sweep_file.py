"""What a sweep is asked to play: several agents and users over the same scenarios, from a TOML file or from flags."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.redaction import without_credentials
from tool_sandbox.play import opening
from tool_sandbox.records.kinds import list_of, read_text, shown
from tool_sandbox.records.options import Option, options_of
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.sweep_directory import SWEEP_FILE
from tool_sandbox.world.errors import ConfigurationError

DEFAULT_USERS = ("Scripted",)

_SERVICE_WITH_PATH = re.compile(r"(record|replay):(.+)")


@attrs.frozen
class Participant:
    """One agent of a sweep.

    Attributes:
        agent: Who plays, as ``tool_sandbox agents`` lists it.
        label: What it is called in tables.
    """

    agent: str
    label: str


@attrs.frozen(kw_only=True)
class Sweep:
    """What a sweep is asked to play. Each agent meets each user in a run of its own.

    Attributes:
        name: What the sweep is called; its directory is named after it.
        agents: The agents.
        users: The users.
        asked: What all the runs are asked to be. Concurrency and what may be spent are for all of them together.
        file: The file all this is from, ``None`` if there is none.
    """

    name: str
    agents: tuple[Participant, ...]
    users: tuple[str, ...] = DEFAULT_USERS
    asked: Request = attrs.field(factory=Request)
    file: Path | None = None

    @property
    def patterns(self) -> Sequence[str] | None:
        """Names and patterns of the scenarios, ``None`` for all; a sweep is given no objects."""
        return None if self.asked.scenarios is None else list(self.asked.scenarios)


def read_sweep(path: Path | None, changes: Mapping[str, Any] | None = None) -> Sweep:
    """Reads what a sweep is asked to play."""
    values: dict[str, Any] = {} if path is None else _checked(_table(path), str(path), path.parent)
    values |= _checked(changes or {}, "the sweep")
    where = "the sweep" if path is None else str(path)
    if "agents" not in values:
        raise ConfigurationError(f'{where}: no agents are named; write, for example, agents = ["Oracle", "Unhelpful"]')
    values.setdefault("name", "agents" if path is None else path.stem)
    _refuse_twins("agents", [participant.agent for participant in values["agents"]], where)
    _refuse_twins("agents: the label", [participant.label for participant in values["agents"]], where)
    for key in ("users", "seeds"):
        _refuse_twins(key, values.get(key, ()), where)
    # Where nothing is said, all runs share one process, which knows what models are asked at once.
    asked = {"processes": 1} | {_OPTIONS[key][0]: value for key, value in values.items() if key in _OPTIONS}
    own = {key: value for key, value in values.items() if key not in _OPTIONS}
    return Sweep(**own, asked=Request(**asked), file=path)


def _table(path: Path) -> dict[str, Any]:
    if (path / SWEEP_FILE).is_file():
        raise ConfigurationError(f"{path} has been started; to play what is missing: tool_sandbox resume {path}")
    text = opening.read_text(path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not a TOML file: {error}") from error


def _checked(table: Mapping[str, Any], where: str, base: Path | None = None) -> dict[str, Any]:
    """The values of a table as a sweep has them."""
    checked = {}
    for key, value in table.items():
        if key not in _KEYS:
            close = suggest(key, _KEYS)
            hint = f" Did you mean: {close[0]}?" if close else ""
            raise ConfigurationError(f"{where}: there is no key {key!r}; there are {', '.join(_KEYS)}.{hint}")
        try:
            checked[key] = _KEYS[key](value)
        except (TypeError, ValueError) as error:
            told = str(error) or f"has to be a text, not {shown(value)}"
            raise ConfigurationError(f"{where}: {key} {told}") from None
    return checked if base is None else _placed(checked, base)


def _placed(values: dict[str, Any], base: Path) -> dict[str, Any]:
    """Values of a file with paths that start from its directory."""
    for key, (_, declared) in _OPTIONS.items():
        if key in values and declared.kind.convert is Path:
            values[key] = base / values[key].expanduser()
    if "suite" in values and (base / values["suite"]).exists():
        # The name of an installed module stays what it is.
        values["suite"] = str(base / values["suite"])
    if match := _SERVICE_WITH_PATH.fullmatch(values.get("services", "")):
        values["services"] = f"{match[1]}:{base / Path(match[2]).expanduser()}"
    return values


def _refuse_twins(key: str, entries: Iterable[object], where: str) -> None:
    seen = set()
    for entry in entries:
        if entry in seen:
            raise ConfigurationError(f"{where}: {key} {shown(entry)} occurs twice; name it once")
        seen.add(entry)


def _participant(value: Any) -> Participant:
    if not isinstance(value, Mapping):
        # Whatever is shown of it must hold no password.
        return Participant(read_text(value), without_credentials(value))
    for key in value:
        if key not in ("agent", "label"):
            raise ValueError(f'has a table with the key {key!r}; write {{ agent = "NAME", label = "TEXT" }}')
    if "agent" not in value:
        raise ValueError(f'has a table without agent: {shown(value)}; write {{ agent = "NAME", label = "TEXT" }}')
    known = _participant(value["agent"])
    return attrs.evolve(known, label=read_text(value["label"])) if "label" in value else known


_OPTIONS: Mapping[str, tuple[str, Option]] = {
    declared.key or field.name: (field.name, declared) for field, declared in options_of(Request) if declared.is_swept
}
"""Key to the name of the option, and what is declared of it."""

_KEYS: Mapping[str, Callable[[Any], Any]] = {
    "name": read_text,
    "agents": list_of("agents, each a text or a table with agent and label", _participant),
    "users": list_of("texts", read_text),
    **{key: declared.read for key, (_, declared) in _OPTIONS.items()},
}
"""Key to what reads its value."""
