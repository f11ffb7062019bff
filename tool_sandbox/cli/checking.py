"""The command that proves scenarios."""

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.tables import indented, say_progress, text_table
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.spreading import Processes, Spread
from tool_sandbox.play.opening import read_json
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.check import Instance, check
from tool_sandbox.proof.elsewhere import play_elsewhere
from tool_sandbox.proof.findings import Proof
from tool_sandbox.proof.report import Report, dumps, limit_columns, make_report, update_page
from tool_sandbox.proof.source import OwnSuite, Source
from tool_sandbox.runner.cluster import cluster_of
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.selection import select
from tool_sandbox.runner.suites import Suite, SuiteRequest
from tool_sandbox.scenarios import ScenarioInfo, is_hard
from tool_sandbox.world.errors import ConfigurationError

PLAIN = "no_distraction_tools"
"""Name of the way in which base scenarios are offered."""


def check_command(arguments: argparse.Namespace) -> int:
    """Checks scenarios, prints what was found, and writes the report."""
    if arguments.from_report is not None:
        report = _read(arguments.from_report)
        if arguments.markdown is not None:
            update_page(arguments.markdown, report)
        return _show(report)
    source = _source(arguments)
    names = chosen_names(
        arguments.patterns, arguments.augmentation, everything=arguments.all_augmentations, infos=source.infos
    )
    instances: list[Instance] = [(name, seed) for seed in dict.fromkeys(arguments.seed) for name in names]
    spread = _spread(arguments)
    for file in (arguments.json, arguments.markdown):
        _check_writable(file)
    done: list[Proof] = []

    def tell(proof: Proof) -> None:
        done.append(proof)
        findings = sum(len(each.findings) for each in done)
        told = f"checked {len(done)} of {len(instances)}" + (f", {counted(findings, 'finding')}" if findings else "")
        say_progress(told, is_due=len(done) % max(1, len(instances) // 10) == 0)

    proofs = check(instances, spread, tell, source)
    say_progress("", is_due=False)
    outcomes = None
    if arguments.elsewhere:
        say_progress("playing on other dates and in other zones", is_due=False)
        playable = [instance for instance, proof in zip(instances, proofs, strict=True) if proof.figures is not None]
        outcomes = play_elsewhere(playable, spread, source)
        say_progress("", is_due=False)
    report = make_report(proofs, outcomes, source)
    if arguments.json is not None:
        arguments.json.write(dumps(report))
    if arguments.markdown is not None:
        update_page(arguments.markdown, report)
    return _show(report)


def _spread(arguments: argparse.Namespace) -> Spread:
    cluster = cluster_of(arguments.executor, arguments.address)
    if cluster is None:
        return Processes(arguments.processes or os.cpu_count() or 1)
    if arguments.processes:
        raise ConfigurationError("processes are for executor local; on a cluster there is one worker per core")
    cluster.connect()
    return cluster.spread


@attrs.frozen
class LoadedSuite:
    """A suite of `--suite` as a source of the proof; another process loads it again.

    Attributes:
        request: What was loaded.
        content_hash: Fingerprint of its files.
        flags: What commands on one of its scenarios need.
    """

    request: SuiteRequest
    content_hash: str
    flags: str

    @property
    def _suite(self) -> Suite:
        from tool_sandbox.runner.suites import loaded_suite

        return loaded_suite(self.request, self.content_hash)

    @property
    def name(self) -> str:
        """Name of the suite."""
        return self._suite.name

    @property
    def version(self) -> str | None:
        """What it calls its version."""
        return self._suite.version

    @property
    def infos(self) -> list[ScenarioInfo]:
        """Its scenarios in order."""
        return self._suite.infos

    def __call__(self, name: str, seed: int) -> Scenario:
        """Builds one of them."""
        return self._suite.build(seed)[name]


def _source(arguments: argparse.Namespace) -> Source:
    suite = Request.of(vars(arguments)).loaded_suite()
    if suite is None:
        # As in a run, a name is found in either tier.
        of_hard = arguments.patterns and all(map(is_hard, arguments.patterns))
        return OwnSuite(arguments.tier or ("hard" if of_hard else "core"))
    suite.check_seeds(arguments.seed)
    given: list[Any] = ["--suite", arguments.suite]
    for flag in ("clock", "suite_time"):
        if (value := getattr(arguments, flag)) is not None:
            given += [f"--{flag}", value]
    return LoadedSuite(suite.request, suite.content_hash, f" {shlex.join(given)}")


def chosen_names(
    patterns: list[str],
    augmentations: list[str],
    *,
    everything: bool = False,
    infos: Sequence[ScenarioInfo] | None = None,
) -> list[str]:
    """Scenarios that a check is about."""
    known = select(None, infos=infos, opt_in=True)
    if everything:
        ways = {info.augmentation for info in known}
    else:
        ways = {info.augmentation for info in select(None, infos=infos, augmentations=augmentations or [PLAIN])}
    named = {info.name for info in known if info.name in patterns and info.augmentation != PLAIN}
    others = [pattern for pattern in patterns if pattern not in named]
    bases = {info.base_name for info in select(others or None, infos=infos)} if others or not patterns else set()
    return [
        info.name for info in known if info.name in named or (info.base_name in bases and info.augmentation in ways)
    ]


# What a person sees --------------------------------------------------------------------------------------------


def _show(report: Report) -> int:
    findings = report["findings"]
    verdicts = {True: "yes", False: "NO", None: "-"}
    columns = limit_columns(report)
    rows = [[*(row[column] for column in columns), verdicts[row["met"]]] for row in report["limits"]]
    print(text_table([*map(str.lower, columns.values()), "met"], rows, left=5))
    if "suite" in report:
        print(
            f"\nlimits of single scenarios, of suite {report['suite']}; those on means and "
            "coverage, and the comparison with the published suite, are about the suite of this package"
        )
    elif not report["whole"]:
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


def _read(path: Path) -> Report:
    report = read_json(path)
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
