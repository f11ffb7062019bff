"""Errors that are not met by chance."""

from typing import Any

from tool_sandbox.apps import remove, rows_of, rows_with, set_setting
from tool_sandbox.apps.groups.members import remove_group_member, set_group_role
from tool_sandbox.apps.groups.polls import close_group_poll, create_group_poll, vote_in_group_poll, withdraw_group_vote
from tool_sandbox.apps.groups.posts import mark_group_chat_read, post_to_group_chat
from tool_sandbox.apps.groups.rights import me, member, own_membership
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, OPTIONS, POLLS, POSTS
from tool_sandbox.world.table import TableSchema


def _offline() -> str:
    set_setting("wifi", on=False)
    return str(rows_with(CHATS, "name", "Family")[0]["chat_id"])


def post_offline() -> None:
    """A post without wifi."""
    post_to_group_chat(_offline(), "I come at noon.")


def ask_offline() -> None:
    """A poll without wifi."""
    create_group_poll(_offline(), "When?", ["At noon", "At one"])


def read_elsewhere() -> None:
    """A chat that is read up to a post of another one."""
    family = _offline()
    mark_group_chat_read(family, next(row["post_id"] for row in rows_of(POSTS) if row["chat_id"] != family))


def _left(schema: TableSchema) -> dict[str, Any]:
    """Something of a chat that the owner is not in anymore."""
    row = list(rows_of(schema))[-1]
    if own := member(row["chat_id"], me()):
        remove(MEMBERS, own["member_id"])
    return row


def vote_after_leaving() -> None:
    """A vote in a chat that was left."""
    poll_id = _left(POLLS)["poll_id"]
    vote_in_group_poll([row["option_id"] for row in rows_with(OPTIONS, "poll_id", poll_id)])


def withdraw_after_leaving() -> None:
    """A vote that is taken back in a chat that was left."""
    withdraw_group_vote(_left(POLLS)["poll_id"])


def close_after_leaving() -> None:
    """A poll of a chat that was left."""
    close_group_poll(_left(POLLS)["poll_id"])


def _own(chat: str) -> str:
    (row,) = rows_with(CHATS, "name", chat)
    return str(own_membership(row["chat_id"])["member_id"])


def promote_after_leaving() -> None:
    """A role in a chat that was left."""
    set_group_role(_left(MEMBERS)["member_id"], "admin")


def remove_oneself() -> None:
    """A member who is the owner."""
    remove_group_member(_own("Family"))


def be_no_admin() -> None:
    """The last admin becomes a member."""
    set_group_role(_own("Book club"), "member")


PROBES = (
    read_elsewhere,
    post_offline,
    ask_offline,
    vote_after_leaving,
    withdraw_after_leaving,
    close_after_leaving,
    promote_after_leaving,
    remove_oneself,
    be_no_admin,
)
