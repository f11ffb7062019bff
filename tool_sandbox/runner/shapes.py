"""Checks what was read against the types of the records of a run.

Keys that a record does not know are left alone.
"""

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.schema import adapter
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def check_shape(value: Any, name: str, where: Path, *, needs: Container[str] | None = None) -> Any:
    """Checks the content of a file."""
    from pydantic import ValidationError

    try:
        adapter(name).validate_python([value])
    except ValidationError as error:
        details: Iterator[ErrorDetails] = iter(error.errors(include_url=False, include_context=False))
        if needs is not None:
            details = (each for each in details if each["type"] != "missing" or _place(each)[1:] or _key(each) in needs)
        if (first := next(details, None)) is not None:
            raise ConfigurationError(f"{where} is damaged: {printable(_words(first))}") from None
    return value


def _place(details: "ErrorDetails") -> tuple[int | str, ...]:
    return details["loc"][1:]


def _key(details: "ErrorDetails") -> str:
    return str(_place(details)[0])


def _words(details: "ErrorDetails") -> str:
    if details["type"] == "missing":
        return f"{_path(_place(details))!r} is missing"
    # As in "List should have at least 1 item after validation, not 0".
    fault = re.sub(r"^\w+ (?=should )", "", details["msg"]).partition(" after validation")[0]
    place = _path(_place(details))
    return f"{repr(place) + ' ' if place else ''}{fault}: {_shown(details['input'])}"


def _path(place: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:40]}" for part in place if part != "[key]")
    return "".join(parts).removeprefix(".")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
