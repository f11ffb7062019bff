"""What the groups app keeps: chats of several people, what they post there, and what they vote on."""

from collections import Counter
from typing import Any

from tool_sandbox.apps import TableRule, choice, flag, key, moment, only_one, reference, table, text, whole


def _has_an_admin(members: Any) -> str | None:
    chats, roles = members.column("chat_id"), members.column("role")
    led = {chat for chat, role in zip(chats, roles, strict=True) if role == "admin"}
    lost = next((chat for chat in chats if chat not in led), None)
    return lost and f"chat {lost} has members, but no admin"


def _votes_once(votes: Any, polls: Any) -> str | None:
    several = dict(zip(polls.column("poll_id"), polls.column("several_answers"), strict=True))
    given = Counter(zip(votes.column("poll_id"), votes.column("person_id"), strict=True))
    twice = next((pair for pair, number in given.items() if number > 1 and not several[pair[0]]), None)
    return twice and f"person {twice[1]} has more than one vote in poll {twice[0]}"


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
    rules=[TableRule(_has_an_admin)],
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
    rules=[TableRule(_votes_once, ("groups.polls",))],
)
"""Who voted for what."""
