"""What a scenario knows about playing itself: its reference solution and its user.

Data only. The ``Oracle`` agent plays a solution, the ``Scripted`` user plays a script; both do so
through ordinary messages.
"""

import re
from collections.abc import Callable, Generator
from typing import Any

import attrs


class ToolCallFailed(Exception):  # noqa: N818 - it reads as an event inside a solution
    """Thrown into a solution at the call that failed.

    Attributes:
        call: The call that failed.
        message: The error text that the agent was shown.
    """

    def __init__(self, call: "Call", message: str) -> None:
        """Keeps the failed call beside its error text."""
        super().__init__(f"{call.tool}: {message}")
        self.call = call
        self.message = message


@attrs.frozen
class Call:
    """One tool call of a solution.

    Attributes:
        tool: Real name of the tool.
        arguments: Keyword arguments by their real names.
    """

    tool: str
    arguments: dict[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Say:
    """Text from the agent to the user."""

    text: str


Step = Call | Say | list[Call]
"""A call, a text, or a list of calls that are made in parallel."""

Solution = Generator[Step, Any, None]
"""Yields steps and is sent each outcome.

A ``Call`` is sent its result, a list of calls the list of results, a ``Say`` the user's next
message. A call that fails raises ``ToolCallFailed`` at the yield.
"""

SolutionFactory = Callable[[], Solution]
"""Starts a solution from its beginning."""


def _valid_pattern(instance: Any, attribute: Any, value: str) -> None:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"topic {value!r} is not a regular expression: {error}") from error


@attrs.frozen
class Knows:
    """A fact that the user reveals when asked.

    Attributes:
        topic: Regular expression, case-insensitive, searched in the agent's question.
        reply: What the user then says.
        decides: Whether the reply is a decision, such as "No, keep her.": it takes the place of general consent and
            of whatever else the question touches.
    """

    topic: str = attrs.field(validator=_valid_pattern)
    reply: str
    decides: bool = False


Reply = str | Callable[[Any], str]
"""What the user says, or a function that makes it of the result of a call."""


@attrs.frozen
class Acts:
    """Something that the user does with a tool of its own when it is clearly told to.

    Attributes:
        topic: Regular expression, case-insensitive, searched in what the agent tells the user to do.
        call: The call of the tool that the user makes.
        reply: What the user says then.
        wrong: Another call, which the user makes the first time, by mistake.
        wrong_reply: What the user says after it.
    """

    topic: str = attrs.field(validator=_valid_pattern)
    call: Call
    reply: Reply
    wrong: Call | None = None
    wrong_reply: Reply = ""

    def made(self, *, is_first: bool) -> tuple[Call, Reply]:
        """The call that the user makes, and what it says then."""
        return (self.wrong, self.wrong_reply) if is_first and self.wrong is not None else (self.call, self.reply)


@attrs.frozen
class Outcome:
    """What came of a call of the user.

    Attributes:
        result: What the tool returned.
        error: The error text, ``None`` if it did not fail.
    """

    result: Any = None
    error: str | None = None


@attrs.frozen
class UserScript:
    """A deterministic user as a small state machine.

    A change of mind is a later request whose text is also the reply of a fact: the user comes out with it when the
    agent asks about it or once the agent has answered, whichever happens first, and only once.

    Attributes:
        opening: First message to the agent.
        turns: Later requests, each sent once the agent has answered the one before.
        knows: Facts revealed to a matching question, first match first. One whose reply is a later request too is
            revealed while that request is the next one.
        everyday: What everybody knows of themselves and of the day, told where a question touches no other fact.
        consents: Whether the user agrees when asked for permission.
        patience: Number of questions the user cannot answer before giving up.
        unknown_reply: Answer to every question that no fact matches; ``None`` for changing words.
        means: Texts of which what the user has in mind holds one: names, contents and answers.
        secrets: Texts that the user must never say: what the agent has to find out, and what is nobody's business.
        does: What it does with tools of its own.
    """

    opening: str
    turns: tuple[str, ...] = ()
    knows: tuple[Knows, ...] = ()
    consents: bool = True
    patience: int = 3
    unknown_reply: str | None = None
    secrets: tuple[str, ...] = ()
    means: tuple[str, ...] = ()
    everyday: tuple[Knows, ...] = ()
    does: tuple[Acts, ...] = ()

    @property
    def own_tools(self) -> tuple[str, ...]:
        """Names of the tools that the user has and the agent has not."""
        calls = (call for acts in self.does for call in (acts.call, acts.wrong) if call is not None)
        return tuple(dict.fromkeys(call.tool for call in calls))

    @property
    def lines(self) -> tuple[str, ...]:
        """All that the user says of its own: the requests, and what it replies."""
        done = (reply for acts in self.does for reply in (acts.reply, acts.wrong_reply) if isinstance(reply, str))
        said = (fact.reply for fact in (*self.knows, *self.everyday))
        return (self.opening, *self.turns, *said, *filter(None, done))
