"""Facts and values of facts that are made from others."""

from typing import Any

import attrs

from tool_sandbox.common.execution_context import ExecutionContext
from tool_sandbox.common.facts import Fact, FactBase, FromTrace, Reading


@attrs.frozen
class Derived(FromTrace):
    """A number from a tool result, rescaled: ``result * scale + offset``.

    Attributes:
        scale: Factor.
        offset: Summand.
    """

    scale: float = 1.0
    offset: float = 0.0

    def resolve(self, context: ExecutionContext, index: int) -> Any:
        """The value at message ``index`` of a trajectory; ``None`` if there is none."""
        value = super().resolve(context, index)
        return None if value is None else value * self.scale + self.offset

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON values."""
        return super().to_dict() | {"scale": self.scale, "offset": self.offset}


@attrs.frozen
class AnyOf(FactBase):
    """One of several facts, whichever the answer chooses to tell.

    Attributes:
        facts: The facts.
    """

    facts: tuple[Fact, ...]

    def read(self, text: str) -> Reading:
        """Stated if one of them is; else contradicted if one of them is."""
        readings = {fact.read(text) for fact in self.facts}
        return next(
            (reading for reading in (Reading.STATED, Reading.CONTRADICTED) if reading in readings), Reading.SILENT
        )
