"""Tools for chats of several people."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Ordered,
    Read,
    add,
    add_all,
    change,
    checked_text,
    contains,
    found_in,
    get,
    newest_first,
    now,
    paged,
    remove,
    rows_of,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.groups.rights import MOST_MEMBERS, me, name_of, need_admin, own_membership
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POLLS, POSTS
from tool_sandbox.world.table import TableSchema

LONGEST_NAME = 60
LONGEST_ABOUT = 300


def unread_posts(read: Read, chat_id: str) -> list[int]:
    """Positions of posts of others in a chat that the owner has not read; none in a chat that was left."""
    own = next(iter(read(PEOPLE).with_cell("is_me", True)), None)
    members = read(MEMBERS).with_cell("chat_id", chat_id)
    mine = next((row for row in members if own and row["person_id"] == own["person_id"]), None)
    if own is None or mine is None:
        return []
    since = seconds_of(mine["read_at"] or mine["joined_at"])
    posts, author = read(POSTS), POSTS.positions["person_id"]
    moments, places = posts.derived(seconds_of, "posted_at"), posts.groups("chat_id").get(chat_id, ())
    return [place for place in places if moments[place] > since and posts.rows[place][author] != own["person_id"]]


def _listed(chat: dict[str, Any], read: Read) -> dict[str, Any]:
    posts = read(POSTS)
    moments = posts.derived(seconds_of, "posted_at")
    last = max(posts.groups("chat_id").get(chat["chat_id"], ()), key=moments.__getitem__, default=None)
    del chat["about"]
    return chat | {
        "members": read(MEMBERS).count(chat_id=chat["chat_id"]),
        "unread": len(unread_posts(read, chat["chat_id"])),
        "last_post_at": None if last is None else posts.rows[last][POSTS.positions["posted_at"]],
    }


@tool
def create_group_chat(name: str, person_ids: list[str], about: str | None = None) -> str:
    """Begin a chat with several people; you are its admin. Who wants an invitation has to be invited instead.

    Args:
        name: Name of the chat, at most 60 characters.
        person_ids: Identifiers of the others, at most 39; search_group_people finds them.
        about: What the chat is about, at most 300 characters.

    Returns:
        Identifier of the chat.

    Raises:
        ValueError: A text is blank or too long, there are too many people, or none.
        PermissionError: Somebody does not want to be put into a chat; invite that person afterwards.
        NoDataError: No person has one of these identifiers.
    """
    checked_text(name, "name", LONGEST_NAME)
    checked_text(about, "about", LONGEST_ABOUT)
    others = [each for each in dict.fromkeys(person_ids) if each != me()]
    if not 1 <= len(others) < MOST_MEMBERS:
        raise ValueError(f"a chat needs from 1 to {MOST_MEMBERS - 1} others, got {len(others)}")
    for person_id in others:
        check_can_be_added(person_id)
    moment = now()
    chat_id = add(CHATS, name=name, about=about, posting="everybody", muted=False, created_at=moment)
    roles = {me(): "admin"} | dict.fromkeys(others, "member")
    rows = [{"chat_id": chat_id, "person_id": each, "role": role, "joined_at": moment} for each, role in roles.items()]
    add_all(MEMBERS, rows)
    return chat_id


def check_can_be_added(person_id: str) -> None:
    """Fails if somebody wants an invitation."""
    person = get(PEOPLE, person_id)
    if person["wants_invitation"]:
        raise PermissionError(f"{person['name']} cannot be put into a chat; use invite_to_group_chat when it is there")


@tool
def get_group_chat(chat_id: str) -> dict[str, Any]:
    """Look at a chat of several people: its members and how far each has read, and what is pinned.

    Args:
        chat_id: Identifier of the chat.

    Returns:
        The chat, its members (role, read_at: all that was posted until then is read), its pinned posts,
        the number of unread posts, and the number of its polls.

    Raises:
        NoDataError: No chat has this identifier.
    """
    chat = get(CHATS, chat_id)
    kept = ("member_id", "person_id", "role", "read_at")
    members = [
        {"name": name_of(row["person_id"])} | {column: row[column] for column in kept}
        for row in rows_with(MEMBERS, "chat_id", chat_id)
    ]
    pinned = [row for row in rows_with(POSTS, "chat_id", chat_id) if row["pinned"]]
    shown = [{"post_id": row["post_id"], "content": row["content"]} for row in pinned]
    unread, polls = len(unread_posts(rows_of, chat_id)), len(rows_with(POLLS, "chat_id", chat_id))
    return chat | {"members": members, "pinned": shown, "unread": unread, "polls": polls}


@tool
def search_group_chats(
    words: str | NotGiven = NOT_GIVEN,
    person_id: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find chats of several people, the newest first. Without conditions it lists all.

    Those that you have left or are only invited to are among them; what is posted there does not count as unread.

    Args:
        words: Words that all occur in the name or in what the chat is about.
        person_id: Identifier of somebody who is in the chats.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (chats with the numbers of members and of unread posts, and the time of the last post), total, and
        next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def find(read: Read) -> Sequence[int]:
        places = found_in(read(CHATS), contains(("name", "about"), words))
        if isinstance(person_id, NotGiven):
            return places
        theirs = {row["chat_id"] for row in read(MEMBERS).with_cell("person_id", person_id)}
        keys = read(CHATS).column("chat_id")
        return [place for place in places if keys[place] in theirs]

    return newest(CHATS, "created_at", ("chats", words, person_id), find, _listed, limit, cursor)


def newest(
    schema: TableSchema,
    order_by: str,
    query: Any,
    find: Callable[[Read], Sequence[int]],
    show: Callable[[dict[str, Any], Read], dict[str, Any]],
    limit: int,
    cursor: str | None,
) -> dict[str, Any]:
    """A page of rows, the newest first, whose positions depend on other tables, too."""

    def rows(read: Read) -> Ordered:
        return newest_first(read(schema), find(read)[::-1], order_by)

    def shown(place: int, read: Read) -> dict[str, Any]:
        return show(schema.as_dict(read(schema).rows[place]), read)

    return paged(query, rows, limit, cursor, shown)


@tool
def modify_group_chat(
    chat_id: str,
    name: str | NotGiven = NOT_GIVEN,
    about: str | NotGiven | None = NOT_GIVEN,
    posting: Literal["everybody", "admins"] | NotGiven = NOT_GIVEN,
    muted: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change a chat of several people. What is left out stays as it is. All but muted is for admins only.

    Args:
        chat_id: Identifier of the chat.
        name: New name.
        about: What the chat is about; None removes it.
        posting: Who may post in it.
        muted: Whether it makes no sound on this device.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or a text is blank or too long.
        PermissionError: You are no admin of the chat, or not in it anymore.
        NoDataError: No chat has this identifier.
    """
    own_membership(chat_id)
    checked_text(name, "name", LONGEST_NAME)
    checked_text(about, "about", LONGEST_ABOUT)
    if any(each is not NOT_GIVEN for each in (name, about, posting)):
        need_admin(chat_id, "change its name, what it is about, and who may post")
    change(CHATS, chat_id, name=name, about=about, posting=posting, muted=muted)


@tool
def leave_group_chat(chat_id: str) -> None:
    """Leave a chat of several people. What was posted until then can still be read.

    Args:
        chat_id: Identifier of the chat.

    Returns:
        Nothing.

    Raises:
        ValueError: You are the last admin among others; make somebody else an admin first.
        PermissionError: You have left already.
        NoDataError: No chat has this identifier.
    """
    own = remove(MEMBERS, own_membership(chat_id)["member_id"])
    check_led(chat_id, own["role"])


def check_led(chat_id: str, lost_role: str) -> None:
    """Fails if a chat has members, but no admin anymore."""
    left = rows_with(MEMBERS, "chat_id", chat_id)
    if lost_role == "admin" and left and all(row["role"] != "admin" for row in left):
        raise ValueError("the chat would be without an admin; make somebody else one first with set_group_role")
