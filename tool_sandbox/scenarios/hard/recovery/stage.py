"""Rows that the families of this axis and its neighbours put into a world: chats, mails, pages, accounts."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from tool_sandbox.apps.groups.rows import chat_row, member_row, person_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.content import page_row
from tool_sandbox.apps.notes.tables import PAGES
from tool_sandbox.apps.wallet.rows import account_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS
from tool_sandbox.scenarios.vocabulary import Node, changed
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Call

Row = dict[str, Any]
Rows = list[Row]
Steps = Generator[Any, Any, Any]


def put_page(world: World, title: str, text: str, days: int = -40) -> Row:
    """A page of the notes."""
    draw = world.draw("notes")
    return world.put(PAGES, page_row(draw, title, text, draw.moment(days, 19)))


def put_chat(world: World, name: str, people: Sequence[Person]) -> Rows:
    """A chat that the owner leads: its members with their names, the owner first."""
    draw, begun = world.draw("groups"), world.draw("groups").moment(-90, 18)
    chat = world.put(CHATS, chat_row(draw, name, None, begun))
    rows = [one(world.stored(PEOPLE), is_me=True)]
    rows += [world.put(PEOPLE, person_row(draw, each.name, each.phone_number)) for each in people]
    roles = ["admin"] + len(people) * ["member"]
    ids = [(chat["chat_id"], row["person_id"]) for row in rows]
    made = [member_row(draw, *each, role, begun, draw.moment(-1, 23)) for each, role in zip(ids, roles, strict=True)]
    return [world.put(MEMBERS, each) | {"name": row["name"]} for each, row in zip(made, rows, strict=True)]


def put_post(world: World, member: Row, text: str, minutes_ago: float, *, pinned: bool = False) -> Row:
    """A post of a member of a chat."""
    draw = world.draw("groups")
    row = post_row(draw, member["chat_id"], member["person_id"], text, draw.ago(minutes_ago))
    return world.put(POSTS, row | {"pinned": pinned})


def put_mail(world: World, sender: tuple[str, str], subject: str, body: str, minutes_ago: float, **more: Any) -> Row:
    """A mail, received in a thread of its own unless cells say otherwise."""
    draw = world.draw("mail")
    thread_id = more.pop("thread_id", None) or world.put(THREADS, thread_row(draw, subject))["thread_id"]
    cells = {"to": [draw.owner.email]} | more
    return world.put(MAILS, mail_row(draw, thread_id, sender, subject=subject, body=body,
                                     dated=draw.ago(minutes_ago), **cells))  # fmt: skip


def put_account(world: World, name: str, cents: int) -> Row:
    """An own account with money on it, of which all can be sent in a day."""
    draw = world.draw("wallet")
    return world.put(ACCOUNTS, account_row(draw, name, "current", "USD", 0, cents) | {"opening_balance": cents})


def together(calls: Iterable[Call]) -> Steps:
    """Makes calls and gives their results: readers at once, others one by one, as the check has to see each."""
    results: list[Any] = []
    left = list(calls)
    while left:
        size = 50 if left[0].tool.startswith(("search_", "get_")) else 1
        now, left = left[:size], left[size:]
        results += (yield now) if len(now) > 1 else [(yield now[0])]
    return results


def read_mark(rows: Sequence[Row]) -> list[Node]:
    """That mails become read, which nobody minds."""
    return [changed(MAILS, {"mail_id": row["mail_id"]}, read=True) for row in rows]


def one(rows: Rows, **cells: Any) -> Row:
    """The only row with these cells."""
    [row] = [row for row in rows if all(row[name] == cell for name, cell in cells.items())]
    return row


def money(cents: int) -> str:
    """An amount as people write it."""
    return f"{cents // 100:,}.{cents % 100:02d}"
