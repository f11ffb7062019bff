"""Facts about values: where a text holds values of one kind, and which of them are right."""

from __future__ import annotations

import attrs

from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge
from tool_sandbox.common.facts._reading import FactBase, Reading


@attrs.frozen
class ValueFact(FactBase):
    """A value of one kind. What is read follows from its mentions alone."""

    @property
    def about(self) -> tuple[str, ...]:
        """Terms that name what the value is of."""
        return ()

    def read(self, text: str) -> Reading:
        """What a text says about the value."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every value of the kind, judged."""
        raise NotImplementedError
