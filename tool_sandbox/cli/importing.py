"""The command that makes a run of what another program has played."""

import argparse
from pathlib import Path

from tool_sandbox.cli.parsing import Parser, of_kind
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.kinds import OUTPUT
from tool_sandbox.runner.remote import folder_for

_EPILOG = """\
the log is one of a task of this package, such as inspect eval tool_sandbox/core; the run is the same as if it had been
played here, so that metrics, compare, report, show and rescore take it

exit codes: 0 every conversation is there, 1 some were not played, 2 usage error

examples:
  tool_sandbox import inspect logs/LOG.eval
  tool_sandbox import inspect logs/LOG.eval -o results
"""


def parser() -> Parser:
    """The flags of ``tool_sandbox import``."""
    flags = Parser(
        prog="tool_sandbox import",
        description="Makes a run of what was played with another program. The log stays as it is.",
        epilog=_EPILOG,
    )
    flags.add_argument("program", choices=("inspect",), help="the program: Inspect AI")
    flags.add_argument("log", metavar="LOG", help="its log, an .eval or .json file")
    flags.add_argument(
        "-o",
        "--output-dir",
        "--output_dir",
        type=of_kind(OUTPUT),
        default=Path("data"),
        metavar="DIR",
        help="default: data",
    )
    return flags


def command(arguments: argparse.Namespace) -> int:
    """Reads the log and writes the run."""
    from tool_sandbox.integrations.inspect.reading import import_log

    run = import_log(arguments.log, folder_for(arguments.output_dir))
    summary = run.summary["run"]
    missing = summary["planned"] - summary["played"]
    print(f"{counted(summary['played'], 'conversation')}{f', {missing} were not played' if missing else ''}")
    print(f"results: {printable(str(run.path))}")
    return 1 if missing else 0
