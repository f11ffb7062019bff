"""Evidence: whether the agent really looked up what its answer rests on, and asked before it acted."""

import calendar
import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import attrs

from tool_sandbox.answers.facts import Quote
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.scenarios.checks import Called, Changed, Check, FieldCheck
from tool_sandbox.scenarios.matchers import HasRow, Matcher
from tool_sandbox.scenarios.vocabulary import Node, called
from tool_sandbox.scenarios.world import Note, TextMessage
from tool_sandbox.scoring.side_effects import fits, matches

Row = dict[str, Any]

_OTHER_TIMES = (
    *("tomorrow", "ago", "earlier", "later", "already", "past", "passed", "overdue", "before", "after", "previous"),
    *(
        "other",
        "another",
        "next",
        "upcoming",
        "not",
        "isn't",
        "wasn't",
        "reply",
        "replied",
        "answered",
        "answer",
        "follow-up",
        "response",
    ),
    *calendar.month_name[1:],
    *calendar.day_name,
)
"""Words that tell of a row beside the one asked for what else it is."""

_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {"_lowerbound": operator.ge, "_upperbound": operator.le}


def _passes(row: Row, criterion: str, value: Any) -> bool:
    """Whether a row meets one argument of a search; a column that the row does not have is met by no value."""
    for ending, holds in _BOUNDS.items():
        if criterion.endswith(ending):
            return bool(holds(row[criterion.removesuffix(ending)], value))
    return criterion in row and matches(row[criterion], value)


@attrs.frozen
class WouldFind(Called):
    """A successful search that would have found certain rows, had they existed.

    Attributes:
        rows: Cells of each row; a column that is missing must not be searched in, a cell may be a matcher.
    """

    rows: tuple[Row, ...] = ()

    def _fits(self, trace: Row) -> bool:
        given = trace["arguments"].items()
        return Called._fits(self, trace) and all(_passes(row, *item) for row in self.rows for item in given)


@attrs.frozen
class Either(FieldCheck):
    """One of several checks.

    Attributes:
        checks: The checks.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    checks: tuple[Check, ...]

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if one of them holds at message ``index``, else 0.0."""
        return max(check(context=context, index=index) for check in self.checks)


@attrs.frozen
class Premature(FieldCheck):
    """A change that was made before something else had happened.

    Attributes:
        change: The change.
        condition: What had to happen first.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    change: Changed
    condition: Check

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        if not self.change(context=context, index=index):
            return 0.0
        first = context.first_user_sandbox_message_index
        met = any(self.condition(context=context, index=earlier) for earlier in range(first, index))
        return float(not met)


@attrs.frozen
class Cells(Matcher):
    """One record (a dictionary) that has these cells."""

    cells: Row

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return isinstance(actual, dict) and fits(self.cells, actual)


@attrs.frozen
class Several(Matcher):
    """A list of at least so many rows."""

    count: int = 2

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return isinstance(actual, list) and len(actual) >= self.count


@attrs.frozen
class Mentions(Matcher):
    """A text that holds another one."""

    part: str

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return isinstance(actual, str) and self.part in actual


def would_find(tool: str, /, *rows: Row) -> Node:
    """The agent searched in a way that would have found these rows; the search of the truth that there are none."""
    return Node(WouldFind(tool, rows=rows), "gate")


def either(*nodes: Node) -> Node:
    """One of several gates."""
    return Node(Either(tuple(node.check for node in nodes)), "gate")


def premature(change: Node, condition: Node) -> Node:
    """A change was made before a gate was passed; a minefield, as a call that is made too late passes the gate too."""
    check = change.passing().check
    if not isinstance(check, Changed):
        raise TypeError("only a change can be premature")
    return Node(Premature(check, condition.check), "gate")


def only(wanted: Note | TextMessage, rows: Iterable[Note | TextMessage], *, elsewhere: str = "yesterday") -> Quote:
    """The fact that one stored text is the answer and no other, unless that is told to be of another time."""
    others = [row.content for row in rows if row.content != wanted.content]
    return Quote(wanted.content, instead_of=others, elsewhere=(elsewhere, *_OTHER_TIMES))


def found(tool: str, /, **cells: Any) -> Node:
    """The agent called a search that returned a row with these cells."""
    return called(tool).returning(HasRow(cells))
