"""A trajectory as the evaluator reads it: for each candidate message, which version of each database is in force."""

import bisect
import functools
from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scoring._rows import row_keys
from tool_sandbox.world.table import Table

if TYPE_CHECKING:
    from tool_sandbox.conversation.execution_context import ExecutionContext


@attrs.frozen(eq=False, slots=False)
class Versions:
    """The distinct states of one database over the candidate messages.

    Attributes:
        tables: Distinct states, in order of first appearance.
        at: For each position the number of the state in force.
    """

    tables: list[Table]
    at: list[int]

    @functools.cached_property
    def first_positions(self) -> list[int]:
        """For each state the first position at which it is in force."""
        first: dict[int, int] = {}
        for position, version in enumerate(self.at):
            first.setdefault(version, position)
        return [first[version] for version in range(len(self.tables))]

    @functools.cached_property
    def ordered_classes(self) -> list[int]:
        """For each position a number that is equal for equal rows in equal order."""
        return self._classes([row_keys(table.rows) for table in self.tables])

    @functools.cached_property
    def unordered_classes(self) -> list[int]:
        """For each position a number that is equal for equal rows in any order."""
        return self._classes([frozenset(Counter(row_keys(table.rows)).items()) for table in self.tables])

    def _classes(self, keys: list[Hashable]) -> list[int]:
        numbers: dict[Hashable, int] = {}
        of_version = [numbers.setdefault(key, len(numbers)) for key in keys]
        return [of_version[version] for version in self.at]


class Trajectory:
    """The part of a conversation in which milestones can be met.

    Positions count from 0 at the first message of the user (or before all messages, when there is none) to the
    newest message.

    Attributes:
        context: The world with its history.
        first: Message index of position 0.
        size: Number of positions.
    """

    def __init__(self, context: "ExecutionContext") -> None:
        """Reads the range of candidate messages; databases are read when asked for."""
        self.context = context
        self.first = context.first_user_sandbox_message_index
        self.size = context.max_sandbox_message_index - self.first + 1
        self._versions: dict[str, Versions] = {}

    def versions(self, namespace: str) -> Versions:
        """The states of one database."""
        if namespace not in self._versions:
            self._versions[namespace] = self._read(namespace)
        return self._versions[namespace]

    def table(self, namespace: str, index: int) -> Table:
        """The state of a database at any message index."""
        history = self.context.get_history(namespace)
        if not history:
            return self.context.get_table(namespace)
        position = bisect.bisect_right(history, index, key=lambda entry: entry[0])
        return history[max(0, position - 1)][1]

    def _read(self, namespace: str) -> Versions:
        history = self.context.get_history(namespace) or [(0, self.context.get_table(namespace))]
        is_log = namespace == DatabaseNamespace.SANDBOX
        numbers: dict[Hashable, int] = {}
        tables: list[Table] = []
        at: list[int] = []
        following = 0
        for index in range(self.first, self.first + self.size):
            while following < len(history) and history[following][0] <= index:
                following += 1
            table = history[max(0, following - 1)][1]
            # World states are shared between the messages that did not change them; equal messages are
            # separate objects.
            version = numbers.setdefault(table.rows if is_log else id(table), len(tables))
            if version == len(tables):
                tables.append(table)
            at.append(version)
        return Versions(tables, at)
