"""Untrusted texts, in a form that can be shown."""

import re

# Controls (escape sequences begin with one), separators, marks that turn the direction of writing or have no width,
# and lone surrogates. Tabs are harmless.
_ALWAYS = "\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff"
# What runners of continuous integration take for a command at the beginning of a line, which wrapping may make of it.
_COMMANDS = (
    "(?i::(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env"
    r"|set-output|stop-commands|warning)\b)|#(?=#(?:vso|teamcity)\[))"
)
_UNSAFE = re.compile(f"[\x00-\x08\x0a-\x1f{_ALWAYS}]|{_COMMANDS}")
_UNSAFE_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_ALWAYS}]|{_COMMANDS}")


def printable(text: str) -> str:
    r"""One line that a terminal shows as it is."""
    return _UNSAFE.sub(_escape, text)


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks stay."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    return f"\\x{ord(text):02x}" if text in ":#" else text.encode("unicode_escape").decode()
