"""What people write while the agent works, in a chat or by mail."""

from collections.abc import Callable

from tool_sandbox.apps import add, now
from tool_sandbox.apps.groups.tables import POSTS
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Steps
from tool_sandbox.scenarios.vocabulary import Happening, call, happens
from tool_sandbox.scenarios.world import Person, World

CHAT = ("search_group_chats", "get_group_chat", "search_group_posts", "get_group_post")
MAIL = ("search_mail", "get_mail", "search_note_pages", "get_note_page")


def email(person: Person) -> str:
    """The address of a person."""
    return f"{'.'.join(person.name.lower().split())}@example.com"


Says = Callable[[int, str, float], Happening | None]
"""Has a person say something, so many minutes from now or, with a number below 0, ago."""


def chat(world: World, what: str, people: list[Person], rules: str) -> tuple[Says, Callable[[], Steps]]:
    """A group chat with rules that are pinned: how something is said there, and how all of it is read."""
    members = stage.put_chat(world, what, people)
    stage.put_post(world, members[0], rules, 900, pinned=True)

    def say_it(who: int, text: str, minutes: float) -> Happening | None:
        member = members[who + 1]
        if minutes < 0:
            stage.put_post(world, member, text, -minutes)
            return None

        def effect() -> str:
            cells = {"chat_id": member["chat_id"], "person_id": member["person_id"], "content": text}
            add(POSTS, **cells, posted_at=now(), answers_id=None, pinned=False, edited_at=None)
            return f"{member['name']} posted in {what}: {text}"

        return happens(effect, at=world.now + 60 * minutes)

    def read() -> Steps:
        [found] = (yield call("search_group_chats", words=what))["results"]
        rows = yield from read_all("search_group_posts", chat_id=found["chat_id"])
        for row in rows:
            if row["excerpt"].endswith("..."):
                yield call("get_group_post", post_id=row["post_id"])
        return rows

    return say_it, read


def inbox(world: World, what: str, people: list[Person], rules: str) -> tuple[Says, Callable[[], Steps]]:
    """An inbox, with rules in a note: how somebody writes, and how all of it is read."""
    stage.put_page(world, f"{what}: rules", rules)

    def say_it(who: int, text: str, minutes: float) -> Happening | None:
        sender = people[who].name, email(people[who])
        if minutes < 0:
            stage.put_mail(world, sender, what, text, -minutes)
            return None
        to = [world.draw("mail").owner.email]

        def effect() -> str:
            cells = {"from_name": sender[0], "from_address": sender[1], "to": to, "subject": what, "body": text}
            add(MAILS, thread_id=add(THREADS, subject=what), answers_id=None, kind="received", folder="inbox", cc=[],
                bcc=[], dated_at=now(), read=False, starred=False, label_ids=[], **cells)  # fmt: skip
            return f"{sender[0]} wrote about {what}: {text}"

        return happens(effect, at=world.now + 60 * minutes)

    def read() -> Steps:
        [page] = (yield call("search_note_pages", words=f"{what}: rules"))["results"]
        yield call("get_note_page", page_id=page["page_id"])
        return (yield from read_all("search_mail", query=f'in:inbox subject:"{what}"'))

    return say_it, read
