"""A long talk about rows of a table: what each turn of the user changes or asks, worked out turn by turn."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact
from tool_sandbox.scenarios.hard.sources.placing import Kept
from tool_sandbox.scenarios.matchers import OneOf
from tool_sandbox.scenarios.vocabulary import Node, answer, answer_for_now, changed, in_any_order
from tool_sandbox.world.table import TableSchema

Row = dict[str, Any]
Told = tuple[str, Fact]
"""An answer: a sentence, and what it has to say."""


@attrs.frozen
class History:
    """Rows by name at the start and after each turn, and the number of the turn by its name."""

    states: list[dict[str, Row]]
    turns: dict[str, int] = attrs.field(factory=dict)

    @property
    def now(self) -> dict[str, Row]:
        """The rows as they are."""
        return self.states[-1]

    def start(self, row: Row) -> Row:
        """A row as it was before the talk."""
        return self.states[0][row["name"]]

    def before(self, turn: str, row: Row) -> Row:
        """A row as it was before a turn."""
        return self.states[self.turns[turn]][row["name"]]

    def got(self, turn: str, row: Row, column: str) -> bool:
        """Whether a turn changed a row in a column."""
        return bool(self.states[self.turns[turn] + 1][row["name"]][column] != self.before(turn, row)[column])

    def those(self, test: Callable[[Row], bool]) -> list[Row]:
        """Rows that pass a test now."""
        return [row for row in self.now.values() if test(row)]


@attrs.frozen
class Turn:
    """One thing that the user says.

    Attributes:
        says: Its words.
        where: Whether it changes a row.
        cells: What it sets in such a row.
        asks: What is to be answered, after the changes.
    """

    says: str
    where: Callable[[History, Row], bool] | None = None
    cells: Callable[[History, Row], Row] = lambda h, r: {}
    asks: Callable[[History], Told] | None = None


@attrs.frozen
class Talk:
    """What comes of turns.

    Attributes:
        turns: What the user says.
        history: What came of it.
        answers: For each turn what is told, ``None`` if it asks for nothing.
        columns: Columns that turns may change.
    """

    turns: tuple[Turn, ...]
    history: History
    answers: tuple[Told | None, ...]
    columns: tuple[str, ...]

    @property
    def is_rich(self) -> bool:
        """Whether each turn that is to change something does, and no two questions have the same answer."""
        pairs = zip(self.turns, self.history.states, self.history.states[1:], strict=False)
        said = [told[0] for told in self.answers if told]
        return all(before != after for turn, before, after in pairs if turn.where) and len({*said, ""}) > len(said)

    def nodes(self, table: TableSchema) -> tuple[Node, ...]:
        """The rows as they are in the end, and the answers; the last one only if all was done in its time."""
        first, last, key = self.history.states[0], self.history.now, table.key
        is_new = {name: self._of(first[name]) != self._of(last[name]) for name in first}
        wanted = [changed(table, {key: row[key]}, **self._of(row)) for name, row in last.items() if is_new[name]]
        kept = Kept(table.name, {row[key]: self._of(row) for name, row in last.items() if not is_new[name]})
        asked = [told[1] for told in self.answers if told]
        nodes = (*wanted, *map(answer_for_now, asked[:-1]), *self._passed(table), Node(kept, "gate"))
        return (*in_any_order(*nodes), answer(asked[-1]))

    def _passed(self, table: TableSchema) -> Iterator[Node]:
        """Cells that a row has for a while, in their order: it may have had one at the start, or have it in the end."""
        for name, row in self.history.now.items():
            for column in self.columns:
                cells = [cell for cell, _ in groupby(state[name][column] for state in self.history.states)]
                before: tuple[str, ...] = ()
                for number, cell in enumerate(cells[1:-1]):
                    node = changed(table, {table.key: row[table.key]}, **{column: cell}).passing()
                    label = f"{name}, {column}, {number}"
                    yield node.named(label).after(*before)
                    before = (label,)

    def passing(self, table: TableSchema) -> list[Node]:
        """What may happen to the rows on the way: cells that they have after one of the turns."""
        states, nodes = self.history.states, list[Node]()
        for name, row in self.history.now.items():
            cells: Row = {each: OneOf([state[name][each] for state in states]) for each in self.columns}
            nodes.append(changed(table, {table.key: row[table.key]}, **cells))
        return nodes

    def edits(self, number: int) -> Iterator[tuple[str, Any, list[Row]]]:
        """Of a turn the columns, their new values, and the rows that get them."""
        before, after = self.history.states[number : number + 2]
        for column in self.columns:
            values: dict[Any, list[Row]] = {}
            for name in [name for name in after if before[name][column] != after[name][column]]:
                values.setdefault(after[name][column], []).append(after[name])
            yield from ((column, value, rows) for value, rows in values.items())

    def _of(self, row: Row) -> Row:
        return {each: row[each] for each in self.columns}


def talk_of(turns: dict[str, Turn], rows: Sequence[Row], columns: tuple[str, ...]) -> Talk:
    """Works turns out, on rows that have names."""
    history, answers = History([{row["name"]: row for row in rows}]), list[Told | None]()
    for number, (name, turn) in enumerate(turns.items()):
        history.turns[name] = number
        where = turn.where or (lambda h, r: False)
        new = {key: row | turn.cells(history, row) if where(history, row) else row for key, row in history.now.items()}
        history.states.append(new)
        answers.append(turn.asks(history) if turn.asks else None)
    return Talk(tuple(turns.values()), history, tuple(answers), columns)
