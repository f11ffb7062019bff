"""A conversation as text, for agents that cannot be given one in another form."""

from collections.abc import Iterator, Sequence

from tool_sandbox.models.formats.chat import written
from tool_sandbox.models.messages import AssistantTurn, ResultsTurn, Turn, UserTurn


def with_history(history: Sequence[Turn], text: str) -> str:
    """The first words to an agent that joins a conversation."""
    if not history:
        return text
    lines = "\n".join(line for turn in history for line in _lines(turn))
    return f"The conversation so far, in which you are the assistant:\n{lines}\n\nThe user now says:\n{text}"


def _lines(turn: Turn) -> Iterator[str]:
    if isinstance(turn, UserTurn):
        yield f"User: {turn.text}"
    elif isinstance(turn, AssistantTurn):
        if turn.text:
            yield f"Assistant: {turn.text}"
        for call in turn.calls:
            yield f"Assistant called {call.name}: {written(call.arguments)}"
    elif isinstance(turn, ResultsTurn):
        for result in turn.results:
            yield f"{result.name} {'failed' if result.is_error else 'returned'}: {result.text}"
