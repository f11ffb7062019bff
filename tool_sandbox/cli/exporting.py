"""The command that writes conversations in the formats of others."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tool_sandbox.cli.arguments import add_options
from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import Parser, share
from tool_sandbox.cli.stored import known_tools, run_paths
from tool_sandbox.cli.writing import shown_progress
from tool_sandbox.export import ENDINGS, FORMATS, Exported, Selection, export_runs
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable

_EPILOG = """\
formats:
  openai-jsonl   messages and tools to fine-tune with at OpenAI, what the agent said with weight 1; scores and rewards
                 beside it, in FILE.metadata.jsonl
  sharegpt       conversations as LLaMA-Factory and Axolotl read them
  hf             a folder for datasets.load_dataset: a table and a dataset card
  parquet        the same table alone
  otel           OpenTelemetry traces, one line of OTLP/JSON a conversation

exit codes: 0 written, 2 usage error

examples:
  tool_sandbox export data/RUN --to openai-jsonl --only success -o train.jsonl
  tool_sandbox export data/SWEEP --to hf --min-score 0.5 -o trajectories
  tool_sandbox export data/RUN --to otel -o -
"""


def parser() -> Parser:
    """The flags of ``tool_sandbox export``."""
    flags = Parser(
        prog="tool_sandbox export",
        description="Writes the conversations of runs as training data, with a mask of what the agent said and the "
        "reward of each of its turns, or as traces for a viewer. Conversations that are excluded from all means are "
        "left out.",
        epilog=_EPILOG,
    )
    flags.add_argument("runs", nargs="+", metavar="RUN", help="directories of runs, or of several runs (a sweep)")
    flags.add_argument("--to", required=True, choices=tuple(FORMATS), help="the format")
    flags.add_argument(
        "-o",
        "--output",
        type=OutputFile,
        metavar="FILE",
        help="the file, or the folder for hf (default: a name by the format, in RUN); it is replaced",
    )
    flags.add_argument(
        "-s", "--scenario", "--scenarios", dest="scenarios", nargs="+", default=[], metavar="NAME", help=_NAMES
    )
    flags.add_argument("--only", choices=ENDINGS, default="all", help="by success (default: all)")
    flags.add_argument("--min-score", type=share, default=0.0, metavar="X", help="lowest score, from 0 to 1")
    flags.add_argument("--include-excluded", action="store_true", help="also what is excluded from all means")
    add_options(flags, suite="path of the suite, if the run was played with --suite")
    return flags


_NAMES = "names or patterns of scenarios, such as 'wifi*' (default: all)"


def command(arguments: argparse.Namespace) -> int:
    """Writes the file."""
    runs = run_paths(arguments.runs)
    output: OutputFile | None = arguments.output
    target: Path | BinaryIO = _default(Path(arguments.runs[0]), arguments.to)
    if output is not None:
        target = output.stream.buffer if output.is_stdout else Path(output.name)
    wanted = Selection(arguments.scenarios, arguments.only, arguments.min_score, arguments.include_excluded)
    with known_tools(runs, arguments.suite), shown_progress() as tell:
        exported = export_runs(runs, arguments.to, target, wanted, tell)
    print("\n".join(map(printable, _told(exported))), file=sys.stderr if output and output.is_stdout else sys.stdout)
    return 0


def _default(given: Path, to: str) -> Path:
    return (given if given.is_dir() else given.parent) / FORMATS[to].name


def _told(exported: Exported) -> Iterator[str]:
    names = ", ".join(map(str, exported.files)) or "standard output"
    size = sum(file.stat().st_size for file in exported.files)
    bytes_told = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
    left_out = {
        "excluded": exported.excluded,
        "not selected": exported.others,
        "without a word of the agent": exported.empty,
    }
    told = ", ".join(f"{count:,} {why}" for why, count in left_out.items() if count)
    rest = f" (left out: {told})" if told else ""
    parts = [names, *([bytes_told] if exported.files else ()), counted(exported.conversations, "conversation")]
    yield f"export: {', '.join(parts)}{rest}"
    yield from exported.notes
