"""Registering tools, tracing, filters and helpers."""

import copy
import functools
import inspect
import json
import logging
import math
import pickle
from typing import Any

import attrs
import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
    new_context,
)
from tool_sandbox.conversation.tool_discovery import ToolBackend, registered_tools
from tool_sandbox.world import utils
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.utils import NOT_GIVEN, NotGiven, register_as_tool

SANDBOX, CONTACT = DatabaseNamespace.SANDBOX, DatabaseNamespace.CONTACT
PEOPLE = pl.DataFrame({"name": ["Homer S", "Fredrik Thordendal", None, "John Petrucci"], "age": [40, None, 3, 57]})


@register_as_tool()
def double(number: float, times: int = 1, note: str | NotGiven = NOT_GIVEN) -> float:
    """Doubles a number."""
    return number * 2**times


@register_as_tool(visible_to=(RoleType.USER,))
def outer() -> Any:
    """Calls another tool, and fails to record an endless result."""
    double(1.0)
    get_current_context().add_to_database(CONTACT, [{"person_id": "new"}])
    return math.inf


@pytest.fixture
def context() -> Any:
    """A current context with one message and tracing on."""
    context = ExecutionContext()
    context.add_to_database(SANDBOX, [{"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": "x"}])
    context.trace_tool = True
    with new_context(context):
        yield context


def traces(context: ExecutionContext) -> list[dict[str, Any]]:
    """Decoded traces of the newest message."""
    return [json.loads(trace) for trace in context.get_table(SANDBOX).column("tool_trace")[0] or ()]


class TestRegisterAsTool:
    def test_stays_a_plain_function(self) -> None:
        assert inspect.isfunction(double)
        assert (double.__name__, double.__doc__, double.__module__) == ("double", "Doubles a number.", __name__)
        assert list(inspect.signature(double).parameters) == ["number", "times", "note"]
        assert double.is_tool is True  # type: ignore[attr-defined]
        assert double.visible_to == (RoleType.AGENT,)  # type: ignore[attr-defined]
        assert outer.visible_to == (RoleType.USER,)  # type: ignore[attr-defined]
        assert double.backend is ToolBackend.DEFAULT  # type: ignore[attr-defined]

    @pytest.mark.parametrize("call", [lambda: double(), lambda: double(1.0, 2, "a", 4), lambda: double(nothing=1)])  # type: ignore[call-arg, arg-type, call-overload]
    def test_arguments_are_bound_first(self, call: Any) -> None:
        with pytest.raises(TypeError):
            call()

    def test_trace_holds_defaults_but_not_what_was_left_out(self, context: ExecutionContext) -> None:
        assert double(2.0) == 4.0
        assert double(times=3, number=1.0, note="grüße") == 8.0
        assert traces(context) == [
            {"tool_name": "double", "arguments": {"number": 2.0, "times": 1}, "result": 4.0},
            {"tool_name": "double", "arguments": {"number": 1.0, "times": 3, "note": "grüße"}, "result": 8.0},
        ]
        assert list(traces(context)[0]) == ["tool_name", "arguments", "result"]
        assert "grüße" in context.get_table(SANDBOX).column("tool_trace")[0][1]

    def test_no_trace_without_tracing_or_messages(self, context: ExecutionContext) -> None:
        context.trace_tool = False
        double(1.0)
        assert traces(context) == []
        with new_context(ExecutionContext()) as empty:
            empty.trace_tool = True
            assert double(1.0) == 2.0

    def test_result_that_cannot_be_recorded_is_rolled_back(self, context: ExecutionContext) -> None:
        before = context.fork()
        with pytest.raises(ValueError, match="JSON"):
            outer()
        assert context.equals(before)
        assert context.trace_tool

    def test_nested_calls_leave_no_trace(self, context: ExecutionContext) -> None:
        nested = register_as_tool()(lambda: double(1.0))
        nested()
        assert [trace["tool_name"] for trace in traces(context)] == ["<lambda>"]

    def test_explicit_trace(self, context: ExecutionContext) -> None:
        utils.add_tool_trace(double, 1, 2.0, note="n")
        assert traces(context)[0]["arguments"] == {"number": 2.0, "times": 1, "note": "n"}


def test_not_given_is_one_object() -> None:
    assert not NOT_GIVEN
    assert repr(NOT_GIVEN) == "NOT_GIVEN"
    for twin in (NotGiven(), copy.copy(NOT_GIVEN), copy.deepcopy(NOT_GIVEN), pickle.loads(pickle.dumps(NOT_GIVEN))):
        assert twin is NOT_GIVEN


class TestFilters:
    @pytest.mark.parametrize(
        ("method", "column", "value", "options", "rows"),
        [
            (utils.exact_match_filter_dataframe, "name", "Homer S", {}, [0]),
            (utils.exact_match_filter_dataframe, "name", "homer s", {}, []),
            (utils.exact_match_filter_dataframe, "name", None, {}, []),
            (utils.subsequence_filter_dataframe, "name", "r", {}, [0, 1, 3]),
            (utils.subsequence_filter_dataframe, "name", ".", {}, []),
            (utils.subsequence_filter_dataframe, "name", "(", {}, []),
            (utils.range_filter_dataframe, "age", 57, {"value_delta": -17}, [0, 3]),
            (utils.lt_eq_filter_dataframe, "age", 40, {}, [0, 2]),
            (utils.gt_eq_filter_dataframe, "age", 40, {}, [0, 3]),
            (utils.fuzzy_match_filter_dataframe, "name", "Homer", {}, [0]),
            (utils.fuzzy_match_filter_dataframe, "name", "petrucci", {}, [3]),
            (utils.fuzzy_match_filter_dataframe, "name", "!", {"threshold": 0}, []),
        ],
    )
    def test_rows(self, method: Any, column: str, value: Any, options: dict[str, Any], rows: list[int]) -> None:
        result = method(dataframe=PEOPLE, column_name=column, value=value, **options)
        assert result.equals(PEOPLE[rows])

    def test_range_needs_its_width(self) -> None:
        with pytest.raises(KeyError):
            utils.range_filter_dataframe(PEOPLE, "age", 1)

    def test_fuzzy_returns_all_matches_best_first(self) -> None:
        frame = pl.DataFrame({"name": [f"friend {number}" for number in range(9)] + ["friend"]})
        result = utils.fuzzy_match_filter_dataframe(frame, "name", "friend")
        assert len(result) == 10
        assert result["name"].to_list()[:2] == ["friend", "friend 0"]

    def test_filters_are_combined(self) -> None:
        criteria = [
            ("age", 10, utils.gt_eq_filter_dataframe),
            ("age", 50, utils.lt_eq_filter_dataframe),
            ("name", NOT_GIVEN, utils.exact_match_filter_dataframe),
        ]
        assert utils.filter_dataframe(PEOPLE, criteria)["name"].to_list() == ["Homer S"]
        with pytest.raises(ValueError, match="name, age"):
            utils.filter_dataframe(PEOPLE, [("name", NOT_GIVEN, criteria[0][2]), ("age", NOT_GIVEN, criteria[0][2])])
        with pytest.raises(ValueError, match="criterion"):
            utils.filter_dataframe(PEOPLE, [])

    def test_product_of_columns(self) -> None:
        frame = pl.DataFrame({"a": [2.0], "b": [3.0]})
        assert frame.select(utils.polars_multiply_columns_expression(["a", "b"])).item() == 6.0
        with pytest.raises(ValueError, match="column name"):
            utils.polars_multiply_columns_expression([])


class TestHelpers:
    def test_uuid(self) -> None:
        assert utils.deterministic_uuid("Tomas Haake") == "3815cac9-3cab-5d75-89e2-fe12fe19779e"
        assert utils.deterministic_uuid("Homer S") == "e3570ab6-0819-5032-be1e-2b366390c8ef"

    @pytest.mark.parametrize(
        ("value", "reference", "atol", "close"),
        [(1, 1.5, 0.5, True), (1, 1.6, 0.5, False), ("a", "a", 1, True), (1, 1.0, None, True), (1, "1", 9, False),
         (True, 2, 1, True), (1, None, math.inf, False), (None, None, None, True)],
    )  # fmt: skip
    def test_is_close(self, value: Any, reference: Any, atol: float | None, close: bool) -> None:
        assert utils.is_close(value, reference, atol) is close

    def test_dates_follow_the_world(self) -> None:
        # Friday, 31 December 2027, 23:30 in Los Angeles.
        clock = ScenarioClock(start=1830324600.0, zone="America/Los_Angeles", seconds_per_message=0)
        with new_context(ExecutionContext(clock=clock)):
            assert utils.get_tomorrow_datetime().isoformat() == "2028-01-01T23:30:00"
            assert utils.get_next_iso_weekday_datetime(5).isoformat() == "2027-12-31T23:30:00"
            assert utils.get_next_iso_weekday_datetime(1).isoformat() == "2028-01-03T23:30:00"

    def test_attrs_serialize(self) -> None:
        @attrs.define
        class Holder:
            value: Any

        serialize = functools.partial(attrs.asdict, value_serializer=utils.attrs_serialize)
        assert serialize(Holder(functools.partial(double, 1)))["value"] == "double"
        assert serialize(Holder(len))["value"] == "len"
        assert "lambda" in serialize(Holder(lambda x: x))["value"]
        assert serialize(Holder(PEOPLE))["value"] == PEOPLE.to_dicts()
        assert type(serialize(Holder(RoleType.USER))["value"]) is str
        assert serialize(Holder(1.5))["value"] == 1.5

    def test_logging_is_silenced(self, caplog: pytest.LogCaptureFixture) -> None:
        with utils.all_logging_disabled():
            logging.critical("hidden")
        logging.critical("shown")
        assert caplog.messages == ["shown"]

    def test_typechecked_is_offered_here(self) -> None:
        from tool_sandbox.world import validators

        assert utils.typechecked is validators.typechecked


def test_tools_are_found_while_another_thread_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported becomes a member of its package in the middle of a walk over it."""
    import tool_sandbox.tools

    class Importing:
        @property
        def __class__(self) -> type:  # type: ignore[override]
            members = vars(tool_sandbox.tools)
            monkeypatch.setitem(members, f"late_{len(members)}", None)
            return object

    before = registered_tools()
    monkeypatch.setattr(tool_sandbox.tools, "importing", Importing(), raising=False)
    assert registered_tools() == before
