"""Numbers as they are written, alone and with units: "20 °C", "$4.50", "two and a half hours", "5 ft 11 in"."""

import functools
import re
from collections.abc import Iterator

import attrs

from tool_sandbox.answers.facts._document import Span, joined
from tool_sandbox.answers.facts._units import CURRENCY_SIGN, UNITS, Unit, unit_of, unit_pattern

_SMALL_WORDS = """
zero one two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
SMALL_NUMBERS = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 2)}
_VALUES = SMALL_NUMBERS | TENS | {"a": 1, "an": 1}
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SUFFIXES = _FACTORS | {"k": 1000, "grand": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_ARTICLES = ("a", "an", "one")

_ANY, _FACTOR = "|".join((*SMALL_NUMBERS, *TENS)), "|".join(_FACTORS)
_WORDS = re.compile(
    rf"(?<![\w-])(?P<sign>minus |negative )?"
    rf"(?P<words>(?:(?:{_ANY})|an?(?= (?:{_FACTOR})))(?:[ -](?:and )?(?:{_ANY}|{_FACTOR})){{0,9}}"
    rf"|half an?(?= )|an?(?= (?:\w+ ){{0,2}}\w))"
    rf"(?P<half> and a half| point (?:{_ANY})(?: (?:{_ANY})){{0,6}})?(?![\w-]|'\w)"
)
_DIGITS = re.compile(
    r"(?:(?<![\w.])|(?<=\d[dhm])|(?<=\dft))(?:(?<![)\]%\u00b0])(?P<sign>[-+](?=[\d.$])|minus |negative )\$?)?"
    r"(?P<number>\d{1,3}(?:,\d{3}){1,9}(?!\d)|\d{1,30}|(?=\.\d))(?P<decimals>\.\d{1,30})?"
    r"(?P<exponent>e[+-]?\d{1,2}(?!\w))?(?!\d|\.\d|,\d{3}(?!\d)|(?:st|nd|rd|th)\b)(?P<half> and a half)?"
)
_SUFFIX = re.compile(rf"(?P<tight>k|m|b|mn|bn)(?![a-z0-9/])|[ -]?(?P<loose>{_FACTOR}|grand)\b")
_PREFIX = re.compile(rf"(?<![a-z])(?P<symbol>{CURRENCY_SIGN})[ ]?[-~]?$")
_HALF = re.compile(r" and a half\b")
_GAP = re.compile(r"[ -]?(?:full |whole )?")
_NO_INCH = re.compile(r" (?:the|a|an|my|your|[a-z]+ (?:is|was))\b|\s?\d")
_RANGE = re.compile(r"\s?(?P<word>-|to|and)\s?")
_BETWEEN = re.compile(r"\b(?:between|from) $")
_JOINT = re.compile(r"\s?,?\s?(?:and|plus|[&+]|\(\+)?\s?(?:about |around |roughly |nearly |almost )?")
_COMPOUND = {"time", "length", "mass"}
_IMPLIED = {"foot": "inch", "hour": "minute"}
_HUNDREDTHS = ("cent", "cents", "pence")
_FOLLOWER = re.compile(r"[ -]?([a-z']+)")
# "One: the piano.", "There is only one."
_ANSWERS = re.compile(r"(?:^|[\n.!?] ?)(?:(?:just|only|exactly|now|there is|there's|it is|it's|that is|that's) )*$")
_ALONE = re.compile(r" ?(?:[:.,;(\n]|- |$)")


# "A gallon measures volume" tells no amount.
_AS_SUCH = re.compile(
    r"s? (?:measures?|weighs?|holds|contains?|means|stands|describes?|tells|depends|counts"
    r"|(?:is|isn't|are|aren't) (?:an? )?(?:measures?|units?|volumes?|mass|weight|length))\b"
)


@attrs.frozen
class Quantity(Span):
    """An amount in a text, a currency sign in front of it and its unit included.

    Its ``step`` is the value of one in the last written place (0.1 for "7.2"), ``leading`` the first part alone where
    several were joined ("38 days and 4 hours"), ``follower`` the word behind a number without a unit ("3 places").
    """

    value: float
    step: float
    unit: Unit | None = None
    leading: tuple[float, Unit] | None = None
    follower: str = ""
    upper: float | None = None


def number_of(words: str) -> float:
    """The value of digits or of number words ("two hundred and five")."""
    if words.isdecimal():
        return float(words)
    total = current = 0.0
    for word in re.split(r"[ -]", words):
        factor = _FACTORS.get(word)
        current = (current or 1) * factor if factor else current + _VALUES.get(word, 0)
        if factor and factor >= 1000:
            total, current = total + current, 0
    return total + current


def _numbers(text: str, suffixes: str) -> Iterator[Quantity]:
    """All numbers, without their units."""
    for match in _DIGITS.finditer(text):
        decimals, end = match["decimals"] or "", match.end()
        value = float(f"{match['number'].replace(',', '')}{decimals}{match['exponent'] or ''}")
        step = 10.0 ** min(0, 1 - len(decimals))
        if match["half"]:
            value, step = value + 0.5, 0.1
        elif (suffix := _SUFFIX.match(text, end)) and (suffix["loose"] or suffix["tight"] in suffixes.split()):
            factor = _SUFFIXES[suffix["loose"] or suffix["tight"]]
            value, step, end = value * factor, step * factor, suffix.end()
        yield Quantity(match.start(), end, value if match["sign"] in (None, "+") else -value, step)
    for match in _WORDS.finditer(text):
        words, half = match["words"], match["half"] or ""
        value = 0.5 if words.startswith("half") else number_of(words)
        if half.startswith(" and"):
            value += 0.5
        elif half:
            value += float(f"0.{''.join(str(SMALL_NUMBERS.get(word, '')) for word in half.split())}")
        yield Quantity(*match.span(), -value if match["sign"] else value, 0.1 if half else 1.0)


def quantities(text: str, expected: Unit | None = None) -> list[Quantity]:
    """All amounts of a normalised text in order.

    The expected unit decides what short symbols mean: "k" is a thousand beside money, and kelvin beside temperatures.
    """
    dimension = expected.dimension if expected else ""
    suffixes = "k" * (dimension != "temperature") + " m mn b bn" * (dimension in UNITS or not expected)
    numbers = sorted(_numbers(text, suffixes), key=lambda number: number.start)
    found = [amount for number in numbers if (amount := _with_unit(text, number, expected))]
    for join in (_compound, _with_cents, _range):
        found = joined(found, functools.partial(join, text))
    return found


def _with_unit(text: str, number: Quantity, expected: Unit | None) -> Quantity | None:
    """A number with its unit, or else with the word behind it; an article counts only in front of a unit or alone."""
    is_article, pattern = text[number.start : number.end] in _ARTICLES, unit_pattern(expected)
    if prefix := _PREFIX.search(text, max(0, number.start - 6), number.start):
        number = attrs.evolve(number, start=prefix.start())
    gap = _GAP.match(text, number.end)
    match = gap and pattern.match(text, gap.end())
    if match and not (match.group() == "in" and _NO_INCH.match(text, match.end())):
        unit = unit_of(match, expected)
        # "A Celsius reading" tells no temperature; "a degree" does.
        is_reading = unit.dimension == "temperature" and not match.group().startswith("degree")
        if is_article and (is_reading or _AS_SUCH.match(text, match.end())):
            return None
        if half := _HALF.match(text, match.end()):
            return attrs.evolve(number, end=half.end(), value=number.value + 0.5, step=0.1, unit=unit)
        return attrs.evolve(number, end=match.end(), unit=unit)
    if is_article and not (_ANSWERS.search(text, 0, number.start) and _ALONE.match(text, number.end)):
        return None
    if prefix and (sign := pattern.match(prefix["symbol"])):
        return attrs.evolve(number, unit=unit_of(sign, expected))
    follower = _FOLLOWER.match(text, number.end)
    return attrs.evolve(number, follower=follower[1]) if follower else number


def _compound(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """An amount with its parts, as in "5 ft 11 in"; the smaller unit may go without saying: "5'11", "2h30"."""
    unit = amount.unit or (last.unit and UNITS.get(_IMPLIED.get(last.unit.name, "")))
    joint = _JOINT.fullmatch(text, last.end, amount.start)
    if not last.unit or not unit or not joint or (joint.group().strip() and not amount.unit):
        return None
    # In "2 h 5 min 3 s" the seconds are parts of a minute.
    whole = last.step * last.unit.factor if last.leading else last.unit.factor
    is_part = unit.dimension == last.unit.dimension and unit.dimension in _COMPOUND and unit.factor < whole
    if not is_part or not 0 <= amount.value * unit.factor < whole + 1e-9:
        return None
    scale, leading = unit.scale(last.unit), last.leading or (last.value, last.unit)
    value = last.value + amount.value * scale
    return Quantity(last.start, amount.end, value, amount.step * scale, last.unit, leading)


def _with_cents(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """An amount of money with its hundredths, as in 48 dollars and 75 cents."""
    is_near = last.unit and 0 <= amount.start - last.end <= len(" and ")
    if not is_near or amount.follower not in _HUNDREDTHS or not 0 <= amount.value < 100:
        return None
    return attrs.evolve(last, end=amount.end, value=last.value + amount.value / 100, step=0.01)


def _range(text: str, last: Quantity, amount: Quantity) -> Quantity | None:
    """A range, as in "12-13 km"."""
    unit, link = amount.unit or last.unit, _RANGE.fullmatch(text, last.end, amount.start)
    if not link or last.unit not in (None, unit) or last.upper is not None or last.value >= amount.value:
        return None
    if link["word"] == "and" and not _BETWEEN.search(text, max(0, last.start - 9), last.start):
        return None
    return attrs.evolve(last, end=amount.end, upper=amount.value, unit=unit, follower=amount.follower)
