"""What a sweep is asked to play: several agents and users over the same scenarios, from a TOML file or from flags."""

import datetime
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.play.opening import read_text
from tool_sandbox.runner.sweep_directory import SWEEP_FILE
from tool_sandbox.world.errors import ConfigurationError

DEFAULT_USERS = ("Scripted",)

_PROFILES = ("published", "strict")
_CLOCKS = ("frozen", "ticking", "system")
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
        scenarios: Names and patterns, ``None`` for all.
        categories: Only scenarios with at least one of these tags; empty for all.
        families: Only scenarios of these families; empty for all.
        augmentations: Only these augmentations; empty for all.
        opt_in: Whether the opt-in augmentations are included.
        seeds: Seeds of the worlds.
        trials: Trials per scenario.
        profile: Scoring rules, ``None`` for those of the scenarios.
        services: Backend of the search tools.
        preferred_tool_backend: Backend of tools that have several.
        concurrency: Conversations at once, over all runs; ``None`` for what suits the providers.
        processes: Worker processes.
        budget: US dollars that all runs together may spend.
        max_tokens_total: Tokens that all runs together may use.
        cache: Directory of stored answers.
        prices: File with prices that take precedence.
        judge: Model that gives a second opinion.
        system_prompt: File with what agents are told in place of every scenario's instruction.
        suite: Where the suite is, ``None`` for that of this package.
        clock: Time in such a suite.
        suite_time: When such a suite is loaded.
        file: The file all this is from, ``None`` if there is none.
    """

    name: str
    agents: tuple[Participant, ...]
    users: tuple[str, ...] = DEFAULT_USERS
    scenarios: tuple[str, ...] | None = None
    categories: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    augmentations: tuple[str, ...] = ()
    opt_in: bool = False
    seeds: tuple[int, ...] = (0,)
    trials: int = 1
    profile: str | None = None
    services: str = "offline"
    preferred_tool_backend: str = "DEFAULT"
    concurrency: int | None = None
    processes: int = 1
    budget: float | None = None
    max_tokens_total: int | None = None
    cache: Path | None = None
    prices: Path | None = None
    judge: str | None = None
    system_prompt: Path | None = None
    suite: str | None = None
    clock: str | None = None
    suite_time: str | None = None
    file: Path | None = None


def read_sweep(path: Path | None, changes: Mapping[str, Any] | None = None) -> Sweep:
    """Reads what a sweep is asked to play.

    Args:
        path: A TOML file; relative paths in it start from its directory. ``None`` if there are only changes.
        changes: Keys that take precedence, such as those of flags.

    Returns:
        The sweep.

    Raises:
        ConfigurationError: The file cannot be read, a key is unknown or has a wrong value, or an agent or user occurs
            twice; one line that names file and key.
    """
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
    return Sweep(**values, file=path)


def _table(path: Path) -> dict[str, Any]:
    if (path / SWEEP_FILE).is_file():
        raise ConfigurationError(f"{path} has been started; to play what is missing: tool_sandbox resume {path}")
    text = read_text(path)
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
        words, read = _KEYS[key]
        try:
            checked[key] = read(value)
        except (TypeError, ValueError) as error:
            # A list says itself which of its entries is wrong.
            told = str(error) or f"has to be {words}, not {_shown(value)}"
            raise ConfigurationError(f"{where}: {key} {told}") from None
    return checked if base is None else _placed(checked, base)


def _placed(values: dict[str, Any], base: Path) -> dict[str, Any]:
    """Values of a file with paths that start from its directory."""
    for key in ("cache", "prices", "system_prompt"):
        if key in values:
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
            raise ConfigurationError(f"{where}: {key} {_shown(entry)} occurs twice; name it once")
        seen.add(entry)


def _shown(value: Any) -> str:
    text = str(value) if isinstance(value, datetime.date | datetime.time) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# Readers raise a ValueError or TypeError, without a text if their words in `_KEYS` say what would be right.


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _positive(value: Any) -> int:
    if _whole(value) < 1:
        raise ValueError
    return int(value)


def _amount(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise ValueError
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _path(value: Any) -> Path:
    return Path(_text(str(value) if isinstance(value, Path) else value))


def _time(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime.datetime) else _text(value)


def _one_of(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return read


def _list_of(words: str, read: Callable[[Any], Any]) -> tuple[str, Callable[[Any], tuple[Any, ...]]]:
    def read_list(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise TypeError(f"has to be a list of {words}, not {_shown(value)}")
        if not value:
            raise ValueError(f"is an empty list; it has to be a list of {words}, at least one")
        return tuple(_entry(entry, words, read) for entry in value)

    return f"a list of {words}", read_list


def _entry(entry: Any, words: str, read: Callable[[Any], Any]) -> Any:
    try:
        return read(entry)
    except (TypeError, ValueError) as error:
        raise ValueError(str(error) or f"has to be a list of {words}, and {_shown(entry)} is none") from None


def _participant(value: Any) -> Participant:
    if not isinstance(value, Mapping):
        # Whatever is shown of it must hold no password.
        from tool_sandbox.models.redaction import without_credentials

        return Participant(_text(value), without_credentials(value))
    for key in value:
        if key not in ("agent", "label"):
            raise ValueError(f'has a table with the key {key!r}; write {{ agent = "NAME", label = "TEXT" }}')
    if "agent" not in value:
        raise ValueError(f'has a table without agent: {_shown(value)}; write {{ agent = "NAME", label = "TEXT" }}')
    known = _participant(value["agent"])
    return attrs.evolve(known, label=_text(value["label"])) if "label" in value else known


_TEXTS = _list_of("texts", _text)

_KEYS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "name": ("a text", _text),
    "agents": _list_of("agents, each a text or a table with agent and label", _participant),
    "users": _TEXTS,
    "scenarios": _TEXTS,
    "categories": _TEXTS,
    "families": _TEXTS,
    "augmentations": _TEXTS,
    "opt_in": ("true or false", _flag),
    "seeds": _list_of("whole numbers", _whole),
    "trials": ("a whole number above 0", _positive),
    "profile": ("published or strict", _one_of(_PROFILES)),
    "services": ("offline, rapidapi, record:PATH or replay:PATH", _text),
    "preferred_tool_backend": ("a text", _text),
    "concurrency": ("a whole number above 0", _positive),
    "processes": ("a whole number above 0", _positive),
    "budget": ("an amount in US dollars above 0", _amount),
    "max_tokens_total": ("a whole number above 0", _positive),
    "cache": ("the path of a directory", _path),
    "prices": ("the path of a file", _path),
    "judge": ("the name of a model", _text),
    "system_prompt": ("the path of a file", _path),
    "suite": ("a path, or the name of an installed module", _text),
    "clock": (", ".join(_CLOCKS), _one_of(_CLOCKS)),
    "suite_time": ("a time such as 2026-03-14T09:30", _time),
}
"""Key to what its value has to be, in words, and to what reads it."""
