"""What a user says that it cannot know, or that the agent has to find out: invented facts and leaked secrets."""

import datetime
import re
from collections.abc import Iterable, Iterator

from tool_sandbox.common.dialogue import questions, sentences
from tool_sandbox.common.fidelity.conversation import Conversation, Line
from tool_sandbox.common.fidelity.figures import Figures
from tool_sandbox.common.fidelity.texts import STOP_WORDS, contains, words

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

_PHONE_DIGITS = 10
"""Digits by which a telephone number is known, however it is prefixed."""

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


def leaked_secrets(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds secrets that the user says before the agent has said them, or a tool has shown them to the agent."""
    shown = [text for index, text in conversation.results if index < line.index]
    for secret in conversation.script.secrets:
        if _says(line.text, secret):
            known = [*conversation.script.lines, *conversation.said_before(line.index), *shown]
            if not any(_says(text, secret) for text in known):
                yield f"gives {secret!r} away, which the agent has not found out"


def _says(text: str, secret: str) -> bool:
    said = words(text)
    return any(contains(said, form) for form in _forms(secret, said))


def _forms(secret: str, said: Iterable[str]) -> Iterator[list[str]]:
    """The ways of saying a secret, as words."""
    wanted = words(secret)
    yield wanted
    digits = re.sub(r"\D", "", secret)
    if re.fullmatch(r"\+?[\d ().\-]+", secret) and len(digits) > _PHONE_DIGITS:
        yield from ([word] for word in said if word.isdigit() and word.endswith(digits[-_PHONE_DIGITS:]))
    yield from _dates(secret)
    if re.fullmatch(r"\d+\.\d+", secret):
        yield from ([word] for word in said if _is_rounded(word, float(secret)))


def _dates(secret: str) -> Iterator[list[str]]:
    try:
        day = datetime.date.fromisoformat(secret)
    except ValueError:
        return
    for month in (f"{day:%B}".casefold(), f"{day:%b}".casefold()):
        for number in (str(day.day), f"{day.day:02}"):
            yield from ([month, number], [number, month], [number, "of", month])


def _is_rounded(word: str, number: float) -> bool:
    """Whether a word is a number to fewer decimals, of at least two digits."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", word) or len(word.replace(".", "")) < 2:
        return False
    return float(word) == round(number, len(word.partition(".")[2]))
