"""What the checks need to know about texts: words, likeness, courtesy, answers that are none."""

import re

from tool_sandbox.answers.dialogue import LEAD, says
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS
from tool_sandbox.answers.facts._quote import FUNCTION_WORDS

_PHONE = re.compile(r"(?<![\w.])\+?\(?\d(?:[ ().\-]{0,2}\d){6,14}(?![\w])")
_NO_PHONE = re.compile(r"\d{4}-\d{2}-\d{2}|^\d+\.\d+$|\d\.\d{5,}$")
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FIGURES = {word: str(value) for word, value in (SMALL_NUMBERS | {"twenty": 20}).items()}

_SMALL_WORDS = "but not no yes sorry still again what which who whom whose when where how why want need like get let"
STOP_WORDS = FUNCTION_WORDS.union(_SMALL_WORDS.split())
"""Words that say nothing of what a text is about."""

_COURTESY = """
thanks thank thx ty much many great good nice cool perfect awesome wonderful excellent fantastic lovely super brilliant
okay alright fine bye goodbye cheers appreciated appreciate all set right got sounds works done day night one very
really help helping everything else nothing lot sure amazing
"""
COURTEOUS_WORDS = STOP_WORDS.union(_COURTESY.split())
"""Words of which thanks, approval and good-bye are made."""


def plain(text: str) -> str:
    """A text in which the digits of each telephone number, and those of thousands, stand side by side."""
    for phone in _PHONE.findall(text):
        text = text if _NO_PHONE.search(phone) else text.replace(phone, re.sub(r"[^\d+]", "", phone))
    return _THOUSANDS.sub("", text)


def words(text: str) -> list[str]:
    """Words and numbers of a text in lower case; numbers without separators, small ones as figures."""
    found = (word.removesuffix("'s") for word in _WORD.findall(plain(text.replace("’", "'")).casefold()))
    return [_FIGURES.get(word, word) for word in found]


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without their plural."""
    return frozenset(word.removesuffix("s") for word in words(text) if word not in STOP_WORDS)


def contains(text: list[str], part: list[str]) -> bool:
    """Whether words stand side by side among others."""
    return bool(part) and f" {' '.join(part)} " in f" {' '.join(text)} "


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
    return "?" not in text and COURTEOUS_WORDS.issuperset(words(text))


_KNOWS_NOT = (
    r"\b(?:(?:do not|cannot|(?:do|ca)n'?t) (?:know|say|tell|remember)|no (?:idea|clue)|dunno|idk|(?:not |un)sure)\b"
)
is_ignorance = says(rf"^\D*{_KNOWS_NOT}\D*$")
"""Whether a text says no more than that the user does not know."""
_VERDICTS = (
    rf"{LEAD}(?:yes|yeah|yep|yup|ya|sure|no|nope|nah|neither|either|both|all|any|none|whichever|whatever|right|correct"
    r"|exactly|not|never ?mind|the (?:first|second|third|last|other|same))\b",
    _KNOWS_NOT,
    r"\b(?:(?:(?:do|did|does)n'?t|not) (?:have|recall|told|care|matter|know|remember)|can'?t recall|that'?s (?:all|it)"
    r"|up to you|you (?:decide|choose|pick)|already (?:said|told)|told you|I (?:just )?said|forget|cancel|anything)\b",
)

is_verdict = says(*_VERDICTS)
"""Whether a text decides a question about facts: yes, no, either one, or that the user does not know."""
is_reaction = says(
    *_VERDICTS,
    r"^\W*(?:k|al(?:l )?right|fine|absolutely|definitely|of course|certainly|please|go|do|leave|keep|stop|just|as you"
    r"|sounds|perfect|great|good|thank\w*)\b",
    r"\b(?:yes|no|sure|ok|okay|go ahead|please do|do (?:it|so|that)|sounds good|that'?s (?:fine|right|okay|ok)"
    r"|(?:do|ca|would)n'?t|do not|cannot|any ?more|only|instead|rather|proceed|confirm\w*|agree\w*|allow\w*|feel free"
    r"|go for it|by all means|i'm (?:good|fine)|(?:turn|switch) (?:it|them|that|those))\b",
)
"""Whether a text takes up a request for permission in some way: agrees, declines, decides, or does not care."""
is_consent = says(
    rf"(?s){LEAD}(?:yes|yeah|yep|yup|sure|ok|okay|please do|go (?:ahead|for it)|of course|absolutely|definitely)\b"
    r"(?!.*\b(?:no|not|don'?t|thanks|thank you|that'?s (?:all|fine|it))\b)"
)
"""Whether a text agrees to what the agent proposes."""
reports_failure = says(
    r"\b(?:sorry|apolog\w+|unfortunately|unable|cannot|can'?t|couldn't|fail\w*|error|problem|wrong"
    r"|do(?:es)?n't|didn't|won't|isn't|aren't|without|missing|not|never|nothing|no|stuck)\b"
)
"""Whether the agent says that something did not work, was not found or is missing."""
