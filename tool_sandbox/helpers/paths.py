"""File names made of untrusted texts."""

import hashlib
import re

_UNSAFE = re.compile(r"[^A-Za-z0-9._=+@,-]")
_MAX_NAME = 180
"""Bytes of a file name, well below the 255 that file systems allow."""


def escape_name(name: str, longest: int = _MAX_NAME) -> str:
    """Turns any text into a portable file name.

    Letters, digits and ``._=+@,-`` stay; every other character becomes the ``%XX`` of its UTF-8 bytes, as in URLs,
    and so does a leading dot. Different texts give different names; long ones are cut and end in a digest.
    """
    escaped = _UNSAFE.sub(_percent, name)
    if escaped.startswith(".") or not escaped:
        escaped = f"%2E{escaped[1:]}" if escaped else "%"
    if len(escaped) > longest:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        escaped = f"{escaped[: longest - len(digest) - 1]}~{digest}"
    return escaped


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))
