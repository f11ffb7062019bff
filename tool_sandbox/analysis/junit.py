"""JUnit XML of a comparison, for the test reports of build servers.

One suite per run, one case per scenario, and one suite for the gates. Without a baseline, a case fails where at most
half of the trials succeeded. With one, it fails where the scenario broke. Where it succeeds less often without having
broken, it passes and says so in its output: that is within noise. Where it fails as it did before, or the baseline says
nothing of it, it is skipped: what never worked must not keep a build red, and does not disappear either. A scenario
without a conversation that counts is an error. The layout is what Ant's JUnit task writes (properties of suites only,
at most one of ``error``, ``failure`` and ``skipped`` a case), with the output of a case as pytest has it; Jenkins,
GitLab and GitHub reporters read it.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from tool_sandbox.analysis.comparison import PairwiseComparison, RunComparison, conclusion, drop_text
from tool_sandbox.analysis.gating import GateResult
from tool_sandbox.analysis.pairing import Key, StoredRun, place
from tool_sandbox.analysis.registry import share_of_successes, totals
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import family_of
from tool_sandbox.runner.usage import used
from tool_sandbox.runner.verdicts import is_evaluated

# XML 1.0 knows no other controls, no lone surrogates and no non-characters; what turns the direction of writing is
# legal there, but would misguide the reader of a report.
_ILLEGAL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_BROKE, _DROPPED = "broke", "dropped"


def junit_xml(comparison: RunComparison, gates: Sequence[GateResult] = ()) -> bytes:
    """Writes a comparison, or a single run, as JUnit XML."""
    suites = []
    if comparison.others:
        for run, pairwise in zip(comparison.others, comparison.pairwise, strict=True):
            verdict = {"baseline": comparison.baseline.label, "verdict": conclusion(comparison, pairwise).text}
            verdict |= {"warnings": "; ".join(pairwise.warnings)} if pairwise.warnings else {}
            suites.append(_run_suite(run, verdict, _changed(pairwise, 1 - comparison.confidence)))
    else:
        suites.append(_run_suite(comparison.baseline, {}, None))
    if gates:
        suites.append(_gate_suite(gates, comparison.baseline))
    root = ET.Element("testsuites")
    for number, suite in enumerate(suites):
        suite.set("id", str(number))
        root.append(suite)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def legal(text: str) -> str:
    r"""The same text with ``\x1b`` and the like for characters that XML or its readers cannot take."""
    return _ILLEGAL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def _changed(pairwise: PairwiseComparison, alpha: float) -> dict[Key, tuple[str, str]]:
    """What became of each scenario that both runs evaluated, and the same in words."""
    found = {
        (pair.name, pair.seed): ("", "it succeeds no less often than in the baseline")
        for pair in pairwise.pairing.pairs
    }
    for what, changes in ((_BROKE, pairwise.broken), (_DROPPED, pairwise.dropped)):
        found |= {(change.name, change.seed): (what, drop_text(change, alpha)) for change in changes}
    return found


def _run_suite(run: StoredRun, said: Mapping[str, str], changed: Mapping[Key, tuple[str, str]] | None) -> ET.Element:
    """The suite of a run; without ``changed`` there is no baseline."""
    cases = [_case(key, each, changed) for key, each in run.trials.items()]
    suite = _suite(run.label, run, cases)
    described = {
        "agent": run.description.get("agent"),
        "user": run.description.get("user"),
        "suite_version": (run.description.get("suite") or {}).get("version"),
        **said,
        **totals(run.results),
    }
    properties = suite.find("properties")
    for name, value in described.items():
        if value is not None and properties is not None:
            ET.SubElement(properties, "property", name=name, value=legal(str(value)))
    return suite


def _case(key: Key, trials: Sequence[Result], changed: Mapping[Key, tuple[str, str]] | None) -> ET.Element:
    case = _element("testcase", name=place(*key), classname=family_of(trials[0]), time=_seconds(trials))
    counting = list(filter(is_evaluated, trials))
    if not counting:
        first = trials[0]
        _say(
            case, "error", str(first.get("outcome")), first.get("reason") or "it has no evaluated conversation", trials
        )
        return case
    share = share_of_successes(counting)
    score = sum(result["similarity"] for result in counting) / len(counting)
    told = f"{share * len(counting):.0f} of {len(counting)} trials succeeded, mean score {score:.3f}"
    if changed is None:
        if share <= 0.5:
            _say(case, "failure", "failed", told, counting)
        return case
    what, why = changed.get(key, ("", "it is not in the baseline"))
    if what == _BROKE:
        _say(case, "failure", "broken", f"{told}; {why}", counting)
    elif what == _DROPPED:
        ET.SubElement(case, "system-out").text = f"{told}; {why}"
    elif share <= 0.5:
        ET.SubElement(case, "skipped", message=f"{told}; {why}")
    return case


def _say(case: ET.Element, tag: str, kind: str, message: str, trials: Sequence[Result]) -> None:
    """Adds what is wrong, with a line for each trial."""
    lines = []
    for result in trials:
        why = [str(result.get("outcome") or "played"), f"score {result['similarity']:.3f}"]
        why += [f"{len(result['side_effects'])} side effects"] if result.get("side_effects") else []
        why += ["minefield hit"] if result.get("minefield_hit") else []
        why += [str(result["reason"])] if result.get("reason") else []
        lines.append(f"{result.get('directory', result['name'])}: {', '.join(why)}")
    element = ET.SubElement(case, tag, message=legal(message), type=legal(kind))
    element.text = legal("\n".join(lines))


def _gate_suite(gates: Sequence[GateResult], run: StoredRun) -> ET.Element:
    cases = []
    for result in gates:
        case = _element("testcase", name=result.gate.text, classname=f"gates.{result.label}", time="0")
        if not result.passed:
            ET.SubElement(case, "failure", message=legal(result.reason), type="gate").text = legal(result.reason)
        cases.append(case)
    return _suite("gates", run, cases)


def _suite(name: str, run: StoredRun, cases: Sequence[ET.Element]) -> ET.Element:
    counts = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error", "skipped")}
    suite = _element(
        "testsuite",
        package="tool_sandbox",
        name=name,
        timestamp=str(run.description.get("started", ""))[:19] or "1970-01-01T00:00:00",
        hostname="localhost",
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{sum(float(case.get('time', 0)) for case in cases):.3f}",
    )
    ET.SubElement(suite, "properties")
    suite.extend(cases)
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err")
    return suite


def _seconds(trials: Sequence[Result]) -> str:
    """Seconds for which the models of a scenario were waited for; what was not measured is 0."""
    usages = [usage for result in trials for usage in used(result, ("agent", "user"))]
    return f"{sum(usage.get('latency_s') or 0 for usage in usages):.3f}"


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: legal(value) for name, value in attributes.items()})
