"""What the agent is told in every scenario."""

import hashlib
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.play.opening import read_text
from tool_sandbox.world.errors import ConfigurationError


@attrs.frozen
class Instruction:
    """What the agent is told in every scenario.

    Attributes:
        text: The text, ``None`` for that of each scenario.
    """

    text: str | None = None

    def describe(self) -> dict[str, Any]:
        """What ``run.json`` says of it: version of the built-in text, or the replacement itself, and its SHA-256."""
        from tool_sandbox.scenarios.prompts import AGENT_INSTRUCTION, AGENT_INSTRUCTION_VERSION

        version = AGENT_INSTRUCTION_VERSION if self.text is None else None
        told = AGENT_INSTRUCTION if self.text is None else self.text
        return {"version": version, "sha256": hashlib.sha256(told.encode()).hexdigest(), "text": self.text}


def read_instruction(path: Path) -> str:
    """Reads what the agent is to be told in place of every scenario's instruction."""
    text = read_text(path, what="the system prompt ").strip()
    if not text:
        raise ConfigurationError(f"the system prompt {path} is empty")
    return text
