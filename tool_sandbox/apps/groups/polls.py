"""Tools for polls in chats."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    add_all,
    change,
    checked_moment,
    checked_text,
    checked_texts,
    contains,
    current_device,
    equals,
    get,
    need_setting,
    now,
    remove,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.groups.rights import me, name_of, need_admin, own_membership
from tool_sandbox.apps.groups.tables import MEMBERS, OPTIONS, POLLS, VOTES

LONGEST_QUESTION = 200
LONGEST_OPTION = 80
MOST_OPTIONS = 10


def _is_open(poll: dict[str, Any]) -> bool:
    return seconds_of(poll["closes_at"]) > current_device().now()


@tool
def create_group_poll(
    chat_id: str,
    question: str,
    options: list[str],
    closes_at: str | None = None,
    several_answers: bool = False,
    secret: bool = False,
) -> str:
    """Ask the members of a chat to vote. Needs wifi.

    Args:
        chat_id: Identifier of the chat.
        question: What is asked, at most 200 characters.
        options: What can be voted for, from 2 to 10 different texts.
        closes_at: When it closes, for example 2025-05-14T10:24 in the zone of the device; left out, it stays open until
            somebody closes it.
        several_answers: Whether one person may vote for several options.
        secret: Whether nobody sees who voted for what.

    Returns:
        Identifier of the poll.

    Raises:
        ValueError: A text is blank or too long, there are too few or too many options, or the time is not in the
            future.
        PermissionError: You are not in the chat anymore.
        NoDataError: No chat has this identifier.
        ConnectionError: Wifi is off.
    """
    own_membership(chat_id)
    checked_text(question, "question", LONGEST_QUESTION)
    texts = checked_texts(options, "options", longest=LONGEST_OPTION, most=MOST_OPTIONS)
    if len(texts) < 2:
        raise ValueError("options must have at least two different texts")
    closes = checked_moment(closes_at, "closes_at")
    if seconds_of(closes) <= current_device().now():
        raise ValueError(f"closes_at must be in the future, got {closes!r}")
    need_setting("wifi", "asking for votes")
    cells = {"several_answers": several_answers, "secret": secret, "asked_at": now(), "closes_at": closes}
    poll_id = add(POLLS, chat_id=chat_id, person_id=me(), question=question, **cells)
    rows = [{"poll_id": poll_id, "content": text, "position": place} for place, text in enumerate(texts, start=1)]
    add_all(OPTIONS, rows)
    return poll_id


@tool
def get_group_poll(poll_id: str) -> dict[str, Any]:
    """Look at a poll of a chat: what can be voted for, and how it stands.

    Args:
        poll_id: Identifier of the poll.

    Returns:
        The poll with who asked, whether it is open, its options in order (identifier, content, number of votes, whether
        it is an own vote, and the names of who voted for it, which are None in a secret poll), and the names of members
        who have not voted, None in a secret poll.

    Raises:
        NoDataError: No poll has this identifier.
    """
    poll, own = get(POLLS, poll_id), me()
    options, voters = [], set[str]()
    for option in sorted(rows_with(OPTIONS, "poll_id", poll_id), key=lambda row: int(row["position"])):
        people = [row["person_id"] for row in rows_with(VOTES, "option_id", option["option_id"])]
        voters |= {*people}
        names = None if poll["secret"] else [name_of(each) for each in people]
        shown = {"option_id": option["option_id"], "content": option["content"], "votes": len(people)}
        options.append(shown | {"is_my_vote": own in people, "voters": names})
    members = [row["person_id"] for row in rows_with(MEMBERS, "chat_id", poll["chat_id"])]
    missing = None if poll["secret"] else [name_of(each) for each in members if each not in voters]
    asked_by = name_of(poll["person_id"])
    return poll | {"asked_by": asked_by, "is_open": _is_open(poll), "options": options, "not_voted": missing}


def _listed(poll: dict[str, Any], read: Read) -> dict[str, Any]:
    voters = {row["person_id"] for row in read(VOTES).with_cell("poll_id", poll["poll_id"])}
    kept = ("poll_id", "chat_id", "question", "asked_at", "closes_at")
    return {column: poll[column] for column in kept} | {"is_open": _is_open(poll), "voters": len(voters)}


@tool
def search_group_polls(
    chat_id: str | NotGiven = NOT_GIVEN,
    words: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find polls of chats, the newest first. Without conditions it lists all.

    Args:
        chat_id: Identifier of the chat.
        words: Words that all occur in the question.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (polls with the number of those who voted, and whether they are open), total, and next_cursor, which is
        None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = equals("chat_id", chat_id), contains("question", words)
    return search(POLLS, *conditions, order_by="asked_at", descending=True, show=_listed, limit=limit, cursor=cursor)


def _take_back_votes(poll_id: str) -> int:
    poll = get(POLLS, poll_id)
    own_membership(poll["chat_id"])
    if not _is_open(poll):
        raise ValueError(f"the poll closed at {poll['closes_at']}, votes cannot be changed anymore")
    own = [row for row in rows_with(VOTES, "poll_id", poll_id) if row["person_id"] == me()]
    for row in own:
        remove(VOTES, row["vote_id"])
    return len(own)


@tool
def vote_in_group_poll(option_ids: list[str]) -> None:
    """Vote in a poll of a chat. Own votes that were given in it before are replaced.

    Args:
        option_ids: Identifiers of the options, all of one poll; only one if the poll does not take several answers.

    Returns:
        Nothing.

    Raises:
        ValueError: The poll is closed or takes one answer only, or the options are of several polls, or none.
        PermissionError: You are not in the chat anymore.
        NoDataError: No option has one of these identifiers.
    """
    options = [get(OPTIONS, each) for each in dict.fromkeys(option_ids)]
    if len({option["poll_id"] for option in options}) != 1:
        raise ValueError("option_ids must name options of one poll; get_group_poll shows them")
    poll_id = options[0]["poll_id"]
    _take_back_votes(poll_id)
    if len(options) > 1 and not get(POLLS, poll_id)["several_answers"]:
        raise ValueError("the poll takes one answer only")
    add_all(VOTES, [{"poll_id": poll_id, "option_id": row["option_id"], "person_id": me()} for row in options])


@tool
def withdraw_group_vote(poll_id: str) -> None:
    """Take all own votes in a poll of a chat back.

    Args:
        poll_id: Identifier of the poll.

    Returns:
        Nothing.

    Raises:
        ValueError: The poll is closed, or there is no own vote in it.
        PermissionError: You are not in the chat anymore.
        NoDataError: No poll has this identifier.
    """
    if not _take_back_votes(poll_id):
        raise ValueError("there is no vote of yours in this poll")


@tool
def close_group_poll(poll_id: str) -> None:
    """Close a poll of a chat now: an own one, or as an admin anybody's.

    Args:
        poll_id: Identifier of the poll.

    Returns:
        Nothing.

    Raises:
        ValueError: It is closed already.
        PermissionError: Somebody else asked and you are no admin, or you are not in the chat anymore.
        NoDataError: No poll has this identifier.
    """
    poll = get(POLLS, poll_id)
    own_membership(poll["chat_id"])
    if poll["person_id"] != me():
        need_admin(poll["chat_id"], "close polls of others")
    if not _is_open(poll):
        raise ValueError(f"the poll is closed already, since {poll['closes_at']}")
    change(POLLS, poll_id, closes_at=now())
