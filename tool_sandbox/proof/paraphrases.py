"""The reference solution with its answers in other words: every one must score 1."""

import re
from collections.abc import Callable

import attrs

from tool_sandbox.common.dialogue import questions
from tool_sandbox.common.scenario import Scenario
from tool_sandbox.common.script import Say, Step
from tool_sandbox.proof.answers import Answer, answers
from tool_sandbox.proof.play import Playback, Reference
from tool_sandbox.proof.renderings import STYLES, rendered
from tool_sandbox.proof.wording import phone
from tool_sandbox.roles.base_role import BaseRole

_QUOTED = re.compile(r'("[^"]*")')
_LONG_FORMS = (
    ("I have", "I've"),
    ("I am", "I'm"),
    ("I will", "I'll"),
    ("It is", "It's"),
    ("That is", "That's"),
    ("There is", "There's"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("have not", "haven't"),
    ("has not", "hasn't"),
    ("cannot", "can't"),
    ("could not", "couldn't"),
)
_SYNONYMS = (
    (r"\bremoved\b", "deleted"),
    (r"\bchanged\b", "updated"),
    (r"\bturned (\w+(?: \w+)?) on\b", r"switched \1 on"),
    (r"\bkilometers\b", "kilometres"),
    (r" degrees Celsius\b", " \u00b0C"),
    (r" degrees Fahrenheit\b", " \u00b0F"),
    (r"\bI left\b", "I have left"),
)
_PHONE = re.compile(r"\+1\d{10}\b")


@attrs.frozen
class Paraphrase:
    """The reference solution in other words.

    Attributes:
        label: The style and the first answer in it.
        agent: Makes the agent that plays it.
    """

    label: str
    agent: Callable[[], BaseRole]


def paraphrases(scenario: Scenario, reference: Reference) -> list[Paraphrase]:
    """Other wordings of the answers, calls and questions left as they are.

    Args:
        scenario: The scenario.
        reference: Its reference solution.

    Returns:
        Three renderings of the facts and one rewording of the texts; nothing where no answer is asked for.
    """
    told = list(answers(scenario, reference))
    if not told:
        return []
    wordings: list[tuple[str, Callable[[Answer], str]]] = [
        (name, lambda answer, style=style: _rendered(answer, style))  # type: ignore[misc]
        for style, name in enumerate(STYLES)
    ]
    wordings.append(("reworded", lambda answer: reworded(answer.text)))
    found = []
    for name, wording in wordings:
        steps: list[Step] = list(reference.steps)
        for answer in told:
            steps[answer.position] = Say(wording(answer))
        shown = " / ".join(wording(answer) for answer in told)
        found.append(Paraphrase(f'{name}: "{shown}"', lambda steps=tuple(steps): Playback(steps)))  # type: ignore[misc]
    return found


def _rendered(answer: Answer, style: int) -> str:
    """The facts of an answer in another style, with whatever the answer asks."""
    return "\n".join([rendered(answer.facts, style), *questions(answer.text)])


def reworded(text: str) -> str:
    """A text with contractions where it had none and the other way round, with synonyms and a closing courtesy.

    Args:
        text: The text.

    Returns:
        The same statements in other words; what stands between quotation marks stays.
    """
    pieces = _QUOTED.split(text)
    for number in range(0, len(pieces), 2):
        pieces[number] = _other_words(pieces[number])
    courtesy = "" if questions(text) else " Is there anything else I can help you with?"
    return "Sure! " * (not questions(text)) + "".join(pieces) + courtesy


def _other_words(text: str) -> str:
    contracted = text
    for full, short in _LONG_FORMS:
        contracted = re.sub(rf"\b{full}\b", short, contracted)
    if contracted == text:
        for full, short in _LONG_FORMS:
            contracted = contracted.replace(short, full)
    for pattern, synonym in _SYNONYMS:
        contracted = re.sub(pattern, synonym, contracted)
    return _PHONE.sub(lambda match: phone(match.group(), 1), contracted)
