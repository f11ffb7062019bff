"""The options of a run, each declared once.

A field of `RunOptions` is an argument of ``tool_sandbox.run``. What is declared with it makes the flag of the command
line, the key of ``sweep.toml`` and ``sweep.json``, the check of what is given, and, where it is recorded as it is, the
key of ``run.json``.
"""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import attrs
from annotated_types import MinLen

from tool_sandbox.records.declaring import Amount, Noted, Positive, ProfileName, Whole, WholeText
from tool_sandbox.world.profile import Profile

_LONGEST = 60


@attrs.frozen
class Kind:
    """What a value of an option may be.

    Attributes:
        words: What it has to be, in words.
        read: Makes a value of what Python or a file says; raises a ``ValueError`` or ``TypeError`` for anything else.
        plural: What a list of such values is a list of.
        convert: Makes a number or path of a word of the command line, ``None`` where it stays a text.
        metavar: What stands for the value in the help of a flag.
        choices: The texts that are possible, empty for others.
        record: Type of the value in the files of a run.
    """

    words: str
    read: Callable[[Any], Any]
    plural: str = ""
    convert: Callable[[str], Any] | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    record: Any = str

    def parse(self, text: str) -> Any:
        """Reads a word of a command line.

        Args:
            text: The word.

        Raises:
            ValueError: It is something else.
        """
        return self.read(text if self.convert is None else self.convert(text))


@attrs.frozen
class Option:
    """What is declared of an option beside its name, type and default.

    Attributes:
        kind: What a value may be.
        help: What it is for, in a few words.
        group: Under which heading the command line lists its flag.
        flags: The flags, where they are not the name alone.
        several: How a flag takes more than one value: all behind it, at least one, or one each time it is repeated.
        key: What files call it, where that is not the name.
        usual: What is meant where nothing was said, and nothing else follows from a run that is replayed.
        python: What it is for in Python, where a value can be more than on the command line.
        is_swept: Whether a sweep has it.
        record: Whether ``run.json`` has it as it is: always, or perhaps, because runs of earlier versions do not.
        is_repeated: Whether a replay takes it from ``run.json``, where it was not given.
    """

    kind: Kind
    help: str
    group: str
    flags: tuple[str, ...] = ()
    several: Literal["any", "some", "repeated"] | None = None
    key: str | None = None
    usual: Any = None
    python: str | None = None
    is_swept: bool = True
    record: Literal["always", "perhaps"] | None = None
    is_repeated: bool = False

    def read(self, value: Any) -> Any:
        """Reads what a file says, which is a list where several values are possible.

        Args:
            value: The value.

        Raises:
            ValueError: It is something else; the message goes on after the name of the key.
        """
        if self.several is None:
            try:
                return self.kind.read(value)
            except (TypeError, ValueError):
                raise ValueError(f"has to be {self.kind.words}, not {shown(value)}") from None
        return list_of(self.kind.plural, self.kind.read)(value)


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    text = str(value) if isinstance(value, datetime.date | datetime.time) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def list_of(words: str, read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads a list with at least one entry.

    Args:
        words: What its entries are.
        read: Reads one.
    """

    def read_list(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise TypeError(f"has to be a list of {words}, not {shown(value)}")
        if not value:
            raise ValueError(f"is an empty list; it has to be a list of {words}, at least one")
        return tuple(map(read_entry, value))

    def read_entry(entry: Any) -> Any:
        try:
            return read(entry)
        except (TypeError, ValueError) as error:
            raise ValueError(str(error) or f"has to be a list of {words}, and {shown(entry)} is none") from None

    return read_list


# Kinds ---------------------------------------------------------------------------------------


def read_text(value: Any) -> str:
    """Takes any text that is not blank.

    Raises:
        ValueError: It is none; without a text, as for all that read one value.
    """
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
    return Path(read_text(str(value) if isinstance(value, Path) else value))


def _time(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime.datetime) else read_text(value)


def _one_of(*choices: str, record: Any = str) -> Kind:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    words = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Kind(words, read, choices=choices, record=record)


TEXT = Kind("a text", read_text, "texts", metavar="NAME")
WHOLE = Kind("a whole number", _whole, "whole numbers", int, "N", record=Whole)
POSITIVE = Kind("a positive whole number", _positive, convert=int, metavar="N", record=Positive)
AMOUNT = Kind("an amount in US dollars", _amount, convert=float, metavar="USD", record=Amount)
FLAG = Kind("true or false", _flag, record=bool)
FILE = Kind("the path of a file", _path, convert=Path, metavar="FILE")
DIRECTORY = Kind("the path of a directory", _path, convert=Path, metavar="DIR")
_PROFILE = _one_of(*map(str, Profile), record=ProfileName)
_MODEL = Kind("the name of a model", read_text, metavar="MODEL")
_SERVICE = Kind("offline, rapidapi, record:PATH or replay:PATH", read_text, metavar="WHAT")
_BACKEND = attrs.evolve(TEXT, record=WholeText)
_SUITE = Kind("a path, or the name of an installed module", read_text, metavar="PATH")
_CLOCK = _one_of("frozen", "ticking", "system")
_TIME = Kind("a time such as 2026-03-14T09:30", _time, metavar="TIME")


# Options -------------------------------------------------------------------------------------

_DECLARED = "option"


def option(kind: Kind, help: str, group: str, **more: Any) -> Mapping[str, Option]:
    """Declares a field to be an option, as its ``metadata``.

    Args:
        kind: What a value may be.
        help: What it is for, in a few words.
        group: Under which heading the command line lists its flag.
        more: What else an `Option` says.
    """
    return {_DECLARED: Option(kind, help, group, **more)}


def declared_of(field: "attrs.Attribute[Any]") -> Option:
    """What is declared of a field that is an option."""
    declared: Option = field.metadata[_DECLARED]
    return declared


def options_of(cls: type[attrs.AttrsInstance]) -> Iterator[tuple["attrs.Attribute[Any]", Option]]:
    """The fields of a class that are options, in order, with what is declared of them."""
    return ((field, field.metadata[_DECLARED]) for field in attrs.fields(cls) if _DECLARED in field.metadata)


def _several(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def _seeds(given: int | Sequence[int] | None) -> Sequence[int] | None:
    return given if given is None or isinstance(given, Sequence) else [given]


def _to_path(given: str | Path | None) -> Path | None:
    return Path(given) if isinstance(given, str) else given


def _to_folder(given: str | Path) -> Path:
    return Path(given) if isinstance(given, str) else given


def _to_text(given: str | Path | None) -> str | None:
    return str(given) if isinstance(given, Path) else given


@attrs.define(kw_only=True)
class RunOptions:
    """What a run can be asked to be, but for the agent. `Option` says what is declared of each field."""

    user: "str | Callable[[], Any] | None" = attrs.field(
        default=None,
        metadata=option(
            TEXT,
            "the user (default: Scripted)",
            "agent and user",
            key="users",
            python="The user, ``Scripted`` by default: a name, or a subclass of ``BaseRole``.",
            is_swept=False,
        ),
    )
    system_prompt: str | Path | None = attrs.field(
        default=None,
        metadata=option(
            FILE,
            "system prompt of the agent, in place of every scenario's instruction",
            "agent and user",
            python="What the agent is told in place of every scenario's instruction: the text, or the ``Path`` of a "
            "file.",
        ),
    )
    scenarios: "Sequence[str] | Mapping[str, Any] | None" = attrs.field(
        default=None,
        metadata=option(
            TEXT,
            "names or patterns such as 'wifi*' (default: all)",
            "scenarios",
            flags=("-s", "--scenario", "--scenarios"),
            several="any",
            python='Names or patterns (``"wifi*"``), by default all; or `Scenario` objects, functions with '
            "`scenario`, or a dictionary of names to `Scenario` objects.",
        ),
    )
    category: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=option(
            TEXT,
            "only scenarios with this tag",
            "scenarios",
            flags=("--tag", "--category"),
            several="repeated",
            key="categories",
        ),
    )
    family: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=option(TEXT, "only this family of scenarios", "scenarios", several="repeated", key="families"),
    )
    augmentation: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=option(
            TEXT,
            "only this augmentation, which may be an opt-in one such as large_world or flaky_service",
            "scenarios",
            several="repeated",
            key="augmentations",
        ),
    )
    opt_in: bool = attrs.field(
        default=False,
        metadata=option(FLAG, "also the opt-in augmentations (default: the published eight)", "scenarios"),
    )
    test_mode: bool = attrs.field(
        default=False,
        metadata=option(
            FLAG,
            "only a few scenarios, as a smoke test",
            "scenarios",
            flags=("-t", "--test-mode", "--test_mode"),
            is_swept=False,
        ),
    )
    seed: Sequence[int] | None = attrs.field(
        default=None,
        converter=_seeds,
        metadata=option(
            WHOLE,
            "seeds of the worlds (default: 0)",
            "scenarios",
            several="some",
            key="seeds",
            usual=(0,),
            record="always",
            is_repeated=True,
        ),
    )
    trials: int | None = attrs.field(
        default=None,
        metadata=option(
            POSITIVE, "trials per scenario (default: 1)", "scenarios", usual=1, record="always", is_repeated=True
        ),
    )
    profile: str | None = attrs.field(
        default=None,
        metadata=option(
            _PROFILE, "scoring rules (default: the scenario's)", "scenarios", record="always", is_repeated=True
        ),
    )
    suite: str | None = attrs.field(
        default=None,
        converter=_to_text,
        metadata=option(
            _SUITE,
            "suite of another package, whose code is run: a checkout of the published benchmark, a package, a Python "
            "file, or the name of an installed module",
            "scenarios",
        ),
    )
    clock: str | None = attrs.field(
        default=None,
        metadata=option(
            _CLOCK,
            "clock of such a suite: stopped when it is loaded, one second per message from then on, or that of the "
            "machine (default: frozen)",
            "scenarios",
            is_repeated=True,
        ),
    )
    suite_time: str | None = attrs.field(
        default=None,
        metadata=option(
            _TIME,
            "load such a suite as if it were TIME (ISO 8601)",
            "scenarios",
            is_repeated=True,
            flags=("--suite-time", "--suite_time"),
        ),
    )
    budget: float | None = attrs.field(
        default=None,
        metadata=option(AMOUNT, "stop when this much is spent, in US dollars by the price table", "models"),
    )
    max_tokens_total: int | None = attrs.field(
        default=None, metadata=option(POSITIVE, "stop when this many tokens are used", "models")
    )
    judge: str | None = attrs.field(
        default=None,
        metadata=option(
            _MODEL, "model that gives a second opinion on answers and decides unclear ones", "models", record="perhaps"
        ),
    )
    cache: Path | None = attrs.field(
        default=None,
        converter=_to_path,
        metadata=option(
            DIRECTORY, "cache the answers of models here; none is paid for twice", "models", record="perhaps"
        ),
    )
    prices: Path | None = attrs.field(
        default=None,
        converter=_to_path,
        metadata=option(FILE, "your own price table; takes precedence over the built-in one", "models"),
    )
    concurrency: int | None = attrs.field(
        default=None,
        metadata=option(
            POSITIVE,
            "conversations at once (default: what suits the providers; see: tool_sandbox agents)",
            "execution",
            flags=("--concurrency", "--parallel", "-p"),
        ),
    )
    processes: int | None = attrs.field(
        default=None,
        metadata=option(
            POSITIVE,
            "worker processes (default: 1; more, as cores allow, for 128 or more conversations at once)",
            "execution",
        ),
    )
    output_dir: Path = attrs.field(
        default=Path("data"),
        converter=_to_folder,
        metadata=option(
            DIRECTORY,
            "directory for the runs (default: data)",
            "execution",
            flags=("-o", "--output-dir", "--output_dir"),
            is_swept=False,
        ),
    )
    services: str = attrs.field(
        default="offline",
        metadata=option(
            _SERVICE,
            "backend of the search tools: offline, rapidapi, record:PATH or replay:PATH (default: offline)",
            "execution",
        ),
    )
    preferred_tool_backend: str = attrs.field(
        default="DEFAULT",
        metadata=option(
            _BACKEND,
            "for tools with several backends",
            "execution",
            flags=("--preferred-tool-backend", "--preferred_tool_backend"),
            record="always",
            is_repeated=True,
        ),
    )


def sweep_keys() -> dict[str, Any]:
    """Key to type of the options that ``sweep.json`` has."""
    return {key: kind for key, kind, declared in _file_keys() if declared.is_swept}


def run_keys() -> dict[str, Any]:
    """Key to type of the options that ``run.json`` has as they are."""
    found = [(key, kind, declared.record) for key, kind, declared in _file_keys() if declared.record]
    return {key: kind if record == "always" else NotRequired[kind] for key, kind, record in found}


def recorded(run: Mapping[str, Any]) -> dict[str, Any]:
    """The options that ``run.json`` has as they are, by their names in Python; ``None`` for those it lacks.

    Args:
        run: Its content.
    """
    declared = [(field.name, one) for field, one in options_of(RunOptions) if one.record]
    return {name: run.get(one.key or name) for name, one in declared}


def _file_keys() -> Iterator[tuple[str, Any, Option]]:
    for field, declared in options_of(RunOptions):
        kind: Any = declared.kind.record
        if declared.several is not None:
            kind = Annotated[list[kind], MinLen(1)] if declared.several == "some" else list[kind]
        if declared.usual is None and field.default is None:
            kind = kind | None
        yield declared.key or field.name, Annotated[kind, Noted("description", declared.help)], declared
