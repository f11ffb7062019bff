"""Errors that are not met by chance."""

from tool_sandbox.apps import rows_with, set_setting
from tool_sandbox.apps.groups.polls import create_group_poll
from tool_sandbox.apps.groups.posts import post_to_group_chat
from tool_sandbox.apps.groups.tables import CHATS


def _offline() -> str:
    set_setting("wifi", on=False)
    return str(rows_with(CHATS, "name", "Family")[0]["chat_id"])


def post_offline() -> None:
    """A post without wifi."""
    post_to_group_chat(_offline(), "I come at noon.")


def ask_offline() -> None:
    """A poll without wifi."""
    create_group_poll(_offline(), "When?", ["At noon", "At one"])


PROBES = (post_offline, ask_offline)
