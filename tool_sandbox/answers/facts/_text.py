"""Plain text: what is left of an answer once its decoration is gone.

Answers come as prose, markdown, tables and simple LaTeX, with typographic punctuation and emoji. Every reader of this
package works on the one normal form made here: lower case, without accents, markup, emoji and addresses of web pages,
ASCII punctuation, one sentence or list item after the other with line breaks between blocks.
"""

import html
import re
import unicodedata
from collections.abc import Callable

_REPLACEMENTS = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2212\ufe63\uff0d",
    " -- ": "\u2014\u2015",
    ". ": "\u2026",
    "\n": "\u2022\u25cf\u25aa\r\x0b\x0c\u2028\u2029",
    " ": "\u00b7\t",
    "\u00b0": "\u02da\u00ba",
    " -> ": "\u2192\u27a1\u21d2",
    " about ": "\u2248",
    "x": "\u00d7",
    ".5": "\u00bd",
    ".25": "\u00bc",
    ".75": "\u00be",
}
_PUNCTUATION = str.maketrans({one: plain for plain, many in _REPLACEMENTS.items() for one in many})
_TABLE = re.compile(r"^[ ]{0,4}\|([^\n]{1,400})\n[ ]{0,4}\|[ |:-]{3,200}\n((?:[ ]{0,4}\|[^\n]{0,1000}\n?)+)", re.M)
_UNIT = r"(\u00b0[CFK]|km(?:/h)?|mph|mi|miles?|days?|hours?|min(?:ute)?s?|knots?|kg|%)"
_COLUMN_UNIT = re.compile(rf"(?:^|[ (]){_UNIT}(?!\w)", re.I)
_ROW_UNIT = re.compile(rf"[ *]*{_UNIT}(?: ?\([^()]*\))?[ *]*", re.I)
_FIRST_ITEM = re.compile(r"^[ ]{0,20}1[.)][ ]", re.M)
_BARE_CELL = re.compile(r"([ *]*[-+]?\d[\d.,]*)([ *]*)")


def _with_units(table: re.Match[str]) -> str:
    """A table whose figures have the units that stand at the head of their columns or rows."""
    units = [_COLUMN_UNIT.search(cell.strip(" *_")) for cell in table[1].split("|")]
    lines = []
    for line in table[2].split("\n"):
        edge, *cells = line.split("|")
        own = _ROW_UNIT.fullmatch(cells[0]) if cells else None
        for column, (cell, head) in enumerate(zip(cells, units, strict=False)):
            unit = head or own
            if unit and (figure := _BARE_CELL.fullmatch(cell)):
                cells[column] = f"{figure[1]} {unit[1]}{figure[2]}"
        lines.append("|".join([edge, *cells]))
    return table.group()[: table.start(2) - table.start()] + "\n".join(lines)


def _separator(marker: re.Match[str]) -> str:
    """What keeps list items apart; "268. Wifi is still on" is no item where none is the first."""
    is_item = not marker.group().strip()[:1].isdigit() or _FIRST_ITEM.search(marker.string)
    return "\x1e" if is_item else marker.group()


# Footnotes, grouped digits, dashes
_TYPOGRAPHY = (
    (re.compile(r"(?<!\b[cdkm]m)(?<!\bm)[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+"), ""),
    (re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))"), ""),
    (
        re.compile(
            r"(?<![\w.)])\u2013(?=\d)|(?<=[\w\u00b0$%])\u2013(?=[\w$-])"
            r"|(?:(?<=[\d\u00b0%])|(?<=[\d\u00b0 ][AaPpCcFf])|(?<=[\d ][AaPp][Mm]))\s?\u2013\s?(?=[\d$-])"
        ),
        "-",
    ),
    (re.compile(r"\u2013"), " -- "),
)
_OPENINGS = "Is|Was|Are|Do|Did|Does|Would|Will|Can|Could|May|Shall|Should|Let|Please|Feel|Anything|What|Want|I|You"
_STEPS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<!\d)\.(?=(?:5|25|75)(?!\d))"), "0."),
    # LaTeX
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|boxed)\s?\{([^{}]{0,200})\}"), r"\1"),
    (re.compile(r"\^\s?\{?\s?\\circ\s?\}?"), "\u00b0"),
    (re.compile(r"\\approx"), " about "),
    (re.compile(r"\\times"), "x"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[()\[\],;!]"), " "),
    # Markdown and HTML
    (_TABLE, _with_units),
    (re.compile(r"<(?:br|p|li|tr)\s?/?>", re.I), "\n"),
    (re.compile(r"</?[a-z][^<>\n]{0,80}>|~~[^~\n]{1,200}~~", re.I), " "),
    (re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{0,500}\)"), r"\1"),
    (re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]{1,500}", re.I), " "),
    (re.compile(r"^[ ]{0,20}>[ ]?([^\n\">]{1,1200})$", re.M), r'"\1"'),
    (re.compile(r"^[ ]{0,20}[>#]{1,6}[ ]?", re.M), ""),
    # The separator keeps list items apart, also those that start in lower case.
    (re.compile(r"^[ ]{0,20}(?:[-*+]|\d{1,3}[.)])[ ]{1,4}(?:\[[ xX]\][ ])?", re.M), _separator),
    (re.compile(r"^[ |:-]{3,200}$|^[ ]{0,4}\|[ ]?|[ ]?\|[ ]{0,4}$", re.M), ""),
    (re.compile(r"(?<=[.?!:])[ ]?\|[ ]?"), " "),
    (re.compile(r"[ ]?\|[ ]?"), ": "),
    (re.compile(r"(?<=[\d)]) \* (?=[\d(])"), " x "),
    (re.compile(r"[*`]|(?<!\w)_{1,3}|_{1,3}(?!\w)"), ""),
    # "a.m.", with the full stop behind it where it ends a sentence
    (re.compile(r"(?<![A-Za-z])([AaPp])\.\s?[Mm](?:(\.)(?=\s+[A-Z]|\s*$)|\.?(?=\W|$))", re.M), r"\1m\2"),
    # A quotation may hide the end of its sentence: "It says "Come at 5." Anything else?"
    (re.compile(rf"(?<=[.?!]\")(?=\s+[A-Z])|(?<=\w\")(?= (?:{_OPENINGS})\b)"), "."),
    (re.compile(r":[ ]{0,3}\n\s{0,5}"), ": "),
    (re.compile(r"(?<=[a-z,])\n(?=[a-z])"), " "),
)
_BLANKS = re.compile(r"[ ]{2,}")
_LINES = re.compile(r"[ ]?\n\s*")
_OF_CATEGORIES = {"Mn": "", "Me": "", "Cf": "", "So": " -- ", "Sk": " "}


def normalise(text: str) -> str:
    """Bring an answer, or a name that is looked for in answers, to the normal form of this package."""
    text = html.unescape(text).translate(_PUNCTUATION)
    for pattern, replacement in _STEPS if text.isascii() else (*_TYPOGRAPHY, *_STEPS):
        text = pattern.sub(replacement, text)
    if not text.isascii():
        text = "".join(map(_fold_character, unicodedata.normalize("NFKD", text)))
    return _LINES.sub("\n", _BLANKS.sub(" ", text.lower())).strip()


def _fold_character(character: str) -> str:
    """Nothing for an accent; emoji separate like dashes, controls, surrogates and the like become blanks."""
    if character < "\x7f" or character == "\u00b0":
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))
    return _OF_CATEGORIES.get(category, " " if category[0] in "CZ" else character)


def one_of(*phrases: str) -> re.Pattern[str]:
    """Matches any of the phrases, each a regular expression of whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)")


def underscores(match: re.Match[str]) -> str:
    """What blanks a match and keeps offsets."""
    return "_" * len(match.group())


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
    rf"(?<![\w.,])1 (?:knot|mile|mph|km|(?:kilo)?meter|inch|foot|yard|pound|ounce|gallon|liter|day|hour) ?= ?{_OPERAND}"
    r"|(?<=days) of 24 hours(?: each)?"
)
_DECIMALS = re.compile(r"\d+\.\d+")


def without_arithmetic(text: str) -> str:
    """A normalised text without shown arithmetic: no operand is a statement, but what stands alone beside "=" is."""
    text = _DEFINITION.sub(underscores, text) if "=" in text or "of 24" in text else text
    return _ARITHMETIC.sub(_blanked, text) if re.search(r"[-+/x\u00f7\u22c5]", text) else text


def _blanked(match: re.Match[str]) -> str:
    """What does not have to be arithmetic, as "12 - 14" and "24 / 14", is it where it goes down or beside "="."""
    figures = [float(figure) for figure in _DECIMALS.findall(match.group())]
    is_difference = "-" in match.group() and len(figures) == 2 and figures[0] > figures[1]
    is_result = match.string[: match.start()].rstrip().endswith("=")
    is_arithmetic = match["surely"] or match["equals"] is not None or is_result or is_difference
    return underscores(match) if is_arithmetic else match.group()
