"""An answer graded by its facts."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from tool_sandbox.answers.facts._cannot import is_refusal
from tool_sandbox.answers.facts._document import parse
from tool_sandbox.answers.facts._done import Done
from tool_sandbox.answers.facts._listing import Absent
from tool_sandbox.answers.facts._number import Number
from tool_sandbox.answers.facts._reading import Fact, Reading, as_facts, is_foreign, is_stated, read
from tool_sandbox.answers.facts._values import bind
from tool_sandbox.helpers.typed import Typed
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.schema import DatabaseNamespace

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext

_BETWEEN = re.compile(r"\s*(?:,\s|;|/|&|\band\b|\s)\s*")
_FIGURE = re.compile(r"\W{0,2}\d(?:[\d.,]*\d)?\W{0,2}")


@attrs.frozen
class AnswerSimilarity(Typed):
    """Scores 1.0 if one message from the agent to the user states all facts on its own, and stays true; else 0.0.

    No later message may contradict a fact or take the answer back without stating the facts again. What must be absent
    is looked for in all messages of the scope, also before the answer.

    Args:
        scope: "conversation" looks at later messages to the end, "turn" only up to the next message of the user, which
            must follow: for questions whose answer is superseded when the user goes on.
    """

    facts: tuple[Fact, ...] = attrs.field(converter=as_facts)
    scope: Literal["conversation", "turn"] = "conversation"
    reads_trajectory: ClassVar[bool] = True

    @facts.validator
    def _check_facts(self, _: object, facts: tuple[Fact, ...]) -> None:
        if not facts:
            raise ScenarioError("an answer needs at least one fact")

    def __call__(self, *, context: "ExecutionContext", index: int) -> float:
        """Score of message ``index`` as the answer: 0.0 or 1.0."""
        answer, last = _text_at(context, index), context.max_sandbox_message_index
        later = range(index + 1, last + 1)
        if answer is None or (self.scope == "turn" and all(of_agent for _, of_agent, _ in _dialogue(context, later))):
            return 0.0
        facts = [bind(fact, context, index) for fact in self.facts]
        may_be = (Reading.STATED, Reading.UNCLEAR)
        parts = [(fact, text) for fact, text in zip(facts, _parts(facts, answer), strict=True)]
        is_said = all(fact is not None and read(fact, text) in may_be for fact, text in parts)
        if not is_said or not all(is_stated(fact, text, index) for fact, text in parts):
            return 0.0
        if any(_takes_back(facts, text, place) for place, text in self._texts(context, later)):
            return 0.0
        absent = [fact for fact in facts if isinstance(fact, Absent)]
        earlier = self._texts(context, range(index - 1, max(context.first_user_sandbox_message_index, 0) - 1, -1))
        return float(not absent or all(read(fact, text) is Reading.STATED for _, text in earlier for fact in absent))

    def is_told(self, context: "ExecutionContext", index: int) -> bool:
        """Whether message ``index`` says something, right or not, about all that has to be told; a deed need not be."""
        text = _text_at(context, index)
        told = [bind(fact, context, index) for fact in self.facts if not isinstance(fact, (Absent, Done))]
        return bool(text) and all(fact is not None and fact.read(text or "") is not Reading.SILENT for fact in told)

    def describe(self) -> str:
        """The facts, on one line."""
        return "; ".join(fact.describe() for fact in self.facts)

    def to_dict(self) -> dict[str, Any]:
        """Facts and scope as JSON values."""
        return {"facts": [fact.to_dict() for fact in self.facts], "scope": self.scope}

    def _texts(self, context: "ExecutionContext", indices: range) -> Iterator[tuple[int, str]]:
        """Texts from the agent to the user, in scope, with their places."""
        lines = itertools.takewhile(lambda line: line[1] or self.scope != "turn", _dialogue(context, indices))
        return ((place, text) for place, is_of_agent, text in lines if is_of_agent)


def _parts(facts: Sequence[Fact | None], answer: str) -> list[str]:
    """The text for each fact: all of it, but of "6 and 30" each figure in turn."""
    figures = [figure for figure in _BETWEEN.split(answer.strip("\n .*")) if figure]
    is_bare = len(figures) == len(facts) and all(map(_FIGURE.fullmatch, figures))
    return figures if is_bare and all(isinstance(fact, Number) for fact in facts) else [answer] * len(facts)


def _takes_back(facts: Sequence[Fact], text: str, place: int) -> bool:
    readings = [(fact, part, read(fact, part)) for fact, part in zip(facts, _parts(facts, text), strict=True)]
    # A refusal that is told once holds, whatever a later one leaves out.
    unclear = [(fact, part) for fact, part, found in readings if found is Reading.UNCLEAR and not is_refusal(fact)]
    return (
        any(found is Reading.CONTRADICTED for _, _, found in readings)
        or not (is_foreign(text) or all(is_stated(fact, part, place) for fact, part in unclear))
        or (
            parse(text).is_retracted()
            and not any(found is Reading.STATED for fact, _, found in readings if not isinstance(fact, Absent))
        )
    )


def _dialogue(context: "ExecutionContext", indices: Iterable[int]) -> Iterator[tuple[int, bool, str]]:
    """Messages between user and agent: their places, whether they are of the agent, and their texts."""
    for index in indices:
        if 0 <= index <= context.max_sandbox_message_index:
            for row in context.get_table(DatabaseNamespace.SANDBOX, index).dicts()[-1:]:
                ends = row["sender"], row["recipient"]
                if ends in (("AGENT", "USER"), ("USER", "AGENT")):
                    yield index, ends[0] == "AGENT", row["content"] or ""


def _text_at(context: "ExecutionContext", index: int) -> str | None:
    """Text of the message if it goes from the agent to the user."""
    return next((text for _, is_of_agent, text in _dialogue(context, [index]) if is_of_agent), None)
