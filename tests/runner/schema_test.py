"""JSON Schemas, checks and frames come from the records: a key is declared once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import jsonschema
import polars as pl
import pytest
from typing_extensions import TypedDict

from tool_sandbox.cli import write_result_summary
from tool_sandbox.records.declaring import Count, Share, extensible
from tool_sandbox.records.run import SweepSettings
from tool_sandbox.runner import schema as schemas
from tool_sandbox.runner.formats import current_summary
from tool_sandbox.runner.frame import dtype_of
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.schema import SCHEMAS, check_shape, load_schema
from tool_sandbox.runner.sweep import describe
from tool_sandbox.runner.sweep_file import read_sweep
from tool_sandbox.world.errors import ConfigurationError


class Base(TypedDict):
    name: str
    """what it is called"""


class Shelf(Base, total=False):
    """A shelf, which only this test has."""

    books: Count
    """how many
    there are"""
    filled: Share | None


@extensible
class Room(TypedDict):
    shelves: list[Shelf]


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a record of the test among those that have a schema."""
    monkeypatch.setattr(schemas, "RECORDS", {**schemas.RECORDS, "room": Room})


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_one_of_the_draft_it_names_and_every_reference_leads_somewhere(name: str) -> None:
    schema = load_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(references(schema)) <= {f"#/$defs/{each}" for each in schema["$defs"]}
    assert json.loads(json.dumps(schema)) == schema


def test_unknown_schema_is_named() -> None:
    with pytest.raises(ValueError, match=r"there is no schema 'runs'; there are conversation, .* sweep$"):
        load_schema("runs")


@pytest.mark.parametrize("name", ["result", "run", "result_summary"])
def test_every_key_is_explained_and_there_is_no_other(name: str) -> None:
    schema = load_schema(name)
    assert schema["additionalProperties"] is False
    assert [key for key, each in schema["properties"].items() if "description" not in each] == []


@pytest.mark.usefixtures("rooms")
def test_a_key_is_declared_once() -> None:
    schema = load_schema("room")
    shelf = schema["$defs"]["Shelf"]
    assert "additionalProperties" not in schema
    assert shelf == {
        "title": "Shelf",
        "type": "object",
        "description": "A shelf, which only this test has.",
        "properties": {
            "name": {"type": "string", "description": "what it is called"},
            "books": {"type": "integer", "minimum": 0, "description": "how many\nthere are"},
            "filled": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}]},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    assert dtype_of(Shelf) == pl.Struct({"name": pl.String, "books": pl.Int64, "filled": pl.Float64})


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize(
    ("shelf", "words"),
    [
        ({}, r"'shelves\[0\]\.name' is missing"),
        ({"name": 3}, r"'shelves\[0\]\.name' should be a valid string: 3"),
        ({"name": "a", "books": -1}, r"'shelves\[0\]\.books' should be greater than or equal to 0: -1"),
        ({"name": "a", "books": 1.5}, r"'shelves\[0\]\.books' should be a valid integer.*: 1\.5"),
        ({"name": "a", "books": 2**63}, r"'shelves\[0\]\.books' should be less than 9223372036854775808"),
        ({"name": "a", "books": True}, r"'shelves\[0\]\.books' should be a valid integer: True"),
        ({"name": "a", "filled": 1.001}, r"'shelves\[0\]\.filled' should be less than or equal to 1"),
        (
            {"name": "\x1b[2J" * 30, "books": "x" * 200},
            r"'shelves\[0\]\.books' should be a valid integer: 'x{56}\.\.\.",
        ),
    ],
)
def test_what_is_wrong_is_one_line_that_says_where(shelf: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^room\.json is damaged: {words}") as caught:
        check_shape({"shelves": [shelf]}, "room", Path("room.json"))
    assert str(caught.value).isprintable()


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("shelf", [{"name": "\ud800"}, {"name": "a", "filled": 1 + 1e-12}, {"name": "a", "else": 3}])
def test_half_characters_sums_that_round_and_unknown_keys_pass(shelf: dict[str, Any]) -> None:
    content = {"shelves": [shelf]}
    assert check_shape(content, "room", Path("room.json")) is content


def references(schema: Any) -> Iterator[str]:
    """All that a schema refers to."""
    if isinstance(schema, dict):
        yield from ([schema["$ref"]] if "$ref" in schema else ())
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from references(each)


def test_what_a_sweep_is_asked_is_declared_whole() -> None:
    sweep = read_sweep(None, {"agents": ["Oracle"]})
    assert set(get_type_hints(SweepSettings)) == set(describe(sweep))


def test_results_that_are_summed_up_one_by_one_follow_the_schema_and_are_read(tmp_path: Path) -> None:
    run = play(prepare_run("Oracle", "Scripted", ["wifi_off"]), tmp_path / "runs")
    summary = write_result_summary(run.results, tmp_path / "summary")
    jsonschema.validate(summary, load_schema("result_summary"))
    assert current_summary(summary, Path("result_summary.json")) == summary
    assert set(summary["run"]) == {"planned", "played", "complete"}
