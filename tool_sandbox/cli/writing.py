"""The command that writes runs as a page to look at."""

import argparse
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import Parser
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

SMALLEST_MB = 0.5
"""A page without any conversation in full takes this much, for a full run."""

_EPILOG = """\
exit codes: 0 written, 2 usage error

examples:
  tool_sandbox report data/RUN --open
  tool_sandbox report data/SWEEP -o report.html
  tool_sandbox report data/RUN_A data/RUN_B --title "Before and after" -o both.html
"""


def parser() -> Parser:
    """The flags of ``tool_sandbox report``."""
    flags = Parser(
        prog="tool_sandbox report",
        description="Writes runs as one HTML file: scores with intervals and floors, heat maps, a leaderboard, every "
        "conversation with its changes to the world and its score. It is one file that needs no network.",
        epilog=_EPILOG,
    )
    flags.add_argument("runs", nargs="+", metavar="RUN", help="directories of runs, or of several runs (a sweep)")
    flags.add_argument("-o", "--output", type=OutputFile, metavar="FILE", help="the file (default: report.html in RUN)")
    flags.add_argument("--title", metavar="TEXT", help="heading (default: the names of the agents)")
    flags.add_argument(
        "--max-mb",
        type=_megabytes,
        metavar="N",
        help="stay below this size: details of successful conversations are left out first (default: 5 per run, at "
        "most 20)",
    )
    flags.add_argument("--open", action="store_true", help="open it in the browser")
    return flags


def command(arguments: argparse.Namespace) -> int:
    """Writes the page."""
    from tool_sandbox.analysis.report import write_report
    from tool_sandbox.integrations.executors.workspace import shelter

    output: OutputFile | None = arguments.output
    if output is not None and output.is_stdout and arguments.open:
        raise ConfigurationError("--open needs a file, and -o - is standard output")
    runs = run_paths(arguments.runs)
    if output is not None and output.is_stdout:
        with TemporaryDirectory(dir=shelter()) as directory:
            file = Path(directory, "report.html")
            write_report(runs, file, title=arguments.title, max_mb=arguments.max_mb)
            output.write(file.read_bytes())
        return 0
    target = Path(output.name) if output is not None else _beside(Path(arguments.runs[0])) / "report.html"
    if target.is_dir():
        raise ConfigurationError(f"{target} is a directory; name the file with -o {target / 'report.html'}")
    with shown_progress() as tell:
        written = write_report(runs, target, title=arguments.title, max_mb=arguments.max_mb, on_read=tell)
    conversations = counted(written.conversations, "conversation")
    print(f"report: {printable(str(target))}, {written.size / 1e6:.1f} MB, {conversations}")
    left_out = written.conversations - written.detailed
    if left_out:
        print(
            f"{left_out} of them are in the table without their messages, to stay below {written.limit_mb:g} MB "
            "(--max-mb); tool_sandbox view shows all"
        )
    if arguments.open:
        webbrowser.open(target.resolve().as_uri())
    return 0


def _beside(given: Path) -> Path:
    return given if given.is_dir() else given.parent


def _megabytes(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not SMALLEST_MB <= number < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size from {SMALLEST_MB} to 1000 MB")
    return number


@contextmanager
def shown_progress() -> "Iterator[Callable[[int, int], None]]":
    """Says on standard error how far the reading is: in place on a terminal, else at every quarter."""
    is_terminal = sys.stderr.isatty()
    every = 50 if is_terminal else 10_000
    was_shown = False

    def tell(done: int, total: int) -> None:
        nonlocal was_shown
        if done % every == 0:
            was_shown = True
            text = f"read {done} of {counted(total, 'conversation')}"
            print(f"\r{text}" if is_terminal else text, end="" if is_terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if is_terminal and was_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
