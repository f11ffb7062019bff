"""What the groups app keeps: chats of several people, what they post there, and what they vote on."""

from collections import Counter

from tool_sandbox.apps import TableRule, choice, flag, key, moment, only_one, reference, table, text, whole
from tool_sandbox.world.table import Table


def _has_an_admin(chat_id: str, members: Table) -> str | None:
    roles = [row["role"] for row in members.with_cell("chat_id", chat_id)]
    return f"chat {chat_id} has members, but no admin" if roles and "admin" not in roles else None


def _votes_once(poll_id: str, votes: Table, polls: Table) -> str | None:
    several = (polls.get(poll_id) or {"several_answers": True})["several_answers"]
    given = Counter(row["person_id"] for row in votes.with_cell("poll_id", poll_id))
    twice = next((person for person, number in given.items() if number > 1 and not several), None)
    return twice and f"person {twice} has more than one vote in poll {poll_id}"


PEOPLE = table(
    "groups.people",
    key("person_id"),
    text("name"),
    text("phone_number"),
    flag("is_me"),
    flag("wants_invitation"),
    unique=[
        only_one("phone_number", words="there is a person with the number {phone_number!r} already"),
        only_one(is_me=True, words="two people are the owner of the device"),
    ],
)
"""Everybody whom the service knows; some can only be invited to a chat, not be put into it."""

CHATS = table(
    "groups.chats",
    key("chat_id"),
    text("name"),
    text("about", optional=True),
    choice("posting", "everybody", "admins"),
    flag("muted"),
    moment("created_at"),
)
"""Chats that the owner is in, has been in, or is invited to. Names may occur twice."""

MEMBERS = table(
    "groups.members",
    key("member_id"),
    reference("chat_id", "groups.chats"),
    reference("person_id", "groups.people"),
    choice("role", "admin", "member"),
    moment("joined_at"),
    moment("read_at", optional=True),
    unique=[only_one("chat_id", "person_id", words="a person is in a chat twice")],
    rules=[TableRule(_has_an_admin, per=("chat_id",))],
)
"""Who is in a chat; each has read what was posted until ``read_at``."""

INVITATIONS = table(
    "groups.invitations",
    key("invitation_id"),
    reference("chat_id", "groups.chats"),
    reference("person_id", "groups.people"),
    reference("invited_by_id", "groups.people"),
    moment("expires_at"),
    choice("answer", "accepted", "declined", optional=True),
)
"""Who was asked into a chat, by whom, and the answer; one without an answer is void once it has expired."""

POSTS = table(
    "groups.posts",
    key("post_id"),
    reference("chat_id", "groups.chats"),
    reference("person_id", "groups.people"),
    reference("answers_id", "groups.posts", optional=True),
    text("content"),
    flag("pinned"),
    moment("posted_at"),
    moment("edited_at", optional=True),
)
"""What was posted, by whom, and to what it is an answer."""

REACTIONS = table(
    "groups.reactions",
    key("reaction_id"),
    reference("post_id", "groups.posts"),
    reference("person_id", "groups.people"),
    choice("reaction", "yes", "no", "heart", "laugh", "thanks"),
    unique=[only_one("post_id", "person_id", words="a person has two reactions to a post")],
)
"""One sign of one person about one post."""

POLLS = table(
    "groups.polls",
    key("poll_id"),
    reference("chat_id", "groups.chats"),
    reference("person_id", "groups.people"),
    text("question"),
    flag("several_answers"),
    flag("secret"),
    moment("asked_at"),
    moment("closes_at", optional=True),
)
"""Questions, by whom they were asked; closed once ``closes_at`` has come, open without end if there is none."""

OPTIONS = table(
    "groups.options",
    key("option_id"),
    reference("poll_id", "groups.polls"),
    text("content"),
    whole("position", 1, 10),
    unique=[only_one("poll_id", "position", words="two options stand at position {position} of one poll")],
)
"""What can be voted for, in order."""

VOTES = table(
    "groups.votes",
    key("vote_id"),
    reference("poll_id", "groups.polls"),
    reference("option_id", "groups.options"),
    reference("person_id", "groups.people"),
    unique=[only_one("option_id", "person_id", words="a person has voted twice for an option")],
    rules=[TableRule(_votes_once, ("groups.polls",), per=("poll_id",))],
)
"""Who voted for what."""
