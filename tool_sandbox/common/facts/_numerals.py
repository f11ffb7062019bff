"""Numbers as they are written: digits with separators and suffixes, and number words up to the thousands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

_SMALL_WORDS = """
zero one two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
SMALL_NUMBERS = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_FACTORS = {"dozen": 12, "hundred": 100}
_VALUES = SMALL_NUMBERS | TENS | {"a": 1, "an": 1}
_SUFFIXES = _SCALES | {"k": 1000, "grand": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}

_ANY = "|".join((*SMALL_NUMBERS, *TENS))
_WORDS = re.compile(
    rf"(?<![\w-])(?P<sign>minus |negative )?"
    rf"(?P<words>(?:(?:{_ANY})|an?(?= (?:hundred|thousand|million|dozen)))"
    rf"(?:[ -](?:and )?(?:{_ANY}|hundred|thousand|million|billion|dozen)){{0,9}}"
    rf"|half(?= an? )|an?(?= (?:\w+ ){{0,2}}\w))"
    rf"(?P<half> and a half| point (?:{_ANY})(?: (?:{_ANY})){{0,6}})?(?![\w-]|'\w)"
)
_DIGITS = re.compile(
    r"(?:(?<![\w.])|(?<=\d[dhm])|(?<=\dft))(?:(?<![)\]%\u00b0])(?P<sign>[-+](?=[\d.$])|minus |negative )\$?)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)|\d+|(?=\.\d))(?P<decimals>\.\d+)?(?P<exponent>e[+-]?\d{1,2}(?!\w))?"
    r"(?!\d|\.\d|,\d{3}(?!\d)|(?:st|nd|rd|th)\b)(?P<half> and a half)?"
)
_SUFFIX = re.compile(
    r"(?:(?P<tight>k|m|b|mn|bn)(?![a-z0-9/])|[ -]?(?P<loose>thousand|grand|million|billion|hundred)\b)"
)


@attrs.frozen
class Numeral:
    """A number in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        value: The number.
        step: Value of one in its last written place, e.g. 0.1 for "7.2".
        is_article: Whether it is only "a", "an" or "one", which counts in front of a unit and nowhere else.
    """

    start: int
    end: int
    value: float
    step: float
    is_article: bool = False


def numerals(text: str, suffixes: frozenset[str]) -> list[Numeral]:
    """All numbers of a normalised text in order.

    Args:
        text: Normalised text.
        suffixes: Letters that multiply here: "k" is a thousand beside money, and kelvin beside temperatures.
    """
    found = [*_digits(text, suffixes), *_words(text)]
    return sorted(found, key=lambda numeral: numeral.start)


def _digits(text: str, suffixes: frozenset[str]) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(text):
        number, decimals, exponent = match["number"], match["decimals"] or "", match["exponent"] or ""
        if len(number) + len(decimals) > 40 or not (number or decimals):
            continue
        value = float(f"{number.replace(',', '') or '0'}{decimals}{exponent}")
        step = 10.0 ** (1 - len(decimals) if decimals else 0)
        end = match.end()
        if match["half"]:
            value, step = value + 0.5, 0.1
        elif (suffix := _SUFFIX.match(text, end)) and (suffix["loose"] or suffix["tight"] in suffixes):
            multiplier = _SUFFIXES[suffix["loose"] or suffix["tight"]]
            value, step, end = value * multiplier, step * multiplier, suffix.end()
        yield Numeral(match.start(), end, -value if match["sign"] and match["sign"] != "+" else value, step)


def _words(text: str) -> Iterator[Numeral]:
    for match in _WORDS.finditer(text):
        words, half, end = match["words"], match["half"] or "", match.end()
        value = 0.5 if words == "half" else number_of(words)
        if words == "half":
            end = text.index(" ", end + 1) if " " in text[end + 1 : end + 4] else end
        elif half.startswith(" and"):
            value += 0.5
        elif half:
            digits = [str(SMALL_NUMBERS.get(word, "")) for word in half.split()[1:]]
            value += float(f"0.{''.join(digits) or 0}")
        step = 0.1 if half else 1.0
        is_article = words in ("a", "an", "one") and not half
        yield Numeral(match.start(), end, -value if match["sign"] else value, step, is_article)


def number_of(words: str) -> float:
    """The value of digits or of number words ("two hundred and five")."""
    if words.isdecimal():
        return float(words)
    total = current = 0.0
    for word in re.split(r"[ -]", words):
        if word in _SCALES and word != "hundred":
            total, current = total + (current or 1) * _SCALES[word], 0
        elif word in _FACTORS:
            current = (current or 1) * _FACTORS[word]
        else:
            current += _VALUES.get(word, 0)
    return total + current
