import functools
import json
import math
from typing import Any

import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.scoring import (
    column_close_similarity,
    column_contains_similarity,
    column_exact_match_similarity,
    column_one_similarity,
    column_rouge_l_similarity,
    column_tool_trace_exact_match_similarity,
)


def similarities(measure: Any, cells: pl.Series | list[Any], value: Any, **options: Any) -> list[float | None]:
    frame = pl.DataFrame({"x": cells})
    result = measure(dataframe=frame, column_name="x", value=value, **options)
    assert result.columns == ["similarity"]
    assert result.schema["similarity"] == (pl.Float64 if measure is column_one_similarity else pl.Float32)
    return result["similarity"].to_list()


def trace(tool_name: str = "f", **arguments: Any) -> str:
    return json.dumps({"tool_name": tool_name, "arguments": arguments, "result": None})


@pytest.mark.parametrize(
    ("cells", "value", "expected"),
    [
        (["a", "A", None], "a", [1, 0, None]),
        (["a", None], None, [0, 1]),
        ([1.0, 2.0, math.nan], 1, [1, 0, 0]),
        ([math.nan, 1.0], math.nan, [1, 0]),
        ([True, False], True, [1, 0]),
        ([1, 0], True, [1, 0]),
        ([["a"], ["a", "b"], None], ["a"], [1, 0, None]),
        (pl.Series(["USER", "AGENT"], dtype=pl.Enum(["USER", "AGENT"])), RoleType.USER, [1, 0]),
        (pl.Series([], dtype=pl.String), "a", []),
    ],
)
def test_exact_match(cells: Any, value: Any, expected: list[float | None]) -> None:
    assert similarities(column_exact_match_similarity, cells, value) == expected


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        (["a"], 1),
        ([1.0], "a"),
        ([True], "a"),
        (pl.Series(["USER"], dtype=pl.Enum(["USER"])), "ROBOT"),
        (pl.Series([], dtype=pl.String), 1),
    ],
)
def test_exact_match_of_what_cannot_be_compared(cells: Any, value: Any) -> None:
    with pytest.raises(pl.exceptions.ComputeError):
        similarities(column_exact_match_similarity, cells, value)


def test_close() -> None:
    assert similarities(column_close_similarity, [1.0, 1.5, 1.6, None], 1.0, atol_dict={"x": 0.5}) == [1, 1, 0, 0]
    assert similarities(column_close_similarity, [1.0, 1.5], 1.0, atol_dict={"y": 9}) == [1, 0]
    assert similarities(column_close_similarity, [-1e9], 1, atol_dict={"x": math.inf}) == [1]


@pytest.mark.parametrize(("value", "atol_dict"), [("1", {"x": 1}), (None, {"x": 1}), (1.0, None)])
def test_close_needs_a_number_and_tolerances(value: Any, atol_dict: Any) -> None:
    with pytest.raises(AssertionError):
        similarities(column_close_similarity, [1.0], value, atol_dict=atol_dict)


def test_one_needs_no_column() -> None:
    assert similarities(column_one_similarity, ["a", None], "z") == [1, 1]
    assert len(column_one_similarity(pl.DataFrame({"y": [1]}), "x", None)) == 1


def test_contains() -> None:
    assert similarities(column_contains_similarity, ["a.c", "abc", None], "a.c") == [1, 0, None]
    assert similarities(column_contains_similarity, ["Abc", ""], "") == [1, 1]
    assert similarities(column_contains_similarity, ["Abc"], "a") == [0]
    with pytest.raises(pl.exceptions.SchemaError):
        similarities(column_contains_similarity, ["a"], 1)


@pytest.mark.parametrize(
    ("recorded", "golden", "expected"),
    [
        ([trace(a=1, b=2)], {"tool_name": "f", "arguments": {"a": 1}}, 1),
        ([trace(a=1)], {"tool_name": "g", "arguments": {"a": 1}}, 0),
        ([trace("g"), trace(a=1)], {"tool_name": "f", "arguments": {"a": True}}, 1),
        ([trace(a=1)], {"tool_name": "f", "arguments": {"a": 1, "b": None}}, 0),
        ([trace(a="X")], {"tool_name": "f", "arguments": {"a": "x"}}, 0),
        ([trace(a={"b": [1]})], {"tool_name": "f", "arguments": {"a": {"b": [1.0]}}}, 1),
        ([trace(a=1)], [{"tool_name": "g", "arguments": {}}, {"tool_name": "f", "arguments": {}}], 1),
        ([trace(a=1)], [], 0),
        ([], {"tool_name": "f", "arguments": {}}, 0),
        (None, {"tool_name": "f", "arguments": {}}, 0),
        (["not JSON", trace()], {"tool_name": "f", "arguments": {}}, 1),
    ],
)
def test_tool_traces(recorded: Any, golden: Any, expected: float) -> None:
    cells = pl.Series("x", [recorded], dtype=pl.List(pl.String))
    assert similarities(column_tool_trace_exact_match_similarity, cells, json.dumps(golden)) == [expected]


def test_tool_traces_with_tolerances() -> None:
    cells = pl.Series("x", [[trace(a=1.2, b="s")]], dtype=pl.List(pl.String))
    golden = json.dumps({"tool_name": "f", "arguments": {"a": 1, "b": "s"}})
    measure = functools.partial(column_tool_trace_exact_match_similarity, atol_dict={"a": 0.5})
    assert measure(dataframe=pl.DataFrame({"x": cells}), column_name="x", value=golden)["similarity"][0] == 1
    assert similarities(column_tool_trace_exact_match_similarity, cells, golden) == [0]
    absent = json.dumps({"tool_name": "f", "arguments": {"c": 1}})
    assert similarities(column_tool_trace_exact_match_similarity, cells, absent, atol_dict={"c": math.inf}) == [0]


@pytest.mark.parametrize("golden", ["{", "1", '{"tool_name": "f"}', '[{"arguments": {}}]', None])
def test_unreadable_golden_traces(golden: Any) -> None:
    with pytest.raises(ValueError, match="golden tool trace"):
        similarities(column_tool_trace_exact_match_similarity, pl.Series("x", [["{}"]]), golden)


def test_rouge() -> None:
    cells = ["hello there my friend", "hello there", "nothing", None]
    expected = [pytest.approx(2 / 3, abs=1e-7), 1, 0, 0]
    assert similarities(column_rouge_l_similarity, cells, "hello there") == expected
