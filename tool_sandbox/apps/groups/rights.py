"""Who is who in a chat, and who may do what."""

from typing import Any

from tool_sandbox.apps import get, rows_with
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE

MOST_MEMBERS = 40


def me() -> str:
    """Key of the owner of the device."""
    rows = rows_with(PEOPLE, "is_me", True)
    if not rows:
        raise ValueError("the service does not know the owner of this device")
    return str(rows[0]["person_id"])


def member(chat_id: str, person_id: str) -> dict[str, Any] | None:
    """What is kept of somebody in a chat, ``None`` if they are not in it."""
    rows = rows_with(MEMBERS, "chat_id", chat_id)
    return next((row for row in rows if row["person_id"] == person_id), None)


def own_membership(chat_id: str) -> dict[str, Any]:
    """What is kept of the owner in a chat."""
    chat, own = get(CHATS, chat_id), member(chat_id, me())
    if own is None:
        raise PermissionError(f"you are not in the chat {chat['name']!r} anymore, only its members may do that")
    return own


def need_admin(chat_id: str, purpose: str) -> None:
    """Fails unless the owner is an admin of a chat, and says who is."""
    if own_membership(chat_id)["role"] != "admin":
        admins = [row["person_id"] for row in rows_with(MEMBERS, "chat_id", chat_id) if row["role"] == "admin"]
        names = ", ".join(name_of(each) for each in admins[:4])
        raise PermissionError(f"only admins of the chat may {purpose}; ask one of them: {names}")


def name_of(person_id: str) -> str:
    """Name of a person."""
    return str(get(PEOPLE, person_id)["name"])


def check_room(chat_id: str, more: int = 1) -> None:
    """Fails if a chat would have too many members."""
    number = len(rows_with(MEMBERS, "chat_id", chat_id)) + more
    if number > MOST_MEMBERS:
        raise ValueError(f"the chat would have {number} members, at most {MOST_MEMBERS} are accepted")
