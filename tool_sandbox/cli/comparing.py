"""The command that compares runs, and fails a build where it should."""

import argparse
import os
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tool_sandbox.cli.files import OutputFile, asked_for
from tool_sandbox.cli.parsing import Parser, share
from tool_sandbox.cli.tables import terminal_width
from tool_sandbox.helpers.printable import printable
from tool_sandbox.play.trajectory_files import to_json
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.analysis.comparison import RunComparison
    from tool_sandbox.analysis.gating import GateResult

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Environment variable with the file that GitHub shows on the page of a build."""

_EPILOG = """\
gates:
  METRIC drops [by more than X[%]]     against the baseline; %: of its value
  METRIC rises [by more than X[%]]
  METRIC is below X                    without a baseline
  METRIC is above X
  any scenario breaks                  by most trials, or significantly
  more than N scenarios break
  each with "in CATEGORY"; "significantly" to require statistical significance

{metrics}

exit codes: 0 all gates passed (or there are none), 1 one failed or could not be evaluated, 2 usage error

examples:
  tool_sandbox compare BASELINE RUN
  tool_sandbox compare SWEEP --baseline LABEL --markdown report.md
  tool_sandbox compare BASELINE RUN --fail-if "strict_success drops by more than 0.02" --junit junit.xml
  tool_sandbox compare RUN --fail-if "strict_success is below 0.8"
"""


def parser() -> Parser:
    """The parser of ``tool_sandbox compare``."""
    from tool_sandbox.analysis.registry import metric_names

    command = Parser(
        prog="tool_sandbox compare",
        description="Compares runs scenario by scenario: what differs and how significantly, what broke and what was "
        "fixed. With gates, the exit code fails a build.",
        epilog=_EPILOG.format(metrics=textwrap.fill(f"metrics: {', '.join(metric_names())}", 118)),
    )
    command.add_argument(
        "runs", nargs="+", metavar="RUN", help="runs or directories of runs; the first is the baseline"
    )
    command.add_argument("--baseline", metavar="LABEL", help="label, agent or directory of the run to compare with")
    command.add_argument(
        "--fail-if", action="append", default=[], metavar="GATE", help="exit with 1 on this condition; may be repeated"
    )
    command.add_argument("--json", type=OutputFile, metavar="FILE", help="write everything here")
    command.add_argument("--markdown", type=OutputFile, metavar="FILE", help="write a summary for a pull request here")
    command.add_argument(
        "--junit", type=OutputFile, metavar="FILE", help="write JUnit XML here, one test case per scenario"
    )
    command.add_argument(
        "--github-summary", action="store_true", help=f"append the summary to the file named by {SUMMARY_VARIABLE}"
    )
    command.add_argument(
        "--max-infrastructure-rate",
        type=share,
        default=0.05,
        metavar="SHARE",
        help="give no verdict if the share of infrastructure errors is higher (default: %(default)s)",
    )
    return command


def command(arguments: argparse.Namespace) -> int:
    """Compares runs, prints what differs and writes what was asked for."""
    from tool_sandbox.analysis.compare import compare
    from tool_sandbox.analysis.gates import parse_gate
    from tool_sandbox.analysis.gating import categories_of, evaluate_gates
    from tool_sandbox.cli.comparing_tables import comparison_lines
    from tool_sandbox.cli.stored import compared_paths

    summary = _summary_file() if arguments.github_summary else None
    paths = compared_paths(arguments.runs)
    comparison = compare(paths, baseline=arguments.baseline, max_infrastructure_rate=arguments.max_infrastructure_rate)
    categories = categories_of(comparison.runs)
    gates = [parse_gate(text, categories) for text in arguments.fail_if]
    results = evaluate_gates(gates, comparison)
    for line in (*comparison_lines(comparison, terminal_width() or 80), *_gate_lines(results)):
        print(printable(line))
    _write(arguments, comparison, results, summary)
    return 0 if all(result.passed for result in results) else 1


def _gate_lines(results: "Sequence[GateResult]") -> Iterator[str]:
    if results:
        yield ""
    for result in results:
        told = f"{'pass' if result.passed else 'FAIL'}  {result.gate.text}  ({result.label}: {result.reason})"
        yield from textwrap.wrap(told, 80, subsequent_indent=" " * 6, break_on_hyphens=False)


def _summary_file() -> Path:
    name = os.environ.get(SUMMARY_VARIABLE)
    if not name:
        raise ConfigurationError(f"--github-summary needs {SUMMARY_VARIABLE}, which GitHub sets; elsewhere: --markdown")
    return Path(name)


def _write(
    arguments: argparse.Namespace,
    comparison: "RunComparison",
    results: "Sequence[GateResult]",
    summary: Path | None,
) -> None:
    from tool_sandbox.analysis.junit import junit_xml
    from tool_sandbox.analysis.markdown import comparison_markdown

    if arguments.json is not None:
        told = [
            {"gate": each.gate.text, "run": each.label, "passed": each.passed, "reason": each.reason}
            for each in results
        ]
        arguments.json.write(to_json(comparison.as_dict() | {"gates": told}, indent=2))
    if arguments.junit is not None:
        arguments.junit.write(junit_xml(comparison, results))
    text = comparison_markdown(comparison, results).encode()
    if arguments.markdown is not None:
        arguments.markdown.write(text)
    if summary is not None:
        with asked_for(summary), summary.open("ab") as file:
            file.write(text)
