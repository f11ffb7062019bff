"""JSON Schemas of the files of a run, made from the types of its records."""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tool_sandbox.records.conversation import EvaluationDescription, ModelCall, Turn, World
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import RunDescription, SweepDescription
from tool_sandbox.records.summary import Floor, RunSummary

if TYPE_CHECKING:
    from pydantic import TypeAdapter

RECORDS: Mapping[str, Any] = {
    "conversation": list[Turn],
    "evaluation": EvaluationDescription,
    "execution_context": World,
    "floor": Floor,
    "model_calls": dict[str, list[ModelCall]],
    "result": Result,
    "result_summary": RunSummary,
    "run": RunDescription,
    "sweep": SweepDescription,
}
"""File that has a schema, without ``.json``, to the type of its content."""

SCHEMAS = tuple(RECORDS)
"""Files that have a schema, without ``.json``."""


def load_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one of the files in a run directory."""
    if name not in RECORDS:
        raise ValueError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}")
    return schema_of(RECORDS[name])


def schema_of(record: Any) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a typed dictionary, or of a list or mapping of some."""
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
            record = schema["cls"]
            made = super().typed_dict_schema(schema)
            for key, text in _documentation(record).items():
                made["properties"][key]["description"] = text
            return made if getattr(record, "__is_extensible__", False) else {**made, "additionalProperties": False}

        def dict_schema(self, schema: Any) -> dict[str, Any]:
            made = super().dict_schema(schema)
            return {**made, "additionalProperties": False} if "patternProperties" in made else made

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    schema = _adapter(record).json_schema(schema_generator=Generator)
    # Around it stands a list, see `_adapter`; and a record of its own is a reference to where it is defined.
    content, definitions = schema["items"], schema.get("$defs", {})
    if "$ref" in content:
        content = definitions.pop(content["$ref"].rpartition("/")[2])
    return {"$schema": Generator.schema_dialect, **content, "$defs": definitions}


def _documentation(record: type) -> dict[str, str]:
    """Key to the text below it, the keys of the records that this one extends among them."""
    found: dict[str, str] = {}
    for base in getattr(record, "__orig_bases__", ()):
        if isinstance(base, type) and hasattr(base, "__required_keys__"):
            found |= _documentation(base)
    return found | _texts(record.__module__).get(record.__name__, {})


@cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    """Class to key to the text below it."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        each.name: {
            key.target.id: inspect.cleandoc(str(text.value.value))
            for key, text in pairwise(each.body)
            if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name)
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        }
        for each in tree.body
        if isinstance(each, ast.ClassDef)
    }


@cache
def adapter(name: str) -> "TypeAdapter[list[Any]]":
    """What checks lists of such contents."""
    return _adapter(RECORDS[name])


def _adapter(record: Any) -> "TypeAdapter[list[Any]]":
    from pydantic import ConfigDict, TypeAdapter

    some: Any = list
    # A list hands its configuration on to the typed dictionaries in it, which have none of their own.
    return TypeAdapter(some[record], config=ConfigDict(strict=True))
