"""What somebody who uses chats of several people relies on."""

from collections.abc import Iterator
from typing import Any

import pytest

from tool_sandbox.apps import Draw, as_moment, rows_of, rows_with, seconds_of
from tool_sandbox.apps.groups.chats import (
    create_group_chat,
    get_group_chat,
    leave_group_chat,
    modify_group_chat,
    search_group_chats,
)
from tool_sandbox.apps.groups.members import (
    add_group_member,
    answer_group_invitation,
    invite_to_group_chat,
    remove_group_member,
    search_group_invitations,
    set_group_role,
)
from tool_sandbox.apps.groups.polls import (
    close_group_poll,
    create_group_poll,
    get_group_poll,
    vote_in_group_poll,
    withdraw_group_vote,
)
from tool_sandbox.apps.groups.posts import (
    delete_group_post,
    edit_group_post,
    get_group_post,
    mark_group_chat_read,
    post_to_group_chat,
    react_to_group_post,
    search_group_posts,
)
from tool_sandbox.apps.groups.rows import chat_row, invitation_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, INVITATIONS, MEMBERS, PEOPLE, POLLS, POSTS, VOTES
from tool_sandbox.apps.registry import find_app
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context

from .conftest import START, make_context

DRAW = Draw("groups test")


@pytest.fixture(autouse=True)
def groups() -> Iterator[ExecutionContext]:
    """A world with four people and no chats."""
    context = make_context("groups")
    names = {"me": "Nora", "beth": "Beth", "omar": "Omar", "claire": "Claire"}
    people = [
        {"person_id": key, "name": name, "phone_number": f"+1415555010{number}", "is_me": key == "me"}
        for number, (key, name) in enumerate(names.items())
    ]
    with new_context(context):
        context.add_to_database(PEOPLE.name, [row | {"wants_invitation": row["name"] == "Claire"} for row in people])
        yield context


def pass_time(context: ExecutionContext, messages: int) -> None:
    """Lets five seconds pass with each message."""
    message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    for _ in range(messages):
        context.add_to_database(DatabaseNamespace.SANDBOX, [message])


def member_of(chat_id: str, name: str) -> dict[str, Any]:
    return next(row for row in get_group_chat(chat_id)["members"] if row["name"] == name)


def led_by_beth(context: ExecutionContext, posting: str = "everybody") -> str:
    """A chat in which the owner is an ordinary member."""
    begun = as_moment(START - 1_000)
    chat = chat_row(DRAW, "Choir", None, begun, posting)
    context.add_to_database(CHATS.name, [chat])
    roles = {"beth": "admin", "me": "member", "omar": "member"}
    rows = [member_row(DRAW, chat["chat_id"], person, role, begun) for person, role in roles.items()]
    context.add_to_database(MEMBERS.name, rows)
    return str(chat["chat_id"])


def post_as(context: ExecutionContext, chat_id: str, person_id: str, content: str, seconds: int) -> str:
    row = post_row(DRAW, chat_id, person_id, content, as_moment(START + seconds))
    context.add_to_database(POSTS.name, [row])
    return str(row["post_id"])


def test_only_admins_change_a_chat_and_its_members(groups: ExecutionContext) -> None:
    chat = led_by_beth(groups)
    for refused in (
        lambda: add_group_member(chat, "claire"),
        lambda: remove_group_member(member_of(chat, "Omar")["member_id"]),
        lambda: set_group_role(member_of(chat, "Nora")["member_id"], "admin"),
        lambda: modify_group_chat(chat, name="Mine"),
    ):
        with pytest.raises(PermissionError, match="ask one of them: Beth"):
            refused()
    modify_group_chat(chat, muted=True)
    assert get_group_chat(chat)["muted"]
    assert len(get_group_chat(chat)["members"]) == 3


def test_a_chat_keeps_an_admin() -> None:
    chat = create_group_chat("Trip", ["beth", "omar", "beth"])
    with pytest.raises(ValueError, match="make somebody else one first"):
        leave_group_chat(chat)
    with pytest.raises(ValueError, match="make somebody else one first"):
        set_group_role(member_of(chat, "Nora")["member_id"], "member")
    set_group_role(member_of(chat, "Beth")["member_id"], "admin")
    leave_group_chat(chat)
    with pytest.raises(PermissionError, match="you are not in the chat 'Trip' anymore"):
        post_to_group_chat(chat, "Hello?")
    assert search_group_chats(words="trip")["results"][0]["members"] == 2
    assert search_group_chats(person_id="me")["total"] == 0


def test_who_wants_an_invitation_cannot_be_put_into_a_chat(groups: ExecutionContext) -> None:
    with pytest.raises(PermissionError, match="use invite_to_group_chat"):
        create_group_chat("Trip", ["beth", "claire"])
    assert len(rows_of(CHATS)) == 0
    chat = create_group_chat("Trip", ["beth"])
    with pytest.raises(PermissionError, match="use invite_to_group_chat"):
        add_group_member(chat, "claire")
    invitation = invite_to_group_chat(chat, "claire")
    with pytest.raises(ValueError, match="Claire has an open invitation already"):
        invite_to_group_chat(chat, "claire")
    with pytest.raises(PermissionError, match="only Claire can answer"):
        answer_group_invitation(invitation, "accepted")
    pass_time(groups, 10)
    groups.change_row(INVITATIONS.name, invitation, {"expires_at": as_moment(START)})
    assert search_group_invitations(chat_id=chat)["results"][0]["state"] == "expired"
    invite_to_group_chat(chat, "claire")


def test_an_invitation_is_answered_once(groups: ExecutionContext) -> None:
    chat = chat_row(DRAW, "Hikes", None, as_moment(START))
    groups.add_to_database(CHATS.name, [chat])
    rows = [
        invitation_row(DRAW, chat["chat_id"], "me", "beth", as_moment(START + days * 86_400), None) for days in (2, -2)
    ]
    groups.add_to_database(INVITATIONS.name, rows)
    groups.add_to_database(MEMBERS.name, [member_row(DRAW, chat["chat_id"], "beth", "admin", as_moment(START))])
    with pytest.raises(ValueError, match="the invitation is expired already"):
        answer_group_invitation(rows[1]["invitation_id"], "accepted")
    answer_group_invitation(rows[0]["invitation_id"], "accepted")
    assert member_of(chat["chat_id"], "Nora")["role"] == "member"
    with pytest.raises(ValueError, match="the invitation is accepted already"):
        answer_group_invitation(rows[0]["invitation_id"], "declined")


def test_what_was_read(groups: ExecutionContext) -> None:
    chat = led_by_beth(groups)
    first, second = (post_as(groups, chat, "beth", text, -60 + at) for at, text in enumerate(("One", "Two")))
    assert get_group_chat(chat)["unread"] == search_group_posts(only_unread=True)["total"] == 2
    assert mark_group_chat_read(chat, first) == 2
    assert [row["post_id"] for row in search_group_posts(only_unread=True)["results"]] == [second]
    assert get_group_post(first)["read_by"] == ["Nora"]
    assert get_group_post(second)["not_read_by"] == ["Nora", "Omar"]
    answer = post_to_group_chat(chat, "Three", answers_id=second)
    assert get_group_chat(chat)["unread"] == 0, "who answers has read"
    assert get_group_post(second)["answer_ids"] == [answer]


def test_posts_are_changed_by_who_wrote_them_for_an_hour(groups: ExecutionContext) -> None:
    chat = led_by_beth(groups)
    theirs, own = post_as(groups, chat, "beth", "One", -60), post_to_group_chat(chat, "Tow")
    edit_group_post(own, "Two")
    with pytest.raises(PermissionError, match="Beth wrote the post"):
        edit_group_post(theirs, "Won")
    with pytest.raises(PermissionError, match="delete posts of others"):
        delete_group_post(theirs)
    react_to_group_post(theirs, "heart")
    react_to_group_post(theirs, "yes")
    assert get_group_post(theirs)["reactions"] == {"Nora": "yes"}
    pass_time(groups, 3_700)
    with pytest.raises(ValueError, match="older than 60 minutes"):
        edit_group_post(own, "Too")
    delete_group_post(own)
    assert search_group_posts(chat)["total"] == 1


def test_only_admins_post_where_it_is_said(groups: ExecutionContext) -> None:
    with pytest.raises(PermissionError, match="only admins of the chat may post in it; ask one of them: Beth"):
        post_to_group_chat(led_by_beth(groups, "admins"), "Hello!")


def test_a_poll_counts_one_vote_each_until_it_closes(groups: ExecutionContext) -> None:
    chat = create_group_chat("Trip", ["beth", "omar"])
    poll = create_group_poll(chat, "When?", ["Friday", "Saturday"], closes_at="2025-05-14T10:40")
    friday, saturday = (row["option_id"] for row in get_group_poll(poll)["options"])
    with pytest.raises(ValueError, match="one answer only"):
        vote_in_group_poll([friday, saturday])
    vote_in_group_poll([friday])
    vote_in_group_poll([saturday])
    seen = get_group_poll(poll)
    assert [(row["votes"], row["voters"]) for row in seen["options"]] == [(0, []), (1, ["Nora"])]
    assert seen["not_voted"] == ["Beth", "Omar"]
    withdraw_group_vote(poll)
    assert len(rows_of(VOTES)) == 0
    pass_time(groups, 1_000)
    assert not get_group_poll(poll)["is_open"]
    with pytest.raises(ValueError, match="votes cannot be changed anymore"):
        vote_in_group_poll([friday])
    with pytest.raises(ValueError, match="closed already"):
        close_group_poll(poll)


def test_a_secret_poll_shows_no_names() -> None:
    chat = create_group_chat("Trip", ["beth"])
    poll = create_group_poll(chat, "Who pays?", ["Beth", "Nora"], several_answers=True, secret=True)
    vote_in_group_poll([row["option_id"] for row in get_group_poll(poll)["options"]])
    seen = get_group_poll(poll)
    assert [(row["votes"], row["voters"], row["is_my_vote"]) for row in seen["options"]] == [(1, None, True)] * 2
    assert seen["not_voted"] is None


def test_content_is_consistent() -> None:
    with new_context(make_context("groups")) as context:
        find_app("groups").fill(context, Draw("groups", 2), "large")  # type: ignore[arg-type]
        times = {row["post_id"]: seconds_of(row["posted_at"]) for row in rows_of(POSTS)}
        assert all(times[row["answers_id"]] < times[row["post_id"]] for row in rows_of(POSTS) if row["answers_id"])
        assert max(times.values()) < START
        inside = {(row["chat_id"], row["person_id"]) for row in rows_of(MEMBERS)}
        assert {(row["chat_id"], row["person_id"]) for row in [*rows_of(POSTS), *rows_of(POLLS)]} <= inside
        read = {(row["chat_id"], row["person_id"]): seconds_of(row["read_at"]) for row in rows_of(MEMBERS)}
        assert all(read[row["chat_id"], row["person_id"]] >= times[row["post_id"]] for row in rows_of(POSTS))
        assert search_group_posts(only_unread=True)["total"] > 0
        gift = next(row for row in rows_of(CHATS) if row["name"].startswith("Gift for "))
        secret_from = gift["name"].removeprefix("Gift for ")
        names = [row["name"] for row in get_group_chat(gift["chat_id"])["members"]]
        assert not any(name.startswith(f"{secret_from} ") for name in names)
        assert rows_with(CHATS, "posting", "admins")
