"""Texts that nobody has checked, in a form that can be shown."""

import re

# Controls (escape sequences begin with one), separators, marks that turn the direction of writing or have no width,
# and lone surrogates. Tabs are harmless.
_ALWAYS = "\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff"
_UNSAFE = re.compile(f"[\x00-\x08\x0a-\x1f{_ALWAYS}]")
_UNSAFE_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_ALWAYS}]")


def printable(text: str) -> str:
    r"""One line that a terminal shows as it is.

    Args:
        text: Any text; what would move the cursor, change colours or hide something is shown as ``\x1b`` and the like.
    """
    return _UNSAFE.sub(_escape, text)


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks stay."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode()
