"""Where rules stand, and who is in the books: pages of notes, mails, posts in chats, and names. No scenarios."""

from collections.abc import Generator
from typing import Any

from tool_sandbox.apps.groups.rows import chat_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.apps.notes.content import page_row
from tool_sandbox.apps.notes.tables import PAGES
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Step

Row = dict[str, Any]
Reading = Generator[Step, Any, Any]
"""Steps of a solution that end in what was read."""

FIRST = (
    *("Agnes", "Bruno", "Carla", "Dmitri", "Elsa", "Faisal", "Greta", "Hamid", "Irene", "Jonas", "Kirsten", "Lorenzo"),
    *("Maud", "Nadia", "Otto", "Petra", "Quentin", "Rosa", "Stefan", "Thelma", "Ulrich", "Vera", "Wendell", "Ximena"),
    *("Albin", "Berit", "Cyril", "Dorit", "Edmund", "Frieda", "Gordon", "Hedwig", "Ignaz", "Judith", "Konrad", "Lydia"),
)
LAST = (
    *("Abbott", "Barlow", "Castor", "Draper", "Eklund", "Farrow", "Gilmore", "Hobbs", "Ivers", "Jessop", "Kessler"),
    *("Lomax", "Mercer", "Noakes", "Osgood", "Pollard", "Rudge", "Sandoval", "Tilley", "Upton", "Vance", "Wexler"),
    *("Ansel", "Bristow", "Corbin", "Dunmore", "Emsley", "Finch", "Goddard", "Hartley", "Ibsen", "Jarvis", "Keaton"),
)


def new_names(world: World, app: str, count: int) -> list[str]:
    """Names of people, of whom no two share a first or a last name."""
    draw = world.draw(app)
    firsts, lasts = draw.sample(FIRST, count), draw.sample(LAST, count)
    return [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]


def money(cents: int) -> str:
    """An amount as people write it."""
    return f"${cents / 100:,.2f}"


def put_page(world: World, title: str, text: str, days: int = -40, **more: Any) -> Row:
    """A page of the notes, written some days ago."""
    draw = world.draw("notes")
    return world.put(PAGES, page_row(draw, title, text, draw.moment(days, 11), **more))


def put_mail(world: World, sender: str, subject: str, body: str, days: int, answers: Row | None = None) -> Row:
    """A mail that was received some days ago, in a thread of its own or in that of another mail."""
    draw = world.draw("mail")
    thread_id = answers["thread_id"] if answers else world.put(THREADS, thread_row(draw, subject))["thread_id"]
    address = f"{sender.lower().replace(' ', '.')}@example.org"
    answers_id = answers["mail_id"] if answers else None
    row = mail_row(
        draw,
        thread_id,
        (sender, address),
        [draw.owner.email],
        subject,
        body,
        draw.moment(days, 9, 40),
        answers_id=answers_id,
    )
    return world.put(MAILS, row)


def put_chat(world: World, name: str, posts: list[tuple[int, str]], others: int = 5) -> Row:
    """A chat that the user leads, with posts of its members by days from today; the first post is pinned."""
    draw = world.draw("groups")
    chat = world.put(CHATS, chat_row(draw, name, None, draw.moment(-300, 18)))
    people = sorted(world.stored(PEOPLE), key=lambda row: not row["is_me"])[: others + 1]
    for each in people:
        role = "admin" if each["is_me"] else "member"
        cells = (draw.moment(-300, 18), draw.moment(0, 0))
        world.put(MEMBERS, member_row(draw, chat["chat_id"], each["person_id"], role, *cells))
    for number, (days, text) in enumerate(posts):
        writer = people[1 + number % others]["person_id"]
        row = post_row(draw, chat["chat_id"], writer, text, draw.moment(days, 13, number))
        world.put(POSTS, row | {"pinned": number == 0})
    return chat
