"""Rows of several apps as the scenarios of these axes put them, and what reads them in a solution."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact
from tool_sandbox.apps import Person
from tool_sandbox.apps.groups.rows import chat_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.content import checklist_row, item_row, page_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, PAGES
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS
from tool_sandbox.apps.wallet.tables import TRANSACTIONS, TRANSFERS
from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.scenarios.checks import FieldCheck
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.matchers import Anything, SameWords, Says
from tool_sandbox.scenarios.vocabulary import Node, added, answer, answer_for_now, call, changed, in_any_order
from tool_sandbox.scenarios.world import World
from tool_sandbox.scoring.side_effects import has_cells
from tool_sandbox.world.table import TableSchema

Row = dict[str, Any]
Reading = Generator[Any, Any, list[Row]]


@attrs.frozen
class Kept(FieldCheck):
    """Rows that are in the end as they were, whatever was done to them on the way.

    Attributes:
        namespace: Table.
        rows: Cells by key.
    """

    namespace: str
    rows: dict[str, Row]

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if they are, at whatever message."""
        table = context.get_table(self.namespace, context.max_sandbox_message_index)
        rows = ((table.rows[table.keys[key]] if key in table.keys else None, cells) for key, cells in self.rows.items())
        return float(all(row is not None and has_cells(cells, table.schema, row) for row, cells in rows))


def put_mail(world: World, sender: Person, subject: str, body: str, dated: str, **cells: Any) -> Row:
    """A mail to the user in a thread of its own."""
    draw = world.draw("mail")
    thread = world.put(THREADS, thread_row(draw, subject))["thread_id"]
    cells = {"to": [draw.owner.email]} | cells
    return world.put(
        MAILS, mail_row(draw, thread, (sender.name, sender.email), subject=subject, body=body, dated=dated, **cells)
    )


def put_chat(world: World, name: str, people: Sequence[Person], role: str = "member") -> Row:
    """A chat of the user, who has this role, and some people, of whom the first is its admin."""
    draw = world.draw("groups")
    ids = {row["name"]: row["person_id"] for row in world.stored(PEOPLE)}
    for person in people:
        if person.name not in ids:  # somebody whom the service does not know yet
            cells = {"phone_number": f"+1628555{len(ids):04d}", "is_me": False, "wants_invitation": False}
            row = world.put(PEOPLE, {"person_id": draw.key("person"), "name": person.name, **cells})
            ids[person.name] = row["person_id"]
    chat = world.put(CHATS, chat_row(draw, name, None, draw.moment(-60, 18)))
    for number, person in enumerate((*people, draw.owner)):
        has = role if person is draw.owner else "member" if number else "admin"
        world.put(MEMBERS, member_row(draw, chat["chat_id"], ids[person.name], has, draw.moment(-60, 18)))
    return chat


def put_post(world: World, chat: Row, person: Person, text: str, posted: str) -> Row:
    """A post in a chat."""
    person_id = next(row["person_id"] for row in world.stored(PEOPLE) if row["name"] == person.name)
    return world.put(POSTS, post_row(world.draw("groups"), chat["chat_id"], person_id, text, posted))


def put_page(world: World, title: str, text: str, days: int = -40) -> Row:
    """A page of the notes."""
    draw = world.draw("notes")
    return world.put(PAGES, page_row(draw, title, text, draw.moment(days, 9)))


def put_checklist(world: World, title: str, items: Sequence[str]) -> list[Row]:
    """A checklist of the notes; gives its items."""
    draw = world.draw("notes")
    key = world.put(CHECKLISTS, checklist_row(draw, title, draw.moment(-40, 9)))["checklist_id"]
    return [world.put(ITEMS, item_row(draw, key, text, place)) for place, text in enumerate(items, 1)]


def item_becomes(item: Row, text: str, *, done: bool = False) -> Node:
    """An item of a checklist has another text, or is ticked off."""
    if done:
        return changed(ITEMS, {"item_id": item["item_id"]}, done=True, done_at=Anything())
    return changed(ITEMS, {"item_id": item["item_id"]}, content=SameWords(text))


def in_rounds(
    table: TableSchema, rows: Mapping[str, Row], column: str, states: Sequence[Mapping[str, Any]],
    facts: Sequence[Fact], cell: Callable[[Any], Any] = SameWords,
) -> tuple[tuple[Node, ...], list[Node]]:  # fmt: skip
    """Milestones and permitted changes of rows with names, of which a column is changed in several rounds.

    Args:
        table: Their table.
        rows: Rows by name.
        column: Column.
        states: What it holds at the start and after each round.
        facts: What is to be told after each round, or only at the end: then nothing has to be as an early round has it.
        cell: Makes the value to compare with of what a state has.
    """
    start, *rounds = states
    last = rounds[-1]

    def node(name: str, value: Any) -> Node:
        return changed(table, {table.key: rows[name][table.key]}, **{column: cell(value)})

    goals = [node(name, value) for name, value in last.items() if value != start[name]]
    between = [
        node(name, state[name])
        for before, state in zip(states, rounds[:-1], strict=False)
        for name in last
        if state[name] not in (before[name], start[name], last[name])
    ]
    passed = {name: start[name] for state in rounds for name in last if state[name] != start[name] == last[name]}
    kept = Kept(table.name, {rows[name][table.key]: {column: cell(value)} for name, value in passed.items()})
    *early, final = facts
    gates = [*(node.passing() for node in between if early), Node(kept, "gate")]
    return (*in_any_order(*goals, *map(answer_for_now, early), *gates), answer(final)), between


def items_become(items: Sequence[Row], texts: Iterable[str]) -> tuple[Node, ...]:
    """Items of a checklist have other texts, whichever is changed first; others have theirs already."""
    pairs = zip(items, texts, strict=True)
    return in_any_order(*(item_becomes(item, text) for item, text in pairs if text != item["content"]))


def mailed(to: str, *facts: Fact, never: Iterable[str] = ()) -> Node:
    """A mail that says something, and does not name some things, was sent to an address."""
    body = Says(facts, never=tuple(map(re.escape, never)))
    return added(MAILS, kind="sent", folder="sent", to=[to], subject=Anything(), body=body, read=True)


NEW_THREAD = added(THREADS, subject=Anything())
"""What a mail that is sent brings with it."""


def paid(account: Row, payee_id: str, amount: int) -> Node:
    """A transfer of an amount in cents was made."""
    free: Row = {"description": Anything(), "category": Anything(), "settles_at": Anything()}
    return added(TRANSFERS, account_id=account["account_id"], payee_id=payee_id, amount=amount, state="sent", **free)


def bookings(count: int, account: Row) -> Node:
    """What transfers of an account bring with them."""
    cells = {"account_id": account["account_id"], "kind": "transfer", "transfer_id": Anything()}
    return added(TRANSACTIONS, count, **cells)


def edits(count: int) -> list[Node]:
    """What the tasks app writes down about changes."""
    change: Row = {"task_id": Anything(), "field": Anything(), "old": Anything(), "new": Anything()}
    return [
        added(EDITS, count, made_by="me", made_at=Anything(), undone=Anything()),
        added(CHANGES, count, edit_id=Anything(), **change),
    ]


def read_mails(query: str) -> Reading:
    """Finds mails and reads each in whole."""
    rows = yield from read_all("search_mail", query=query)
    return list((yield [call("get_mail", mail_id=row["mail_id"]) for row in rows]))


def read_page(title: str) -> Reading:
    """Reads a page of the notes."""
    rows = (yield call("search_note_pages", words=title))["results"]
    row = next(row for row in rows if row["title"] == title)
    return [(yield call("get_note_page", page_id=row["page_id"]))]


def read_chat(name: str) -> Reading:
    """Reads what was posted in a chat, the newest first."""
    [chat] = (yield call("search_group_chats", words=name))["results"]
    return (yield from read_all("search_group_posts", chat_id=chat["chat_id"]))


def read_checklist(title: str) -> Reading:
    """Reads the items of a checklist."""
    [row] = (yield call("search_checklists", words=title))["results"]
    return list((yield call("get_checklist", checklist_id=row["checklist_id"]))["items"])
