"""Checks what was read against the JSON Schemas of the files of a run, as far as those say what a reader relies on.

Keys that a schema does not know are left alone. A whole number has 64 bits at most, as in the tables made of it.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.world.errors import ConfigurationError

_Check = Callable[[Any], str | None]
"""Says what is wrong with a value and where in it, ``None`` if nothing is."""

_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int and -(2**63) <= value < 2**63,
    "number": lambda value: type(value) is float or (type(value) is int and abs(value) < 2**63),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_ROUNDING = 1e-9


def check_shape(value: Any, name: str, where: Path, *, needs_keys: bool = True) -> Any:
    """Checks the content of a file.

    Args:
        value: The content.
        name: Name of its schema.
        where: The file, for the message.
        needs_keys: Whether the keys that the schema requires at its top have to be there.

    Returns:
        The content.

    Raises:
        ConfigurationError: It has another form; one line that says where.
    """
    if (wrong := _schema(name, needs_keys)(value)) is not None:
        raise ConfigurationError(f"{where} is damaged: {printable(wrong)}")
    return value


@cache
def _schema(name: str, needs_keys: bool) -> _Check:
    schema = load_schema(name)
    definitions = schema.get("$defs", {})
    return _compiled(schema if needs_keys else {**schema, "required": ()}, definitions)


def _compiled(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> _Check:
    if (reference := schema.get("$ref")) is not None:
        return _compiled(definitions[reference.rpartition("/")[2]], definitions)
    checks = [_of_kind(schema)] if "type" in schema else []
    if allowed := schema.get("enum", [schema["const"]] if "const" in schema else None):
        checks.append(lambda value: None if value in allowed else f"{_shown(value)} is none of {_listed(allowed)}")
    if "minimum" in schema or "maximum" in schema:
        checks.append(_in_range(schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))))
    if "items" in schema or "prefixItems" in schema:
        checks.append(_items(schema, definitions))
    if {"properties", "patternProperties", "required", "additionalProperties"} & schema.keys():
        checks.append(_properties(schema, definitions))
    return lambda value: next((wrong for check in checks if (wrong := check(value)) is not None), None)


def _of_kind(schema: Mapping[str, Any]) -> _Check:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    kinds = [_KINDS[name] for name in names]
    words = " or ".join(names)
    return lambda value: None if any(kind(value) for kind in kinds) else f"{_shown(value)} is not {words}"


def _in_range(least: float, most: float) -> _Check:
    def check(value: Any) -> str | None:
        if isinstance(value, int | float) and not least - _ROUNDING <= value <= most + _ROUNDING:
            return f"{_shown(value)} is out of range"
        return None

    return check


def _items(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> _Check:
    first = [_compiled(item, definitions) for item in schema.get("prefixItems", ())]
    rest = _compiled(schema["items"], definitions) if isinstance(schema.get("items"), dict) else None
    least = max(len(first), schema.get("minItems", 0))

    def check(value: Any) -> str | None:
        if not isinstance(value, list):
            return None
        if len(value) < least:
            return f"{_shown(value)} is too short"
        for number, item in enumerate(value):
            inner = first[number] if number < len(first) else rest
            if inner is not None and (wrong := inner(item)) is not None:
                return f"[{number}] {wrong}"
        return None

    return check


def _properties(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> _Check:
    known = {name: _compiled(inner, definitions) for name, inner in schema.get("properties", {}).items()}
    patterns = [(re.compile(p), _compiled(i, definitions)) for p, i in schema.get("patternProperties", {}).items()]
    more = schema.get("additionalProperties")
    other = _compiled(more, definitions) if isinstance(more, dict) else None
    # Where names are numbers, others cannot be read at all.
    is_closed = bool(patterns) and more is False
    needed = schema.get("required", ())

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return None
        for name in needed:
            if name not in value:
                return f"{name!r} is missing"
        for name, item in value.items():
            inner = known.get(name) or next((check for pattern, check in patterns if pattern.search(name)), other)
            if inner is None and is_closed:
                return f"{name[:40]!r} is no number"
            if inner is not None and (wrong := inner(item)) is not None:
                return f"{name[:40]!r}: {wrong}"
        return None

    return check


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
