"""The command that writes runs as a page to look at."""

import argparse
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import Parser
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.cli.tables import say_progress
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.integrations.executors.workspace import shelter
from tool_sandbox.world.errors import ConfigurationError

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
    first = Path(arguments.runs[0])
    beside = (first if first.is_dir() else first.parent) / "report.html"
    target = beside if output is None else Path(output.name)
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


def _megabytes(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not SMALLEST_MB <= number < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size from {SMALLEST_MB} to 1000 MB")
    return number


@contextmanager
def shown_progress() -> Iterator[Callable[[int, int], None]]:
    """Says on standard error how many conversations have been read."""
    try:
        yield _tell
    finally:
        say_progress("", is_due=False)


def _tell(done: int, total: int) -> None:
    if done % 50 == 0:
        say_progress(f"read {done} of {counted(total, 'conversation')}", is_due=done % 10_000 == 0)
