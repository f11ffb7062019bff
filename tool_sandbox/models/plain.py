"""Answers of any SDK as plain data that can be kept, sent back and summed up."""

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_DEEPEST = 150
"""Levels of nesting that every step accepts, Python's limit of recursion included."""

MOST_TOKENS = 10**12
"""A larger number of tokens is nonsense; sums of such numbers would fit into no table."""

MOST_USD = 1e6
"""A higher cost of one answer is nonsense, likewise."""


def plain(value: Any, depth: int = 0) -> Any:
    """JSON data without what cannot be sent: lone surrogates, numbers that are not finite, bottomless nesting."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return value


class JsonResponse:
    """The JSON of an HTTP response, where an SDK hands that over in place of an object of its own."""

    def __init__(self, response: "httpx2.Response") -> None:
        """Reads it."""
        self._data = response.json()
        self._request_id = response.headers.get("x-request-id")

    def to_dict(self, **_: Any) -> Any:
        """The data as the server sent it."""
        return self._data


def as_plain(answer: Any) -> Any:
    """An object of the SDK as plain data, with only the fields that the server sent."""
    if hasattr(answer, "to_dict"):
        answer = answer.to_dict(warnings=False)
    return plain(answer)


def is_unreadable(error: Exception) -> bool:
    """Whether an SDK raised an exception because the answer is no JSON, or none that Python reads."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        return True
    return isinstance(error, ValueError) and "integer string conversion" in str(error)


def request_id_of(answer: Any) -> str | None:
    """The provider's id of the request that an object of the SDK answers."""
    return getattr(answer, "_request_id", None) or None


def json_or_none(text: str | bytes) -> Any:
    """What a JSON text holds, ``None`` if it is something else, or nested too deeply to be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def text_or_none(value: Any) -> str | None:
    """A text that says something, ``None`` for anything else."""
    return value if isinstance(value, str) and value else None


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else {}


def count(value: Any) -> int:
    """A number of tokens, 0 where the server did not write one that can be."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= MOST_TOKENS else 0


def usd(value: Any) -> float | None:
    """A cost in US dollars, ``None`` if there is no valid one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_USD else None
