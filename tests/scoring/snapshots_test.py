import functools
import itertools
import json
import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring import (
    addition_similarity,
    column_contains_similarity,
    column_exact_match_similarity,
    column_rouge_l_similarity,
    column_tool_trace_exact_match_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    update_similarity,
)
from tool_sandbox.scoring.milestones import _default_dbs_column_similarities
from tool_sandbox.scoring.published.tool_trace_extractors import result_to_temperature_extractor

EXACT = dict.fromkeys("xyz", column_exact_match_similarity)
TEXT = EXACT | {"t": column_rouge_l_similarity}
PERSON = {"person_id": column_exact_match_similarity, "name": column_exact_match_similarity}
CHANGES = [addition_similarity, removal_similarity, update_similarity]


def frame(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(columns)


# Snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact_columns", "text", "expected"),
    [
        (0, "hello there my friend", 2 / 3),
        (1, "hello there my friend", math.sqrt(2 / 3)),
        (2, "well hello there old good friend there", (8 / 13) ** (1 / 3)),
    ],
)
def test_a_row_scores_the_geometric_mean_of_its_columns(exact_columns: int, text: str, expected: float) -> None:
    wanted = "hello there" if exact_columns < 2 else "hello there my good old friend"
    others = {name: [1] for name in "xy"[:exact_columns]}
    target, snapshot = frame(**others, t=[wanted]), frame(**others, t=[text])
    assert snapshot_similarity(snapshot, target, TEXT) == pytest.approx(expected, abs=1e-12)


rows = st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([0.2, 0.5, 1.0])), min_size=1, max_size=4)


@given(rows, rows)
def test_rows_are_paired_in_the_best_way(wanted: list[Any], found: list[Any]) -> None:
    """Compared with all bijections, with a graded measure made for the purpose."""

    def grade(left: Any, right: Any) -> float:
        return float(left[0] == right[0]) * min(left[1], right[1])

    def graded_cells(dataframe: pl.DataFrame, column_name: str, value: Any, **_: Any) -> pl.DataFrame:
        return pl.DataFrame({"similarity": [min(cell, value) for cell in dataframe[column_name]]})

    size = len(wanted)
    best = 0.0
    if size == len(found):
        for order in itertools.permutations(range(size)):
            product = math.prod(math.sqrt(grade(wanted[i], found[order[i]])) for i in range(size))
            best = max(best, product ** (1 / size))
    target, snapshot = (
        pl.DataFrame(side, schema={"x": pl.String, "y": pl.Float64}, orient="row") for side in (wanted, found)
    )
    measures = {"x": column_exact_match_similarity, "y": graded_cells}
    assert snapshot_similarity(snapshot, target, measures) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("snapshot", "target", "expected"),
    [
        (frame(x=["a", "b"]), frame(x=["b", "a"]), 1),
        (frame(x=["a"]), frame(x=["a", "a"]), 0),
        (frame(x=["a"]), frame(x=["a"], z=[1]), 0),
        (frame(x=["a"], y=[None]), frame(x=["a"], y=[1.0]), 0),
        (frame(x=["a"], y=[None]), frame(x=["a"], y=[None]), 1),
        (frame(x=[]), frame(x=[]), 1),
    ],
)
def test_edges_of_a_snapshot(snapshot: pl.DataFrame, target: pl.DataFrame, expected: float) -> None:
    assert snapshot_similarity(snapshot, target, EXACT) == expected


def test_a_foreign_measure_may_return_null_and_is_left_out() -> None:
    def unsure(dataframe: pl.DataFrame, column_name: str, value: Any, **_: Any) -> pl.DataFrame:
        return pl.DataFrame({"similarity": pl.Series([None] * len(dataframe), dtype=pl.Float32)})

    both, alone = frame(x=[1], t=["u"]), frame(t=["u"])
    assert snapshot_similarity(both, both, EXACT | {"t": unsure}) == 1
    assert snapshot_similarity(alone, alone, {"t": unsure}) == 0


def test_what_a_snapshot_needs() -> None:
    one = frame(x=[1])
    with pytest.raises(AssertionError):
        snapshot_similarity(one, None, EXACT)
    with pytest.raises(AssertionError):
        snapshot_similarity(one, one, None)
    with pytest.raises(KeyError):
        snapshot_similarity(frame(w=[1]), frame(w=[1]), EXACT)
    with pytest.raises(pl.exceptions.ComputeError):
        snapshot_similarity(frame(x=["a"]), frame(x=[1]), EXACT)


# Changes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "snapshot", "target", "expected"),
    [
        (["a"], ["a", "b"], ["b"], 1),
        (["a"], ["b"], ["b"], 0),
        (["a"], ["a", "b", "c"], ["c", "b"], 1),
        (["a"], ["a", "b"], ["c"], 0),
        ([], ["a"], ["a"], 1),
        (["a"], ["a"], [], 1),
        (["a", "a"], ["a", "a", "b"], ["b"], 1),
        (["a"], ["a", "a"], ["a"], 1),
        (["a", "a"], ["a"], [], 0),
        ([None], ["", "b"], ["b"], 0),
    ],
)
def test_additions_and_removals_mirror_each_other(
    reference: list[Any], snapshot: list[Any], target: list[Any], expected: float
) -> None:
    before, now, wanted = (
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}) for cells in (reference, snapshot, target)
    )
    assert addition_similarity(now, wanted, EXACT, before) == expected
    assert removal_similarity(before, wanted, EXACT, now) == expected


def test_null_is_a_value_of_its_own() -> None:
    before, now = frame(person_id=["1"], name=[None]), frame(person_id=["1"], name=[""])
    now = now.with_columns(pl.col("name").cast(pl.String))
    assert update_similarity(now, frame(name=[""]), PERSON, before.with_columns(pl.col("name").cast(pl.String))) == 1


def test_untyped_nulls_in_a_target() -> None:
    before, now = frame(x=["a"], y=["u"]), pl.DataFrame({"x": ["a", "b"], "y": ["u", None]})
    assert addition_similarity(now, pl.DataFrame({"x": ["b"], "y": [None]}), EXACT, before) == 1


@pytest.mark.parametrize(
    ("now", "target", "expected"),
    [
        ({"person_id": ["1", "2"], "name": ["a", "x"]}, {"name": ["x"]}, 1),
        ({"person_id": ["2", "1"], "name": ["x", "a"]}, {"name": ["x"]}, 1),
        ({"person_id": ["1", "9"], "name": ["a", "x"]}, {"name": ["x"]}, 0),
        ({"person_id": ["1", "2"], "name": ["y", "x"]}, {"name": ["x"]}, 0),
        ({"person_id": ["1"], "name": ["a"]}, {"name": []}, 0),
        ({"person_id": ["1", "2"], "name": ["a", "b"]}, {"name": []}, 1),
    ],
)
def test_updates_pair_rows_by_key(now: dict[str, list[str]], target: dict[str, list[str]], expected: float) -> None:
    before = frame(person_id=["1", "2"], name=["a", "b"])
    wanted = pl.DataFrame(target, schema={"name": pl.String})
    assert update_similarity(pl.DataFrame(now), wanted, PERSON, before) == expected


def test_updates_without_a_key_column_go_by_content() -> None:
    assert update_similarity(frame(x=["a", "c"]), frame(x=["c"]), EXACT, frame(x=["a", "b"])) == 1


@pytest.mark.parametrize("similarity", CHANGES)
def test_the_message_index_does_not_count(similarity: Any) -> None:
    before = frame(sandbox_message_index=[1], person_id=["1"], name=["a"])
    now = frame(sandbox_message_index=[2], person_id=["1"], name=["a"])
    assert similarity(now, pl.DataFrame(schema={"name": pl.String}), PERSON, before) == 1


@pytest.mark.parametrize("similarity", CHANGES)
@pytest.mark.parametrize("missing", ["target_dataframe", "column_similarities", "reference_snapshot"])
def test_what_a_change_needs(similarity: Any, missing: str) -> None:
    one = frame(x=[1])
    arguments = {"target_dataframe": one, "column_similarities": EXACT, "reference_snapshot": one, missing: None}
    with pytest.raises(AssertionError):
        similarity(snapshot=one, **arguments)


def test_guardrails_compare_everything() -> None:
    before = frame(x=["a", None], y=[1.0, math.nan])
    assert guardrail_similarity(before.clone(), reference_snapshot=before) == 1
    assert guardrail_similarity(before.reverse(), reference_snapshot=before) == 0
    assert guardrail_similarity(frame(x=["a", ""], y=[1.0, math.nan]), reference_snapshot=before) == 0
    with pytest.raises(AssertionError):
        guardrail_similarity(before)


# Tool traces ---------------------------------------------------------------------------------


def message(**cells: Any) -> pl.DataFrame:
    context = ExecutionContext()
    defaults = {"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": "it is 5.0 degrees"}
    context.add_to_database(DatabaseNamespace.SANDBOX, [defaults | cells])
    return context.get_database(DatabaseNamespace.SANDBOX)


def dependent(
    target: pl.DataFrame, reference: pl.DataFrame, snapshot: pl.DataFrame | None = None, **options: Any
) -> float:
    measures = _default_dbs_column_similarities[DatabaseNamespace.SANDBOX] | {"content": column_contains_similarity}
    options = {"fill_to": "content", "extractor": result_to_temperature_extractor} | options
    found = message() if snapshot is None else snapshot
    return tool_trace_dependant_similarity(found, target, measures, reference, **options)


MEASURED = message(tool_trace=[json.dumps({"tool_name": "f", "arguments": {}, "result": 5})])
GAP = frame(content=["is {temperature} degrees"])


def test_values_are_written_into_the_content() -> None:
    assert dependent(GAP, MEASURED) == 1
    assert dependent(GAP, MEASURED, message(content="it is 6 degrees")) == 0
    assert dependent(GAP, message()) == 0
    assert dependent(frame(content=["5.0 degrees"]), MEASURED) == 1


def test_a_value_that_does_not_fit_does_not_discard_the_others() -> None:
    mixed = functools.partial(lambda values, _: values, [{"q": 5}, {"temperature": "5.0"}])
    assert dependent(GAP, MEASURED, extractor=mixed) == 1
    assert dependent(frame(content=["a literal } brace"]), MEASURED) == 0
    assert dependent(frame(content=["no {gap} here"]), MEASURED) == 0


@pytest.mark.parametrize(
    ("golden", "expected"),
    [
        ({"tool_name": "f", "arguments": {"b": 1}}, 1),
        ({"tool_name": "f", "arguments": {"b": 1, "temperature": "x"}}, 1),
        ({"tool_name": "f", "arguments": {"b": 2}}, 0),
        ([{"tool_name": "g", "arguments": {}}, {"tool_name": "f", "arguments": {}}], 1),
    ],
)
def test_values_are_written_into_golden_arguments(golden: Any, expected: float) -> None:
    call = {"tool_name": "f", "arguments": {"temperature": "5.00", "b": 1}, "result": None}
    target = frame(tool_trace=[json.dumps(golden)])
    found = message(tool_trace=[json.dumps(call)])
    assert dependent(target, MEASURED, found, fill_to="tool_trace") == expected


def test_golden_arguments_also_win_over_extracted_ones() -> None:
    call = {"tool_name": "f", "arguments": {"temperature": "x"}, "result": None}
    target = frame(tool_trace=[json.dumps({"tool_name": "f", "arguments": {"temperature": "x"}})])
    assert dependent(target, MEASURED, message(tool_trace=[json.dumps(call)]), fill_to="tool_trace") == 1


@pytest.mark.parametrize("error", [KeyError, IndexError, TypeError, ValueError])
def test_an_extractor_that_finds_nothing(error: type[Exception]) -> None:
    def extractor(trace: dict[str, Any]) -> list[dict[str, Any]]:
        raise error

    assert dependent(GAP, MEASURED, extractor=extractor) == 0


def test_other_errors_of_an_extractor_are_not_hidden() -> None:
    def extractor(trace: dict[str, Any]) -> list[dict[str, Any]]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        dependent(GAP, MEASURED, extractor=extractor)


def test_what_a_dependent_constraint_needs() -> None:
    with pytest.raises(pl.exceptions.SchemaError):
        dependent(GAP, MEASURED.vstack(MEASURED))
    with pytest.raises(pl.exceptions.SchemaError):
        dependent(GAP, frame(x=[1]))
    with pytest.raises(ValueError, match="fill_to"):
        dependent(GAP, MEASURED, fill_to="sender")
    measures = {"content": column_contains_similarity}
    with pytest.raises(KeyError):
        tool_trace_dependant_similarity(message(), GAP, measures, MEASURED, extractor=result_to_temperature_extractor)
    with pytest.raises(KeyError):
        tool_trace_dependant_similarity(message(), GAP, measures, MEASURED, fill_to="content")
    with pytest.raises(AssertionError):
        tool_trace_dependant_similarity(message(), GAP, measures, None, fill_to="content")


def test_a_foreign_measure_judges_each_filled_target() -> None:
    def same(dataframe: pl.DataFrame, column_name: str, value: Any, **_: Any) -> pl.DataFrame:
        return pl.DataFrame({"similarity": [float(cell == value) for cell in dataframe[column_name]]})

    similarity = tool_trace_dependant_similarity(
        message(content="is 5.00 degrees"),
        GAP,
        {"content": same},
        MEASURED,
        fill_to="content",
        extractor=result_to_temperature_extractor,
    )
    assert similarity == 1


def test_the_measure_of_traces_is_the_default() -> None:
    measures = _default_dbs_column_similarities[DatabaseNamespace.SANDBOX]
    assert measures["tool_trace"] is column_tool_trace_exact_match_similarity
