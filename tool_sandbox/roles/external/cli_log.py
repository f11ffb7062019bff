"""What a program printed, kept for people: bounded, and without secrets."""

from collections.abc import Sequence
from typing import Any

from tool_sandbox.helpers.untrusted import DEEPEST_ARGUMENTS, read_json
from tool_sandbox.models.redaction import REDACTED, redact

LONGEST_LINE = 64 * 2**10
"""Characters of a line that are kept."""

LONGEST_LOG = 8 * 2**20
"""Characters of a conversation that are kept."""

SHORTEST_EVENT = 512
"""Characters that any line counts for: many short ones cost more than a few long ones."""

_DEEPEST = 2 * DEEPEST_ARGUMENTS
"""Levels of an event, which holds calls."""

CUT = "[cut]"
END = "[the rest is not kept]"


class EventLog:
    """Fills `Session.log` with what a program printed."""

    def __init__(self, log: list[Any], secrets: Sequence[str]) -> None:
        """An empty log."""
        self._log = log
        self._secrets = tuple(filter(None, secrets))
        self._left = LONGEST_LOG

    def clean(self, text: str) -> str:
        """A text without secrets."""
        for secret in self._secrets:
            # Whatever its shape, these are known to be secret.
            text = text.replace(secret, REDACTED)
        return redact(text, self._secrets)

    def add(self, line: str) -> dict[str, Any] | None:
        """Keeps a line."""
        event = as_object(line)
        if self._left < 0:
            return event
        size = max(SHORTEST_EVENT, min(len(line), LONGEST_LINE))
        self._left -= size
        if self._left < 0:
            self._log.append(END)
        elif len(line) > LONGEST_LINE:
            self._log.append(self.clean(line)[:LONGEST_LINE] + CUT)
        else:
            text = self.clean(line.rstrip("\n"))
            kept = as_object(text)
            self._log.append(text if kept is None else kept)
        return event


def as_object(line: str) -> dict[str, Any] | None:
    """The JSON object that a line holds, ``None`` if it holds something else or more than is read."""
    try:
        value = read_json(line, _DEEPEST)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
