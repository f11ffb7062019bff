"""Parallel tool calls: does their order matter, and what is the answer if it does?

The rule is that of the published benchmark: a batch is tried in every order, orders in
lexicographic order of the positions, the requested order first. The first order in which a call
fails decides: its replies, in its order, and its world. If none fails, the requested order counts.

The same verdict is found without trying n! orders:

- Orders that begin alike share the world up to there, because a world is forked, not copied.
- Calls that touch different databases do not see each other, so only calls that are connected by
  shared databases (one writes what the other reads or writes) are reordered, group by group.
- Two ways to execute the same calls that lead to equal worlds are continued once.

Up to `MAX_EXPLORED_CALLS` calls are tried, which covers every order of five calls. Beyond that, every
pair of calls that are connected is tried in both orders instead.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import (
    BatchStates,
    DatabaseNamespace,
    ExecutionContext,
    set_current_context,
)
from tool_sandbox.conversation.messages import Message
from tool_sandbox.world.stored import stored_state

MAX_EXPLORED_CALLS = 400
"""Bound on the calls tried in one batch after the requested order, pairs not counted."""

COST_OF_CODE = 20
"""Number of calls that a piece of code counts for, because it needs a process."""

Answer = Callable[[ExecutionContext, Message], Message | None]
"""Answers one message in a world, which is the current one."""


class _TooManyCallsError(Exception):
    """The bound on explored calls was reached."""


@attrs.define
class _Access:
    """Databases that a call touched, in all orders tried so far."""

    reads: set[str] = attrs.field(factory=set)
    writes: set[str] = attrs.field(factory=set)

    def meets(self, other: "_Access") -> bool:
        """Whether one writes what the other reads or writes."""
        return bool(self.writes & (other.reads | other.writes) or other.writes & self.reads)


@attrs.frozen
class _Step:
    """One call, done."""

    reply: Message | None
    world: ExecutionContext

    @property
    def failed(self) -> bool:
        return self.reply is not None and self.reply.tool_call_exception is not None


def answer_in_every_order(
    context: ExecutionContext, messages: Sequence[Message], answer: Answer, is_code: Callable[[Message], bool]
) -> list[Message]:
    """Answers a batch of messages, see above for the rule."""
    if len(messages) < 2:
        set_current_context(context)
        return [reply for message in messages if (reply := answer(context, message)) is not None]
    try:
        steps = _Batch(context, messages, answer, is_code).decide()
    except BaseException:
        # Not in one of the worlds that were tried out.
        set_current_context(context)
        raise
    world = steps[-1].world
    world.services = context.services
    _note_states(context, steps)
    set_current_context(world)
    return [step.reply for step in steps if step.reply is not None]


def _note_states(before: ExecutionContext, steps: Sequence[_Step]) -> None:
    """Notes in the last world which call changed what: a batch has one snapshot, that of its first answer."""
    world = steps[-1].world
    found: BatchStates = {}
    answer = world.max_sandbox_message_index + 1
    for step in steps:
        index = step.world.max_sandbox_message_index + 1
        # What code changed has snapshots of its own: each of its calls is in the log.
        if index == before.max_sandbox_message_index + 1:
            for namespace in world.table_names():
                table, was = step.world.get_table(namespace), before.get_table(namespace)
                if table != was:
                    entries = found.setdefault(index, {}).setdefault(str(namespace), [])
                    # Tables of apps are large, and kept by what is different in them.
                    state = stored_state(was, table) if table.schema.name else {"rows": table.dicts()}
                    entries.append({"answer": answer, **state})
        answer += step.reply is not None
        before = step.world
    for databases in found.values():
        for entries in databases.values():
            if "from" not in entries[-1]:
                entries[-1]["rows"] = None
    world.batch_states |= {index: dict(sorted(databases.items())) for index, databases in found.items()}


class _Batch:
    """The search for an order that fails."""

    def __init__(
        self,
        context: ExecutionContext,
        messages: Sequence[Message],
        answer: Answer,
        is_code: Callable[[Message], bool],
    ) -> None:
        self._messages = messages
        self._answer = answer
        self._is_code = [is_code(message) for message in messages]
        every = context.table_names(log=True)
        self._access = [_Access(set(every), set(every)) if code else _Access() for code in self._is_code]
        self._budget = MAX_EXPLORED_CALLS
        self._start = context.fork()
        if context.services is not None:
            from tool_sandbox.tools.services.recording import CachingService

            self._start.services = CachingService(service=context.services)

    def decide(self) -> list[_Step]:
        """The calls in the order that counts, done."""
        requested = self._run(range(len(self._messages)))
        if any(step.failed for step in requested):
            return requested
        order = self._first_failing_order()
        steps = self._run(order) if order is not None else requested
        return steps if any(step.failed for step in steps) else requested

    def _run(self, order: Iterable[int]) -> list[_Step]:
        """Does all calls in one order, with traces if the world has them."""
        steps: list[_Step] = []
        world = self._start
        for position in order:
            steps.append(self._step(world, position))
            world = steps[-1].world
        return steps

    def _step(self, world: ExecutionContext, position: int) -> _Step:
        world = world.fork()
        set_current_context(world)
        newest = world.get_table(DatabaseNamespace.SANDBOX)
        with world.record_access() as access:
            reply = self._answer(world, self._messages[position])
        if world.trace_tool and world.get_table(DatabaseNamespace.SANDBOX) == newest:
            # Traces pass through the newest message, and have left it again.
            access.reads.discard(DatabaseNamespace.SANDBOX)
            access.writes.discard(DatabaseNamespace.SANDBOX)
        self._access[position].reads |= access.reads
        self._access[position].writes |= access.writes
        return _Step(reply, world)

    def _first_failing_order(self) -> list[int] | None:
        """The first order in which a call fails, given that the requested one does not."""
        traced, self._start.trace_tool = self._start.trace_tool, False
        try:
            groups = self._groups()
            while True:
                failing = [order for group in groups if (order := self._first_failure(group)) is not None]
                # In another order a call may have touched more, so that groups have to be joined.
                joined = self._groups()
                if joined == groups:
                    break
                groups = joined
        finally:
            self._start.trace_tool = traced
        return min((self._complete(order) for order in failing), default=None)

    def _groups(self) -> list[list[int]]:
        """Calls connected by what they touch, in groups of two and more."""
        groups: list[list[int]] = []
        for position, access in enumerate(self._access):
            connected = [group for group in groups if any(access.meets(self._access[other]) for other in group)]
            groups = [group for group in groups if group not in connected]
            groups.append(sorted([position, *(other for group in connected for other in group)]))
        return sorted(group for group in groups if len(group) > 1)

    def _first_failure(self, group: Sequence[int]) -> list[int] | None:
        try:
            return self._search(self._start, (), tuple(group), {})
        except _TooManyCallsError:
            return min(self._failing_pairs(group), key=self._complete, default=None)

    def _search(
        self,
        world: ExecutionContext,
        done: tuple[int, ...],
        left: tuple[int, ...],
        explored: dict[tuple[int, ...], list[list[Any]]],
    ) -> list[int] | None:
        """Depth first through the orders of a group, in lexicographic order."""
        state = [world.get_table(name) for name in world.table_names(log=True)]
        alike = explored.setdefault(left, [])
        if state in alike and not any(self._is_code[position] for position in done):
            return None
        for position in left:
            self._budget -= COST_OF_CODE if self._is_code[position] else 1
            if self._budget < 0:
                raise _TooManyCallsError
            step = self._step(world, position)
            others = tuple(other for other in left if other != position)
            if step.failed:
                return [*done, position, *others]
            found = self._search(step.world, (*done, position), others, explored) if others else None
            if found is not None:
                return found
        alike.append(state)
        return None

    def _failing_pairs(self, group: Sequence[int]) -> Iterator[list[int]]:
        """Pairs of a group in the order that was not requested, where that fails."""
        for place, first in enumerate(group):
            for second in group[place + 1 :]:
                if self._access[first].meets(self._access[second]):
                    step = self._step(self._start, second)
                    if step.failed or self._step(step.world, first).failed:
                        yield [second, first]

    def _complete(self, order: Sequence[int]) -> list[int]:
        """The first order of the whole batch that has some calls in a given order."""
        others = [position for position in range(len(self._messages)) if position not in order]
        complete: list[int] = []
        wanted = list(order)
        while wanted or others:
            source = others if not wanted or (others and others[0] < wanted[0]) else wanted
            complete.append(source.pop(0))
        return complete
