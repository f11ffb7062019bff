"""Keeping the marks of a prompt format out of what people, tools and models say.

In a text prompt the border between two turns is itself text: a mark. A message with a mark in it could speak with
another's voice, so a mark is broken up wherever it is content: in plain text by a blank after its first character, in
JSON and Python by writing that character as an escape, which loses nothing.
"""

import json
import re
from typing import Any

import attrs

from tool_sandbox.helpers.literals import to_literal

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


@attrs.frozen
class Marks:
    """The texts that mean something in one format."""

    _beginning: re.Pattern[str]

    @classmethod
    def of(cls, *patterns: str) -> "Marks":
        """The marks that match one of some regular expressions, in any case."""
        return cls(re.compile(rf"(?={'|'.join(patterns)}).", re.IGNORECASE))

    def in_text(self, text: str) -> str:
        """A text in which no mark is left."""
        return self._beginning.sub(lambda match: f"{match[0]} ", _LONE_SURROGATE.sub("\ufffd", text))

    def in_json(self, value: Any, indent: int | None = None) -> str:
        """JSON in which no mark is left."""
        text = json.dumps(value, ensure_ascii=False, indent=indent)
        return _LONE_SURROGATE.sub(_json_escape, self._beginning.sub(_json_escape, text))

    def in_python(self, value: Any) -> str:
        """A Python literal in which no mark is left."""
        return self._beginning.sub(lambda match: f"\\u{ord(match[0]):04x}", to_literal(value))


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
