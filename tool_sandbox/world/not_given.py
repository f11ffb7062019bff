"""The mark of a parameter that was left out."""

from typing import Any


class NotGiven:
    """Type of `NOT_GIVEN`, the default of parameters that were left out, as opposed to ``None``."""

    _instance: "NotGiven | None" = None

    def __new__(cls) -> "NotGiven":
        """Always the same object, so that ``is`` works after copying and pickling too."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __copy__(self) -> "NotGiven":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "NotGiven":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return NotGiven, ()


NOT_GIVEN = NotGiven()
