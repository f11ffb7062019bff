"""What a model is told about the tools, and what each scramble withholds."""

# Both spellings of unions are tested.
# ruff: noqa: UP007, UP045

import enum
import inspect
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Optional, Union

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, ScenarioCategories, new_context
from tool_sandbox.conversation.tool_conversion import (
    augmented_getdoc,
    augmented_parameters,
    convert_python_function_to_openai_function,
    convert_to_openai_tool,
    convert_to_openai_tools,
    default_parameter_processing,
    maybe_scramble_arg_description,
    maybe_scramble_arg_type,
    maybe_scramble_tool_description,
    to_agent_facing_arguments,
    to_execution_facing_arguments,
)
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.utils import NOT_GIVEN, NotGiven

TOOLS = get_all_tools()
AGENT_TOOLS = [name for name in TOOLS if name != "end_conversation"]
S = ScenarioCategories
SCRAMBLES = [S.TOOL_NAME_SCRAMBLED, S.TOOL_DESCRIPTION_SCRAMBLED, S.ARG_DESCRIPTION_SCRAMBLED]
SCRAMBLES += [S.ARG_NAME_SCRAMBLED, S.ARG_TYPE_SCRAMBLED]


def describe(tool: Any, *scrambles: ScenarioCategories, profile: Profile = Profile.STRICT) -> dict[str, Any]:
    with new_context(ExecutionContext(tool_augmentation_list=list(scrambles), profile=profile)):
        function: dict[str, Any] = convert_to_openai_tool(tool)["function"]
        return function


@pytest.fixture(params=list(Profile), ids=str)
def profile(request: pytest.FixtureRequest) -> Iterator[Profile]:
    with new_context(ExecutionContext(profile=request.param)):
        yield request.param


# The tools -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_fully_described(profile: Profile, name: str) -> None:
    function = convert_to_openai_tool(TOOLS[name])["function"]
    parameters = inspect.signature(TOOLS[name]).parameters
    assert list(function) == ["name", "description", "parameters"]
    assert function["name"] == name
    assert function["description"]
    assert list(function["parameters"]) == ["type", "properties", "required"]
    assert list(function["parameters"]["properties"]) == list(parameters)
    for entry in function["parameters"]["properties"].values():
        assert list(entry) == ["type", "description"]
        assert entry["type"] in ("string", "integer", "number", "boolean")
    required = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    assert function["parameters"]["required"] == required


@pytest.mark.parametrize("name", AGENT_TOOLS)
def test_each_scramble_withholds_its_part_and_nothing_else(name: str) -> None:
    plain = describe(TOOLS[name])
    assert describe(TOOLS[name], S.TOOL_NAME_SCRAMBLED) == plain
    assert describe(TOOLS[name], S.TOOL_DESCRIPTION_SCRAMBLED) == {**plain, "description": ""}

    def with_entries(entries: Mapping[str, Any]) -> dict[str, Any]:
        return {**plain, "parameters": {**plain["parameters"], "properties": entries}}

    entries: dict[str, dict[str, Any]] = plain["parameters"]["properties"]
    types = {key: {"type": entry["type"]} for key, entry in entries.items()}
    assert describe(TOOLS[name], S.ARG_DESCRIPTION_SCRAMBLED) == with_entries(types)
    texts = {key: {"description": entry["description"]} for key, entry in entries.items()}
    assert describe(TOOLS[name], S.ARG_TYPE_SCRAMBLED) == with_entries(texts)
    empty = describe(TOOLS[name], S.ARG_DESCRIPTION_SCRAMBLED, S.ARG_TYPE_SCRAMBLED)
    assert empty == with_entries({key: {} for key in entries})


def test_misleading_descriptions_go_round_among_the_tools_on_offer() -> None:
    plain = {name: describe(TOOLS[name]) for name in AGENT_TOOLS}
    descriptions = [plain[name]["description"] for name in sorted(AGENT_TOOLS)]
    misleading = {name: describe(TOOLS[name], S.TOOL_DESCRIPTION_MISLEADING) for name in AGENT_TOOLS}
    assert [misleading[name]["description"] for name in sorted(AGENT_TOOLS)] == [*descriptions[1:], descriptions[0]]
    for name in AGENT_TOOLS:
        assert misleading[name] | {"description": ""} == plain[name] | {"description": ""}
    few = ["search_stock", "add_contact"]
    context = ExecutionContext(tool_augmentation_list=[S.TOOL_DESCRIPTION_MISLEADING], profile=Profile.STRICT)
    context.tool_allow_list = few
    with new_context(context):
        texts = {name: augmented_getdoc(TOOLS[name]) for name in few}
    for name, other in zip(few, reversed(few), strict=True):
        assert texts[name].startswith(plain[other]["description"].partition("\n")[0])
        assert (inspect.getdoc(TOOLS[name]) or "").partition("Args:")[2] == texts[name].partition("Args:")[2]
    user_tool = TOOLS["end_conversation"]
    assert describe(user_tool, S.TOOL_DESCRIPTION_MISLEADING) == describe(user_tool)


@pytest.mark.parametrize("name", AGENT_TOOLS)
def test_opaque_parameter_names(name: str) -> None:
    plain, scrambled = describe(TOOLS[name]), describe(TOOLS[name], S.ARG_NAME_SCRAMBLED)
    real = list(plain["parameters"]["properties"])
    assert list(scrambled["parameters"]["properties"]) == [f"arg_{position}" for position in range(len(real))]
    assert list(scrambled["parameters"]["properties"].values()) == list(plain["parameters"]["properties"].values())
    assert len(scrambled["parameters"]["required"]) == len(plain["parameters"]["required"])
    text = json.dumps(scrambled).replace(f'"{name}"', "")
    assert [parameter for parameter in real if "_" in parameter and parameter in text] == []


@pytest.mark.parametrize("on", [False, True])
def test_arguments_translate_back_and_forth(on: bool) -> None:
    context = ExecutionContext(tool_augmentation_list=[S.ARG_NAME_SCRAMBLED] if on else [])
    for name, tool in TOOLS.items():
        arguments = {key: number for number, key in enumerate(reversed(inspect.signature(tool).parameters))}
        facing = to_agent_facing_arguments(name, arguments, context)
        assert to_execution_facing_arguments(name, facing, context) == arguments
        assert list(facing.values()) == list(arguments.values())
        assert (facing == arguments) is (not on or not arguments)


def test_real_names_are_unknown_while_scrambled() -> None:
    context = ExecutionContext(tool_augmentation_list=[S.ARG_NAME_SCRAMBLED])
    with pytest.raises(TypeError, match="'name'"):
        to_execution_facing_arguments("add_contact", {"arg_1": "+1", "name": "A"}, context)
    assert to_execution_facing_arguments("end_conversation", {}, context) == {}
    plain = ExecutionContext()
    assert to_execution_facing_arguments("add_contact", {"nonsense": 1}, plain) == {"nonsense": 1}


def test_published_worlds_describe_tools_without_arguments() -> None:
    scramble = (S.TOOL_DESCRIPTION_SCRAMBLED, S.ARG_TYPE_SCRAMBLED, S.ARG_DESCRIPTION_SCRAMBLED)
    described = [name for name in TOOLS if describe(TOOLS[name], *scramble, profile=Profile.PUBLISHED)["description"]]
    assert described == [name for name in TOOLS if not inspect.signature(TOOLS[name]).parameters]
    published = describe(TOOLS["add_contact"], *scramble, profile=Profile.PUBLISHED)
    assert published["parameters"] == {"type": "object", "properties": {}, "required": ["name", "phone_number"]}


def test_what_only_the_user_sees_is_never_scrambled(profile: Profile) -> None:
    tool = TOOLS["end_conversation"]
    assert describe(tool, *SCRAMBLES, profile=profile) == describe(tool, profile=profile)


def test_all_scrambles_combine() -> None:
    for size in range(len(SCRAMBLES) + 1):
        for scrambles in itertools.combinations(SCRAMBLES, size):
            for name in ("modify_reminder", "get_wifi_status", "convert_currency"):
                json.dumps(describe(TOOLS[name], *scrambles))


def test_names_come_from_the_dictionary(profile: Profile) -> None:
    described = convert_to_openai_tools({"contact_0": TOOLS["add_contact"], "x": TOOLS["get_wifi_status"]})
    assert [tool["function"]["name"] for tool in described] == ["contact_0", "x"]
    assert {tool["type"] for tool in described} == {"function"}


def test_a_description_belongs_to_its_caller(profile: Profile) -> None:
    first = convert_to_openai_tool(TOOLS["add_contact"])
    first["function"]["parameters"]["properties"].clear()
    first["function"]["parameters"]["required"].append("x")
    assert convert_to_openai_tool(TOOLS["add_contact"])["function"]["parameters"]["required"] == [
        "name",
        "phone_number",
    ]
    assert convert_to_openai_tool(TOOLS["add_contact"])["function"]["parameters"]["properties"]


# Functions of others -------------------------------------------------------------------------


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


def entry_of(annotation: Any) -> dict[str, Any]:
    def function(x: Any) -> None: ...

    function.__annotations__["x"] = annotation
    properties = convert_python_function_to_openai_function("f", function)["parameters"]["properties"]
    return dict(properties.get("x", {}))


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (Optional[int], {"type": "integer"}),
        (Union[None, int], {"type": "integer"}),
        (int | None, {"type": "integer"}),
        (Union[str, NotGiven], {"type": "string"}),
        (Union[float, None, NotGiven], {"type": "number"}),
        (Union[int, float], {"type": "number"}),
        (Union[int, float, None], {"type": "number"}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (Optional[Literal[1, 2]], {"enum": [1, 2], "type": "integer"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (list, {"type": "array"}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (list[int | None], {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict, {"type": "object"}),
        (Union[str, list[str]], {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        (Annotated[int, "note"], {"type": "integer"}),
        (Color, {"enum": ["red", "blue"], "type": "string"}),
        (Any, {}),
        (object, {}),
        (None, {}),
        ("int", {"type": "integer"}),
    ],
)
def test_types(profile: Profile, annotation: Any, schema: dict[str, Any]) -> None:
    entry = entry_of(annotation)
    assert entry == schema
    assert list(entry) == list(schema)


def documented(x: int, y: str = "", *args: int, **kwargs: int) -> None:
    """Does something
    in two lines.

    And more.
    Args:
        x: First part
            of it: with a colon
        y (str): Second.
        z: Not a parameter: at all.

    Returns:
        Nothing.
    """


def test_docstrings(profile: Profile) -> None:
    function = convert_python_function_to_openai_function("f", documented)
    assert function == {
        "name": "f",
        "description": "Does something\nin two lines. And more.",
        "parameters": {
            "type": "object",
            "properties": {
                "x": {"type": "integer", "description": "First part of it: with a colon"},
                "y": {"type": "string", "description": "Second."},
            },
            "required": ["x"],
        },
    }


def test_no_docstring(profile: Profile) -> None:
    def bare(x: int) -> None: ...

    function = convert_python_function_to_openai_function("f", bare)
    assert function["description"] == ""
    assert function["parameters"]["properties"] == {"x": {"type": "integer"}}


DOCSTRING = "Adds.\n\nArgs:\n    a: One.\n    b: Two.\n\nReturns:\n    Sum.\n\nRaises:\n    ValueError: Never."


def test_scrambling_text(profile: Profile) -> None:
    for scramble in (maybe_scramble_tool_description, maybe_scramble_arg_description):
        assert scramble(DOCSTRING, []) == DOCSTRING
        assert scramble("", SCRAMBLES) == ""
    assert maybe_scramble_tool_description(DOCSTRING, [S.TOOL_DESCRIPTION_SCRAMBLED]) == DOCSTRING[7:]
    scrambled = maybe_scramble_arg_description(DOCSTRING, [S.ARG_DESCRIPTION_SCRAMBLED])
    assert scrambled == "Adds.\n\nArgs:\n\nReturns:\n    Sum.\n\nRaises:\n    ValueError: Never."


def test_scrambling_text_without_headers(profile: Profile) -> None:
    text = "Tells.\n\nReturns:\n    It."
    expected = text if profile is Profile.PUBLISHED else text[8:]
    assert maybe_scramble_tool_description(text, [S.TOOL_DESCRIPTION_SCRAMBLED]) == expected
    text = "Adds.\n\nArgs:\n    a: One."
    expected = text if profile is Profile.PUBLISHED else "Adds.\n\nArgs:"
    assert maybe_scramble_arg_description(text, [S.ARG_DESCRIPTION_SCRAMBLED]) == expected


def test_scrambling_types(profile: Profile) -> None:
    params = list(inspect.signature(documented).parameters.values())
    assert maybe_scramble_arg_type(params, []) is params
    scrambled = maybe_scramble_arg_type(params, [S.ARG_TYPE_SCRAMBLED])
    assert {param.annotation for param in scrambled} == {type(None)}
    assert [(param.name, param.kind, param.default) for param in scrambled] == [
        (param.name, param.kind, param.default) for param in params
    ]


def test_default_processing() -> None:
    def function(a: float | NotGiven | None = NOT_GIVEN, b: int = 0) -> None: ...

    params = default_parameter_processing(list(inspect.signature(function).parameters.values()))
    assert [param.annotation for param in params] == [float, int]
    assert params[0].default is NOT_GIVEN


def test_augmented_parts_follow_the_context() -> None:
    tool = TOOLS["modify_contact"]
    with new_context(ExecutionContext()):
        assert augmented_getdoc(tool) == inspect.getdoc(tool)
        assert [param.annotation for param in augmented_parameters(tool)] == [str, str, str, str, bool]
    with new_context(ExecutionContext(tool_augmentation_list=list(SCRAMBLES))):
        assert augmented_getdoc(tool).startswith("Args:\n\nReturns:")
        assert {param.annotation for param in augmented_parameters(tool)} == {type(None)}
