"""The command that proves scenarios."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import attrs

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.tables import indented, text_table
from tool_sandbox.common.counting import counted
from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.runner.selection import select

if TYPE_CHECKING:
    from tool_sandbox.proof.check import Instance
    from tool_sandbox.proof.findings import Proof
    from tool_sandbox.proof.report import Report

PLAIN = "no_distraction_tools"
"""Name of the way in which base scenarios are offered."""


def check_command(arguments: argparse.Namespace) -> int:
    """Checks scenarios, prints what was found, and writes the report.

    Args:
        arguments: Parsed flags.

    Returns:
        Exit code: 0 if all is as it should be, 1 on a finding.

    Raises:
        UnknownNameError: Something of that name does not exist.
        ConfigurationError: Nothing is selected, or a file cannot be read or written.
    """
    from tool_sandbox.proof.check import check
    from tool_sandbox.proof.elsewhere import play_elsewhere
    from tool_sandbox.proof.report import dumps, make_report, update_page

    if arguments.from_report is not None:
        report = _read(arguments.from_report)
        if arguments.markdown is not None:
            update_page(arguments.markdown, report)
        return _show(report)
    names = chosen_names(arguments.patterns, arguments.augmentation, everything=arguments.all_augmentations)
    instances: list[Instance] = [(name, seed) for seed in dict.fromkeys(arguments.seed) for name in names]
    processes = arguments.processes or os.cpu_count() or 1
    for file in (arguments.json, arguments.markdown):
        _check_writable(file)
    progress = _Progress(len(instances), sys.stderr)
    proofs = check(instances, processes, progress.update)
    progress.say("")
    outcomes = None
    if arguments.elsewhere:
        progress.say("playing on other dates and in other zones")
        outcomes = play_elsewhere(instances, processes)
        progress.say("")
    report = make_report(proofs, outcomes)
    if arguments.json is not None:
        arguments.json.write(dumps(report))
    if arguments.markdown is not None:
        update_page(arguments.markdown, report)
    return _show(report)


def chosen_names(patterns: list[str], augmentations: list[str], *, everything: bool = False) -> list[str]:
    """Scenarios that a check is about.

    Args:
        patterns: Names or patterns; base scenarios that match are meant, and any scenario named in full. Empty for
            all base scenarios.
        augmentations: Ways of offering tools in which they are checked, none for the plain one.
        everything: Whether all ways are meant.

    Returns:
        Names in the order of the suite.

    Raises:
        UnknownNameError: A scenario or augmentation does not exist.
        ConfigurationError: Nothing is selected.
    """
    known = select(None, opt_in=True)
    if everything:
        ways = {info.augmentation for info in known}
    else:
        ways = {info.augmentation for info in select(None, augmentations=augmentations or [PLAIN])}
    named = {info.name for info in known if info.name in patterns and info.augmentation != PLAIN}
    others = [pattern for pattern in patterns if pattern not in named]
    bases = {info.base_name for info in select(others or None)} if others or not patterns else set()
    return [
        info.name for info in known if info.name in named or (info.base_name in bases and info.augmentation in ways)
    ]


# What a person sees --------------------------------------------------------------------------------------------


@attrs.define
class _Progress:
    """Says on standard error how far the check is: one line that changes on a terminal, a few lines elsewhere."""

    total: int
    stream: TextIO
    done: int = 0
    findings: int = 0

    def update(self, proof: "Proof") -> None:
        """Takes note of a finished scenario."""
        self.done += 1
        self.findings += len(proof.findings)
        text = f"checked {self.done} of {self.total}" + (
            f", {counted(self.findings, 'finding')}" if self.findings else ""
        )
        if self.stream.isatty():
            self.say(text)
        elif self.done % max(1, self.total // 10) == 0:
            print(text, file=self.stream, flush=True)

    def say(self, text: str) -> None:
        """Replaces the line on a terminal."""
        if self.stream.isatty():
            self.stream.write(f"\r\x1b[K{text}")
            self.stream.flush()


def _show(report: "Report") -> int:
    findings = report["findings"]
    verdicts = {True: "yes", False: "NO", None: "-"}
    rows = [
        [row["check"], row["ours"], row["published"], row["limit"], verdicts[row["met"]]] for row in report["limits"]
    ]
    print(text_table(["check", "here", "published suite", "limit", "met"], rows, left=5))
    if not report["whole"]:
        print("\n- means, coverage and other limits of the suite as a whole apply to a check of all base scenarios")
    if findings:
        print(f"\n{counted(len(findings), 'finding')}:\n")
    for finding in findings:
        print(f"{finding['scenario'] or 'suite'}: {finding['check']}: expected {finding['expected']}")
        print(indented(f"but {finding['happened']}\n$ {finding['command']}"))
    checked = report["checked"]
    counts = ((checked["scenarios"], "scenario"), (checked["plays"], "conversation"), (len(findings), "finding"))
    print("\n" + ", ".join(counted(*count) for count in counts))
    return 1 if findings else 0


# Files ---------------------------------------------------------------------------------------------------------


def _read(path: Path) -> "Report":
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigurationError(f"{path} is not JSON: {error}") from error
    if not isinstance(report, dict) or not {"limits", "findings", "checked", "whole"} <= report.keys():
        raise ConfigurationError(f"{path} is not a report of `tool_sandbox scenarios check`")
    return report


def _check_writable(file: OutputFile | Path | None) -> None:
    """Fails before the work rather than after it."""
    if file is None or (isinstance(file, OutputFile) and file.is_stdout):
        return
    path = Path(str(file))
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise ConfigurationError(f"{path}: cannot write there")
