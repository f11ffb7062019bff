"""``tool_sandbox show``: one conversation in the terminal, or two runs side by side."""

import argparse
import fnmatch
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tool_sandbox.cli.conversation_lists import listed
from tool_sandbox.cli.parsing import Parser
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.cli.tables import terminal_width
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import place_of
from tool_sandbox.runner.store import RUN_FILE, RunDirectory
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tool_sandbox.analysis.views import ConversationView

WIDTH = 80
"""Characters a line where there is no terminal."""

WIDE = 120
"""Characters a line from which two conversations stand side by side."""

LISTED = 50
"""Conversations that are listed unless all are asked for."""

_USAGE = "%(prog)s RUN [RUN] [SCENARIO] [options]"
_EPILOG = """\
without SCENARIO: the conversations and their scores, worst first; a pattern such as 'wifi*' lists those that match

exit codes: 0 shown, 2 usage error

examples:
  tool_sandbox show data/RUN                     where it went wrong
  tool_sandbox show data/RUN wifi_off            one conversation
  tool_sandbox show data/RUN_A data/RUN_B wifi_off --trial 1
"""


def parser() -> Parser:
    """The parser of the command."""
    made = Parser(
        prog="tool_sandbox show",
        usage=_USAGE,
        description="Shows one conversation: messages, calls, changes of the world, and why it scored so.",
        epilog=_EPILOG,
    )
    made.add_argument("words", nargs="+", metavar="RUN", help="one run or two, then a scenario")
    made.add_argument("--trial", type=int, metavar="N", help="this trial, if there are several")
    made.add_argument("--seed", type=int, metavar="N", help="this seed, if there are several")
    made.add_argument("--json", action="store_true", help="everything as JSON")
    made.add_argument("--full", action="store_true", help="leave nothing out")
    return made


def command(arguments: argparse.Namespace) -> int:
    """Shows what was asked for."""
    runs, scenario = _split(arguments.words)
    stored = [_Stored(path, arguments.trial, arguments.seed) for path in runs]
    if scenario is None or any(sign in scenario for sign in "*?["):
        _list(stored, scenario or "*", arguments)
        return 0
    found = _pairs(stored, scenario)
    if len(found) > 1:
        if not arguments.json:
            print(f"{counted(len(found), 'conversation')} of {scenario}; choose one with --trial and --seed\n")
        _list(stored, scenario, arguments)
        return 0
    from tool_sandbox.analysis.views import read_conversation

    views = [read_conversation(each.path, directory) for each, directory in zip(stored, found[0], strict=True)]
    if arguments.json:
        print(json.dumps(views[0].as_dict() if len(views) == 1 else [view.as_dict() for view in views], indent=2))
    else:
        _show(views, runs, full=arguments.full)
    return 0


def _split(words: Sequence[str]) -> tuple[list[Path], str | None]:
    """Tells runs from the scenario behind them."""
    is_run = [number == 0 or _is_run(Path(word)) for number, word in enumerate(words)]
    runs = [word for word, run in zip(words, is_run, strict=True) if run]
    others = [word for word, run in zip(words, is_run, strict=True) if not run]
    paths = run_paths(runs)
    if len(paths) > 2:
        raise ConfigurationError(f"{len(paths)} runs are too many to show; give one or two of them, such as {paths[0]}")
    if len(others) > 1:
        raise ConfigurationError(f"one scenario can be shown, not {len(others)} ({', '.join(others)})")
    return paths, others[0] if others else None


def _is_run(path: Path) -> bool:
    """Whether a word is a run, a file in one, or a directory of runs, and not the name of a scenario."""
    return path.is_file() or (path / RUN_FILE).is_file() or next(path.glob(f"*/{RUN_FILE}"), None) is not None


class _Stored:
    """A run, as far as it has been played, and which of its conversations are meant."""

    def __init__(self, path: Path, trial: int | None, seed: int | None) -> None:
        self.path = path
        self.all: list[Result] = RunDirectory(path).summary()["per_scenario_results"]
        self.results: list[Result] = [
            result
            for result in self.all
            if trial in (None, result.get("trial", 0)) and seed in (None, result.get("seed", 0))
        ]

    def named(self, scenario: str) -> dict[tuple[int, int], Result]:
        """Seed and trial to result."""
        exact = [result for result in self.results if result.get("directory") == scenario]
        found = [result for result in self.results if result["name"] == scenario] or exact
        if not found and (others := [result for result in self.all if result["name"] == scenario]):
            there = "; ".join(
                f"{key} {', '.join(map(str, sorted(numbers)))}"
                for key, numbers in (
                    ("seed", {result.get("seed", 0) for result in others}),
                    ("trial", {result.get("trial", 0) for result in others}),
                )
            )
            raise ConfigurationError(
                f"{self.path} has no finished conversation of {scenario!r} like that; there are {there}"
            )
        if not found:
            known = {result["name"]: None for result in self.results}
            close = "".join(f" Did you mean {name}?" for name in suggest(scenario, known)[:1])
            raise UnknownNameError(f"{self.path} has no finished conversation of {scenario!r}.{close}")
        return {place_of(result)[1:]: result for result in found}


def _pairs(stored: Sequence[_Stored], scenario: str) -> list[tuple[str, ...]]:
    """Directories of the conversations that all runs have, by seed and trial."""
    found = [run.named(scenario) for run in stored]
    shared = [key for key in found[0] if all(key in others for others in found)]
    if not shared:
        raise ConfigurationError(f"the runs have no seed and trial of {scenario} in common")
    return [tuple(str(results[key]["directory"]) for results in found) for key in shared]


def _list(stored: Sequence[_Stored], pattern: str, arguments: argparse.Namespace) -> None:
    """Prints the conversations that fit, worst first."""
    fitting = [
        [result for result in run.results if fnmatch.fnmatchcase(str(result["name"]), pattern)] for run in stored
    ]
    if not any(fitting):
        raise ConfigurationError(f"no finished conversation matches {pattern}")
    if arguments.json:
        print(json.dumps(fitting[0] if len(stored) == 1 else fitting, indent=2))
        return
    most = None if arguments.full else LISTED
    print(listed(fitting, [run.path.name for run in stored], most, terminal_width()), end="")


def _show(views: "Sequence[ConversationView]", paths: Sequence[Path], *, full: bool) -> None:
    from rich.table import Table

    from tool_sandbox.cli.outcomes import differences
    from tool_sandbox.cli.timeline import conversation

    width = terminal_width() or WIDTH
    labels = [path.name for path in paths]
    if len(labels) == 2:
        labels = [f"A: {labels[0]}", f"B: {labels[1]}"]
    shown: list[RenderableType] = [
        conversation(view, label, full=full) for view, label in zip(views, labels, strict=True)
    ]
    if len(shown) == 1:
        _render(shown, width)
        return
    if width >= WIDE:
        grid = Table.grid(expand=True, padding=(0, 2))
        grid.add_column(ratio=1)
        grid.add_column(ratio=1)
        grid.add_row(*shown)
        _render([grid, differences(views)], width)
    else:
        _render([shown[0], "", shown[1], differences(views)], width)


def _render(shown: "Sequence[RenderableType]", width: int) -> None:
    from rich.console import Console

    target = io.StringIO()
    # Nothing is read as markup or as an emoji: texts of models are data.
    console = Console(
        file=target,
        width=width,
        force_terminal=sys.stdout.isatty(),
        markup=False,
        emoji=False,
        highlight=False,
        safe_box=True,
    )
    for renderable in shown:
        console.print(renderable)
    print("".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines()), end="")
