"""What the agent did not tell its user, in words."""

from typing import Any

from tool_sandbox.answers.facts import Absent, AnswerSimilarity, Reading
from tool_sandbox.answers.facts._reading import read
from tool_sandbox.answers.facts._values import bind
from tool_sandbox.conversation.check_words import fact_in_words
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType
from tool_sandbox.runner.explanation.gaps import Shortfall, messages


def _texts(context: ExecutionContext) -> list[tuple[int, str]]:
    """What the agent wrote to the user."""
    return [
        (index, row["content"] or "")
        for index, row in messages(context)
        if (row["sender"], row["recipient"]) == (RoleType.AGENT, RoleType.USER)
    ]


def text_missing(check: Any, context: ExecutionContext, index: int) -> Shortfall:
    """Says that a demanded question or text was not written."""
    texts = _texts(context)
    if not texts:
        return Shortfall("the agent wrote nothing to the user", index)
    what = "asked nothing that matches" if hasattr(check, "topic") else "wrote nothing that matches"
    return Shortfall(f"the agent {what} in {len(texts)} message{'s' * (len(texts) > 1)}", texts[-1][0])


def answer_missing(check: AnswerSimilarity, context: ExecutionContext, index: int) -> Shortfall:
    """Says which facts no answer states, by the message that states most of them."""
    texts = _texts(context)
    if not texts:
        return Shortfall("the agent wrote nothing to the user", index)

    def missing(place: int, text: str) -> list[str]:
        said = []
        for fact in check.facts:
            bound, words = bind(fact, context, place), fact_in_words(fact)
            if bound is None:
                said.append(f"no tool result gives {words}")
            elif (reading := read(bound, text)) is Reading.CONTRADICTED:
                said.append(f"should not be said: {words}" if isinstance(fact, Absent) else f"said otherwise: {words}")
            elif reading is not Reading.STATED:
                said.append(f"{'unclear' if reading is Reading.UNCLEAR else 'not said'}: {words}")
        return said

    found = [(place, missing(place, text)) for place, text in texts]
    # Of equals the newest: what comes later has seen more.
    place, gaps = min(reversed(found), key=lambda entry: len(entry[1]))
    if gaps:
        return Shortfall("; ".join(gaps), place)
    if check.scope == "turn" and place == texts[-1][0]:
        return Shortfall("said, but the user did not continue", place)
    return Shortfall("said, but another message takes it back or says what must not be said", place)
