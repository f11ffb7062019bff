"""Whatever a model sends: a tool answers with JSON, or raises a documented error and changes nothing."""

import inspect
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from phonenumbers import NumberParseException
from pint.errors import DimensionalityError, UndefinedUnitError
from polars.exceptions import DuplicateError, NoDataError

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, new_context
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.world.profile import Profile

TOOLS = get_all_tools()
DOCUMENTED = (
    TypeError,
    ValueError,
    ConnectionError,
    PermissionError,
    DuplicateError,
    NoDataError,
    NumberParseException,
    UndefinedUnitError,
    DimensionalityError,
)

NASTY = st.sampled_from(
    [
        *("", " ", "\x00", "a\ud800b", "x" * 20_000, "%s{0}`$(id)", "🦆" * 50, "+1", "+12453344098", "p-john"),
        *(10**400, -(10**400), 2**63, 1e308, -0.0, float("nan"), float("inf"), 1_750_000_000.0, 91, 2024),
        *("USD", "kilometer", "9**9**9*m", "christmas", "Apple", "(((((", "."),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | NASTY
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2)
)


def plausible(parameter: inspect.Parameter) -> st.SearchStrategy[Any]:
    """Values that often pass the type check, so that the body is reached."""
    annotation = str(parameter.annotation)
    options: list[st.SearchStrategy[Any]] = [VALUES, NASTY]
    if "str" in annotation:
        options.append(st.text(st.characters(), max_size=20))
    if "bool" in annotation:
        options.append(st.booleans())
    if "int" in annotation or "float" in annotation:
        options += [st.integers(-3000, 3000), st.floats(-200, 200), st.floats(3e8, 2.6e9)]
    return st.one_of(options)


def calls(name: str) -> st.SearchStrategy[dict[str, Any]]:
    parameters = inspect.signature(TOOLS[name]).parameters
    known = st.fixed_dictionaries({}, optional={key: plausible(value) for key, value in parameters.items()})
    return known | st.dictionaries(st.text(max_size=8), VALUES, max_size=3)


def state(context: ExecutionContext) -> dict[DatabaseNamespace, Any]:
    return {namespace: context.get_table(namespace) for namespace in DatabaseNamespace}


@pytest.mark.parametrize("profile", list(Profile), ids=str)
@pytest.mark.parametrize("name", TOOLS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_arguments(name: str, profile: Profile, data: st.DataObject, make_world: Any) -> None:
    arguments = data.draw(calls(name))
    with new_context(make_world(profile)) as world:
        before = state(world)
        try:
            result = TOOLS[name](**arguments)
        except DOCUMENTED as error:
            message = str(error)
        else:
            message = None
            json.dumps(result, allow_nan=False, ensure_ascii=False).encode()
            trace = world.get_table(DatabaseNamespace.SANDBOX).column("tool_trace")[-1]
            assert json.loads(trace[-1])["tool_name"] == name
        if message is not None:
            message.encode()
            assert 0 < len(message) < 1000
            assert state(world) == before


@pytest.mark.parametrize("name", TOOLS)
def test_unbindable_arguments(name: str, make_world: Any) -> None:
    with new_context(make_world()) as world:
        before = state(world)
        with pytest.raises(TypeError):
            TOOLS[name](no_such_parameter=1)
        with pytest.raises(TypeError):
            TOOLS[name](*range(20))
        assert state(world) == before
