"""What is found about a statement."""

from enum import auto
from typing import Any

import attrs

from tool_sandbox.world.enums import UpperStrEnum


class Kind(UpperStrEnum):
    """What kind of thing a statement tells.

    Attributes:
        PHONE: A phone number.
        ADDRESS: The postal code or the state of an address.
        TIME: A time of day.
        DATE: A day, or the day of the week of a date.
        AMOUNT: A figure.
        QUOTATION: Words between quotation marks.
        NAME: The name of somebody.
        SETTING: Whether a device setting is on or off.
        DEED: Something that the agent says it has done.
    """

    PHONE = auto()
    ADDRESS = auto()
    TIME = auto()
    DATE = auto()
    AMOUNT = auto()
    QUOTATION = auto()
    NAME = auto()
    SETTING = auto()
    DEED = auto()


@attrs.frozen
class Finding:
    """A part of a statement that nothing shown to the agent supports.

    Attributes:
        kind: What it tells.
        said: The words, in the normal form of the readers.
        world: What the world says instead; ``None`` where it says nothing about it.
        message: Index of the message.
        sentence: The sentence that it stands in.
        is_open: Whether the words may be meant otherwise, so that somebody has to decide what they say.
    """

    kind: Kind
    said: str
    world: str | None = None
    message: int = -1
    sentence: str = ""
    is_open: bool = False

    @property
    def is_contradicted(self) -> bool:
        """Whether the world says otherwise, whatever the words may mean."""
        return self.world is not None and not self.is_open

    @property
    def fact(self) -> str:
        """What a sentence states that is right after all, in words."""
        return f"Consistent(said={self.said!r}, world={self.world!r})"

    def to_dict(self) -> dict[str, Any]:
        """JSON values for a result."""
        return {
            "message": self.message,
            "kind": str(self.kind),
            "said": self.said,
            "world": self.world,
            "is_open": self.is_open,
        }
