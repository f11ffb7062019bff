"""Leaked secrets: what a user says that the agent has to find out."""

import datetime
import re
from collections.abc import Iterable, Iterator

from tool_sandbox.common.fidelity.conversation import Conversation, Line
from tool_sandbox.common.fidelity.texts import contains, words

_PHONE_DIGITS = 10
"""Digits by which a telephone number is known, however it is prefixed."""


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
