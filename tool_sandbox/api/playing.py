"""Plays runs as the command line does, for programs and notebooks."""

import functools
import inspect
import signal
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import attrs

from tool_sandbox.analysis import data_loading
from tool_sandbox.api.runs import Run
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.records.kinds import FLAG
from tool_sandbox.records.options import option, options_of
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.store import RUN_FILE
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.runner.run import PreparedRun
    from tool_sandbox.scenarios.definition import Definition

    OneScenario = str | Scenario | Definition

P = ParamSpec("P")


def chosen_scenarios(
    given: "OneScenario | Iterable[OneScenario] | Mapping[str, Scenario] | None",
) -> "Sequence[str] | Mapping[str, Scenario] | None":
    """What names, patterns and objects mean.

    Args:
        given: As for `run`.

    Returns:
        Names and patterns, or name to scenario.

    Raises:
        ConfigurationError: They are neither, or both at once.
    """
    if given is None or isinstance(given, Mapping):
        return given
    each: list[Any] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if all(isinstance(one, str) for one in each):
        return each
    if any(isinstance(one, str) for one in each):
        raise ConfigurationError("scenarios are names or objects, and not both at once")
    built = [_built(one) for one in each]
    named = {scenario.name: scenario for scenario in built}
    if len(named) < len(built) or "" in named:
        raise ConfigurationError("two scenarios have the same name, or one has none; give a dictionary of names")
    return named


def _built(given: Any) -> Scenario:
    if isinstance(given, Scenario):
        return given
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
    from tool_sandbox.scenarios.build import build
    from tool_sandbox.scenarios.definition import Definition

    if not isinstance(given, Definition):
        raise ConfigurationError(f"{given!r:.80} is neither the name of a scenario nor a scenario")
    return build(given, AUGMENTATIONS[:1])[given.name]


@attrs.define
class Call(Request):
    """What `run` is called with; see `tool_sandbox.records.options` for what is declared of each field."""

    scenarios: "Sequence[str] | Mapping[str, Scenario] | None" = attrs.field(
        default=None, kw_only=True, converter=chosen_scenarios, metadata=attrs.fields(Request).scenarios.metadata
    )
    progress: bool | None = attrs.field(
        default=None,
        kw_only=True,
        metadata=option(
            FLAG,
            "whether to show how far it is, on standard error. By default on a terminal, and elsewhere only a line at "
            "the beginning; with ``False`` nothing at all is written",
            "execution",
        ),
    )


def _called_with(call: Callable[P, Call]) -> Callable[[Callable[[Call], Run]], Callable[P, Run]]:
    """Gives a function the arguments of a `Call`, described as they are declared."""

    def called(function: Callable[[Call], Run]) -> Callable[P, Run]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> Run:
            return function(call(*args, **kwargs))

        signature = inspect.signature(call)
        run.__signature__ = signature.replace(return_annotation=Run)  # type: ignore[attr-defined]
        run.__doc__ = (function.__doc__ or "").replace("    Returns:\n", f"{_arguments()}\n    Returns:\n")
        return run

    return called


def _arguments() -> str:
    """What is declared of the arguments, as a docstring has it."""
    lines = ["    Args:"]
    for field, declared in sorted(options_of(Call), key=lambda each: each[0].kw_only):
        several = "; or a list of them" if declared.several == "repeated" else ""
        told = declared.python or f"{declared.help[0].upper()}{declared.help[1:]}{several}."
        if declared.kind.choices:
            told += f" One of {', '.join(f'``{choice}``' for choice in declared.kind.choices)}."
        lines += textwrap.wrap(f"{field.name}: {told}", 120, initial_indent=" " * 8, subsequent_indent=" " * 12)
    return "\n".join([*lines, ""])


@_called_with(Call)
def run(call: Call) -> Run:
    """Plays scenarios and scores them, as the command line does; arguments are named like its flags.

    It can be called from a script, a thread, or a notebook, whose event loop is left alone. An interrupt (Control-C, or
    the button of a notebook) sums up what was played before it is raised; `load` reads it. With several processes,
    agent, user and scenarios have to be importable by name.

    Returns:
        The run, whose files are all written. Conversations that could not be played are in it, and in its ``problems``.

    Raises:
        ConfigurationError: One line that says what is wrong: an unknown agent, model or scenario, a key or package that
            is missing, values that make no sense, a directory that cannot be written to.
    """
    return _played(call.prepare(), call.output_dir, call.progress)


def _played(prepared: "PreparedRun", output_dir: str | Path, progress: bool | None) -> Run:
    from tool_sandbox.cli.playing import play_shown

    finished = play_shown(
        prepared,
        output_dir,
        None if progress is False else sys.stderr,
        shows_progress=sys.stderr.isatty() if progress is None else progress,
        signals=[signal.SIGINT],
    )
    if finished.summary["run"]["interrupted"]:
        raise KeyboardInterrupt(f"finished conversations are in {finished.path}")
    if (finished.path / RUN_FILE).exists():
        floors_of(finished.path, prepared.source)
    return Run(data_loading.LoadedRun(finished.path, finished.summary))
