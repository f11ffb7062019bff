"""Arithmetic that an answer shows: only its result is a statement."""

import re

from tool_sandbox.common.facts._text import underscores

_OPERAND = (
    r"\({0,3}(?:[-~]|[a-z]{3,9} (?=\d))?[$\u20ac\u00a3\u00a5]?"
    r"(?:0(?![\d/])|[1-9]\d{0,2}(?:,\d{3})+(?!\d)|[1-9]\d*)(?:\.\d+)?(?!:?\d)(?:/\d+(?![\d/]))?"
    r"(?: ?(?:%|\u00b0 ?[cfk]?(?![a-z])|(?!(?:x|about|and|or|to|is)\b)[a-z]{1,12}(?:/[a-z]{1,4})?)){0,3}"
    r"(?: ?\([a-z ]{1,20}\))?\){0,3}"
)
_SURELY = r" ?(?<![a-z])[x\u00f7\u22c5](?![a-z]) ?| \+ "
_PERHAPS = r" [-/] |(?:(?<=\.\d)|(?<=\.\d\d))[-/]"
_ARITHMETIC = re.compile(
    rf"(?<![\w.,:+-]){_OPERAND}(?:(?:(?P<surely>{_SURELY})|{_PERHAPS}){_OPERAND})+(?P<equals>(?= ?=))?"
)
_DEFINITION = re.compile(
    r"(?<![\w.,])1 (?:knot|mile|kilometer|km|inch|foot|yard|pound|ounce|gallon|liter|meter|mph|day|hour) ?= ?"
    rf"{_OPERAND}"
)
_DECIMALS = re.compile(r"\d+\.\d+")


def without_arithmetic(text: str) -> str:
    """A normalised text without shown arithmetic: no operand is a statement, but what stands alone beside "=" is."""
    text = _DEFINITION.sub(underscores, text) if "=" in text else text
    return _ARITHMETIC.sub(_blanked, text) if re.search(r"[-+/x\u00f7\u22c5]", text) else text


def _blanked(match: re.Match[str]) -> str:
    """What does not have to be arithmetic, as "12 - 14" and "24 / 14", is it where it goes down or beside "="."""
    figures = [float(figure) for figure in _DECIMALS.findall(match.group())]
    is_difference = "-" in match.group() and len(figures) == 2 and figures[0] > figures[1]
    is_result = match.string[: match.start()].rstrip().endswith("=")
    is_arithmetic = match["surely"] or match["equals"] is not None or is_result or is_difference
    return underscores(match) if is_arithmetic else match.group()
