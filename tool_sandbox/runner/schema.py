"""JSON Schemas of the files of a run, and checks of what was read: both made from the types of its records.

Keys that a record does not know are left alone by the checks.
"""

import ast
import inspect
import re
import sys
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.conversation import EvaluationDescription, ModelCall, Turn, World
from tool_sandbox.records.kinds import shown
from tool_sandbox.records.result import Result
from tool_sandbox.records.run import RunDescription, SweepDescription
from tool_sandbox.records.summary import Floor, RunSummary
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

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
def _checker(name: str) -> "TypeAdapter[list[Any]]":
    return _adapter(RECORDS[name])


def _adapter(record: Any) -> "TypeAdapter[list[Any]]":
    from pydantic import ConfigDict, TypeAdapter

    some: Any = list
    # A list hands its configuration on to the typed dictionaries in it, which have none of their own.
    return TypeAdapter(some[record], config=ConfigDict(strict=True))


def check_shape(value: Any, name: str, where: Path, *, needs: Container[str] | None = None) -> Any:
    """Checks the content of a file."""
    from pydantic import ValidationError

    try:
        _checker(name).validate_python([value])
    except ValidationError as error:
        details: Iterator[ErrorDetails] = iter(error.errors(include_url=False, include_context=False))
        if needs is not None:
            optional = [("missing", (0, key)) for key in RECORDS[name].__annotations__ if key not in needs]
            details = (each for each in details if (each["type"], each["loc"]) not in optional)
        if (first := next(details, None)) is not None:
            raise ConfigurationError(f"{where} is damaged: {printable(_words(first))}") from None
    return value


def _place(details: "ErrorDetails") -> tuple[int | str, ...]:
    return details["loc"][1:]


def _words(details: "ErrorDetails") -> str:
    if details["type"] == "missing":
        return f"{_path(_place(details))!r} is missing"
    # As in "List should have at least 1 item after validation, not 0".
    fault = re.sub(r"^\w+ (?=should )", "", details["msg"]).partition(" after validation")[0]
    place = _path(_place(details))
    return f"{repr(place) + ' ' if place else ''}{fault}: {shown(details['input'])}"


def _path(place: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:40]}" for part in place if part != "[key]")
    return "".join(parts).removeprefix(".")
