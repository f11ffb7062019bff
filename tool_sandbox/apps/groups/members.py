"""Tools for who is in a chat."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    change,
    contains,
    current_device,
    equals,
    get,
    now,
    remove,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.groups.chats import check_can_be_added, check_led
from tool_sandbox.apps.groups.rights import check_room, me, member, name_of, need_admin
from tool_sandbox.apps.groups.tables import CHATS, INVITATIONS, MEMBERS, PEOPLE

INVITATION_DAYS = 7

Answer = Literal["open", "expired", "accepted", "declined"]


@tool
def search_group_people(
    words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None
) -> dict[str, Any]:
    """Find people whom the chat service knows. Without conditions it lists all, you among them.

    Args:
        words: Words that all occur in name or phone number.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (people; is_me marks the owner of the device, wants_invitation those who cannot be put into chats),
        total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(PEOPLE, contains(("name", "phone_number"), words), order_by="name", limit=limit, cursor=cursor)


def _not_there(chat_id: str, person_id: str) -> None:
    get(PEOPLE, person_id)
    if member(chat_id, person_id):
        raise ValueError(f"{name_of(person_id)} is in the chat already")
    check_room(chat_id)


@tool
def add_group_member(chat_id: str, person_id: str) -> None:
    """Put somebody into a chat of several people, as a member without rights of an admin. For admins only.

    Args:
        chat_id: Identifier of the chat.
        person_id: Identifier of the person.

    Returns:
        Nothing.

    Raises:
        ValueError: The person is in the chat already, or the chat is full.
        PermissionError: You are no admin of the chat, or the person wants an invitation (invite_to_group_chat).
        NoDataError: No chat or no person has this identifier.
    """
    need_admin(chat_id, "add somebody")
    _not_there(chat_id, person_id)
    check_can_be_added(person_id)
    add(MEMBERS, chat_id=chat_id, person_id=person_id, role="member", joined_at=now())


@tool
def remove_group_member(member_id: str) -> None:
    """Put somebody out of a chat of several people. For admins only. What that person posted and voted stays.

    Args:
        member_id: Identifier of the member, as get_group_chat shows it.

    Returns:
        Nothing.

    Raises:
        ValueError: It is yourself: use leave_group_chat.
        PermissionError: You are no admin of the chat.
        NoDataError: No member has this identifier.
    """
    row = get(MEMBERS, member_id)
    need_admin(row["chat_id"], "remove somebody")
    if row["person_id"] == me():
        raise ValueError("you cannot remove yourself; use leave_group_chat")
    remove(MEMBERS, member_id)


@tool
def set_group_role(member_id: str, role: Literal["admin", "member"]) -> None:
    """Make a member of a chat of several people an admin, or an admin a member. For admins only.

    Args:
        member_id: Identifier of the member, as get_group_chat shows it.
        role: What the member is from now on.

    Returns:
        Nothing.

    Raises:
        ValueError: It is the last admin.
        PermissionError: You are no admin of the chat.
        NoDataError: No member has this identifier.
    """
    row = get(MEMBERS, member_id)
    need_admin(row["chat_id"], "change roles")
    change(MEMBERS, member_id, role=role)
    check_led(row["chat_id"], row["role"])


# Invitations ----------------------------------------------------------------------------------


def _state(invitation: dict[str, Any]) -> str:
    """The answer, or whether there can still be one."""
    if invitation["answer"]:
        return str(invitation["answer"])
    return "expired" if seconds_of(invitation["expires_at"]) <= current_device().now() else "open"


@tool
def invite_to_group_chat(chat_id: str, person_id: str) -> str:
    """Invite somebody to a chat of several people. For admins only. It is void after seven days without an answer.

    Args:
        chat_id: Identifier of the chat.
        person_id: Identifier of the person.

    Returns:
        Identifier of the invitation.

    Raises:
        ValueError: The person is in the chat or has an open invitation already, or the chat is full.
        PermissionError: You are no admin of the chat.
        NoDataError: No chat or no person has this identifier.
    """
    need_admin(chat_id, "invite somebody")
    _not_there(chat_id, person_id)
    theirs = [row for row in rows_with(INVITATIONS, "chat_id", chat_id) if row["person_id"] == person_id]
    if waiting := next((row for row in theirs if _state(row) == "open"), None):
        raise ValueError(f"{name_of(person_id)} has an open invitation already, until {waiting['expires_at']}")
    expires = as_moment(current_device().now() + datetime.timedelta(days=INVITATION_DAYS).total_seconds())
    return add(INVITATIONS, chat_id=chat_id, person_id=person_id, invited_by_id=me(), expires_at=expires)


def _listed(invitation: dict[str, Any], read: Read) -> dict[str, Any]:
    people, chat = read(PEOPLE), read(CHATS).get(invitation["chat_id"])
    names = [(people.get(invitation[column]) or {}).get("name") for column in ("person_id", "invited_by_id")]
    state = _state(invitation)
    del invitation["answer"], invitation["invited_by_id"]
    return invitation | {"chat": chat and chat["name"], "person": names[0], "invited_by": names[1], "state": state}


@tool
def search_group_invitations(
    chat_id: str | NotGiven = NOT_GIVEN,
    person_id: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find invitations to chats of several people, those that expire last first. Without conditions it lists all.

    Args:
        chat_id: Identifier of the chat to which they invite.
        person_id: Identifier of the person who is invited; your own for those that you got.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (invitations with the names of chat and people; state is open, expired, accepted or declined), total,
        and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = equals("chat_id", chat_id), equals("person_id", person_id)
    return search(
        INVITATIONS, *conditions, order_by="expires_at", descending=True, show=_listed, limit=limit, cursor=cursor
    )


@tool
def answer_group_invitation(invitation_id: str, answer: Literal["accepted", "declined"]) -> None:
    """Accept or decline an invitation that you got to a chat of several people.

    Args:
        invitation_id: Identifier of the invitation.
        answer: Your answer; with accepted you are a member from now on.

    Returns:
        Nothing.

    Raises:
        ValueError: It is answered or has expired, the chat is full, or you are in it already.
        PermissionError: It is for somebody else.
        NoDataError: No invitation has this identifier.
    """
    invitation = get(INVITATIONS, invitation_id)
    if invitation["person_id"] != me():
        raise PermissionError(f"only {name_of(invitation['person_id'])} can answer this invitation")
    if (state := _state(invitation)) != "open":
        raise ValueError(f"the invitation is {state} already, it cannot be answered anymore")
    change(INVITATIONS, invitation_id, answer=answer)
    if answer == "accepted":
        _not_there(invitation["chat_id"], me())
        has_admin = bool(rows_with(MEMBERS, "chat_id", invitation["chat_id"]))
        role = "member" if has_admin else "admin"
        add(MEMBERS, chat_id=invitation["chat_id"], person_id=me(), role=role, joined_at=now())
