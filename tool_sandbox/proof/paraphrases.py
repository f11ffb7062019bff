"""The reference solution with its answers in other words, and with honest remarks: every one must score 1."""

import re
from collections.abc import Callable, Iterable, Sequence

import attrs

from tool_sandbox.answers.dialogue import questions
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.answers import ReferenceAnswer, answers
from tool_sandbox.proof.manners import MANNERS
from tool_sandbox.proof.play import Playback, Reference
from tool_sandbox.proof.remarks import remarks
from tool_sandbox.proof.renderings import STYLES, rendered
from tool_sandbox.proof.wording import phone
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.world.script import Say, Step

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
    """Other wordings of the answers, calls left as they are, and honest remarks beside them."""
    told = list(answers(scenario, reference))
    wordings: dict[str, Callable[[ReferenceAnswer], str | None]] = {
        name: lambda answer, style=style: _rendered(answer, style)  # type: ignore[misc]
        for style, name in enumerate(STYLES)
    }
    wordings["reworded"] = lambda answer: reworded(answer.text)
    for name, manner in MANNERS.items():
        wordings[name] = lambda answer, manner=manner: manner(answer, reference)  # type: ignore[misc]
    found = []
    for name, wording in wordings.items():
        texts = {answer.position: text for answer in told if (text := wording(answer)) is not None}
        if texts:
            steps = [Say(texts[number]) if number in texts else step for number, step in enumerate(reference.steps)]
            found.append(_paraphrase(name, steps, texts.values()))
    for name, with_remark in remarks(scenario, reference):
        said = [step.text for step in with_remark if isinstance(step, Say) and step not in reference.steps]
        found.append(_paraphrase(name, with_remark, said))
    return found


def _paraphrase(name: str, steps: Sequence[Step], texts: Iterable[str]) -> Paraphrase:
    return Paraphrase(f'{name}: "{" / ".join(texts)}"', lambda: Playback(steps))


def _rendered(answer: ReferenceAnswer, style: int) -> str:
    """The facts of an answer in another style, with whatever the answer asks."""
    return "\n".join([rendered(answer.facts, style), *questions(answer.text)])


def reworded(text: str) -> str:
    """A text with contractions where it had none and the other way round, with synonyms and a closing courtesy."""
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
