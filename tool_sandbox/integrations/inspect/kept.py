"""A conversation as a log of Inspect keeps it: what ``run.json`` says of it, and its record, in one compact text."""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any, Self

import attrs

from tool_sandbox.play.record import LARGEST
from tool_sandbox.world.errors import ConfigurationError

KEY = "tool_sandbox"
"""Where it stands in the store of a sample."""

FORMAT = 1
"""Raised when an older reader would not understand it."""


@attrs.frozen
class Kept:
    """One conversation.

    Attributes:
        description: What ``run.json`` says of its run.
        record: Its file ``record.jsonl``, byte for byte.
    """

    description: Mapping[str, Any]
    record: bytes

    def as_dict(self) -> dict[str, Any]:
        """JSON values, some 7 kB."""
        described = json.dumps(self.description, ensure_ascii=True, separators=(",", ":"))
        packed = zlib.compress(b"%s\n%s" % (described.encode(), self.record), 9)
        return {"format": FORMAT, "zlib": base64.b64encode(packed).decode()}

    @classmethod
    def of(cls, stored: Any) -> Self:
        """Reads what `as_dict` gave.

        Raises:
            ConfigurationError: It is something else.
        """
        if not isinstance(stored, Mapping) or not isinstance(stored.get("zlib"), str):
            raise ConfigurationError("what it keeps of the conversation is damaged")
        if stored.get("format") != FORMAT:
            raise ConfigurationError(f"it was written by another version of tool_sandbox (format {stored['format']})")
        try:
            unpacking = zlib.decompressobj()
            described, _, record = unpacking.decompress(base64.b64decode(stored["zlib"]), LARGEST).partition(b"\n")
            description = json.loads(described)
        except (ValueError, binascii.Error, zlib.error) as error:
            raise ConfigurationError(f"what it keeps of the conversation is damaged: {error}") from None
        if not unpacking.eof or not isinstance(description, dict):
            raise ConfigurationError("what it keeps of the conversation is damaged")
        return cls(description, record)

    @property
    def result(self) -> Any:
        """The result, the first line of the record."""
        return json.loads(self.record.partition(b"\n")[0])

    def part(self, name: str) -> Any:
        """A part of the record that is one line, ``None`` if it has none."""
        start = b'{"%s":' % name.encode()
        return next((json.loads(line)[name] for line in self.record.split(b"\n") if line.startswith(start)), None)
