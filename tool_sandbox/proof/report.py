"""The report of a check: as JSON, one line per scenario, and as a section of a page."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType, ScenarioCategories
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.helpers.counting import counted
from tool_sandbox.proof.check import suite_findings
from tool_sandbox.proof.controls import CONTROLS
from tool_sandbox.proof.elsewhere import ElsewhereResult, differing
from tool_sandbox.proof.findings import Proof, ProofFinding
from tool_sandbox.proof.hard import axis_rows, hard_rows
from tool_sandbox.proof.limits import LimitRow, Survey, rows, soundness_rows, tool_counts
from tool_sandbox.proof.source import OWN, OwnSuite, Source
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.tool import Tool

BEGIN, END = "<!-- figures of the suite: begin -->", "<!-- figures of the suite: end -->"
"""What stands around the section of a page that is made from the report."""

HARD_BEGIN, HARD_END = "<!-- figures of the hard tier: begin -->", "<!-- figures of the hard tier: end -->"
"""The same of the report on the hard tier."""

Report = dict[str, Any]


def make_report(
    proofs: Sequence[Proof], outcomes: Sequence[ElsewhereResult] | None = None, source: Source = OWN
) -> Report:
    """Puts the outcome of a check together; no dates, durations or names of machines are in it."""
    survey = _survey(proofs, outcomes, source)
    findings = [finding for proof in proofs for finding in proof.findings]
    findings += suite_findings(survey.bases, source.flags) + _findings_elsewhere(outcomes or (), source.flags)
    limits = _limits(survey, source)
    findings += [
        ProofFinding(
            "",
            "limit",
            f"{row.limit} for {row.check}",
            f"it is {row.ours}{f': {row.detail}' if row.detail else ''}",
            f"tool_sandbox scenarios check{source.flags}",
        )
        for row in limits
        if row.met is False
    ]
    tier = {"tier": source.tier} if isinstance(source, OwnSuite) and source.tier != "core" else {}
    return ({"suite": source.name} if source.name else tier) | {
        "suite_version": source.version,
        "content_hash": source.content_hash,
        "whole": survey.whole,
        "checked": _checked(survey),
        "limits": [attrs.asdict(row) for row in limits],
        "controls": _control_means(survey),
        "coverage": _coverage(survey),
        **({"axes": axis_rows(survey.bases)} if tier else {}),
        "findings": [attrs.asdict(finding) for finding in findings],
        "scenarios": [figures.to_dict() for figures in survey.figures],
    }


def _limits(survey: Survey, source: Source) -> list[LimitRow]:
    if source.name:
        return [attrs.evolve(row, published="") for row in soundness_rows(survey)]
    if isinstance(source, OwnSuite) and source.tier == "hard":
        return [attrs.evolve(row, published="") for row in soundness_rows(survey)] + list(hard_rows(survey))
    return list(rows(survey))


def _survey(proofs: Sequence[Proof], outcomes: Sequence[ElsewhereResult] | None, source: Source) -> Survey:
    infos = source.infos
    figures = [proof.figures for proof in proofs if proof.figures is not None]
    names = {one.name for one in figures} | {
        finding.scenario for proof in proofs if proof.figures is None for finding in proof.findings
    }
    return Survey(
        figures=figures,
        failed=len(proofs) - len(figures),
        whole=not source.name and names >= {info.base_name for info in infos},
        elsewhere=None if outcomes is None else not differing(outcomes),
        declared=[str(category) for category in ScenarioCategories],
        present=frozenset(str(category) for info in infos for category in info.categories),
        tools=sorted(name for name, tool in get_all_tools().items() if RoleType.AGENT in Tool.of(tool).visible_to),
    )


def _findings_elsewhere(outcomes: Sequence[ElsewhereResult], flags: str) -> list[ProofFinding]:
    findings = []
    for name in differing(outcomes) if outcomes else ():
        digests = [f"{outcome.digests[name]} at {outcome.days:+g} days in {outcome.zone}" for outcome in outcomes]
        happened = f"it comes to {'; '.join(digests)}"
        command = f"tool_sandbox scenarios check {name} --elsewhere{flags}"
        findings.append(ProofFinding(name.split()[0], "elsewhere", "the same trajectory everywhere", happened, command))
    for outcome in outcomes:
        if outcome.clocks != [outcome.days]:
            expected, happened = f"clocks {outcome.days:+g} days away", f"they are {outcome.clocks} days away"
            command = f"tool_sandbox scenarios check --elsewhere{flags}"
            findings.append(ProofFinding("", "elsewhere", expected, happened, command))
    return findings


def _checked(survey: Survey) -> dict[str, Any]:
    figures = survey.figures
    return {
        "scenarios": len(figures) + survey.failed,
        "base_scenarios": len(survey.bases),
        "families": len({one.family for one in survey.bases}),
        "seeds": sorted({one.seed for one in figures}),
        "plays": sum(
            1 + one.orders + one.calls + len(CONTROLS) + sum(one.mutants.values()) + one.paraphrases[0]
            for one in figures
        ),
    }


def _control_means(survey: Survey) -> dict[str, dict[str, float]]:
    """Mean score of each control over what was checked, and its highest."""
    means = {}
    for name in CONTROLS:
        scores = [one.controls.get(name, 0.0) for one in survey.figures]
        means[name] = {"mean": round(sum(scores) / max(1, len(scores)), 4), "highest": max(scores, default=0.0)}
    return means


def _coverage(survey: Survey) -> dict[str, dict[str, int]]:
    """Numbers of base scenarios."""
    bases = survey.bases
    needed = tool_counts(survey)
    chains = Counter(one.necessary for one in bases)
    return {
        "tags": {tag: count for tag in survey.declared if (count := sum(tag in one.tags for one in bases))},
        "families": dict(sorted(Counter(one.family for one in bases).items())),
        "necessary_calls": {str(length): chains[length] for length in sorted(chains)},
        "tools": {tool: needed[tool] for tool in survey.tools},
        "source_lines": {
            "25 or fewer": sum(0 < one.lines <= 25 for one in bases),
            "26 to 40": sum(25 < one.lines <= 40 for one in bases),
            "more than 40": sum(one.lines > 40 for one in bases),
        },
    }


# JSON ----------------------------------------------------------------------------------------------------------


def dumps(report: Report) -> str:
    """The report as JSON text, each finding and each scenario on a line of its own."""
    parts = []
    for key, value in report.items():
        if isinstance(value, list):
            lines = ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value)
            parts.append(f'"{key}": [\n{lines}\n]' if value else f'"{key}": []')
        else:
            parts.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


# A page --------------------------------------------------------------------------------------------------------


def markdown(report: Mapping[str, Any]) -> str:
    """Limits and coverage as tables of a page."""
    checked = report["checked"]
    suite = " ".join(part for part in (report.get("suite"), report["suite_version"]) if part)
    head = (
        f"Suite {suite}, content `{report['content_hash'][:12]}`: {checked['scenarios']} scenarios "
        f"in {checked['families']} families, {checked['plays']:,} conversations, "
        f"{counted(len(report['findings']), 'finding')}."
    )
    columns = limit_columns(report)
    limits = _table(
        [*columns.values(), "Met"],
        [[*(row[column] for column in columns), _verdict(row["met"])] for row in report["limits"]],
    )
    controls = _table(
        ["Control", "What it does", "Mean", "Highest"],
        [
            [name, CONTROLS[name], f"{row['mean']:.3f}", f"{row['highest']:.2f}"]
            for name, row in report["controls"].items()
        ],
    )
    coverage = report["coverage"]
    sections = [
        ("Tags", "Tag", coverage["tags"]),
        ("Necessary calls", "Calls that cannot be left out", coverage["necessary_calls"]),
        ("Tools", "Tool that cannot be done without", coverage["tools"]),
        ("Families", "Family", coverage["families"]),
        ("Length of a definition", "Lines of source", coverage["source_lines"]),
    ]
    tables = [
        f"### {title}\n\n{_table([column, 'Base scenarios'], [[key, str(value)] for key, value in counts.items()])}"
        for title, column, counts in sections
    ]
    if "tier" in report:
        axes = _table(list(report["axes"][0]), [list(map(str, row.values())) for row in report["axes"]])
        return (
            "\n\n".join([head, limits, "### By axis", axes, "### Agents that should fail", controls, tables[1]]) + "\n"
        )
    return "\n\n".join([head, limits, "### Agents that should fail", controls, *tables]) + "\n"


def limit_columns(report: Mapping[str, Any]) -> dict[str, str]:
    """Columns of a table of limits but for the last: field of a `LimitRow` to header."""
    columns = {"check": "Check", "ours": "Here", "published": "Published suite", "limit": "Limit"}
    return {
        field: header
        for field, header in columns.items()
        if field != "published" or not report.keys() & {"suite", "tier"}
    }


def _verdict(met: bool | None) -> str:
    return {True: "yes", False: "**no**", None: "not checked"}[met]


def _table(header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def update_page(page: Path, report: Mapping[str, Any]) -> None:
    """Replaces the section of a page that shows the figures."""
    try:
        text = page.read_text(encoding="utf-8")
        begin, end = (HARD_BEGIN, HARD_END) if "tier" in report else (BEGIN, END)
        section = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not section.search(text):
            raise ConfigurationError(f"{page} has no section between {begin!r} and {end!r}")
        new = f"{begin}\n\n{markdown(report)}\n{end}"
        page.write_text(section.sub(lambda _: new, text), encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{page}: {error.strerror or error}") from error
