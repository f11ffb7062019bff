"""What a cell of a table can hold."""

import datetime
from collections.abc import Sequence
from typing import Any, Literal

import attrs
import polars as pl

Form = Literal["", "moment", "date", "money"]
"""What the text or number of a column stands for, where its type alone does not say it."""


@attrs.frozen
class Column:
    """One column of a table.

    Attributes:
        name: Column name.
        dtype: Polars dtype of the column.
        element: Python type of a cell (``str``, ``int``, ``float`` or ``bool``), or of its items for a list.
        is_list: Whether a cell holds a list.
        categories: Allowed texts, ``None`` for any.
        minimum: Smallest number, ``None`` for no bound.
        maximum: Largest number, ``None`` for no bound.
        is_nullable: Whether a cell may be empty.
        references: Name of the table of an app whose keys the cells are, ``None`` for anything.
        form: What a cell stands for: a moment or a date in ISO 8601, or money in minor units.
        is_automatic: Whether tools set it by themselves with each change of a row, so that nobody asks for its value.
    """

    name: str
    dtype: Any
    element: type
    is_list: bool = False
    categories: frozenset[str] | None = None
    minimum: float | None = None
    maximum: float | None = None
    is_nullable: bool = True
    references: str | None = None
    form: Form = ""
    is_automatic: bool = False

    def normalise(self, value: Any) -> Any:
        """Returns ``value`` as it is stored, or raises if it does not fit.

        Args:
            value: A cell. Integers are accepted for numbers; lists become tuples.

        Returns:
            ``None``, a plain ``str``, ``int``, ``float`` or ``bool``, or a tuple of these.

        Raises:
            TypeError: The value has the wrong type.
            ValueError: The value is not one of the categories, is out of range, is missing, or cannot be encoded as
                UTF-8.
        """
        if value is None:
            if not self.is_nullable:
                raise ValueError(f"column {self.name!r} must not be empty")
            return None
        if not self.is_list:
            return self._normalise_scalar(value)
        if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, pl.Series)):
            raise TypeError(f"column {self.name!r} holds lists, got {type(value).__name__}")
        return tuple(self._normalise_scalar(item) for item in value)

    def _normalise_scalar(self, value: Any) -> Any:
        element = self.element
        if element is str and isinstance(value, str):
            return self._normalise_text(str(value) if type(value) is not str else value)
        if element is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return self._in_range(float(value))
            except OverflowError:
                raise ValueError(f"column {self.name!r}: the number is too large") from None
        if element is int and isinstance(value, int) and not isinstance(value, bool):
            if not -(2**63) <= value < 2**63:
                raise ValueError(f"column {self.name!r}: the number is too large")
            return self._in_range(int(value))
        if element is bool and isinstance(value, bool):
            return value
        raise TypeError(f"column {self.name!r} takes {element.__name__}, got {type(value).__name__}: {value!r}")

    def _normalise_text(self, text: str) -> str:
        if self.categories is not None and text not in self.categories:
            raise ValueError(f"column {self.name!r} takes one of {sorted(self.categories)}, got {text!r}")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise ValueError(f"column {self.name!r}: text is not valid Unicode (lone surrogate)") from None
        if self.form:
            self._check_form(text)
        return text

    def _check_form(self, text: str) -> None:
        kind = datetime.date if self.form == "date" else datetime.datetime
        try:
            if kind.fromisoformat(text).isoformat() == text:
                return
        except ValueError:
            pass
        raise ValueError(f"column {self.name!r} takes a {self.form} in ISO 8601, got {text[:40]!r}")

    def _in_range(self, number: float) -> float:
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            low = "" if self.minimum is None else f"at least {self.minimum:g}"
            high = "" if self.maximum is None else f"at most {self.maximum:g}"
            raise ValueError(
                f"column {self.name!r} takes {' and '.join(filter(None, (low, high)))}, got {number!r:.40}"
            )
        return number
