"""How objects that are data are written as JSON: each says itself what it is, with ``to_dict``."""

import json
from typing import Any

import attrs


def fields_of(value: attrs.AttrsInstance, kind: str) -> dict[str, Any]:
    """The name of its type under ``kind``, and its fields as they are."""
    fields = attrs.fields(type(value))
    return {kind: type(value).__name__} | {field.name: getattr(value, field.name) for field in fields}


def json_form(value: Any) -> Any:
    """Default of ``json.dumps``: what an object says of itself, else as it is written."""
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


def as_json(value: Any) -> Any:
    """JSON values, whatever objects are in a value."""
    return json.loads(json.dumps(value, default=json_form))
