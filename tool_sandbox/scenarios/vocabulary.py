"""The words in which a scenario is written.

A task is a list of nodes in the order in which things must happen. Each node waits for the one
before it unless `Node.after` says otherwise:

    milestones=[
        called("search_contacts", phone_number=number),
        removed(CONTACT, person_id=person.person_id),
        answer(Done("remove", person.name)),
    ]

A change (`added`, `removed`, `changed`, `setting`) is a goal and at the same time a permission:
nothing else in the world may change. Calls and questions are gates: they carry no points, but what
comes after them counts only once they have happened.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs

from tool_sandbox.answers.facts import AnswerSimilarity, AnyOf, Cannot, CannotReason, Fact
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.helpers.typed import Typed, as_tuple, checked
from tool_sandbox.scenarios.checks import Asked, Called, Changed, Check, Failed, Told
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Acts, Call, Knows, Reply, Say, Solution, SolutionFactory, Step
from tool_sandbox.world.table import TableSchema

SETTING = DatabaseNamespace.SETTING
CONTACT = DatabaseNamespace.CONTACT
MESSAGING = DatabaseNamespace.MESSAGING
REMINDER = DatabaseNamespace.REMINDER

TOOL_MISSING = CannotReason.TOOL_MISSING
NOT_FOUND = CannotReason.NOT_FOUND
SETTING_BLOCKED = CannotReason.SETTING_BLOCKED
INFORMATION_MISSING = CannotReason.INFORMATION_MISSING
SERVICE_FAILED = CannotReason.SERVICE_FAILED

_UNSTATED: dict[DatabaseNamespace, dict[str, Any]] = {
    CONTACT: {"relationship": None, "is_self": False},
    REMINDER: {"latitude": None, "longitude": None},
}
"""What a new row must hold in columns that a task does not mention."""

_FREE: dict[DatabaseNamespace, dict[str, Any]] = {REMINDER: {"creation_timestamp": Anything()}}
"""What any edit of a row may change besides the columns that a task mentions."""


@attrs.frozen
class Node(Typed):
    """One milestone or minefield, and its place in the order of things.

    Attributes:
        check: What is measured.
        kind: ``"state"`` and ``"answer"`` nodes carry the points of a scenario, a ``"gate"`` only orders.
        label: Name that other nodes can wait for.
        waits_for: Labels of the nodes that come before; ``None`` for the node listed before this one.
        beside: Whether it stands beside the node listed before it: both wait for the same, and what follows for both.
    """

    check: Check
    kind: Literal["state", "answer", "gate"]
    label: str = ""
    waits_for: tuple[str, ...] | None = None
    beside: bool = False

    def named(self, label: str) -> "Node":
        """The same node with a name that others can wait for."""
        return attrs.evolve(self, label=label)

    def after(self, *labels: str) -> "Node":
        """The same node waiting for the named ones; without names it waits for nothing."""
        return attrs.evolve(self, waits_for=labels)

    def passing(self) -> "Node":
        """The same change as a gate that need not last until the end."""
        if not isinstance(self.check, Changed):
            raise TypeError("only a change can pass")
        return attrs.evolve(self, check=attrs.evolve(self.check, lasts=False), kind="gate")

    def returning(self, result: Any) -> "Node":
        """The same call, which must also return ``result`` (a value or a matcher)."""
        if not isinstance(self.check, Called):
            raise TypeError("only a call returns something")
        return attrs.evolve(self, check=attrs.evolve(self.check, result=result))


@checked
def called(tool: str, /, **arguments: Any) -> Node:
    """The agent called a tool successfully with at least these arguments."""
    return Node(Called(tool, arguments), "gate")


@checked
def failed(tool: str, /, **arguments: Any) -> Node:
    """The agent called a tool with at least these arguments and got an error."""
    return Node(Failed(tool, arguments), "gate")


@checked
def in_any_order(*nodes: Node) -> tuple[Node, ...]:
    """Nodes that wait for what is listed before them, not for one another; what is listed next waits for them all."""
    return tuple(attrs.evolve(node, beside=index > 0) for index, node in enumerate(nodes))


@checked
def asked(topic: str, /) -> Node:
    """The agent asked the user something that matches the regular expression ``topic``."""
    return Node(Asked(topic), "gate")


@checked
def told(pattern: str, /) -> Node:
    """The agent told the user something that matches a regular expression; digits count without separators."""
    return Node(Told(pattern), "gate")


@checked
def answer(*facts: Fact) -> Node:
    """The agent told the user these facts, in any wording, and did not take one back later."""
    return Node(AnswerSimilarity(facts), "answer")


@checked
def answer_for_now(*facts: Fact) -> Node:
    """Like `answer`, to a question whose answer may be superseded once the user goes on, as the user then has to."""
    return Node(AnswerSimilarity(facts, scope="turn"), "answer")


@checked
def cannot(*reasons: CannotReason, about: tuple[str, ...], task: str | None = None) -> Fact:
    """The fact that something cannot be done, for one of these reasons.

    Args:
        *reasons: Reasons that are true.
        about: Words of which an honest explanation uses at least one.
        task: What must not be claimed to have been done, as for `Done`.
    """
    facts = tuple(Cannot(reason, about, task) for reason in reasons)
    return facts[0] if len(facts) == 1 else AnyOf(facts)


@checked
def added(table: DatabaseNamespace | TableSchema, /, count: int = 1, **values: Any) -> Node:
    """Rows were added; columns that are not mentioned hold what they hold by default."""
    known = _of_app(table, values) if isinstance(table, TableSchema) else _UNSTATED.get(table, {})
    return Node(Changed(_name(table), "added", values=known | values, count=count), "state")


@checked
def removed(table: DatabaseNamespace | TableSchema, /, count: int = 1, **where: Any) -> Node:
    """Rows of the start were removed."""
    _of_app(table, where)
    return Node(Changed(_name(table), "removed", where=where, count=count), "state")


@checked
def changed(table: DatabaseNamespace | TableSchema, where: dict[str, Any], /, count: int = 1, **values: Any) -> Node:
    """Rows of the start were changed in these columns and in no other."""
    free = _FREE.get(table, {}) if isinstance(table, DatabaseNamespace) else _free(table)
    _of_app(table, {**where, **values})
    return Node(Changed(_name(table), "updated", where, free | values, count), "state")


def _name(table: DatabaseNamespace | TableSchema) -> str:
    return table.name if isinstance(table, TableSchema) else table


def _of_app(table: DatabaseNamespace | TableSchema, named: Mapping[str, Any]) -> dict[str, Any]:
    """What a new row of an app's table holds in columns that nobody mentions: nothing, where that can be.

    Raises:
        ScenarioError: A column that is named is not there.
    """
    if not isinstance(table, TableSchema):
        return {}
    if missing := [name for name in named if name not in table.positions]:
        raise ScenarioError(f"{table.name} has no columns {missing}; it has {', '.join(table.names)}")
    known: dict[str, Any] = {}
    for column in table.columns:
        if column.is_automatic:
            known[column.name] = Anything()
        elif column.is_nullable or column.is_list or column.element is bool:
            known[column.name] = None if column.is_nullable else [] if column.is_list else False
    return known


def _free(table: TableSchema) -> dict[str, Any]:
    """Columns of an app's table that tools change by themselves."""
    return {column.name: Anything() for column in table.columns if column.is_automatic}


@checked
def setting(**values: bool) -> Node:
    """The device settings were changed in these columns and in no other."""
    return Node(Changed(SETTING, "updated", values=dict(values)), "state")


@checked
def call(tool: str, /, **arguments: Any) -> Call:
    """A step of a reference solution: one tool call."""
    return Call(tool, arguments)


@checked
def say(text: str) -> Say:
    """A step of a reference solution: one text to the user."""
    return Say(text)


@attrs.frozen
class Happening:
    """Something that the world of a scenario does by itself.

    Attributes:
        effect: Changes the world, which is the current one, and says what happened, in words for people.
        at: POSIX time in seconds.
        after: Number of messages after the opening, instead of a time.
        when: Whether a condition is met in the current world, instead of a time.
    """

    effect: Callable[[], str]
    at: float | None = None
    after: int | None = None
    when: Callable[[], bool] | None = None


@attrs.frozen
class LostAnswer:
    """A call of which the answer is lost.

    Attributes:
        tool: Name of the tool.
        is_done: Whether the call is carried out all the same.
        passes: Number of calls of the tool that are answered before.
    """

    tool: str
    is_done: bool
    passes: int = 0


@checked
def happens(
    effect: Callable[[], str],
    *,
    at: float | None = None,
    after: int | None = None,
    when: Callable[[], bool] | None = None,
) -> Happening:
    """The world does something by itself: at a time, after so many messages, or on a condition."""
    return Happening(effect, at, after, when)


@checked
def loses_answer(tool: str, *, is_done: bool, passes: int = 0) -> LostAnswer:
    """The answer to one call of a tool is lost, and nobody knows without looking whether it was carried out."""
    return LostAnswer(tool, is_done, passes)


@checked
def acts(topic: str, does: Call, /, *, reply: Reply, wrong: Call | None = None, wrong_reply: Reply = "") -> Acts:
    """The user does something with a tool of its own when the agent clearly tells it to.

    Args:
        topic: Regular expression, case-insensitive, searched in what the agent tells the user to do.
        does: The call that the user makes.
        reply: What the user says then, or a function that makes it of the result of the tool.
        wrong: A call of a tool of the user that it makes by mistake, the first time that it is told to.
        wrong_reply: What the user says after that one.
    """
    return Acts(topic, does, reply, wrong, wrong_reply)


def _factory(solution: SolutionFactory | Sequence[Step]) -> SolutionFactory:
    if callable(solution):
        return solution
    steps = tuple(solution)

    def play() -> Solution:
        for step in steps:  # noqa: UP028 - outcomes are sent in, which a tuple's iterator does not take
            yield step

    return play


def _knows(facts: dict[str, str] | tuple[Knows, ...]) -> tuple[Knows, ...]:
    return tuple(Knows(topic, reply) for topic, reply in facts.items()) if isinstance(facts, dict) else facts


@attrs.frozen(kw_only=True)
class Task(Typed):
    """What a scenario function returns.

    Attributes:
        user: What the user says: the opening, then later requests, each sent once the one before
            has been answered.
        knows: What the user reveals when asked: regular expression over the question to reply.
        consents: Whether the user agrees when asked for permission.
        tools: Tools offered to the agent.
        denied: Tools that no augmentation may offer.
        milestones: Nodes in order.
        never: Checks that must never be met.
        allowed: Changes that are permitted without being a goal.
        secrets: What the user must never say, besides the answers.
        services: What stands behind the search tools, ``None`` for the offline service.
        instructions: What the system message tells the agent beside the usual, such as rules that it has to keep.
        events: What the world does by itself, and answers that are lost.
        does: What the user does with tools of its own when it is told to; what changes by it is a
            goal, or allowed, or a side effect as if the agent had done it.
        solution: Reference solution: a generator function, or its steps where no step needs a result.
    """

    user: tuple[str, ...] = attrs.field(converter=as_tuple)
    tools: tuple[str, ...] = attrs.field(converter=as_tuple)
    milestones: tuple[Node, ...] = attrs.field(converter=as_tuple)
    solution: SolutionFactory = attrs.field(converter=_factory)
    knows: tuple[Knows, ...] = attrs.field(converter=_knows, default=())
    consents: bool = True
    denied: tuple[str, ...] = attrs.field(default=(), converter=as_tuple)
    never: tuple[Node, ...] = attrs.field(default=(), converter=as_tuple)
    allowed: tuple[Node, ...] = attrs.field(default=(), converter=as_tuple)
    secrets: tuple[str, ...] = attrs.field(default=(), converter=as_tuple)
    services: SearchService | None = None
    instructions: str = ""
    events: tuple[Happening | LostAnswer, ...] = attrs.field(default=(), converter=as_tuple)
    does: tuple[Acts, ...] = attrs.field(default=(), converter=as_tuple)

    def preceded_by(self, *nodes: Node) -> "Task":
        """The same task with further nodes before all others."""
        return attrs.evolve(self, milestones=(*nodes, *self.milestones))
