"""Errors that are not met by chance."""

from typing import Any

from tool_sandbox.apps import remove, rows_of, rows_with, set_setting
from tool_sandbox.apps.groups.members import remove_group_member, set_group_role
from tool_sandbox.apps.groups.polls import close_group_poll, create_group_poll, vote_in_group_poll, withdraw_group_vote
from tool_sandbox.apps.groups.posts import mark_group_chat_read, post_to_group_chat
from tool_sandbox.apps.groups.rights import me, member, own_membership
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, OPTIONS, POLLS, POSTS
from tool_sandbox.world.table import TableSchema


def _chat(name: str) -> str:
    return str(rows_with(CHATS, "name", name)[0]["chat_id"])


def _left(schema: TableSchema) -> dict[str, Any]:
    """Something of a chat that the owner is not in anymore."""
    row = list(rows_of(schema))[-1]
    if own := member(row["chat_id"], me()):
        remove(MEMBERS, own["member_id"])
    return row


def _offline() -> str:
    set_setting("wifi", on=False)
    return _chat("Family")


def _vote_after_leaving() -> None:
    poll_id = _left(POLLS)["poll_id"]
    vote_in_group_poll([row["option_id"] for row in rows_with(OPTIONS, "poll_id", poll_id)])


def _read_up_to_a_post_elsewhere() -> None:
    family = _chat("Family")
    mark_group_chat_read(family, next(row["post_id"] for row in rows_of(POSTS) if row["chat_id"] != family))


PROBES = (
    lambda: post_to_group_chat(_offline(), "I come at noon."),
    lambda: create_group_poll(_offline(), "When?", ["At noon", "At one"]),
    _vote_after_leaving,
    lambda: withdraw_group_vote(_left(POLLS)["poll_id"]),
    lambda: close_group_poll(_left(POLLS)["poll_id"]),
    lambda: set_group_role(_left(MEMBERS)["member_id"], "admin"),
    lambda: set_group_role(own_membership(_chat("Book club"))["member_id"], "member"),
    lambda: remove_group_member(own_membership(_chat("Family"))["member_id"]),
    _read_up_to_a_post_elsewhere,
)
