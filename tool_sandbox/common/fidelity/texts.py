"""What the checks need to know about texts: words, likeness, courtesy, answers that are none."""

import re
from collections.abc import Iterable

from tool_sandbox.common.dialogue import says
from tool_sandbox.common.facts._quantities import SMALL_NUMBERS

_PHONE = re.compile(r"(?<![\w.])\+?\(?\d(?:[ ().\-]{0,2}\d){6,14}(?![\w])")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

_SMALL_WORDS = """
a an the and or but so if of to in on at by for from with as is are was were be been am do does did have has had it
its it's this that these those i i'm i'd i'll i've me my mine we our you your yours he she they them their his her him
please sorry still again can could would will shall should may might must not no yes just also too then than there here
what which who whom whose when where how why want need like get let
"""
STOP_WORDS = frozenset(_SMALL_WORDS.split())
"""Words that say nothing of what a text is about."""

_COURTEOUS_WORDS = """
thanks thank thx ty much many great good nice cool perfect awesome wonderful excellent fantastic lovely super brilliant
ok okay alright fine bye goodbye cheers appreciated appreciate all set right got sounds works done day night one very
really help helping everything else nothing that's lot again sure amazing
"""
_COURTEOUS = frozenset(_COURTEOUS_WORDS.split()) | STOP_WORDS
_FIGURES = {word: str(value) for word, value in (SMALL_NUMBERS | {"twenty": 20}).items()}


def joined_phones(text: str) -> str:
    """A text in which the digits of each telephone number stand side by side."""
    return _PHONE.sub(_joined, text)


def _joined(match: re.Match[str]) -> str:
    found = match.group()
    if _ISO_DATE.search(found) or re.fullmatch(r"\d+(?:\.\d+)?", found) or re.search(r"\d\.\d{5,}$", found):
        return found
    return ("+" if found.startswith("+") else "") + re.sub(r"\D", "", found)


def words(text: str) -> list[str]:
    """Words and numbers of a text in lower case; numbers without separators, small ones as figures."""
    plain = _THOUSANDS.sub("", joined_phones(text.replace("’", "'"))).casefold()
    found = (word.removesuffix("'s") for word in _WORD.findall(plain))
    return [_FIGURES.get(word, word) for word in found]


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without their plural."""
    return frozenset(_stem(word) for word in words(text) if word not in STOP_WORDS)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def contains(text: Iterable[str], part: list[str]) -> bool:
    """Whether words stand side by side among others."""
    whole = list(text)
    return bool(part) and any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def share(part: str, text: str) -> float:
    """Share of the content words of one text that stand in another, from 0 to 1; 1 if it has none."""
    wanted = content_words(part)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 1.0


def likeness(one: str, other: str) -> float:
    """Share of the words of two texts that they have in common, from 0 to 1."""
    mine, theirs = frozenset(words(one)), frozenset(words(other))
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 1.0


def is_courtesy(text: str) -> bool:
    """Whether a text says nothing but thanks, approval and good-bye."""
    return "?" not in text and all(word in _COURTEOUS for word in words(text))


_KNOWS_NOT = (
    r"(?:(?:do not|don['’]?t|cannot|can['’]?t) (?:know|say|tell|remember)|no (?:idea|clue)|dunno|idk|(?:not |un)sure)"
)
_is_of_ignorance = says(rf"\b{_KNOWS_NOT}\b")

is_verdict = says(
    r"^\W*(?:(?:and|so|well|oh|hm+|um+|ah|then)\b\W*)*(?:yes|yeah|yep|yup|ya|sure|no|nope|nah|neither|either|both|all|any"
    r"|none|whichever|whatever|right|correct|exactly|not|never ?mind|the (?:first|second|third|last|other|same))\b",
    rf"\b{_KNOWS_NOT}\b",
    r"\b(?:(?:do not|don['’]?t|didn['’]?t|not) (?:have|recall|told|care|matter|know|remember)|can['’]?t recall"
    r"|that['’]?s (?:all|it)|up to you|you (?:decide|choose|pick)|as I said|already (?:said|told)|told you"
    r"|I (?:just )?said|forget|cancel|doesn['’]?t matter|anything)\b",
)
"""Whether a text decides a question about facts: yes, no, either one, or that the user does not know."""

_takes_up = says(
    r"^\W*(?:ok|okay|k|alright|all right|fine|absolutely|definitely|of course|certainly|please|go|do|leave|keep|stop"
    r"|just|as you|sounds|perfect|great|good|confirmed|thank\w*)\b",
    r"\b(?:yes|no|sure|ok|okay|go ahead|please do|go for it|do (?:it|so|that)|sounds good"
    r"|that['’]?s (?:fine|right|okay|ok)|don['’]?t|do not|cannot|can['’]?t|wouldn['’]?t|any ?more|only|instead|rather"
    r"|proceed|confirm\w*|agree\w*|allow\w*|feel free|by all means|i['’]m (?:good|fine)"
    r"|(?:turn|switch) (?:it|them|that|those))\b",
)

is_consent = says(
    r"(?s)^\W*(?:(?:oh|ah|well|great|perfect|thanks)\b\W*)*(?:yes|yeah|yep|yup|sure|ok|okay|please do"
    r"|go (?:ahead|for it)|of course|absolutely|definitely)\b"
    r"(?!.*\b(?:no|not|don['’]?t|thanks|thank you|that['’]?s (?:all|fine|it))\b)"
)
"""Whether a text agrees to what the agent proposes."""

reports_failure = says(
    r"\b(?:sorry|apolog\w+|unfortunately|unable|cannot|can['’]?t|could(?: not|n['’]t)|fail\w*|error|problem|wrong"
    r"|do(?:es)?n['’]t|didn['’]t|won['’]t|isn['’]t|aren['’]t|without|missing|not|never|nothing|no|stuck)\b"
)
"""Whether the agent says that something did not work, was not found or is missing."""


def is_ignorance(text: str) -> bool:
    """Whether a text says no more than that the user does not know."""
    return _is_of_ignorance(text) and not re.search(r"\d", text)


def is_reaction(text: str) -> bool:
    """Whether a text takes up a request for permission in some way: agrees, declines, decides, or does not care."""
    return is_verdict(text) or _takes_up(text)
