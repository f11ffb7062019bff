"""Leaked secrets: what a user says that the agent has to find out."""

import datetime
import re
from collections.abc import Iterable, Iterator

from tool_sandbox.common.fidelity.conversation import Conversation
from tool_sandbox.common.fidelity.finding import Finding, FindingKind
from tool_sandbox.common.fidelity.texts import contains, words
from tool_sandbox.common.script import UserScript

_PHONE_DIGITS = 10
"""Digits by which a telephone number is known, however it is prefixed."""


def leaked_secrets(conversation: Conversation, script: UserScript) -> Iterator[Finding]:
    """Finds secrets that the user says before the agent has said them, or a tool has shown them to the agent.

    Args:
        conversation: What was said.
        script: Holds the secrets; what its own lines say is none.
    """
    for _, line in conversation.replies:
        known = [*script.lines, *conversation.said_before(line.index), *conversation.results_before(line.index)]
        for secret in script.secrets:
            if _says(line.text, secret) and not any(_says(text, secret) for text in known):
                detail = f"gives {secret!r} away, which the agent has not found out"
                yield Finding(FindingKind.LEAKED_SECRET, line.index, line.text, detail)


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
    if (number := _number(secret)) is not None:
        yield from ([word] for word in said if _is_rounded(word, number))


def _dates(secret: str) -> Iterator[list[str]]:
    try:
        day = datetime.date.fromisoformat(secret)
    except ValueError:
        return
    for month in (f"{day:%B}".casefold(), f"{day:%b}".casefold()):
        for number in (str(day.day), f"{day.day:02}"):
            yield from ([month, number], [number, month], [number, "of", month])


def _number(text: str) -> float | None:
    try:
        return float(text) if re.fullmatch(r"\d+\.\d+", text) else None
    except ValueError:
        return None


def _is_rounded(word: str, number: float) -> bool:
    """Whether a word is a number to fewer decimals, of at least two digits."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", word) or len(word.replace(".", "")) < 2:
        return False
    return float(word) == round(number, len(word.partition(".")[2]))
