"""What scenarios of several axes read and write: pages, mails, memories, posts, and free texts that name things."""

import json
import re
from collections.abc import Generator, Iterable, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Reading
from tool_sandbox.answers.facts._reading import FactBase
from tool_sandbox.apps.calendar.tables import CALENDARS
from tool_sandbox.apps.groups.rows import chat_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.content import memory_row, page_row
from tool_sandbox.apps.notes.tables import MEMORIES, PAGES
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.matchers import Anything, Says
from tool_sandbox.scenarios.vocabulary import Node, added, call
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Step

Row = dict[str, Any]
Reads = Generator[Step, Any, Any]


@attrs.frozen
class Mention(FactBase):
    """A name or code that a text holds, in whatever sentence: letters speak in questions and conditions, too."""

    name: str

    def read(self, text: str) -> Reading:
        """Whether it is there, as whole words."""
        return Reading.STATED if re.search(whole(self.name), text, re.IGNORECASE) else Reading.SILENT

    def describe(self) -> str:
        """One line for reports."""
        return f"names {self.name!r}"


def whole(name: str) -> str:
    """A regular expression for a name as whole words."""
    words = r"[\W_]{1,3}".join(map(re.escape, name.split()))
    return rf"(?<!\w){words}(?!\w)"


def names(wanted: Iterable[str], never: Iterable[str] = ()) -> Says:
    """A text that names some things, and none of others."""
    return Says([Mention(each) for each in sorted(wanted)], never=[whole(each) for each in sorted(never)])


# What the world has -------------------------------------------------------------------------------------------


def address(name: str) -> str:
    """Address of somebody, as all people of a world have it."""
    return f"{'.'.join(name.lower().split())}@example.com"


def cast(world: World, count: int) -> list[str]:
    """Names of different people in a drawn order: those whom the apps know first, then others."""
    draw = world.draw("notes")
    known = draw.sample([person.name for person in draw.people], count)
    return draw.sample([*known, *(world.new_person().name for _ in range(count - len(known)))], count)


def put_page(world: World, title: str, text: str, days: int = -20) -> Row:
    """A page of the notes, written some days ago."""
    draw = world.draw("notes")
    return world.put(PAGES, page_row(draw, title, text, draw.moment(days, 11)))


def own_calendar(world: World) -> Row:
    """The calendar of the user that is called "Private"."""
    return next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")


def put_memory(world: World, said: str, days: int, topic: str = "instruction") -> Row:
    """What the user once told the assistant."""
    draw = world.draw("notes")
    row = world.put(MEMORIES, memory_row(draw, said, topic, draw.moment(days, 9)))
    world.stored(MEMORIES).sort(key=lambda each: str(each["told_at"]))
    return row


def put_mail(
    world: World, sender: str, subject: str, body: str, days: int, *, email: str = "", after: Row | None = None,
    **more: Any,
) -> Row:  # fmt: skip
    """A mail that was received some days ago, or with a kind written; in a thread of its own unless it follows one."""
    draw = world.draw("mail")
    thread = after or world.put(THREADS, thread_row(draw, subject))
    cells: Row = {"to": [draw.owner.email], "answers_id": after and after["mail_id"]} | more
    dated = draw.moment(days, 10, min(59, len(world.stored(MAILS)) % 60))
    who = (sender, email or address(sender))
    return world.put(MAILS, mail_row(draw, thread["thread_id"], who, subject=subject, body=body, dated=dated, **cells))


def put_chat(world: World, name: str, members: Sequence[str], *, about: str | None = None) -> Row:
    """A chat of the user, who leads it, with some people whom the service gets to know if it does not yet."""
    draw, begun = world.draw("groups"), world.draw("groups").moment(-50, 18)
    chat, known = world.put(CHATS, chat_row(draw, name, about, begun)), {p["name"]: p for p in world.stored(PEOPLE)}
    me = next(person for person in world.stored(PEOPLE) if person["is_me"])
    for person in (me, *(known.get(each) or _met(world, each) for each in members)):
        row = member_row(draw, chat["chat_id"], person["person_id"], "admin" if person is me else "member", begun)
        world.put(MEMBERS, row | {"read_at": draw.moment(-1, 22)})
    return chat


def _met(world: World, name: str) -> Row:
    number = f"+1628555{len(world.stored(PEOPLE)):04d}"
    row = {"person_id": world.draw("groups").key("person"), "name": name, "phone_number": number}
    return world.put(PEOPLE, row | {"is_me": False, "wants_invitation": False})


def put_post(world: World, chat: Row, name: str, text: str, days: int, minute: int = 5) -> Row:
    """A post of a member of a chat, some days ago; of the user if no name is given."""
    draw = world.draw("groups")
    [who] = [row for row in world.stored(PEOPLE) if (row["name"] == name if name else row["is_me"])]
    moment = draw.moment(days, 14, minute)
    return world.put(POSTS, post_row(draw, chat["chat_id"], who["person_id"], text, moment))


# What a reference does ----------------------------------------------------------------------------------------


def read_page(words: str) -> Reads:
    """Finds a page of the notes by words of its title, and reads it."""
    rows = (yield call("search_note_pages", words=words))["results"]
    page = yield call("get_note_page", page_id=next(row["page_id"] for row in rows if words in row["title"]))
    return page["content"]


def read_mails(query: str, limit: int = 25) -> Reads:
    """Finds all mails of a query, the newest first, and reads each."""
    rows = yield from read_all("search_mail", query=query, limit=limit)
    return (yield [call("get_mail", mail_id=row["mail_id"]) for row in rows])


def check_seen(seen: Any, *values: Any) -> None:
    """Makes sure that a reference says nothing that it has not read.

    Raises:
        LookupError: It would.
    """
    text = json.dumps(seen, ensure_ascii=False).casefold()
    if missing := [each for each in values if str(each).casefold() not in text]:
        raise LookupError(f"the reference says {missing}, which it has not read")


# What counts --------------------------------------------------------------------------------------------------


def letters(texts: Iterable[tuple[str, Says]]) -> list[Node]:
    """New mails to addresses, with texts that say what they may; no subject gives away what the text must not."""
    sent: Row = {"kind": "sent", "folder": "sent", "read": True}
    written = [added(MAILS, to=[to], subject=Says((), never=says.never), body=says, **sent) for to, says in texts]
    return [*written, added(THREADS, len(written), subject=Anything())]
