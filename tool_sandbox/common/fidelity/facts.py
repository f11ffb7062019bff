"""Invented facts: names, numbers, dates, times and dictations that a user was not told."""

import re
from collections.abc import Iterator

from tool_sandbox.common.dialogue import questions, sentences
from tool_sandbox.common.fidelity.conversation import Conversation, Line
from tool_sandbox.common.fidelity.figures import Figures
from tool_sandbox.common.fidelity.texts import STOP_WORDS, words

_NAME = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTED = re.compile(r'"([^"\n]{3,400})"|“([^“”\n]{3,400})”|«([^«»\n]{3,400})»')
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose|names?|recipient|which (?:contact|person|one|place|city|stock))\b", re.I)
_ASKS_WHEN = re.compile(r"\b(?:when|time|date|day|hour|o'clock)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:today|tonight|tomorrow|yesterday|noon|midnight|midday|weekend)\b", re.IGNORECASE)

_ORDINARY_WORDS = (
    """
ok okay thanks thank please yes yeah yep yup no nope nah sure hi hello hey bye goodbye sorry oh ah um hmm wow wait hold
wifi wi fi bluetooth internet siri google alexa assistant english celsius fahrenheit kelvin mr mrs ms dr god lol
low power battery mode cellular location service services settings contacts messages reminders reminder sms text
the a an it that this he she they them we you i my your his her our their nobody none anyone whoever someone anything
whatever never well just all neither either both any dunno nothing go right correct exactly great good fine cool perfect
awesome nice alright absolutely definitely unsure idk forget leave stop same not and but or so if in on at to for from
with is are was do does did can could would should will may might what which who when where how why there here also
one two three four five six seven eight nine ten first second third last next
hurry lovely super brilliant amazing mine home work everyone unknown family friends self later soon
maybe probably actually really hopefully then now again still only send add remove delete set turn tell make change
"""
    + "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
)
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
"""Words that are capitalised without being a name, and names of days and months, which are dates."""

_BARE_NAME = re.compile(r"(?!\w*(?:ly|ful|ing|ous|ent|ic|body|one|thing)\b)[^\W\d_]{3,20}\.?")
"""A text of one word that can be a name."""


def invented_facts(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds what the user says without having been told or having heard it."""
    script = conversation.script
    told = (*script.lines, script.unknown_reply or "") if conversation.is_scripted else (conversation.brief,)
    known = [*told, *conversation.said_before(line.index)]
    if invented := list(dict.fromkeys(_invented(line.text, heard.text, known, conversation.today))):
        yield f"says {', '.join(map(repr, invented))}: neither its brief nor anything said before holds that"


def _invented(text: str, heard: str, texts: list[str], today: str) -> Iterator[str]:
    known = {word for each in texts for word in words(each)}
    yield from Figures.of([*texts, today]).missing(text)
    asked = " ".join(questions(heard))
    yield from _names(text, known, is_name_asked=bool(_ASKS_WHO.search(asked)))
    if _ASKS_WHEN.search(asked):
        yield from (found for found in _RELATIVE.findall(text) if found.lower() not in known)
    for groups in _QUOTED.findall(text):
        found = words("".join(groups))
        if len(found) > 1 and sum(word in known for word in found) < len(found) / 2:
            yield "".join(groups)


def _names(text: str, known: set[str], *, is_name_asked: bool) -> Iterator[str]:
    is_answer = is_name_asked and bool(_BARE_NAME.fullmatch(text.strip()))
    for sentence in sentences(text):
        tokens = list(_NAME.finditer(sentence))
        if any(_is_small_word(token.group()) and token.start() for token in tokens):
            # Small words do not begin with a capital but Where Everything Does.
            continue
        for token in tokens:
            name = token.group()
            if _is_name(name, known) and (is_answer or not _begins(sentence, token.start())):
                yield name


def _is_small_word(token: str) -> bool:
    return token[0].isupper() and token.casefold() in STOP_WORDS and not token.startswith("I")


def _is_name(token: str, known: set[str]) -> bool:
    plain = token.replace("’", "'").casefold()
    stem = plain.removesuffix("'s")
    if not token[0].isupper() or token.isupper() or len(stem) < 2 or "'" in stem:
        return False
    return stem not in _ORDINARY and not {stem, stem.removesuffix("s"), f"{stem}s"} & known


def _begins(sentence: str, at: int) -> bool:
    """Whether a word begins a sentence or a part of one, where it is capitalised anyway."""
    before = sentence[:at].rstrip()
    return not before or not (before[-1].isalnum() or before[-1] in ",'’&/)")
