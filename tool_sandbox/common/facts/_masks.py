"""Digits that are no amounts: dates, times of day, phone numbers, identifiers, coordinates."""

from __future__ import annotations

import re

from tool_sandbox.common.facts._calendar import date_spans
from tool_sandbox.common.facts._clocktimes import time_spans

_IDENTIFIERS = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]{0,40}\d)[0-9]{0,40}[a-f][0-9a-f]{7,40}\b|#\d+"
    r"|(?<![\w.])[\w.]{1,64}@[\w.]{1,64}"
)
_PHONES = re.compile(
    r"\+\d[\d ().-]{5,22}\d|\(\d{2,5}\)[ -]?\d[\d .-]{4,14}\d|(?<![\w.-])\d{2,4}[-. ]\d{3,4}[-. "
    r"]\d{3,5}(?![\w-]|\.\d)|(?<![\w.-])\d{3}-\d{4}(?![\w-])"
)
_DIGIT_RUN = re.compile(r"(?<![\w.,-])\d{7,15}(?![\w,]|\.\d)")
_COORDINATES = re.compile(r"-?\d{1,3}\.\d{4,20}")


def masked(text: str, *, digit_runs: bool = False, coordinates: bool = False, phones: bool = True) -> str:
    """The text with everything blanked that holds digits and is no amount; offsets stay.

    Args:
        text: Normalised text.
        digit_runs: Also blank undivided runs of seven digits and more, which are phone numbers or identifiers.
        coordinates: Also blank numbers with four and more decimals.
        phones: Also blank phone numbers.
    """
    patterns = [_IDENTIFIERS] + [_PHONES] * phones + [_DIGIT_RUN] * digit_runs + [_COORDINATES] * coordinates
    spans = [*date_spans(text), *time_spans(text), *(m.span() for pattern in patterns for m in pattern.finditer(text))]
    pieces, position = [], 0
    for start, end in sorted(spans):
        if end > position:
            start = max(start, position)
            pieces += [text[position:start], "_" * (end - start)]
            position = end
    return "".join([*pieces, text[position:]])
