"""Types of values that several records share, with what a type alone does not say of them.

Type checkers see a plain ``int`` or ``str``. The rest is read by pydantic, which is loaded only when a schema or a
check is made.
"""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

import attrs
from annotated_types import MinLen

from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.profile import Profile

_HALF = re.compile("[\ud800-\udfff]")
_ROUNDING = 1e-9  # sums of weights round

Record = TypeVar("Record", bound=type)


def extensible(record: Record) -> Record:
    """Marks a record that may have more keys than it declares; JSON Schemas of others permit no further ones."""
    record.__is_extensible__ = True  # type: ignore[attr-defined]
    return record


def requires(*keys: str) -> Callable[[Record], Record]:
    """Says which keys of a record a reader can rely on, where other programs write less than this one.

    Args:
        keys: The keys.
    """

    def mark(record: Record) -> Record:
        optional = frozenset(record.__annotations__) - {*keys}
        record.__required_keys__, record.__optional_keys__ = frozenset(keys), optional  # type: ignore[attr-defined]
        return record

    return mark


@attrs.frozen
class OneOf:
    """A text that is one of a few.

    Attributes:
        names: The texts.
    """

    names: Iterable[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.literal_schema([*map(str, self.names)])


@attrs.frozen
class Matching:
    """A text of whole characters that has a certain form.

    Attributes:
        words: What it is, for a message.
        pattern: Regular expression that the whole text matches.
    """

    words: str
    pattern: str = ".*"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string"} if self.pattern == ".*" else {"type": "string", "pattern": f"^{self.pattern}$"}

    def _checked(self, text: str) -> str:
        from pydantic_core import PydanticCustomError

        # Half a character can be said by a model, but neither a path nor a fingerprint can be made of it.
        if _HALF.search(text) or not re.fullmatch(self.pattern, text, re.DOTALL):
            raise PydanticCustomError("form", "Input should be {words}", {"words": self.words})
        return text


@attrs.frozen
class Noted:
    """What JSON Schema says of a value, though no reader relies on it.

    Attributes:
        keyword: The keyword of JSON Schema.
        value: Its value.
    """

    keyword: str
    value: str

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), self.keyword: self.value}


@attrs.frozen
class ListOf:
    """A list of a fixed length, each item with a type of its own.

    Attributes:
        types: Type of each item.
    """

    types: tuple[Any, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        # Not strictly a tuple: JSON has lists.
        return core_schema.tuple_schema([handler.generate_schema(each) for each in self.types], strict=False)


@attrs.frozen
class Within:
    """A number within bounds, which a sum of floats may miss by a hair.

    Attributes:
        least: The smallest one.
        most: The largest one, ``None`` where there is none. A whole number has 64 bits at most, as in the tables that
            are made of it.
    """

    least: float | None = 0
    most: float | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        if source is int:
            smallest = -(2**63) if self.least is None else int(self.least)
            return core_schema.int_schema(ge=smallest, lt=2**63, strict=True)
        least = None if self.least is None else self.least - _ROUNDING
        most = None if self.most is None else self.most + _ROUNDING
        return core_schema.float_schema(ge=least, le=most, strict=True)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        bounds = {"minimum": self.least, "maximum": self.most}
        kind = {"int": "integer", "float": "number"}[schema["type"]]
        return {"type": kind, **{key: value for key, value in bounds.items() if value is not None}}


Whole = Annotated[int, Within(None)]
Count = Annotated[int, Within()]
Positive = Annotated[int, Within(1)]
Share = Annotated[float, Within(0, 1)]
Amount = Annotated[float, Within()]
"""A number that is not negative: seconds, US dollars, turns."""

Time = Annotated[str, Noted("format", "date-time")]
Day = Annotated[str, Noted("format", "date")]
WholeText = Annotated[str, Matching("a text of whole characters")]
Number = Annotated[str, Matching("a number", "[0-9]+")]
"""A key of an object that is a number."""

Fingerprint = Annotated[str, Noted("pattern", "^[0-9a-f]{16}$")]

Directory = Annotated[str, Matching("the name of a directory", r"(?!\.{1,2}$)[^/\\\x00]+")]
"""Files are read and written by this name, which must not lead anywhere else."""

ProfileName = Annotated[str, OneOf(Profile)]
OutcomeName = Annotated[str, OneOf(Outcome)]

Counts = dict[str, Positive]
"""Name to how often it came up."""

Match = Annotated[list[float], ListOf((Whole, Share))]
"""Index of a message and the similarity there."""

Matches = dict[Number, Match]

SomeWhole = Annotated[list[Whole], MinLen(1)]
