"""Bodies of requests that repeat nearly all of the one before: each holds the whole conversation up to there.

Only what is new is kept, so that the record of a conversation grows with its length and not with its square.
"""

from typing import Any

LEAST = 256
"""Bytes in common from which on it is worth it."""


def changes_to_json(body: bytes, before: bytes) -> dict[str, Any] | None:
    """What changed from one body to the next."""
    start = _common_start(body, before)
    while 0 < start < len(body) and _is_inner(body[start]):
        start -= 1
    shorter = min(len(body), len(before)) - start
    end = _common_start(body[start:][::-1], before[start:][::-1]) if shorter else 0
    while end and _is_inner(body[len(body) - end]):
        end -= 1
    if start + end < LEAST:
        return None
    try:
        text = body[start : len(body) - end].decode()
    except UnicodeDecodeError:
        return None
    return {"kept_start": start, "text": text, "kept_end": end}


def changed_from_json(value: dict[str, Any], before: bytes) -> bytes:
    """Inverse of ``changes_to_json``."""
    start, text, end = value["kept_start"], value["text"], value["kept_end"]
    if type(start) is not int or type(end) is not int or not isinstance(text, str):
        raise TypeError("the changes of a body are two numbers and a text")
    if start < 0 or end < 0 or start + end > len(before):
        raise ValueError(f"{start} + {end} bytes of a body of {len(before)}")
    return before[:start] + text.encode() + before[len(before) - end :]


def _is_inner(byte: int) -> bool:
    """Whether it is not the first byte of a character in UTF-8."""
    return byte & 0xC0 == 0x80


def _common_start(one: bytes, other: bytes) -> int:
    """How many bytes at the start are equal; halves compare far faster than single bytes."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low
