"""Tools for what is posted in chats, and for what has been read of it."""

from collections.abc import Sequence
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    contains,
    current_device,
    equals,
    found_in,
    get,
    need_setting,
    now,
    remove,
    remove_with,
    rows_of,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.groups.chats import newest, unread_posts
from tool_sandbox.apps.groups.rights import me, name_of, need_admin, own_membership
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS, REACTIONS

LONGEST_POST = 1_000
EXCERPT = 140
EDIT_MINUTES = 60
MOST_PINNED = 5

Reaction = Literal["yes", "no", "heart", "laugh", "thanks"]


@tool
def post_to_group_chat(chat_id: str, content: str, answers_id: str | None = None) -> str:
    """Post in a chat of several people. Needs wifi. All that others have posted before counts as read then.

    Args:
        chat_id: Identifier of the chat.
        content: Text, at most 1000 characters.
        answers_id: Identifier of the post in the same chat that it answers.

    Returns:
        Identifier of the post.

    Raises:
        ValueError: The text is blank or too long, or what it answers is in another chat.
        PermissionError: You are not in the chat anymore, or only admins may post in it.
        NoDataError: No chat or no post has this identifier.
        ConnectionError: Wifi is off.
    """
    checked_text(content, "content", LONGEST_POST)
    own = own_membership(chat_id)
    if get(CHATS, chat_id)["posting"] == "admins":
        need_admin(chat_id, "post in it")
    if answers_id is not None and get(POSTS, answers_id)["chat_id"] != chat_id:
        raise ValueError("the post that is to be answered is in another chat")
    need_setting("wifi", "posting")
    moment = now()
    change(MEMBERS, own["member_id"], read_at=moment)
    return add(
        POSTS, chat_id=chat_id, person_id=me(), answers_id=answers_id, content=content, pinned=False, posted_at=moment
    )


def _listed(post: dict[str, Any], read: Read) -> dict[str, Any]:
    person = read(PEOPLE).get(post["person_id"])
    content = post["content"]
    kept = ("post_id", "chat_id", "person_id", "posted_at", "pinned")
    return {column: post[column] for column in kept} | {
        "name": person and person["name"],
        "excerpt": content if len(content) <= EXCERPT else f"{content[:EXCERPT]}...",
        "reactions": len(read(REACTIONS).with_cell("post_id", post["post_id"])),
    }


@tool
def search_group_posts(
    chat_id: str | NotGiven = NOT_GIVEN,
    words: str | NotGiven = NOT_GIVEN,
    person_id: str | NotGiven = NOT_GIVEN,
    pinned: bool | NotGiven = NOT_GIVEN,
    only_unread: bool = False,
    posted_from: str | NotGiven = NOT_GIVEN,
    posted_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what was posted in chats of several people, the newest first. Nothing becomes read by that.

    Args:
        chat_id: Identifier of the chat; all chats if left out.
        words: Words that all occur in the text.
        person_id: Identifier of who posted.
        pinned: Whether the posts are pinned.
        only_unread: Whether only what others posted and you have not read is found.
        posted_from: Earliest time, for example 2025-05-14T10:24, in the zone of the device.
        posted_until: Latest time.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (posts with who wrote them and an excerpt), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    conditions = (
        equals("chat_id", chat_id),
        equals("person_id", person_id),
        equals("pinned", pinned),
        at_least("posted_at", checked_moment(posted_from, "posted_from")),
        at_most("posted_at", checked_moment(posted_until, "posted_until")),
        contains("content", words),
    )

    def find(read: Read) -> Sequence[int]:
        posts = read(POSTS)
        places = found_in(posts, *conditions)
        if not only_unread:
            return places
        unread = {place for chat in read(CHATS).keys for place in unread_posts(read, chat)}
        return [place for place in places if place in unread]

    return newest(POSTS, "posted_at", ("posts", conditions, only_unread), find, _listed, limit, cursor)


@tool
def get_group_post(post_id: str) -> dict[str, Any]:
    """Read a whole post of a chat, with what others make of it.

    Args:
        post_id: Identifier of the post.

    Returns:
        The post with its writer, the reactions of others, the identifiers of its answers, and the names of members who
        have read it and who have not.

    Raises:
        NoDataError: No post has this identifier.
    """
    post = get(POSTS, post_id)
    reactions = {name_of(row["person_id"]): row["reaction"] for row in rows_with(REACTIONS, "post_id", post_id)}
    read_by: dict[bool, list[str]] = {True: [], False: []}
    for row in rows_with(MEMBERS, "chat_id", post["chat_id"]):
        has_read = row["read_at"] is not None and seconds_of(row["read_at"]) >= seconds_of(post["posted_at"])
        if row["person_id"] != post["person_id"]:
            read_by[has_read].append(name_of(row["person_id"]))
    answers = [row["post_id"] for row in rows_with(POSTS, "answers_id", post_id)][:50]
    return post | {
        "name": name_of(post["person_id"]),
        "reactions": reactions,
        "answer_ids": answers,
        "read_by": read_by[True],
        "not_read_by": read_by[False],
    }


@tool
def edit_group_post(post_id: str, content: str) -> None:
    """Change the text of an own post in a chat, within an hour.

    Args:
        post_id: Identifier of the post.
        content: New text, at most 1000 characters.

    Returns:
        Nothing.

    Raises:
        ValueError: The text is blank or too long, or the post is older than an hour.
        PermissionError: Somebody else wrote it, or you are not in the chat anymore.
        NoDataError: No post has this identifier.
    """
    post = get(POSTS, post_id)
    checked_text(content, "content", LONGEST_POST)
    own_membership(post["chat_id"])
    if post["person_id"] != me():
        raise PermissionError(f"{name_of(post['person_id'])} wrote the post, nobody else can change it")
    if current_device().now() - seconds_of(post["posted_at"]) > 60 * EDIT_MINUTES:
        raise ValueError(f"the post is older than {EDIT_MINUTES} minutes, its text cannot be changed anymore")
    change(POSTS, post_id, content=content, edited_at=now())


@tool
def pin_group_post(post_id: str, pinned: bool) -> None:
    """Pin a post at the top of its chat, or take it down. For admins only; five posts of a chat can be pinned.

    Args:
        post_id: Identifier of the post.
        pinned: Whether it is pinned from now on.

    Returns:
        Nothing.

    Raises:
        ValueError: It is as wanted already, or five others are pinned.
        PermissionError: You are no admin of the chat, or not in it anymore.
        NoDataError: No post has this identifier.
    """
    post = get(POSTS, post_id)
    need_admin(post["chat_id"], "pin posts")
    if post["pinned"] == pinned:
        raise ValueError(f"the post is {'pinned' if pinned else 'not pinned'} already")
    change(POSTS, post_id, pinned=pinned)
    if sum(row["pinned"] for row in rows_with(POSTS, "chat_id", post["chat_id"])) > MOST_PINNED:
        raise ValueError(f"{MOST_PINNED} posts of the chat are pinned already, take one down first")


@tool
def delete_group_post(post_id: str) -> None:
    """Delete a post for everybody in the chat: an own one, or as an admin anybody's. Answers to it stay.

    Args:
        post_id: Identifier of the post.

    Returns:
        Nothing.

    Raises:
        PermissionError: Somebody else wrote it and you are no admin, or you are not in the chat anymore.
        NoDataError: No post has this identifier.
    """
    post = get(POSTS, post_id)
    own_membership(post["chat_id"])
    if post["person_id"] != me():
        need_admin(post["chat_id"], "delete posts of others")
    remove(POSTS, post_id)
    remove_with(REACTIONS, "post_id", post_id)
    for answer in rows_with(POSTS, "answers_id", post_id):
        change(POSTS, answer["post_id"], answers_id=None)


@tool
def react_to_group_post(post_id: str, reaction: Reaction | None) -> None:
    """Put a sign on a post in a chat, in place of an own one that is there.

    Args:
        post_id: Identifier of the post.
        reaction: The sign; None takes the own one away.

    Returns:
        Nothing.

    Raises:
        ValueError: There is no own sign that could be taken away.
        PermissionError: You are not in the chat anymore.
        NoDataError: No post has this identifier.
    """
    own_membership(get(POSTS, post_id)["chat_id"])
    known = [row for row in rows_with(REACTIONS, "post_id", post_id) if row["person_id"] == me()]
    if reaction is None and not known:
        raise ValueError("there is no reaction of yours to this post")
    for row in known:
        remove(REACTIONS, row["reaction_id"])
    if reaction is not None:
        add(REACTIONS, post_id=post_id, person_id=me(), reaction=reaction)


@tool
def mark_group_chat_read(chat_id: str, post_id: str | None = None) -> int:
    """Mark what others posted in a chat as read, all of it or up to a post; later posts are unread then.

    Args:
        chat_id: Identifier of the chat.
        post_id: Identifier of the last post that counts as read.

    Returns:
        Number of posts that were unread before.

    Raises:
        ValueError: The post is in another chat.
        PermissionError: You are not in the chat anymore.
        NoDataError: No chat or no post has this identifier.
    """
    own = own_membership(chat_id)
    moment = now()
    if post_id is not None:
        post = get(POSTS, post_id)
        if post["chat_id"] != chat_id:
            raise ValueError("the post is in another chat")
        moment = post["posted_at"]
    unread = len(unread_posts(rows_of, chat_id))
    change(MEMBERS, own["member_id"], read_at=moment)
    return unread
