"""Traces: OpenTelemetry's own schema reads them, and their attributes are those of its conventions."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from tests.export.conftest import ERRORS, NAMES, PARALLEL, Runs
from tool_sandbox.export import export_runs
from tool_sandbox.export.otel import otel_line

COUNT = 2 * len(NAMES)


@pytest.fixture(scope="module")
def exported(runs: Runs, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("otel") / "traces.jsonl"
    export_runs(runs.paths, "otel", path)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_names_are_those_of_the_protocol(exported: list[dict[str, Any]]) -> None:
    for line in exported:
        ((resource_spans,),) = (line.values(),)
        (one,) = resource_spans
        assert set(one) == {"resource", "scopeSpans"}
        (scope,) = one["scopeSpans"]
        assert set(scope) == {"scope", "spans"}
        for span in scope["spans"]:
            optional = {"parentSpanId", "events"}
            times = {"startTimeUnixNano", "endTimeUnixNano"}
            assert set(span) - optional == {"traceId", "spanId", "name", "kind", "attributes", "status", *times}
            assert len(bytes.fromhex(span["traceId"])) == 16
            assert len(bytes.fromhex(span["spanId"])) == 8


def test_protobuf_reads_it(exported: list[dict[str, Any]]) -> None:
    data = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2").TracesData
    parse = pytest.importorskip("google.protobuf.json_format").ParseDict
    for line in exported:
        # OTLP has ids in hexadecimal where plain JSON of protobuf has base64.
        for span in spans(line):
            for name in {"traceId", "spanId", "parentSpanId"} & span.keys():
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        assert parse(line, data()).resource_spans[0].scope_spans[0].spans


def test_ids_are_distinct_and_parents_are_there(exported: list[dict[str, Any]]) -> None:
    traces = [{span["traceId"] for span in spans(line)} for line in exported]
    assert all(len(found) == 1 for found in traces)
    assert len(set.union(*traces)) == COUNT
    for line in exported:
        known = {span["spanId"]: span for span in spans(line)}
        assert len(known) == len(spans(line))
        first, *others = spans(line)
        assert "parentSpanId" not in first
        for span in others:
            parent = known[span["parentSpanId"]]
            assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
            assert int(span["startTimeUnixNano"]) < int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"])


def test_spans_are_the_messages_and_calls(runs: Runs) -> None:
    for trajectory in runs.trajectories:
        found = [attributes(span)["gen_ai.operation.name"] for span in spans(otel_line(trajectory))]
        said = [entry for entry in trajectory.entries if entry.weight]
        assert found.count("chat") == len(said)
        assert found.count("execute_tool") == sum(len(entry.calls) for entry in said)
        assert found.count("invoke_agent") == sum(not entry.calls for entry in said)
        assert found.count("invoke_workflow") == 1


def test_messages_have_the_form_of_the_conventions(runs: Runs) -> None:
    for span in spans(otel_line(runs.of(PARALLEL[0]))):
        known = attributes(span)
        if known["gen_ai.operation.name"] == "chat":
            (output,) = json.loads(known["gen_ai.output.messages"])
            assert output["role"] == "assistant"
            assert known["gen_ai.response.finish_reasons"] == [output["finish_reason"]]
            history = json.loads(known["gen_ai.input.messages"])
            for part in (part for message in (*history, output) for part in message["parts"]):
                wanted = {
                    "text": {"type", "content"},
                    "tool_call": {"type", "id", "name", "arguments"},
                    "tool_call_response": {"type", "id", "response"},
                }
                assert set(part) == wanted[part["type"]]


def test_errors_of_tools_are_errors(runs: Runs) -> None:
    found = [span for span in spans(otel_line(runs.of(ERRORS))) if span["status"]]
    assert found
    for span in found:
        assert span["status"]["code"] == 2
        assert attributes(span)["error.type"] == "ValueError"
        assert "gen_ai.tool.call.result" not in attributes(span)


def test_score_is_an_evaluation(runs: Runs) -> None:
    trajectory = runs.of("wifi_off")
    (event,) = spans(otel_line(trajectory))[0]["events"]
    assert event["name"] == "gen_ai.evaluation.result"
    assert attributes(event)["gen_ai.evaluation.score.value"] == trajectory.score == 1.0
    assert attributes(event)["gen_ai.evaluation.score.label"] == "success"


def test_a_model_has_its_provider_tokens_and_time(modeled: Runs) -> None:
    trajectory = modeled.of("wifi_off")
    chats = [span for span in spans(otel_line(trajectory)) if span["name"] == "chat gpt-5.6-terra"]
    said = [entry for entry in trajectory.entries if entry.weight]
    for span, entry in zip(chats, said, strict=True):
        known = attributes(span)
        assert entry.model is not None
        assert span["kind"] == 3
        assert known["gen_ai.provider.name"] == "openai"
        assert known["gen_ai.usage.input_tokens"] == str(entry.model.input_tokens)
        assert known["gen_ai.usage.output_tokens"] == str(entry.model.output_tokens)
        took = int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])
        assert took == round(entry.model.latency_s * 1e9)


def test_code_has_the_calls_that_it_made_below_it(runs: Runs) -> None:
    trajectory = runs.of("wifi_off")
    inner = {"id": "inner", "name": "get_wifi_status", "arguments": "{}", "content": "no", "is_error": True}
    entries = [
        attrs.evolve(entry, code_calls=[inner]) if entry.role == "tool" else entry for entry in trajectory.entries
    ]
    found = {span["name"]: span for span in spans(otel_line(attrs.evolve(trajectory, entries=tuple(entries))))}
    outer, below = found["execute_tool set_wifi_status"], found["execute_tool get_wifi_status"]
    assert below["parentSpanId"] == outer["spanId"]
    assert below["status"] == {"code": 2, "message": "no"}
    assert attributes(below)["error.type"] == "_OTHER"


def spans(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = line["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return found


def attributes(owner: Mapping[str, Any]) -> dict[str, Any]:
    return {pair["key"]: _plain(pair["value"]) for pair in owner["attributes"]}


def _plain(value: Mapping[str, Any]) -> Any:
    ((kind, found),) = value.items()
    return [_plain(item) for item in found["values"]] if kind == "arrayValue" else found
