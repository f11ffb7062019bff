"""The command that says what a run scored, what else it did, and how far each number can be trusted."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tool_sandbox.analysis.pairing import Common, differing_settings, in_common, read_runs
from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.metrics_text import MeasuredRun, metrics_text
from tool_sandbox.cli.parsing import Parser, open_share, positive, share
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.metrics import GROUPINGS
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.sweep_directory import sweep_label
from tool_sandbox.world.errors import ConfigurationError

_EPILOG = """\
exit codes: 0 done, 2 usage error

examples:
  tool_sandbox metrics data/RUN --by category
  tool_sandbox metrics data/SWEEP --k 1 5                several runs side by side
  tool_sandbox metrics data/RUN --json -                 for programs
"""


def parser() -> Parser:
    """The parser of the command."""
    command = Parser(
        prog="tool_sandbox metrics",
        description="Shows the scores of stored runs, with confidence intervals and baselines without skill; several "
        "runs are shown side by side. Each number is defined in docs/metrics.md.",
        epilog=_EPILOG,
    )
    command.add_argument("runs", nargs="+", metavar="RUN", help="directories of runs, or of several runs (a sweep)")
    command.add_argument("--json", type=OutputFile, metavar="FILE", help="write the numbers there as JSON")
    command.add_argument("--k", type=positive, nargs="+", metavar="K", help="for pass@k and pass^k (default: all)")
    command.add_argument("--by", choices=GROUPINGS, action="append", default=[], help="also for each of these")
    command.add_argument(
        "--confidence", type=open_share, default=0.95, metavar="P", help="of the intervals (default: %(default)s)"
    )
    command.add_argument(
        "--max-infrastructure-rate",
        type=share,
        default=0.05,
        metavar="P",
        help="show no headline if the share of infrastructure errors is higher (default: %(default)s)",
    )
    return command


def command(arguments: argparse.Namespace) -> int:
    """Prints the numbers of runs."""
    paths = run_paths(arguments.runs)
    stored = read_runs(paths)
    common = in_common([run.results for run in stored])
    runs = [_measured(path, arguments, common) for path in paths]
    warnings = dict.fromkeys(line for other in stored[1:] for line in differing_settings(stored[0], other))
    if arguments.k:
        most = max(run.metrics["overall"]["trials"] for run in runs)
        if max(arguments.k) > most:
            raise ConfigurationError(f"--k {max(arguments.k)} needs as many trials; there are at most {most}")
    if arguments.json is not None:
        _write_json(runs, common, arguments.json)
    print("\n".join(printable(line) for line in metrics_text(runs, common, arguments.by, list(warnings))))
    return 0


def _measured(path: Path, arguments: argparse.Namespace, common: Common) -> MeasuredRun:
    from tool_sandbox.analysis.metrics import measure_run

    described = RunDirectory(path).read_run()
    metrics = measure_run(
        path,
        common,
        ks=sorted(set(arguments.k)) if arguments.k else None,
        confidence=arguments.confidence,
        max_infrastructure_rate=arguments.max_infrastructure_rate,
        by=GROUPINGS if arguments.json is not None else arguments.by,
    )
    return MeasuredRun(path, str(described["agent"]), str(described["user"]), metrics, sweep_label(path))


def _write_json(runs: Sequence[MeasuredRun], common: Common, target: OutputFile) -> None:
    value: dict[str, Any] = {
        "common": {"scenarios": len(common.places), "left_out": list(common.left_out), "text": common.text},
        "runs": [{"path": str(run.path), "agent": run.agent, "user": run.user, **run.metrics} for run in runs],
    }
    target.write(json.dumps(value, indent=2, allow_nan=False) + "\n")
