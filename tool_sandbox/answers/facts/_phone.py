"""Phone numbers: the same digits in any grouping."""

import re

import attrs

from tool_sandbox.answers.facts._document import Document
from tool_sandbox.answers.facts._judge import Mention
from tool_sandbox.answers.facts._moments import masked
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS, TENS
from tool_sandbox.answers.facts._reading import FactBase, Reading, require_bound
from tool_sandbox.answers.facts._values import FromTrace, ValueFact
from tool_sandbox.world.errors import ScenarioError

_CANDIDATE = re.compile(
    r"(?<![\w.,$€£-])(?:\+? ?\d{1,3}[ .-]{0,2}(?=\())?(?:\+ ?)?\(?\+?\d(?:[ )./-]{0,3}\d){5,17}(?![\w]|[.,]\d|-\w)"
)
# For comparing, the length of the country code is all that is needed of the international numbering plan.
_COUNTRY_CODE = re.compile(r"[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}")
_TIMES = {"double": 2, "triple": 3}
_FIGURES = {word: str(value) for word, value in (SMALL_NUMBERS | TENS).items()} | {"o": "0", "oh": "0", "nought": "0"}
_BETWEEN = frozenset(("and", "then", "dash", "hyphen", "space"))
_PIECE = re.compile(r"\d|\+|[^\W\d_]+")


def _digits(written: str) -> str:
    return re.sub(r"\D", "", written)


@attrs.frozen
class AnyPhone(ValueFact):
    """Any phone number; for ``Absent``: no number was invented or given away."""

    def mentions(self, document: Document) -> list[Mention]:
        """Every phone number."""
        accepted = self._accepted()
        found = []
        for match in _CANDIDATE.finditer(masked(document.text, phones=False)):
            written, digits = match.group(), _digits(match.group())
            # Fewer than ten digits without groups are a timestamp, an amount or a pair of figures.
            is_long = len(digits) >= (7 if set("+(-") & set(written) or written.count(" ") > 1 else 10)
            if digits in accepted or (is_long and len(digits) <= 15):
                found.append(Mention(*match.span(), not accepted or digits in accepted))
        return found

    def _accepted(self) -> frozenset[str]:
        """Digits of the right number, in all ways of writing it; none if any number is right."""
        return frozenset()


@attrs.frozen
class Phone(AnyPhone):
    """A phone number, grouped and punctuated in any way, with or without its country code.

    A different number contradicts: any if ``about`` is not given, else one that is said to be of ``about``.

    Args:
        number: The number, best in international form; without ``+`` it is compared as it is.
    """

    number: str | FromTrace

    def _accepted(self) -> frozenset[str]:
        number = require_bound(self, self.number)
        if not isinstance(number, str) or len(digits := _digits(number)) < 3:
            raise ScenarioError(f"not a phone number: {number!r}")
        if not number.strip().startswith("+"):
            return frozenset({digits, digits.lstrip("0")})
        national = _COUNTRY_CODE.sub("", digits, count=1)
        code = digits.removesuffix(national)
        return frozenset({digits, national, f"0{national}", f"00{digits}", f"011{digits}", f"{code}0{national}"})


@attrs.frozen
class PhonePart(FactBase):
    """A phone number or a part that gives it away, as figures or in words; for ``Absent``: the number stayed secret.

    Parts are the last four digits of the international ``number``, and its area code with the three digits behind it.
    """

    number: str

    def read(self, text: str) -> Reading:
        """Stated wherever the text holds it, also in a denial or a question."""
        digits = _COUNTRY_CODE.sub("", _digits(self.number), count=1)
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
