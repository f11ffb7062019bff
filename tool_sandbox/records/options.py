"""The options of a run, each declared once.

A field of `RunOptions` is an argument of ``tool_sandbox.run``. What is declared with it makes the flag of the command
line, the key of ``sweep.toml`` and ``sweep.json``, the check of what is given, and, where it is recorded as it is, the
key of ``run.json``.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import attrs
from annotated_types import MinLen

from tool_sandbox.records import kinds
from tool_sandbox.records.declaring import Noted
from tool_sandbox.records.kinds import Kind, list_of, shown
from tool_sandbox.world.errors import ConfigurationError


@attrs.frozen
class Option:
    """What is declared of an option beside its name, type and default.

    Attributes:
        kind: What a value may be.
        help: What it is for, in a few words.
        group: Under which heading the command line lists its flag.
        flags: The flags, where they are not the name alone.
        several: How a flag takes more than one value: ``any`` number behind it, ``some`` but not none, or one each time
            that it is ``repeated``.
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
    if not isinstance(given, str):
        return given
    try:
        return kinds.folder(given)
    except ValueError:
        raise ConfigurationError(f"output_dir has to be {kinds.OUTPUT.words}, not {kinds.shown(given)}") from None


def _to_text(given: str | Path | None) -> str | None:
    return str(given) if isinstance(given, Path) else given


_who = functools.partial(option, group="agent and user")
_what = functools.partial(option, group="scenarios")
_models = functools.partial(option, group="models")
_how = functools.partial(option, group="execution")


@attrs.define(kw_only=True)
class RunOptions:
    """What a run can be asked to be, but for the agent. `Option` says what is declared of each field."""

    user: "str | Callable[[], Any] | None" = attrs.field(
        default=None,
        metadata=_who(
            kinds.TEXT,
            "the user (default: Scripted)",
            python="The user, ``Scripted`` by default: a name, a function ``(messages) -> text or None``, or a "
            "subclass of ``BaseRole``.",
            is_swept=False,
        ),
    )
    system_prompt: str | Path | None = attrs.field(
        default=None,
        metadata=_who(
            kinds.FILE,
            "system prompt of the agent, in place of every scenario's instruction",
            python="What the agent is told in place of every scenario's instruction: the text, or the ``Path`` of a "
            "file.",
        ),
    )
    scenarios: "Sequence[str] | Mapping[str, Any] | None" = attrs.field(
        default=None,
        metadata=_what(
            kinds.TEXT,
            "names or patterns such as 'wifi*' (default: all)",
            flags=("-s", "--scenario", "--scenarios"),
            several="any",
            python='Names or patterns (``"wifi*"``), by default all; or `Scenario` objects, functions with '
            "`scenario`, or a dictionary of names to `Scenario` objects.",
        ),
    )
    tier: str | None = attrs.field(
        default=None,
        metadata=_what(
            kinds.TIER, "only scenarios of this tier, core or hard (default: core, unless scenarios are named)"
        ),
    )
    axis: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=_what(
            kinds.TEXT, "only scenarios of the hard tier that are hard in this way", several="repeated", key="axes"
        ),
    )
    subset: int | None = attrs.field(
        default=None,
        metadata=_what(
            kinds.POSITIVE, "only so many base scenarios, a fixed choice that is spread over all axes and families"
        ),
    )
    category: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=_what(
            kinds.TEXT,
            "only scenarios with this tag",
            flags=("--tag", "--category"),
            several="repeated",
            key="categories",
        ),
    )
    family: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=_what(kinds.TEXT, "only this family of scenarios", several="repeated", key="families"),
    )
    augmentation: Sequence[str] = attrs.field(
        default=(),
        converter=_several,
        metadata=_what(
            kinds.TEXT,
            "only this augmentation, which may be an opt-in one such as large_world or flaky_service",
            several="repeated",
            key="augmentations",
        ),
    )
    opt_in: bool = attrs.field(
        default=False, metadata=_what(kinds.FLAG, "also the opt-in augmentations (default: the published eight)")
    )
    test_mode: bool = attrs.field(
        default=False,
        metadata=_what(
            kinds.FLAG,
            "only a few scenarios, as a smoke test",
            flags=("-t", "--test-mode", "--test_mode"),
            is_swept=False,
        ),
    )
    seed: Sequence[int] | None = attrs.field(
        default=None,
        converter=_seeds,
        metadata=_what(
            kinds.WHOLE,
            "seeds of the worlds (default: 0)",
            several="some",
            key="seeds",
            usual=(0,),
            record="always",
            is_repeated=True,
        ),
    )
    trials: int | None = attrs.field(
        default=None,
        metadata=_what(kinds.POSITIVE, "trials per scenario (default: 1)", usual=1, record="always", is_repeated=True),
    )
    profile: str | None = attrs.field(
        default=None,
        metadata=_what(kinds.PROFILE, "scoring rules (default: the scenario's)", record="always", is_repeated=True),
    )
    tools: str = attrs.field(
        default="all",
        metadata=_what(
            kinds.TOOLS,
            "what the agent is offered: all tools of the scenario, or a search tool with which it finds them "
            "(default: all)",
            usual="all",
            record="perhaps",
            is_repeated=True,
        ),
    )
    suite: str | None = attrs.field(
        default=None,
        converter=_to_text,
        metadata=_what(
            kinds.SUITE,
            "suite of another package, whose code is run: a checkout of the published benchmark, a package, a Python "
            "file, or the name of an installed module",
        ),
    )
    clock: str | None = attrs.field(
        default=None,
        metadata=_what(
            kinds.CLOCK,
            "clock of such a suite: stopped when it is loaded, one second per message from then on, or that of the "
            "machine (default: frozen)",
            is_repeated=True,
        ),
    )
    suite_time: str | None = attrs.field(
        default=None,
        metadata=_what(
            kinds.TIME,
            "load such a suite as if it were TIME (ISO 8601)",
            is_repeated=True,
            flags=("--suite-time", "--suite_time"),
        ),
    )
    budget: float | None = attrs.field(
        default=None, metadata=_models(kinds.AMOUNT, "stop when this much is spent, in US dollars by the price table")
    )
    max_tokens_total: int | None = attrs.field(
        default=None, metadata=_models(kinds.POSITIVE, "stop when this many tokens are used")
    )
    judge: str | None = attrs.field(
        default=None,
        metadata=_models(
            kinds.MODEL, "model that gives a second opinion on answers and decides unclear ones", record="perhaps"
        ),
    )
    cache: Path | None = attrs.field(
        default=None,
        converter=_to_path,
        metadata=_models(kinds.DIRECTORY, "cache the answers of models here; none is paid for twice", record="perhaps"),
    )
    prices: Path | None = attrs.field(
        default=None,
        converter=_to_path,
        metadata=_models(kinds.FILE, "your own price table; takes precedence over the built-in one"),
    )
    batch: bool = attrs.field(
        default=False,
        metadata=_models(
            kinds.FLAG,
            "ask the models in batches, at half the price; answers take minutes to hours",
            record="perhaps",
        ),
    )
    batch_patience: str | None = attrs.field(
        default=None,
        metadata=_models(
            kinds.DURATION,
            "longest wait of a request in batches, after which it is sent by itself (default: 24h)",
            flags=("--batch-patience", "--batch_patience"),
            record="perhaps",
        ),
    )
    concurrency: int | None = attrs.field(
        default=None,
        metadata=_how(
            kinds.POSITIVE,
            "conversations at once (default: what suits the providers; see: tool_sandbox agents)",
            flags=("--concurrency", "--parallel", "-p"),
        ),
    )
    processes: int | None = attrs.field(
        default=None,
        metadata=_how(
            kinds.POSITIVE, "worker processes (default: 1; more, as cores allow, for 128 or more conversations at once)"
        ),
    )
    executor: str = attrs.field(
        default="local",
        metadata=_how(kinds.EXECUTOR, "where conversations are played: local, or on a Ray cluster (default: local)"),
    )
    address: str | None = attrs.field(
        default=None,
        metadata=_how(
            attrs.evolve(kinds.TEXT, metavar="HOST:PORT"),
            "address of the Ray cluster, or auto (default: one on this machine, for the run)",
        ),
    )
    output_dir: Path = attrs.field(
        default=Path("data"),
        converter=_to_folder,
        metadata=_how(
            kinds.OUTPUT,
            "directory for the runs, or an address such as s3://BUCKET/NAME (default: data)",
            flags=("-o", "--output-dir", "--output_dir"),
            is_swept=False,
        ),
    )
    services: str = attrs.field(
        default="offline",
        metadata=_how(
            kinds.SERVICE,
            "backend of the search tools: offline, rapidapi, record:PATH or replay:PATH (default: offline)",
        ),
    )
    preferred_tool_backend: str = attrs.field(
        default="DEFAULT",
        metadata=_how(
            kinds.BACKEND,
            "for tools with several backends",
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
