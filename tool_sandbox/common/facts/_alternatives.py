"""One of several facts."""

from __future__ import annotations

from typing import Any

import attrs

from tool_sandbox.common.facts._reading import Fact, FactBase, Reading


def _as_facts(facts: Any) -> tuple[Fact, ...]:
    return tuple(facts) if isinstance(facts, (tuple, list)) else (facts,)


@attrs.frozen
class AnyOf(FactBase):
    """One of several facts, whichever the answer chooses to tell.

    Args:
        facts: The facts.
    """

    facts: tuple[Fact, ...] = attrs.field(converter=_as_facts)

    def read(self, text: str) -> Reading:
        """Stated if one of them is; else unclear, else contradicted, if one of them is."""
        readings = {fact.read(text) for fact in self.facts}
        return next(
            (reading for reading in (Reading.STATED, Reading.UNCLEAR, Reading.CONTRADICTED) if reading in readings),
            Reading.SILENT,
        )
