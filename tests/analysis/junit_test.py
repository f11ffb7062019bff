import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.runs import family, result, store, store_results
from tool_sandbox.analysis.compare import compare
from tool_sandbox.analysis.gates import parse_gate
from tool_sandbox.analysis.gating import evaluate_gates
from tool_sandbox.analysis.junit import junit_xml
from tool_sandbox.analysis.markdown import comparison_markdown

HOSTILE = "a]]><system-out>&\x1b[31m\x00\ud800\u202e\"'"

# The schema of Ant's JUnit task, with the output of a case as pytest writes it, as rules: attributes that an element
# must have, and its children in their order.
ATTRIBUTES = {
    "testsuites": set(),
    "testsuite": {
        *("package", "id", "name", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time"),
    },
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
    "system-err": set(),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["error", "failure", "skipped", "system-out"],
}
ONCE = {"properties", "system-out", "system-err"}


def check(element: ET.Element) -> None:
    assert set(element.attrib) == ATTRIBUTES[element.tag], element.tag
    tags = [child.tag for child in element]
    order = CHILDREN.get(element.tag, [])
    assert [tag for tag in order for child in tags if child == tag] == tags, element.tag
    if element.tag == "testsuite":
        assert all(tags.count(tag) == 1 for tag in ONCE)
        cases = element.findall("testcase")
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[name]) == sum(case.find(tag) is not None for case in cases)
        assert int(element.attrib["tests"]) == len(cases)
        assert len({(case.attrib["classname"], case.attrib["name"]) for case in cases}) == len(cases)
    if element.tag == "testcase":
        assert len(tags) <= 1
    for child in element:
        check(child)


def parsed(document: bytes) -> ET.Element:
    root = ET.fromstring(document)
    check(root)
    return root


def kinds(suite: ET.Element) -> dict[str, str]:
    tags = {case.attrib["name"]: next((child.tag for child in case), "passed") for case in suite.findall("testcase")}
    return {name: tag.replace("system-out", "passed, and says something") for name, tag in tags.items()}


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    names = ["a_broke", "a_fixed", "b_fine", "b_never", "c_spoiled"]
    before = [1.0, 0.0, 1.0, 0.5, 1.0]
    after = [0.5, 1.0, 1.0, 0.5, None]
    return [
        store_results(tmp_path, agent, [result(name, 0, score) for name, score in zip(names, scores, strict=True)])
        for agent, scores in (("old", before), ("new", after))
    ]


def test_with_a_baseline_what_broke_fails(paths: list[Path]) -> None:
    suite, gates = parsed(
        junit_xml(
            comparison := compare(paths),
            evaluate_gates([parse_gate("any scenario breaks", []), parse_gate("turns is above 9", [])], comparison),
        )
    )
    assert kinds(suite) == {
        "a_broke": "failure",
        "a_fixed": "passed",
        "b_fine": "passed",
        "b_never": "skipped",
        "c_spoiled": "error",
    }
    assert {case.attrib["classname"] for case in suite.findall("testcase")} == {"a", "b", "c"}
    properties = {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}
    assert (properties["agent"], properties["baseline"], properties["infrastructure_rate"]) == ("new", "old", "0.2")
    # One in five is an infrastructure error: neither gate can be evaluated, and none passes.
    assert set(kinds(gates).values()) == {"failure"}


def test_a_drop_within_noise_is_not_skipped_and_one_beyond_it_fails(tmp_path: Path) -> None:
    shares = {
        "a_half": (2, 1, 2),
        "b_few": (10, 5, 10),
        "c_turned": (3, 1, 3),
        "d_low": (1, 0, 2),
        "e_never": (0, 0, 2),
    }
    before, after = (
        {name: [1.0] * each[at] + [0.0] * (each[2] - each[at]) for name, each in shares.items()} for at in (0, 1)
    )
    comparison = compare([store(tmp_path, "old", before), store(tmp_path, "new", after | {"f_new": [0.0, 0.0]})])
    (suite,) = parsed(junit_xml(comparison))
    assert kinds(suite) == {
        "a_half": "passed, and says something",
        "b_few": "failure",
        "c_turned": "failure",
        "d_low": "passed, and says something",
        "e_never": "skipped",
        "f_new": "skipped",
    }
    said = {case.attrib["name"]: case[0].text or case[0].attrib["message"] for case in suite.findall("testcase")}
    noise = "1 of 2 trials succeeded, mean score 0.500; dropped from 100% to 50%, within noise: p = 1.00"
    assert said["a_half"] == noise
    assert "baseline" in said["f_new"]
    failed = {
        case.attrib["name"]: case[0].attrib["message"] for case in suite.findall("testcase") if len(case[0].attrib)
    }
    # Ten against five of ten: 0.0325 by the exact test; three against one of three are too few to say.
    assert failed["b_few"].endswith("dropped from 100% to 50%: p = 0.033")
    assert failed["c_turned"].endswith("dropped from 100% to 33%, within noise: p = 0.40")
    properties = {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}
    assert properties["warnings"] == "left out: 1 scenario that only new has (the first: f_new)"
    assert "2 scenarios succeed less often, within noise" in comparison_markdown(comparison)
    assert [each["name"] for each in comparison.as_dict()["versus"][0]["dropped"]] == ["a_half", "d_low"]


def test_without_a_baseline_what_did_not_succeed_fails(paths: list[Path]) -> None:
    (suite,) = parsed(junit_xml(compare(paths[1:])))
    assert kinds(suite) == {
        "a_broke": "failure",
        "a_fixed": "passed",
        "b_fine": "passed",
        "b_never": "failure",
        "c_spoiled": "error",
    }


def test_trials_are_one_case_with_a_line_each(tmp_path: Path) -> None:
    run = store_results(tmp_path, "agent", [result("a_1", trial, score) for trial, score in enumerate([1.0, 0.5, 0.0])])
    (suite,) = parsed(junit_xml(compare([run])))
    (case,) = suite.findall("testcase")
    assert case[0].attrib["message"] == "1 of 3 trials succeeded, mean score 0.500"
    assert (case[0].text or "").splitlines()[1] == "a_1__trial_1: completed, score 0.500"


def test_hostile_texts_are_only_texts(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"directory": "odd", "reason": HOSTILE, "family": HOSTILE}
    run = store_results(tmp_path, HOSTILE, [result(HOSTILE, 0, 0.0, **changes)])
    document = junit_xml(compare([run]))
    (suite,) = parsed(document)
    (case,) = suite.findall("testcase")
    shown = "a]]><system-out>&\\x1b[31m\\x00\\ud800\\u202e\"'"
    assert case.attrib["name"] == case.attrib["classname"] == suite.attrib["name"] == shown
    assert shown in (case[0].text or "")
    assert not any(byte < 32 and byte != 10 for byte in document)
    assert family(HOSTILE)


def test_it_is_the_same_every_time(paths: list[Path]) -> None:
    assert junit_xml(compare(paths)) == junit_xml(compare(paths))
