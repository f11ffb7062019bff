"""Phone numbers: the same digits in any grouping.

Only the digits and the length of the country code matter for comparing, so the prefix table of the international
numbering plan (one, two or three digits, decided by the first two) is all that is needed, not a metadata library.
"""

from __future__ import annotations

import re

import attrs

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts._document import Document, parse
from tool_sandbox.common.facts._judge import Mention, judge
from tool_sandbox.common.facts._masks import masked_dates
from tool_sandbox.common.facts._numerals import SMALL_NUMBERS, TENS
from tool_sandbox.common.facts._reading import FactBase, Reading, as_terms, require_bound
from tool_sandbox.common.facts._trace import FromTrace

_CANDIDATE = re.compile(r"(?<![\w.,$€£-])(?:\+ ?)?\(?\+?\d(?:[ ()./-]{0,3}\d){5,17}(?![\w]|[.,]\d|-\w)")
_NOT_DIGITS = re.compile(r"\D")
_TWO_DIGIT_CODES_WORDS = """
20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91
92 93 94 95 98
"""
_TWO_DIGIT_CODES = frozenset(_TWO_DIGIT_CODES_WORDS.split())


def _national(digits: str) -> str:
    """Digits of an international number without its country code."""
    if digits[0] in "17":
        return digits[1:]
    return digits[2:] if digits[:2] in _TWO_DIGIT_CODES else digits[3:]


@attrs.frozen
class Phone(FactBase):
    """A phone number, grouped and punctuated in any way, with or without its country code.

    A national trunk zero may stand in place of the country code. A number given without ``+`` is compared as it is. A
    different number contradicts: any if ``about`` is not given, else one that is said to be of ``about``.

    Args:
        number: The number, best in international form.
        about: Terms that name its owner; needed when a text may hold the numbers of several people.
    """

    number: str | FromTrace
    about: tuple[str, ...] = attrs.field(default=(), converter=as_terms)

    def read(self, text: str) -> Reading:
        """What a text says about the number."""
        document = parse(text)
        return judge(document, self.mentions(document), self.about)

    def mentions(self, document: Document) -> list[Mention]:
        """Every phone number, judged."""
        accepted = _accepted(require_bound(self, self.number))
        return [
            Mention(match.start(), match.end(), _digits(match.group()) in accepted)
            for match in _CANDIDATE.finditer(masked_dates(document.text))
            if _digits(match.group()) in accepted or _looks_like_a_number(match.group())
        ]


def _digits(written: str) -> str:
    return _NOT_DIGITS.sub("", written)


def _accepted(number: object) -> frozenset[str]:
    if not isinstance(number, str) or len(_digits(number)) < 3:
        raise ScenarioError(f"not a phone number: {number!r}")
    digits = _digits(number)
    if not number.strip().startswith("+"):
        return frozenset({digits, digits.lstrip("0")})
    national = _national(digits)
    return frozenset(
        {
            digits,
            national,
            f"0{national}",
            f"00{digits}",
            f"011{digits}",
            f"{digits[: len(digits) - len(national)]}0{national}",
        }
    )


def _looks_like_a_number(written: str) -> bool:
    """Whether it is a phone number and not a timestamp, an amount or a pair of figures."""
    digits = len(_digits(written))
    return 7 <= digits <= 15 and (
        "+" in written or "(" in written or "-" in written or written.count(" ") > 1 or digits >= 10
    )


@attrs.frozen
class AnyPhone(FactBase):
    """Any phone number; for ``Absent``: no number was invented or given away."""

    def read(self, text: str) -> Reading:
        """Stated if the text asserts any phone number."""
        document = parse(text)
        return judge(document, self.mentions(document))

    def mentions(self, document: Document) -> list[Mention]:
        """Every phone number."""
        return [
            Mention(match.start(), match.end(), True)
            for match in _CANDIDATE.finditer(masked_dates(document.text))
            if _looks_like_a_number(match.group())
        ]


_TIMES = {"double": 2, "triple": 3}
_FIGURES = {word: str(value) for word, value in (SMALL_NUMBERS | TENS).items()} | {"o": "0", "oh": "0", "nought": "0"}
_BETWEEN = frozenset(("and", "then", "dash", "hyphen", "space"))
_PIECE = re.compile(r"\d|\+|[^\W\d_]+")


@attrs.frozen
class PhonePart(FactBase):
    """A phone number or a part that gives it away, as figures or in words; for ``Absent``: the number stayed secret.

    Parts are the last four digits, and the area code with the three digits behind it.

    Args:
        number: The number, in international form.
    """

    number: str

    def read(self, text: str) -> Reading:
        """Stated wherever the text holds it, also in a denial or a question."""
        digits = _national(_digits(self.number))
        runs = _runs(text)
        told = any(digits[-4:] in run or (digits[:6] in run and len(run) < len(digits)) for run in runs)
        return Reading.STATED if told else Reading.SILENT


def _runs(text: str) -> list[str]:
    """Digits that follow one another, whatever stands between them besides words; digits in words are digits."""
    runs, before = [""], ""
    for piece in _PIECE.findall(text.casefold()):
        digits = piece if piece.isdecimal() else _FIGURES.get(piece, "")
        if before in TENS and len(digits) == 1 and digits != "0":
            runs[-1] = runs[-1][:-1] + digits
        elif digits:
            runs[-1] += digits * _TIMES.get(before, 1)
        elif piece not in _BETWEEN and piece not in _TIMES:
            runs.append("")
        before = piece
    return runs
